/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - functions about letter case, words and lines.
 */
#include "tmpl/funcs/families.h"

#include "base/unicode.h"

/* ---- Case ----------------------------------------------------------------------------------- */

/*
 * The argument, in *out: each of its code points is looked up in tables, which takes longer than
 * what texts are charged for.
 */
static bool take_text(struct tmpl_call *c, str *out)
{
    *out = arg_str(c, 0);
    return call_steps(c, out->len / 4);
}

/* s with every code point mapped; broken bytes become U+FFFD. */
static bool map_runes(struct tmpl_call *c, uint32_t (*map)(uint32_t r))
{
    struct buf b = call_buf(c);
    str s;

    if (!take_text(c, &s))
        return false;
    while (s.len) {
        size_t width;
        buf_rune(&b, map(utf8_decode(s, &width)));
        s = str_from(s, width);
    }
    return return_call_buf(c, &b);
}

/* The same for ASCII, where that is all there is; the usual case. */
static bool map_ascii(struct tmpl_call *c, str s, char from)
{
    char *out = arena_alloc_text(c->arena, s.len);

    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] & 0x80)
            return false;
        out[i] = (char)(s.ptr[i] ^ (s.ptr[i] >= from && s.ptr[i] <= from + 25 ? 0x20 : 0));
    }
    return return_str(c, str_of(out, s.len));
}

static bool fn_upper(struct tmpl_call *c)
{
    if (map_ascii(c, arg_str(c, 0), 'a'))
        return true;
    return map_runes(c, unicode_to_upper);
}

static bool fn_lower(struct tmpl_call *c)
{
    if (map_ascii(c, arg_str(c, 0), 'A'))
        return true;
    return map_runes(c, unicode_to_lower);
}

/* What separates words for title. */
static bool is_separator(uint32_t r)
{
    if (r < 0x80)
        return !((r >= '0' && r <= '9') || ((r | 0x20) >= 'a' && (r | 0x20) <= 'z') || r == '_');
    return !unicode_is_letter(r) && !unicode_is_digit(r) && unicode_is_space(r);
}

static bool fn_title(struct tmpl_call *c)
{
    str s;
    struct buf b = call_buf(c);
    uint32_t before = ' ';

    if (!take_text(c, &s))
        return false;
    while (s.len) {
        size_t width;
        uint32_t r = utf8_decode(s, &width);
        buf_rune(&b, is_separator(before) ? unicode_to_title(r) : r);
        before = r;
        s = str_from(s, width);
    }
    return return_call_buf(c, &b);
}

static bool fn_untitle(struct tmpl_call *c)
{
    str s;
    struct buf b = call_buf(c);
    bool next = true;

    if (!take_text(c, &s))
        return false;
    while (s.len) {
        size_t width;
        uint32_t r = utf8_decode(s, &width);
        if (unicode_is_space(r)) {
            next = true;
        } else if (next) {
            r = unicode_to_lower(r);
            next = false;
        }
        buf_rune(&b, r);
        s = str_from(s, width);
    }
    return return_call_buf(c, &b);
}

static uint32_t swap_case(uint32_t r, bool *after_space)
{
    bool begins = *after_space;

    if (unicode_is_upper(r) || unicode_is_title(r)) {
        *after_space = false;
        return unicode_to_lower(r);
    }
    if (unicode_is_lower(r)) {
        *after_space = false;
        return begins ? unicode_to_title(r) : unicode_to_upper(r);
    }
    *after_space = unicode_is_space(r);
    return r;
}

static bool fn_swapcase(struct tmpl_call *c)
{
    str s;
    struct buf b = call_buf(c);
    bool after_space = true;

    if (!take_text(c, &s))
        return false;
    while (s.len) {
        size_t width;
        uint32_t r = utf8_decode(s, &width);
        buf_rune(&b, swap_case(r, &after_space));
        s = str_from(s, width);
    }
    return return_call_buf(c, &b);
}

/* ---- Bytes taken for characters ------------------------------------------------------------- */

/* Upstream: these two look at bytes as if they were code points, so UTF-8 comes out as Latin-1. */
static bool fn_initials(struct tmpl_call *c)
{
    str s;
    struct buf b = call_buf(c);
    bool gap = true;

    if (!take_text(c, &s))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        uint32_t r = (unsigned char)s.ptr[i];
        if (unicode_is_space(r)) {
            gap = true;
        } else if (gap) {
            buf_rune(&b, r);
            gap = false;
        }
    }
    return return_call_buf(c, &b);
}

static bool fn_nospace(struct tmpl_call *c)
{
    str s;
    struct buf b = call_buf(c);
    bool any = false;

    if (!take_text(c, &s))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        uint32_t r = (unsigned char)s.ptr[i];
        if (unicode_is_space(r))
            any = true;
        else
            buf_rune(&b, r);
    }
    return any ? return_call_buf(c, &b) : return_str(c, s);
}

/* ---- Wrapping ------------------------------------------------------------------------------- */

static size_t last_blank(str s)
{
    return str_rfind_char(s, ' ');
}

/* One line off s at offset *at, which begins with no blank and is longer than width. */
static void wrap_line(struct buf *b, str s, size_t *at, size_t width, str newline, bool long_words)
{
    size_t blank = last_blank(str_slice(s, *at, *at + width + 1)), end = *at + width;

    if (blank != STR_NPOS) {
        end = *at + blank;
    } else if (!long_words) {
        blank = str_find_char(str_from(s, end), ' ');
        end = blank == STR_NPOS ? s.len : end + blank;
    }
    buf_add(b, str_slice(s, *at, end));
    if (end < s.len || blank != STR_NPOS || long_words)
        buf_add(b, newline);
    *at = end + (blank != STR_NPOS);
}

static bool wrap(struct tmpl_call *c, str s, str newline, bool long_words)
{
    int64_t n = arg_int(c, 0);
    size_t width = n < 1 ? 1 : (size_t)n, at = 0;
    struct buf b = call_buf(c);

    while (at < s.len && s.len - at > width) {
        if (s.ptr[at] == ' ')
            at++;
        else
            wrap_line(&b, s, &at, width, newline.len ? newline : STR("\n"), long_words);
    }
    buf_add(&b, str_from(s, at));
    return return_call_buf(c, &b);
}

static bool fn_wrap(struct tmpl_call *c)
{
    return wrap(c, arg_str(c, 1), STR_NONE, false);
}

static bool fn_wrap_with(struct tmpl_call *c)
{
    return wrap(c, arg_str(c, 2), arg_str(c, 1), true);
}

/* ---- Snake, kebab and camel ----------------------------------------------------------------- */

enum word_kind {
    WORD_INVALID,
    WORD_NUMBER,
    WORD_UPPER,
    WORD_ALPHABET,
    WORD_CONNECTOR,
    WORD_PUNCT,
    WORD_OTHER,
};

struct word {
    enum word_kind kind;
    str text;
};

static bool is_connector(uint32_t r)
{
    return r == '-' || r == '_' || unicode_is_space(r);
}

/* Letters, but not Chinese characters. */
static bool is_alphabet(uint32_t r)
{
    if (!unicode_is_letter(r))
        return false;
    return !((r >= 0x4E00 && r <= 0x9FCC) || (r >= 0x3400 && r <= 0x4D85) ||
             (r >= 0x20000 && r <= 0x2B81D));
}

static bool is_plain_letter(uint32_t r)
{
    return is_alphabet(r) && !unicode_is_upper(r);
}

static bool is_other(uint32_t r)
{
    return !is_connector(r) && !is_alphabet(r) && !unicode_is_number(r) && !unicode_is_punct(r);
}

/* The next code point that is not broken, else before, and how many bytes that takes. */
static uint32_t next_valid(str s, uint32_t before, size_t *size)
{
    *size = 0;
    while (*size < s.len) {
        size_t width;
        uint32_t r = utf8_decode(str_from(s, *size), &width);
        *size += width;
        if (r != RUNE_ERROR)
            return r;
    }
    return before;
}

/* How far code points of one class reach from offset at, whose last one is r. */
static size_t run_of(str s, size_t at, uint32_t *r, size_t *last, bool (*is)(uint32_t r))
{
    while (at < s.len) {
        size_t size;
        *r = next_valid(str_from(s, at), *r, &size);
        if (!is(*r))
            break;
        *last = size;
        at += size;
    }
    return at;
}

/* A word that begins with a capital: "HTTP" of "HTTPServer", "Server" of "ServerName". */
static size_t upper_word(str s, size_t at, uint32_t r)
{
    size_t last = 0, size;

    if (at >= s.len)
        return at;
    r = next_valid(str_from(s, at), r, &size);
    if (unicode_is_upper(r)) {
        last = size;
        at = run_of(s, at + size, &r, &last, unicode_is_upper);
        return at < s.len && is_alphabet(r) ? at - last : at;
    }
    return is_alphabet(r) ? run_of(s, at + size, &r, &last, is_plain_letter) : at;
}

static struct word next_word(str *s)
{
    size_t at, last = 0;
    uint32_t r;
    struct word w = {WORD_INVALID, STR_NONE};

    if (!s->len)
        return w;
    r = next_valid(*s, RUNE_ERROR, &at);
    if (r == RUNE_ERROR) {
        w.kind = WORD_INVALID;
    } else if (is_connector(r)) {
        w.kind = WORD_CONNECTOR;
        at = run_of(*s, at, &r, &last, is_connector);
    } else if (unicode_is_punct(r)) {
        w.kind = WORD_PUNCT;
        at = run_of(*s, at, &r, &last, unicode_is_punct);
    } else if (unicode_is_upper(r)) {
        w.kind = WORD_UPPER;
        at = upper_word(*s, at, r);
    } else if (is_alphabet(r)) {
        w.kind = WORD_ALPHABET;
        at = run_of(*s, at, &r, &last, is_plain_letter);
    } else if (unicode_is_number(r)) {
        w.kind = WORD_NUMBER;
        at = run_of(*s, at, &r, &last, unicode_is_number);
    } else {
        w.kind = WORD_OTHER;
        at = run_of(*s, at, &r, &last, is_other);
    }
    w.text = str_slice(*s, 0, at);
    *s = str_from(*s, at);
    return w;
}

static void add_word(struct buf *b, const struct word *w, char connector)
{
    str s = w->text;

    if (w->kind != WORD_UPPER && w->kind != WORD_CONNECTOR) {
        buf_add(b, s);
        return;
    }
    while (s.len) {
        size_t width;
        uint32_t r = utf8_decode(s, &width);
        if (is_connector(r))
            buf_char(b, connector);
        else
            buf_rune(b, unicode_is_upper(r) ? unicode_to_lower(r) : r);
        s = str_from(s, width);
    }
}

/* Letters and digits that follow a number belong to it. */
static struct word add_rest_of_number(struct buf *b, struct word w, str *rest, char connector)
{
    while (w.kind == WORD_ALPHABET || w.kind == WORD_NUMBER) {
        add_word(b, &w, connector);
        w = next_word(rest);
    }
    return w;
}

static void connect(struct buf *b, const struct word *next, bool after_number, char connector)
{
    if (after_number && next->kind == WORD_INVALID)
        return;
    if (next->kind != WORD_CONNECTOR && next->kind != WORD_PUNCT)
        buf_char(b, connector);
}

/* After letters: a number is part of the word before it, unless small letters follow. */
static struct word after_letters(struct buf *b, struct word w, str *rest, char connector)
{
    struct word number = w;

    if (w.kind != WORD_NUMBER) {
        connect(b, &w, false, connector);
        return w;
    }
    if (!rest->len)
        return w;
    w = next_word(rest);
    if (w.kind != WORD_ALPHABET) {
        add_word(b, &number, connector);
        connect(b, &w, false, connector);
        return w;
    }
    buf_char(b, connector);
    add_word(b, &number, connector);
    w = add_rest_of_number(b, w, rest, connector);
    connect(b, &w, true, connector);
    return w;
}

/* xstrings: words in small letters with a connector between. */
static bool lower_words(struct tmpl_call *c, char connector)
{
    struct word w, before;
    struct buf b = call_buf(c);
    str rest;

    if (!take_text(c, &rest))
        return false;
    w = next_word(&rest);
    while (rest.len) {
        if (w.kind != WORD_CONNECTOR)
            add_word(&b, &w, connector);
        before = w;
        w = next_word(&rest);
        if (before.kind == WORD_NUMBER) {
            w = add_rest_of_number(&b, w, &rest, connector);
            connect(&b, &w, true, connector);
        } else if (before.kind == WORD_CONNECTOR) {
            add_word(&b, &before, connector);
        } else if (before.kind != WORD_PUNCT) {
            w = after_letters(&b, w, &rest, connector);
        }
    }
    add_word(&b, &w, connector);
    return return_call_buf(c, &b);
}

static bool fn_snakecase(struct tmpl_call *c)
{
    return lower_words(c, '_');
}

static bool fn_kebabcase(struct tmpl_call *c)
{
    return lower_words(c, '-');
}

static uint32_t take_rune(str *s)
{
    size_t width;
    uint32_t r = utf8_decode(*s, &width);

    *s = str_from(*s, width);
    return r;
}

/* xstrings.ToPascalCase. */
static bool fn_camelcase(struct tmpl_call *c)
{
    str s;
    struct buf b = call_buf(c);
    uint32_t r = 0, before;
    bool capitals = false; /* the word began with one, and nothing else has come yet */

    if (!take_text(c, &s))
        return false;
    if (!s.len)
        return return_str(c, s);
    while (s.len) {
        r = take_rune(&s);
        if (!is_connector(r)) {
            capitals = unicode_is_upper(r);
            r = unicode_to_upper(r);
            break;
        }
        buf_rune(&b, r);
    }
    while (s.len) {
        before = r;
        r = take_rune(&s);
        if (is_connector(before) && is_connector(r)) {
            buf_rune(&b, before);
        } else if (is_connector(before)) {
            capitals = unicode_is_upper(r);
            r = unicode_to_upper(r);
        } else {
            if (capitals && unicode_is_upper(r))
                r = unicode_to_lower(r);
            else
                capitals = false;
            buf_rune(&b, before);
        }
    }
    buf_rune(&b, r);
    return return_call_buf(c, &b);
}

#define TEXT_TO_TEXT "func(string) string"

const struct tmpl_func tmpl_word_funcs[] = {
    {"camelcase", TEXT_TO_TEXT, SPRIG, fn_camelcase, "Words to CamelCase",
     "{{ camelcase \"http_server\" }}"},
    {"initials", TEXT_TO_TEXT, SPRIG, fn_initials, "The first character of each word",
     "{{ initials \"First Try\" }}"},
    {"kebabcase", TEXT_TO_TEXT, SPRIG, fn_kebabcase, "Words to kebab-case",
     "{{ kebabcase \"FirstName\" }}"},
    {"lower", TEXT_TO_TEXT, SPRIG, fn_lower, "Small letters", "{{ lower \"HELLO\" }}"},
    {"nospace", TEXT_TO_TEXT, SPRIG, fn_nospace, "Without white space",
     "{{ nospace \"h e l l o\" }}"},
    {"snakecase", TEXT_TO_TEXT, SPRIG, fn_snakecase, "Words to snake_case",
     "{{ snakecase \"FirstName\" }}"},
    {"swapcase", TEXT_TO_TEXT, SPRIG, fn_swapcase, "Capitals to small letters and back",
     "{{ swapcase \"This\" }}"},
    {"title", TEXT_TO_TEXT, SPRIG, fn_title, "A capital at each word's beginning",
     "{{ title \"hello world\" }}"},
    {"untitle", TEXT_TO_TEXT, SPRIG, fn_untitle, "A small letter at each word's beginning",
     "{{ untitle \"Hello World\" }}"},
    {"upper", TEXT_TO_TEXT, SPRIG, fn_upper, "Capitals", "{{ upper \"hello\" }}"},
    {"wrap", "func(int, string) string", SPRIG, fn_wrap, "Break lines at blanks",
     "{{ wrap 80 .text }}"},
    {"wrapWith", "func(int, string, string) string", SPRIG, fn_wrap_with,
     "Break lines and long words with a text of your own",
     "{{ wrapWith 5 \"\\t\" \"Hello World\" }}"},
    {0},
};
