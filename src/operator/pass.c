/* SPDX-License-Identifier: Apache-2.0 */
/* pass.c - the table of states, and what they share. */
#include "operator/internal.h"

#include "base/map.h"
#include "arm/id.h"
#include "azure/applied.h"
#include "kube/client.h"
#include "text/json/json.h"

static struct pass_step (*const states[STATE_COUNT])(struct pass *p) = {
    [STATE_LOOK] = state_look,       [STATE_REFRESH] = state_refresh, [STATE_CLAIM] = state_claim,
    [STATE_GATHER] = state_gather,   [STATE_READ] = state_read,       [STATE_JUDGE] = state_judge,
    [STATE_SEND] = state_send,       [STATE_NOTE] = state_note,       [STATE_FOLLOW] = state_follow,
    [STATE_SETTLE] = state_settle,   [STATE_EXPLAIN] = state_explain, [STATE_REMOVE] = state_remove,
    [STATE_RELEASE] = state_release, [STATE_SHAPE] = state_shape,     [STATE_CHECK] = state_check,
    [STATE_EXPORT] = state_export,   [STATE_LEARN] = state_learn,     [STATE_MASK] = state_mask,
};

struct pass_step state_run(struct pass *p)
{
    return states[p->state](p);
}

/* ---- Steps. ---------------------------------------------------------------------------------- */

struct pass_step step_to(enum state to)
{
    return (struct pass_step){.kind = STEP_TO, .to = to};
}

struct pass_step step_rest(int64_t delay)
{
    return (struct pass_step){.kind = STEP_REST, .delay = delay};
}

struct pass_step step_pause(int64_t delay)
{
    return (struct pass_step){.kind = STEP_PAUSE, .delay = delay};
}

static struct pass_step ask(struct pass *p, enum effect_kind kind, str url,
                            const struct value *body)
{
    struct buf b = buf_new(p->arena, BUF_UNLIMITED);
    bool ok = !body || json_write(&b, body, &json_exact, NULL);

    assert(ok);
    (void)ok;
    return (struct pass_step){.kind = STEP_ASK,
                              .effect = {.key = &p->card->key,
                                         .kind = kind,
                                         .url = url,
                                         .body = buf_str(&b),
                                         .account = p->account.key,
                                         .priority = p->priority}};
}

struct pass_step step_kube(struct pass *p, enum effect_kind kind, str path,
                           const struct value *body)
{
    return ask(p, kind, path, body);
}

struct pass_step step_arm(struct pass *p, enum effect_kind kind, str url, const struct value *body)
{
    return ask(p, kind, url, body);
}

struct pass_step step_explain(struct pass *p, const char *severity, const char *reason, str message)
{
    p->verdict = (struct verdict){.severity = str_c(severity),
                                  .reason = str_c(reason),
                                  .message = message,
                                  .rule = rules_retry(rules_errors(), STR("slow"))};
    return step_to(STATE_EXPLAIN);
}

struct pass_step step_wait(struct pass *p, const char *reason, str message)
{
    return step_wait_for(p, reason, message, 0);
}

struct pass_step step_wait_for(struct pass *p, const char *reason, str message, int64_t delay)
{
    struct pass_step step = step_explain(p, "Warning", reason, message);

    p->verdict.waits = true;
    p->verdict.retry = delay;
    return step;
}

struct pass_step step_refused(struct pass *p, str method, const struct cloud_error *error)
{
    const struct ext ext = pass_ext(p);
    const struct ext_input in = pass_ext_input(p);
    const struct error_facts facts = {.error = error,
                                      .method = method,
                                      .group = p->card->key.group,
                                      .kind = p->card->key.kind,
                                      .api_version = in.api_version};
    const struct error_verdict v = ext_classify(&ext, &in, rules_errors(), facts);
    bool fatal, throttled, healthy = p->card->well || status_was_ready(p->object);
    str text = cloud_error_text(p->arena, error);

    fatal = v.class == CLASS_FATAL && !object_is_deleting(p->object);
    throttled = v.effect == EFFECT_BUCKET;
    str reason = status_reason(p->arena, v.reason);
    if (!str_eq(reason, v.reason))
        text = str_fmt(p->arena, "%.*s (code \"%.*s\")", STR_ARG(text), STR_ARG(v.reason));
    p->verdict = (struct verdict){.severity = fatal       ? STR("Error")
                                              : throttled ? STR("Info")
                                                          : STR("Warning"),
                                  .reason = reason,
                                  .message = text,
                                  .rule = v.retry,
                                  .retry = error->retry_after > 0 ? error->retry_after : 0,
                                  /*
                                   * A read that fails now and then says nothing about the object.
                                   */
                                  .quiet = healthy && !fatal && !p->tried &&
                                           str_eq(method, STR("GET")) &&
                                           (!error->http || error->http >= 429),
                                  .class = fatal ? "fatal" : "retryable",
                                  .rules = v.rule,
                                  .request_id = p->request_id};
    return step_to(p->verdict.quiet ? STATE_EXPLAIN : STATE_MASK);
}

/* An account is named after its Secret, "namespace/name", unless it is the operator's own. */
static str rejected_credential(struct pass *p, str why)
{
    if (!str_contains(p->account.key, STR("/")))
        return str_fmt(p->arena, "the operator's own credential was rejected: %.*s", STR_ARG(why));
    return str_fmt(p->arena, "the credential of Secret \"%.*s\" was rejected: %.*s",
                   STR_ARG(p->account.key), STR_ARG(why));
}

struct pass_step step_answer_refused(struct pass *p, str method, const struct arm_answer *answer)
{
    struct cloud_error error;

    cloud_error_read(p->arena, answer->http, answer->body, &error);
    error.retry_after = answer->retry_after;
    if (!answer->http && answer->failure.len) {
        error.code = answer->denied ? STR("CredentialRejected") : STR(CLOUD_UNKNOWN);
        error.message = answer->denied ? rejected_credential(p, answer->failure) : answer->failure;
        error.understood = true;
    }
    return step_refused(p, method, &error);
}

/* ---- Answers. -------------------------------------------------------------------------------- */

const struct arm_answer *pass_answer(struct pass *p)
{
    const struct arm_answer *answer = p->answer;

    p->answer = NULL;
    if (answer && answer->request_id.len)
        p->request_id = str_copy(p->arena, answer->request_id); /* answers to polls do not last */
    return answer;
}

struct value *pass_read_json(struct pass *p, str text)
{
    struct source *src = ARENA_NEW(p->arena, struct source);
    struct value *v = NULL;

    src->text = text;
    return text.len && json_read(p->arena, src, NULL, &v, NULL) && value_is(v, VALUE_OBJECT) ? v
                                                                                             : NULL;
}

/* All that is left is to try again. */
static struct pass_step try_again(struct pass *p)
{
    p->card->attempt += p->card->attempt < 30;
    return step_rest((int64_t)p->card->attempt * 10 * NS_PER_SEC);
}

/*
 * The API server rejects what was written, and would do so again. What was done is remembered in
 * what can still be written: a status without what Azure returned, or a status without metadata.
 */
static struct pass_step rejected(struct pass *p, const struct arm_answer *answer)
{
    str why = value_get_str(pass_read_json(p, answer->body), STR("message"));

    if (p->state == STATE_RELEASE)
        return try_again(p);
    if (p->state == STATE_EXPLAIN) {
        bool with_body = p->body && !(p->rejects & REJECTS_BODY);
        p->rejects |= p->phase == 1 ? REJECTS_METADATA : with_body ? REJECTS_BODY : REJECTS_STATUS;
        if (!(p->rejects & REJECTS_STATUS))
            return step_to(STATE_EXPLAIN);
        explain_keep(p);
        return try_again(p);
    }
    if (p->state == STATE_SETTLE)
        p->rejects |= p->phase == 1 ? 0 : REJECTS_BODY;
    if (p->state == STATE_NOTE && str_eq(p->operation.method, STR("PUT"))) {
        p->sent = true; /* and looked for without its token */
        settle_remember_payload(p);
    }
    return step_explain(p, "Warning", "Failed",
                        str_fmt(p->arena, "the API server rejects a write: %.*s", STR_ARG(why)));
}

bool pass_wrote(struct pass *p, const struct arm_answer *answer, struct pass_step *otherwise)
{
    struct value *object = answer->http == 200 ? pass_read_json(p, answer->body) : NULL;

    if (object) {
        p->object = object;
        p->card->version = object_version(object);
        p->card->unsure = false;
        return true;
    }
    /*
     * It is gone, or somebody else has written: the next look will show. There is nowhere to report
     * it.
     */
    *otherwise = step_rest(answer->http == 409 ? NS_PER_SEC / 10 : 5 * NS_PER_SEC);
    /* After a conflict the cache is outdated: wait for it instead of trying again and again. */
    p->card->unsure = !answer->http || answer->http == 200 || answer->http >= 500 ||
                      answer->http == 409;
    if (answer->http >= 400 && answer->http < 500 && answer->http != 404 && answer->http != 409)
        *otherwise = rejected(p, answer);
    if (answer->http == 404)
        *otherwise = (struct pass_step){.kind = STEP_FORGET};
    return false;
}

/* ---- The object. ----------------------------------------------------------------------------- */

static void add_need(struct pass *p, str text)
{
    if (str_list_has(&p->needs, text))
        return;
    VEC_PUSH(p->arena, &p->needs, text);
    p->needs_changed = true;
}

void pass_need(struct pass *p, const struct object_key *key)
{
    add_need(p, object_key_text(p->arena, key));
}

void pass_export(struct pass *p, const struct object_key *key)
{
    add_need(p, graph_export(p->arena, object_key_text(p->arena, key)));
}

void pass_exported(struct pass *p, const struct object_key *key, uint64_t version)
{
    struct exported exported = {graph_export(p->arena, object_key_text(p->arena, key)), version};

    VEC_PUSH(p->arena, &p->exported, exported);
}

/* ---- What the user wants, and as whom. ------------------------------------------------------- */

enum policy pass_policy_of(struct pass *p, const struct value *object)
{
    struct object_key key = {.kind = STR("Namespace"), .name = p->card->key.namespace};

    if (object_annotation(object, STR(ANNOTATION_POLICY)).len)
        return meta_policy(p->config, object, NULL);
    pass_need(p, &key);
    return meta_policy(p->config, object, p->ports->find(p->ports->ctx, p->arena, &key));
}

enum policy pass_policy(struct pass *p)
{
    return pass_policy_of(p, p->object);
}

bool pass_account(struct pass *p, struct pass_step *otherwise)
{
    AUTO_ERR e = {0};

    p->account = (struct account){.key = STR("global"),
                                  .subscription = p->config->subscription,
                                  .endpoint = p->config->endpoint};
    if (!p->ports->account)
        return true;
    enum account_state state =
        p->ports->account(p->ports->ctx, p->arena, p->object, &p->account, &e);
    for (size_t i = 0; i < p->account.need_count; i++)
        pass_need(p, &p->account.needs[i]);
    if (state == ACCOUNT_READY)
        return true;
    if (state == ACCOUNT_MISSING) {
        *otherwise = step_wait(p, "Failed", str_copy(p->arena, e.text));
        return false;
    }
    p->card->waits = true;
    *otherwise = step_rest(STEP_NEVER);
    return false;
}

void pass_report(struct pass *p, bool warning, const char *action, str reason, str message)
{
    const struct report report = {.key = &p->card->key,
                                  .object = p->object,
                                  .warning = warning,
                                  .action = action,
                                  .reason = reason,
                                  .message = status_without_secrets(p, message)};

    if (p->ports->log)
        p->ports->log(p->ports->ctx, &report);
    if (p->ports->event)
        p->ports->event(p->ports->ctx, &report);
}

str pass_id(const struct pass *p)
{
    str id = object_annotation(p->object, STR(ANNOTATION_RESOURCE_ID));

    /* Somebody removed the annotation, and it will not be claimed again. */
    if (!id.len && object_is_deleting(p->object))
        id = memory_text(p, "claimedId");
    return id;
}

str pass_url_of(struct pass *p, str id, str api_version)
{
    return str_concat(p->arena, p->account.endpoint, ext_path(p->arena, id, STR_NONE, api_version));
}

str pass_url(struct pass *p)
{
    return pass_url_of(p, pass_id(p), p->resource->api_version);
}

/* ---- What may be asked. ---------------------------------------------------------------------- */

bool pass_in_scope(const struct pass *p, str id)
{
    for (size_t i = 0; i < p->config->scope_count; i++) {
        str scope = str_without_suffix(p->config->scopes[i], STR("/"));
        if (id.len >= scope.len && str_eq_fold(str_slice(id, 0, scope.len), scope) &&
            (id.len == scope.len || id.ptr[scope.len] == '/'))
            return true;
    }
    return !p->config->scope_count;
}

struct pass_step step_out_of_scope(struct pass *p, str id)
{
    return step_explain(p, object_is_deleting(p->object) ? "Warning" : "Error", "ScopeNotAllowed",
                        str_fmt(p->arena,
                                "%.*s is outside of the scopes that this operator may use "
                                "(--allow-scope)",
                                STR_ARG(id)));
}

bool pass_is_of_kind(struct pass *p, str id, struct pass_step *otherwise)
{
    struct arm_id parsed;

    if (arm_id_parse(p->arena, id, &parsed, NULL) &&
        str_eq_fold(arm_id_type(p->arena, &parsed), p->resource->arm_type))
        return true;
    *otherwise = step_explain(
        p, object_is_deleting(p->object) ? "Warning" : "Error", "InvalidResourceId",
        str_fmt(p->arena,
                "\"%.*s\" is not the id of a %.*s, so nothing is sent to it: remove annotation "
                "" ANNOTATION_RESOURCE_ID ", or set " ANNOTATION_POLICY " to \"detach-on-delete\" "
                "to let the object go",
                STR_ARG(str_slice(id, 0, 512)), STR_ARG(p->resource->arm_type)));
    return false;
}

bool pass_may_ask(struct pass *p, struct pass_step *otherwise)
{
    struct arm_id id;

    /* Annotations are the user's: one must not lead to what only other kinds may write. */
    if (!pass_is_of_kind(p, pass_id(p), otherwise))
        return false;
    if (!pass_in_scope(p, pass_id(p))) {
        *otherwise = step_out_of_scope(p, pass_id(p));
        return false;
    }
    if (!arm_id_parse(p->arena, pass_id(p), &id, NULL) || !id.subscription.len ||
        str_eq_fold(id.subscription, p->account.subscription))
        return true;
    *otherwise = step_explain(
        p, object_is_deleting(p->object) ? "Warning" : "Error", "SubscriptionMismatch",
        str_fmt(p->arena, "%.*s is not in subscription %.*s, which the credential is for",
                STR_ARG(pass_id(p)), STR_ARG(p->account.subscription)));
    return false;
}

/* ---- The name in Azure. ---------------------------------------------------------------------- */

/* Whether two looks could find two names. */
static bool name_is_fleeting(const struct pass *p)
{
    const struct value *spec = value_get(p->object, STR("spec"));
    const struct model_prop *config =
        model_prop_of_role(p->resource->spec, ROLE_AZURE_NAME_FROM_CONFIG);

    if (!p->resource->has_name || value_get_str(spec, STR("azureName")).len)
        return false;
    return (config && value_is(value_get(spec, config->name), VALUE_OBJECT)) ||
           (p->resource->uuid_name &&
            str_eq_fold(
                value_get_str(value_get(spec, STR("operatorSpec")), STR("namingConvention")),
                STR("random")));
}

const struct value *pass_with_name(struct pass *p, const struct value *object)
{
    str claimed = pass_id(p).len ? pass_id(p) : memory_text(p, "claimedId");
    str name = object_annotation(p->object, STR(ANNOTATION_AZURE_NAME));
    struct arm_id id;

    if (!name_is_fleeting(p))
        return object;
    if (!name.len && claimed.len && arm_id_parse(p->arena, claimed, &id, NULL))
        name = arm_id_name(&id);
    if (!name.len)
        return object;
    struct value *named = value_clone(p->arena, object);
    value_set_str(p->arena, value_get(named, STR("spec")), STR("azureName"), name);
    return named;
}

const struct value *pass_named_object(struct pass *p)
{
    return pass_with_name(p, p->object);
}

str pass_path_of(struct pass *p, str api_version, str plural, const struct object_key *key)
{
    struct kube_resource resource = {.version = api_version, .name = plural};
    const struct kube_call call = {
        .resource = &resource, .namespace = key->namespace, .name = key->name};
    str group, version;

    if (str_cut(api_version, STR("/"), &group, &version)) {
        resource.group = group;
        resource.version = version;
    }
    return kube_call_path(p->arena, &call);
}

str pass_path(struct pass *p, const char *sub)
{
    str path = pass_path_of(p, value_get_str(p->object, STR("apiVersion")), p->resource->plural,
                            &p->card->key);

    return str_concat(p->arena, path, str_c(sub));
}

str pass_plain_path(struct pass *p, str kind, str namespace, str name)
{
    const struct object_key key = {.namespace = namespace, .name = name};
    bool secret = str_eq(kind, STR("Secret"));

    return pass_path_of(p, STR("v1"), secret ? STR("secrets") : STR("configmaps"), &key);
}

bool pass_resource(struct pass *p, struct pass_step *otherwise)
{
    struct applied applied;
    AUTO_ERR e = {0};

    if (!model_find_hub(p->config->model, p->card->key.group, p->card->key.kind, &p->hub, &e)) {
        *otherwise = (struct pass_step){.kind = STEP_FORGET};
        return false;
    }
    p->resource = p->hub; /* for the explanation */
    if (!applied_version(p->config->model, p->object, &applied, &e)) {
        *otherwise = step_explain(p, "Error", "Failed", str_copy(p->arena, e.text));
        return false;
    }
    p->resource = applied.resource;
    return true;
}

bool pass_owner(struct pass *p, const struct value **out, struct object_key *key)
{
    const struct value *owner = value_get(value_get(p->object, STR("spec")), STR("owner"));
    const struct reference_rule rule = owner_rule(p->resource);
    struct reference ref;

    if (!p->resource->has_owner || !owner || !reference_read(owner, &rule, NULL, &ref, NULL) ||
        ref.form != REFERENCE_OBJECT)
        return false;
    *key = reference_key(&ref, p->card->key.namespace);
    *out = p->ports->find(p->ports->ctx, p->arena, key);
    return true;
}
