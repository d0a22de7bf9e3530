/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - characters of written YAML: indentation, indicators, and scalars in their styles.
 *
 * The layout is that of libyaml's emitter as Go's copy of it behaves, with an indentation of 2 and
 * lines folded at the first blank behind column 80. Two flags decide where blanks and line breaks
 * go, see struct yemit.
 */
#include "text/yaml/internal.h"

enum { WIDTH = 80, INDENT = 2 };

/* ---- Characters. ---- */

static void put(struct yemit *m, char c)
{
    buf_char(m->out, c);
    m->column++;
}

static void put_break(struct yemit *m)
{
    buf_char(m->out, '\n');
    m->column = 0;
}

static size_t width_of(uint8_t c)
{
    return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

static uint8_t byte_at(str s, size_t i)
{
    return i < s.len ? (uint8_t)s.ptr[i] : 0;
}

/* Copies the character at *i. */
static void put_char(struct yemit *m, str s, size_t *i)
{
    size_t width = width_of((uint8_t)s.ptr[*i]);

    buf_add(m->out, str_slice(s, *i, *i + width));
    m->column++;
    *i += width;
}

/* Copies the characters in [from, to), which contain no line breaks. */
static void put_run(struct yemit *m, str s, size_t from, size_t to)
{
    str run = str_slice(s, from, to);

    buf_add(m->out, run);
    m->column += utf8_count(run);
}

static bool is_break(str s, size_t i)
{
    uint8_t c = byte_at(s, i);

    if (c == '\n' || c == '\r')
        return true;
    if (c == 0xC2)
        return byte_at(s, i + 1) == 0x85;
    return c == 0xE2 && byte_at(s, i + 1) == 0x80 && (byte_at(s, i + 2) & 0xFE) == 0xA8;
}

static void put_break_of(struct yemit *m, str s, size_t *i)
{
    if (s.ptr[*i] == '\n') {
        put_break(m);
        ++*i;
    } else {
        put_char(m, s, i);
        m->column = 0;
    }
}

static bool is_blank(str s, size_t i)
{
    return byte_at(s, i) == ' ' || byte_at(s, i) == '\t';
}

/* What needs no escape. Characters beyond the basic plane do, and so does the tab. */
static bool is_printable(str s, size_t i)
{
    uint8_t c = byte_at(s, i), second = byte_at(s, i + 1), third = byte_at(s, i + 2);

    if (c < 0x80)
        return c == '\n' || (c >= 0x20 && c <= 0x7E);
    if (c == 0xC2)
        return second >= 0xA0;
    if (c == 0xED)
        return second < 0xA0;
    if (c == 0xEF)
        return !(second == 0xBB && third == 0xBF) && !(second == 0xBF && third >= 0xBE);
    return c > 0xC2 && c < 0xEF;
}

void yemit_indent(struct yemit *m)
{
    size_t indent = m->indent > 0 ? (size_t)m->indent : 0;

    if (!m->indention || m->column > indent || (m->column == indent && !m->whitespace))
        put_break(m);
    if (m->column < indent) {
        buf_repeat(m->out, ' ', indent - m->column);
        m->column = indent;
    }
    m->whitespace = true;
    m->indention = true;
}

void yemit_indicator(struct yemit *m, char c, bool need_space, bool whitespace, bool indention)
{
    if (need_space && !m->whitespace)
        put(m, ' ');
    put(m, c);
    m->whitespace = whitespace;
    m->indention = m->indention && indention;
}

/* ---- Which styles can hold a text. ---- */

struct traits {
    bool indicators, special, tabs, breaks;
    bool space_first, space_last, break_first, break_last;
    bool break_space, space_break;
};

/* Whether the character at i makes the text look like something else when it is not quoted. */
static bool is_indicator(str s, size_t i, size_t width, bool after_space)
{
    bool before_space = i + width >= s.len || is_blank(s, i + width);

    switch (s.ptr[i]) {
    case ':':
        return before_space;
    case '#':
        return i == 0 || after_space;
    case '?':
    case '-':
        return i == 0 && before_space;
    case ',':
    case '[':
    case ']':
    case '{':
    case '}':
    case '&':
    case '*':
    case '!':
    case '|':
    case '>':
    case '\'':
    case '"':
    case '%':
    case '@':
    case '`':
        return i == 0;
    default:
        return false;
    }
}

static void look_at_space(struct traits *t, str s, size_t i, bool after_break)
{
    t->space_first |= i == 0;
    t->space_last |= i + 1 == s.len;
    t->break_space |= after_break;
}

static void look_at_break(struct traits *t, str s, size_t i, size_t width, bool after_space)
{
    t->breaks = true;
    t->break_first |= i == 0;
    t->break_last |= i + width == s.len;
    t->space_break |= after_space;
}

/* Letters, digits and the like have no influence on the style: most texts are nothing else. */
static const bool harmless[256] = {
    ['$'] = 1,         ['(' ... ')'] = 1, ['+'] = 1,         ['.' ... '9'] = 1, [';' ... '='] = 1,
    ['A' ... 'Z'] = 1, ['\\'] = 1,        ['^' ... '_'] = 1, ['a' ... 'z'] = 1, ['~'] = 1,
};

static size_t count_harmless(str s, size_t from)
{
    size_t i = from;

    while (i < s.len && harmless[(uint8_t)s.ptr[i]])
        i++;
    return i - from;
}

/* The same and '-', which is harmless behind the first character. */
static const bool in_word[256] = {
    ['$'] = 1,         ['(' ... ')'] = 1, ['+'] = 1,         ['-' ... '9'] = 1, [';' ... '='] = 1,
    ['A' ... 'Z'] = 1, ['\\'] = 1,        ['^' ... '_'] = 1, ['a' ... 'z'] = 1, ['~'] = 1,
};

bool yemit_is_word(str text)
{
    size_t i = 0;

    if (!text.len ||
        !((text.ptr[0] >= 'a' && text.ptr[0] <= 'z') || (text.ptr[0] >= 'A' && text.ptr[0] <= 'Z')))
        return false;
    while (i < text.len && in_word[(uint8_t)text.ptr[i]])
        i++;
    return i == text.len;
}

static struct traits find_traits(str s)
{
    struct traits t = {0};
    bool space = false, broke = false, white = true;

    t.indicators = str_has_prefix(s, STR("---")) || str_has_prefix(s, STR("..."));
    for (size_t i = 0, width; i < s.len; i += width) {
        if (harmless[(uint8_t)s.ptr[i]]) {
            width = count_harmless(s, i);
            space = broke = white = false;
            continue;
        }
        width = width_of((uint8_t)s.ptr[i]);
        t.indicators |= is_indicator(s, i, width, white);
        t.tabs |= s.ptr[i] == '\t';
        t.special |= s.ptr[i] != '\t' && !is_printable(s, i);
        bool is_space = s.ptr[i] == ' ', is_line = is_break(s, i);
        if (is_space)
            look_at_space(&t, s, i, broke);
        else if (is_line)
            look_at_break(&t, s, i, width, space);
        space = is_space;
        broke = is_line;
        white = is_blank(s, i) || is_line;
    }
    return t;
}

void yemit_analyze(const struct yemit *m, struct yscalar *scalar, str text)
{
    struct traits t = find_traits(text);
    bool edges = t.space_first || t.space_last || t.break_first || t.break_last;

    scalar->text = text;
    scalar->multiline = t.breaks;
    scalar->block_ok = text.len && !t.space_last && !t.space_break && !t.special &&
                       (m->pretty || !t.tabs);
    scalar->single_ok = !t.break_space && !t.space_break && !t.special && !t.tabs;
    scalar->plain_ok = scalar->single_ok && !edges && !t.breaks && !t.indicators;
}

/* ---- Styles. ---- */

/* Replaces a blank by a line break where the line is full. */
static bool fold_here(struct yemit *m, bool key, bool spaces)
{
    return !key && !spaces && m->column > WIDTH && !m->pretty;
}

static void write_plain(struct yemit *m, str s, bool key)
{
    bool spaces = false;

    if (!m->whitespace)
        put(m, ' ');
    for (size_t i = 0; i < s.len;) {
        size_t run = key ? STR_NPOS : str_find_char(str_from(s, i), ' ');
        size_t end = run == STR_NPOS ? s.len : i + run;
        put_run(m, s, i, end);
        if (end > i) {
            m->indention = false;
            spaces = false;
        }
        i = end;
        if (i == s.len)
            break;
        if (fold_here(m, key, spaces) && byte_at(s, i + 1) != ' ')
            yemit_indent(m);
        else
            put(m, ' ');
        spaces = true;
        i++;
    }
    m->whitespace = false;
    m->indention = false;
}

void yemit_word(struct yemit *m, str text)
{
    if (!m->whitespace)
        put(m, ' ');
    buf_add(m->out, text);
    m->column += text.len;
    m->whitespace = false;
    m->indention = false;
}

/* Characters that are copied in either kind of quotes. */
static const bool quoted_run[256] = {
    ['!'] = 1,
    ['#' ... '&'] = 1,
    ['(' ... '['] = 1,
    [']' ... '~'] = 1,
};

static size_t end_of_run(str s, size_t i)
{
    while (i < s.len && quoted_run[(uint8_t)s.ptr[i]])
        i++;
    return i;
}

/* Some characters of a single-quoted text that are neither blanks nor breaks. */
static void write_single_run(struct yemit *m, str s, size_t *i, bool after_break)
{
    if (after_break)
        yemit_indent(m);
    if (s.ptr[*i] == '\'')
        put(m, '\'');
    put_char(m, s, i);
    size_t end = end_of_run(s, *i);
    put_run(m, s, *i, end);
    *i = end;
    m->indention = false;
}

static void write_single(struct yemit *m, str s, bool key)
{
    bool spaces = false, breaks = false;

    yemit_indicator(m, '\'', true, false, false);
    for (size_t i = 0; i < s.len;) {
        if (s.ptr[i] == ' ') {
            if (fold_here(m, key, spaces) && i > 0 && i + 1 < s.len && s.ptr[i + 1] != ' ') {
                yemit_indent(m);
                i++;
            } else {
                put_char(m, s, &i);
            }
            spaces = true;
        } else if (is_break(s, i)) {
            if (!breaks && s.ptr[i] == '\n')
                put_break(m);
            put_break_of(m, s, &i);
            m->indention = true;
            breaks = true;
        } else {
            write_single_run(m, s, &i, breaks);
            spaces = breaks = false;
        }
    }
    yemit_indicator(m, '\'', false, false, false);
    m->indention = false;
}

static void write_escape(struct yemit *m, uint32_t c)
{
    static const struct {
        uint32_t rune;
        char letter;
    } letters[] = {
        {0x00, '0'},  {0x07, 'a'}, {0x08, 'b'}, {0x09, 't'},   {0x0A, 'n'},
        {0x0B, 'v'},  {0x0C, 'f'}, {0x0D, 'r'}, {0x1B, 'e'},   {0x22, '"'},
        {0x5C, '\\'}, {0x85, 'N'}, {0xA0, '_'}, {0x2028, 'L'}, {0x2029, 'P'},
    };
    size_t before = m->out->len;

    for (size_t i = 0; i < COUNT(letters); i++) {
        if (letters[i].rune == c) {
            put(m, '\\');
            put(m, letters[i].letter);
            return;
        }
    }
    if (c <= 0xFF)
        buf_fmt(m->out, "\\x%02X", c);
    else if (c <= 0xFFFF)
        buf_fmt(m->out, "\\u%04X", c);
    else
        buf_fmt(m->out, "\\U%08X", c);
    m->column += m->out->len - before;
}

static void write_double(struct yemit *m, str s, bool key)
{
    /* Upstream: a byte order mark at the beginning makes every character an escape. */
    bool all = str_has_prefix(s, STR("\xEF\xBB\xBF")), spaces = false;

    yemit_indicator(m, '"', true, false, false);
    for (size_t i = 0, width; i < s.len;) {
        bool space = s.ptr[i] == ' ' && !all;
        if (all || !is_printable(s, i) || is_break(s, i) || s.ptr[i] == '"' || s.ptr[i] == '\\') {
            write_escape(m, utf8_decode(str_from(s, i), &width));
            i += width;
        } else if (space && fold_here(m, key, spaces) && i > 0 && i + 1 < s.len) {
            yemit_indent(m);
            if (s.ptr[i + 1] == ' ')
                put(m, '\\');
            i++;
        } else {
            put_char(m, s, &i);
            size_t end = end_of_run(s, i);
            put_run(m, s, i, end);
            space = space && i == end;
            i = end;
        }
        spaces = space;
    }
    yemit_indicator(m, '"', false, false, false);
    m->indention = false;
}

/* Indentation when it cannot be guessed, and what happens to the line breaks at the end. */
static void write_literal_header(struct yemit *m, str s)
{
    size_t last = s.len - 1, before;

    yemit_indicator(m, '|', true, false, false);
    if (s.ptr[0] == ' ' || is_break(s, 0))
        yemit_indicator(m, '2', false, false, false);
    while (((uint8_t)s.ptr[last] & 0xC0) == 0x80)
        last--;
    if (!is_break(s, last)) {
        yemit_indicator(m, '-', false, false, false);
        return;
    }
    for (before = last; before > 0 && ((uint8_t)s.ptr[before - 1] & 0xC0) == 0x80;)
        before--;
    if (last == 0 || is_break(s, before - 1))
        yemit_indicator(m, '+', false, false, false);
}

static void write_literal(struct yemit *m, str s)
{
    bool breaks = true;

    write_literal_header(m, s);
    put_break(m);
    m->indention = true;
    m->whitespace = true;
    for (size_t i = 0; i < s.len;) {
        if (is_break(s, i)) {
            put_break_of(m, s, &i);
            m->indention = true;
            breaks = true;
            continue;
        }
        if (breaks)
            yemit_indent(m);
        breaks = false;
        m->indention = false;
        size_t from = i;
        while (i < s.len && !is_break(s, i))
            i++;
        buf_add(m->out,
                str_slice(s, from, i)); /* the column does not matter: lines are not folded */
    }
}

void yemit_scalar(struct yemit *m, const struct yscalar *scalar, bool key)
{
    int32_t indent = m->indent;
    enum ystyle style = scalar->style;

    if (style == YSTYLE_PLAIN && (!scalar->plain_ok || !scalar->text.len))
        style = YSTYLE_SINGLE;
    if (style == YSTYLE_SINGLE && !scalar->single_ok)
        style = YSTYLE_DOUBLE;
    if (style == YSTYLE_LITERAL && (!scalar->block_ok || key))
        style = YSTYLE_DOUBLE;
    m->indent = indent < 0 ? INDENT : indent + INDENT;
    switch (style) {
    case YSTYLE_PLAIN:
        write_plain(m, scalar->text, key);
        break;
    case YSTYLE_SINGLE:
        write_single(m, scalar->text, key);
        break;
    case YSTYLE_DOUBLE:
        write_double(m, scalar->text, key);
        break;
    case YSTYLE_LITERAL:
        write_literal(m, scalar->text);
        break;
    }
    m->indent = indent;
}
