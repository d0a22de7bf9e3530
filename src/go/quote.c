/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quote.c - text in quotes; see go/quote.h.
 */

#include "go/quote.h"
#include "base/quote.h"
#include "base/unicode.h"

static void add_rune(struct buf *out, uint32_t r, char quote, bool ascii)
{
    if (r == (unsigned char)quote || r == '\\') {
        buf_char(out, '\\');
        buf_char(out, (char)r);
    } else if ((!ascii || r < 0x80) && unicode_is_print(r)) {
        buf_rune(out, r);
    } else {
        quote_escape(out, r);
    }
}

/* How many bytes at the front are printable ASCII that needs no escape between quotes. */
static size_t plain_prefix(str s)
{
    size_t n = 0;

    while (n < s.len && s.ptr[n] >= ' ' && s.ptr[n] < 0x7f && s.ptr[n] != '"' && s.ptr[n] != '\\')
        n++;
    return n;
}

void go_quote_with(struct buf *out, str s, bool ascii)
{
    buf_char(out, '"');
    while (s.len) {
        size_t width = plain_prefix(s);
        if (width) {
            buf_add(out, str_slice(s, 0, width));
            s = str_from(s, width);
            continue;
        }
        uint32_t r = utf8_decode(s, &width);
        if (r == RUNE_ERROR && width == 1)
            buf_fmt(out, "\\x%02x", (unsigned char)s.ptr[0]);
        else
            add_rune(out, r, '"', ascii);
        s = str_from(s, width);
    }
    buf_char(out, '"');
}

void go_quote(struct buf *out, str s)
{
    go_quote_with(out, s, false);
}

str go_quoted(struct arena *a, str s)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    go_quote(&b, s);
    return buf_str(&b);
}

void go_quote_rune(struct buf *out, uint64_t c, bool ascii)
{
    uint32_t r = c > RUNE_MAX || (c >= 0xD800 && c <= 0xDFFF) ? RUNE_ERROR : (uint32_t)c;

    buf_char(out, '\'');
    add_rune(out, r, '\'', ascii);
    buf_char(out, '\'');
}

bool go_can_backquote(str s)
{
    while (s.len) {
        size_t width;
        uint32_t r = utf8_decode(s, &width);
        if (r == RUNE_ERROR && width == 1)
            return false;
        if (r == 0xFEFF || (r < ' ' && r != '\t') || r == '`' || r == 0x7f)
            return false;
        s = str_from(s, width);
    }
    return true;
}
