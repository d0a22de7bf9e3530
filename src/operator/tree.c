/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - how objects are related; see tree.h. */
#include "operator/tree.h"

#include "azure/resolve.h"
#include "base/map.h"

#include <stdlib.h>

struct tree {
    struct arena *arena;
    struct model *model;
    struct map *nodes; /* object_key_text to struct tree_node */
    bool linked;
};

struct tree *tree_new(struct arena *a, struct model *model)
{
    struct tree *t = ARENA_NEW(a, struct tree);

    *t = (struct tree){.arena = a, .model = model, .nodes = map_new(a)};
    return t;
}

void tree_add(struct tree *t, const struct value *object)
{
    struct tree_node *n = ARENA_NEW(t->arena, struct tree_node);
    const struct model_resource *resource;

    *n = (struct tree_node){.object = object, .key = object_key_of(object)};
    if (model_find_hub(t->model, n->key.group, n->key.kind, &resource, NULL))
        needs_of(t->arena, resource, object, &n->needs);
    for (size_t i = 0; i < n->needs.len; i++)
        if (n->needs.items[i].kind == NEED_OWNER && need_is_in_cluster(&n->needs.items[i]))
            n->wants = &n->needs.items[i].object;
    map_set(t->nodes, object_key_text(t->arena, &n->key), n);
}

static int by_kind_and_name(const void *x, const void *y)
{
    const struct tree_node *p = *(struct tree_node *const *)x, *q = *(struct tree_node *const *)y;
    int order = str_cmp(p->key.kind, q->key.kind);

    return order ? order : str_cmp(p->key.name, q->key.name);
}

/* An owner that is below the object itself would form a cycle; it is left out. */
static bool is_below(const struct tree_node *n, const struct tree_node *above)
{
    for (; n; n = n->owner)
        if (n == above)
            return true;
    return false;
}

static void link_owners(struct tree *t)
{
    for (size_t i = 0; i < map_len(t->nodes); i++) {
        struct tree_node *n = map_at(t->nodes, i);
        struct tree_node *owner = n->wants ? map_get(t->nodes, object_key_text(t->arena, n->wants))
                                           : NULL;
        if (!owner || is_below(owner, n))
            continue;
        n->owner = owner;
        owner->child_count++;
    }
    for (size_t i = 0; i < map_len(t->nodes); i++) {
        struct tree_node *n = map_at(t->nodes, i);
        n->children = ARENA_ARRAY(t->arena, struct tree_node *, n->child_count + 1);
        n->child_count = 0;
    }
    for (size_t i = 0; i < map_len(t->nodes); i++) {
        struct tree_node *n = map_at(t->nodes, i);
        struct tree_node *owner = (struct tree_node *)n->owner;
        if (owner)
            owner->children[owner->child_count++] = n;
    }
    for (size_t i = 0; i < map_len(t->nodes); i++) {
        struct tree_node *n = map_at(t->nodes, i);
        if (n->child_count)
            qsort(n->children, n->child_count, sizeof *n->children, by_kind_and_name);
    }
    t->linked = true;
}

const struct tree_node *tree_find(struct tree *t, const struct object_key *key)
{
    AUTO_ARENA a = arena_new();

    if (!t->linked)
        link_owners(t);
    return map_get(t->nodes, object_key_text(a, key));
}

str tree_state(const struct tree_node *n, str *message)
{
    struct condition ready = {0};

    if (!condition_get(value_get(n->object, STR("status")), STR("Ready"), &ready))
        ready.status = STR("Unknown");
    *message = ready.message;
    if (object_is_deleting(n->object) && !str_eq(ready.reason, STR("Deleting")))
        return STR("Deleting");
    if (str_eq(ready.status, STR("True")))
        return ready.generation && ready.generation != object_generation(n->object)
                   ? STR("Outdated")
                   : STR("Ready");
    return ready.reason.len ? ready.reason : STR("Unknown");
}
