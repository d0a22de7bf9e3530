/* SPDX-License-Identifier: Apache-2.0 */
/*
 * between.c - specs between API versions of a kind.
 *
 * Nearly every path of a version means the same in the next one, so properties go by their names.
 * What has no place in the other version is kept beside it and comes back on the way back:
 *
 *   {"set": {"property": value, ...},      what is missing in this object
 *    "in":  {"property": {...}, ...}}      the same for objects below; elements of lists are named
 *                                          "name=x" when they have a name, else by their index
 */
#include "azure/convert.h"

struct going {
    struct arena *arena;
};

static void go(const struct going *g, const struct model_type *from, const struct model_type *to,
               const struct value *spec, const struct value *kept, struct value *out,
               struct value *left);
static struct value *go_value(const struct going *g, const struct model_shape *from,
                              const struct model_shape *to, const struct value *v,
                              const struct value *kept, struct value *left);

/* Whether values of one shape may stand in the other. Objects are looked into later. */
static bool is_alike(const struct model_shape *x, const struct model_shape *y)
{
    while (x->form == y->form && (x->form == FORM_LIST || x->form == FORM_MAP)) {
        x = x->item;
        y = y->item;
    }
    if (x->form == FORM_INT && y->form == FORM_FLOAT)
        return true;
    return x->form == y->form && x->builtin == y->builtin;
}

static bool has_objects(const struct model_shape *s)
{
    while (s->form == FORM_LIST || s->form == FORM_MAP)
        s = s->item;
    return s->form == FORM_OBJECT;
}

/* ---- What is left over. -----------------------------------------------------------------------
 */

static void leave(const struct going *g, struct value *left, str name, const struct value *v)
{
    struct value *set = value_get(left, STR("set"));

    if (!set)
        set = value_set(g->arena, left, STR("set"), value_object(g->arena));
    value_set(g->arena, set, name, v);
}

/* What was left over below goes below as well, when there is something. */
static void leave_below(const struct going *g, struct value *left, str name,
                        const struct value *below)
{
    struct value *in = value_get(left, STR("in"));

    if (below->len == 0)
        return;
    if (!in)
        in = value_set(g->arena, left, STR("in"), value_object(g->arena));
    value_set(g->arena, in, name, below);
}

static const struct value *kept_below(const struct value *kept, str name)
{
    return value_get(value_get(kept, STR("in")), name);
}

/* Whether elements of lists can be told apart by their names, in both versions. */
static bool have_names(const struct model_shape *from, const struct model_shape *to)
{
    return from->item->form == FORM_OBJECT && model_prop(from->item->object, STR("name")) &&
           model_prop(to->item->object, STR("name"));
}

/* How an element of a list is named. */
static str element_name(const struct going *g, const struct value *element, size_t i, bool named)
{
    str name = named ? value_get_str(element, STR("name")) : STR_NONE;

    return name.len ? str_concat(g->arena, STR("name="), name) : str_fmt(g->arena, "%zu", i);
}

/* ---- Values. ----------------------------------------------------------------------------------
 */

static struct value *go_items(const struct going *g, const struct model_shape *from,
                              const struct model_shape *to, const struct value *v,
                              const struct value *kept, struct value *left)
{
    bool map = v->kind == VALUE_OBJECT, named = !map && have_names(from, to);
    struct value *out = map ? value_object(g->arena) : value_list(g->arena);

    for (size_t i = 0; i < v->len; i++) {
        str name = map ? value_key(&v->items[i]) : element_name(g, &v->items[i], i, named);
        struct value *below = value_object(g->arena);
        const struct value *made =
            go_value(g, from->item, to->item, &v->items[i], kept_below(kept, name), below);
        if (map)
            value_set(g->arena, out, value_key(&v->items[i]), made);
        else
            value_add(g->arena, out, made);
        leave_below(g, left, name, below);
    }
    return out;
}

static struct value *go_value(const struct going *g, const struct model_shape *from,
                              const struct model_shape *to, const struct value *v,
                              const struct value *kept, struct value *left)
{
    struct value *out;

    if (!has_objects(from) || !value_is_container(v)) {
        out = ARENA_NEW(g->arena, struct value);
        *out = *v;
        return out;
    }
    if (from->form != FORM_OBJECT)
        return go_items(g, from, to, v, kept, left);
    out = value_object(g->arena);
    go(g, from->object, to->object, v, kept, out, left);
    return out;
}

/* What was kept comes back where there is room for it, and stays kept where there is none. */
static void restore(const struct going *g, const struct model_type *to, const struct value *kept,
                    struct value *out, struct value *left)
{
    const struct value *set = value_get(kept, STR("set"));

    for (size_t i = 0; i < value_len(set); i++) {
        const struct value *v = &set->items[i];
        if (!model_prop(to, value_key(v)))
            leave(g, left, value_key(v), v);
        else if (!value_get(out, value_key(v)))
            value_set(g->arena, out, value_key(v), v);
    }
}

static void go(const struct going *g, const struct model_type *from, const struct model_type *to,
               const struct value *spec, const struct value *kept, struct value *out,
               struct value *left)
{
    for (size_t i = 0; i < value_len(spec); i++) {
        const struct value *v = &spec->items[i];
        str name = value_key(v);
        const struct model_prop *p = model_prop(from, name), *q = model_prop(to, name);
        if (!p || !q || !is_alike(p->shape, q->shape)) {
            leave(g, left, name, v);
            continue;
        }
        struct value *below = value_object(g->arena);
        value_set(g->arena, out, name,
                  go_value(g, p->shape, q->shape, v, kept_below(kept, name), below));
        leave_below(g, left, name, below);
    }
    restore(g, to, kept, out, left);
}

struct value *convert_version(struct arena *a, const struct model_resource *from,
                              const struct model_resource *to, const struct value *spec,
                              const struct value *kept, struct value **leftovers)
{
    struct going g = {.arena = a};
    struct value *out = value_object(a), *left = value_object(a);

    if (value_is(spec, VALUE_OBJECT))
        go(&g, from->spec, to->spec, spec, kept, out, left);
    *leftovers = left->len ? left : NULL;
    return out;
}
