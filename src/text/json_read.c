/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_read.c - JSON to value; see json.h.
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
 *
 * Functions that read take the place where they begin and return the place behind what they read,
 * or NULL when they failed. Errors follow the byte-wise scanner of Go's encoding/json, which takes
 * the end of the text for a blank: "tru" fails as "tru " does.
 */
#include "text/json.h"

#include "text/json_scan.h"
#include "value/number.h"

#define NO_MEMBER UINT32_MAX

/* An open list or object. */
struct frame {
    uint32_t from;    /* its own node; the children follow it on the stack */
    uint32_t replace; /* objects: the member that the value being read replaces, or NO_MEMBER */
    struct value_index index;
    struct arena_mark mark; /* before the index was made */
};

/* A place that only moves on, so that many questions cost one pass over the text. */
struct place {
    size_t offset;
    struct where at;
};

struct reader {
    struct arena *arena; /* of the tree */
    const struct source *src;
    const struct read_options *opts;
    struct err *e;
    const char *begin, *end; /* of the text */
    bool stream;             /* reading one of several values */

    struct arena *node_arena, *frame_arena, *index_arena;
    struct value *nodes;
    size_t node_count, node_cap;
    struct frame *frames;
    size_t depth, frame_cap;

    struct place warned;
    str out_of_range; /* the first number beyond float64, when opts->go; see check_range */
};

static const struct read_options default_options = {0};

/* ---- Errors. ---- */

static bool fail_at(struct reader *r, const char *p)
{
    return err_at(r->e, source_where_offset(r->src, (size_t)(p - r->begin)));
}

/* How Go quotes a byte in messages: as the code point of the same number. */
static str quote_byte(char out[16], unsigned char c)
{
    static const char short_names[] = "abtnvfr"; /* 7 to 13 */
    size_t n = 0;

    out[n++] = '\'';
    if (c == '\'' || c == '\\')
        n += (size_t)snprintf(out + n, 8, "\\%c", c);
    else if (c >= 7 && c <= 13)
        n += (size_t)snprintf(out + n, 8, "\\%c", short_names[c - 7]);
    else if (c < 0x20 || c == 0x7F)
        n += (size_t)snprintf(out + n, 8, "\\x%02x", c);
    else if ((c >= 0x80 && c <= 0xA0) || c == 0xAD)
        n += (size_t)snprintf(out + n, 8, "\\u%04x", c);
    else
        n += utf8_encode(out + n, c);
    out[n++] = '\'';
    return (str){out, n};
}

static const char *fail_end(struct reader *r)
{
    err_set(r->e, ERR_INVALID, r->stream ? "unexpected EOF" : "unexpected end of JSON input");
    fail_at(r, r->end);
    return NULL;
}

/* The byte at p does not belong there. In a stream, Go's decoder never scans beyond the end. */
static const char *fail_byte(struct reader *r, const char *p, const char *context)
{
    char quoted[16];

    if (p == r->end && r->stream)
        return fail_end(r);
    str s = quote_byte(quoted, p < r->end ? (unsigned char)*p : ' ');
    err_set(r->e, ERR_INVALID, "invalid character %.*s %s", STR_ARG(s), context);
    fail_at(r, p);
    return NULL;
}

/* As fail_byte, where a blank would have been fine: at the end, more was expected. */
static const char *fail_here(struct reader *r, const char *p, const char *context)
{
    return p == r->end ? fail_end(r) : fail_byte(r, p, context);
}

static const char *fail_depth(struct reader *r, const char *p)
{
    fail_byte(r, p, "exceeded max depth");
    if (r->e)
        r->e->kind = ERR_LIMIT;
    return NULL;
}

static const char *fail_size(struct reader *r, const char *p, const char *what)
{
    err_set(r->e, ERR_LIMIT, "%s is larger than the limit of %zu bytes", what, TEXT_SCALAR_MAX);
    fail_at(r, p);
    return NULL;
}

/* Not an error in Go, which puts U+FFFD there; for us that would lose what was written. */
static const char *fail_text(struct reader *r, const char *p, const char *what)
{
    err_set(r->e, ERR_INVALID, "%s in string", what);
    fail_at(r, p);
    return NULL;
}

/* ---- Strings. ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The number that four checked hexadecimal digits spell. */
static uint32_t read_hex4(const char *p)
{
    uint32_t n = 0;

    for (int i = 0; i < 4; i++)
        n = n << 4 | (uint32_t)hex_digit(p[i]);
    return n;
}

static bool is_surrogate(uint32_t unit)
{
    return unit >= 0xD800 && unit <= 0xDFFF;
}

/*
 * The code point of the escape whose digits begin at p, and how many bytes from p on it takes: 4,
 * or 10 when a second half follows. A lone half gives RUNE_ERROR.
 */
static uint32_t read_unicode(const char *p, const char *end, size_t *width)
{
    uint32_t high = read_hex4(p), low = 0;

    *width = 4;
    if (!is_surrogate(high))
        return high;
    if (end - p >= 10 && p[4] == '\\' && p[5] == 'u')
        low = read_hex4(p + 6);
    if (high >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
        return RUNE_ERROR;
    *width = 10;
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

/* Checks the four digits of a \u escape. */
static const char *check_hex4(struct reader *r, const char *p)
{
    for (int i = 0; i < 4; i++, p++)
        if (p == r->end || hex_digit(*p) < 0)
            return fail_byte(r, p, "in \\u hexadecimal character escape");
    return p;
}

/* Checks the escape whose backslash stands at p. */
static const char *check_escape(struct reader *r, const char *p)
{
    p++;
    if (p == r->end || !*p || !strchr("\"\\/bfnrtu", *p))
        return fail_byte(r, p, "in string escape code");
    return *p == 'u' ? check_hex4(r, p + 1) : p + 1;
}

/* Checks a code point beyond ASCII; in Go's way each broken byte counts as U+FFFD. */
static const char *check_multi(struct reader *r, const char *p, size_t *broken)
{
    size_t width;

    utf8_decode((str){p, (size_t)(r->end - p)}, &width);
    if (width > 1)
        return p + width;
    if (!r->opts->go)
        return fail_text(r, p, "invalid UTF-8");
    ++*broken;
    return p + 1;
}

/* Decodes the escape whose backslash stands at p, which is checked, and moves *out on. */
static const char *decode_escape(struct reader *r, const char *p, const char *end, char **out)
{
    static const char codes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    size_t width;

    if (p[1] != 'u') {
        *(*out)++ = meanings[strchr(codes, p[1]) - codes];
        return p + 2;
    }
    uint32_t rune = read_unicode(p + 2, end, &width);
    if (rune == RUNE_ERROR && is_surrogate(read_hex4(p + 2)) && !r->opts->go)
        return fail_text(r, p, "half of a surrogate pair");
    *out += utf8_encode(*out, rune);
    return p + 2 + width;
}

/* Decodes one run of plain bytes and the escape or code point behind it. */
static const char *decode_part(struct reader *r, const char *p, const char *end, char **out)
{
    const char *stop = json_skip_plain(p, end);
    size_t width;

    memcpy(*out, p, (size_t)(stop - p));
    *out += stop - p;
    if (stop == end)
        return end;
    if (*stop == '\\')
        return decode_escape(r, stop, end, out);
    *out += utf8_encode(*out, utf8_decode((str){stop, (size_t)(end - stop)}, &width));
    return stop + width;
}

/* Decodes the checked string [p, end). No escape is shorter than what it stands for. */
static const char *decode_string(struct reader *r, const char *p, const char *end, size_t broken,
                                 str *s)
{
    char *text = arena_alloc_text(r->arena, (size_t)(end - p) + 2 * broken), *out = text;

    while (p && p < end)
        p = decode_part(r, p, end, &out);
    *s = (str){text, (size_t)(out - text)};
    return p;
}

/* The rest of a string with something else than plain bytes, the first of which stands at p. */
static const char *read_odd_string(struct reader *r, const char *from, const char *p, str *s)
{
    size_t broken = 0;
    bool escaped = false;

    for (;; p = json_skip_plain(p, r->end)) {
        if (p == r->end)
            return fail_end(r);
        if (*p == '"')
            break;
        if (*p == '\\') {
            escaped = true;
            p = check_escape(r, p);
        } else if ((unsigned char)*p < 0x20) {
            return fail_byte(r, p, "in string literal");
        } else {
            p = check_multi(r, p, &broken);
        }
        if (!p)
            return NULL;
    }
    if ((size_t)(p - from) > TEXT_SCALAR_MAX)
        return fail_size(r, from, "string");
    *s = (str){from, (size_t)(p - from)};
    if ((escaped || broken) && !decode_string(r, from, p, broken, s))
        return NULL;
    return p + 1;
}

/* A string, whose first quote stands before p. */
static inline const char *read_string(struct reader *r, const char *p, str *s)
{
    const char *stop = json_skip_plain(p, r->end);

    if (UNLIKELY(stop == r->end || *stop != '"' || (size_t)(stop - p) > TEXT_SCALAR_MAX))
        return read_odd_string(r, p, stop, s);
    *s = (str){p, (size_t)(stop - p)};
    return stop + 1;
}

/* ---- Numbers and literals. ---- */

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* One digit or more. */
static const char *read_digits(struct reader *r, const char *p, const char *context)
{
    if (p == r->end || !is_digit(*p))
        return fail_byte(r, p, context);
    do
        p++;
    while (p < r->end && is_digit(*p));
    return p;
}

static const char *read_fraction(struct reader *r, const char *p)
{
    if (*p == '.') {
        p = read_digits(r, p + 1, "after decimal point in numeric literal");
        if (!p || p == r->end)
            return p;
    }
    if (*p != 'e' && *p != 'E')
        return p;
    p++;
    if (p < r->end && (*p == '+' || *p == '-'))
        p++;
    return read_digits(r, p, "in exponent of numeric literal");
}

/*
 * Go first checks the whole text and then decodes it, so a number beyond float64 is only an error
 * when nothing else is: the first one is kept until the end. Without an exponent that takes over
 * 300 digits.
 */
static void check_range(struct reader *r, str number)
{
    double d;

    if (r->out_of_range.len || (number.len < 300 && number_is_integer(number)) ||
        number_to_double(number, &d))
        return;
    r->out_of_range = number;
}

static const char *read_number(struct reader *r, const char *p, struct value *v)
{
    const char *from = p;

    v->kind = VALUE_INT;
    p += *p == '-';
    if (p < r->end && *p == '0')
        p++;
    else if (!(p = read_digits(r, p, "in numeric literal")))
        return NULL;
    if (p < r->end && (*p == '.' || *p == 'e' || *p == 'E')) {
        v->kind = VALUE_FLOAT;
        if (!(p = read_fraction(r, p)))
            return NULL;
    }
    if ((size_t)(p - from) > TEXT_SCALAR_MAX)
        return fail_size(r, from, "number");
    v->text = from;
    v->len = (uint32_t)(p - from);
    if (r->opts->go)
        check_range(r, (str){from, v->len});
    return p;
}

static const char *read_literal(struct reader *r, const char *p, str word)
{
    char context[48];

    for (size_t i = 1; i < word.len; i++) {
        if (p + i < r->end && p[i] == word.ptr[i])
            continue;
        snprintf(context, sizeof(context), "in literal %s (expecting '%c')", word.ptr, word.ptr[i]);
        return fail_byte(r, p + i, context);
    }
    return p + word.len;
}

static const char *read_bool(struct reader *r, const char *p, struct value *v)
{
    v->kind = VALUE_BOOL;
    v->truth = *p == 't';
    return read_literal(r, p, v->truth ? STR("true") : STR("false"));
}

static inline const char *read_text(struct reader *r, const char *p, struct value *v)
{
    str s;

    p = read_string(r, p + 1, &s);
    if (!p)
        return NULL;
    v->kind = VALUE_STRING;
    v->text = s.ptr;
    v->len = (uint32_t)s.len;
    return p;
}

/* ---- Lists and objects. ---- */

static inline const char *skip_blanks(struct reader *r, const char *p)
{
    while (p < r->end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

/* A node on the stack, for the value that begins at p. */
static inline struct value *push_node(struct reader *r, const char *p)
{
    if (UNLIKELY(r->node_count == r->node_cap)) {
        size_t cap = r->node_cap ? 2 * r->node_cap : 256;
        r->nodes = arena_grow(r->node_arena, r->nodes, r->node_cap * sizeof(*r->nodes),
                              arena_array_size(cap, sizeof(*r->nodes)));
        r->node_cap = cap;
    }
    struct value *v = &r->nodes[r->node_count++];
    *v = (struct value){.pos = (uint32_t)(p - r->begin) + 1};
    return v;
}

static struct frame *push_frame(struct reader *r)
{
    if (r->depth == r->frame_cap) {
        size_t cap = r->frame_cap ? 2 * r->frame_cap : 32;
        r->frames = arena_grow(r->frame_arena, r->frames, r->frame_cap * sizeof(*r->frames),
                               arena_array_size(cap, sizeof(*r->frames)));
        r->frame_cap = cap;
    }
    struct frame *f = &r->frames[r->depth++];
    *f = (struct frame){.from = (uint32_t)r->node_count - 1, .replace = NO_MEMBER};
    return f;
}

/* The node that was pushed last begins a list or object. */
static const char *open_container(struct reader *r, const char *p, enum value_kind kind)
{
    if (r->depth >= VALUE_DEPTH_MAX)
        return fail_depth(r, p);
    r->nodes[r->node_count - 1].kind = (uint8_t)kind;
    push_frame(r);
    return p + 1;
}

/* The children leave the stack for a block of their own. */
static void close_container(struct reader *r)
{
    struct frame *f = &r->frames[--r->depth];
    struct value *v = &r->nodes[f->from];

    value_adopt(r->arena, v, (enum value_kind)v->kind, v + 1, r->node_count - f->from - 1);
    r->node_count = (size_t)f->from + 1;
    if (f->index.cap)
        arena_rewind(r->index_arena, f->mark);
}

static void move_place(struct place *place, str text, size_t offset)
{
    str part = str_slice(text, place->offset, offset);

    for (size_t lf; (lf = str_find_char(part, '\n')) != STR_NPOS; part = str_from(part, lf + 1)) {
        place->at.line++;
        place->at.column = 1;
    }
    place->at.column += (uint32_t)utf8_count(part);
    place->offset = offset;
}

/* The key as it is shown to people: quoted and not longer than a line. */
static str shown_key(struct arena *a, str key)
{
    enum { SHOWN_MAX = 80 };
    struct buf b = buf_new(a, BUF_UNLIMITED);

    json_write_string(&b, str_slice(key, 0, SHOWN_MAX), false);
    if (key.len > SHOWN_MAX)
        buf_add(&b, STR("..."));
    return buf_str(&b);
}

/* The key at p is already there. */
static bool meet_duplicate(struct reader *r, const char *p, str key)
{
    if (r->opts->duplicates != DUPLICATE_ERROR && !r->opts->warn)
        return true;
    AUTO_ARENA a = arena_new();
    str shown = shown_key(a, key);
    if (r->opts->duplicates == DUPLICATE_ERROR) {
        err_set(r->e, ERR_INVALID, "duplicate key %.*s", STR_ARG(shown));
        return fail_at(r, p);
    }
    move_place(&r->warned, r->src->text, (size_t)(p - r->begin));
    r->opts->warn(r->opts->warn_ctx, r->warned.at,
                  str_fmt(a, "duplicate key %.*s, the last one counts", STR_ARG(shown)));
    return true;
}

/* Looks for an earlier member with this key, among the n members from nodes on. */
static bool check_duplicate(struct reader *r, const char *p, str key)
{
    struct frame *f = &r->frames[r->depth - 1];
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

/* A key and its colon; the node for the value is on the stack afterwards. */
static inline const char *read_key(struct reader *r, const char *p)
{
    const char *from = p;
    str key;

    if (p == r->end || *p != '"')
        return fail_here(r, p, "looking for beginning of object key string");
    p = read_string(r, p + 1, &key);
    if (!p || !check_duplicate(r, from, key))
        return NULL;
    if (p < r->end && *p != ':')
        p = skip_blanks(r, p);
    if (p == r->end || *p != ':')
        return fail_here(r, p, "after object key");
    p = skip_blanks(r, p + 1);
    struct value *v = push_node(r, p);
    v->key = key.ptr;
    v->key_len = (uint32_t)key.len;
    return p;
}

/* A value that replaces an earlier one takes its place. */
static void place_member(struct reader *r, struct frame *f)
{
    struct value *members = &r->nodes[f->from + 1], *v = &r->nodes[--r->node_count];

    members[f->replace] = *v;
    f->replace = NO_MEMBER;
}

/* Whether the list or object that is open may end at p, which stands behind its opening. */
static bool is_empty(const struct reader *r, const char *p)
{
    const struct value *v = &r->nodes[r->frames[r->depth - 1].from];

    return p < r->end && *p == (v->kind == VALUE_LIST ? ']' : '}');
}

/* From an opening to the first value in it; *done when there is none. */
static const char *enter(struct reader *r, const char *p, enum value_kind kind, bool *done)
{
    p = open_container(r, p, kind);
    if (!p)
        return NULL;
    p = skip_blanks(r, p);
    *done = is_empty(r, p);
    if (*done) {
        close_container(r);
        return p + 1;
    }
    if (kind == VALUE_OBJECT)
        return read_key(r, p);
    push_node(r, p);
    return p;
}

/* One value begins at p: a scalar is read (*done), a list or object is entered. */
static inline const char *begin_value(struct reader *r, const char *p, bool *done)
{
    struct value *v = &r->nodes[r->node_count - 1];

    *done = true;
    if (p == r->end)
        return fail_end(r);
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
        return read_literal(r, p, STR("null"));
    default:
        if (*p == '-' || is_digit(*p))
            return read_number(r, p, v);
        return fail_byte(r, p, "looking for beginning of value");
    }
}

/* Behind a comma: the next value of the open list or object. */
static inline const char *next_value(struct reader *r, const char *p, bool object)
{
    p = skip_blanks(r, p);
    if (object)
        return read_key(r, p);
    push_node(r, p);
    return p;
}

/* Behind a value: to the next one, closing what ends here; *done when the root is complete. */
static inline const char *end_value(struct reader *r, const char *p, bool *done)
{
    while (r->depth) {
        struct frame *f = &r->frames[r->depth - 1];
        bool object = r->nodes[f->from].kind == VALUE_OBJECT;
        if (UNLIKELY(f->replace != NO_MEMBER))
            place_member(r, f);
        if (p < r->end && *p != ',')
            p = skip_blanks(r, p);
        if (p == r->end)
            return fail_end(r);
        if (*p == ',')
            return next_value(r, p + 1, object);
        if (*p != (object ? '}' : ']'))
            return fail_byte(r, p, object ? "after object key:value pair" : "after array element");
        close_container(r);
        p++;
    }
    *done = true;
    return p;
}

/* The value that begins at p. */
static const char *read_root(struct reader *r, const char *p)
{
    bool complete = false, done;

    push_node(r, p);
    while (p && !complete) {
        p = begin_value(r, p, &done);
        if (p && done)
            p = end_value(r, p, &complete);
    }
    return p;
}

/* ---- The two ways in. ---- */

static void begin(struct reader *r)
{
    r->opts = r->opts ? r->opts : &default_options;
    r->begin = r->src->text.len ? r->src->text.ptr : "";
    r->end = r->begin + r->src->text.len;
    r->warned.at = (struct where){.file = r->src->file, .line = 1, .column = 1};
    r->node_arena = arena_new();
    r->frame_arena = arena_new();
    r->index_arena = arena_new();
}

static void end(struct reader *r)
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

/* What was only kept back: numbers beyond float64. */
static bool report_range(struct reader *r)
{
    if (!r->out_of_range.len)
        return true;
    err_set(r->e, ERR_INVALID, "json: cannot unmarshal number %.*s into Go value of type float64",
            STR_ARG(r->out_of_range));
    return fail_at(r, r->out_of_range.ptr);
}

static struct value *take_root(struct reader *r)
{
    struct value *root = arena_alloc_raw(r->arena, sizeof(*root));

    *root = r->nodes[0];
    return root;
}

static bool read_only_value(struct reader *r, struct value **out)
{
    const char *p = read_root(r, skip_blanks(r, r->begin));

    if (!p)
        return false;
    p = skip_blanks(r, p);
    if (p < r->end)
        return fail_byte(r, p, "after top-level value") != NULL;
    *out = take_root(r);
    return report_range(r);
}

bool json_read(struct arena *a, const struct source *src, const struct read_options *opts,
               struct value **out, struct err *e)
{
    struct reader r = {.arena = a, .src = src, .opts = opts, .e = e};

    *out = NULL;
    if (!check_text(src, e))
        return false;
    begin(&r);
    bool ok = read_only_value(&r, out);
    end(&r);
    return ok;
}

static bool read_next_value(struct reader *r, size_t *offset, struct value **out)
{
    const char *p = skip_blanks(r, r->begin + *offset);

    *offset = (size_t)(p - r->begin);
    if (p == r->end)
        return true;
    p = read_root(r, p);
    if (!p)
        return false;
    *offset = (size_t)(p - r->begin);
    *out = take_root(r);
    return report_range(r);
}

bool json_read_next(struct arena *a, const struct source *src, const struct read_options *opts,
                    size_t *offset, struct value **out, struct err *e)
{
    struct reader r = {.arena = a, .src = src, .opts = opts, .e = e, .stream = true};

    *out = NULL;
    if (!check_text(src, e))
        return false;
    begin(&r);
    bool ok = read_next_value(&r, offset, out);
    end(&r);
    return ok;
}
