/* SPDX-License-Identifier: Apache-2.0 */
/* ext.c - the points at which a kind may be special: generic decision, rules, hook. */
#include "operator/ext_internal.h"

#include "text/json/json.h"
#include "text/url.h"

/* ---- Looking up. ----------------------------------------------------------------------------- */

static const struct azure_ext *find_hooks(const struct azure_ext *const *all, str group, str kind)
{
    str own_group, own_kind;

    for (; *all; all++)
        if (str_cut(str_c((*all)->kind), STR("/"), &own_group, &own_kind) &&
            str_eq(own_group, group) && str_eq(own_kind, kind))
            return *all;
    return NULL;
}

struct ext ext_find(const struct kind_set *rules, const struct azure_ext *const *hooks, str group,
                    str kind)
{
    return (struct ext){.rules = kind_rules_find(rules, group, kind),
                        .hooks = find_hooks(hooks ? hooks : azure_exts, group, kind)};
}

bool ext_asks_owner(const struct ext *x)
{
    return x->rules && x->rules->owner.len;
}

/* ---- Decisions. ------------------------------------------------------------------------------ */

struct decision decision_go(struct value *value)
{
    return (struct decision){.kind = DECISION_GO, .value = value};
}

struct decision decision_ask(const char *method, str url, struct value *body)
{
    return (struct decision){.kind = DECISION_ASK,
                             .request = {.method = str_c(method),
                                         .url = url,
                                         .body = body,
                                         .harmless = str_eq(str_c(method), STR("GET"))}};
}

struct decision decision_block(str message)
{
    return (struct decision){
        .kind = DECISION_BLOCK, .severity = STR("Warning"), .message = message};
}

struct decision decision_refused(const struct ext_input *in, const char *what,
                                 const struct arm_answer *answer)
{
    struct cloud_error error;

    cloud_error_read(in->arena, answer->http, answer->body, &error);
    return decision_block(str_fmt(in->arena, "%s: %.*s: %.*s", what, STR_ARG(error.code),
                                  STR_ARG(cloud_error_text(in->arena, &error))));
}

/* A block without a reason gets that of its point. */
static struct decision decide(ext_decide *hook, const struct ext_input *in, struct decision next,
                              const char *reason)
{
    struct decision d = hook ? hook(in, next) : next;

    if (d.kind == DECISION_BLOCK && !d.reason.len)
        d.reason = str_c(reason);
    if (d.kind == DECISION_BLOCK && !d.severity.len)
        d.severity = STR("Warning");
    return d;
}

#define HOOK(x, point) ((x)->hooks ? (x)->hooks->point : NULL)

/* ---- The points. ----------------------------------------------------------------------------- */

struct decision ext_claim(const struct ext *x, const struct ext_input *in)
{
    return decide(HOOK(x, claim), in, decision_go(NULL), "Failed");
}

struct decision ext_payload(const struct ext *x, const struct ext_input *in)
{
    struct decision next = decision_go((struct value *)in->payload);

    if (x->rules)
        next = rules_payload(x->rules, in);
    return decide(HOOK(x, payload), in, next, "Failed");
}

struct decision ext_owner_check(const struct ext *x, const struct ext_input *in)
{
    struct decision next = decision_go(NULL);

    if (x->rules)
        next = rules_gates(&x->rules->owner, in, in->owner);
    return decide(HOOK(x, owner_check), in, next, "ReconciliationBlocked");
}

struct decision ext_check(const struct ext *x, const struct ext_input *in)
{
    struct decision next = decision_go(NULL);

    if (x->rules)
        next = rules_gates(&x->rules->send, in, in->body);
    return decide(HOOK(x, check), in, next, "ReconciliationBlocked");
}

struct decision ext_before_compare(const struct ext *x, const struct ext_input *in)
{
    struct decision next = decision_go((struct value *)in->payload);

    next.found = (struct value *)in->body;
    return decide(HOOK(x, before_compare), in, next, "Failed");
}

struct differences ext_after_compare(const struct ext *x, const struct ext_input *in,
                                     struct differences next)
{
    return HOOK(x, after_compare) ? x->hooks->after_compare(in, next) : next;
}

struct error_verdict ext_classify(const struct ext *x, const struct ext_input *in,
                                  const struct rules *general, struct error_facts facts)
{
    struct error_verdict next;

    facts.own = x->rules;
    rules_classify(in->arena, general, &facts, &next);
    return HOOK(x, classify) ? x->hooks->classify(in, facts.error, next) : next;
}

struct decision ext_post_check(const struct ext *x, const struct ext_input *in)
{
    struct decision next = decision_go((struct value *)in->body);

    if (x->rules) {
        struct decision gates = rules_gates(&x->rules->ready, in, in->body);
        next.value = rules_trim(x->rules, in);
        gates.value = next.value;
        next = gates;
    }
    return decide(HOOK(x, post_check), in, next, "PostReconciliationFailure");
}

struct ext_exports ext_secrets(const struct ext *x, const struct ext_input *in)
{
    struct ext_exports next = {0};

    if (x->rules)
        next = rules_secrets(x->rules, in);
    return HOOK(x, secrets) ? x->hooks->secrets(in, next) : next;
}

struct ext_exports ext_configs(const struct ext *x, const struct ext_input *in)
{
    struct ext_exports next = model_configs(in);

    return HOOK(x, configs) ? x->hooks->configs(in, next) : next;
}

struct decision ext_success(const struct ext *x, const struct ext_input *in)
{
    return decide(HOOK(x, success), in, decision_go(NULL), "Failed");
}

struct decision ext_delete(const struct ext *x, const struct ext_input *in)
{
    struct decision next = decision_go(NULL);

    next.request =
        (struct ext_request){.method = STR("DELETE"), .url = rules_delete_url(x->rules, in)};
    return decide(HOOK(x, delete), in, next, "Failed");
}

struct decision ext_import(const struct ext *x, const struct ext_input *in)
{
    return decide(HOOK(x, import), in, decision_go((struct value *)in->object), "Failed");
}

/* ---- For hooks. ------------------------------------------------------------------------------ */

const struct arm_answer *ext_answer(const struct ext_input *in, size_t i)
{
    return i < in->answer_count ? &in->answers[i] : NULL;
}

struct value *ext_body(const struct ext_input *in, const struct arm_answer *answer)
{
    struct source *src = ARENA_NEW(in->arena, struct source);
    struct value *v = NULL;

    src->text = answer->body;
    if (!answer->body.len || !json_read(in->arena, src, NULL, &v, NULL))
        return NULL;
    return value_is(v, VALUE_OBJECT) ? v : NULL;
}

static void add_escaped(struct buf *b, str path)
{
    str part, rest = path;

    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &part, &rest);
        url_path_escape(b, part);
        if (more)
            buf_char(b, '/');
    }
}

str ext_path(struct arena *a, str id, str sub, str api_version)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    add_escaped(&b, id);
    if (sub.len) {
        buf_char(&b, '/');
        add_escaped(&b, sub);
    }
    buf_fmt(&b, "?api-version=%.*s", STR_ARG(api_version));
    return buf_str(&b);
}

bool ext_url(struct arena *a, str endpoint, const struct ext_request *request, str *out)
{
    if (str_has_prefix(request->url, STR("/"))) {
        *out = str_concat(a, endpoint, request->url);
        return true;
    }
    *out = request->url;
    return lro_is_home(request->url, endpoint);
}
