/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.c - gathers everything that the payload is made from, and makes the payload.
 *
 * The conversion finds out what is needed: if it asks for a Secret that has not been read, the
 * state reads it by name and converts again. The graph wakes the object when something missing
 * appears; nothing is polled.
 */
#include "operator/internal.h"

#include "base/map.h"
#include "arm/id.h"
#include "azure/applied.h"
#include "go/time.h"
#include "text/codec.h"

/* How far clocks of different machines may differ. */
#define CLOCKS_DIFFER (60 * NS_PER_SEC)

/* ---- The resolver. --------------------------------------------------------------------------- */

static bool find_object(void *ctx, struct arena *a, const struct object_key *key,
                        const struct value **out, struct err *e)
{
    struct pass *p = ctx;

    (void)a;
    pass_need(p, key);
    p->missing_reason = STR("ReferenceNotFound");
    *out = p->ports->find(p->ports->ctx, p->arena, key);
    return *out || err_set(e, ERR_NOT_FOUND, "%.*s \"%.*s\" does not exist yet", STR_ARG(key->kind),
                           STR_ARG(key->name));
}

/* Finds a Secret or ConfigMap; if it was not read yet, the state reads it and calls this again. */
static bool find_plain(struct pass *p, const char *kind, str namespace, str name,
                       const struct value **out, struct err *e)
{
    struct object_key key = {.kind = str_c(kind), .namespace = namespace, .name = name};
    str text = object_key_text(p->arena, &key);

    pass_need(p, &key);
    p->missing_reason = str_fmt(p->arena, "%sNotFound", kind);
    if (!p->known)
        p->known = map_new(p->arena);
    if (!map_has(p->known, text)) {
        p->unread_key = text;
        p->unread = pass_plain_path(p, key.kind, namespace, name);
    }
    *out = map_get(p->known, text);
    return *out || err_set(e, ERR_NOT_FOUND, "%s \"%.*s\" does not exist yet", kind, STR_ARG(name));
}

static bool no_key(const char *kind, str name, str key, struct err *e)
{
    return err_set(e, ERR_NOT_FOUND, "%s \"%.*s\" has no key \"%.*s\" yet", kind, STR_ARG(name),
                   STR_ARG(key));
}

static bool decode(struct arena *a, const struct value *coded, str name, str *out, struct err *e)
{
    size_t bad;

    return base64_decode(a, value_str(coded), out, &bad) ||
           err_set(e, ERR_INVALID, "Secret \"%.*s\": the value of \"%.*s\" is not base64",
                   STR_ARG(name), STR_ARG(value_key(coded)));
}

static bool find_secret(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                        struct err *e)
{
    const struct value *secret, *coded;

    if (!find_plain(ctx, "Secret", namespace, name, &secret, e))
        return false;
    if (!(coded = value_get(value_get(secret, STR("data")), key)))
        return no_key("Secret", name, key, e);
    if (!decode(a, coded, name, out, e))
        return false;
    mask_value(ctx, *out);
    return true;
}

static bool find_secret_map(void *ctx, struct arena *a, str namespace, str name,
                            const struct value **out, struct err *e)
{
    struct value *all = value_object(a);
    const struct value *secret, *data;
    str text;

    if (!find_plain(ctx, "Secret", namespace, name, &secret, e))
        return false;
    data = value_get(secret, STR("data"));
    for (size_t i = 0; i < value_len(data); i++) {
        if (!decode(a, &data->items[i], name, &text, e))
            return false;
        mask_value(ctx, text);
        value_set_str(a, all, value_key(&data->items[i]), text);
    }
    *out = all;
    return true;
}

static bool find_config(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                        struct err *e)
{
    const struct value *config, *v;

    (void)a;
    if (!find_plain(ctx, "ConfigMap", namespace, name, &config, e))
        return false;
    v = value_get(value_get(config, STR("data")), key);
    *out = value_str(v);
    return v || no_key("ConfigMap", name, key, e);
}

struct resolver gather_resolver(struct pass *p)
{
    return (struct resolver){.model = p->config->model,
                             .rules = p->config->rules,
                             .subscription = p->account.subscription,
                             .ctx = p,
                             .object = find_object,
                             .secret = find_secret,
                             .config = find_config,
                             .secret_map = find_secret_map};
}

/* ---- The state. ------------------------------------------------------------------------------ */

bool gather_take(struct pass *p, const struct arm_answer *answer, struct pass_step *otherwise)
{
    if (answer->http != 200 && answer->http != 404) {
        *otherwise = step_explain(
            p, "Warning", "Failed",
            str_fmt(p->arena, "%.*s cannot be read (status %d)", STR_ARG(p->unread), answer->http));
        return false;
    }
    map_set(p->known, p->unread_key, answer->http == 200 ? pass_read_json(p, answer->body) : NULL);
    return true;
}

/* A claim is permanent: the object must still refer to what was claimed. */
static bool is_as_claimed(struct pass *p, struct pass_step *otherwise)
{
    const struct resolver resolver = gather_resolver(p);
    str id;

    /* What is missing is reported by the conversion, together with everything else. */
    if (!resolve_id(p->arena, &resolver, p->resource, pass_named_object(p), NULL, &id, NULL) ||
        arm_id_equal(id, pass_id(p)))
        return true;
    *otherwise = step_explain(
        p, "Error", "ImmutableField",
        str_fmt(p->arena,
                "the object now means %.*s, but it was claimed as %.*s: the name in Azure and the "
                "owner cannot change; undo the change, or delete the object and create another",
                STR_ARG(id), STR_ARG(pass_id(p))));
    return false;
}

static bool convert(struct pass *p, struct err *e)
{
    const struct resolver resolver = gather_resolver(p);
    const struct value *as_applied;
    struct applied applied;

    p->unread = STR_NONE;
    p->missing_reason = STR_NONE;
    if (!applied_object(p->arena, p->config->model, p->object, &applied, &as_applied, e))
        return false;
    /* The resumed operation was for an older spec: start over. */
    if (p->sent && p->generation != object_generation(p->object))
        p->sent = p->tried = false;
    p->generation = object_generation(p->object);
    p->applied = pass_with_name(p, as_applied);
    return convert_to_arm(p->arena, &resolver, applied.resource, p->applied, NULL, &p->request, e);
}

/*
 * The resumed operation has ended, but was for another payload: a Secret has changed meanwhile.
 * What is in Azure is known, so there is a cause to write.
 */
static void compare_with_sent(struct pass *p)
{
    str sent = object_annotation(p->object, STR(ANNOTATION_POLL_DIGEST)), key, rest;

    if (!p->sent || !str_cut(sent, STR(":"), &key, &rest) || !str_has_prefix(p->digest, key) ||
        str_eq(sent, p->digest))
        return;
    p->sent = false;
    p->card->put = 0;
    memory_set_text(p, "payloadDigest", sent);
}

/* Reports everything that is missing in one message; the reason is that of the first. */
static struct pass_step missing(struct pass *p, const struct err *e)
{
    const struct missing *m = &p->request.missing;
    struct buf text = buf_new(p->arena, 16 * KIB);
    const char *reason = "ReferenceNotFound";

    if (!m->len)
        return step_wait(p, p->missing_reason.len ? str_z(p->arena, p->missing_reason) : reason,
                         str_copy(p->arena, e->text));
    for (size_t i = 0; i < m->len; i++)
        buf_fmt(&text, "%s%.*s", i ? "; " : "", STR_ARG(m->items[i].text));
    buf_add(&text, STR("; this continues as soon as everything is there"));
    if (str_eq(m->items[0].object.kind, STR("Secret")) && !m->items[0].object.group.len)
        reason = "SecretNotFound";
    if (str_eq(m->items[0].object.kind, STR("ConfigMap")) && !m->items[0].object.group.len)
        reason = "ConfigMapNotFound";
    return step_wait(p, reason, buf_str(&text));
}

/* ---- References. ----------------------------------------------------------------------------- */

/* Whether it exists in Azure, according to its object. */
static bool is_there(const struct value *target)
{
    return status_was_ready(target) ||
           value_get_str(value_get(value_get(target, STR("status")), STR("operatorStatus")),
                         STR("payloadDigest"))
               .len;
}

/*
 * How long to wait for a target that is not Ready: only before the first PUT of a generation, and
 * not forever, since two objects may refer to each other.
 */
static int64_t patience(const struct pass *p)
{
    static const char *const before[] = {
        "Pending",           "Reconciling",    "WaitingForOwner",  "WaitingForCredential",
        "ReferenceNotFound", "SecretNotFound", "ConfigMapNotFound"};
    struct condition c;
    struct gotime since;

    if (!condition_get(value_get(p->object, STR("status")), STR("Ready"), &c) ||
        c.generation != object_generation(p->object))
        return p->config->patience;
    for (size_t i = 0; i < COUNT(before); i++)
        if (str_eq(c.reason, str_c(before[i])))
            return p->config->patience;
    if (!str_eq(c.reason, STR("WaitingForReference")) ||
        !gotime_parse(p->arena, STR(GOTIME_RFC3339), c.since, NULL, &since, NULL))
        return 0;
    int64_t waited = p->now - since.sec * NS_PER_SEC;
    /* If the clock was set back, the waiting time is unknown: do not wait any longer. */
    return waited < -CLOCKS_DIFFER ? 0 : p->config->patience - waited;
}

/* However it is spelled, and whatever the referenced object claims to be. */
static bool is_reference_in_scope(struct pass *p, const struct need *n, struct pass_step *otherwise)
{
    const struct resolver resolver = gather_resolver(p);
    str id;

    if (n->reference.form == REFERENCE_WELL_KNOWN ||
        !resolve_reference(p->arena, &resolver, p->applied, &n->reference, pass_id(p), &id, NULL) ||
        pass_in_scope(p, id))
        return true;
    *otherwise = step_out_of_scope(p, id);
    return false;
}

static bool references_are_there(struct pass *p, struct pass_step *otherwise)
{
    struct buf waits = buf_new(p->arena, 16 * KIB);
    struct needs needs = {0};
    int64_t left;

    needs_of(p->arena, p->resource, p->applied, &needs);
    for (size_t i = 0; i < needs.len; i++) {
        const struct need *n = &needs.items[i];
        if (n->kind != NEED_REFERENCE)
            continue;
        if (!is_reference_in_scope(p, n, otherwise))
            return false;
        if (!need_is_in_cluster(n))
            continue;
        const struct value *target = p->ports->find(p->ports->ctx, p->arena, &n->object);
        if (target && !is_there(target))
            buf_fmt(&waits, "%s%.*s \"%.*s\" is not Ready yet", waits.len ? "; " : "",
                    STR_ARG(n->object.kind), STR_ARG(n->object.name));
    }
    if (!waits.len || (left = patience(p)) <= 0)
        return true;
    buf_fmt(&waits, "; this is sent as soon as all are Ready, and after %lld minutes in any case",
            (long long)(p->config->patience / (60 * NS_PER_SEC)));
    *otherwise = step_wait_for(p, "WaitingForReference", buf_str(&waits), left);
    return false;
}

struct pass_step state_gather(struct pass *p)
{
    const struct arm_answer *answer = pass_answer(p);
    struct pass_step otherwise;
    AUTO_ERR e = {0};

    if (answer && !gather_take(p, answer, &otherwise))
        return otherwise;
    if (!pass_may_ask(p, &otherwise) || !is_as_claimed(p, &otherwise))
        return otherwise;
    if (!convert(p, &e)) {
        if (p->unread.len)
            return step_kube(p, KUBE_GET, p->unread, NULL);
        if (e.kind == ERR_NOT_FOUND)
            return missing(p, &e);
        return step_explain(p, "Error", "Failed", str_copy(p->arena, e.text));
    }
    p->needs_complete = true;
    p->digest = memory_digest(p, p->request.body);
    compare_with_sent(p);
    if (!p->sent && !references_are_there(p, &otherwise))
        return otherwise;
    /* The answer shows more than that nothing has changed. */
    if (p->ungathered) {
        p->ungathered = false;
        return step_to(STATE_SHAPE);
    }
    return step_to(STATE_READ);
}
