/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exports.c - scenarios of exports and of what is special about kinds: operator.md, sections 5 and
 * 7.
 */
#include "world/behaviours.h"

#include "operator/ext.h"
#include "value/source.h"

static struct stage stage;

static struct stage *open_with(struct world *w, const struct kind_set *rules,
                               const struct azure_ext *const *hooks)
{
    stage_open(&stage, w, &(struct stage_options){.config = {.rules = rules, .hooks = hooks}});
    return &stage;
}

static struct stage *open(struct world *w)
{
    return open_with(w, NULL, NULL);
}

/* Rules of a user, as text with ' for ". */
static struct kind_set *rules_of(struct world *w, const char *text)
{
    struct source *src = ARENA_NEW(w->arena, struct source);
    char *copy = str_z(w->arena, str_c(text));
    struct kind_set *set = NULL;
    AUTO_ERR e = {0};

    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    *src = (struct source){.file = STR("rules"), .text = str_c(copy)};
    bool ok = kind_set_overlay(w->arena, (const struct source *const *)&src, 1, &set, &e);
    world_expect(w, ok, "rules: %.*s", STR_ARG(e.text));
    return set;
}

#define EXPORTS(more)                                                                              \
    OBJECT("storage.azure.com/v20230101", "StorageAccount", "acc", "",                             \
           "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'accessTier':"   \
           "'Hot','owner':{'name':'rg'},'operatorSpec':{'secrets':{'key1':{'name':'keys','key':"   \
           "'first','labels':{'a':'b'}},'key2':{'name':'keys','key':'second'}" more                \
           "},'configMaps':{'blobEndpoint':{'name':'places','key':'blob'}}}")

static const struct value *data(struct stage *s, const char *kind, const char *name)
{
    return value_get(stage_get(s, kind, name), STR("data"));
}

/* 5.2, 5.4: requested exports appear, are ours, and are fetched once. */
void export_appears(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, EXPORTS(""));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    str uid = str_copy(w->arena, object_uid(stage_get(s, "StorageAccount", "acc")));
    const struct value *secret = stage_get(s, "Secret", "keys");
    world_expect(w, object_is_owned_by(secret, uid), "the Secret is nobody's");
    world_expect(w, str_eq(object_label(secret, STR("a")), STR("b")), "no label");
    world_expect(w, value_len(value_get(secret, STR("data"))) == 2, "not both keys");
    world_expect(
        w, str_contains(value_get_str(data(s, "ConfigMap", "places"), STR("blob")), STR("acc")),
        "no endpoint in the ConfigMap");
    world_expect(w, s->posts == 1, "%u requests for keys", s->posts);
    unsigned writes = s->kube_writes;
    stage_run(s, 120 * WORLD_MINUTE);
    world_expect(w, s->posts == 1, "keys were fetched again without a cause");
    world_expect(w, s->kube_writes == writes, "something was written without a cause");
    stage_run(s, 24 * 60 * WORLD_MINUTE);
    world_expect(w, s->posts == 2, "%u requests for keys after a day", s->posts);
    world_expect(w, !s->refused, "Azure refused something");
    stage_close(s);
}

/* 5.4: if deleted or changed by hand, it is restored at once. */
void export_comes_back(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, EXPORTS(""));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_delete(s, "Secret", "keys");
    stage_run(s, 20 * NS_PER_SEC);
    world_expect(w, value_len(data(s, "Secret", "keys")) == 2, "the Secret did not come back");
    stage_delete(s, "ConfigMap", "places");
    stage_run(s, 20 * NS_PER_SEC);
    world_expect(w, value_len(data(s, "ConfigMap", "places")) == 1,
                 "the ConfigMap did not come back");
    stage_patch(s, "Secret", "keys", "{'data':{'first':'eA==','other':'eA=='}}");
    stage_run(s, 20 * NS_PER_SEC);
    world_expect(w, !str_eq(value_get_str(data(s, "Secret", "keys"), STR("first")), STR("eA==")),
                 "the key was not restored");
    world_expect(w, !value_get(data(s, "Secret", "keys"), STR("other")), "a foreign key stays");
    /* Its own writes wake nothing. */
    stage_expect_quiet(s, 5 * WORLD_MINUTE);
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "a PUT for an export");
    /* What is no longer requested is removed with the next write. */
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'operatorSpec':{'secrets':{'key2':null}}}}");
    stage_run(s, WORLD_MINUTE);
    world_expect(w, value_len(data(s, "Secret", "keys")) == 1, "the second key stays");
    stage_close(s);
}

/* Somebody marks each Secret, against the operator, which fetches the keys for each repair. */
void export_contested(struct world *w)
{
    AUTO_ARENA a = arena_new();
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, EXPORTS(""));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    for (int i = 0; i < 240; i++) {
        stage_patch(s, "Secret", "keys",
                    str_z(a, str_fmt(a, "{'metadata':{'annotations':{'mark':'%d'}}}", i)));
        stage_run(s, NS_PER_SEC / 2);
    }
    world_expect(w, s->posts <= 15, "%u requests for keys in two minutes", s->posts);
    stage_run(s, 3 * WORLD_MINUTE);
    world_expect(
        w, !object_annotation(stage_get(s, "Secret", "keys"), STR("mark")).len && s->posts > 5,
        "it was not repaired");
    stage_close(s);
}

/* 5.3: expressions are not evaluated; a condition says so, and nothing else is affected. */
void export_expressions(struct world *w)
{
    struct stage *s = open(w);
    struct condition c = {0};

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(
        s, OBJECT("storage.azure.com/v20230101", "StorageAccount", "acc", "",
                  "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'owner':"
                  "{'name':'rg'},'operatorSpec':{'configMapExpressions':[{'name':'places','key':"
                  "'id','value':'self.status.id'}]}"));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    (void)condition_get(value_get(stage_get(s, "StorageAccount", "acc"), STR("status")),
                        STR("Exported"), &c);
    world_expect(w,
                 str_eq(c.status, STR("False")) && str_eq(c.reason, STR("NotSupported")) &&
                     str_contains(c.message, STR("configMapExpressions is not evaluated")),
                 "the condition says %.*s", STR_ARG(c.message));
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'operatorSpec':null}}");
    stage_run(s, WORLD_MINUTE);
    world_expect(w,
                 !condition_get(value_get(stage_get(s, "StorageAccount", "acc"), STR("status")),
                                STR("Exported"), &c),
                 "the condition stays");
    stage_close(s);
}

/* 5.4: what is not ours is left alone; the rest is written anyway. */
void export_not_ours(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'keys'},'data':"
                        "{'mine':'eA=='}}");
    stage_apply_text(s, EXPORTS(""));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "FailedWritingAdditionalKubernetesObjects",
                 "Secret \"keys\" exists and is not owned by this resource");
    world_expect(w, value_get(data(s, "Secret", "keys"), STR("mine")) != NULL, "it was taken over");
    world_expect(w, value_len(data(s, "ConfigMap", "places")) == 1, "the ConfigMap is missing");
    stage_delete(s, "Secret", "keys");
    stage_run(s, WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, value_len(data(s, "Secret", "keys")) == 2, "no Secret");
    stage_close(s);
}

/* 5.4: an object that is no longer requested is deleted, unless somebody else has taken it over. */
void export_dropped(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, EXPORTS(",'blobEndpoint':{'name':'more','key':'a'},'webEndpoint':{'name':"
                                "'theirs','key':'a'}"));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, stage_get(s, "Secret", "more") && stage_get(s, "Secret", "theirs"),
                 "there is no Secret");
    stage_patch(s, "StorageAccount", "acc",
                "{'spec':{'operatorSpec':{'secrets':{'blobEndpoint':null}}}}");
    stage_run(s, WORLD_MINUTE);
    world_expect(w, !stage_get(s, "Secret", "more"), "the Secret is left");
    world_expect(w, stage_get(s, "Secret", "keys") && stage_get(s, "ConfigMap", "places"),
                 "another one is gone");
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'operatorSpec':null}}");
    stage_patch(s, "Secret", "theirs", "{'metadata':{'ownerReferences':null}}");
    stage_run(s, WORLD_MINUTE);
    world_expect(w, !stage_get(s, "Secret", "keys") && !stage_get(s, "ConfigMap", "places"),
                 "they are left");
    world_expect(w, stage_get(s, "Secret", "theirs") != NULL, "a foreign one is gone");
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "a PUT for an export");
    stage_expect_quiet(s, 5 * WORLD_MINUTE);
    stage_close(s);
}

/* 5.4: two values for one key. */
void export_twice(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, EXPORTS(",'webEndpoint':{'name':'keys','key':'first'}"));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "FailedWritingAdditionalKubernetesObjects",
                 "key \"first\" of Secret \"keys\" twice");
    world_expect(w, !stage_get(s, "Secret", "keys"), "it was written");
    stage_close(s);
}

/* 7.2: a gate holds a change back, then opens. */
void ext_blocks(struct world *w)
{
    struct stage *s = open_with(
        w,
        rules_of(w, "{'rules':'kind','kind':'storage.azure.com/StorageAccount','send':[{'at':"
                    "'tags.busy','notIn':['yes'],'else':'busy is %s'}]}"),
        NULL);
    struct sim_response r;

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    r = stage_azure(s, "PATCH", STR(ACCOUNT_ID("acc")), STR("2023-01-01"),
                    STR("{\"tags\":{\"busy\":\"yes\"}}"));
    world_expect(w, r.status == 200, "the account cannot be changed: %d", r.status);
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "ReconciliationBlocked", "busy is yes");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "it was sent all the same");
    stage_azure(s, "PATCH", STR(ACCOUNT_ID("acc")), STR("2023-01-01"),
                STR("{\"tags\":{\"busy\":\"no\"}}"));
    stage_run(s, 10 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 2, "it was not sent");
    stage_close(s);
}

/* 8.3: a payload that was sent and waits for something in Azure is not sent again. */
void ext_waits(struct world *w)
{
    struct stage *s = open_with(
        w,
        rules_of(w, "{'rules':'kind','kind':'storage.azure.com/StorageAccount','ready':[{'at':"
                    "'tags.approved','in':['yes'],'required':true,'else':'approved is %s'}]}"),
        NULL);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 60 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "PostReconciliationFailure", "approved is");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "it was sent %u times",
                 stage_puts(s, STR(ACCOUNT_ID("acc"))));
    stage_close(s);
}

/* 7.4: children created by others survive a PUT of their parent. */
void ext_children(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, NETWORK("vnet", "", ""));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "VirtualNetwork", "vnet");
    stage_azure(s, "PUT", STR(NETWORK_ID("vnet") "/subnets/theirs"), STR("2025-03-01"),
                STR("{\"properties\":{\"addressPrefix\":\"10.1.0.0/24\"}}"));
    stage_run(s, WORLD_MINUTE);
    stage_patch(s, "VirtualNetwork", "vnet", "{'spec':{'tags':{'a':'b'}}}");
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "VirtualNetwork", "vnet");
    world_expect(w, stage_puts(s, STR(NETWORK_ID("vnet"))) == 2, "not sent, or too often");
    world_expect(w, stage_is_in_azure(s, NETWORK_ID("vnet") "/subnets/theirs"),
                 "the subnet is gone");
    stage_close(s);
}

#define TAKEN                                                                                      \
    "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Storage/storageAccounts','status'" \
    ":409,'code':'StorageAccountAlreadyTaken','count':1}]}"

/* 3.3: a rule of the kind overrides the general ones. */
void ext_classifies(struct world *w)
{
    struct stage *s = open_with(
        w,
        rules_of(w, "{'rules':'kind','kind':'storage.azure.com/StorageAccount','errors':[{'id':"
                    "'name-taken','match':{'code':['StorageAccountAlreadyTaken']},'class':'fatal'"
                    ",'retry':'none'}]}"),
        NULL);

    stage_fault(s, TAKEN);
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "StorageAccountAlreadyTaken", NULL);
    world_expect(w, str_eq(stage_condition(s, "StorageAccount", "acc").severity, STR("Error")),
                 "the rule of the kind does not count");
    stage_close(s);
}

/* ---- Law 8. ---------------------------------------------------------------------------------- */

static struct decision same(const struct ext_input *in, struct decision next)
{
    (void)in;
    return next;
}
static struct error_verdict same_verdict(const struct ext_input *in,
                                         const struct cloud_error *error, struct error_verdict next)
{
    (void)in;
    (void)error;
    return next;
}
static struct ext_exports same_exports(const struct ext_input *in, struct ext_exports next)
{
    (void)in;
    return next;
}

static const struct azure_ext next_only = {.kind = "network.azure.com/VirtualNetwork",
                                           .claim = same,
                                           .payload = same,
                                           .owner_check = same,
                                           .check = same,
                                           .before_compare = same,
                                           .classify = same_verdict,
                                           .post_check = same,
                                           .secrets = same_exports,
                                           .configs = same_exports,
                                           .success = same,
                                           .delete = same};
static const struct azure_ext *const next_hooks[] = {&next_only, NULL};
static const struct azure_ext *const no_hooks[] = {NULL};

/* Requests and status in the life of one network. */
static str life(struct stage *s, const char *name, const struct kind_set *rules,
                const struct azure_ext *const *hooks)
{
    struct operator_config config = s->options.config;
    struct arena *a = s->w->arena;
    unsigned writes;
    str ready;

    config.rules = rules;
    config.hooks = hooks;
    stage_restart(s, &config);
    stage_run(s, WORLD_MINUTE);
    writes = s->arm_writes;
    stage_fault(s, "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Network/"
                   "virtualNetworks','status':409,'code':'Conflict','count':1}]}");
    stage_apply_text(s, str_z(a, str_fmt(a, NETWORK("%s", "", ""), name)));
    stage_run(s, 5 * WORLD_MINUTE);
    ready = str_copy(a, stage_condition(s, "VirtualNetwork", name).reason);
    stage_delete(s, "VirtualNetwork", name);
    stage_run(s, 5 * WORLD_MINUTE);
    return str_fmt(a, "%.*s writes %u, %s", STR_ARG(ready), s->arm_writes - writes,
                   stage_get(s, "VirtualNetwork", name) ? "still there" : "gone");
}

/* Law 8: a hook that returns next, an empty file and no file behave alike. */
void ext_next(struct world *w)
{
    struct kind_set *empty =
        rules_of(w, "{'rules':'kind','kind':'network.azure.com/VirtualNetwork'}");
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, WORLD_MINUTE);
    str none = life(s, "a", NULL, no_hooks);
    str next = life(s, "b", NULL, next_hooks);
    str file = life(s, "c", empty, no_hooks);
    world_expect(w, str_eq(none, STR("Succeeded writes 3, gone")), "without: %.*s", STR_ARG(none));
    world_expect(w, str_eq(next, none), "law 8: next: %.*s", STR_ARG(next));
    world_expect(w, str_eq(file, none), "law 8: an empty file: %.*s", STR_ARG(file));
    stage_close(s);
}

/* ---- Questions. ------------------------------------------------------------------------------ */

static unsigned
    asked[4]; /* decisions after an answer, by point; only in tests, real hooks keep no state */

/* Asks for the group once, then goes on. */
static struct decision ask_first(const struct ext_input *in, struct decision next, size_t point)
{
    if (next.kind != DECISION_GO)
        return next;
    if (!in->answer_count)
        return decision_ask("GET", STR(STAGE_GROUP "?api-version=2020-06-01"), NULL);
    asked[point] += in->answers[0].http == 200;
    return next;
}
static struct decision ask_at_claim(const struct ext_input *in, struct decision next)
{
    return ask_first(in, next, 0);
}
static struct decision ask_at_payload(const struct ext_input *in, struct decision next)
{
    return ask_first(in, next, 1);
}
static struct decision ask_at_delete(const struct ext_input *in, struct decision next)
{
    return ask_first(in, next, 2);
}
static struct decision ask_at_success(const struct ext_input *in, struct decision next)
{
    next = ask_first(in, next, 3);
    if (next.kind == DECISION_GO) {
        next.annotations = value_object(in->arena);
        value_set_str(in->arena, next.annotations, STR("example.com/seen"), STR("yes"));
    }
    return next;
}

static const struct azure_ext asking = {.kind = "storage.azure.com/StorageAccount",
                                        .claim = ask_at_claim,
                                        .payload = ask_at_payload,
                                        .delete = ask_at_delete,
                                        .success = ask_at_success};
static const struct azure_ext *const asking_hooks[] = {&asking, NULL};

/* 7.2: a hook is called again with the answer to its question, at every point. */
void ext_questions(struct world *w)
{
    struct stage *s = open_with(w, NULL, asking_hooks);

    memset(asked, 0, sizeof asked);
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(
        w,
        str_eq(object_annotation(stage_get(s, "StorageAccount", "acc"), STR("example.com/seen")),
               STR("yes")),
        "no annotation of the hook");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "not one PUT");
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 3 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "StorageAccount", "acc"), "it is still there");
    world_expect(w, !stage_is_in_azure(s, ACCOUNT_ID("acc")), "it is still in Azure");
    world_expect(w, asked[0] && asked[1] && asked[2] && asked[3],
                 "claim %u payload %u delete %u success %u", asked[0], asked[1], asked[2],
                 asked[3]);
    stage_close(s);
}

/* ---- Comparing. ------------------------------------------------------------------------------ */

/* Leaves the tier to somebody else. */
static struct decision without_tier(const struct ext_input *in, struct decision next)
{
    struct value *value = value_clone(in->arena, next.value);
    struct value *found = value_clone(in->arena, next.found);

    value_unset(value_get(value, STR("properties")), STR("accessTier"));
    value_unset(value_get(found, STR("properties")), STR("accessTier"));
    next.value = value;
    next.found = found;
    return next;
}
static struct differences nothing_differs(const struct ext_input *in, struct differences next)
{
    (void)in;
    next.count = 0;
    return next;
}

static const struct azure_ext before = {.kind = "storage.azure.com/StorageAccount",
                                        .before_compare = without_tier};
static const struct azure_ext after = {.kind = "storage.azure.com/StorageAccount",
                                       .after_compare = nothing_differs};

/* 8.4: a kind may leave something out of the comparison, before it or after it. */
void ext_compares(struct world *w)
{
    static const struct azure_ext *const sets[][2] = {{&before, NULL}, {&after, NULL}, {NULL}};
    const struct azure_ext *const *hooks = sets[w->seed % COUNT(sets)];
    struct stage *s = open_with(w, NULL, hooks);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_azure(s, "PATCH", STR(ACCOUNT_ID("acc")), STR("2023-01-01"),
                STR("{\"properties\":{\"accessTier\":\"Cool\"}}"));
    stage_run(s, 40 * WORLD_MINUTE);
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == (*hooks ? 1 : 2), "%u PUTs",
                 stage_puts(s, STR(ACCOUNT_ID("acc"))));
    stage_close(s);
}
