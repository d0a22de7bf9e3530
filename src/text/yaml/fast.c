/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fast.c - the YAML that nearly every document is made of, straight to the tree.
 *
 * Block mappings and sequences, plain and quoted scalars on one line, literal blocks, sequences of
 * scalars in brackets: what people and tools write. A line is looked at once, without tokens and
 * events. Whatever is not certain to be such a document, wrong or merely unusual, makes yaml_fast
 * answer no, and the reader proper starts from the beginning. So the two must agree exactly, in
 * kinds, texts and positions, wherever this one answers yes: tests/fuzz/fuzz_yaml_fast.c compares
 * them.
 */
#include "text/yaml/internal.h"

#include "base/hot.h"

/* Larger documents and deeper ones are for the reader proper, which counts. */
#define FAST_BYTES (16 * MIB)
enum { FAST_DEPTH = 64, FAST_KEY = 500, FAST_NODES = 64 };

struct fast {
    struct arena *arena, *scratch;
    const char *text;
    size_t len;
    uint32_t base; /* of positions: where the text begins in the source, plus 1 */
    bool yaml12;
    /* The current line: its content lies in [at, end) at a column; none at the end. */
    size_t at, end;
    int column;  /* -1 at the end */
    size_t hash; /* a '#', with none between the line and it; the length: none */
    int depth;
    VEC(struct value) nodes;
    struct value few[FAST_NODES]; /* where they are as long as these are enough */
};

static bool read_block(struct fast *f, struct value *out);

/* ---- Bytes and lines. ---- */

/* Printable ASCII and line feeds only, sixteen bytes at a time. */
static bool is_plain_text(const char *text, size_t len)
{
    hot_bytes bad = {0}, b;
    uint64_t any[2];
    size_t i = 0;

    for (; len - i >= sizeof(b); i += sizeof(b)) {
        memcpy(&b, text + i, sizeof(b));
        /* As signed numbers, bytes of other characters are below a blank too. */
        bad |= ((b < 0x20) & (b != '\n')) | (b == 0x7F);
    }
    memcpy(any, &bad, sizeof(any));
    for (; i < len; i++)
        any[0] |= (text[i] < 0x20 && text[i] != '\n') || text[i] == 0x7F;
    return !(any[0] | any[1]);
}

/* "---" and "..." are markers at the start of a line. */
static bool is_marker(const struct fast *f, size_t at)
{
    return f->len - at >= 3 && (!memcmp(f->text + at, "---", 3) || !memcmp(f->text + at, "...", 3));
}

static size_t end_of_line(const struct fast *f, size_t from)
{
    const char *lf = from < f->len ? memchr(f->text + from, '\n', f->len - from) : NULL;

    return lf ? (size_t)(lf - f->text) : f->len;
}

/* Moves to the content that follows from a position at the beginning of a line. */
static bool find_content(struct fast *f, size_t from)
{
    const char *text = f->text;
    size_t at, len = f->len;

    for (;; from = f->end + 1) {
        if (from >= len) {
            f->column = -1;
            return true;
        }
        for (at = from; at < len && text[at] == ' ';)
            at++;
        f->end = end_of_line(f, at);
        if (at < f->end && text[at] != '#')
            break;
    }
    if (at - from > INT16_MAX || (at == from && is_marker(f, from)))
        return false;
    f->at = at;
    f->column = (int)(at - from);
    return true;
}

static bool next_line(struct fast *f)
{
    return find_content(f, f->end + 1);
}

static uint32_t position(const struct fast *f, size_t at)
{
    return f->base + (uint32_t)at;
}

static bool is_entry(const struct fast *f)
{
    return f->text[f->at] == '-' && (f->at + 1 == f->end || f->text[f->at + 1] == ' ');
}

/* ---- Scalars. ---- */

/* Whether plain text may begin here. */
static bool begins_plain(const struct fast *f, size_t at)
{
    /* Indicators; anything but printable ASCII has been rejected before. */
    static const bool special[256] = {
        ['?'] = 1, [':'] = 1,  [','] = 1, ['['] = 1, [']'] = 1, ['{'] = 1,
        ['}'] = 1, ['#'] = 1,  ['&'] = 1, ['*'] = 1, ['!'] = 1, ['|'] = 1,
        ['>'] = 1, ['\''] = 1, ['"'] = 1, ['%'] = 1, ['@'] = 1, ['`'] = 1,
    };

    if (f->text[at] == '-')
        return at + 1 < f->end && f->text[at + 1] != ' ';
    return !special[(uint8_t)f->text[at]];
}

static void set_string(const struct fast *f, size_t at, const char *text, size_t len,
                       struct value *out)
{
    *out = (struct value){.kind = VALUE_STRING, .pos = position(f, at), .len = (uint32_t)len};
    out->text = text;
}

/* Whether plain text is a string, as most are; else yaml_resolve knows what it is. */
static bool is_string(str text)
{
    switch ((enum yaml_hint)yaml_hints[(uint8_t)text.ptr[0]]) {
    case YAML_HINT_TEXT:
        return true;
    case YAML_HINT_WORD:
        return !yaml_is_word(text);
    case YAML_HINT_NUMBER:
        return yaml_ends_as_text(text);
    default:
        return false;
    }
}

/* Decimal digits, no zero before others, and few enough for Go's int64. */
static bool is_small_integer(str text)
{
    if (text.len > 18 || (text.ptr[0] == '0' && text.len > 1))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return true;
}

static bool resolve_plain(struct fast *f, str text, struct value *out)
{
    const struct yevent event = {.implicit = true, .value = text};

    yaml_resolve(f->arena, &event, f->yaml12, out);
    return !out->tag;
}

static bool set_plain(struct fast *f, size_t from, size_t to, struct value *out)
{
    str text = str_of(f->text + from, to - from);

    if (is_string(text)) {
        set_string(f, from, text.ptr, text.len, out);
        return true;
    }
    *out = (struct value){.pos = position(f, from)};
    if (!is_small_integer(text))
        return resolve_plain(f, text, out);
    yaml_set_text(out, VALUE_INT, text);
    return true;
}

/* The next of these bytes on the line, from is on it; or its end. */
ALWAYS_INLINE size_t find_char(const struct fast *f, size_t from, char c)
{
    const char *found = memchr(f->text + from, c, f->end - from);

    return found ? (size_t)(found - f->text) : f->end;
}

/* The first colon that ends a key, from here on; or the end of the line. */
ALWAYS_INLINE size_t find_key_end(const struct fast *f, size_t from)
{
    size_t at = find_char(f, from, ':');

    while (at + 1 < f->end && f->text[at + 1] != ' ')
        at = find_char(f, at + 1, ':');
    return at;
}

/* Whether a comment begins on the line between two places. */
static bool find_comment(struct fast *f, size_t from, size_t to)
{
    if (f->hash < from) {
        const char *next = memchr(f->text + from, '#', f->len - from);
        f->hash = next ? (size_t)(next - f->text) : f->len;
    }
    for (size_t i = f->hash; i < to; i++)
        if (f->text[i] == '#' && i > from && f->text[i - 1] == ' ')
            return true;
    return false;
}

/* Few documents have any comments: then the next '#' is behind the text. */
ALWAYS_INLINE bool has_comment(struct fast *f, size_t from, size_t to)
{
    return f->hash < to && find_comment(f, from, to);
}

/* Plain text to the end of the line. */
static bool read_plain(struct fast *f, size_t at, struct value *out)
{
    if (!begins_plain(f, at) || f->text[f->end - 1] == ' ' || find_key_end(f, at) < f->end ||
        has_comment(f, at, f->end))
        return false;
    return set_plain(f, at, f->end, out);
}

/* Between quotes, on one line, nothing escaped. *end is behind the closing one. */
static bool read_quoted(struct fast *f, size_t at, size_t *end, struct value *out)
{
    char quote = f->text[at];
    const char *from = f->text + at + 1;
    const char *to = memchr(from, quote, f->end - at - 1);

    if (!to || (quote == '"' && memchr(from, '\\', (size_t)(to - from))))
        return false;
    *end = (size_t)(to - f->text) + 1;
    if (*end < f->end && f->text[*end] == quote)
        return false;
    set_string(f, at, from, (size_t)(to - from), out);
    return true;
}

/* ---- Brackets. ---- */

/* Letters, digits and a few others, which mean nothing else in brackets. */
static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '/';
}

static bool read_flow_item(struct fast *f, size_t *at, struct value *out)
{
    size_t from = *at;

    if (from < f->end && (f->text[from] == '"' || f->text[from] == '\''))
        return read_quoted(f, from, at, out);
    while (*at < f->end && (is_word(f->text[*at]) || (*at > from && f->text[*at] == '-')))
        ++*at;
    return *at > from && set_plain(f, from, *at, out);
}

static void close_list(struct fast *f, size_t first, uint32_t pos, struct value *out)
{
    *out = (struct value){.pos = pos};
    value_adopt(f->arena, out, VALUE_LIST, f->nodes.items + first, f->nodes.len - first);
    f->nodes.len = first;
}

/* [a, "b"]: scalars, each behind a comma and a blank. */
static bool read_flow(struct fast *f, size_t at, struct value *out)
{
    size_t first = f->nodes.len, i = at + 1;

    while (i < f->end && f->text[i] != ']') {
        struct value v;
        if (f->nodes.len > first) {
            if (f->end - i < 3 || f->text[i] != ',' || f->text[i + 1] != ' ')
                return false;
            i += 2;
        }
        if (!read_flow_item(f, &i, &v))
            return false;
        *VEC_NEXT(f->scratch, &f->nodes) = v;
    }
    close_list(f, first, position(f, at), out);
    return i + 1 == f->end;
}

static bool read_empty_object(struct fast *f, size_t at, struct value *out)
{
    *out = (struct value){.pos = position(f, at)};
    value_adopt(f->arena, out, VALUE_OBJECT, NULL, 0);
    return f->end - at == 2 && f->text[at + 1] == '}';
}

/* ---- Literal blocks. ---- */

struct literal {
    int parent; /* column of the mapping */
    int indent; /* of the lines; 0 before the first */
    struct buf text;
    size_t keep; /* up to the last line that is not empty */
};

/* Takes the line at from; false when it belongs to the block no longer. *ok: it may not be there.
 */
static bool take_literal_line(const struct fast *f, struct literal *l, size_t from, bool *ok)
{
    size_t end = end_of_line(f, from), blanks = 0;

    while (from + blanks < end && f->text[from + blanks] == ' ')
        blanks++;
    bool blank = from + blanks == end;
    if (!l->indent) {
        /* What precedes the first line does not matter here. */
        *ok = !blank && blanks > (size_t)l->parent && blanks <= INT16_MAX;
        l->indent = (int)blanks;
        if (!*ok)
            return false;
    }
    if (!blank && blanks < (size_t)l->indent) {
        *ok = blanks <= (size_t)l->parent;
        return false;
    }
    if (end == f->len) {
        *ok = false;
        return false;
    }
    size_t skip = blanks < (size_t)l->indent ? blanks : (size_t)l->indent;
    buf_add(&l->text, str_of(f->text + from + skip, end - from - skip));
    buf_char(&l->text, '\n');
    if (end - from > skip)
        l->keep = l->text.len;
    return true;
}

static bool read_literal(struct fast *f, size_t at, int parent, struct value *out)
{
    struct literal l = {.parent = parent, .text = buf_new(f->arena, FAST_BYTES)};
    bool strip = f->end - at == 2 && f->text[at + 1] == '-', ok = true;
    size_t from = f->end + 1;

    if (f->end - at > (strip ? 2u : 1u))
        return false;
    while (from < f->len && take_literal_line(f, &l, from, &ok))
        from = end_of_line(f, from) + 1;
    if (!ok || !l.keep)
        return false;
    set_string(f, at, l.text.data, l.keep - strip, out);
    return find_content(f, from);
}

/* ---- Values. ---- */

/* What begins on the line of its key or dash. The next line must not go on with it. */
static bool read_inline(struct fast *f, size_t at, int parent, struct value *out)
{
    size_t end = f->end;
    bool ok;

    switch (f->text[at]) {
    case '"':
    case '\'':
        ok = read_quoted(f, at, &end, out) && end == f->end;
        break;
    case '[':
        ok = read_flow(f, at, out);
        break;
    case '{':
        ok = read_empty_object(f, at, out);
        break;
    default:
        ok = read_plain(f, at, out);
    }
    return ok && next_line(f) && f->column <= parent;
}

/* ---- Sequences. ---- */

/* The place of the colon behind the key at the beginning of the content, or 0. */
static size_t find_colon(struct fast *f)
{
    size_t at = find_key_end(f, f->at);

    return at < f->end && !has_comment(f, f->at, at) ? at : 0;
}

static bool read_entry(struct fast *f, int column, struct value *out)
{
    size_t from = f->at;

    do
        f->at++;
    while (f->at < f->end && f->text[f->at] == ' ');
    if (f->at == f->end)
        return false;
    f->column = column + (int)(f->at - from);
    if (is_entry(f) || (begins_plain(f, f->at) && find_colon(f)))
        return read_block(f, out);
    return read_inline(f, f->at, column, out);
}

/* below_key: at the column of the mapping it belongs to, whose next key ends it. */
static bool read_list(struct fast *f, bool below_key, struct value *out)
{
    size_t first = f->nodes.len;
    int column = f->column;
    uint32_t pos = position(f, f->at);

    while (f->column == column && is_entry(f)) {
        struct value v;
        if (!read_entry(f, column, &v))
            return false;
        *VEC_NEXT(f->scratch, &f->nodes) = v;
    }
    close_list(f, first, pos, out);
    return f->column < column || (below_key && f->column == column);
}

/* ---- Mappings. ---- */

/* The value behind a colon, in a mapping at a column. */
static bool read_value(struct fast *f, size_t colon, int column, struct value *out)
{
    size_t at = colon + 1;

    while (at < f->end && f->text[at] == ' ')
        at++;
    if (at < f->end)
        return f->text[at] == '|' ? read_literal(f, at, column, out) && f->column <= column
                                  : read_inline(f, at, column, out);
    if (!next_line(f))
        return false;
    if (f->column > column)
        return read_block(f, out);
    if (f->column == column && is_entry(f))
        return read_list(f, true, out);
    *out = (struct value){.pos = position(f, colon + 1)};
    return true;
}

/* Keys are texts; one that reads as something else, or as a merge, is for the reader proper. */
static bool read_key(struct fast *f, size_t colon, str *key)
{
    struct value v;

    *key = str_of(f->text + f->at, colon - f->at);
    if (!colon || !key->len || key->len > FAST_KEY || f->text[colon - 1] == ' ' ||
        key->ptr[0] == '-' || !begins_plain(f, f->at))
        return false;
    return is_string(*key) ? !str_eq(*key, STR("<<"))
                           : set_plain(f, f->at, colon, &v) && v.kind == VALUE_STRING;
}

static bool read_member(struct fast *f, size_t first, struct value_index *index, int column)
{
    size_t colon = find_colon(f), n = f->nodes.len - first;
    struct value v;
    str key;

    if (!read_key(f, colon, &key) ||
        value_index_find(f->scratch, index, f->nodes.items + first, n, key) != n ||
        !read_value(f, colon, column, &v))
        return false;
    v.key = key.ptr;
    v.key_len = (uint32_t)key.len;
    *VEC_NEXT(f->scratch, &f->nodes) = v;
    return true;
}

static bool read_object(struct fast *f, struct value *out)
{
    size_t first = f->nodes.len;
    int column = f->column;
    struct value_index index = {0};

    *out = (struct value){.pos = position(f, f->at)};
    while (f->column == column)
        if (!read_member(f, first, &index, column))
            return false;
    value_adopt(f->arena, out, VALUE_OBJECT, f->nodes.items + first, f->nodes.len - first);
    f->nodes.len = first;
    return f->column < column;
}

static bool read_block(struct fast *f, struct value *out)
{
    if (++f->depth > FAST_DEPTH)
        return false;
    bool ok = is_entry(f) ? read_list(f, false, out) : read_object(f, out);
    f->depth--;
    return ok;
}

bool yaml_fast(struct arena *a, const struct ypart *part, const struct read_options *opts,
               struct value **out)
{
    str text = str_slice(part->src->text, part->from, part->to);
    AUTO_ARENA scratch = arena_new();
    struct value root;
    struct fast f; /* set one by one: the nodes need no zeros */

    f.arena = a;
    f.scratch = scratch;
    f.text = text.ptr;
    f.len = text.len;
    f.base = (uint32_t)part->from + 1;
    f.yaml12 = opts && opts->yaml12;
    f.depth = 0;
    f.hash = 0;
    f.nodes.items = f.few;
    f.nodes.len = 0;
    f.nodes.cap = FAST_NODES;

    if (part->next || (opts && opts->nodes_max) || text.len > FAST_BYTES ||
        part->from > UINT32_MAX - FAST_BYTES || !is_plain_text(text.ptr, text.len))
        return false;
    size_t from = str_has_prefix(text, STR("---\n")) ? 4 : 0;
    if (!find_content(&f, from) || f.column != 0 || !read_block(&f, &root) || f.column != -1)
        return false;
    *out = arena_alloc_raw(a, sizeof(**out));
    **out = root;
    return true;
}
