/* SPDX-License-Identifier: Apache-2.0 */
/* spelled.c - finds a text however it is escaped; see spelled.h. */
#include "text/spelled.h"

#include "base/utf8.h"
#include "go/strconv.h"

/*
 * How often something may be escaped again: \\\\" is three levels of JSON, %2525 are three of URLs.
 * This also limits the time for a text that consists of escapes only.
 */
#define SLASHES_MAX 15
#define AGAIN_MAX 4

/* How many characters are compared: usually about one for each byte of a text. */
#define STEPS_MIN 1000000
#define STEPS_PER_BYTE 50

/* What a piece of a text stands for, and how long the piece is; 0: nothing. */
struct piece {
    char bytes[2 * UTF8_MAX];
    size_t len, taken;
};

static const struct piece no_piece;

static char char_at(str text, size_t i)
{
    return i < text.len ? text.ptr[i] : '\0';
}

/* The value of count hexadecimal digits at i, or -1. */
static long hex_at(str text, size_t i, size_t count)
{
    long value = 0;

    for (size_t end = i + count; i < end; i++) {
        int digit = i < text.len ? go_hex_digit((unsigned char)text.ptr[i]) : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static struct piece piece_of_byte(char c, size_t taken)
{
    return (struct piece){.bytes = {c}, .len = 1, .taken = taken};
}

static struct piece piece_of_rune(long r, size_t taken)
{
    struct piece p = {.taken = taken};

    p.len = utf8_encode(p.bytes, (uint32_t)r);
    return p;
}

/* ---- The ways to escape. --------------------------------------------------------------------- */

/* "u" and four digits at i; a character may need two of these, one after the other. */
static struct piece read_unicode(str text, size_t i)
{
    long high = hex_at(text, i + 1, 4), low;
    size_t next = i + 5;

    if (high < 0xD800 || high > 0xDBFF)
        return high < 0 ? no_piece : piece_of_rune(high, next);
    while (char_at(text, next) == '\\' && next < i + 5 + SLASHES_MAX)
        next++;
    low = char_at(text, next) == 'u' ? hex_at(text, next + 1, 4) : -1;
    if (low < 0xDC00 || low > 0xDFFF)
        return no_piece;
    return piece_of_rune(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), next + 5);
}

/* Backslashes and a letter after them that stands for something else. */
static struct piece read_sign(str text, size_t slashes)
{
    static const char letters[] = "abfnrtv", controls[] = "\a\b\f\n\r\t\v";
    char c = char_at(text, slashes);
    const char *letter = c ? strchr(letters, c) : NULL;
    long byte = c == 'x' ? hex_at(text, slashes + 1, 2) : -1;

    if (c == 'u')
        return read_unicode(text, slashes);
    if (byte >= 0)
        return piece_of_byte((char)byte, slashes + 3);
    return letter ? piece_of_byte(controls[letter - letters], slashes + 1) : no_piece;
}

/* n: 0 as a sign, 1 as the character itself. */
static struct piece read_slashes(str text, size_t n)
{
    size_t slashes = 0;

    while (char_at(text, slashes) == '\\' && slashes < SLASHES_MAX)
        slashes++;
    if (slashes == text.len)
        return no_piece;
    return n ? piece_of_byte(text.ptr[slashes], slashes + 1) : read_sign(text, slashes);
}

/* %XX, where the sign itself may be escaped: %25XX. */
static struct piece read_percent(str text, size_t again)
{
    long byte;

    for (size_t i = 0; i < again; i++)
        if (!str_has_prefix(str_from(text, 1 + 2 * i), STR("25")))
            return no_piece;
    byte = hex_at(text, 1 + 2 * again, 2);
    return byte < 0 ? no_piece : piece_of_byte((char)byte, 3 + 2 * again);
}

/* A character of HTML by its number, from the number on. */
static struct piece read_number(str text, size_t i)
{
    bool is_hex = (char_at(text, i) | 0x20) == 'x';
    size_t start = i += is_hex;
    long value = 0;

    for (; i < text.len && i < start + 7; i++) {
        int digit = go_hex_digit((unsigned char)text.ptr[i]);
        if (digit < 0 || (!is_hex && digit > 9))
            break;
        value = value * (is_hex ? 16 : 10) + digit;
    }
    if (i == start || char_at(text, i) != ';' || value > 0x10FFFF)
        return no_piece;
    return piece_of_rune(value, i + 1);
}

/* &lt; and so on, where the sign itself may be escaped: &amp;lt;. */
static struct piece read_entity(str text, size_t again)
{
    static const struct {
        str name;
        char c;
    } names[] = {{STR_INIT("amp;"), '&'},
                 {STR_INIT("apos;"), '\''},
                 {STR_INIT("gt;"), '>'},
                 {STR_INIT("lt;"), '<'},
                 {STR_INIT("quot;"), '"'}};
    size_t i = 1;

    for (; again; again--, i += names[0].name.len)
        if (!str_has_prefix(str_from(text, i), names[0].name))
            return no_piece;
    if (char_at(text, i) == '#')
        return read_number(text, i + 1);
    for (size_t k = 0; k < COUNT(names); k++)
        if (str_has_prefix(str_from(text, i), names[k].name))
            return piece_of_byte(names[k].c, i + names[k].name.len);
    return no_piece;
}

/* The nth of all readings that the beginning of a text has as an escape, most often escaped first.
 */
static struct piece read_escape(str text, size_t n)
{
    switch (text.ptr[0]) {
    case '\\':
        return n < 2 ? read_slashes(text, n) : no_piece;
    case '%':
        return read_percent(text, AGAIN_MAX - n);
    case '&':
        return read_entity(text, AGAIN_MAX - n);
    case '+':
        return piece_of_byte(' ', 1);
    default:
        return no_piece;
    }
}

/* ---- Matching. ------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A step: how much of the text goes with how much of what is wanted. */
struct step {
    size_t taken, eaten;
};

static struct step step_escape(str text, str wanted)
{
    if (!strchr("\\%&+", text.ptr[0]))
        return (struct step){0};
    for (size_t n = 0; n <= AGAIN_MAX; n++) {
        struct piece p = read_escape(text, n);
        if (p.len && str_has_prefix(wanted, str_of(p.bytes, p.len)))
            return (struct step){p.taken, p.len};
        if (p.len && p.bytes[0] == '\r' && wanted.ptr[0] == '\n')
            return (struct step){p.taken, 0};
    }
    return (struct step){0};
}

static struct step step_plain(str text, str wanted)
{
    if (text.ptr[0] == wanted.ptr[0] || (wanted.ptr[0] == '\n' && text.ptr[0] == ' '))
        return (struct step){1, 1};
    if (wanted.ptr[0] == '\n' && text.ptr[0] == '\r')
        return (struct step){1, 0};
    return (struct step){0};
}

/*
 * How much of the text is what is wanted; all of it when it takes too many steps to know. plainly:
 * what could be read both ways is not an escape.
 */
static size_t match(str text, str wanted, bool plainly, size_t *steps)
{
    size_t at = 0;

    while (wanted.len) {
        str rest = str_from(text, at);
        if (!rest.len)
            return 0;
        if (!*steps)
            return text.len;
        --*steps;
        struct step s = plainly ? step_plain(rest, wanted) : step_escape(rest, wanted);
        if (!s.taken)
            s = plainly ? step_escape(rest, wanted) : step_plain(rest, wanted);
        if (!s.taken)
            return 0;
        bool is_break = s.eaten && wanted.ptr[0] == '\n';
        at += s.taken;
        wanted = str_from(wanted, s.eaten);
        while (is_break && wanted.len && !is_blank(wanted.ptr[0]) && is_blank(char_at(text, at)))
            at++;
    }
    return at;
}

/* Where the next occurrence may begin, from i on. */
static size_t next_place(str text, size_t i, char first)
{
    while (i < text.len && text.ptr[i] != first && text.ptr[i] != '\\' && text.ptr[i] != '%' &&
           text.ptr[i] != '&' && text.ptr[i] != '+')
        i++;
    return i;
}

/* Line breaks of one kind only. */
static str plain_breaks(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (str_find(text, STR("\r\n")) == STR_NPOS)
        return text;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '\r' || char_at(text, i + 1) != '\n')
            buf_char(&out, text.ptr[i]);
    return buf_str(&out);
}

str spelled_replace(struct arena *a, str text, str wanted, str mask)
{
    struct buf out = {0};
    size_t done = 0, i = 0, steps = STEPS_MIN + STEPS_PER_BYTE * text.len;

    wanted = plain_breaks(a, wanted);
    while (wanted.len && (i = next_place(text, i, wanted.ptr[0])) < text.len) {
        str rest = str_from(text, i);
        size_t len = match(rest, wanted, false, &steps);
        if (!len && !(len = match(rest, wanted, true, &steps))) {
            i++;
            continue;
        }
        if (!out.arena)
            out = buf_new(a, BUF_UNLIMITED);
        buf_add(&out, str_slice(text, done, i));
        buf_add(&out, mask);
        done = i += len;
    }
    if (!out.arena)
        return text;
    buf_add(&out, str_from(text, done));
    return buf_str(&out);
}
