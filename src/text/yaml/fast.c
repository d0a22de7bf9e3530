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
 *
 * What nearly every line takes is inlined into the loops over members and entries. What few lines
 * take is kept out of them, so that these loops save and restore as little as possible.
 */
#include "text/yaml/internal.h"

#include "base/hot.h"

#include <endian.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Larger documents and deeper ones are for the reader proper, which counts. */
#define FAST_BYTES (16 * MIB)
enum { FAST_DEPTH = 64, FAST_KEY = 500, FAST_NODES = 64, FAST_BLOCKS = 64 };

enum { BLOCK = 64 }; /* bytes of text whose marks are in one number */

struct fast {
    struct arena *arena, *scratch;
    const char *text;
    size_t len;
    /* A bit for each byte of the text that ends a line, and for each that does or is a colon. The
     * end of the text ends a line: looking for the next one needs no end. */
    uint64_t *lines, *stops;
    uint32_t base; /* of positions: where the text begins in the source, plus 1 */
    bool yaml12;
    /* The current line: its content lies in [at, end) at a column; none at the end. */
    size_t at, end;
    int column;  /* -1 at the end */
    size_t hash; /* a '#', with none between the line and it; the length: none */
    int depth;
    VEC(struct value) nodes;
    struct value few[FAST_NODES];   /* where they are as long as these are enough */
    uint64_t small[2][FAST_BLOCKS]; /* the same for lines and stops */
};

static bool read_block(struct fast *f, struct value *out);

/* ---- Bytes and lines. ---- */

#ifdef __SSE2__
/* Marks sixteen bytes of a block. Those that are not printable ASCII or line feeds are answered. */
ALWAYS_INLINE __m128i mark_bytes(const char *text, unsigned at, uint64_t *lines, uint64_t *stops)
{
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(text + at));
    __m128i line = _mm_cmpeq_epi8(b, _mm_set1_epi8('\n'));
    __m128i stop = _mm_or_si128(line, _mm_cmpeq_epi8(b, _mm_set1_epi8(':')));
    /* One more and as signed numbers, all others are below the character behind the blank. */
    __m128i odd = _mm_cmplt_epi8(_mm_add_epi8(b, _mm_set1_epi8(1)), _mm_set1_epi8(' ' + 1));

    *lines |= (uint64_t)(unsigned)_mm_movemask_epi8(line) << at;
    *stops |= (uint64_t)(unsigned)_mm_movemask_epi8(stop) << at;
    return _mm_andnot_si128(line, odd);
}
#endif

/* Marks a block. False when there is more in it than printable ASCII and line feeds. */
ALWAYS_INLINE bool mark_block(const char *text, uint64_t *lines, uint64_t *stops)
{
    uint64_t line_bits = 0, stop_bits = 0;

#ifdef __SSE2__
    __m128i a = mark_bytes(text, 0, &line_bits, &stop_bits);
    __m128i b = mark_bytes(text, 16, &line_bits, &stop_bits);
    __m128i c = mark_bytes(text, 32, &line_bits, &stop_bits);
    __m128i d = mark_bytes(text, 48, &line_bits, &stop_bits);
    bool odd = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d)));
#else
    bool odd = false;
    for (unsigned i = 0; i < BLOCK; i++) {
        uint8_t b = (uint8_t)text[i];
        line_bits |= (uint64_t)(b == '\n') << i;
        stop_bits |= (uint64_t)(b == '\n' || b == ':') << i;
        odd |= (b < ' ' && b != '\n') || b >= 0x7F;
    }
#endif
    *lines = line_bits;
    *stops = stop_bits;
    return !odd;
}

/* Marks the text and its end. */
static bool mark_text(struct fast *f)
{
    size_t whole = f->len / BLOCK;
    uint64_t end = UINT64_C(1) << f->len % BLOCK;
    char last[BLOCK];

    f->lines = f->small[0];
    f->stops = f->small[1];
    if (whole >= FAST_BLOCKS) {
        f->lines = arena_alloc_raw(f->scratch, (whole + 1) * sizeof(*f->lines));
        f->stops = arena_alloc_raw(f->scratch, (whole + 1) * sizeof(*f->stops));
    }
    for (size_t i = 0; i < whole; i++)
        if (!mark_block(f->text + i * BLOCK, &f->lines[i], &f->stops[i]))
            return false;
    memset(last, ' ', sizeof(last));
    if (f->len % BLOCK)
        memcpy(last, f->text + whole * BLOCK, f->len % BLOCK);
    bool ok = mark_block(last, &f->lines[whole], &f->stops[whole]);
    f->lines[whole] |= end;
    f->stops[whole] |= end;
    return ok;
}

/* The first marked byte from a place in the text, or its end, on. */
#ifdef __clang_analyzer__
size_t next_mark(const uint64_t *marks, size_t from);
#else /* it cannot know that the mark at the end comes before what was never set */
ALWAYS_INLINE size_t next_mark(const uint64_t *marks, size_t from)
{
    size_t block = from / BLOCK;
    uint64_t bits = marks[block] & UINT64_MAX << from % BLOCK;

    while (!bits)
        bits = marks[++block];
    return block * BLOCK + (unsigned)__builtin_ctzll(bits);
}
#endif

/* "---" and "..." are markers at the start of a line. */
static bool is_marker(const struct fast *f, size_t at)
{
    return f->len - at >= 3 && (!memcmp(f->text + at, "---", 3) || !memcmp(f->text + at, "...", 3));
}

ALWAYS_INLINE size_t end_of_line(const struct fast *f, size_t from)
{
    return next_mark(f->lines, from);
}

/* The end of the blanks that begin at a place. */
ALWAYS_INLINE size_t skip_blanks(const struct fast *f, size_t at)
{
    const char *text = f->text;

    for (uint64_t eight; f->len - at >= sizeof(eight); at += sizeof(eight)) {
        memcpy(&eight, text + at, sizeof(eight));
        eight = le64toh(eight) ^ UINT64_C(0x2020202020202020);
        if (eight)
            return at + (unsigned)__builtin_ctzll(eight) / 8;
    }
    while (at < f->len && text[at] == ' ')
        at++;
    return at;
}

/* Moves to the content that follows from a position at the beginning of a line. */
ALWAYS_INLINE bool find_content(struct fast *f, size_t from)
{
    size_t at;

    for (;; from = f->end + 1) {
        if (from >= f->len) {
            f->column = -1;
            return true;
        }
        at = skip_blanks(f, from);
        f->end = end_of_line(f, at);
        if (at < f->end && f->text[at] != '#')
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

/* Letters that begin plain text which is a string, whatever follows: most of what there is. */
static const bool begins_string[256] = {
    ['A' ... 'E'] = 1, ['G' ... 'M'] = 1, ['P' ... 'S'] = 1, ['U' ... 'X'] = 1, ['Z'] = 1,
    ['a' ... 'e'] = 1, ['g' ... 'm'] = 1, ['p' ... 's'] = 1, ['u' ... 'x'] = 1, ['z'] = 1,
};

ALWAYS_INLINE void set_string(const struct fast *f, size_t at, const char *text, size_t len,
                              struct value *out)
{
    *out = (struct value){.kind = VALUE_STRING, .pos = position(f, at), .len = (uint32_t)len};
    out->text = text;
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

NOINLINE static bool resolve_plain(struct fast *f, str text, struct value *out)
{
    const struct yevent event = {.implicit = true, .value = text};

    yaml_resolve(f->arena, &event, f->yaml12, out);
    return !out->tag;
}

ALWAYS_INLINE bool set_plain(struct fast *f, size_t from, size_t to, struct value *out)
{
    str text = str_of(f->text + from, to - from);

    set_string(f, from, text.ptr, text.len, out);
    switch ((enum yaml_hint)yaml_hints[(uint8_t)text.ptr[0]]) {
    case YAML_HINT_TEXT:
        return true;
    case YAML_HINT_WORD:
        yaml_resolve_word(text, f->yaml12, out);
        return true;
    case YAML_HINT_NUMBER:
        if (yaml_ends_as_text(text))
            return true;
        if (is_small_integer(text)) {
            out->kind = VALUE_INT;
            return true;
        }
        return resolve_plain(f, text, out);
    default:
        return resolve_plain(f, text, out);
    }
}

/* The first colon that ends a key, from here on; or the end of the line. */
ALWAYS_INLINE size_t find_key_end(const struct fast *f, size_t from)
{
    size_t at = next_mark(f->stops, from);

    while (at + 1 < f->end && f->text[at + 1] != ' ')
        at = next_mark(f->stops, at + 1);
    return at;
}

/* Whether a comment begins on the line between two places. */
NOINLINE static bool find_comment(struct fast *f, size_t from, size_t to)
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

/* Whether plain text goes on to the end of the line. */
ALWAYS_INLINE bool fills_line(struct fast *f, size_t at)
{
    return f->text[f->end - 1] != ' ' && find_key_end(f, at) == f->end &&
           !has_comment(f, at, f->end);
}

/* Plain text to the end of the line. */
static bool read_plain(struct fast *f, size_t at, struct value *out)
{
    return begins_plain(f, at) && fills_line(f, at) && set_plain(f, at, f->end, out);
}

/* Between quotes, on one line, nothing escaped. *end is behind the closing one. */
ALWAYS_INLINE bool read_quoted(struct fast *f, size_t at, size_t *end, struct value *out)
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
NOINLINE static bool read_flow(struct fast *f, size_t at, struct value *out)
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

NOINLINE static bool read_literal(struct fast *f, size_t at, int parent, struct value *out)
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

/* Anything but plain text that is a string. */
static NOINLINE bool read_unusual(struct fast *f, size_t at, struct value *out)
{
    size_t end = f->end;

    switch (f->text[at]) {
    case '"':
    case '\'':
        return read_quoted(f, at, &end, out) && end == f->end;
    case '[':
        return read_flow(f, at, out);
    case '{':
        return read_empty_object(f, at, out);
    default:
        return read_plain(f, at, out);
    }
}

/* What begins on the line of its key or dash. The next line must not go on with it. */
ALWAYS_INLINE bool read_inline(struct fast *f, size_t at, int parent, struct value *out)
{
    if (!begins_string[(uint8_t)f->text[at]]) {
        if (!read_unusual(f, at, out))
            return false;
    } else {
        if (!fills_line(f, at))
            return false;
        set_string(f, at, f->text + at, f->end - at, out);
    }
    return next_line(f) && f->column <= parent;
}

/* ---- Sequences. ---- */

/* The place of the colon behind the key at the beginning of the content, or 0. */
ALWAYS_INLINE size_t find_colon(struct fast *f)
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
    if (!colon || !key->len || key->len > FAST_KEY || f->text[colon - 1] == ' ')
        return false;
    if (begins_string[(uint8_t)key->ptr[0]])
        return true;
    if (key->ptr[0] == '-' || !begins_plain(f, f->at))
        return false;
    return set_plain(f, f->at, colon, &v) && v.kind == VALUE_STRING && !str_eq(*key, STR("<<"));
}

/* An open mapping. */
struct members {
    size_t first; /* of its nodes */
    int column;
    uint64_t seen; /* a bit for the keys there are that look alike */
    struct value_index index;
};

/* Whether the mapping has the key. Only one that looks like it is a reason to go through them. */
static bool has_key(struct fast *f, struct members *m, str key)
{
    unsigned look = (uint8_t)key.ptr[0] * 5u + (uint8_t)key.ptr[key.len - 1] +
                    (unsigned)key.len * 11u;
    uint64_t bit = UINT64_C(1) << look % 64;
    size_t n = f->nodes.len - m->first;

    if (m->seen & bit)
        return value_index_find(f->scratch, &m->index, f->nodes.items + m->first, n, key) != n;
    m->seen |= bit;
    return false;
}

static bool read_member(struct fast *f, struct members *m)
{
    size_t colon = find_colon(f);
    struct value v;
    str key;

    if (!read_key(f, colon, &key) || has_key(f, m, key) || !read_value(f, colon, m->column, &v))
        return false;
    v.key = key.ptr;
    v.key_len = (uint32_t)key.len;
    *VEC_NEXT(f->scratch, &f->nodes) = v;
    return true;
}

static bool read_object(struct fast *f, struct value *out)
{
    struct members m = {.first = f->nodes.len, .column = f->column};

    *out = (struct value){.pos = position(f, f->at)};
    while (f->column == m.column)
        if (!read_member(f, &m))
            return false;
    value_adopt(f->arena, out, VALUE_OBJECT, f->nodes.items + m.first, f->nodes.len - m.first);
    f->nodes.len = m.first;
    return f->column < m.column;
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
        part->from > UINT32_MAX - FAST_BYTES || !mark_text(&f))
        return false;
    size_t from = str_has_prefix(text, STR("---\n")) ? 4 : 0;
    if (!find_content(&f, from) || f.column != 0 || !read_block(&f, &root) || f.column != -1)
        return false;
    *out = arena_alloc_raw(a, sizeof(**out));
    **out = root;
    return true;
}
