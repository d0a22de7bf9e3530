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

static size_t find(const struct value *list, const char *key, str wanted)
{
    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq(identity(&list->items[i], key), wanted))
            return i;
    return STR_NPOS;
}

static bool says(const struct value *patch, const char *what)
{
    return str_eq(value_get_str(patch, STR("$patch")), str_c(what));
}

static void merge_element(struct arena *a, struct value *list, const struct value *element,
                          const char *key, str path)
{
    size_t at = find(list, key, identity(element, key));

    if (says(element, "delete")) {
        if (at != STR_NPOS)
            value_remove(list, at);
    } else if (at == STR_NPOS) {
        value_add(a, list, merge(a, NULL, element, path));
    } else if (key[0]) {
        const struct value *merged = merge(a, &list->items[at], element, path);
        value_remove(list, at);
        value_insert(a, list, at, merged);
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
    list = value_clone(a, old);
    for (size_t i = 0; i < patch->len; i++)
        merge_element(a, list, &patch->items[i], key, path);
    return list;
}

/* Elements named in order come first, in that order. */
static void set_order(struct arena *a, struct value *list, const struct value *order,
                      const char *key)
{
    size_t next = 0;

    for (size_t i = 0; i < value_len(order); i++) {
        size_t at = find(list, key, identity(&order->items[i], key));
        if (at == STR_NPOS || at < next)
            continue;
        const struct value *element = value_clone(a, &list->items[at]);
        value_remove(list, at);
        value_insert(a, list, next++, element);
    }
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
        set_order(a, list, directive, by);
    if (!str_eq(key, STR("$deleteFromPrimitiveList")))
        return;
    for (size_t i = 0; i < value_len(directive); i++) {
        size_t at = find(list, "", value_text(&directive->items[i]));
        if (at != STR_NPOS)
            value_remove(list, at);
    }
}

static bool is_not_retained(void *ctx, const struct value *member)
{
    return find(ctx, "", value_key(member)) == STR_NPOS;
}

static void merge_member(struct arena *a, struct value *object, const struct value *member,
                         str path)
{
    str key = value_key(member);
    const struct value *old = value_get(object, key);

    if (value_is(member, VALUE_NULL) || says(member, "delete"))
        value_unset(object, key);
    else
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
        value_remove_if(object, is_not_retained, retained);
    for (size_t i = 0; i < patch->len; i++)
        if (!str_has_prefix(value_key(&patch->items[i]), STR("$")))
            merge_member(a, object, &patch->items[i], path);
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
