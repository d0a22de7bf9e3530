/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_file.c - files of rules, whatever they are about.
 *
 * Rules of payloads are used as they are (payload.c), so what they must look like is written here.
 */
#include "azure/rules_internal.h"

#include "text/json.h"

struct file {
    struct arena *a;
    const struct source *src;
    const struct value *root;
    struct {
        struct rules_finding *items;
        size_t len, cap;
    } found;
    size_t count; /* of rules */
};

static bool lint_errors(struct file *f, struct err *e)
{
    struct rules *rules;

    if (!rules_read(f->a, f->src, &rules, e))
        return false;
    f->found.len = rules_lint(f->a, rules, &f->found.items);
    for (size_t i = 0; i < rules->stages.len; i++)
        f->count += rules->stages.items[i].rules.len;
    return true;
}

/* ---- Payloads. ---- */

static bool check_members(struct file *f, const struct value *v, const char *const *known,
                          struct err *e)
{
    if (!value_is(v, VALUE_OBJECT))
        return source_err(e, f->src, v, "a rule must be an object");
    for (size_t i = 0; i < v->len; i++) {
        size_t k = 0;
        while (known[k] && !str_eq(value_key(&v->items[i]), str_c(known[k])))
            k++;
        if (!known[k])
            return source_err(e, f->src, &v->items[i], "unknown member \"%.*s\"",
                              STR_ARG(value_key(&v->items[i])));
    }
    return true;
}

static bool check_texts(struct file *f, const struct value *rule, const char *key,
                        enum value_kind kind, struct err *e)
{
    const struct value *v = value_get(rule, str_c(key));

    if (!value_is(v, kind) || !v->len)
        return source_err(e, f->src, v ? v : rule, "%s must be %s of texts that is not empty", key,
                          kind == VALUE_LIST ? "a list" : "an object");
    for (size_t i = 0; i < v->len; i++)
        if (!value_str(&v->items[i]).len)
            return source_err(e, f->src, &v->items[i], "%s must hold texts", key);
    return true;
}

static bool check_payload(struct file *f, const struct value *rule, struct err *e)
{
    static const char *const known[] = {"at", "group", "kind", "send", "why", NULL};
    static const char *const texts[] = {"group", "kind", "why"};

    if (!check_members(f, rule, known, e))
        return false;
    for (size_t i = 0; i < COUNT(texts); i++)
        if (!value_get_str(rule, str_c(texts[i])).len)
            return source_err(e, f->src, rule, "a rule needs \"%s\", a text", texts[i]);
    return check_texts(f, rule, "at", VALUE_LIST, e) &&
           check_texts(f, rule, "send", VALUE_OBJECT, e);
}

static bool same_member(const struct value *x, const struct value *y, const char *key)
{
    return value_equal(value_get(x, str_c(key)), value_get(y, str_c(key)));
}

static void find_payload(struct file *f, const struct value *values, size_t i)
{
    const struct value *rule = value_at(values, i), *send = value_get(rule, STR("send"));

    for (size_t j = 0; j < i; j++) {
        const struct value *other = value_at(values, j);
        if (same_member(rule, other, "group") && same_member(rule, other, "kind") &&
            same_member(rule, other, "at")) {
            struct rules_finding finding = {
                source_where(f->src, rule),
                STR("there is a rule for the same place before: what it sends is replaced again")};
            VEC_PUSH(f->a, &f->found, finding);
            break;
        }
    }
    for (size_t j = 0; j < value_len(send); j++)
        if (str_eq(value_key(&send->items[j]), value_str(&send->items[j]))) {
            struct rules_finding finding = {source_where(f->src, &send->items[j]),
                                            str_fmt(f->a, "\"%.*s\" is replaced by itself",
                                                    STR_ARG(value_key(&send->items[j])))};
            VEC_PUSH(f->a, &f->found, finding);
        }
}

static bool lint_payload(struct file *f, struct err *e)
{
    static const char *const known[] = {"rules", "values", NULL};
    const struct value *values = value_get(f->root, STR("values"));

    if (!check_members(f, f->root, known, e))
        return false;
    if (!value_is(values, VALUE_LIST))
        return source_err(e, f->src, values ? values : f->root, "values must be a list of rules");
    for (size_t i = 0; i < values->len; i++)
        if (!check_payload(f, &values->items[i], e))
            return false;
    for (size_t i = 0; i < values->len; i++)
        find_payload(f, values, i);
    f->count = values->len;
    return true;
}

/* ---- Any. ---- */

static const struct {
    const char *name;
    bool (*lint)(struct file *f, struct err *e);
} kinds[] = {{"errors", lint_errors}, {"payload", lint_payload}};

bool rules_lint_file(struct arena *a, const struct source *src, struct rules_finding **out,
                     size_t *found, size_t *count, struct err *e)
{
    struct file f = {.a = a, .src = src};
    struct value *root;
    str name;

    if (!json_read(a, src, NULL, &root, e))
        return false;
    f.root = root;
    name = value_get_str(root, STR("rules"));
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!str_eq(name, str_c(kinds[i].name)))
            continue;
        if (!kinds[i].lint(&f, e))
            return false;
        *out = f.found.items;
        *found = f.found.len;
        *count = f.count;
        return true;
    }
    return source_err(e, src, root,
                      "this is no file of rules: its member \"rules\" must be \"errors\" or "
                      "\"payload\"");
}
