/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect.c - garbage collection, like Kubernetes' garbage collector and namespace controller.
 *
 * Owners are identified by uid: an object that was deleted and recreated is a different one. When
 * the state of an object changes, everything that may need attention is queued; the queue is
 * processed piece by piece (store_collect), with ordinary writes. Nothing else is remembered: after
 * a start everything is simply looked at once. An object that has to wait for many others queues
 * them once and is looked at again whenever one of them goes; it knows without a search whether any
 * are left. So deletions take time in proportion to what they delete.
 *
 *   an object whose owners are all gone           is deleted
 *   one with some owners gone                     loses the references to them
 *   one that waits for its dependents (foreground)   has those that block it deleted, then goes
 *   one that orphans its dependents               has the references to it removed, then goes
 *   a namespace or a definition that is deleted   has its objects deleted, then goes
 */
#include "store/internal.h"
#include "object/object.h"

/* ---- The graph. ---- */

static struct store_owner *owner_node(struct store *s, str uid)
{
    struct store_owner *o = (struct store_owner *)table_find(s->owners, uid);

    if (o)
        return o;
    o = block_new(sizeof *o + uid.len);
    *o = (struct store_owner){0};
    char *text = (char *)o + sizeof *o;
    if (uid.len) /* may be missing in a file that somebody else has changed */
        memcpy(text, uid.ptr, uid.len);
    table_add(s->owners, &o->node, str_of(text, uid.len));
    return o;
}

static void add_edge(struct store *s, struct store_entry *n, const struct value *reference)
{
    str uid = value_get_str(reference, STR("uid"));
    struct store_owner *o = owner_node(s, uid);
    struct store_edge *edge = block_new(sizeof *edge);

    *edge = (struct store_edge){
        .next = o->edges,
        .back = &o->edges,
        .sibling = n->owners,
        .dependent = n,
        .owner = o,
        .blocks = value_is_true(value_get(reference, STR("blockOwnerDeletion"))) &&
                  !str_eq(uid, str_c(n->uid)),
    };
    o->blocking += edge->blocks;
    if (edge->next)
        edge->next->back = &edge->next;
    o->edges = edge;
    n->owners = edge;
}

static void drop_edges(struct store *s, struct store_entry *n)
{
    while (n->owners) {
        struct store_edge *edge = n->owners;
        n->owners = edge->sibling;
        *edge->back = edge->next;
        if (edge->next)
            edge->next->back = edge->back;
        edge->owner->blocking -= edge->blocks;
        if (!edge->owner->edges) {
            table_drop(s->owners, &edge->owner->node);
            block_free(edge->owner);
        }
        block_free(edge);
    }
}

/* Updates the count of n's namespace, depending on whether n is live. */
static void count_in_namespace(struct store *s, struct store_entry *n, bool live)
{
    struct store_namespace *namespace;

    if (!n->namespace.len || n->counted == live)
        return;
    n->counted = live;
    namespace = (struct store_namespace *)table_find(s->namespaces, n->namespace);
    if (!namespace) {
        namespace = block_new(sizeof *namespace + n->namespace.len);
        *namespace = (struct store_namespace){0};
        char *text = (char *)namespace + sizeof *namespace;
        memcpy(text, n->namespace.ptr, n->namespace.len);
        table_add(s->namespaces, &namespace->node, str_of(text, n->namespace.len));
    }
    namespace->live += live ? (size_t)1 : (size_t)-1;
    if (namespace->live)
        return;
    table_drop(s->namespaces, &namespace->node);
    block_free(namespace);
}

void store_graph_free(struct store *s)
{
    for (struct store_type *t = s->types; t; t = t->next)
        for (struct store_entry *n = t->objects.first[0]; n; n = n->next[0]) {
            drop_edges(s, n);
            count_in_namespace(s, n, false);
        }
}

/* ---- The queue. ---- */

void store_queue(struct store *s, struct store_entry *n)
{
    if (n->queued)
        return;
    n->queued = true;
    n->queue_next = NULL;
    n->queue_back = s->queue_end;
    *s->queue_end = n;
    s->queue_end = &n->queue_next;
    pthread_cond_signal(&s->tick);
}

static void unqueue(struct store *s, struct store_entry *n)
{
    if (!n->queued)
        return;
    n->queued = false;
    *n->queue_back = n->queue_next;
    if (n->queue_next)
        n->queue_next->queue_back = n->queue_back;
    else
        s->queue_end = n->queue_back;
}

static void queue_dependents(struct store *s, str uid)
{
    struct store_owner *o = (struct store_owner *)table_find(s->owners, uid);

    for (struct store_edge *edge = o ? o->edges : NULL; edge; edge = edge->next)
        if (store_live(edge->dependent))
            store_queue(s, edge->dependent);
}

static void queue_owners(struct store *s, const struct store_entry *n)
{
    for (struct store_edge *edge = n->owners; edge; edge = edge->sibling) {
        struct table_node *node = table_find(s->by_uid, edge->owner->node.key);
        size_t offset = offsetof(struct store_entry, by_uid);
        if (node)
            store_queue(s, (struct store_entry *)(void *)((char *)node - offset));
    }
}

/* The namespace and the definition that n belongs to, if any. */
static void find_containers(struct store *s, const struct store_entry *n,
                            struct store_entry *out[2])
{
    struct store_type *namespaces = store_type_find(s, STR_NONE, STR("namespaces"));

    out[0] = n->namespace.len ? store_order_find(&namespaces->objects, n->namespace) : NULL;
    out[1] = n->type->definition;
    for (size_t i = 0; i < 2; i++)
        if (out[i] && !store_live(out[i]))
            out[i] = NULL;
}

/* Queues those that wait until they are empty. */
static void queue_containers(struct store *s, const struct store_entry *n)
{
    struct store_entry *containers[2];

    find_containers(s, n, containers);
    for (size_t i = 0; i < 2; i++)
        if (containers[i])
            store_queue(s, containers[i]);
}

void store_graph_follow(struct store *s, struct store_entry *n, const struct value *tree)
{
    const struct value *meta = object_meta(tree);
    const struct value *references = value_get(meta, STR("ownerReferences"));
    str uid = value_get_str(meta, STR("uid"));

    queue_owners(s, n);
    if (n->uid[0] && !str_eq(str_c(n->uid), uid))
        queue_dependents(s, str_c(n->uid));
    drop_edges(s, n);
    if (n->uid[0])
        table_drop(s->by_uid, &n->by_uid);
    n->uid[0] = 0;
    n->swept = false;
    count_in_namespace(s, n, tree != NULL);
    if (!tree) {
        unqueue(s, n);
        queue_containers(s, n);
        return;
    }
    (void)snprintf(n->uid, sizeof n->uid, "%.*s", STR_ARG(uid));
    table_add(s->by_uid, &n->by_uid, str_c(n->uid));
    for (size_t i = 0; i < value_len(references); i++)
        add_edge(s, n, &references->items[i]);
    if (value_len(references) || value_get(meta, STR("deletionTimestamp")))
        store_queue(s, n);
}

/* ---- One object. ---- */

struct looking {
    struct store *store;
    struct arena *arena;
    struct store_entry *entry;
    struct value *tree, *meta;
};

/* What became of an owner. */
enum owner_state {
    OWNER_SOLID,   /* it is there */
    OWNER_GONE,    /* no object has that name and uid */
    OWNER_WAITING, /* it exists, and waits for its dependents to be deleted */
    OWNER_UNKNOWN, /* its type is not served */
};

static bool waits_for_dependents(struct looking *l, const struct store_entry *n)
{
    const struct value *tree = store_version_tree(l->arena, l->store, n->newest);

    return value_get(object_meta(tree), STR("deletionTimestamp")) &&
           object_has_finalizer(tree, STR("foregroundDeletion"));
}

static enum owner_state state_of(struct looking *l, const struct value *reference)
{
    str group, version, api = value_get_str(reference, STR("apiVersion"));
    str name = value_get_str(reference, STR("name")), uid = value_get_str(reference, STR("uid"));

    if (!str_cut(api, STR("/"), &group, &version)) {
        version = api;
        group = STR_NONE;
    }
    struct store_type *t =
        store_type_of_kind(l->store, group, value_get_str(reference, STR("kind")));
    const struct store_shape_version *as =
        t ? store_shape_version(store_type_shape(l->store, t), version) : NULL;
    if (!as || !as->served)
        return OWNER_UNKNOWN;
    str namespace = t->namespaced ? l->entry->namespace : STR_NONE;
    if (t->namespaced && !namespace.len)
        return OWNER_UNKNOWN;
    struct store_entry *n = store_order_find(&t->objects, object_path(l->arena, namespace, name));
    if (!store_live(n) || !str_eq(str_c(n->uid), uid))
        return OWNER_GONE;
    return waits_for_dependents(l, n) ? OWNER_WAITING : OWNER_SOLID;
}

/* Puts l's object; if it is being deleted and has no finalizers, completes the deletion. */
static void put(struct looking *l)
{
    bool deleting = value_get(object_make_meta(l->arena, l->tree), STR("deletionTimestamp"));

    if (deleting && !store_is_held(l->entry->type, l->tree))
        store_drop(l->store, l->entry);
    else
        store_put(l->store, l->arena, l->entry->type, l->tree);
}

/* Removes matching references and puts the object. */
static void drop_references(struct looking *l, const bool *drop)
{
    struct value *references = value_get(l->meta, STR("ownerReferences"));
    size_t kept = 0;

    for (size_t i = 0; i < value_len(references); i++)
        if (!drop[i])
            references->items[kept++] = references->items[i];
    if (kept)
        references->len = (uint32_t)kept;
    else
        value_unset(l->meta, STR("ownerReferences"));
    put(l);
}

/* Whether something below waits for its own dependents, too: a cycle, which would wait forever. */
static bool is_in_circle(struct looking *l)
{
    struct store_owner *o =
        (struct store_owner *)table_find(l->store->owners, str_c(l->entry->uid));

    for (struct store_edge *edge = o ? o->edges : NULL; edge; edge = edge->next)
        if (store_live(edge->dependent) && waits_for_dependents(l, edge->dependent))
            return true;
    return false;
}

static void unblock_owners(struct looking *l)
{
    struct value *references = value_get(l->meta, STR("ownerReferences"));
    bool changed = false;

    for (size_t i = 0; i < value_len(references); i++)
        if (value_is_true(value_get(&references->items[i], STR("blockOwnerDeletion")))) {
            value_set_bool(l->arena, &references->items[i], STR("blockOwnerDeletion"), false);
            changed = true;
        }
    if (changed)
        put(l);
}

static str usual_policy(const struct value *tree)
{
    if (object_has_finalizer(tree, STR("orphan")))
        return STR("Orphan");
    if (object_has_finalizer(tree, STR("foregroundDeletion")))
        return STR("Foreground");
    return STR("Background");
}

/* Looks at an object with owners, which may have to be deleted with them. */
static void look_at_owners(struct looking *l)
{
    struct value *references = value_get(l->meta, STR("ownerReferences"));
    size_t count = value_len(references), solid = 0, waiting = 0;
    bool *drop = ARENA_ARRAY(l->arena, bool, count + 1);

    for (size_t i = 0; i < count; i++) {
        enum owner_state state = state_of(l, &references->items[i]);
        if (state == OWNER_UNKNOWN)
            return;
        solid += state == OWNER_SOLID;
        waiting += state == OWNER_WAITING;
        drop[i] = state != OWNER_SOLID;
    }
    if (!count || (solid && solid == count))
        return;
    if (solid) {
        drop_references(l, drop);
    } else if (waiting && table_find(l->store->owners, str_c(l->entry->uid))) {
        if (is_in_circle(l))
            unblock_owners(l);
        store_delete_object(l->store, l->arena, l->entry, STR("Foreground"));
    } else {
        store_delete_object(l->store, l->arena, l->entry, usual_policy(l->tree));
    }
}

/* Foreground: dependents that block go first. Later ones are looked at separately. */
static void look_at_dependents(struct looking *l)
{
    struct store_owner *o =
        (struct store_owner *)table_find(l->store->owners, str_c(l->entry->uid));

    if (o && o->blocking) {
        for (struct store_edge *edge = l->entry->swept ? NULL : o->edges; edge; edge = edge->next)
            if (edge->blocks)
                store_queue(l->store, edge->dependent);
        l->entry->swept = true;
        return;
    }
    object_remove_finalizer(l->tree, STR("foregroundDeletion"));
    put(l);
}

/* Removes the references to this object; true if none are left. */
static void orphan_one(struct looking *l, struct store_entry *dependent)
{
    struct looking d = {.store = l->store, .arena = l->arena, .entry = dependent};

    d.tree = store_version_tree(l->arena, l->store, dependent->newest);
    d.meta = object_make_meta(l->arena, d.tree);
    struct value *references = value_get(d.meta, STR("ownerReferences"));
    bool *drop = ARENA_ARRAY(l->arena, bool, value_len(references) + 1);
    for (size_t i = 0; i < value_len(references); i++)
        drop[i] = str_eq(value_get_str(&references->items[i], STR("uid")), str_c(l->entry->uid));
    drop_references(&d, drop);
}

static void orphan_dependents(struct looking *l)
{
    struct store_owner *o;

    while ((o = (struct store_owner *)table_find(l->store->owners, str_c(l->entry->uid))))
        orphan_one(l, o->edges->dependent);
    /* If it names itself as owner, it has just been changed. */
    l->tree = store_version_tree(l->arena, l->store, l->entry->newest);
    object_remove_finalizer(l->tree, STR("orphan"));
    put(l);
}

/* ---- Namespaces and definitions. ---- */

/* Whether n's namespace or definition is being deleted, and n with it. */
static bool goes_along(const struct looking *l)
{
    struct store_entry *containers[2];

    find_containers(l->store, l->entry, containers);
    return (containers[0] && containers[0]->swept) || (containers[1] && containers[1]->swept);
}

/* The first object of a type, optionally in a namespace, from n on. */
static struct store_entry *next_in(struct store_entry *n, str namespace)
{
    while (n && !store_live(n))
        n = n->next[0];
    return n && (!namespace.len || str_eq(n->namespace, namespace)) ? n : NULL;
}

static struct store_entry *first_in(struct looking *l, struct store_type *t, str namespace)
{
    if (!namespace.len)
        return next_in(t->objects.first[0], namespace);
    return next_in(store_order_from(&t->objects, str_concat(l->arena, namespace, STR("/"))),
                   namespace);
}

static void sweep(struct looking *l, struct store_type *t, str namespace)
{
    for (struct store_entry *n = first_in(l, t, namespace); n; n = next_in(n->next[0], namespace))
        store_queue(l->store, n);
}

/*
 * Counts objects of types that are no longer served: they cannot be deleted, so nothing waits for
 * them.
 */
static size_t count_lost(struct looking *l, str namespace)
{
    size_t lost = 0;

    for (struct store_type *t = l->store->types; t; t = t->next)
        if (t->namespaced && t->gone && t->live)
            for (struct store_entry *n = first_in(l, t, namespace); n;
                 n = next_in(n->next[0], namespace))
                lost++;
    return lost;
}

static void empty_namespace(struct looking *l)
{
    const struct store_namespace *namespace =
        (struct store_namespace *)table_find(l->store->namespaces, l->entry->name);
    struct value *spec = value_get(l->tree, STR("spec"));

    if (!l->entry->swept)
        for (struct store_type *t = l->store->types; t; t = t->next)
            if (t->namespaced && !t->gone)
                sweep(l, t, l->entry->name);
    l->entry->swept = true;
    if (namespace && namespace->live > count_lost(l, l->entry->name))
        return;
    if (!value_len(value_get(spec, STR("finalizers"))))
        return;
    value_unset(spec, STR("finalizers"));
    put(l);
}

static void empty_definition(struct looking *l)
{
    size_t left = 0;

    for (struct store_type *t = l->store->types; t; t = t->next)
        if (t->definition == l->entry) {
            if (!l->entry->swept)
                sweep(l, t, STR_NONE);
            left += t->live;
        }
    l->entry->swept = true;
    if (left || !object_has_finalizer(l->tree, STR("customresourcecleanup.apiextensions.k8s.io")))
        return;
    object_remove_finalizer(l->tree, STR("customresourcecleanup.apiextensions.k8s.io"));
    put(l);
}

/* ---- All. ---- */

static bool is_of(const struct looking *l, const char *plural)
{
    return l->entry->type->builtin && str_eq(l->entry->type->plural, str_c(plural));
}

static void look(struct store *s, struct store_entry *n)
{
    AUTO_ARENA a = arena_new();
    struct looking l = {.store = s, .arena = a, .entry = n};

    l.tree = store_version_tree(a, s, n->newest);
    l.meta = object_make_meta(a, l.tree);
    if (!value_get(l.meta, STR("deletionTimestamp")) && goes_along(&l))
        store_delete_object(s, a, n, STR("Background"));
    else if (!value_get(l.meta, STR("deletionTimestamp")))
        look_at_owners(&l);
    else if (is_of(&l, "namespaces"))
        empty_namespace(&l);
    else if (is_of(&l, "customresourcedefinitions"))
        empty_definition(&l);
    else if (object_has_finalizer(l.tree, STR("foregroundDeletion")))
        look_at_dependents(&l);
    else if (object_has_finalizer(l.tree, STR("orphan")))
        orphan_dependents(&l);
}

bool store_collect(struct store *s, size_t max)
{
    for (uint64_t from = s->head, i = 0; i + s->head - from < max && s->queue; i++) {
        struct store_entry *n = s->queue;
        unqueue(s, n);
        look(s, n);
    }
    return s->queue != NULL;
}
