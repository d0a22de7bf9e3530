/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quote.c - makes untrusted text safe to display; see quote.h.
 */
#include "base/quote.h"
#include "base/hot.h"
#include "base/unicode.h"

static const char *short_escape(uint32_t r)
{
    static const char *const escapes[] = {"\\a", "\\b", "\\t", "\\n", "\\v", "\\f", "\\r"};

    return r >= '\a' && r <= '\r' ? escapes[r - '\a'] : NULL;
}

void quote_escape(struct buf *out, uint32_t r)
{
    const char *escape = short_escape(r);

    if (escape)
        buf_add(out, str_c(escape));
    else if (r < ' ' || r == 0x7F)
        buf_fmt(out, "\\x%02x", r);
    else if (r < 0x10000)
        buf_fmt(out, "\\u%04x", r);
    else
        buf_fmt(out, "\\U%08x", r);
}

static bool is_dangerous(uint32_t r)
{
    return (r < ' ' && r != '\n' && r != '\t') || (r >= 0x7F && r < 0xA0) || r == 0x61C ||
           r == 0x200E || r == 0x200F || (r >= 0x2028 && r <= 0x202E) ||
           (r >= 0x2066 && r <= 0x2069);
}

/* Whether sixteen bytes are printable ASCII. */
ALWAYS_INLINE bool is_printable(const char *p)
{
    hot_bytes b;
    uint64_t other[2];

    memcpy(&b, p, sizeof(b));
    /* As signed numbers, the bytes of non-ASCII characters are below a blank too. */
    b = (b < ' ') | (b == 0x7F);
    memcpy(other, &b, sizeof(other));
    return !(other[0] | other[1]);
}

/* How many leading bytes are known to be printable ASCII; long texts are checked 16 at a time. */
static size_t count_printable(str s)
{
    const size_t step = sizeof(hot_bytes);
    size_t i = 0;

    if (s.len < step) {
        while (i < s.len && s.ptr[i] >= ' ' && s.ptr[i] < 0x7F)
            i++;
        return i;
    }
    while (s.len - i >= step && is_printable(s.ptr + i))
        i += step;
    return s.len - i < step && is_printable(s.ptr + s.len - step) ? s.len : i;
}

/* Appends s with everything dangerous escaped, and newlines too unless they are wanted. */
static void add_harmless(struct buf *out, str s, bool newlines)
{
    size_t width, clean = 0;

    for (size_t i = count_printable(s); i < s.len; i += width) {
        width = 1;
        if (s.ptr[i] >= ' ' && s.ptr[i] < 0x7F)
            continue;
        uint32_t r = utf8_decode(str_from(s, i), &width);
        bool broken = r == RUNE_ERROR && width == 1;
        if (!broken && !is_dangerous(r) && (newlines || r != '\n'))
            continue;
        buf_add(out, str_slice(s, clean, i));
        if (broken)
            buf_fmt(out, "\\x%02x", (unsigned char)s.ptr[i]);
        else
            quote_escape(out, r);
        clean = i + width;
    }
    buf_add(out, str_from(s, clean));
}

void quote_for_terminal(struct buf *out, str s)
{
    add_harmless(out, s, true);
}

static size_t count_blanks(str line)
{
    size_t i = 0, width;

    while (i < line.len && unicode_is_space(utf8_decode(str_from(line, i), &width)))
        i += width;
    return i;
}

static void add_line_for_people(struct buf *out, str line)
{
    size_t at = count_blanks(line);

    if (str_has_prefix(str_from(line, at), STR("::"))) {
        add_harmless(out, str_slice(line, 0, at), true);
        buf_add(out, STR("\\x3a"));
        line = str_from(line, at + 1);
    }
    for (; (at = str_find(line, STR("##["))) != STR_NPOS; line = str_from(line, at + 1)) {
        add_harmless(out, str_slice(line, 0, at), true);
        buf_add(out, STR("\\x23"));
    }
    add_harmless(out, line, true);
}

/* One line of printable ASCII that is not a command to a runner. */
static bool is_plain_line(str s)
{
    size_t blanks = 0;

    while (blanks < s.len && s.ptr[blanks] == ' ')
        blanks++;
    return count_printable(s) == s.len && (blanks == s.len || s.ptr[blanks] != ':') &&
           (str_find_char(s, '#') == STR_NPOS || !str_contains(s, STR("##[")));
}

void quote_for_people(struct buf *out, str s)
{
    str line;

    if (is_plain_line(s)) {
        buf_add(out, s);
        return;
    }
    for (bool more = true; more;) {
        more = str_cut(s, STR("\n"), &line, &s);
        add_line_for_people(out, line);
        if (more)
            buf_char(out, '\n');
    }
}

str quote_line(struct arena *a, str s)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    add_harmless(&b, s, false);
    return buf_str(&b);
}
