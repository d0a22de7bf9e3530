/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ext_export.c - what is exported to Secrets and ConfigMaps.
 *
 * A kind's rules list its secrets and where each comes from; operatorSpec.secrets says which of
 * them are wanted, and where they go. A call is made only if something wanted comes from it. Values
 * for ConfigMaps are members of the status, according to the model.
 */
#include "operator/ext_internal.h"

#include "arm/id.h"
#include "azure/convert/convert.h"
#include "text/codec.h"

/* The most pages that are read. */
#define PAGES_MAX 100

static const struct value *wanted(const struct ext_input *in, const char *what)
{
    const struct value *spec = value_get(in->object, STR("spec"));

    return value_get(value_get(spec, STR("operatorSpec")), str_c(what));
}

struct exporting {
    const struct ext_input *in;
    const struct kind_rules *rules;
    VEC(struct ext_request) requests;    /* all so far, answered or not */
    VEC(const struct kind_call *) calls; /* for each request, what it is about */
    VEC(struct ext_export) items;
    str fault;
};

/* ---- Requests. ------------------------------------------------------------------------------- */

static bool is_wanted(const struct exporting *x, const struct kind_call *call)
{
    for (size_t i = 0; i < x->rules->secrets.len; i++)
        if (x->rules->secrets.items[i].call == call &&
            value_get(wanted(x->in, "secrets"), x->rules->secrets.items[i].name))
            return true;
    return false;
}

static void add_request(struct exporting *x, const struct kind_call *call,
                        struct ext_request request)
{
    request.harmless = true;
    VEC_PUSH(x->in->arena, &x->requests, request);
    VEC_PUSH(x->in->arena, &x->calls, call);
}

static void add_calls(struct exporting *x)
{
    for (size_t i = 0; i < x->rules->calls.len; i++) {
        const struct kind_call *call = &x->rules->calls.items[i];
        str version = call->api_version.len ? call->api_version : x->in->api_version;
        str url = ext_path(x->in->arena, x->in->id, call->action, version);
        if (is_wanted(x, call))
            add_request(x, call, (struct ext_request){.method = STR("POST"), .url = url});
    }
}

/* Requests the next page of each answer that has one. False if an answer is invalid. */
static bool add_pages(struct exporting *x)
{
    for (size_t i = 0; i < x->requests.len && i < x->in->answer_count; i++) {
        const struct arm_answer *answer = &x->in->answers[i];
        const struct value *body = ext_body(x->in, answer);
        str next = value_get_str(body, STR("nextLink"));
        if (answer->http < 200 || answer->http > 299 || !body) {
            struct decision refused =
                decision_refused(x->in, str_z(x->in->arena, x->calls.items[i]->action), answer);
            x->fault = refused.message;
            return false;
        }
        if (x->calls.items[i]->pages && next.len && x->requests.len < PAGES_MAX)
            add_request(x, x->calls.items[i],
                        (struct ext_request){.method = STR("GET"), .url = next});
    }
    return true;
}

/* ---- Values. --------------------------------------------------------------------------------- */

static bool is_element(const struct value *element, const struct value *where)
{
    for (size_t i = 0; i < where->len; i++) {
        const struct value *found = value_get(element, value_key(&where->items[i]));
        if (!str_eq(value_text(found), value_text(&where->items[i])))
            return false;
    }
    return true;
}

static str text_at(const struct kind_secret *secret, const struct value *body)
{
    const struct value *list = path_resolve(&secret->list, body);

    if (!secret->where)
        return value_text(path_resolve(&secret->at, body));
    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++)
        if (is_element(&list->items[i], secret->where))
            return value_text(path_resolve(&secret->at, &list->items[i]));
    return STR_NONE;
}

static str find_text(const struct exporting *x, const struct kind_secret *secret)
{
    struct arm_id id;
    str text = STR_NONE;

    if (secret->subscription)
        return arm_id_parse(x->in->arena, x->in->id, &id, NULL) ? id.subscription : STR_NONE;
    if (!secret->call)
        return text_at(secret, x->in->body);
    for (size_t i = 0; !text.len && i < x->calls.len; i++)
        if (x->calls.items[i] == secret->call)
            text = text_at(secret, ext_body(x->in, &x->in->answers[i]));
    return text;
}

static bool add_item(struct exporting *x, str member, const struct value *to, str text)
{
    struct ext_export item = {.object = value_get_str(to, STR("name")),
                              .key = value_get_str(to, STR("key")),
                              .value = text,
                              .annotations = value_get(to, STR("annotations")),
                              .labels = value_get(to, STR("labels")),
                              .member = member};

    VEC_PUSH(x->in->arena, &x->items, item);
    return true;
}

static bool fail(struct exporting *x, const char *what, str member)
{
    x->fault = str_fmt(x->in->arena, "operatorSpec.secrets.%.*s: %s", STR_ARG(member), what);
    return false;
}

static bool add_secret(struct exporting *x, const struct kind_secret *secret)
{
    const struct value *to = value_get(wanted(x->in, "secrets"), secret->name);
    size_t bad;
    str text;

    if (!value_is(to, VALUE_OBJECT))
        return true;
    text = find_text(x, secret);
    if (!text.len)
        return secret->optional || fail(x, "Azure returned no value", secret->name);
    if (secret->base64 && !base64_decode(x->in->arena, text, &text, &bad))
        return fail(x, "the value that Azure returned is not base64", secret->name);
    return add_item(x, secret->name, to, text);
}

struct ext_exports rules_secrets(const struct kind_rules *rules, const struct ext_input *in)
{
    struct exporting x = {.in = in, .rules = rules};

    add_calls(&x);
    if (!add_pages(&x))
        return (struct ext_exports){.fault = x.fault};
    if (x.requests.len > in->answer_count)
        return (struct ext_exports){.requests = x.requests.items + in->answer_count,
                                    .request_count = x.requests.len - in->answer_count};
    for (size_t i = 0; i < rules->secrets.len; i++)
        if (!add_secret(&x, &rules->secrets.items[i]))
            return (struct ext_exports){.fault = x.fault};
    return (struct ext_exports){.items = x.items.items, .count = x.items.len};
}

/* ---- ConfigMaps. ----------------------------------------------------------------------------- */

struct ext_exports model_configs(const struct ext_input *in)
{
    const struct value *to = wanted(in, "configMaps"), *status;
    const struct value *from = in->resource ? in->resource->config_maps : NULL;
    struct exporting x = {.in = in};

    if (!value_len(to) || !from || !in->body)
        return (struct ext_exports){0};
    status = convert_to_status(in->arena, in->resource, in->body);
    for (size_t i = 0; i < to->len; i++) {
        str path_text = value_get_str(from, value_key(&to->items[i]));
        struct path path;
        str text = STR_NONE;
        if (path_parse_dotted(in->arena, str_without_prefix(path_text, STR("status.")), &path,
                              NULL))
            text = value_text(path_resolve(&path, status));
        /* A member that Azure does not show yet is exported in a later pass. */
        if (text.len)
            add_item(&x, value_key(&to->items[i]), &to->items[i], text);
    }
    return (struct ext_exports){.items = x.items.items, .count = x.items.len};
}
