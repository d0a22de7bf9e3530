/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.c - nodes that stay text until they are accessed; see internal.h.
 */
#include "text/patch/internal.h"

#include "text/json/json.h"

struct node node_removed;

bool node_read(struct arena *a, str text, const struct value **out, struct err *e)
{
    static const struct read_options options = {.go = true, .any_number = true};
    const struct source source = {.text = text};
    struct value *tree;

    if (!json_read(a, &source, &options, &tree, e))
        return false;
    *out = tree;
    return true;
}

struct node *node_new(struct arena *a, const char *text, const struct value *tree)
{
    struct node *n = ARENA_NEW(a, struct node);

    n->raw = tree ? text + tree->pos - 1 : NULL;
    n->tree = tree;
    return n;
}

struct node *node_new_unread(struct arena *a, str text)
{
    struct node *n = ARENA_NEW(a, struct node);

    n->raw = text.ptr;
    n->unread = text.len;
    return n;
}

/* ---- Opening. ---- */

static bool begins_with(const struct node *n, char c)
{
    return n->raw && *n->raw == c;
}

/* Parses what was left unparsed. It cannot fail, since the text was written from parsed nodes. */
static void read_tree(struct arena *a, struct node *n)
{
    if (n->tree)
        return;
    bool ok = node_read(a, str_of(n->raw, n->unread), &n->tree, NULL);
    assert(ok);
    (void)ok;
}

/* The node of a member or element; NULL for null. */
static struct node *child_node(struct arena *a, const struct node *n, const struct value *v)
{
    return v->kind == VALUE_NULL ? NULL : node_new(a, n->raw - (n->tree->pos - 1), v);
}

static struct members *open_members(struct arena *a, const struct node *n)
{
    struct members *m = ARENA_NEW(a, struct members);

    m->map = map_new(a);
    m->count = n->tree->len;
    for (size_t i = 0; i < n->tree->len; i++) {
        const struct value *v = &n->tree->items[i];
        map_set(m->map, value_key(v), child_node(a, n, v));
    }
    return m;
}

bool node_open_object(struct arena *a, struct node *n)
{
    if (n->state == NODE_OBJECT)
        return true;
    if (!begins_with(n, '{') && !begins_with(n, 'n'))
        return false;
    read_tree(a, n);
    if (n->tree->kind == VALUE_OBJECT)
        n->members = open_members(a, n);
    n->state = NODE_OBJECT;
    return true;
}

bool node_open_list(struct arena *a, struct node *n)
{
    if (n->state == NODE_LIST)
        return true;
    if (!begins_with(n, '['))
        return false;
    read_tree(a, n);
    for (size_t i = 0; i < n->tree->len; i++)
        VEC_ADD(a, &n->list)->node = child_node(a, n, &n->tree->items[i]);
    n->state = NODE_LIST;
    return true;
}

/* ---- Members. ---- */

bool node_has_member(const struct node *n, str key)
{
    return n->members && map_has(n->members->map, key) &&
           map_get(n->members->map, key) != &node_removed;
}

struct node *node_member(const struct node *n, str key)
{
    return node_has_member(n, key) ? map_get(n->members->map, key) : NULL;
}

void node_set_member(struct node *n, str key, struct node *item)
{
    if (!node_has_member(n, key))
        n->members->count++;
    map_set(n->members->map, key, item);
}

bool node_remove_member(struct node *n, str key)
{
    if (!node_has_member(n, key))
        return false;
    n->members->count--;
    map_set(n->members->map, key, &node_removed);
    return true;
}

/* ---- The text of raw nodes. ---- */

/* The end of the string that begins at p, which is valid. */
static const char *skip_string(const char *p)
{
    for (p++; *p != '"'; p++)
        if (*p == '\\')
            p++;
    return p + 1;
}

/* Whether c can be part of a number, true, false or null. */
static bool is_literal(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' ||
           c == 'E';
}

/* The text of a scalar. */
static str scalar_text(const struct node *n)
{
    const char *end = n->raw;

    if (*end == '"')
        end = skip_string(end);
    else
        while (is_literal(*end))
            end++;
    return str_of(n->raw, (size_t)(end - n->raw));
}

/* ---- Comparing. ---- */

/* n is a scalar or the null of a patch: compares the spelling. */
static bool equal_scalar(const struct node *n, const struct node *other)
{
    if (other->state != NODE_RAW || begins_with(other, '{') || begins_with(other, '['))
        return false;
    if (!n->raw || !other->raw)
        return n->raw == other->raw;
    return str_eq(scalar_text(n), scalar_text(other));
}

static bool equal_objects(struct arena *a, struct node *n, struct node *other)
{
    size_t count = n->members ? n->members->count : 0;

    if (count != (other->members ? other->members->count : 0))
        return false;
    for (size_t i = 0; count && i < map_len(n->members->map); i++) {
        str key = map_key(n->members->map, i);
        struct node *mine = map_at(n->members->map, i);
        struct node *theirs = node_member(other, key);
        if (mine == &node_removed)
            continue;
        if (!node_has_member(other, key) || !mine != !theirs)
            return false;
        if (mine && !node_equal(a, mine, theirs))
            return false;
    }
    return true;
}

static bool is_null(const struct node *n)
{
    return !n || !n->raw || *n->raw == 'n';
}

/* Upstream: a null in the list crashes the original. Here null equals null. */
static bool equal_elements(struct arena *a, struct node *n, struct node *other)
{
    if (!n || !other)
        return is_null(n) && is_null(other);
    return node_equal(a, n, other);
}

static bool equal_lists(struct arena *a, struct node *n, struct node *other)
{
    if (n->list.len != other->list.len)
        return false;
    for (size_t i = 0; i < n->list.len; i++)
        if (!equal_elements(a, n->list.items[i].node, other->list.items[i].node))
            return false;
    return true;
}

bool node_equal(struct arena *a, struct node *n, struct node *other)
{
    if (node_open_object(a, n))
        return node_open_object(a, other) && equal_objects(a, n, other);
    if (node_open_list(a, n))
        return node_open_list(a, other) && equal_lists(a, n, other);
    return equal_scalar(n, other);
}

/* ---- Writing. ---- */

struct writer {
    struct buf *out;
    struct arena *arena; /* for sorting */
    size_t depth;
    bool too_deep;
};

static void enter(struct writer *w)
{
    if (++w->depth > VALUE_DEPTH_MAX)
        w->too_deep = true;
}

/* The length of what Go's compacting writer escapes at p, or 0. */
static size_t special_at(const char *p)
{
    if (*p == '<' || *p == '>' || *p == '&')
        return 1;
    /*
     * U+2028 and U+2029. The bytes after the first can be read: there is at least a closing quote.
     */
    return p[0] == '\xE2' && p[1] == '\x80' && (p[2] & ~1) == (char)0xA8 ? 3 : 0;
}

static void write_special(struct buf *out, const char *p)
{
    if (*p == '\xE2')
        buf_fmt(out, "\\u202%x", p[2] & 0xF);
    else
        buf_fmt(out, "\\u%04x", *p);
}

/* Copies the string at p with its own escapes and those of Go's writer; returns its end. */
static const char *write_string(struct buf *out, const char *p)
{
    const char *end = skip_string(p), *done = p;

    while (p < end) {
        size_t width = special_at(p);
        if (width) {
            buf_add(out, str_of(done, (size_t)(p - done)));
            write_special(out, p);
            done = p + width;
        }
        p += width ? width : 1;
    }
    buf_add(out, str_of(done, (size_t)(end - done)));
    return end;
}

/* Copies the list or object at p without blanks. */
static void write_raw_container(struct writer *w, const char *p)
{
    size_t outside = w->depth;

    do {
        if (*p == '"') {
            p = write_string(w->out, p);
            continue;
        }
        if (*p == '{' || *p == '[')
            enter(w);
        else if (*p == '}' || *p == ']')
            w->depth--;
        if (*p != ' ' && *p != '\n' && *p != '\t' && *p != '\r')
            buf_char(w->out, *p);
        p++;
    } while (w->depth > outside);
}

static void write_raw(struct writer *w, const struct node *n)
{
    if (!n->raw)
        buf_add(w->out, STR("null"));
    else if (*n->raw == '"')
        write_string(w->out, n->raw);
    else if (*n->raw == '{' || *n->raw == '[')
        write_raw_container(w, n->raw);
    else
        buf_add(w->out, scalar_text(n));
}

struct named {
    str key;
    const struct node *node;
};

static int compare_named(const void *x, const void *y)
{
    return str_cmp(((const struct named *)x)->key, ((const struct named *)y)->key);
}

static struct named *sorted_members(struct arena *a, const struct members *m)
{
    struct named *list = ARENA_ARRAY(a, struct named, m->count + 1);
    size_t n = 0;

    for (size_t i = 0; i < map_len(m->map); i++)
        if (map_at(m->map, i) != &node_removed)
            list[n++] = (struct named){map_key(m->map, i), map_at(m->map, i)};
    assert(n == m->count);
    qsort(list, n, sizeof(*list), compare_named);
    return list;
}

static void write_any(struct writer *w, const struct node *n);

static void write_object(struct writer *w, const struct members *m)
{
    struct arena_mark mark = arena_mark(w->arena);
    const struct named *list = sorted_members(w->arena, m);

    buf_char(w->out, '{');
    for (size_t i = 0; i < m->count; i++) {
        if (i)
            buf_char(w->out, ',');
        json_write_string(w->out, list[i].key, true);
        buf_char(w->out, ':');
        write_any(w, list[i].node);
    }
    buf_char(w->out, '}');
    arena_rewind(w->arena, mark);
}

static void write_list(struct writer *w, const struct node *n)
{
    buf_char(w->out, '[');
    for (size_t i = 0; i < n->list.len; i++) {
        if (i)
            buf_char(w->out, ',');
        write_any(w, n->list.items[i].node);
    }
    buf_char(w->out, ']');
}

static void write_opened(struct writer *w, const struct node *n)
{
    enter(w);
    if (w->too_deep)
        return;
    if (n->state == NODE_LIST)
        write_list(w, n);
    else
        write_object(w, n->members);
    w->depth--;
}

static void write_any(struct writer *w, const struct node *n)
{
    if (!n || (n->state == NODE_OBJECT && !n->members))
        buf_add(w->out, STR("null"));
    else if (n->state == NODE_RAW)
        write_raw(w, n);
    else
        write_opened(w, n);
}

bool node_write(struct buf *out, const struct node *n, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct writer w = {.out = out, .arena = a};

    write_any(&w, n);
    if (w.too_deep)
        return err_set(e, ERR_LIMIT, "exceeded max depth");
    return buf_check(out, e);
}
