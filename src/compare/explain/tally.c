/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally.c - counts the fields of an object that were compared, and those that were not, by rule.
 *
 * A field is a leaf: a scalar, or an empty mapping or list.
 */
#include "compare/explain/tally_internal.h"
#include "compare/reference/omit_internal.h"
#include "compare/reference/reference_internal.h"
#include "object/object.h"

size_t field_count(const struct value *v)
{
    size_t n = 0;

    for (size_t i = 0; i < value_len(v); i++)
        n += value_len(&v->items[i]) ? field_count(&v->items[i]) : 1;
    return n ? n : v != NULL;
}

static const struct value *partner(const struct value *of, const struct value *child, size_t i)
{
    return of->kind == VALUE_OBJECT ? value_get(of, value_key(child)) : value_at(of, i);
}

size_t field_count_both(const struct value *x, const struct value *y)
{
    size_t n = 0;

    if (x == y)
        return field_count(x);
    if (!x || !y || x->kind != y->kind || !value_is_container(x)) {
        size_t one = field_count(x), other = field_count(y);
        return one > other ? one : other;
    }
    for (size_t i = 0; i < x->len; i++)
        n += field_count_both(&x->items[i], partner(y, &x->items[i], i));
    for (size_t i = 0; i < y->len; i++)
        if (!partner(x, &y->items[i], i))
            n += field_count(&y->items[i]);
    return n ? n : 1;
}

/* Fields of live that a merge puts into what was rendered: only mappings are merged. */
static size_t unspecified(const struct value *rendered, const struct value *live)
{
    size_t n = 0;

    if (!value_is(rendered, VALUE_OBJECT) || !value_is(live, VALUE_OBJECT))
        return 0;
    for (size_t i = 0; i < live->len; i++) {
        const struct value *there = value_get(rendered, value_key(&live->items[i]));
        n += there ? unspecified(there, &live->items[i]) : field_count(&live->items[i]);
    }
    return n;
}

/* ---- One object with one template. ---- */

static void add(struct tally *t, const struct omit_path *entry, const struct template *merging,
                size_t count)
{
    if (count)
        VEC_PUSH(t->arena, &t->rules, ((struct tally_rule){entry, merging, count}));
    t->omitted += count;
}

void tally_omitted(void *ctx, const struct omit_path *entry, const struct path *removed)
{
    struct tally *t = ctx;

    add(t, entry, NULL, field_count(path_resolve(removed, t->object)));
}

void tally_managed(struct tally *t, const struct value *live)
{
    const struct value *meta = object_meta(live);

    add(t, NULL, NULL, field_count(value_get(meta, STR("managedFields"))));
}

void tally_merged(struct tally *t, const struct template *by, const struct value *rendered,
                  const struct value *live)
{
    t->merged = unspecified(rendered, live);
    add(t, NULL, by, t->merged);
}

void tally_compared(struct tally *t, const struct value *expected, const struct value *actual)
{
    size_t both = field_count_both(expected, actual);

    t->compared = both > t->merged ? both - t->merged : 0;
}

/* ---- All objects. ---- */

str omit_rule(struct arena *a, const struct omit_path *entry)
{
    return str_fmt(a, "fieldsToOmit %.*s: %.*s%s", STR_ARG(entry->list), STR_ARG(entry->text),
                   entry->prefix ? "*" : "");
}

static str rule_text(struct arena *a, const struct tally_rule *r)
{
    if (r->entry)
        return omit_rule(a, r->entry);
    if (r->merging)
        return str_fmt(a, "template %.*s: ignore-unspecified-fields", STR_ARG(r->merging->path));
    return STR("metadata.managedFields: compared with --show-managed-fields only");
}

void tally_add(struct tally *all, const struct tally *one)
{
    all->compared += one->compared;
    all->omitted += one->omitted;
    for (size_t i = 0; i < one->rules.len; i++) {
        const struct tally_rule *r = &one->rules.items[i];
        size_t at = 0;
        while (at < all->rules.len && !(all->rules.items[at].entry == r->entry &&
                                        all->rules.items[at].merging == r->merging))
            at++;
        if (at < all->rules.len)
            all->rules.items[at].count += r->count;
        else
            VEC_PUSH(all->arena, &all->rules, *r);
    }
}

static int compare_rules(const void *x, const void *y)
{
    const struct result_rule *p = x, *q = y;

    if (p->count != q->count)
        return p->count > q->count ? -1 : 1;
    return str_cmp(p->rule, q->rule);
}

/* An entry of a list that others include is there once for each of them. */
static void add_rule(struct arena *a, struct result_verdict *v, struct map *seen, str rule,
                     size_t count)
{
    size_t at = (uintptr_t)map_get(seen, rule);

    if (at) {
        v->rules.items[at - 1].count += count;
        return;
    }
    VEC_PUSH(a, &v->rules, ((struct result_rule){rule, count}));
    map_set(seen, rule, (void *)(uintptr_t)v->rules.len);
}

void tally_finish(const struct tally *t, struct result_verdict *v)
{
    struct map *seen = map_new(t->arena);

    v->fields_compared = t->compared;
    v->fields_omitted = t->omitted;
    for (size_t i = 0; i < t->rules.len; i++)
        add_rule(t->arena, v, seen, rule_text(t->arena, &t->rules.items[i]),
                 t->rules.items[i].count);
    if (v->rules.len)
        qsort(v->rules.items, v->rules.len, sizeof(*v->rules.items), compare_rules);
}
