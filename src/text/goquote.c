/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goquote.c - text in quotes; see goquote.h.
 */
#include "text/goquote.h"

#include "base/unicode.h"

static void add_escaped(struct buf *out, uint32_t c)
{
    static const char letters[] = "abtnvfr"; /* from 7 on */

    if (c >= 7 && c <= 13)
        buf_fmt(out, "\\%c", letters[c - 7]);
    else if (c < 0x80)
        buf_fmt(out, "\\x%02x", c);
    else if (c < 0x10000)
        buf_fmt(out, "\\u%04x", c);
    else
        buf_fmt(out, "\\U%08x", c);
}

static void add_rune(struct buf *out, uint32_t c, char quote)
{
    if (c == (unsigned char)quote || c == '\\')
        buf_fmt(out, "\\%c", (int)c);
    else if (unicode_is_print(c))
        buf_rune(out, c);
    else
        add_escaped(out, c);
}

void go_quoted(struct buf *out, str s)
{
    buf_char(out, '"');
    for (size_t i = 0, width; i < s.len; i += width) {
        uint32_t c = utf8_decode(str_from(s, i), &width);
        if (c == RUNE_ERROR && width == 1)
            buf_fmt(out, "\\x%02x", (uint8_t)s.ptr[i]);
        else
            add_rune(out, c, '"');
    }
    buf_char(out, '"');
}

void go_quoted_rune(struct buf *out, uint32_t r)
{
    buf_char(out, '\'');
    add_rune(out, r, '\'');
    buf_char(out, '\'');
}
