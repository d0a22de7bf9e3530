/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - what Kubernetes guarantees; see model.h. */
#include "world/model.h"

const struct kind kinds[] = {
    {"", "configmaps", "ConfigMap", true, false},
    {"example.com", "gadgets", "Gadget", false, true},
    {"example.com", "widgets", "Widget", true, true},
};
const size_t kind_count = COUNT(kinds);

/* ---- Objects. ---- */

const struct value *meta_of(const struct value *object)
{
    return value_get(object, STR("metadata"));
}

str uid_of(const struct value *object)
{
    return value_get_str(meta_of(object), STR("uid"));
}

str key_of(struct arena *a, const struct kind *kind, const struct value *object)
{
    str name = value_get_str(meta_of(object), STR("name"));

    if (!kind->namespaced)
        return name;
    return str_fmt(a, "%.*s/%.*s", STR_ARG(value_get_str(meta_of(object), STR("namespace"))),
                   STR_ARG(name));
}

uint64_t version_of(struct model *m, const struct value *object)
{
    uint64_t version = 0;

    world_expect(m->world,
                 str_to_u64(value_get_str(meta_of(object), STR("resourceVersion")), &version),
                 "an object without a resourceVersion");
    return version;
}

bool is_deleting(const struct value *object)
{
    return value_get(meta_of(object), STR("deletionTimestamp")) != NULL;
}

bool has_finalizer(const struct value *object, const char *name)
{
    const struct value *list = value_get(meta_of(object), STR("finalizers"));

    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq(value_str(&list->items[i]), str_c(name)))
            return true;
    return false;
}

struct thing *model_thing(struct model *m, const struct kind *kind, str key)
{
    for (struct thing *t = m->things; t; t = t->next)
        if (t->kind == kind && str_eq(t->key, key))
            return t;
    return NULL;
}

struct thing *model_of_uid(struct model *m, str uid)
{
    for (struct thing *t = m->things; t; t = t->next)
        if (str_eq(uid_of(t->object), uid))
            return t;
    return NULL;
}

static void keep(struct thing *t, const struct value *object)
{
    arena_reset(t->arena);
    t->object = value_copy(t->arena, object);
    t->key = key_of(t->arena, t->kind, t->object);
}

void model_put(struct model *m, const struct kind *kind, const struct value *object)
{
    AUTO_ARENA a = arena_new();
    struct thing *t = model_thing(m, kind, key_of(a, kind, object));

    if (!t) {
        t = block_new(sizeof *t);
        *t = (struct thing){.next = m->things, .kind = kind, .arena = arena_new()};
        m->things = t;
        m->count++;
    }
    keep(t, object);
}

static void free_thing(struct thing *t)
{
    arena_free(t->arena);
    block_free(t);
}

void model_drop(struct model *m, struct thing *t)
{
    struct thing **at = &m->things;

    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    m->count--;
    free_thing(t);
}

void model_clear(struct model *m)
{
    while (m->things)
        model_drop(m, m->things);
}

/* ---- Garbage collection. ---- */

static const struct value *owners_of(const struct value *object)
{
    return value_get(meta_of(object), STR("ownerReferences"));
}

static bool waits_for_dependents(const struct value *object)
{
    return is_deleting(object) && has_finalizer(object, "foregroundDeletion");
}

/* The owner that a reference names, by name and uid, or NULL. */
static const struct thing *owner_of(struct model *m, const struct thing *t,
                                    const struct value *reference)
{
    const struct thing *owner = model_of_uid(m, value_get_str(reference, STR("uid")));
    str namespace = value_get_str(meta_of(t->object), STR("namespace"));

    if (!owner || !str_eq(value_get_str(meta_of(owner->object), STR("name")),
                          value_get_str(reference, STR("name"))))
        return NULL;
    if (owner->kind->namespaced &&
        !str_eq(value_get_str(meta_of(owner->object), STR("namespace")), namespace))
        return NULL;
    return owner;
}

/* Whether an owner exists and does not wait for its dependents to be deleted. */
static bool is_solid(struct model *m, const struct thing *t, const struct value *reference)
{
    const struct thing *owner = owner_of(m, t, reference);

    return owner && !waits_for_dependents(owner->object);
}

/*
 * Whether a reference may stay: also to an owner that is waiting, if not for this dependent. Such
 * dependents are deleted after their owner, or when they are looked at for another reason.
 */
static bool may_be_left(struct model *m, const struct thing *t, const struct value *reference)
{
    return is_solid(m, t, reference) ||
           (owner_of(m, t, reference) &&
            !value_is_true(value_get(reference, STR("blockOwnerDeletion"))));
}

static size_t count_solid(struct model *m, const struct thing *t)
{
    const struct value *owners = owners_of(t->object);
    size_t n = 0;

    for (size_t i = 0; i < value_len(owners); i++)
        n += is_solid(m, t, &owners->items[i]);
    return n;
}

static bool has_foreign_finalizer(const struct value *object)
{
    const struct value *list = value_get(meta_of(object), STR("finalizers"));

    for (size_t i = 0; i < value_len(list); i++)
        if (str_find_char(value_str(&list->items[i]), '/') != STR_NPOS)
            return true;
    return false;
}

static bool names_as_owner(const struct value *object, str uid, bool blocking)
{
    const struct value *owners = owners_of(object);

    for (size_t i = 0; i < value_len(owners); i++)
        if (str_eq(value_get_str(&owners->items[i], STR("uid")), uid) &&
            (!blocking || value_is_true(value_get(&owners->items[i], STR("blockOwnerDeletion")))))
            return true;
    return false;
}

static bool has_dependents(struct model *m, const struct thing *t, bool blocking)
{
    for (const struct thing *d = m->things; d; d = d->next)
        if (d != t && names_as_owner(d->object, uid_of(t->object), blocking))
            return true;
    return false;
}

/* Whether the collector may start or complete the deletion of t. */
static bool should_go(struct model *m, const struct thing *t)
{
    return value_len(owners_of(t->object)) && !count_solid(m, t);
}

static bool may_be_gone(struct model *m, const struct thing *t)
{
    if (has_foreign_finalizer(t->object))
        return false;
    if (has_finalizer(t->object, "foregroundDeletion"))
        return is_deleting(t->object) && !has_dependents(m, t, true);
    if (has_finalizer(t->object, "orphan"))
        return is_deleting(t->object) && !has_dependents(m, t, false);
    return should_go(m, t);
}

/* The object without what the collector may change. */
static struct value *rest_of(struct arena *a, const struct value *object)
{
    static const char *const changing[] = {"ownerReferences",   "finalizers",
                                           "deletionTimestamp", "deletionGracePeriodSeconds",
                                           "generation",        "resourceVersion"};
    struct value *copy = value_copy(a, object);

    for (size_t i = 0; i < COUNT(changing); i++)
        value_unset(value_get(copy, STR("metadata")), str_c(changing[i]));
    return copy;
}

/* References may be removed if their owners are gone, or orphan them. */
static void explain_references(struct model *m, const struct thing *t, const struct value *after)
{
    const struct value *before = owners_of(t->object);

    for (size_t i = 0; i < value_len(before); i++) {
        str uid = value_get_str(&before->items[i], STR("uid"));
        const struct thing *owner = model_of_uid(m, uid);

        if (names_as_owner(after, uid, false))
            continue;
        if (owner && is_deleting(owner->object) && has_finalizer(owner->object, "orphan"))
            continue;
        world_expect(m->world, !is_solid(m, t, &before->items[i]),
                     "%.*s lost the reference to an owner that is there", STR_ARG(t->key));
        world_expect(m->world, count_solid(m, t) > 0,
                     "%.*s lost a reference though it should be deleted", STR_ARG(t->key));
    }
}

void model_explain(struct model *m, const struct thing *t, const struct value *after)
{
    AUTO_ARENA a = arena_new();
    struct world *w = m->world;

    if (!after) {
        world_expect(w, may_be_gone(m, t), "%s %.*s was deleted by nobody", t->kind->plural,
                     STR_ARG(t->key));
        return;
    }
    world_expect(w, value_equal(rest_of(a, t->object), rest_of(a, after)),
                 "the collector changed %.*s in other ways than it may", STR_ARG(t->key));
    explain_references(m, t, after);
    if (is_deleting(after) && !is_deleting(t->object))
        world_expect(w, should_go(m, t), "the deletion of %.*s was begun by nobody",
                     STR_ARG(t->key));
    if (has_finalizer(t->object, "foregroundDeletion") &&
        !has_finalizer(after, "foregroundDeletion"))
        world_expect(w, !has_dependents(m, t, true), "%.*s did not wait for its dependents",
                     STR_ARG(t->key));
}

void model_check_collected(struct model *m)
{
    for (const struct thing *t = m->things; t; t = t->next) {
        const struct value *owners = owners_of(t->object);

        if (is_deleting(t->object)) {
            world_expect(m->world,
                         has_foreign_finalizer(t->object) ||
                             (waits_for_dependents(t->object) && has_dependents(m, t, true)),
                         "nothing holds %s %.*s, which is being deleted", t->kind->plural,
                         STR_ARG(t->key));
            continue;
        }
        for (size_t i = 0; i < value_len(owners); i++)
            world_expect(m->world, may_be_left(m, t, &owners->items[i]),
                         "%s %.*s names an owner that is gone", t->kind->plural, STR_ARG(t->key));
    }
}
