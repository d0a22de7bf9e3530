/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helm_values.c - what a template reads, and a value for each of it.
 *
 * The fields of a template are paths. A loop over a field reads the first element of it, "[0]", and
 * what its body reads is below that. index reads the member that its second operand names.
 */
#include "compare/helm_internal.h"
#include "tmpl/tree.h"

/* More than any honest template reads; loops in loops over many fields multiply. */
#define PATHS_MAX 100000

static const str first_element = STR_INIT("[0]");

struct paths {
    struct str_list *items;
    size_t len, cap;
    bool too_many;
};

/* ---- Finding. ---- */

static void find(struct arena *a, const struct node *n, struct paths *out);

static struct str_list joined(struct arena *a, const struct str_list *path, const str *more,
                              size_t count)
{
    struct str_list out = {.items = ARENA_ARRAY(a, str, path->len + count),
                           .len = path->len + count};

    for (size_t i = 0; i < path->len; i++)
        out.items[i] = path->items[i];
    for (size_t i = 0; i < count; i++)
        out.items[path->len + i] = more[i];
    return out;
}

static void add(struct arena *a, struct paths *out, struct str_list path)
{
    if (out->len < PATHS_MAX)
        VEC_PUSH(a, out, path);
    else
        out->too_many = true;
}

static void find_in_children(struct arena *a, const struct node *n, size_t from, struct paths *out)
{
    for (size_t i = from; i < tmpl_node_children(n) && !out->too_many; i++)
        find(a, tmpl_node_child(n, i), out);
}

static void find_in_range(struct arena *a, const struct node *n, struct paths *out)
{
    struct paths over = {0}, body = {0};

    find(a, tmpl_node_child(n, 0), &over);
    find_in_children(a, n, 1, &body);
    for (size_t i = 0; i < over.len && !out->too_many; i++) {
        struct str_list element = joined(a, &over.items[i], &first_element, 1);
        add(a, out, element);
        for (size_t k = 0; k < body.len && !out->too_many; k++)
            add(a, out, joined(a, &element, body.items[k].items, body.items[k].len));
    }
    out->too_many |= over.too_many || body.too_many;
}

static bool is_index(const struct node *n)
{
    return tmpl_node_children(n) >= 3 &&
           tmpl_node_kind(tmpl_node_child(n, 0)) == TMPL_NODE_IDENTIFIER &&
           str_eq(tmpl_node_text(tmpl_node_child(n, 0)), STR("index"));
}

static void find_in_index(struct arena *a, const struct node *n, struct paths *out)
{
    const struct node *key = tmpl_node_child(n, 2);
    bool known = tmpl_node_kind(key) == TMPL_NODE_NUMBER || tmpl_node_kind(key) == TMPL_NODE_STRING;
    str text = known ? tmpl_node_text(key) : STR("");
    struct paths of = {0};

    find(a, tmpl_node_child(n, 1), &of);
    for (size_t i = 0; i < of.len && !out->too_many; i++)
        add(a, out, joined(a, &of.items[i], &text, 1));
    out->too_many |= of.too_many;
}

static void find(struct arena *a, const struct node *n, struct paths *out)
{
    const struct str_list none = {0};
    size_t count;
    const str *names = tmpl_node_names(n, &count);

    if (count)
        add(a, out, joined(a, &none, names, count));
    else if (tmpl_node_kind(n) == TMPL_NODE_RANGE)
        find_in_range(a, n, out);
    else if (tmpl_node_kind(n) == TMPL_NODE_COMMAND && is_index(n))
        find_in_index(a, n, out);
    else
        find_in_children(a, n, 0, out);
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
    struct paths paths = {0};

    *out = value_object(a);
    if (root)
        find(a, root, &paths);
    if (paths.too_many)
        return err_set(e, ERR_LIMIT, "template %.*s reads more than %d fields", STR_ARG(t->path),
                       PATHS_MAX);
    const struct keyed *sorted = order(a, &paths);
    for (size_t i = 0; i < paths.len; i++) {
        const struct str_list *path = &sorted[i].path;
        const struct value *found = find_default(defaults, path);
        put(a, *out, path, found ? value_copy(a, found) : value_object(a));
    }
    return true;
}
