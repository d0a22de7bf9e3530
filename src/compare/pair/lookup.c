/* SPDX-License-Identifier: Apache-2.0 */
/* lookup.c - finds other objects for templates while they run for an object. */
#include "compare/pair/pair_internal.h"
#include "go/quote.h"

static bool field_fits(str wanted, str found)
{
    return !wanted.len || str_eq(wanted, STR("*")) || str_eq(wanted, found);
}

static bool object_fits(const struct value *object, const str query[4])
{
    struct identity i = identity_of(object);

    return str_eq(i.api_version, query[TMPL_API_VERSION]) && str_eq(i.kind, query[TMPL_KIND]) &&
           field_fits(query[TMPL_NAMESPACE], i.namespace) && field_fits(query[TMPL_NAME], i.name);
}

/*
 * Objects that come earlier have lost their omitted fields by now, this one those of the candidates
 * so far, later ones nothing. One by one they are just what they are.
 */
static const struct value *view_of(const struct pairing *p, size_t index)
{
    const struct object *o = &p->run->objects.items[index];

    if (p->run->in_turn)
        return o->root;
    if (index == p->object->index)
        return p->root;
    return index < p->object->index && o->reduced ? o->reduced : o->root;
}

struct found {
    const struct value **items;
    size_t len, cap;
};

static const struct index_list *objects_of(const struct pairing *p, str kind)
{
    const struct map *kinds = p->run->by_kind;

    return kinds ? map_get(kinds, kind) : NULL;
}

static size_t candidates(void *ctx, const str query[4])
{
    const struct index_list *list = objects_of(ctx, query[TMPL_KIND]);

    return list ? list->len : 0;
}

static size_t lookup(void *ctx, struct arena *a, const str query[4], const struct value ***found)
{
    const struct pairing *p = ctx;
    const struct index_list *list = objects_of(p, query[TMPL_KIND]);
    struct found out = {0};

    for (size_t i = 0; list && i < list->len; i++) {
        const struct value *view = view_of(p, list->items[i]);
        if (object_fits(view, query))
            VEC_PUSH(a, &out, view);
    }
    *found = out.items;
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
