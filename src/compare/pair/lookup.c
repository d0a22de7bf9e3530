/* SPDX-License-Identifier: Apache-2.0 */
/* lookup.c - finds other objects for templates while they run for an object. */
#include "compare/pair/pair_internal.h"
#include "go/quote.h"

static bool field_fits(str wanted, str found)
{
    return !wanted.len || str_eq(wanted, STR("*")) || str_eq(wanted, found);
}

static bool object_fits(const struct identity *i, const str query[4])
{
    return str_eq(i->api_version, query[TMPL_API_VERSION]) && str_eq(i->kind, query[TMPL_KIND]) &&
           field_fits(query[TMPL_NAMESPACE], i->namespace) && field_fits(query[TMPL_NAME], i->name);
}

/*
 * Objects that come earlier have lost their omitted fields by now, this one those of the candidates
 * so far, later ones nothing. One by one they are just what they are, and that may have changed.
 * NULL: not what is looked for.
 */
static const struct value *find_in(const struct pairing *p, const struct index_entry *entry,
                                   const str query[4])
{
    const struct object *o = &p->run->objects.items[entry->index];
    bool self = entry->index == p->object->index;
    bool reduced = entry->index < p->object->index && o->reduced;

    if (p->run->in_turn || self) {
        const struct value *root = p->run->in_turn ? o->root : p->root;
        const struct identity now = identity_of(root);
        return object_fits(&now, query) ? root : NULL;
    }
    if (!object_fits(reduced && entry->reduced ? entry->reduced : &entry->whole, query))
        return NULL;
    return reduced ? o->reduced : o->root;
}

struct found {
    const struct value **items;
    size_t len, cap;
};

/* All objects that may be what is looked for, one after the other. */
struct places {
    const struct index_list *list;
    bool by_name;
    size_t next, count; /* the place of the next one plus 1, or 0; how many there are */
};

/* A name can be omitted, but none becomes another. */
static struct places places_of(const struct pairing *p, const str query[4])
{
    const struct map *kinds = p->run->by_kind;
    const struct index_list *list = kinds ? map_get(kinds, query[TMPL_KIND]) : NULL;
    str name = query[TMPL_NAME];

    if (!list)
        return (struct places){0};
    if (p->run->in_turn || !name.len || str_eq(name, STR("*")))
        return (struct places){list, false, list->len > 0, list->len};
    const struct index_name *found = map_get(list->names, name);
    return (struct places){list, true, found ? found->first : 0, found ? found->count : 0};
}

static const struct index_entry *next_place(struct places *s)
{
    const struct index_entry *entry = s->next ? &s->list->items[s->next - 1] : NULL;

    if (entry && s->by_name)
        s->next = entry->next;
    else if (entry)
        s->next = s->next < s->list->len ? s->next + 1 : 0;
    return entry;
}

static size_t candidates(void *ctx, const str query[4])
{
    return places_of(ctx, query).count;
}

static size_t lookup(void *ctx, struct arena *a, const str query[4], const struct value ***found)
{
    const struct pairing *p = ctx;
    struct places places = places_of(p, query);
    const struct index_entry *entry;
    struct found out = {0};

    while ((entry = next_place(&places))) {
        const struct value *view = find_in(p, entry, query);
        if (view)
            VEC_PUSH(a, &out, view);
    }
    *found = out.items;
    if (p->out->log.verbose)
        log_buffer_info(&p->out->log, "lookupCRs %.*s %.*s %.*s %.*s located %zu objects",
                        STR_ARG(go_quoted(a, query[0])), STR_ARG(go_quoted(a, query[1])),
                        STR_ARG(go_quoted(a, query[2])), STR_ARG(go_quoted(a, query[3])), out.len);
    return out.len;
}

static void pass_warning(void *ctx, str text)
{
    const struct pairing *p = ctx;

    log_buffer_warn(&p->out->log, "%.*s", STR_ARG(text));
}

/* Upstream: lookups give the objects themselves, so what templates change in them stays changed. */
static void change(void *ctx, const struct value *found, const struct value *now)
{
    const struct pairing *p = ctx;
    const struct objects *objects = &p->run->objects;

    for (size_t i = 0; i < objects->len; i++)
        if (objects->items[i].root == found)
            *objects->items[i].root = *value_copy(p->run->arena, now);
}

struct tmpl_hooks pair_hooks(struct pairing *p)
{
    return (struct tmpl_hooks){.ctx = p,
                               .lookup = lookup,
                               .candidates = candidates,
                               .changed = p->run->in_turn ? change : NULL,
                               .warn = pass_warning};
}
