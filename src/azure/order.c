/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - sorts topologically, depth first, with an explicit stack.
 */
#include "azure/order.h"

/* An object to be sorted. */
struct node {
    VEC(size_t) before; /* indexes of nodes that come first */
    enum { WAITING, VISITING, PLACED } state;
};

struct givers {
    size_t *items;
    size_t len, cap;
};

struct ordering {
    struct arena *arena;
    struct node *nodes;
    struct map *givers; /* key of an object, or id in lowercase, to the struct givers of it */
};

static str key_text(struct arena *a, struct object_key key)
{
    if (!key.namespace.len)
        key.namespace = STR("default");
    return object_key_text(a, &key);
}

static void give(struct ordering *o, str text, size_t node)
{
    struct givers *g = map_get(o->givers, text);

    if (!text.len)
        return;
    if (!g) {
        g = ARENA_NEW(o->arena, struct givers);
        map_set(o->givers, text, g);
    }
    if (!g->len || g->items[g->len - 1] != node)
        VEC_PUSH(o->arena, g, node);
}

/* Makes node come after the objects that provide text. False when there are none. */
static bool need(struct ordering *o, str text, size_t node)
{
    const struct givers *g = map_get(o->givers, text);

    for (size_t i = 0; g && i < g->len; i++)
        if (g->items[i] != node)
            VEC_PUSH(o->arena, &o->nodes[node].before, g->items[i]);
    return g != NULL;
}

/* The same for a resource, or for the nearest one that contains it. */
static void need_id(struct ordering *o, str id, size_t node)
{
    str text = str_lower(o->arena, id);

    while (text.len && !need(o, text, node)) {
        size_t slash = str_rfind_char(text, '/');
        text = str_slice(text, 0, slash == STR_NPOS ? 0 : slash);
    }
}

static void link_nodes(struct ordering *o, const struct order_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        give(o, key_text(o->arena, items[i].key), i);
        give(o, str_lower(o->arena, items[i].id), i);
        for (size_t k = 0; k < items[i].needs->len; k++)
            if (need_is_export(&items[i].needs->items[k]))
                give(o, key_text(o->arena, items[i].needs->items[k].object), i);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < items[i].needs->len; k++) {
            const struct need *n = &items[i].needs->items[k];
            if (need_is_in_cluster(n) && !need_is_export(n))
                (void)need(o, key_text(o->arena, n->object), i);
            else if (n->reference.form == REFERENCE_ID)
                need_id(o, n->reference.id, i);
        }
}

static void place(struct ordering *o, size_t first, size_t *order, size_t *count)
{
    VEC(size_t) stack = {0};

    VEC_PUSH(o->arena, &stack, first);
    while (stack.len) {
        size_t i = stack.items[stack.len - 1];
        struct node *n = &o->nodes[i];
        if (n->state == WAITING) {
            n->state = VISITING;
            for (size_t k = n->before.len; k > 0; k--)
                if (o->nodes[n->before.items[k - 1]].state == WAITING)
                    VEC_PUSH(o->arena, &stack, n->before.items[k - 1]);
            continue;
        }
        stack.len--;
        if (n->state == VISITING) {
            n->state = PLACED;
            order[(*count)++] = i;
        }
    }
}

size_t *order_by_needs(struct arena *a, const struct order_item *items, size_t count)
{
    struct ordering o = {
        .arena = a, .nodes = ARENA_ARRAY(a, struct node, count + 1), .givers = map_new(a)};
    size_t *order = ARENA_ARRAY(a, size_t, count + 1), placed = 0;

    link_nodes(&o, items, count);
    for (size_t i = 0; i < count; i++)
        place(&o, i, order, &placed);
    return order;
}
