/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind.c - reads the file of a kind, as strictly as read.c reads the general rules: every key must
 * be known and every value of the right type.
 */
#include "arm/rules/internal.h"

#include "text/json/json.h"

/* No real file comes near this; it keeps a malicious one from using up all memory. */
#define KIND_RULES_MAX 1000

static bool read_path(struct fields *f, const struct value *v, void *out)
{
    if (!value_str(v).len)
        return fields_fail(f, v, "%.*s must be a path, as properties.state", STR_ARG(value_key(v)));
    return path_parse_dotted(f->arena, value_str(v), out, f->e) ||
           err_at(f->e, source_where(f->source, v));
}

/* An object of texts. */
static bool read_map(struct fields *f, const struct value *v, void *out)
{
    if (!value_is(v, VALUE_OBJECT) || !v->len)
        return fields_fail(f, v, "%.*s must be an object of texts", STR_ARG(value_key(v)));
    for (size_t i = 0; i < v->len; i++)
        if (!value_is(&v->items[i], VALUE_STRING))
            return fields_fail(f, &v->items[i], "%.*s must hold texts only", STR_ARG(value_key(v)));
    return fields_any(f, v, out);
}

static bool check_list(struct fields *f, const struct value *v, enum value_kind kind)
{
    if (!value_is(v, kind))
        return fields_fail(f, v, "%.*s must be %s", STR_ARG(value_key(v)),
                           kind == VALUE_LIST ? "a list" : "an object");
    return v->len <= KIND_RULES_MAX ||
           fields_fail(f, v, "more than %d in %.*s", KIND_RULES_MAX, STR_ARG(value_key(v)));
}

/* ---- Gates. ---------------------------------------------------------------------------------- */

/* At most one %s, for the value. */
static bool read_message(struct fields *f, const struct value *v, void *out)
{
    str text = value_str(v);
    size_t at = str_find_char(text, '%');

    if (at != STR_NPOS && (!str_has_prefix(str_from(text, at), STR("%s")) ||
                           str_find_char(str_from(text, at + 1), '%') != STR_NPOS))
        return fields_fail(f, v, "else may hold %%s once, for the value, and no other %%");
    return fields_text(f, v, out);
}

static bool read_gate(struct fields *f, const struct value *v, struct kind_gate *gate)
{
    static const struct field fields[] = {
        {"at", read_path, offsetof(struct kind_gate, at)},
        {"each", read_path, offsetof(struct kind_gate, each)},
        {"else", read_message, offsetof(struct kind_gate, otherwise)},
        {"ignoreCase", fields_bool, offsetof(struct kind_gate, ignore_case)},
        {"in", rules_read_texts, offsetof(struct kind_gate, in)},
        {"notIn", rules_read_texts, offsetof(struct kind_gate, not_in)},
        {"required", fields_bool, offsetof(struct kind_gate, required)},
        {0},
    };

    if (!fields_read(f, v, fields, gate))
        return false;
    if (!gate->at.len || !gate->otherwise.len)
        return fields_fail(f, v, "a gate needs at and else");
    return !gate->in.len == !!gate->not_in.len ||
           fields_fail(f, v, "a gate needs either in or notIn");
}

static bool read_gates(struct fields *f, const struct value *v, void *out)
{
    struct kind_gates *gates = out;

    if (!check_list(f, v, VALUE_LIST))
        return false;
    for (size_t i = 0; i < v->len; i++)
        if (!read_gate(f, &v->items[i], VEC_ADD(f->arena, gates)))
            return false;
    return true;
}

/* ---- Secrets. -------------------------------------------------------------------------------- */

static bool read_calls(struct fields *f, const struct value *v, struct kind_rules *out)
{
    static const struct field fields[] = {
        {"action", fields_text, offsetof(struct kind_call, action)},
        {"apiVersion", fields_text, offsetof(struct kind_call, api_version)},
        {"pages", fields_bool, offsetof(struct kind_call, pages)},
        {0},
    };

    if (!check_list(f, v, VALUE_OBJECT))
        return false;
    for (size_t i = 0; i < v->len; i++) {
        struct kind_call call = {.name = value_key(&v->items[i])};
        if (!fields_read(f, &v->items[i], fields, &call))
            return false;
        if (!call.action.len)
            return fields_fail(f, &v->items[i], "a call needs an action, as listKeys");
        VEC_PUSH(f->arena, &out->calls, call);
    }
    return true;
}

struct reading {
    str call, from, decode;
    struct kind_secret secret;
};

static bool read_secret(struct fields *f, const struct value *v, struct kind_rules *out)
{
    static const struct field fields[] = {
        {"at", read_path, offsetof(struct reading, secret.at)},
        {"call", fields_text, offsetof(struct reading, call)},
        {"decode", fields_text, offsetof(struct reading, decode)},
        {"id", fields_text, offsetof(struct reading, from)},
        {"list", read_path, offsetof(struct reading, secret.list)},
        {"optional", fields_bool, offsetof(struct reading, secret.optional)},
        {"where", fields_any, offsetof(struct reading, secret.where)},
        {0},
    };
    struct reading r = {.secret.name = value_key(v)};

    if (!fields_read(f, v, fields, &r))
        return false;
    for (size_t i = 0; r.call.len && i < out->calls.len; i++)
        if (str_eq(out->calls.items[i].name, r.call))
            r.secret.call = &out->calls.items[i];
    if (r.call.len && !r.secret.call)
        return fields_fail(f, v, "there is no call \"%.*s\" in calls", STR_ARG(r.call));
    if (r.decode.len && !str_eq(r.decode, STR("base64")))
        return fields_fail(f, v, "decode must be base64");
    if (r.from.len && !str_eq(r.from, STR("subscription")))
        return fields_fail(f, v, "id must be subscription");
    if (!r.secret.at.len == !r.from.len)
        return fields_fail(f, v, "a secret needs either at or id");
    if (!r.secret.list.len == value_is(r.secret.where, VALUE_OBJECT))
        return fields_fail(f, v, "list and where, an object, go together");
    r.secret.base64 = r.decode.len;
    r.secret.subscription = r.from.len;
    VEC_PUSH(f->arena, &out->secrets, r.secret);
    return true;
}

static bool read_secrets(struct fields *f, const struct value *v, void *out)
{
    struct parts {
        const struct value *calls, *values;
    } parts = {0};
    static const struct field fields[] = {
        {"calls", fields_any, offsetof(struct parts, calls)},
        {"values", fields_any, offsetof(struct parts, values)},
        {0},
    };

    if (!fields_read(f, v, fields, &parts))
        return false;
    if (parts.calls && !read_calls(f, parts.calls, out))
        return false;
    if (!parts.values)
        return fields_fail(f, v, "secrets needs values");
    if (!check_list(f, parts.values, VALUE_OBJECT))
        return false;
    for (size_t i = 0; i < parts.values->len; i++)
        if (!read_secret(f, &parts.values->items[i], out))
            return false;
    return true;
}

/* ---- The rest. ------------------------------------------------------------------------------- */

static bool read_merges(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {{"at", read_path, offsetof(struct kind_merge, at)},
                                          {"by", fields_text, offsetof(struct kind_merge, by)},
                                          {0}};
    struct kind_rules *rules = out;

    if (!check_list(f, v, VALUE_LIST))
        return false;
    for (size_t i = 0; i < v->len; i++) {
        struct kind_merge m = {.by = STR("name")};
        if (!fields_read(f, &v->items[i], fields, &m))
            return false;
        if (!m.at.len)
            return fields_fail(f, &v->items[i], "a merge needs at, the path of a list");
        VEC_PUSH(f->arena, &rules->merges, m);
    }
    return true;
}

static bool read_values(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {{"at", read_path, offsetof(struct kind_value, at)},
                                          {"send", read_map, offsetof(struct kind_value, send)},
                                          {0}};
    struct kind_rules *rules = out;

    if (!check_list(f, v, VALUE_LIST))
        return false;
    for (size_t i = 0; i < v->len; i++) {
        struct kind_value value = {0};
        if (!fields_read(f, &v->items[i], fields, &value))
            return false;
        if (!value.at.len || !value.send)
            return fields_fail(f, &v->items[i], "a value needs at and send");
        VEC_PUSH(f->arena, &rules->values, value);
    }
    return true;
}

static bool read_max(struct fields *f, const struct value *v, void *out)
{
    int64_t max;

    if (!fields_number(f, v, 1000000, &max))
        return false;
    *(size_t *)out = (size_t)max;
    return true;
}

static bool read_trims(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {{"at", read_path, offsetof(struct kind_trim, at)},
                                          {"max", read_max, offsetof(struct kind_trim, max)},
                                          {0}};
    struct kind_rules *rules = out;

    if (!check_list(f, v, VALUE_LIST))
        return false;
    for (size_t i = 0; i < v->len; i++) {
        struct kind_trim trim = {0};
        if (!fields_read(f, &v->items[i], fields, &trim))
            return false;
        if (!trim.at.len || !trim.max)
            return fields_fail(f, &v->items[i], "a trim needs at and max");
        VEC_PUSH(f->arena, &rules->trims, trim);
    }
    return true;
}

/* {"properties.domainManagement": "AzureManaged"} */
static bool read_when(struct fields *f, const struct value *v, void *out)
{
    struct kind_naming *naming = out;

    if (!value_is(v, VALUE_OBJECT) || v->len != 1 || !value_str(&v->items[0]).len)
        return fields_fail(f, v, "when must be an object with a text under one path");
    naming->when_is = value_str(&v->items[0]);
    return path_parse_dotted(f->arena, value_key(&v->items[0]), &naming->when, f->e) ||
           err_at(f->e, source_where(f->source, v));
}

static bool read_naming(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {
        {"equals", read_path, offsetof(struct kind_naming, equals)},
        {"is", fields_text, offsetof(struct kind_naming, is)},
        {"when", read_when, 0},
        {0},
    };
    struct kind_naming *naming = out;

    return fields_read(f, v, fields, naming) &&
           (!naming->is.len == !!naming->equals.len ||
            fields_fail(f, v, "naming needs either is or equals"));
}

static bool read_delete(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {{"query", read_map, offsetof(struct kind_delete, query)},
                                          {0}};

    return fields_read(f, v, fields, out);
}

static bool read_errors(struct fields *f, const struct value *v, void *out)
{
    struct kind_rules *rules = out;

    rules->errors = ARENA_NEW(f->arena, struct rule_stage);
    rules->errors->name = STR("kind");
    return rules_read_stage(f, v, rules->errors);
}

/* "cache.azure.com/Redis" */
static bool read_kind(struct fields *f, const struct value *v, void *out)
{
    struct kind_rules *rules = out;

    if (str_cut(value_str(v), STR("/"), &rules->group, &rules->kind) && rules->kind.len &&
        str_has_suffix(rules->group, STR(".azure.com")))
        return true;
    return fields_fail(f, v, "kind must be group/Kind, as cache.azure.com/Redis");
}

static bool read_name(struct fields *f, const struct value *v, void *out)
{
    (void)out;
    return str_eq(value_str(v), STR("kind")) || fields_fail(f, v, "rules must be \"kind\"");
}

bool kind_rules_read(struct arena *a, const struct source *src, struct kind_rules **out,
                     struct err *e)
{
    static const struct field fields[] = {
        {"delete", read_delete, offsetof(struct kind_rules, delete)},
        {"errors", read_errors, 0},
        {"kind", read_kind, 0},
        {"merge", read_merges, 0},
        {"naming", read_naming, offsetof(struct kind_rules, naming)},
        {"owner", read_gates, offsetof(struct kind_rules, owner)},
        {"ready", read_gates, offsetof(struct kind_rules, ready)},
        {"rules", read_name, 0},
        {"secrets", read_secrets, 0},
        {"send", read_gates, offsetof(struct kind_rules, send)},
        {"trim", read_trims, 0},
        {"values", read_values, 0},
        {0},
    };
    struct kind_rules *rules = ARENA_NEW(a, struct kind_rules);
    struct fields f = {.arena = a, .source = src, .e = e, .ctx = (void *)rules_errors()};
    struct value *root;

    if (!json_read(a, src, NULL, &root, e) || !fields_read(&f, root, fields, rules))
        return false;
    if (!rules->kind.len || !value_get(root, STR("rules")))
        return fields_fail(&f, root, "the rules of a kind need rules and kind");
    rules->node = root;
    *out = rules;
    return true;
}
