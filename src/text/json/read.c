/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - JSON to value; see json.h.
 *
 * There is no recursion. Finished nodes are collected on one stack; a frame remembers where the
 * children of an open list or object begin on it. When one is closed, its children move from the
 * stack to a block in the caller's arena that fits exactly, and its own node becomes the last child
 * of the frame below:
 *
 *     {"a": [1, 2     nodes:  (a: list) 1 2        frames:  { from 0    [ from 1
 *
 * The stack and the indexes that find duplicate keys live in arenas of the reader, which are gone
 * when it returns, so that the tree costs nothing but its nodes.
 */
#include "text/json/internal.h"

#define NO_MEMBER UINT32_MAX

/* An open list or object. */
struct json_frame {
    uint32_t from;    /* its own node; the children follow it on the stack */
    uint32_t replace; /* objects: the member that the value being read replaces, or NO_MEMBER */
    struct value_index index;
    struct arena_mark mark; /* before the index was made */
};

static const struct read_options default_options = {0};

static const char *read_bool(struct json_reader *r, const char *p, struct value *v)
{
    v->kind = VALUE_BOOL;
    v->truth = *p == 't';
    return json_read_literal(r, p, v->truth ? STR("true") : STR("false"));
}

static inline const char *read_text(struct json_reader *r, const char *p, struct value *v)
{
    str s;

    p = json_read_string(r, p + 1, &s);
    if (!p)
        return NULL;
    v->kind = VALUE_STRING;
    v->text = s.ptr;
    v->len = (uint32_t)s.len;
    return p;
}

/* ---- Lists and objects. ---- */

static inline const char *skip_blanks(struct json_reader *r, const char *p)
{
    while (p < r->end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

static const char *fail_nodes(struct json_reader *r, const char *p)
{
    err_set(r->e, ERR_LIMIT, "more than the limit of %zu values", r->nodes_max);
    return json_fail_at(r, p);
}

static void grow_nodes(struct json_reader *r)
{
    size_t cap = r->node_cap ? 2 * r->node_cap : 256;

    r->nodes = arena_grow(r->node_arena, r->nodes, r->node_cap * sizeof(*r->nodes),
                          arena_array_size(cap, sizeof(*r->nodes)));
    r->node_cap = cap;
}

/*
 * Pushes a node for the value that begins at p, and returns p. The limit is checked only when the
 * stack grows and when nodes leave it, which bounds memory just as well at no cost.
 */
static inline const char *push_node(struct json_reader *r, const char *p)
{
    if (UNLIKELY(r->node_count == r->node_cap)) {
        if (r->done + r->node_count >= r->nodes_max)
            return fail_nodes(r, p);
        grow_nodes(r);
    }
    r->nodes[r->node_count++] = (struct value){.pos = (uint32_t)(p - r->begin) + 1};
    return p;
}

static struct json_frame *push_frame(struct json_reader *r)
{
    if (r->depth == r->frame_cap) {
        size_t cap = r->frame_cap ? 2 * r->frame_cap : 32;
        r->frames = arena_grow(r->frame_arena, r->frames, r->frame_cap * sizeof(*r->frames),
                               arena_array_size(cap, sizeof(*r->frames)));
        r->frame_cap = cap;
    }
    struct json_frame *f = &r->frames[r->depth++];
    *f = (struct json_frame){.from = (uint32_t)r->node_count - 1, .replace = NO_MEMBER};
    return f;
}

static const char *fail_depth(struct json_reader *r, const char *p)
{
    json_fail_byte(r, p, "exceeded max depth");
    if (r->e)
        r->e->kind = ERR_LIMIT;
    return NULL;
}

/* Makes the node that was pushed last an open list or object. */
static const char *open_container(struct json_reader *r, const char *p, enum value_kind kind)
{
    if (r->depth >= VALUE_DEPTH_MAX)
        return fail_depth(r, p);
    r->nodes[r->node_count - 1].kind = (uint8_t)kind;
    push_frame(r);
    return p + 1;
}

/* At the closing bracket p: moves the children from the stack to a block of their own. */
static const char *close_container(struct json_reader *r, const char *p)
{
    struct json_frame *f = &r->frames[--r->depth];
    struct value *v = &r->nodes[f->from];
    size_t n = r->node_count - f->from - 1;

    if (r->done + n >= r->nodes_max)
        return fail_nodes(r, p);
    value_adopt(r->arena, v, (enum value_kind)v->kind, v + 1, n);
    r->done += n;
    r->node_count = (size_t)f->from + 1;
    if (f->index.cap)
        arena_rewind(r->index_arena, f->mark);
    return p + 1;
}

/* The key as shown in messages: quoted and no longer than a line. */
static str shown_key(struct arena *a, str key)
{
    enum { SHOWN_MAX = 80 };
    struct buf b = buf_new(a, BUF_UNLIMITED);

    json_write_string(&b, str_slice(key, 0, SHOWN_MAX), false);
    if (key.len > SHOWN_MAX)
        buf_add(&b, STR("..."));
    return buf_str(&b);
}

/* Reports a duplicate key at p. */
static bool meet_duplicate(struct json_reader *r, const char *p, str key)
{
    if (r->opts->duplicates != DUPLICATE_ERROR && !r->opts->warn)
        return true;
    AUTO_ARENA a = arena_new();
    str shown = shown_key(a, key);
    if (r->opts->duplicates == DUPLICATE_ERROR) {
        err_set(r->e, ERR_INVALID, "duplicate key %.*s", STR_ARG(shown));
        return json_fail_at(r, p) != NULL;
    }
    r->opts->warn(r->opts->warn_ctx, source_where_offset(r->src, (size_t)(p - r->begin)),
                  str_fmt(a, "duplicate key %.*s, the last one counts", STR_ARG(shown)));
    return true;
}

/* Looks for an earlier member with this key, among the n members from nodes on. */
static bool check_duplicate(struct json_reader *r, const char *p, str key)
{
    struct json_frame *f = &r->frames[r->depth - 1];
    struct value *nodes = &r->nodes[f->from + 1];
    size_t n = r->node_count - f->from - 1;

    if (!f->index.cap)
        f->mark = arena_mark(r->index_arena);
    size_t found = value_index_find(r->index_arena, &f->index, nodes, n, key);
    if (LIKELY(found == n))
        return true;
    f->replace = (uint32_t)found;
    return meet_duplicate(r, p, key);
}

/* Reads a key and its colon, and pushes the node for the value. */
static inline const char *read_key(struct json_reader *r, const char *p)
{
    const char *from = p;
    str key;

    if (p == r->end || *p != '"')
        return json_fail_here(r, p, "looking for beginning of object key string");
    p = json_read_string(r, p + 1, &key);
    if (!p || !check_duplicate(r, from, key))
        return NULL;
    if (p < r->end && *p != ':')
        p = skip_blanks(r, p);
    if (p == r->end || *p != ':')
        return json_fail_here(r, p, "after object key");
    p = skip_blanks(r, p + 1);
    if (!push_node(r, p))
        return NULL;
    struct value *v = &r->nodes[r->node_count - 1];
    v->key = key.ptr;
    v->key_len = (uint32_t)key.len;
    return p;
}

/* A value that replaces an earlier one takes its place. */
static void place_member(struct json_reader *r, struct json_frame *f)
{
    struct value *members = &r->nodes[f->from + 1], *v = &r->nodes[--r->node_count];

    members[f->replace] = *v;
    f->replace = NO_MEMBER;
}

/* Whether the open list or object may end at p, which is after its opening bracket. */
static bool is_empty(const struct json_reader *r, const char *p)
{
    const struct value *v = &r->nodes[r->frames[r->depth - 1].from];

    return p < r->end && *p == (v->kind == VALUE_LIST ? ']' : '}');
}

/* Goes from an opening bracket to the first value; *done when there is none. */
static const char *enter(struct json_reader *r, const char *p, enum value_kind kind, bool *done)
{
    p = open_container(r, p, kind);
    if (!p)
        return NULL;
    p = skip_blanks(r, p);
    *done = is_empty(r, p);
    if (*done)
        return close_container(r, p);
    return kind == VALUE_OBJECT ? read_key(r, p) : push_node(r, p);
}

/* Reads the scalar at p (*done), or enters the list or object. */
static inline const char *begin_value(struct json_reader *r, const char *p, bool *done)
{
    struct value *v = &r->nodes[r->node_count - 1];

    *done = true;
    if (p == r->end)
        return json_fail_end(r);
    switch (*p) {
    case '"':
        return read_text(r, p, v);
    case '{':
        return enter(r, p, VALUE_OBJECT, done);
    case '[':
        return enter(r, p, VALUE_LIST, done);
    case 't':
    case 'f':
        return read_bool(r, p, v);
    case 'n':
        return json_read_literal(r, p, STR("null"));
    default:
        if (*p == '-' || json_is_digit(*p))
            return json_read_number(r, p, v);
        return json_fail_byte(r, p, "looking for beginning of value");
    }
}

/* After a comma: goes to the next value of the open list or object. */
static inline const char *next_value(struct json_reader *r, const char *p, bool object)
{
    p = skip_blanks(r, p);
    return object ? read_key(r, p) : push_node(r, p);
}

/* After a value: goes to the next one, closing what ends here; *done when the root is complete. */
static inline const char *end_value(struct json_reader *r, const char *p, bool *done)
{
    while (r->depth) {
        struct json_frame *f = &r->frames[r->depth - 1];
        bool object = r->nodes[f->from].kind == VALUE_OBJECT;
        if (UNLIKELY(f->replace != NO_MEMBER))
            place_member(r, f);
        if (p < r->end && *p != ',')
            p = skip_blanks(r, p);
        if (p == r->end)
            return json_fail_end(r);
        if (*p == ',')
            return next_value(r, p + 1, object);
        if (*p != (object ? '}' : ']'))
            return json_fail_byte(r, p,
                                  object ? "after object key:value pair" : "after array element");
        p = close_container(r, p);
        if (!p)
            return NULL;
    }
    *done = true;
    return p;
}

/* Reads the value that begins at p. */
static const char *read_root(struct json_reader *r, const char *p)
{
    bool complete = false, done;

    p = push_node(r, p);
    while (p && !complete) {
        p = begin_value(r, p, &done);
        if (p && done)
            p = end_value(r, p, &complete);
    }
    return p;
}

/* ---- Entry points. ---- */

static void begin(struct json_reader *r)
{
    r->opts = r->opts ? r->opts : &default_options;
    r->begin = r->src->text.len ? r->src->text.ptr : "";
    r->end = r->begin + r->src->text.len;
    r->nodes_max = r->opts->nodes_max ? r->opts->nodes_max : TEXT_NODES_MAX;
    r->node_arena = arena_new();
    r->frame_arena = arena_new();
    r->index_arena = arena_new();
}

static void end(struct json_reader *r)
{
    arena_free(r->node_arena);
    arena_free(r->frame_arena);
    arena_free(r->index_arena);
}

static bool check_text(const struct source *src, struct err *e)
{
    if (src->text.len <= TEXT_MAX)
        return true;
    err_set(e, ERR_LIMIT, "text is larger than the limit of %zu bytes", TEXT_MAX);
    return err_at(e, (struct where){.file = src->file});
}

static struct value *take_root(struct json_reader *r)
{
    struct value *root = arena_alloc_raw(r->arena, sizeof(*root));

    *root = r->nodes[0];
    return root;
}

static bool read_only_value(struct json_reader *r, struct value **out)
{
    const char *p = read_root(r, skip_blanks(r, r->begin));

    if (!p)
        return false;
    p = skip_blanks(r, p);
    if (p < r->end)
        return json_fail_byte(r, p, "after top-level value") != NULL;
    if (!json_check_range(r))
        return false;
    *out = take_root(r);
    return true;
}

bool json_read(struct arena *a, const struct source *src, const struct read_options *opts,
               struct value **out, struct err *e)
{
    struct json_reader r = {.arena = a, .src = src, .opts = opts, .e = e};

    *out = NULL;
    if (!check_text(src, e))
        return false;
    begin(&r);
    bool ok = read_only_value(&r, out);
    end(&r);
    return ok;
}

static bool read_next_value(struct json_reader *r, size_t *offset, struct value **out)
{
    const char *p = skip_blanks(r, r->begin + *offset);

    *offset = (size_t)(p - r->begin);
    if (p == r->end)
        return true;
    p = read_root(r, p);
    if (!p)
        return false;
    *offset = (size_t)(p - r->begin);
    if (!json_check_range(r))
        return false;
    *out = take_root(r);
    return true;
}

bool json_read_next(struct arena *a, const struct source *src, const struct read_options *opts,
                    size_t *offset, struct value **out, struct err *e)
{
    struct json_reader r = {.arena = a, .src = src, .opts = opts, .e = e, .stream = true};

    *out = NULL;
    if (!check_text(src, e))
        return false;
    begin(&r);
    bool ok = read_next_value(&r, offset, out);
    end(&r);
    return ok;
}
