/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_scalar.c - scalars: plain, quoted, and block.
 *
 * A scalar that appears verbatim in the source becomes a view of it; otherwise the text is put
 * together in a buffer and copied. struct gather hides the difference: pieces of the source that
 * follow each other just make the view longer.
 */
#include "text/yaml/scan_internal.h"

#include "go/strconv.h"

struct gather {
    struct yscan *scan;
    str view;   /* when not built */
    bool built; /* the text is in scan->built */
};

static void gather_build(struct gather *g)
{
    if (g->built)
        return;
    g->built = true;
    buf_truncate(&g->scan->built, 0);
    buf_add(&g->scan->built, g->view);
}

static bool in_source(const struct yscan *s, str piece)
{
    return piece.ptr >= s->text.ptr && piece.ptr < s->text.ptr + s->text.len;
}

static void gather_add(struct gather *g, str piece)
{
    if (!piece.len)
        return;
    if (!g->built && in_source(g->scan, piece)) {
        if (!g->view.len) {
            g->view = piece;
            return;
        }
        if (g->view.ptr + g->view.len == piece.ptr) {
            g->view.len += piece.len;
            return;
        }
    }
    gather_build(g);
    buf_add(&g->scan->built, piece);
}

static bool gather_end(struct gather *g, struct ytoken *t)
{
    struct yscan *s = g->scan;
    str text = g->built ? buf_str(&s->built) : g->view;

    if (text.len > TEXT_SCALAR_MAX) {
        yscan_fail(s, "scalar is larger than 64 MiB");
        s->problem.limit = true;
        s->problem.at = t->start;
        return false;
    }
    t->value = g->built ? str_copy(s->arena, text) : text;
    t->end = yscan_mark(s);
    return true;
}

static str source_from(const struct yscan *s, size_t from)
{
    return str_of(s->text.ptr + from, s->at.pos - from);
}

/* ---- Line folding, which plain and quoted scalars share. ---- */

struct fold {
    bool broken; /* at least one line break has been seen since the last text */
    str blanks;  /* white space before the first break */
    str first;   /* the first break; further ones are in scan->breaks */
};

static void fold_reset(struct yscan *s, struct fold *f)
{
    *f = (struct fold){0};
    buf_truncate(&s->breaks, 0);
}

/* Consumes white space and line breaks. After a break, tabs left of tab_limit are rejected. */
static bool fold_take(struct yscan *s, struct fold *f, int32_t tab_limit)
{
    while (yscan_is_blank(s, 0) || yscan_is_break(s, 0)) {
        if (yscan_is_blank(s, 0)) {
            if (f->broken && (int32_t)s->at.column < tab_limit && yscan_byte(s, 0) == '\t')
                return yscan_fail(s, "found a tab character that violates indentation");
            size_t from = s->at.pos;
            yscan_skip(s);
            if (!f->broken)
                f->blanks = f->blanks.len ? str_of(f->blanks.ptr, f->blanks.len + 1)
                                          : source_from(s, from);
        } else {
            if (!yscan_need(s, 2))
                return false;
            if (f->broken)
                buf_add(&s->breaks, yscan_skip_break(s));
            else
                f->first = yscan_skip_break(s);
            f->broken = true;
        }
        if (!yscan_need(s, 1))
            return false;
    }
    return true;
}

/* What the white space means, now that text follows it. */
static void fold_apply(struct gather *g, struct fold *f)
{
    str breaks = buf_str(&g->scan->breaks);

    if (!f->broken) {
        gather_add(g, f->blanks);
    } else if (f->first.len && f->first.ptr[0] == '\n') {
        gather_add(g, breaks.len ? breaks : STR(" "));
    } else {
        gather_add(g, f->first);
        gather_add(g, breaks);
    }
    fold_reset(g->scan, f);
}

/* ---- Plain. ---- */

/* Characters that never end a plain scalar, whatever follows: the inner loop runs over these. */
static const bool plain_inside[256] = {
    ['!' ... '+'] = 1, ['-' ... '9'] = 1, [';' ... '>'] = 1, ['@' ... 'Z'] = 1,
    ['\\'] = 1,        ['^' ... 'z'] = 1, ['|'] = 1,         ['~'] = 1,
};

/* Moves over characters of the set that are surely checked and are not the last checked ones. */
static void run_over(struct yscan *s, const bool set[256])
{
    const uint8_t *text = (const uint8_t *)s->text.ptr;
    size_t from = s->at.pos, to = from;
    size_t end = s->checked > 16 ? s->checked - 16 : 0;

    while (to < end && set[text[to]])
        to++;
    s->at.pos = (uint32_t)to;
    s->at.column += (uint32_t)(to - from);
}

static bool ends_plain(const struct yscan *s)
{
    switch (yscan_byte(s, 0)) {
    case ':':
        return yscan_is_blankz(s, 1);
    case ',':
    case '?':
    case '[':
    case ']':
    case '{':
    case '}':
        return s->flow > 0;
    default:
        return false;
    }
}

/* One run of text without white space; only if there is one, the white space before it counts. */
static bool plain_run(struct yscan *s, struct gather *g, struct fold *f)
{
    size_t from = s->at.pos;

    while (!yscan_is_blankz(s, 0) && !ends_plain(s)) {
        if (s->at.pos == from)
            fold_apply(g, f);
        yscan_skip(s);
        run_over(s, plain_inside);
        if (!yscan_need(s, 2))
            return false;
    }
    gather_add(g, source_from(s, from));
    return true;
}

bool yscan_plain_scalar(struct yscan *s, struct ytoken *t)
{
    struct gather g = {.scan = s};
    struct fold f;
    int32_t indent = s->indent + 1;

    fold_reset(s, &f);
    for (;;) {
        if (!yscan_need(s, 4))
            return false;
        if (yscan_at_document(s, '-') || yscan_at_document(s, '.') || yscan_byte(s, 0) == '#')
            break;
        if (!plain_run(s, &g, &f))
            return false;
        if (!yscan_is_blank(s, 0) && !yscan_is_break(s, 0))
            break;
        if (!yscan_need(s, 1) || !fold_take(s, &f, indent))
            return false;
        if (s->flow == 0 && (int32_t)s->at.column < indent)
            break;
    }
    if (f.broken)
        s->key_allowed = true;
    t->plain = true;
    return gather_end(&g, t);
}

/* ---- Quoted. ---- */

static const char *simple_escape(uint8_t c, size_t *len)
{
    static const struct {
        char c;
        const char *text;
    } escapes[] = {
        {'a', "\a"},           {'b', "\b"},       {'t', "\t"},       {'\t', "\t"},
        {'n', "\n"},           {'v', "\v"},       {'f', "\f"},       {'r', "\r"},
        {'e', "\x1B"},         {' ', " "},        {'"', "\""},       {'\'', "'"},
        {'\\', "\\"},          {'N', "\xC2\x85"}, {'_', "\xC2\xA0"}, {'L', "\xE2\x80\xA8"},
        {'P', "\xE2\x80\xA9"},
    };

    *len = 1;
    if (c == '0')
        return "";
    for (size_t i = 0; i < COUNT(escapes); i++) {
        if (escapes[i].c == (char)c) {
            *len = strlen(escapes[i].text);
            return escapes[i].text;
        }
    }
    return NULL;
}

/* \xHH, \uHHHH and \UHHHHHHHH; the scanner is after the letter. */
static bool numeric_escape(struct yscan *s, struct gather *g, size_t digits)
{
    uint64_t rune = 0;
    char utf8[UTF8_MAX];

    if (!yscan_need(s, digits))
        return false;
    for (size_t k = 0; k < digits; k++) {
        int digit = go_hex_digit(yscan_byte(s, k));
        if (digit < 0)
            return yscan_fail(s, "did not find expected hexdecimal number");
        rune = (rune << 4) | (unsigned)digit;
    }
    if ((rune >= 0xD800 && rune <= 0xDFFF) || rune > RUNE_MAX)
        return yscan_fail(s, "found invalid Unicode character escape code");
    gather_build(g);
    gather_add(g, str_of(utf8, utf8_encode(utf8, (uint32_t)rune)));
    while (digits--)
        yscan_skip(s);
    return true;
}

static bool escape(struct yscan *s, struct gather *g)
{
    uint8_t c = yscan_byte(s, 1);
    size_t len, digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const char *text = simple_escape(c, &len);

    if (!text && !digits)
        return yscan_fail(s, "found unknown escape character");
    if (text) {
        gather_build(g);
        gather_add(g, str_of(text, len));
    }
    yscan_skip(s);
    yscan_skip(s);
    return !digits || numeric_escape(s, g, digits);
}

/* Characters without meaning in either kind of quotes. */
static const bool quoted_inside[256] = {
    ['!'] = 1,
    ['#' ... '&'] = 1,
    ['(' ... '['] = 1,
    [']' ... '~'] = 1,
};

/* An escaped line break vanishes together with the white space after it. */
static bool escaped_break(struct yscan *s, struct fold *f)
{
    if (!yscan_need(s, 3))
        return false;
    yscan_skip(s);
    yscan_skip_break(s);
    f->broken = true;
    return true;
}

/* One run of text without white space. */
static bool quoted_run(struct yscan *s, struct gather *g, uint8_t quote, struct fold *f)
{
    while (!yscan_is_blankz(s, 0)) {
        uint8_t c = yscan_byte(s, 0);
        size_t from = s->at.pos;
        if (c == quote) {
            if (quote == '"' || yscan_byte(s, 1) != '\'')
                return true;
            yscan_skip(s);
            gather_add(g, source_from(s, from));
            yscan_skip(s);
        } else if (c == '\\' && quote == '"') {
            if (yscan_is_break(s, 1))
                return escaped_break(s, f);
            if (!escape(s, g))
                return false;
        } else {
            yscan_skip(s);
            run_over(s, quoted_inside);
            gather_add(g, source_from(s, from));
        }
        if (!yscan_need(s, 2))
            return false;
    }
    return true;
}

bool yscan_quoted_scalar(struct yscan *s, struct ytoken *t)
{
    struct gather g = {.scan = s};
    struct fold f;
    uint8_t quote = yscan_byte(s, 0);

    yscan_skip(s);
    fold_reset(s, &f);
    for (;;) {
        if (!yscan_need(s, 4))
            return false;
        if (yscan_at_document(s, '-') || yscan_at_document(s, '.'))
            return yscan_fail(s, "found unexpected document indicator");
        if (yscan_byte(s, 0) == 0)
            return yscan_fail(s, "found unexpected end of stream");
        if (!quoted_run(s, &g, quote, &f) || !yscan_need(s, 1))
            return false;
        if (yscan_byte(s, 0) == quote)
            break;
        if (!fold_take(s, &f, 0))
            return false;
        fold_apply(&g, &f);
    }
    yscan_skip(s);
    return gather_end(&g, t);
}

/* ---- Block. ---- */

enum chomp { CHOMP_CLIP, CHOMP_STRIP, CHOMP_KEEP };

struct block {
    bool literal;
    enum chomp chomp;
    int32_t indent; /* 0 until known */
};

static bool block_chomp(struct yscan *s, struct block *b)
{
    uint8_t c = yscan_byte(s, 0);

    if (c != '+' && c != '-')
        return true;
    b->chomp = c == '+' ? CHOMP_KEEP : CHOMP_STRIP;
    yscan_skip(s);
    return yscan_need(s, 1);
}

static bool block_digit(struct yscan *s, int32_t *increment)
{
    uint8_t c = yscan_byte(s, 0);

    if (c < '0' || c > '9')
        return true;
    if (c == '0')
        return yscan_fail(s, "found an indentation indicator equal to 0");
    *increment = c - '0';
    yscan_skip(s);
    return yscan_need(s, 1);
}

/* "|2-" and what may follow it on its line. */
static bool block_header(struct yscan *s, struct block *b)
{
    int32_t increment = 0;

    b->literal = yscan_byte(s, 0) == '|';
    yscan_skip(s);
    if (!yscan_need(s, 1) || !block_chomp(s, b) || !block_digit(s, &increment))
        return false;
    if (b->chomp == CHOMP_CLIP && !block_chomp(s, b))
        return false;
    if (!yscan_line_end(s))
        return false;
    if (increment)
        b->indent = (s->indent >= 0 ? s->indent : 0) + increment;
    return true;
}

/* Takes indentation and empty lines; the first text decides the indentation when none was given. */
static bool block_breaks(struct yscan *s, struct block *b)
{
    int32_t deepest = 0;

    for (;;) {
        if (!yscan_need(s, 1))
            return false;
        while ((!b->indent || (int32_t)s->at.column < b->indent) && yscan_byte(s, 0) == ' ') {
            yscan_skip(s);
            if (!yscan_need(s, 1))
                return false;
        }
        if ((int32_t)s->at.column > deepest)
            deepest = (int32_t)s->at.column;
        if ((!b->indent || (int32_t)s->at.column < b->indent) && yscan_byte(s, 0) == '\t')
            return yscan_fail(s, "found a tab character where an indentation space is expected");
        if (!yscan_is_break(s, 0))
            break;
        if (!yscan_need(s, 2))
            return false;
        buf_add(&s->breaks, yscan_skip_break(s));
    }
    if (!b->indent) {
        b->indent = deepest > s->indent + 1 ? deepest : s->indent + 1;
        if (b->indent < 1)
            b->indent = 1;
    }
    return true;
}

static const bool block_inside[256] = {['\t'] = 1, [' ' ... '~'] = 1};

static bool block_line(struct yscan *s, struct gather *g)
{
    size_t from = s->at.pos;

    while (!yscan_is_breakz(s, 0)) {
        yscan_skip(s);
        run_over(s, block_inside);
        if (!yscan_need(s, 1))
            return false;
    }
    gather_add(g, source_from(s, from));
    return yscan_need(s, 2);
}

/*
 * The breaks before a line: in a folded scalar a single one becomes a blank, unless one of the
 * lines around it begins with a blank.
 */
static void block_join(struct gather *g, const struct block *b, str first, bool any_blank)
{
    str breaks = buf_str(&g->scan->breaks);

    if (!b->literal && !any_blank && first.len && first.ptr[0] == '\n') {
        if (!breaks.len)
            gather_add(g, STR(" "));
    } else {
        gather_add(g, first);
    }
    gather_add(g, breaks);
    buf_truncate(&g->scan->breaks, 0);
}

bool yscan_block_scalar(struct yscan *s, struct ytoken *t)
{
    struct gather g = {.scan = s};
    struct block b = {0};
    str first = STR_NONE;
    bool blank_before = false;

    buf_truncate(&s->breaks, 0);
    if (!block_header(s, &b) || !block_breaks(s, &b) || !yscan_need(s, 1))
        return false;
    while ((int32_t)s->at.column == b.indent && yscan_byte(s, 0)) {
        bool blank = yscan_is_blank(s, 0);
        block_join(&g, &b, first, blank_before || blank);
        blank_before = blank;
        if (!block_line(s, &g))
            return false;
        first = yscan_skip_break(s);
        if (!block_breaks(s, &b))
            return false;
    }
    if (b.chomp != CHOMP_STRIP)
        gather_add(&g, first);
    if (b.chomp == CHOMP_KEEP)
        gather_add(&g, buf_str(&s->breaks));
    return gather_end(&g, t);
}
