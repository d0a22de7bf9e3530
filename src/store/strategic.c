/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic.c - strategic merge patches, only for the built-in types: kubectl apply and edit send
 * them for every type that is compiled into kubectl.
 *
 * Like a merge patch, but some lists are merged element by element, and a patch may contain
 * directives:
 *
 *   $patch: replace | delete        of the object or element they are in
 *   $retainKeys: [a, b]             all other members are removed
 *   $deleteFromPrimitiveList/NAME   elements to remove from the list NAME
 *   $setElementOrder/NAME           the order of the list NAME
 *
 * To add a list that is merged: a line in the table.
 */
#include "store/internal.h"

#include "base/map.h"
#include "value/value.h"

static const struct {
    const char *path, *key; /* key is empty: elements are texts */
} merged_lists[] = {
    {".metadata.finalizers", ""},
    {".metadata.ownerReferences", "uid"},
    {".status.conditions", "type"},
};

static struct value *merge(struct arena *a, const struct value *old, const struct value *patch,
                           str path);

/* NULL if a list is replaced as a whole. */
static const char *merge_key(str path)
{
    for (size_t i = 0; i < COUNT(merged_lists); i++)
        if (str_eq(path, str_c(merged_lists[i].path)))
            return merged_lists[i].key;
    return NULL;
}

/* The identity of an element. */
static str identity(const struct value *element, const char *key)
{
    return key[0] ? value_get_str(element, str_c(key)) : value_text(element);
}

static bool says(const struct value *patch, const char *what)
{
    return str_eq(value_get_str(patch, STR("$patch")), str_c(what));
}

/* ---- Lists. ---------------------------------------------------------------------------------- */

/* The elements of a list, found by their identities: a search for each would take minutes. */
struct slot {
    const struct value *element; /* NULL: it was taken out */
    struct slot *next;           /* with the same identity */
};

struct slots {
    struct slot *items;
    size_t count;
    struct map *first; /* by identity */
};

/* With room for more elements. */
static struct slots slots_of(struct arena *a, const struct value *list, const char *key,
                             size_t more)
{
    struct slots s = {.items = ARENA_ARRAY(a, struct slot, value_len(list) + more),
                      .count = value_len(list),
                      .first = map_new(a)};

    for (size_t i = s.count; i > 0; i--) {
        str id = identity(&list->items[i - 1], key);
        s.items[i - 1] = (struct slot){&list->items[i - 1], map_get(s.first, id)};
        map_set(s.first, id, &s.items[i - 1]);
    }
    return s;
}

static void slots_add(struct slots *s, str id, const struct value *element)
{
    struct slot *slot = &s->items[s->count++];

    *slot = (struct slot){element, NULL};
    map_set(s->first, id, slot);
}

static void add_rest(struct arena *a, struct value *list, const struct slots *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].element)
            value_add(a, list, s->items[i].element);
}

static void merge_element(struct arena *a, struct slots *s, const struct value *element,
                          const char *key, str path)
{
    str id = identity(element, key);
    struct slot *slot = map_get(s->first, id);

    if (says(element, "delete")) {
        if (slot) {
            slot->element = NULL;
            map_set(s->first, id, slot->next);
        }
    } else if (!slot) {
        slots_add(s, id, merge(a, NULL, element, path));
    } else if (key[0]) {
        slot->element = merge(a, slot->element, element, path);
    }
}

static struct value *merge_list(struct arena *a, const struct value *old, const struct value *patch,
                                str path)
{
    const char *key = merge_key(path);
    struct value *list;

    if (!key || !value_is(old, VALUE_LIST) || !value_is(patch, VALUE_LIST))
        return value_clone(a, patch);
    for (size_t i = 0; i < patch->len; i++)
        if (says(&patch->items[i], "replace")) {
            list = value_clone(a, patch);
            value_remove(list, i);
            return list;
        }
    struct slots slots = slots_of(a, old, key, patch->len);
    for (size_t i = 0; i < patch->len; i++)
        merge_element(a, &slots, &patch->items[i], key, path);
    list = value_list(a);
    add_rest(a, list, &slots);
    return list;
}

/* The list with the elements named in order first, in that order. */
static struct value *in_order(struct arena *a, const struct value *list, const struct value *order,
                              const char *key)
{
    struct slots slots = slots_of(a, list, key, 0);
    struct value *out = value_list(a);

    for (size_t i = 0; i < value_len(order); i++) {
        struct slot *slot = map_get(slots.first, identity(&order->items[i], key));
        if (!slot || !slot->element)
            continue;
        value_add(a, out, slot->element);
        slot->element = NULL;
    }
    add_rest(a, out, &slots);
    return out;
}

/* ---- Objects. -------------------------------------------------------------------------------- */

static struct map *texts_of(struct arena *a, const struct value *list)
{
    struct map *texts = map_new(a);

    for (size_t i = 0; i < value_len(list); i++)
        map_set(texts, value_text(&list->items[i]), NULL);
    return texts;
}

static bool is_listed(void *ctx, const struct value *element)
{
    return map_has(ctx, value_text(element));
}

static bool is_named(void *ctx, const struct value *member)
{
    return map_has(ctx, value_key(member));
}

static bool is_not_retained(void *ctx, const struct value *member)
{
    return !is_named(ctx, member);
}

/* A member of a patch whose name begins with "$". */
static void obey(struct arena *a, struct value *object, const struct value *directive, str path)
{
    str name, key = value_key(directive);

    if (!str_cut(key, STR("/"), &key, &name))
        return;
    struct value *list = value_get(object, name);
    const char *by = merge_key(str_fmt(a, "%.*s.%.*s", STR_ARG(path), STR_ARG(name)));
    if (!value_is(list, VALUE_LIST))
        return;
    if (str_eq(key, STR("$setElementOrder")) && by)
        value_set(a, object, name, in_order(a, list, directive, by));
    else if (str_eq(key, STR("$deleteFromPrimitiveList")) && value_is(directive, VALUE_LIST))
        value_remove_if(list, is_listed, texts_of(a, directive));
}

static bool takes_out(const struct value *member)
{
    return value_is(member, VALUE_NULL) || says(member, "delete");
}

/* All at once: an object with many members takes as long for one. */
static void take_out(struct arena *a, struct value *object, const struct value *patch)
{
    struct map *names = NULL;

    for (size_t i = 0; i < patch->len; i++) {
        if (!takes_out(&patch->items[i]))
            continue;
        if (!names)
            names = map_new(a);
        map_set(names, value_key(&patch->items[i]), NULL);
    }
    if (names)
        value_remove_if(object, is_named, names);
}

static void merge_member(struct arena *a, struct value *object, const struct value *member,
                         str path)
{
    str key = value_key(member);
    const struct value *old = value_get(object, key);

    if (!takes_out(member))
        value_set(a, object, key,
                  merge(a, old, member, str_fmt(a, "%.*s.%.*s", STR_ARG(path), STR_ARG(key))));
}

static struct value *merge_object(struct arena *a, const struct value *old,
                                  const struct value *patch, str path)
{
    bool fresh = !value_is(old, VALUE_OBJECT) || says(patch, "replace");
    struct value *object = fresh ? value_object(a) : value_clone(a, old);
    struct value *retained = value_get(patch, STR("$retainKeys"));

    if (value_is(retained, VALUE_LIST))
        value_remove_if(object, is_not_retained, texts_of(a, retained));
    for (size_t i = 0; i < patch->len; i++)
        if (!str_has_prefix(value_key(&patch->items[i]), STR("$")))
            merge_member(a, object, &patch->items[i], path);
    take_out(a, object, patch);
    for (size_t i = 0; i < patch->len; i++)
        if (str_has_prefix(value_key(&patch->items[i]), STR("$")))
            obey(a, object, &patch->items[i], path);
    return object;
}

static struct value *merge(struct arena *a, const struct value *old, const struct value *patch,
                           str path)
{
    if (value_is(patch, VALUE_OBJECT))
        return merge_object(a, old, patch, path);
    if (value_is(patch, VALUE_LIST))
        return merge_list(a, old, patch, path);
    return value_clone(a, patch);
}

struct value *store_strategic_merge(struct arena *a, const struct value *old,
                                    const struct value *patch)
{
    return merge(a, old, patch, STR_NONE);
}
