/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - objects that templates look up: which references need them, and how to find them. */
#include "compare/pair/pair_internal.h"
#include "text/secret_values.h"

struct reach compare_reach(const struct compare *c)
{
    struct reach r = {0};

    for (size_t i = 0; i < c->reference.templates.len; i++) {
        r.looks_up |= c->reference.templates.items[i].looks_up;
        r.changes |= c->reference.templates.items[i].changes;
    }
    for (size_t i = 0; i < c->overrides.len; i++)
        if (str_eq(c->overrides.items[i].type, STR("go-template"))) {
            r.looks_up = true;
            r.changes |= template_changes(c->overrides.items[i].patch);
        }
    return r;
}

static const struct secret_values *values_of(struct arena *a, const struct objects *objects)
{
    struct value **roots = ARENA_ARRAY(a, struct value *, objects->len);

    for (size_t i = 0; i < objects->len; i++)
        roots[i] = objects->items[i].root;
    return secret_values_of(a, roots, objects->len);
}

/* What lookups see of an object once it was compared. */
static void reduce(struct arena *a, const struct run *r, struct object *o)
{
    const struct compare *c = r->compare;
    const size_t *candidates;
    size_t count;

    if (!c->templates->find(c->templates, o, &candidates, &count))
        return;
    o->reduced = value_clone(a, o->root);
    for (size_t i = 0; i < count; i++)
        omit_fields(a, o->reduced, &c->reference.templates.items[candidates[i]].omit);
    if (!r->options->show_managed_fields)
        pair_drop_managed_fields(o->reduced);
}

/* Equal texts share their bytes: comparing them touches less memory. */
static str shared_text(struct arena *a, struct map *texts, str text)
{
    str *known = map_get(texts, text);

    if (known)
        return *known;
    known = ARENA_NEW(a, str);
    *known = text;
    map_set(texts, text, known);
    return text;
}

static struct identity shared_identity(struct arena *a, struct map *texts, const struct value *v)
{
    struct identity id = identity_of(v);

    id.api_version = shared_text(a, texts, id.api_version);
    id.kind = shared_text(a, texts, id.kind);
    id.namespace = shared_text(a, texts, id.namespace);
    return id;
}

static struct index_list *list_of(struct arena *a, struct run *r, str kind)
{
    struct index_list *list = map_get(r->by_kind, kind);

    if (list)
        return list;
    list = ARENA_NEW(a, struct index_list);
    list->names = map_new(a);
    map_set(r->by_kind, kind, list);
    return list;
}

/* Appends the last entry of a list to those of its name. */
static void add_name(struct arena *a, struct index_list *list)
{
    str key = list->items[list->len - 1].whole.name;
    struct index_name *name = map_get(list->names, key);

    if (name) {
        list->items[name->last - 1].next = list->len;
    } else {
        name = ARENA_NEW(a, struct index_name);
        name->first = list->len;
        map_set(list->names, key, name);
    }
    name->last = list->len;
    name->count++;
}

static bool same_identity(const struct identity *x, const struct identity *y)
{
    return str_eq(x->api_version, y->api_version) && str_eq(x->kind, y->kind) &&
           str_eq(x->namespace, y->namespace) && str_eq(x->name, y->name);
}

static void add_entry(struct arena *a, struct run *r, struct map *texts, const struct object *o,
                      size_t i)
{
    struct index_list *list = list_of(a, r, o->identity.kind);
    struct index_entry entry = {.index = i, .whole = shared_identity(a, texts, o->root)};
    struct identity reduced = o->reduced ? identity_of(o->reduced) : entry.whole;

    if (!same_identity(&reduced, &entry.whole)) {
        struct identity *kept = ARENA_NEW(a, struct identity);
        *kept = reduced;
        entry.reduced = kept;
    }
    VEC_PUSH(a, list, entry);
    add_name(a, list);
}

/* Earlier objects are seen without what their comparison omits: both forms are kept. */
void compare_index(struct arena *a, struct run *r)
{
    struct map *texts = map_new(a);

    r->by_kind = map_new(a);
    for (size_t i = 0; i < r->objects.len; i++) {
        struct object *o = &r->objects.items[i];
        /* A lookup for one object should not fail because it is there twice. */
        if (o->duplicate)
            continue;
        if (!r->in_turn)
            reduce(a, r, o);
        add_entry(a, r, texts, o, i);
    }
    if (r->options->dialect->masked_secrets)
        r->values = values_of(a, &r->objects);
}
