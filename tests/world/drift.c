/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drift.c - scenarios of change detection: operator.md, section 8, and appendix A.
 *
 * A day without a write; changes in the portal, each corrected with one PUT, or with two if the
 * user left the member to Azure and a PUT keeps what it omits; somebody who always restores their
 * own value; and what others may change.
 */
#include "world/behaviours.h"

#include "operator/why.h"
#include "value/path.h"

#define DAY (24 * 60 * WORLD_MINUTE)
#define A_PERIOD (STAGE_PERIOD + STAGE_PERIOD / 4 + 3 * WORLD_MINUTE)
#define GROUP_VERSION "2020-06-01"
#define ACCOUNT_VERSION "2023-01-01"
#define CACHE_VERSION "2023-08-01"
#define CACHE_ID STAGE_GROUP "/providers/Microsoft.Cache/redis/cache"
#define NETWORK_VERSION "2025-03-01"

static struct stage stage;

static struct stage *open_as(struct world *w, const struct stage_options *options)
{
    struct stage *s = &stage;

    stage_open(s, w, options);
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_apply_text(s, NETWORK("net", "", ""));
    stage_apply_text(s, ROUTES("routes"));
    stage_apply_text(s, SUBNET("sub", "net", ",'addressPrefix':'10.1.0.0/16'"));
    stage_apply_text(s, OBJECT("cache.azure.com/v1api20230801", "Redis", "cache", "",
                               "'location':'westus2','owner':{'name':'rg'},'sku':{'name':'Basic',"
                               "'family':'C','capacity':0},'redisVersion':'6'"));
    stage_run(s, 60 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_expect_ready(s, "VirtualNetwork", "net");
    stage_expect_ready(s, "VirtualNetworksSubnet", "sub");
    stage_expect_ready(s, "Redis", "cache");
    return s;
}

static struct stage *open(struct world *w, bool keeps)
{
    return open_as(w, &(struct stage_options){.keeps = keeps});
}

static void expect_no_put(struct stage *s, int64_t time)
{
    unsigned before = s->arm_writes;

    stage_run(s, time);
    world_expect(s->w, s->arm_writes == before, "%u writes without a reason",
                 s->arm_writes - before);
}

static const struct value *path_value(struct stage *s, const struct value *v, const char *dotted)
{
    struct path path;

    return path_parse_dotted(s->w->arena, str_c(dotted), &path, NULL) ? path_resolve(&path, v)
                                                                      : NULL;
}

/* Somebody else's change, and what Azure must show again afterwards. */
static const struct change {
    const char *id, *version, *path, *value, *back, *gone;
    bool unset;
} changes[] = {
    {ACCOUNT_ID("acc"), ACCOUNT_VERSION, "properties.accessTier", "\"Cool\"",
     "\"accessTier\":\"Hot\"", "Cool", false},
    {ACCOUNT_ID("acc"), ACCOUNT_VERSION, "sku.name", "\"Standard_GRS\"", "Standard_LRS",
     "Standard_GRS", false},
    {ACCOUNT_ID("acc"), ACCOUNT_VERSION, "tags.who", "\"somebody\"", "", "somebody", true},
    {ACCOUNT_ID("acc"), ACCOUNT_VERSION, "properties.minimumTlsVersion", "\"TLS1_1\"", "", "TLS1_1",
     true},
    {STAGE_GROUP, GROUP_VERSION, "tags.who", "\"somebody\"", "", "somebody", true},
    {CACHE_ID, CACHE_VERSION, "properties.redisVersion", "\"4.0\"", "\"6.0\"", "4.0", false},
    {CACHE_ID, CACHE_VERSION, "properties.sku.capacity", "1", "\"capacity\":0", "\"capacity\":1",
     false},
    {CACHE_ID, CACHE_VERSION, "properties.enableNonSslPort", "true", "",
     "\"enableNonSslPort\":true", true},
    {NETWORK_ID("net"), NETWORK_VERSION, "tags.who", "\"somebody\"", "", "somebody", true},
    {NETWORK_ID("net"), NETWORK_VERSION, "properties.addressSpace.addressPrefixes",
     "[\"10.0.0.0/8\",\"192.168.0.0/16\"]", "10.0.0.0/8", "192.168", false},
    {NETWORK_ID("net"), NETWORK_VERSION, "properties.enableDdosProtection", "true", "",
     "\"enableDdosProtection\":true", true},
};

static str body_text(struct stage *s, const struct change *c)
{
    return stage_azure(s, "GET", str_c(c->id), str_c(c->version), STR_NONE).body;
}

static void change(struct stage *s, const struct change *c)
{
    stage_change(s, c->id, c->path, c->value);
    stage_run(s, 30 * NS_PER_SEC);
}

static void expect_corrected(struct stage *s, const struct change *c, unsigned most)
{
    unsigned before = stage_puts(s, str_c(c->id));

    change(s, c);
    stage_run(s, A_PERIOD);
    unsigned puts = stage_puts(s, str_c(c->id)) - before;
    str now = body_text(s, c);
    world_expect(s->w, str_contains(now, str_c(c->back)) && !str_contains(now, str_c(c->gone)),
                 "%s was not corrected: %.*s", c->path, STR_ARG(now));
    world_expect(s->w, puts > 0 && puts <= most, "%s was corrected by %u PUTs", c->path, puts);
}

void drift_corrected(struct world *w)
{
    bool keeps = world_chance(w, 2);
    struct stage *s = open(w, keeps);

    expect_no_put(s, DAY);
    for (size_t i = 0; i < COUNT(changes); i++) {
        expect_corrected(s, &changes[i], changes[i].unset && keeps ? 2 : 1);
        expect_no_put(s, A_PERIOD);
    }
    stage_close(s);
}

/*
 * 8.5: two PUTs against somebody who always restores their own value, and a condition that says so.
 */
void drift_contested(struct world *w)
{
    struct stage *s = open(w, world_chance(w, 2));
    unsigned before = stage_puts(s, STR(ACCOUNT_ID("acc")));
    struct condition synced = {0};

    for (unsigned i = 0; i < 6; i++) {
        change(s, &changes[0]);
        stage_run(s, A_PERIOD);
    }
    unsigned puts = stage_puts(s, STR(ACCOUNT_ID("acc"))) - before;
    world_expect(w, puts == 2, "%u PUTs", puts);
    (void)condition_get(value_get(stage_get(s, "StorageAccount", "acc"), STR("status")),
                        STR("Synced"), &synced);
    world_expect(w, str_eq(synced.reason, STR("NotConverging")), "Synced is %.*s",
                 STR_ARG(synced.reason));
    /* Other paths are still corrected, and a new spec is a new attempt. */
    expect_corrected(s, &changes[1], 1);
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, A_PERIOD);
    (void)condition_get(value_get(stage_get(s, "StorageAccount", "acc"), STR("status")),
                        STR("Synced"), &synced);
    world_expect(w, str_eq(synced.reason, STR("Synced")), "Synced is %.*s", STR_ARG(synced.reason));
    stage_close(s);
}

/* 8.5: somebody who sets a different value each time: three PUTs, and a report. */
void drift_contested_anew(struct world *w)
{
    struct stage *s = open(w, world_chance(w, 2));
    unsigned before = stage_puts(s, STR(ACCOUNT_ID("acc")));
    struct condition synced = {0};

    for (unsigned i = 0; i < 6; i++) {
        AUTO_ARENA a = arena_new();
        stage_change(s, ACCOUNT_ID("acc"), "sku.name", str_z(a, str_fmt(a, "\"Standard_%u\"", i)));
        stage_run(s, A_PERIOD);
    }
    unsigned puts = stage_puts(s, STR(ACCOUNT_ID("acc"))) - before;
    world_expect(w, puts == 3, "%u PUTs", puts);
    (void)condition_get(value_get(stage_get(s, "StorageAccount", "acc"), STR("status")),
                        STR("Synced"), &synced);
    world_expect(w, str_eq(synced.reason, STR("NotConverging")), "Synced is %.*s",
                 STR_ARG(synced.reason));
    stage_close(s);
}

/* 8.2, 8.7: reported only, and what others may have. */
void drift_bounded(struct world *w)
{
    struct stage *s = open(w, false);
    struct condition synced = {0};

    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_MODE, "'report'"));
    stage_patch(s, "ResourceGroup", "rg", ANNOTATE(ANNOTATION_SHARE, "'tags'"));
    stage_run(s, WORLD_MINUTE);
    change(s, &changes[0]);
    change(s, &changes[4]);
    expect_no_put(s, 4 * A_PERIOD);
    (void)condition_get(value_get(stage_get(s, "StorageAccount", "acc"), STR("status")),
                        STR("Synced"), &synced);
    world_expect(w, str_eq(synced.reason, STR("DriftFound")), "Synced is %.*s",
                 STR_ARG(synced.reason));
    world_expect(w, str_contains(body_text(s, &changes[4]), STR("somebody")), "the tag is gone");
    stage_close(s);
}

/* Annotations with a typing error have no effect: an event says so, once. */
void drift_mistyped(struct world *w)
{
    struct stage *s = open(w, false);

    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_MODE, "'reprot'"));
    stage_patch(s, "ResourceGroup", "rg", ANNOTATE(ANNOTATION_SYNC_PERIOD, "'5 minutes'"));
    stage_run(s, 4 * A_PERIOD);
    world_expect(w, stage_count_events(s, "InvalidAnnotation") == 2, "%u events",
                 stage_count_events(s, "InvalidAnnotation"));
    world_expect(w,
                 stage_has_event_with(s, "InvalidAnnotation",
                                      ANNOTATION_MODE " is \"reprot\", which has no effect"),
                 "the event does not quote the mode");
    stage_close(s);
}

/* 8.6: the author, from the resource itself or with one query of the activity log. */
void drift_author(struct world *w)
{
    struct stage *s = open(w, false);
    unsigned before, asked;

    before = s->activity_reads;
    change(s, &changes[0]);
    stage_run(s, A_PERIOD);
    asked = s->activity_reads - before;
    world_expect(w, asked == 1, "the activity log was asked %u times", asked);
    world_expect(w, stage_has_event_with(s, "BeginCreateOrUpdate", STAGE_SOMEBODY), "no author");
    const struct value *decision = value_at(
        path_value(s, stage_get(s, "StorageAccount", "acc"), "status.operatorStatus.decisions"), 0);
    world_expect(w, str_eq(value_get_str(decision, STR("by")), STR(STAGE_SOMEBODY)),
                 "the decision does not name the author");
    stage_run(s, DAY / 4);
    world_expect(w, s->activity_reads == before + 1, "it is asked without a drift");
    stage_close(s);
}

static bool is_settled(struct stage *s)
{
    return value_is_true(
        path_value(s, stage_get(s, "StorageAccount", "acc"), "status.operatorStatus.settled"));
}

/* 8.5: a record is final when two reads within two minutes agree; what comes late is learned. */
void drift_second_look(struct world *w)
{
    struct stage *s = &stage;

    stage_open(s, w, &(struct stage_options){0});
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    while (!str_eq(stage_condition(s, "StorageAccount", "acc").status, STR("True")))
        stage_run(s, NS_PER_SEC);
    world_expect(w, !is_settled(s), "one look is not enough");
    stage_evolve(s, ACCOUNT_ID("acc"), "properties.allowSharedKeyAccess", "true");
    expect_no_put(s, 130 * NS_PER_SEC);
    world_expect(w, is_settled(s), "no second look within two minutes");
    unsigned reads = s->arm_reads;
    expect_no_put(s, 5 * WORLD_MINUTE);
    world_expect(w, s->arm_reads == reads, "it goes on looking");
    expect_no_put(s, DAY / 4);
    stage_evolve(s, ACCOUNT_ID("acc"), "properties.allowSharedKeyAccess", "false");
    stage_run(s, A_PERIOD);
    /* The second one includes what was learned. */
    world_expect(w, stage_caused(s, "drift") == 2, "late is drift: %u PUTs",
                 stage_caused(s, "drift"));
    stage_close(s);
}

/*
 * Looks that find everything unchanged end early, but miss nothing: a change in Azure, a new mode.
 */
void drift_unchanged(struct world *w)
{
    struct stage *s = open(w, false);
    struct operator_stats before, after;

    expect_no_put(s, A_PERIOD);
    before = operator_stats(s->operator);
    expect_no_put(s, DAY / 4);
    after = operator_stats(s->operator);
    uint64_t passes = after.passes - before.passes, early = after.unchanged - before.unchanged;
    world_expect(w, early * 2 > passes && early < passes,
                 "%llu of %llu passes found nothing changed", (unsigned long long)early,
                 (unsigned long long)passes);
    expect_corrected(s, &changes[0], 1);
    expect_no_put(s, 2 * A_PERIOD);
    unsigned puts = stage_puts(s, STR(ACCOUNT_ID("acc")));
    stage_patch(s, "Namespace", "default",
                "{'metadata':{'annotations':{'" ANNOTATION_MODE "':'put-only'}}}");
    stage_run(s, 2 * A_PERIOD);
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) > puts, "the mode is not seen");
    stage_close(s);
}

#define ROUTES_2                                                                                   \
    OBJECT("network.azure.com/v20250301", "RouteTable", "routes", "",                              \
           "'location':'westus2','owner':{'name':'rg'},'azureName':'routes2'")

/* Nor do they miss that the object now refers to a different one. */
void drift_retargeted(struct world *w)
{
    struct stage *s = open(w, false);
    const str id = STR(NETWORK_ID("net") "/subnets/led");

    stage_apply_text(s, SUBNET("led", "net",
                               ",'addressPrefix':'10.2.0.0/16','routeTable':{'reference':{'group':"
                               "'network.azure.com','kind':'RouteTable','name':'routes'}}"));
    stage_patch(s, "RouteTable", "routes", ANNOTATE(ANNOTATION_POLICY, "'detach-on-delete'"));
    stage_run(s, 3 * A_PERIOD);
    expect_no_put(s, A_PERIOD);
    unsigned puts = stage_puts(s, id);
    stage_delete(s, "RouteTable", "routes");
    stage_run(s, 2 * NS_PER_SEC);
    stage_apply_text(s, ROUTES_2);
    stage_run(s, A_PERIOD);
    str now = stage_azure(s, "GET", id, STR(NETWORK_VERSION), STR_NONE).body;
    world_expect(w, str_contains(now, STR("/routeTables/routes2")), "the old target: %.*s",
                 STR_ARG(now));
    world_expect(w, stage_puts(s, id) == puts + 1, "%u PUTs", stage_puts(s, id) - puts);
    stage_close(s);
}

/*
 * 8.2: put-only, wherever it is set, writes at each check and slows checks down to one an hour; an
 * object's own period takes precedence.
 */
void drift_put_only(struct world *w)
{
    struct stage *s = open(w, false);
    const str often = STR(ACCOUNT_ID("acc")), hourly = STR(NETWORK_ID("net"));

    stage_patch(s, "Namespace", "default",
                "{'metadata':{'annotations':{'" ANNOTATION_MODE "':'put-only'}}}");
    stage_patch(s, "StorageAccount", "acc",
                "{'metadata':{'annotations':{'" ANNOTATION_SYNC_PERIOD "':'10m'}}}");
    stage_run(s, 2 * A_PERIOD);
    unsigned before = stage_puts(s, hourly), own = stage_puts(s, often);
    stage_run(s, DAY / 4);
    unsigned puts = stage_puts(s, hourly) - before;
    world_expect(w, puts >= 4 && puts <= 8, "%u PUTs in six hours", puts);
    puts = stage_puts(s, often) - own;
    world_expect(w, puts >= 25, "%u PUTs in six hours, every ten minutes", puts);
    stage_close(s);
}

/* 8.3: a failed resource is written again after delays that grow to a day, and checked meanwhile.
 * */
void drift_failed(struct world *w)
{
    struct stage *s = open(w, false);
    unsigned before;

    stage_change(s, ACCOUNT_ID("acc"), "properties.provisioningState", "\"Failed\"");
    stage_fault(s, "{'kind':'fail','method':'PUT','id':'" ACCOUNT_ID(
                       "acc") "','status':500,"
                              "'code':'InternalServerError','count':0}");
    stage_run(s, 3 * DAY);
    before = stage_caused(s, "failed");
    world_expect(w, before >= 8 && before <= 15, "%u PUTs in three days", before);
    stage_run(s, 4 * DAY);
    world_expect(w, stage_caused(s, "failed") - before <= 5, "%u PUTs in four more days",
                 stage_caused(s, "failed") - before);
    /* A new spec does not wait, and others may fix the resource. */
    before = s->refused;
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, WORLD_MINUTE);
    world_expect(w, s->refused > before, "a change of the spec waits");
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Hot'}}");
    stage_run(s, WORLD_MINUTE);
    stage_change(s, ACCOUNT_ID("acc"), "properties.provisioningState", "\"Succeeded\"");
    stage_run(s, A_PERIOD);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/* 8.9: if definitions have no operatorStatus, an annotation has the record, even after a crash. */
void drift_annotated(struct world *w)
{
    struct stage *s = open_as(w, &(struct stage_options){.foreign = true});
    const struct value *account = stage_get(s, "StorageAccount", "acc");

    world_expect(w, !path_value(s, account, "status.operatorStatus"), "there is a place");
    world_expect(
        w, str_contains(object_annotation(account, STR(ANNOTATION_KNOWN)), STR("\"settled\":true")),
        "no annotation");
    const struct value *why = why_object(w->arena, account);
    world_expect(w, value_len(value_get(why, STR("knownDifferences"))), "nobody is told of it");
    expect_no_put(s, DAY / 4);
    stage_restart(s, NULL);
    expect_no_put(s, 2 * A_PERIOD);
    for (size_t i = 2; i < 6; i++)
        expect_corrected(s, &changes[i], changes[i].unset ? 2 : 1);
    expect_no_put(s, DAY / 4);
    stage_close(s);
}

#define MANY 12

static const char *one_id(struct stage *s, unsigned i)
{
    return str_z(s->w->arena, str_fmt(s->w->arena,
                                      STAGE_GROUP "/providers/Microsoft.Storage/"
                                                  "storageAccounts/many%u",
                                      i));
}

/* 8.5: a service that evolves shows the same new member everywhere: one finding, no write. */
void drift_evolved(struct world *w)
{
    struct stage *s = &stage;
    struct condition synced = {0};

    stage_open(s, w, &(struct stage_options){0});
    stage_apply_text(s, GROUP("rg", ""));
    for (unsigned i = 0; i < MANY; i++)
        many_apply(s, ACCOUNT("many", ""), "many", i, NULL);
    stage_run(s, 60 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "many0");
    /* One alone is drift. */
    stage_evolve(s, one_id(s, 3), "properties.allowSharedKeyAccess", "true");
    stage_run(s, A_PERIOD + 5 * WORLD_MINUTE);
    world_expect(w, stage_puts(s, str_c(one_id(s, 3))) >= 2, "one object was not corrected");
    stage_run(s, 2 * A_PERIOD);
    for (unsigned i = 0; i < MANY; i++)
        stage_evolve(s, one_id(s, i), "properties.defaultToOAuthAuthentication", "false");
    expect_no_put(s, DAY / 4);
    world_expect(w, stage_count_events(s, "AzureEvolved") == 1, "%u findings",
                 stage_count_events(s, "AzureEvolved"));
    (void)condition_get(value_get(stage_get(s, "StorageAccount", "many5"), STR("status")),
                        STR("Synced"), &synced);
    world_expect(w, str_eq(synced.reason, STR("AzureEvolved")), "Synced is %.*s",
                 STR_ARG(synced.reason));
    /* People's changes are corrected as usual: tags, and members that are set. */
    stage_change(s, one_id(s, 5), "properties.accessTier", "\"Cool\"");
    unsigned before = s->arm_writes;
    stage_run(s, A_PERIOD);
    world_expect(w, s->arm_writes == before + 1, "%u writes", s->arm_writes - before);
    stage_close(s);
}

/* A day, if there is time for it. */
#define PERIODS (scenario_scale > 1 ? 96 : 6)

/* 8.10: several objects of a type are checked with one list, and drift is noticed as usual. */
void drift_swept(struct world *w)
{
    struct stage *s = &stage;
    unsigned count = many_open(s, w, &(struct stage_options){0}, NULL), before = s->arm_reads;

    expect_no_put(s, PERIODS * STAGE_PERIOD);
    double each = (double)(s->arm_reads - before) / (double)count / PERIODS;
    world_expect(w, each <= 0.1, "%.3f reads per resource and period", each);
    const char *id = many_id(s, "StorageAccount", "many7");
    unsigned puts = stage_puts(s, str_c(id));
    stage_change(s, id, "properties.accessTier", "\"Cool\"");
    stage_run(s, A_PERIOD);
    world_expect(w, stage_puts(s, str_c(id)) == puts + 1, "%u PUTs",
                 stage_puts(s, str_c(id)) - puts);
    /* A resource that vanished is not in the list, and is restored. */
    id = many_id(s, "StorageAccount", "many8");
    world_expect(w,
                 stage_azure(s, "DELETE", str_c(id), STR(ACCOUNT_VERSION), STR_NONE).status < 300,
                 "not deleted");
    stage_run(s, A_PERIOD);
    world_expect(w, stage_is_in_azure(s, id), "it did not come back");
    /* The first looks of a new process cost no more. */
    stage_run(s, A_PERIOD);
    before = s->arm_reads;
    stage_restart(s, NULL);
    expect_no_put(s, 2 * WORLD_MINUTE);
    each = (double)(s->arm_reads - before) / (double)count;
    world_expect(w, each > 0 && each <= 0.2, "%.3f reads per resource after a restart", each);
    world_expect(w, operator_stats(s->operator).listed >= count / 2, "%llu looks by lists",
                 (unsigned long long)operator_stats(s->operator).listed);
    stage_close(s);
}

/* A list that lacks what a read has is not used, so nothing is mistaken for drift. */
void drift_swept_in_vain(struct world *w)
{
    struct stage *s = &stage;

    many_open(s, w, &(struct stage_options){0},
              "{'types':{'Microsoft.Network/routeTables':{'listDrops':['properties'],'rules':["
              "{'add':'properties','value':{}},"
              "{'add':'properties.provisioningState','value':'Succeeded'},"
              "{'add':'properties.disableBgpRoutePropagation','value':false}]}}}");
    stage_patch(s, "RouteTable", "table101", ANNOTATE(ANNOTATION_POLICY, "'skip'"));
    expect_no_put(s, PERIODS * STAGE_PERIOD);
    world_expect(w,
                 path_value(s, stage_get(s, "RouteTable", "table101"), "status.provisioningState"),
                 "a status was taken from the list");
    const char *id = many_id(s, "RouteTable", "table100");
    stage_change(s, id, "properties.disableBgpRoutePropagation", "true");
    unsigned puts = stage_puts(s, str_c(id));
    stage_run(s, A_PERIOD);
    world_expect(w, stage_puts(s, str_c(id)) == puts + 1, "%u PUTs",
                 stage_puts(s, str_c(id)) - puts);
    stage_close(s);
}

/* Every page of the list of accounts is empty and leads to itself. */
static void lead_in_circles(struct stage *s, const struct effect *effect, struct arm_answer *answer)
{
    if (effect->kind != ARM_GET || answer->http != 200 ||
        !str_contains(effect->url, STR("/storageAccounts?")))
        return;
    answer->body =
        str_fmt(s->w->arena, "{\"value\":[],\"nextLink\":\"%.*s\"}", STR_ARG(effect->url));
}

/* A list without an end is given up, so drift is noticed as usual, and others may read, too. */
void drift_swept_in_circles(struct world *w)
{
    struct stage *s = &stage;
    unsigned count = many_open(s, w, &(struct stage_options){0}, NULL);
    const char *id = many_id(s, "StorageAccount", "many7");
    unsigned puts = stage_puts(s, str_c(id)), before = s->arm_reads;

    s->twist = lead_in_circles;
    stage_change(s, id, "properties.accessTier", "\"Cool\"");
    stage_run(s, 2 * A_PERIOD);
    world_expect(w, stage_puts(s, str_c(id)) == puts + 1, "%u PUTs",
                 stage_puts(s, str_c(id)) - puts);
    world_expect(w, s->arm_reads - before <= 4 * count + 200, "%u reads of %u resources",
                 s->arm_reads - before, count);
    s->twist = NULL;
    stage_close(s);
}

/* 8.5: a value that Azure does not keep costs two PUTs, and a condition says so. */
void drift_refused(struct world *w)
{
    struct stage *s = &stage;
    struct condition synced = {0};

    stage_open(s, w, &(struct stage_options){0});
    stage_types(s, "{'types':{'Microsoft.Network/routeTables':{'keeps':{"
                   "'properties.disableBgpRoutePropagation':false},'rules':["
                   "{'add':'properties.provisioningState','value':'Succeeded'}]}}}");
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, OBJECT("network.azure.com/v20250301", "RouteTable", "routes", "",
                               "'location':'westus2','owner':{'name':'rg'},"
                               "'disableBgpRoutePropagation':true"));
    stage_run(s, DAY);
    world_expect(w, stage_caused(s, "drift") == 2, "%u PUTs", stage_caused(s, "drift"));
    (void)condition_get(value_get(stage_get(s, "RouteTable", "routes"), STR("status")),
                        STR("Synced"), &synced);
    world_expect(w,
                 str_eq(synced.reason, STR("NotConverging")) &&
                     str_contains(synced.message, STR("disableBgpRoutePropagation")),
                 "Synced is %.*s: %.*s", STR_ARG(synced.reason), STR_ARG(synced.message));
    expect_no_put(s, DAY);
    stage_expect_ready(s, "RouteTable", "routes");
    stage_close(s);
}

#define POOL_ID                                                                                    \
    STAGE_GROUP "/providers/Microsoft.ContainerService/managedClusters/aks/agentPools/pool"

/* The size of a pool that Azure scales by itself is not drift; without scaling it is. */
void drift_autoscaled(struct world *w)
{
    struct stage *s = &stage;

    stage_open(s, w, &(struct stage_options){0});
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s,
                     OBJECT("containerservice.azure.com/v1api20240901", "ManagedCluster", "aks", "",
                            "'location':'westus2','owner':{'name':'rg'},'dnsPrefix':'aks',"
                            "'identity':{'type':'SystemAssigned'},'agentPoolProfiles':[{'name':"
                            "'system','count':1,'mode':'System','vmSize':'Standard_DS2_v2',"
                            "'osType':'Linux'}]"));
    stage_apply_text(s, OBJECT("containerservice.azure.com/v1api20240901",
                               "ManagedClustersAgentPool", "pool", "",
                               "'owner':{'name':'aks'},'count':1,'minCount':1,'maxCount':5,"
                               "'enableAutoScaling':true,'mode':'User','osType':'Linux',"
                               "'vmSize':'Standard_DS2_v2'"));
    stage_run(s, 120 * WORLD_MINUTE);
    stage_expect_ready(s, "ManagedCluster", "aks");
    stage_expect_ready(s, "ManagedClustersAgentPool", "pool");
    expect_no_put(s, DAY / 4);
    for (unsigned i = 2; i <= 5; i++) {
        stage_change(s, POOL_ID, "properties.count", str_z(w->arena, str_fmt(w->arena, "%u", i)));
        expect_no_put(s, 2 * A_PERIOD);
    }
    stage_change(s, POOL_ID, "properties.maxCount", "100");
    unsigned before = s->arm_writes;
    stage_run(s, A_PERIOD);
    world_expect(w, s->arm_writes == before + 1, "%u writes", s->arm_writes - before);
    const struct value *count =
        path_value(s, stage_body(s, POOL_ID, "2024-09-01"), "properties.count");
    world_expect(w, count && str_eq(value_text(count), STR("5")), "the PUT has scaled the pool");
    stage_close(s);
}
