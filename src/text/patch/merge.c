/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - applying and creating JSON Merge Patch; see patch.h.
 *
 * Merging works on nodes that open as they are merged, because upstream's result shows which were;
 * creating works on whole trees, because upstream decodes everything to float64 and back.
 */
#include "text/patch/internal.h"

#include "base/unicode.h"
#include "text/json/json.h"
#include "value/number.h"

static bool bad_doc(struct err *e)
{
    return err_set(e, ERR_INVALID, "Invalid JSON Document");
}

static bool bad_patch(struct err *e)
{
    return err_set(e, ERR_INVALID, "Invalid JSON Patch");
}

/* ---- Merging. ---- */

static void prune_nulls(struct arena *a, struct node *n);

/* Drops the null members of an opened object, at all depths. */
static void prune_object(struct arena *a, struct node *n)
{
    for (size_t i = 0; n->members && i < map_len(n->members->map); i++) {
        struct node *child = map_at(n->members->map, i);
        if (!child)
            node_remove_member(n, map_key(n->members->map, i));
        else if (child != &node_removed)
            prune_nulls(a, child);
    }
}

/* Lists keep their nulls, but the objects in them do not. */
static void prune_list(struct arena *a, struct node *n)
{
    for (size_t i = 0; i < n->list.len; i++)
        if (n->list.items[i].node)
            prune_nulls(a, n->list.items[i].node);
}

static void prune_nulls(struct arena *a, struct node *n)
{
    if (node_open_object(a, n))
        prune_object(a, n);
    else if (node_open_list(a, n))
        prune_list(a, n);
}

static void merge_objects(struct arena *a, struct node *doc, struct node *patch);

/* The result of merging over into n. */
static struct node *merge_nodes(struct arena *a, struct node *n, struct node *over)
{
    if (!node_open_object(a, n)) {
        prune_nulls(a, over);
        return over;
    }
    if (!node_open_object(a, over))
        return over; /* Upstream: objects in a list that replaces an object keep their nulls. */
    merge_objects(a, n, over);
    return n;
}

static void merge_member(struct arena *a, struct node *doc, str key, struct node *over)
{
    struct node *n = node_member(doc, key);

    if (!over) {
        node_remove_member(doc, key);
        return;
    }
    if (!n)
        prune_nulls(a, over);
    node_set_member(doc, key, n ? merge_nodes(a, n, over) : over);
}

static void merge_objects(struct arena *a, struct node *doc, struct node *patch)
{
    for (size_t i = 0; i < map_len(patch->members->map); i++)
        merge_member(a, doc, map_key(patch->members->map, i), map_at(patch->members->map, i));
}

/* Merges two whole documents, which are not null. */
static bool merge_docs(struct arena *a, struct node *doc, struct node *patch, struct node **out,
                       struct err *e)
{
    *out = patch;
    if (node_open_object(a, doc) && node_open_object(a, patch)) {
        merge_objects(a, doc, patch);
        *out = doc;
        return true;
    }
    prune_nulls(a, patch);
    return patch->state != NODE_RAW || bad_patch(e);
}

bool patch_merge(str doc, str patch, struct buf *out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    const struct value *doc_tree, *patch_tree;
    struct node *result;
    size_t before = out->len;

    if (!node_read(a, doc, &doc_tree, NULL))
        return bad_doc(e);
    if (!node_read(a, patch, &patch_tree, NULL))
        return bad_patch(e);
    if (doc_tree->kind == VALUE_NULL)
        return bad_doc(e);
    if (patch_tree->kind == VALUE_NULL)
        return bad_patch(e);
    if (merge_docs(a, node_new(a, doc.ptr, doc_tree), node_new(a, patch.ptr, patch_tree), &result,
                   e) &&
        node_write(out, result, e))
        return true;
    buf_truncate(out, before);
    return false;
}

/* ---- Creating. ---- */

/* The kind as Go's decoded data has it: all numbers are float64. */
static enum value_kind go_kind(const struct value *v)
{
    return v->kind == VALUE_INT ? VALUE_FLOAT : (enum value_kind)v->kind;
}

static bool matches(const struct value *x, const struct value *y);

static bool matches_number(const struct value *x, const struct value *y)
{
    double dx, dy;

    return number_to_double(value_text(x), &dx) && number_to_double(value_text(y), &dy) && dx == dy;
}

static bool matches_list(const struct value *x, const struct value *y)
{
    if (x->len != y->len)
        return false;
    for (size_t i = 0; i < x->len; i++)
        if (!matches(&x->items[i], &y->items[i]))
            return false;
    return true;
}

static bool matches_object(const struct value *x, const struct value *y)
{
    if (x->len != y->len)
        return false;
    for (size_t i = 0; i < x->len; i++) {
        const struct value *other = value_get(y, value_key(&x->items[i]));
        if (!other || !matches(&x->items[i], other))
            return false;
    }
    return true;
}

static bool matches(const struct value *x, const struct value *y)
{
    if (go_kind(x) != go_kind(y))
        return false;
    switch (go_kind(x)) {
    case VALUE_NULL:
        return true;
    case VALUE_BOOL:
        return x->truth == y->truth;
    case VALUE_INT:
    case VALUE_FLOAT:
        return matches_number(x, y);
    case VALUE_STRING:
        return str_eq(value_str(x), value_str(y));
    case VALUE_LIST:
        return matches_list(x, y);
    case VALUE_OBJECT:
        return matches_object(x, y);
    }
    return false;
}

/* How a patch is made. */
struct making {
    struct arena *arena;
    bool exact; /* numbers are compared exactly */
};

static bool same(const struct making *m, const struct value *x, const struct value *y)
{
    return m->exact ? value_equal(x, y) : matches(x, y);
}

/* The merge patch that makes new_ of old; both are objects. */
static struct value *diff_objects(const struct making *m, const struct value *old,
                                  const struct value *new_)
{
    struct arena *a = m->arena;
    struct value *out = value_object(a);

    for (size_t i = 0; i < value_len(new_); i++) {
        const struct value *after = &new_->items[i];
        const struct value *before = value_get(old, value_key(after));
        if (value_is(before, VALUE_OBJECT) && after->kind == VALUE_OBJECT) {
            const struct value *inner = diff_objects(m, before, after);
            if (inner->len)
                value_set(a, out, value_key(after), inner);
        } else if (!before || !same(m, before, after)) {
            value_set(a, out, value_key(after), after);
        }
    }
    for (size_t i = 0; i < value_len(old); i++)
        if (!value_get(new_, value_key(&old->items[i])))
            value_set(a, out, value_key(&old->items[i]), value_null(a));
    return out;
}

/* A null document counts as an empty object. */
static bool is_document(const struct value *v)
{
    return v->kind == VALUE_OBJECT || v->kind == VALUE_NULL;
}

static bool diff_documents(const struct making *m, const struct value *old,
                           const struct value *new_, struct value **out, struct err *e)
{
    if (!is_document(old) || !is_document(new_))
        return bad_doc(e);
    *out = diff_objects(m, old, new_);
    return true;
}

/* Two lists of documents give a list of patches. */
static bool diff_lists(const struct making *m, const struct value *old, const struct value *new_,
                       struct value **out, struct err *e)
{
    if (old->kind != VALUE_LIST || new_->kind != VALUE_LIST || old->len != new_->len)
        return bad_doc(e);
    *out = value_list(m->arena);
    for (size_t i = 0; i < old->len; i++) {
        struct value *one = NULL;
        if (!diff_documents(m, &old->items[i], &new_->items[i], &one, e))
            return false;
        value_add(m->arena, *out, one);
    }
    return true;
}

/* Upstream: what looks like a list is treated as one before anything is parsed. */
static bool resembles_list(str text)
{
    str s = unicode_trim(text);

    return str_has_prefix(s, STR("[")) && str_has_suffix(s, STR("]"));
}

static bool diff_texts(const struct making *m, str old, str new_, struct value **out, struct err *e)
{
    const struct read_options options = {.go = true, .any_number = m->exact};
    const struct source old_source = {.text = old}, new_source = {.text = new_};
    struct value *old_tree, *new_tree;
    bool list = resembles_list(old);

    if (list != resembles_list(new_))
        return err_set(e, ERR_INVALID, "Mismatched JSON Documents");
    if (!json_read(m->arena, &old_source, &options, &old_tree, NULL) ||
        !json_read(m->arena, &new_source, &options, &new_tree, NULL))
        return bad_doc(e);
    return list ? diff_lists(m, old_tree, new_tree, out, e)
                : diff_documents(m, old_tree, new_tree, out, e);
}

static bool create(bool exact, str old, str new_, struct buf *out, struct err *e)
{
    const struct json_style style = {
        .sorted = true, .html = true, .numbers = exact ? NUMBERS_EXACT : NUMBERS_FLOAT};
    AUTO_ARENA a = arena_new();
    const struct making m = {.arena = a, .exact = exact};
    struct value *diff = NULL;

    return diff_texts(&m, old, new_, &diff, e) && json_write(out, diff, &style, e);
}

bool patch_create_merge(str old, str new_, struct buf *out, struct err *e)
{
    return create(false, old, new_, out, e);
}

bool patch_create_merge_exact(str old, str new_, struct buf *out, struct err *e)
{
    return create(true, old, new_, out, e);
}

/* ---- On trees. ---- */

/*
 * Drops the members that over deletes, or without over those that are null. All at once, since
 * removing one takes a pass over the object.
 */
static void drop_members(struct arena *a, struct value *object, const struct value *over)
{
    size_t kept = 0;

    for (size_t i = 0; i < object->len; i++) {
        const struct value *judged = over ? value_get(over, value_key(&object->items[i]))
                                          : &object->items[i];
        if (!value_is(judged, VALUE_NULL))
            object->items[kept++] = object->items[i];
    }
    if (kept < object->len)
        value_adopt(a, object, VALUE_OBJECT, object->items, kept);
}

/* As prune_nulls. */
static void prune_tree(struct arena *a, struct value *v)
{
    if (!value_is_container(v))
        return;
    if (v->kind == VALUE_OBJECT)
        drop_members(a, v, NULL);
    for (size_t i = 0; i < v->len; i++)
        prune_tree(a, &v->items[i]);
}

/* Sets a member of an object, which is known when it is there already. */
static struct value *set_member(struct arena *a, struct value *object, struct value *member,
                                const struct value *v)
{
    if (!member)
        return value_set(a, object, value_key(v), v);
    const str key = value_key(member);
    *member = *v;
    member->key = key.ptr;
    member->key_len = (uint32_t)key.len;
    return member;
}

static void merge_into(struct arena *a, struct value *object, const struct value *over)
{
    bool deletes = false;

    for (size_t i = 0; i < over->len; i++) {
        const struct value *v = &over->items[i];
        struct value *member = value_get(object, value_key(v));
        bool opened = value_is(member, VALUE_OBJECT);
        if (v->kind == VALUE_NULL) {
            deletes |= member != NULL;
        } else if (opened && v->kind == VALUE_OBJECT) {
            merge_into(a, member, v);
        } else {
            const struct value *whole = value_is_container(v) ? value_clone(a, v) : v;
            struct value *copy = set_member(a, object, member, whole);
            if (!opened) /* Upstream: as in merge_nodes. */
                prune_tree(a, copy);
        }
    }
    if (deletes)
        drop_members(a, object, over);
}

struct value *patch_merge_values(struct arena *a, const struct value *base,
                                 const struct value *over)
{
    struct value *out =
        value_is(base, VALUE_OBJECT) && value_is(over, VALUE_OBJECT) ? value_clone(a, base) : NULL;

    if (!out) {
        out = value_clone(a, over);
        prune_tree(a, out);
    } else {
        merge_into(a, out, over);
    }
    return out;
}
