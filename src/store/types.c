/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.c - the types that the store serves, and their shapes.
 *
 * A type lives as long as the store, even if its definition is deleted, since its history may still
 * be requested. A shape is made when it is first needed, since most of three hundred definitions
 * are never used.
 */
#include "store/internal.h"

#include "text/json/json.h"
#include "object/object.h"

/* ---- Names. ---------------------------------------------------------------------------------- */

struct store_type *store_type_find(struct store *s, str group, str plural)
{
    struct store_type *t = s->types;

    while (t && !(str_eq(t->plural, plural) && str_eq(t->group, group) && !t->gone))
        t = t->next;
    return t;
}

struct store_type *store_type_of_kind(struct store *s, str group, str kind)
{
    struct store_type *t = s->types;

    while (t && !(str_eq(t->kind, kind) && str_eq(t->group, group) && !t->gone))
        t = t->next;
    return t;
}

bool store_type_is_builtin(str group, str plural)
{
    for (size_t i = 0; i < store_builtin_count; i++)
        if (str_eq(str_c(store_builtins[i].group), group) &&
            str_eq(str_c(store_builtins[i].plural), plural))
            return true;
    return false;
}

str store_type_name(struct arena *a, const struct store_type *t)
{
    if (!t->group.len)
        return t->plural;
    return str_fmt(a, "%.*s.%.*s", STR_ARG(t->plural), STR_ARG(t->group));
}

/* ---- Shapes. --------------------------------------------------------------------------------- */

struct store_shape *store_shape_ref(struct store_shape *shape)
{
    atomic_fetch_add(&shape->refs, 1);
    return shape;
}

void store_shape_drop(struct store_shape *shape)
{
    if (shape && atomic_fetch_sub(&shape->refs, 1) == 1)
        arena_free(shape->arena);
}

const struct store_shape_version *store_shape_version(const struct store_shape *shape, str name)
{
    for (size_t i = 0; i < shape->count; i++)
        if (str_eq(shape->versions[i].name, name))
            return &shape->versions[i];
    return NULL;
}

const struct store_shape_version *store_shape_storage(const struct store_shape *shape)
{
    return &shape->versions[shape->storage];
}

static struct store_shape *new_shape(struct store *s, size_t versions)
{
    struct arena *a = arena_new();
    struct store_shape *shape = ARENA_NEW(a, struct store_shape);

    shape->refs = 1;
    shape->arena = a;
    shape->serial = ++s->shapes;
    shape->versions = ARENA_ARRAY(a, struct store_shape_version, versions);
    shape->count = versions;
    return shape;
}

static void read_version(struct store_shape *shape, size_t i, const struct value *v,
                         const struct value *spec)
{
    static const struct value anything = {.kind = VALUE_OBJECT};
    struct store_shape_version *out = &shape->versions[i];
    const struct value *schema = value_get(value_get(v, STR("schema")), STR("openAPIV3Schema"));

    out->name = value_get_str(v, STR("name"));
    out->served = value_is_true(value_get(v, STR("served")));
    out->storage = value_is_true(value_get(v, STR("storage")));
    out->has_status = value_get(value_get(v, STR("subresources")), STR("status")) != NULL;
    out->schema = schema ? schema : &anything;
    out->loose = !schema || value_is_true(value_get(spec, STR("preserveUnknownFields")));
    out->columns = value_get(v, STR("additionalPrinterColumns"));
    out->selectable = value_get(v, STR("selectableFields"));
    if (out->storage)
        shape->storage = i;
}

/* The shape described by a definition. */
static struct store_shape *shape_of_definition(struct store *s, const struct store_version *v)
{
    AUTO_ARENA a = arena_new();
    const struct value *spec = value_get(store_version_tree(a, s, v), STR("spec"));
    struct store_shape *shape = new_shape(s, value_len(value_get(spec, STR("versions"))));

    spec = value_copy(shape->arena, spec);
    const struct value *versions = value_get(spec, STR("versions"));
    for (size_t i = 0; i < shape->count; i++)
        read_version(shape, i, &versions->items[i], spec);
    shape->names = value_get(spec, STR("names"));
    shape->counts_generations = true;
    return shape;
}

static void set_text(struct arena *a, struct value *object, const char *key, const char *text)
{
    value_set_str(a, object, str_c(key), str_c(text));
}

static struct value *names_of(struct arena *a, const struct store_builtin *b)
{
    struct value *names = value_object(a), *list = value_list(a);
    str rest = str_c(b->short_names), name;

    set_text(a, names, "plural", b->plural);
    set_text(a, names, "singular", b->singular);
    set_text(a, names, "kind", b->kind);
    set_text(a, names, "listKind", b->list_kind);
    while (rest.len) {
        str_cut(rest, STR(" "), &name, &rest);
        value_add(a, list, value_string(a, name));
    }
    value_set(a, names, STR("shortNames"), list);
    return names;
}

static bool shape_of_builtin(struct store *s, const struct store_builtin *b,
                             struct store_shape **out, struct err *e)
{
    struct store_shape *shape = new_shape(s, 1);
    const struct source src = {.file = str_c(b->kind), .text = str_c(b->schema)};
    struct value *schema;

    *out = shape;
    if (!json_read(shape->arena, &src, NULL, &schema, e))
        return false;
    shape->versions[0] = (struct store_shape_version){
        .name = str_c(b->version),
        .served = true,
        .storage = true,
        .has_status = b->has_status,
        .schema = schema,
    };
    shape->names = names_of(shape->arena, b);
    shape->counts_generations = b->counts_generations;
    return true;
}

struct store_shape *store_type_shape(struct store *s, struct store_type *t)
{
    if (!t->shape)
        t->shape = shape_of_definition(s, t->definition->newest);
    return t->shape;
}

/* ---- Making types. --------------------------------------------------------------------------- */

/* Adds a type of custom resources, or revives one that is gone. */
static struct store_type *add_type(struct store *s, str group, str plural)
{
    struct store_type **end = &s->types;

    while (*end && !(str_eq((*end)->plural, plural) && str_eq((*end)->group, group)))
        end = &(*end)->next;
    if (!*end) {
        *end = ARENA_NEW(s->keep, struct store_type);
        (*end)->group = str_copy(s->keep, group);
        (*end)->plural = str_copy(s->keep, plural);
        (*end)->trimmed = s->opened;
        (*end)->objects.seed = 1;
    }
    (*end)->gone = false;
    return *end;
}

static bool add_builtin(struct store *s, const struct store_builtin *b, struct err *e)
{
    struct store_type *t = add_type(s, str_c(b->group), str_c(b->plural));

    t->builtin = b;
    t->kind = str_c(b->kind);
    t->list_kind = str_c(b->list_kind);
    t->namespaced = b->namespaced;
    return shape_of_builtin(s, b, &t->shape, e);
}

bool store_types_init(struct store *s, struct err *e)
{
    for (size_t i = 0; i < store_builtin_count; i++)
        if (!add_builtin(s, &store_builtins[i], e))
            return false;
    return true;
}

static void free_type(struct store_type *t)
{
    for (struct store_entry *n = t->objects.first[0], *next; n; n = next) {
        next = n->next[0];
        store_version_drop(n->newest);
        block_free(n);
    }
    block_free(t->history);
    store_shape_drop(t->shape);
}

void store_types_free(struct store *s)
{
    for (struct store_type *t = s->types; t; t = t->next)
        free_type(t);
}

/* ---- Following definitions. ---- */

static struct store_type *type_of_definition(struct store *s, const struct store_entry *definition)
{
    struct store_type *t = s->types;

    while (t && t->definition != definition)
        t = t->next;
    return t;
}

void store_crd_follow(struct store *s, struct store_entry *definition, const struct value *crd)
{
    struct store_type *t = type_of_definition(s, definition);
    const struct value *spec = value_get(crd, STR("spec")), *names = value_get(spec, STR("names"));
    str group = value_get_str(spec, STR("group")), plural = value_get_str(names, STR("plural"));

    /* Files from before such definitions were rejected may have one of a built-in type. */
    if (!t && (!crd || store_type_is_builtin(group, plural)))
        return;
    if (!t)
        t = add_type(s, group, plural);
    if (t->shape)
        store_shape_drop(t->shape);
    t->shape = NULL;
    t->definition = crd ? definition : NULL;
    t->gone = !crd;
    t->closing = value_get(object_meta(crd), STR("deletionTimestamp")) != NULL;
    if (crd) {
        t->namespaced = !str_eq(value_get_str(spec, STR("scope")), STR("Cluster"));
        t->kind = str_copy(s->keep, value_get_str(names, STR("kind")));
        t->list_kind = str_copy(s->keep, value_get_str(names, STR("listKind")));
    }
    store_watch_wake(t);
}
