/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - finds what a template reads, and a value for each field.
 *
 * The fields of a template are paths. A loop over a field reads its first element, "[0]", and what
 * its body reads is below that. index reads the member named by its second operand.
 */
#include "compare/helm/internal.h"
#include "tmpl/tree.h"

/* More than any honest template comes to; loops in loops multiply. */
#define NAMES_MAX 2000000

static const str first_element = STR_INIT("[0]");

struct paths {
    struct str_list *items;
    size_t len, cap;
};

struct finder {
    struct arena *arena;
    size_t names; /* in all paths that were made so far */
    bool too_many;
};

/* ---- Finding. ---- */

static void find(struct finder *f, const struct node *n, struct paths *out);

/* Adds a path with more behind it. */
static void add(struct finder *f, struct paths *out, const struct str_list *path, const str *more,
                size_t count)
{
    struct str_list joined = {.len = path->len + count};

    f->names += joined.len;
    f->too_many |= f->names > NAMES_MAX;
    if (f->too_many)
        return;
    joined.items = ARENA_ARRAY(f->arena, str, joined.len);
    for (size_t i = 0; i < path->len; i++)
        joined.items[i] = path->items[i];
    for (size_t i = 0; i < count; i++)
        joined.items[path->len + i] = more[i];
    VEC_PUSH(f->arena, out, joined);
}

static void find_in_children(struct finder *f, const struct node *n, size_t from, struct paths *out)
{
    for (size_t i = from; i < tmpl_node_children(n) && !f->too_many; i++)
        find(f, tmpl_node_child(n, i), out);
}

static void find_in_range(struct finder *f, const struct node *n, struct paths *out)
{
    struct paths over = {0}, body = {0};

    find(f, tmpl_node_child(n, 0), &over);
    find_in_children(f, n, 1, &body);
    for (size_t i = 0; i < over.len && !f->too_many; i++) {
        add(f, out, &over.items[i], &first_element, 1);
        if (f->too_many)
            return;
        const struct str_list element = out->items[out->len - 1];
        for (size_t k = 0; k < body.len; k++)
            add(f, out, &element, body.items[k].items, body.items[k].len);
    }
}

static bool is_index(const struct node *n)
{
    return tmpl_node_children(n) >= 3 &&
           tmpl_node_kind(tmpl_node_child(n, 0)) == TMPL_NODE_IDENTIFIER &&
           str_eq(tmpl_node_text(tmpl_node_child(n, 0)), STR("index"));
}

static void find_in_index(struct finder *f, const struct node *n, struct paths *out)
{
    const struct node *key = tmpl_node_child(n, 2);
    bool known = tmpl_node_kind(key) == TMPL_NODE_NUMBER || tmpl_node_kind(key) == TMPL_NODE_STRING;
    str text = known ? tmpl_node_text(key) : STR("");
    struct paths of = {0};

    find(f, tmpl_node_child(n, 1), &of);
    for (size_t i = 0; i < of.len && !f->too_many; i++)
        add(f, out, &of.items[i], &text, 1);
}

static void find(struct finder *f, const struct node *n, struct paths *out)
{
    const struct str_list none = {0};
    size_t count;
    const str *names = tmpl_node_names(n, &count);

    if (count)
        add(f, out, &none, names, count);
    else if (tmpl_node_kind(n) == TMPL_NODE_RANGE)
        find_in_range(f, n, out);
    else if (tmpl_node_kind(n) == TMPL_NODE_COMMAND && is_index(n))
        find_in_index(f, n, out);
    else
        find_in_children(f, n, 0, out);
}

/* ---- Building. ---- */

static bool is_element(str name)
{
    return name.len > 2 && name.ptr[0] == '[' && name.ptr[name.len - 1] == ']';
}

/* Members of mappings only: elements of lists are never found. */
static const struct value *find_default(const struct value *defaults, const struct str_list *path)
{
    const struct value *v = defaults;

    for (size_t i = 0; i < path->len && v; i++)
        v = value_get(v, path->items[i]);
    return v;
}

/* Makes v a list of one, with the element it has when it is a list, else with null. */
static void make_list(struct arena *a, struct value *v)
{
    struct value *list = value_list(a);

    if (value_is(v, VALUE_LIST) && v->len)
        value_add(a, list, &v->items[0]);
    else
        value_add(a, list, value_null(a));
    list->key = v->key;
    list->key_len = v->key_len;
    *v = *list;
}

/*
 * The place that name leads to from v, made when it is missing; NULL where there can be none. A
 * list has only the place of its first element.
 */
static struct value *step(struct arena *a, struct value *v, str name)
{
    struct value *member;

    if (v->kind == VALUE_LIST)
        return is_element(name) && v->len ? &v->items[0] : NULL;
    if (v->kind != VALUE_OBJECT)
        return NULL;
    member = value_get(v, name);
    return member ? member : value_set(a, v, name, value_null(a));
}

/* Puts item at the place of a path. Where the way leads through a scalar, nothing happens. */
static void put(struct arena *a, struct value *root, const struct str_list *path,
                const struct value *item)
{
    struct value *v = root;

    for (size_t i = 0; i < path->len; i++) {
        v = step(a, v, path->items[i]);
        if (!v)
            return;
        if (i + 1 == path->len)
            break;
        if (is_element(path->items[i + 1])) {
            make_list(a, v);
        } else if (v->kind == VALUE_NULL) {
            struct value kept = *v;
            *v = *value_object(a);
            v->key = kept.key;
            v->key_len = kept.key_len;
        }
    }
    struct value kept = *v;
    *v = *item;
    v->key = kept.key;
    v->key_len = kept.key_len;
}

struct keyed {
    str key; /* the elements joined by "_" */
    struct str_list path;
};

static int compare_keys(const void *x, const void *y)
{
    return str_cmp(((const struct keyed *)x)->key, ((const struct keyed *)y)->key);
}

/* The paths in the order in which they are put. */
static struct keyed *order(struct arena *a, const struct paths *paths)
{
    struct keyed *out = ARENA_ARRAY(a, struct keyed, paths->len);

    for (size_t i = 0; i < paths->len; i++) {
        out[i].path = paths->items[i];
        out[i].key = str_join(a, out[i].path.items, out[i].path.len, STR("_"));
    }
    if (paths->len)
        qsort(out, paths->len, sizeof(*out), compare_keys);
    return out;
}

bool helm_values(struct arena *a, const struct template *t, const struct value *defaults,
                 struct value **out, struct err *e)
{
    const struct node *root = tmpl_tree(t->set, t->name);
    struct finder finder = {.arena = a};
    struct paths paths = {0};

    *out = value_object(a);
    if (root)
        find(&finder, root, &paths);
    if (finder.too_many)
        return err_set(e, ERR_LIMIT, "template %.*s reads more fields than can be listed",
                       STR_ARG(t->path));
    const struct keyed *sorted = order(a, &paths);
    for (size_t i = 0; i < paths.len; i++) {
        const struct str_list *path = &sorted[i].path;
        const struct value *found = find_default(defaults, path);
        put(a, *out, path, found ? value_copy(a, found) : value_object(a));
    }
    return true;
}
