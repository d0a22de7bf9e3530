/* SPDX-License-Identifier: Apache-2.0 */
/* omit.c - reads the lists of fields that are not compared, and removes these fields. */
#include "compare/reference/omit_internal.h"
#include "base/hot.h"
#include "compare/log_buffer_internal.h"

static const char *const built_in[] = {
    "metadata.resourceVersion",
    "metadata.uid",
    "metadata.creationTimestamp",
    "metadata.generation",
    "metadata.managedFields",
    "metadata.selfLink",
    "metadata.generateName",
    "metadata.finalizers",
    "\"kubectl.kubernetes.io/last-applied-configuration\"",
    "metadata.annotations.\"kubectl.kubernetes.io/last-applied-configuration\"",
    "status",
};

struct value *omit_built_in(struct arena *a)
{
    struct value *list = value_list(a);

    for (size_t i = 0; i < COUNT(built_in); i++)
        value_set_str(a, value_add(a, list, value_object(a)), STR("pathToKey"), str_c(built_in[i]));
    return list;
}

struct value *omit_prepare(struct arena *a, struct value *doc, struct log_buffer *log)
{
    struct value *omit = value_get(doc, STR("fieldsToOmit"));

    if (!omit)
        omit = value_set(a, doc, STR("fieldsToOmit"), value_object(a));
    if (value_get_str(omit, STR("defaultOmitRef")).len == 0)
        value_set_str(a, omit, STR("defaultOmitRef"), STR(OMIT_BUILT_IN));
    if (!value_get(omit, STR("items")))
        value_set(a, omit, STR("items"), value_object(a));
    struct value *items = value_get(omit, STR("items"));
    if (value_get(items, STR(OMIT_BUILT_IN)))
        log_buffer_warn(log,
                        "fieldsToOmit.Map contains the key \"%s\", this will be overwritten with "
                        "default values",
                        OMIT_BUILT_IN);
    value_set(a, items, STR(OMIT_BUILT_IN), omit_built_in(a));
    return items;
}

bool omit_path_read(struct arena *a, str text, bool prefix, struct omit_path **out, struct err *e)
{
    *out = ARENA_NEW(a, struct omit_path);
    (*out)->prefix = prefix;
    (*out)->text = text;
    return path_parse_fields(a, text, &(*out)->path, e);
}

/* ---- Removing. ---- */

/*
 * Members of large objects are marked and removed together at the end: one by one, each would cost
 * a pass over its object.
 */
#define GONE UINT8_MAX /* as the tag of a member */

struct omission {
    struct arena *arena;
    struct value *object;
    omit_reporter *report; /* or NULL */
    void *ctx;
    struct map *gone; /* items of an object to how many of them are marked; NULL: none yet */
};

/* Addresses as keys of maps. */
static str address_key(const void *const *p)
{
    return str_of((const char *)p, sizeof(*p));
}

NOINLINE static size_t *find_gone(const struct omission *x, const struct value *v)
{
    const void *items = v->items;

    return map_get(x->gone, address_key(&items));
}

/* How many members of v are marked; NULL: none are. */
static size_t *gone_from(const struct omission *x, const struct value *v)
{
    return x->gone ? find_gone(x, v) : NULL;
}

static bool is_empty_object(const struct omission *x, const struct value *v)
{
    const size_t *gone = value_len(v) ? gone_from(x, v) : NULL;

    return v->kind == VALUE_OBJECT && v->len == (gone ? *gone : 0);
}

static void mark_gone(struct omission *x, struct value *v, struct value *member)
{
    size_t *gone = gone_from(x, v);

    if (!gone) {
        const void **items = ARENA_NEW(x->arena, const void *);
        *items = v->items;
        if (!x->gone)
            x->gone = map_new(x->arena);
        gone = ARENA_NEW(x->arena, size_t);
        map_set(x->gone, address_key(items), gone);
    }
    member->tag = GONE;
    ++*gone;
}

static void remove_member(struct omission *x, struct value *v, struct value *member)
{
    if (v->indexed)
        mark_gone(x, v, member);
    else
        value_remove(v, (size_t)(member - v->items));
}

static bool is_gone(void *ctx, const struct value *member)
{
    (void)ctx;
    return member->tag == GONE;
}

static bool sweep(void *ctx, struct value *v, size_t depth)
{
    (void)depth;
    if (v->kind == VALUE_OBJECT && v->indexed && gone_from(ctx, v))
        value_remove_if(v, is_gone, NULL);
    return true;
}

/*
 * Below v, through objects only: removes what all of the keys from step on lead to, and then, on
 * the way back, every mapping that is empty. Upstream tidies up even where nothing was removed.
 * Answers how many steps led to what was removed first, 0 when nothing was.
 */
static size_t remove_below(struct omission *x, struct value *v, const struct path *p, size_t step)
{
    struct value *child = value_get(v, p->steps[step].key);
    size_t removed = 0;

    if (!child || child->tag == GONE)
        return 0;
    if (step + 1 < p->len)
        removed = remove_below(x, child, p, step + 1);
    if (step + 1 == p->len || is_empty_object(x, child)) {
        remove_member(x, v, child);
        removed = removed ? removed : step + 1;
    }
    return removed;
}

static void omit_one(struct omission *x, const struct omit_path *entry, struct path path)
{
    path.len = path.len ? remove_below(x, x->object, &path, 0) : 0;
    if (path.len && x->report)
        x->report(x->ctx, entry, &path);
}

/* ---- Prefixes. ---- */

struct found_path {
    size_t entry; /* its number in the list */
    struct path path;
};

/*
 * The keys of a large object, for any number of prefixes. What one of them found is not found
 * again: it will be gone. next[i] is i, or a step towards the first key from i on that was not
 * found yet.
 */
struct keys {
    struct value **sorted;
    size_t *next;
    size_t len;
};

struct prefixes {
    struct arena *arena;
    VEC(struct found_path) found;
    VEC(const struct value *) matches; /* of one prefix */
    struct map *keys;                  /* objects to their struct keys; NULL: none yet */
};

static struct keys *keys_of(struct prefixes *x, const struct value *object)
{
    const void *node = object;
    struct keys *k = x->keys ? map_get(x->keys, address_key(&node)) : NULL;

    if (k)
        return k;
    const void **key = ARENA_NEW(x->arena, const void *);
    *key = object;
    k = ARENA_NEW(x->arena, struct keys);
    k->len = object->len;
    k->sorted = value_sorted(x->arena, object);
    k->next = ARENA_ARRAY(x->arena, size_t, k->len + 1);
    for (size_t i = 0; i <= k->len; i++)
        k->next[i] = i;
    if (!x->keys)
        x->keys = map_new(x->arena);
    map_set(x->keys, address_key(key), k);
    return k;
}

/* The first key from i on that was not found yet, or len. */
static size_t not_found_yet(const struct keys *k, size_t i)
{
    while (k->next[i] != i) {
        k->next[i] = k->next[k->next[i]];
        i = k->next[i];
    }
    return i;
}

/* Where keys that are not below prefix begin. */
static size_t lower_bound(const struct keys *k, str prefix)
{
    size_t from = 0, to = k->len;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (str_cmp(value_key(k->sorted[middle]), prefix) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static int by_place(const void *x, const void *y)
{
    const struct value *p = *(const struct value *const *)x, *q = *(const struct value *const *)y;

    return (p > q) - (p < q);
}

/* The members whose keys begin with prefix, in the order of the object. */
static void match_prefix(struct prefixes *x, const struct value *object, str prefix)
{
    x->matches.len = 0;
    if (!object->indexed) {
        for (size_t i = 0; i < object->len; i++)
            if (str_has_prefix(value_key(&object->items[i]), prefix))
                VEC_PUSH(x->arena, &x->matches, &object->items[i]);
        return;
    }
    struct keys *k = keys_of(x, object);
    size_t i = not_found_yet(k, lower_bound(k, prefix));
    for (; i < k->len && str_has_prefix(value_key(k->sorted[i]), prefix); i = not_found_yet(k, i)) {
        VEC_PUSH(x->arena, &x->matches, k->sorted[i]);
        k->next[i] = i + 1;
    }
    if (x->matches.len)
        qsort(x->matches.items, x->matches.len, sizeof(void *), by_place);
}

static void expand_prefix(struct prefixes *x, const struct value *root, const struct path *p,
                          size_t entry)
{
    struct path above = {p->steps, p->len - 1};
    const struct value *parent = path_resolve(&above, root);

    if (!value_is(parent, VALUE_OBJECT))
        return;
    match_prefix(x, parent, p->steps[p->len - 1].key);
    for (size_t i = 0; i < x->matches.len; i++) {
        struct step step = {.kind = STEP_KEY, .key = value_key(x->matches.items[i])};
        VEC_PUSH(x->arena, &x->found,
                 ((struct found_path){entry, path_append(x->arena, &above, step)}));
    }
}

/* All prefixes are expanded before anything is removed. */
void omit_fields_reporting(struct arena *a, struct value *object, const struct omit_list *list,
                           omit_reporter *report, void *ctx)
{
    struct omission x = {.arena = a, .object = object, .report = report, .ctx = ctx};
    struct prefixes expanded = {.arena = a};
    size_t next = 0;

    for (size_t i = 0; i < list->len; i++)
        if (list->items[i]->prefix)
            expand_prefix(&expanded, object, &list->items[i]->path, i);
    for (size_t i = 0; i < list->len; i++) {
        const struct omit_path *o = list->items[i];
        if (!o->prefix)
            omit_one(&x, o, o->path);
        for (; next < expanded.found.len && expanded.found.items[next].entry == i; next++)
            omit_one(&x, o, expanded.found.items[next].path);
    }
    if (x.gone)
        value_walk(object, sweep, &x);
}

void omit_fields(struct arena *a, struct value *object, const struct omit_list *list)
{
    omit_fields_reporting(a, object, list, NULL, NULL);
}
