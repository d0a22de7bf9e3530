/* SPDX-License-Identifier: Apache-2.0 */
/*
 * versions.c - converts specs between API versions of a kind.
 *
 * Nearly every path in a version means the same in the next one, so properties are matched by name.
 * Those that the other version does not have are kept beside the spec and restored on the way back:
 *
 *   {"set": {"property": value, ...},      what is missing in this object
 *    "in":  {"property": {...}, ...}}      the same for objects below; elements of lists are named
 *                                          "name=x" when they have a name, else by their index
 */
#include "azure/convert/convert.h"

#include "text/json/json.h"

struct going {
    struct arena *arena;
};

static void go(const struct going *g, const struct model_type *from, const struct model_type *to,
               const struct value *spec, const struct value *kept, struct value *out,
               struct value *left);
static struct value *go_value(const struct going *g, const struct model_shape *from,
                              const struct model_shape *to, const struct value *v,
                              const struct value *kept, struct value *left);

/* Whether values of one type are valid for the other. Objects are checked later. */
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

/* ---- Leftovers. ---- */

static void leave(const struct going *g, struct value *left, str name, const struct value *v)
{
    struct value *set = value_get(left, STR("set"));

    if (!set)
        set = value_set(g->arena, left, STR("set"), value_object(g->arena));
    value_set(g->arena, set, name, v);
}

/* Puts the leftovers of an object below those of its parent, if there are any. */
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

/* Whether list elements can be identified by name in both versions. */
static bool have_names(const struct model_shape *from, const struct model_shape *to)
{
    return from->item->form == FORM_OBJECT && model_prop(from->item->object, STR("name")) &&
           model_prop(to->item->object, STR("name"));
}

/* The name of a list element in leftovers. */
static str element_name(const struct going *g, const struct value *element, size_t i, bool named)
{
    str name = named ? value_get_str(element, STR("name")) : STR_NONE;

    return name.len ? str_concat(g->arena, STR("name="), name) : str_fmt(g->arena, "%zu", i);
}

/* ---- Values. ---- */

static struct value *go_items(const struct going *g, const struct model_shape *from,
                              const struct model_shape *to, const struct value *v,
                              const struct value *kept, struct value *left)
{
    bool map = v->kind == VALUE_OBJECT, named = !map && have_names(from, to);
    struct value *out = map ? value_object(g->arena) : value_list(g->arena);

    out->pos = v->pos;
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
    out->pos = v->pos;
    go(g, from->object, to->object, v, kept, out, left);
    return out;
}

/* Restores kept properties that this version has; the others stay kept. */
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

/* ---- Property bags. ---- */

/* Members that only the stored form of the reference operator has. */
static bool is_stored_form(str name)
{
    return str_eq(name, STR("$propertyBag")) || str_eq(name, STR("originalVersion"));
}

/* The property of a bag's key, which is spelled as in Go: EnableExtendedGroups. */
static const struct model_prop *prop_of_bag(const struct model_type *t, str key)
{
    for (size_t i = 0; i < t->prop_count; i++)
        if (str_eq_fold(t->props[i].name, key))
            return &t->props[i];
    return NULL;
}

/* In a bag, texts are literal, and everything else is JSON. */
static struct value *read_bag(const struct going *g, const struct model_prop *p,
                              const struct value *text)
{
    struct source *src = ARENA_NEW(g->arena, struct source);
    struct value *v = NULL;

    if (text->kind != VALUE_STRING)
        return NULL;
    if (p->shape->form == FORM_STRING)
        return value_string(g->arena, value_str(text));
    src->text = value_str(text);
    return json_read(g->arena, src, NULL, &v, NULL) ? v : NULL;
}

/*
 * The bag of an object has the properties that the version it was stored in lacks. Those that the
 * version to lacks too, or that cannot be read, are left over.
 */
static void unpack_bag(const struct going *g, const struct model_type *to, const struct value *bag,
                       struct value *out, struct value *left)
{
    for (size_t i = 0; value_is(bag, VALUE_OBJECT) && i < bag->len; i++) {
        const struct model_prop *p = prop_of_bag(to, value_key(&bag->items[i]));
        struct value *v = p ? read_bag(g, p, &bag->items[i]) : NULL;
        if (!v)
            leave(g, left, value_key(&bag->items[i]), &bag->items[i]);
        else if (!value_get(out, p->name))
            value_set(g->arena, out, p->name, v);
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
        if (!p && is_stored_form(name))
            continue;
        if (!p || !q || !is_alike(p->shape, q->shape)) {
            leave(g, left, name, v);
            continue;
        }
        struct value *below = value_object(g->arena);
        value_set(g->arena, out, name,
                  go_value(g, p->shape, q->shape, v, kept_below(kept, name), below));
        leave_below(g, left, name, below);
    }
    unpack_bag(g, to, value_get(spec, STR("$propertyBag")), out, left);
    restore(g, to, kept, out, left);
}

struct value *convert_version(struct arena *a, const struct model_resource *from,
                              const struct model_resource *to, const struct value *spec,
                              const struct value *kept, struct value **leftovers)
{
    struct going g = {.arena = a};
    struct value *out = value_object(a), *left = value_object(a);

    out->pos = spec ? spec->pos : 0;
    if (value_is(spec, VALUE_OBJECT))
        go(&g, from->spec, to->spec, spec, kept, out, left);
    *leftovers = left->len ? left : NULL;
    return out;
}

/* ---- Paths of leftovers. ---- */

/* Below a list, elements are named by index or "name=x". */
static str path_below(struct arena *a, str up, str name)
{
    bool index = name.len && name.ptr[0] >= '0' && name.ptr[0] <= '9';

    return index || str_has_prefix(name, STR("name="))
               ? str_fmt(a, "%.*s[%.*s]", STR_ARG(up), STR_ARG(name))
               : str_fmt(a, "%.*s.%.*s", STR_ARG(up), STR_ARG(name));
}

static void add_paths(struct arena *a, const struct value *left, str up, struct str_list *out)
{
    const struct value *set = value_get(left, STR("set")), *in = value_get(left, STR("in"));

    for (size_t i = 0; i < value_len(set); i++)
        VEC_PUSH(a, out, path_below(a, up, value_key(&set->items[i])));
    for (size_t i = 0; i < value_len(in); i++)
        add_paths(a, &in->items[i], path_below(a, up, value_key(&in->items[i])), out);
}

void convert_leftover_paths(struct arena *a, const struct value *leftovers, struct str_list *out)
{
    add_paths(a, leftovers, STR("spec"), out);
}
