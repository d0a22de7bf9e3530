/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch.c - applying JSON Patch; see patch.h.
 *
 * Each operation finds the object or list that contains its target, opening everything on the way,
 * and changes it there. Messages are upstream's, mistakes included: a failing copy reports other
 * things than a failing move.
 */
#include "text/patch/internal.h"

#include "go/decode.h"
#include "go/quote.h"

/* One operation: its members, NULL when absent. */
struct op {
    const struct value *kind, *path, *from, *value;
};

struct patch {
    str text; /* what the positions in the trees count in */
    struct op *ops;
    size_t count;
};

/* One application. */
struct run {
    struct arena *arena;
    const struct patch *patch;
    struct node *doc; /* an opened object or list */
    size_t copied;    /* bytes that copy operations have added */
};

/* The container of what a path names, and the last part of the path. */
struct place {
    struct node *in;
    str key;
};

/* ---- Reading a patch. ---- */

static bool read_op(const struct value *v, struct op *op, struct err *e)
{
    if (v->kind == VALUE_NULL)
        return true; /* an operation without members */
    if (v->kind != VALUE_OBJECT)
        return err_set(e, ERR_INVALID,
                       "json: cannot unmarshal %s into Go value of type jsonpatch.Operation",
                       json_kind(v));
    op->kind = value_get(v, STR("op"));
    op->path = value_get(v, STR("path"));
    op->from = value_get(v, STR("from"));
    op->value = value_get(v, STR("value"));
    return true;
}

bool patch_read(struct arena *a, str text, struct patch **out, struct err *e)
{
    const struct value *tree;
    struct patch *p = ARENA_NEW(a, struct patch);

    p->text = str_copy(a, text);
    if (!node_read(a, p->text, &tree, e))
        return false;
    if (tree->kind != VALUE_LIST && tree->kind != VALUE_NULL)
        return err_set(e, ERR_INVALID,
                       "json: cannot unmarshal %s into Go value of type jsonpatch.Patch",
                       json_kind(tree));
    p->count = value_len(tree);
    p->ops = ARENA_ARRAY(a, struct op, p->count);
    for (size_t i = 0; i < p->count; i++)
        if (!read_op(&tree->items[i], &p->ops[i], e))
            return false;
    *out = p;
    return true;
}

/* ---- The members of an operation. ---- */

static bool is_missing(const struct value *v)
{
    return !v || v->kind == VALUE_NULL;
}

static str op_kind(const struct op *op)
{
    return value_is(op->kind, VALUE_STRING) ? value_str(op->kind) : STR("unknown");
}

/* A member that must be a string. missing is the message when it is absent. */
static bool op_text(const struct value *v, const char *missing, str *out, struct err *e)
{
    if (is_missing(v))
        return err_set(e, ERR_INVALID, "%s: missing value", missing);
    if (v->kind != VALUE_STRING)
        return err_set(e, ERR_INVALID, "json: cannot unmarshal %s into Go value of type string",
                       json_kind(v));
    *out = value_str(v);
    return true;
}

static bool op_path(const struct op *op, str *out, struct err *e)
{
    return op_text(op->path, "operation missing path field", out, e);
}

static bool op_from(const struct op *op, str *out, struct err *e)
{
    return op_text(op->from, "operation, missing from field", out, e);
}

/* As op_path, for the operations that do not report the reason. */
static bool op_path_or_missing(const struct op *op, const char *name, str *out, struct err *e)
{
    if (op_path(op, out, e))
        return true;
    return err_set(e, ERR_INVALID, "%s operation failed to decode path: missing value", name);
}

/* A new node for the value: NULL when it is absent, a node without text when it is null. */
static struct node *op_value(const struct run *r, const struct op *op)
{
    if (!op->value)
        return NULL;
    return node_new(r->arena, r->patch->text.ptr, is_missing(op->value) ? NULL : op->value);
}

/* ---- Paths. ---- */

/* A part of a path with ~1 and ~0 replaced. */
static str decode_part(struct arena *a, str part)
{
    if (str_find_char(part, '~') == STR_NPOS)
        return part;
    struct buf b = buf_new(a, BUF_UNLIMITED);
    for (size_t i = 0; i < part.len; i++) {
        str rest = str_from(part, i);
        bool tilde = str_has_prefix(rest, STR("~0")), slash = str_has_prefix(rest, STR("~1"));
        if (slash)
            buf_char(&b, '/');
        else
            buf_char(&b, part.ptr[i]);
        i += tilde || slash;
    }
    return buf_str(&b);
}

/*
 * What is wrong with an index, or NULL. Upstream: what follows the digit that made the number too
 * large is ignored.
 */
static const char *scan_index(str key, int64_t *out)
{
    bool negative = str_has_prefix(key, STR("-"));
    str digits = str_from(key, negative || str_has_prefix(key, STR("+")));
    uint64_t n = 0;

    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = (unsigned char)digits.ptr[i] - '0';
        if (digit > 9)
            return "invalid syntax";
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, digit, &n))
            return "value out of range";
    }
    if (n > (uint64_t)INT64_MAX + negative)
        return "value out of range";
    *out = (int64_t)(negative ? -n : n);
    return digits.len ? NULL : "invalid syntax";
}

/* As strconv.Atoi. */
static bool parse_index(struct run *r, str key, int64_t *out, struct err *e)
{
    const char *wrong = scan_index(key, out);

    if (!wrong)
        return true;
    str quoted = go_quoted(r->arena, key);
    return err_set(e, ERR_INVALID, "strconv.Atoi: parsing %.*s: %s", STR_ARG(quoted), wrong);
}

/* Turns an index, which may count from the end, into a position below count. */
static bool position(int64_t index, size_t count, size_t *out, struct err *e)
{
    int64_t n = (int64_t)count;

    if (index >= n || index < -n)
        return err_set(e, ERR_INVALID,
                       "Unable to access invalid index: %lld: invalid index referenced",
                       (long long)index);
    *out = (size_t)(index < 0 ? index + n : index);
    return true;
}

static bool find_element(struct run *r, const struct place *p, size_t *out, struct err *e)
{
    int64_t index = 0;

    return parse_index(r, p->key, &index, e) && position(index, p->in->list.len, out, e);
}

/* ---- Changing the target. ---- */

static bool place_get(struct run *r, const struct place *p, struct node **out, struct err *e)
{
    size_t i = 0;

    *out = NULL;
    if (p->in->state == NODE_OBJECT) {
        *out = node_member(p->in, p->key);
        return true;
    }
    if (!find_element(r, p, &i, e))
        return false;
    *out = p->in->list.items[i].node;
    return true;
}

/* Upstream: the original crashes here, with the same message. */
static bool check_members(const struct place *p, struct err *e)
{
    return p->in->members || err_set(e, ERR_INVALID, "assignment to entry in nil map");
}

static bool place_set(struct run *r, const struct place *p, struct node *item, struct err *e)
{
    size_t i = 0;

    if (p->in->state == NODE_OBJECT) {
        if (!check_members(p, e))
            return false;
        node_set_member(p->in, p->key, item);
        return true;
    }
    if (!find_element(r, p, &i, e))
        return false;
    p->in->list.items[i].node = item;
    return true;
}

static void insert_element(struct run *r, struct node *list, size_t at, struct node *item)
{
    VEC_ADD(r->arena, &list->list);
    struct element *items = list->list.items;
    memmove(items + at + 1, items + at, (list->list.len - 1 - at) * sizeof(*items));
    items[at].node = item;
}

static bool place_add(struct run *r, const struct place *p, struct node *item, struct err *e)
{
    int64_t index = 0;
    size_t at = p->in->list.len;

    if (p->in->state == NODE_OBJECT)
        return place_set(r, p, item, e);
    if (!str_eq(p->key, STR("-"))) {
        if (!parse_index(r, p->key, &index, e))
            return err_wrap(e, "value was not a proper array index: '%.*s'", STR_ARG(p->key));
        if (!position(index, p->in->list.len + 1, &at, e))
            return false;
    }
    insert_element(r, p->in, at, item);
    return true;
}

static bool place_remove(struct run *r, const struct place *p, struct err *e)
{
    size_t i = 0;

    if (p->in->state == NODE_OBJECT)
        return node_remove_member(p->in, p->key) ||
               err_set(e, ERR_INVALID, "Unable to remove nonexistent key: %.*s: missing value",
                       STR_ARG(p->key));
    if (!find_element(r, p, &i, e))
        return false;
    struct element *items = p->in->list.items;
    p->in->list.len--;
    memmove(items + i, items + i + 1, (p->in->list.len - i) * sizeof(*items));
    return true;
}

/* Descends from p->in to what part names, which must be an object or list. */
static bool descend(struct run *r, struct place *p, str part)
{
    struct node *next;

    p->key = decode_part(r->arena, part);
    if (!place_get(r, p, &next, NULL) || !next)
        return false;
    if (!node_open_list(r->arena, next) && !node_open_object(r->arena, next))
        return false;
    p->in = next;
    return true;
}

/*
 * Finds the container of what path names. Upstream: what comes before the first slash is ignored,
 * so that "b/c" is "/c".
 */
static bool find_place(struct run *r, str path, struct place *out)
{
    str part = STR_NONE, rest = STR_NONE;

    if (!str_cut(path, STR("/"), &part, &rest))
        return false;
    *out = (struct place){.in = r->doc};
    while (str_cut(rest, STR("/"), &part, &rest))
        if (!descend(r, out, part))
            return false;
    out->key = decode_part(r->arena, part);
    return true;
}

/* ---- Operations. ---- */

static bool op_add(struct run *r, const struct op *op, struct err *e)
{
    str path = STR_NONE;
    struct place p = {0};

    if (!op_path_or_missing(op, "add", &path, e))
        return false;
    if (!find_place(r, path, &p))
        return err_set(e, ERR_INVALID,
                       "add operation does not apply: doc is missing path: \"%.*s\": missing value",
                       STR_ARG(path));
    if (!place_add(r, &p, op_value(r, op), e))
        return err_wrap(e, "error in add for path: '%.*s'", STR_ARG(path));
    return true;
}

/* Upstream: a copy goes through text, with Go's escapes, which a later test sees. */
static bool copy_node(struct run *r, const struct node *n, struct node **out, struct err *e)
{
    struct buf text = buf_new(r->arena, BUF_UNLIMITED);

    *out = NULL;
    if (!n)
        return true;
    if (!node_write(&text, n, e))
        return err_wrap(e, "error while performing deep copy");
    r->copied += text.len;
    buf_char(&text, ' ');
    *out = node_new_unread(r->arena, buf_str(&text));
    return r->copied <= PATCH_COPY_MAX ||
           err_set(e, ERR_LIMIT,
                   "Unable to complete the copy, the accumulated size increase of copy is %zu, "
                   "exceeding the limit %zu",
                   r->copied, PATCH_COPY_MAX);
}

static bool copy_from(struct run *r, const struct op *op, struct node **out, struct err *e)
{
    str from = STR_NONE;
    struct place p = {0};

    if (!op_from(op, &from, e))
        return err_wrap(e, "copy operation failed to decode from");
    if (!find_place(r, from, &p))
        return err_set(e, ERR_INVALID,
                       "copy operation does not apply: doc is missing from path: %.*s: "
                       "missing value",
                       STR_ARG(from));
    if (!place_get(r, &p, out, e))
        return err_wrap(e, "error in copy for from: '%.*s'", STR_ARG(from));
    return true;
}

static bool op_copy(struct run *r, const struct op *op, struct err *e)
{
    str path = STR_NONE;
    struct place p = {0};
    struct node *item = NULL;

    if (!copy_from(r, op, &item, e) || !op_path_or_missing(op, "copy", &path, e))
        return false;
    if (!find_place(r, path, &p))
        return err_set(e, ERR_INVALID,
                       "copy operation does not apply: doc is missing destination path: %.*s: "
                       "missing value",
                       STR_ARG(path));
    if (!copy_node(r, item, &item, e))
        return false;
    return place_add(r, &p, item, e) || err_wrap(e, "error while adding value during copy");
}

static bool move_from(struct run *r, const struct op *op, struct node **out, struct err *e)
{
    str from = STR_NONE;
    struct place p = {0};

    if (!op_from(op, &from, e))
        return err_wrap(e, "move operation failed to decode from");
    if (!find_place(r, from, &p))
        return err_set(e, ERR_INVALID,
                       "move operation does not apply: doc is missing from path: %.*s: "
                       "missing value",
                       STR_ARG(from));
    if (!place_get(r, &p, out, e) || !place_remove(r, &p, e))
        return err_wrap(e, "error in move for path: '%.*s'", STR_ARG(p.key));
    return true;
}

static bool op_move(struct run *r, const struct op *op, struct err *e)
{
    str path = STR_NONE;
    struct place p = {0};
    struct node *item = NULL;

    if (!move_from(r, op, &item, e))
        return false;
    if (!op_path(op, &path, e))
        return err_wrap(e, "move operation failed to decode path");
    if (!find_place(r, path, &p))
        return err_set(e, ERR_INVALID,
                       "move operation does not apply: doc is missing destination path: %.*s: "
                       "missing value",
                       STR_ARG(path));
    if (!place_add(r, &p, item, e))
        return err_wrap(e, "error in move for path: '%.*s'", STR_ARG(path));
    return true;
}

static bool op_remove(struct run *r, const struct op *op, struct err *e)
{
    str path = STR_NONE;
    struct place p = {0};

    if (!op_path_or_missing(op, "remove", &path, e))
        return false;
    if (!find_place(r, path, &p))
        return err_set(e, ERR_INVALID,
                       "remove operation does not apply: doc is missing path: \"%.*s\": "
                       "missing value",
                       STR_ARG(path));
    if (!place_remove(r, &p, e))
        return err_wrap(e, "error in remove for path: '%.*s'", STR_ARG(path));
    return true;
}

static bool replace_doc(struct run *r, const struct op *op, struct err *e)
{
    struct node *n = op_value(r, op);

    if (!n || (!node_open_object(r->arena, n) && !node_open_list(r->arena, n)))
        return err_set(e, ERR_INVALID,
                       "replace operation value must be object or array: %%!w(<nil>)");
    r->doc = n;
    return true;
}

static bool op_replace(struct run *r, const struct op *op, struct err *e)
{
    str path = STR_NONE;
    struct place p = {0};
    struct node *before;

    if (!op_path(op, &path, e))
        return err_wrap(e, "replace operation failed to decode path");
    if (!path.len)
        return replace_doc(r, op, e);
    if (!find_place(r, path, &p))
        return err_set(e, ERR_INVALID,
                       "replace operation does not apply: doc is missing path: %.*s: missing value",
                       STR_ARG(path));
    if (!place_get(r, &p, &before, NULL))
        return err_set(e, ERR_INVALID,
                       "replace operation does not apply: doc is missing key: %.*s: missing value",
                       STR_ARG(path));
    if (!place_set(r, &p, op_value(r, op), e))
        return err_wrap(e, "error in remove for path: '%.*s'", STR_ARG(path));
    return true;
}

static bool passes(struct run *r, struct node *n, struct node *want)
{
    if (!n)
        return !want || !want->raw;
    return want && node_equal(r->arena, n, want);
}

/* Upstream: an absent member counts as null, and so does a test without a value. */
static bool op_test(struct run *r, const struct op *op, struct err *e)
{
    str path = STR_NONE;
    struct place p = {0};
    struct node *n = r->doc;

    if (!op_path(op, &path, e))
        return err_wrap(e, "test operation failed to decode path");
    if (path.len) {
        if (!find_place(r, path, &p))
            return err_set(e, ERR_INVALID,
                           "test operation does not apply: is missing path: %.*s: missing value",
                           STR_ARG(path));
        if (!place_get(r, &p, &n, e))
            return err_wrap(e, "error in test for path: '%.*s'", STR_ARG(path));
    }
    return passes(r, n, op_value(r, op)) ||
           err_set(e, ERR_INVALID, "testing value %.*s failed: test failed", STR_ARG(path));
}

/* By name. */
static const struct {
    const char *name;
    bool (*run)(struct run *r, const struct op *op, struct err *e);
} kinds[] = {
    {"add", op_add},       {"copy", op_copy},       {"move", op_move},
    {"remove", op_remove}, {"replace", op_replace}, {"test", op_test},
};

static bool run_op(struct run *r, const struct op *op, struct err *e)
{
    str kind = op_kind(op);

    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(kind, str_c(kinds[i].name)))
            return kinds[i].run(r, op, e);
    return err_set(e, ERR_INVALID, "Unexpected kind: %.*s", STR_ARG(kind));
}

/* ---- The whole. ---- */

static bool read_doc(struct run *r, str doc, struct err *e)
{
    const struct value *tree;

    if (!node_read(r->arena, doc, &tree, e))
        return false;
    r->doc = node_new(r->arena, doc.ptr, tree);
    /* Upstream: a patch is a list only if its text begins with one. */
    bool opened = doc.ptr[0] == '[' ? node_open_list(r->arena, r->doc)
                                    : node_open_object(r->arena, r->doc);
    if (!opened)
        return err_set(e, ERR_INVALID,
                       "json: cannot unmarshal %s into Go value of type jsonpatch.partialDoc",
                       json_kind(tree));
    return true;
}

static bool run_all(struct run *r, struct buf *out, struct err *e)
{
    for (size_t i = 0; i < r->patch->count; i++)
        if (!run_op(r, &r->patch->ops[i], e))
            return false;
    return node_write(out, r->doc, e);
}

bool patch_apply(const struct patch *p, str doc, struct buf *out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct run r = {.arena = a, .patch = p};
    size_t before = out->len;

    if (!doc.len)
        return true;
    if (read_doc(&r, doc, e) && run_all(&r, out, e))
        return true;
    buf_truncate(out, before);
    return false;
}
