/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - pruning and defaulting with structural schemas, as in Kubernetes.
 *
 * A schema is used directly from its CRD, as a tree; nothing is compiled. Recursion is as deep as
 * the object, which is limited when it is read.
 */
#include "store/internal.h"
#include "object/object.h"

static bool is_set(const struct value *schema, const char *member)
{
    return value_is_true(value_get(schema, str_c(member)));
}

bool store_schema_preserves(const struct value *schema)
{
    return is_set(schema, "x-kubernetes-preserve-unknown-fields");
}

const struct value *store_schema_member(const struct value *schema, str key)
{
    const struct value *known = value_get(value_get(schema, STR("properties")), key);

    if (known)
        return known;
    const struct value *more = value_get(schema, STR("additionalProperties"));
    return value_is(more, VALUE_OBJECT) ? more : NULL;
}

/* The members that every resource has, whatever its schema says. */
static bool is_resource_member(str key)
{
    return str_eq(key, STR("apiVersion")) || str_eq(key, STR("kind")) || object_is_meta(key);
}

/* ---- Pruning. -------------------------------------------------------------------------------- */

/* One object that is being pruned. */
struct pruning {
    struct arena *arena;
    struct str_list *unknown; /* may be NULL */
    const struct value *schema;
    str path;
    bool resource; /* it has the members of every resource */
};

static void prune(struct pruning *p, struct value *v);

static str below(const struct pruning *p, str key)
{
    if (!p->unknown)
        return STR_NONE;
    return p->path.len ? str_fmt(p->arena, "%.*s.%.*s", STR_ARG(p->path), STR_ARG(key)) : key;
}

static void prune_inner(const struct pruning *p, const struct value *schema, struct value *v,
                        str path)
{
    struct pruning inner = {p->arena, p->unknown, schema, path,
                            is_set(schema, "x-kubernetes-embedded-resource")};

    prune(&inner, v);
}

/* Whether a member is not in the schema; notes its path. */
static bool is_unknown(void *ctx, const struct value *member)
{
    const struct pruning *p = ctx;

    if (p->resource && is_resource_member(value_key(member)))
        return false;
    if (store_schema_member(p->schema, value_key(member)) || store_schema_preserves(p->schema) ||
        is_set(p->schema, "additionalProperties"))
        return false;
    if (p->unknown)
        VEC_PUSH(p->arena, p->unknown, below(p, value_key(member)));
    return true;
}

static void prune_members(struct pruning *p, struct value *v)
{
    (void)value_remove_if(v, is_unknown, p);
    for (size_t i = 0; i < v->len; i++) {
        struct value *member = &v->items[i];
        const struct value *inner = store_schema_member(p->schema, value_key(member));

        if (inner && !(p->resource && is_resource_member(value_key(member))))
            prune_inner(p, inner, member, below(p, value_key(member)));
    }
}

static void prune(struct pruning *p, struct value *v)
{
    const struct value *items = value_get(p->schema, STR("items"));

    if (v->kind == VALUE_OBJECT)
        prune_members(p, v);
    for (size_t i = 0; v->kind == VALUE_LIST && items && i < v->len; i++)
        prune_inner(p, items, &v->items[i],
                    p->unknown ? str_fmt(p->arena, "%.*s[%zu]", STR_ARG(p->path), i) : STR_NONE);
}

void store_prune(struct arena *a, const struct store_shape_version *as, struct value *object,
                 struct str_list *unknown)
{
    struct pruning p = {a, unknown, as->schema, STR_NONE, true};

    if (!as->loose)
        prune(&p, object);
}

/* ---- Defaulting. ----------------------------------------------------------------------------- */

static bool is_forbidden_null(const struct value *v, const struct value *schema)
{
    return value_is(v, VALUE_NULL) && schema && !is_set(schema, "nullable");
}

/* ctx is the schema of the object. */
static bool is_forbidden_member(void *ctx, const struct value *member)
{
    return is_forbidden_null(member, store_schema_member(ctx, value_key(member)));
}

size_t store_weight(const struct value *v, size_t max)
{
    /* The own bytes of a member or element: its text, quotes, colon and comma. */
    size_t weight = value_key(v).len + (value_is_container(v) ? 0 : value_text(v).len) + 6;

    for (size_t i = 0; value_is_container(v) && i < v->len && weight <= max; i++)
        weight += store_weight(&v->items[i], max - weight);
    return weight;
}

/* How often properties of a schema may be looked up in an object. */
#define VISITS_MAX 20000000

struct filling {
    struct arena *arena;
    size_t left;     /* bytes that defaults may still take */
    uint64_t visits; /* what is left of VISITS_MAX */
    bool over;       /* there were more */
};

static bool may_add(struct filling *f, const struct value *def)
{
    size_t weight = def ? store_weight(def, f->left) : 0;

    f->over |= weight > f->left;
    if (!def || f->over)
        return false;
    f->left -= weight;
    return true;
}

static void fill(struct filling *f, const struct value *schema, struct value *v);

static void fill_members(struct filling *f, const struct value *schema, struct value *v)
{
    const struct value *known = value_get(schema, STR("properties"));

    f->over |= value_len(known) > f->visits;
    if (f->over)
        return;
    f->visits -= value_len(known);
    for (size_t i = 0; i < value_len(known); i++) {
        const struct value *def = value_get(&known->items[i], STR("default"));
        const struct value *there = value_get(v, value_key(&known->items[i]));

        if ((!there || is_forbidden_null(there, &known->items[i])) && may_add(f, def))
            value_set(f->arena, v, value_key(&known->items[i]), value_clone(f->arena, def));
    }
    (void)value_remove_if(v, is_forbidden_member, (void *)(uintptr_t)schema);
    for (size_t i = 0; i < v->len; i++) {
        const struct value *inner = store_schema_member(schema, value_key(&v->items[i]));

        if (inner && value_is_container(&v->items[i]))
            fill(f, inner, &v->items[i]);
    }
}

static void fill(struct filling *f, const struct value *schema, struct value *v)
{
    const struct value *items = value_get(schema, STR("items"));
    const struct value *def = value_get(items, STR("default"));

    if (v->kind == VALUE_OBJECT)
        fill_members(f, schema, v);
    if (v->kind != VALUE_LIST || !items)
        return;
    for (size_t i = 0; i < v->len; i++) {
        if (is_forbidden_null(&v->items[i], items) && may_add(f, def))
            v->items[i] = *value_clone(f->arena, def);
        if (value_is_container(&v->items[i]))
            fill(f, items, &v->items[i]);
    }
}

bool store_default(struct arena *a, const struct store_shape_version *as, struct value *object)
{
    struct filling f = {.arena = a, .left = STORE_OBJECT_MAX, .visits = VISITS_MAX};

    fill(&f, as->schema, object);
    return !f.over;
}
