/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goquote.c - text in quotes; see goquote.h.
 */
#include "text/goquote.h"

#include "base/unicode.h"

static const char *escape_of(uint32_t r)
{
    static const char *const names[] = {
        ['\a'] = "\\a", ['\b'] = "\\b", ['\f'] = "\\f", ['\n'] = "\\n",
        ['\r'] = "\\r", ['\t'] = "\\t", ['\v'] = "\\v",
    };

    return r < COUNT(names) ? names[r] : NULL;
}

static void quote_rune(struct buf *out, uint32_t r, char quote, bool ascii)
{
    if (r == (unsigned char)quote || r == '\\') {
        buf_char(out, '\\');
        buf_char(out, (char)r);
    } else if (ascii ? r < 0x80 && unicode_is_print(r) : unicode_is_print(r)) {
        buf_rune(out, r);
    } else if (escape_of(r)) {
        buf_add(out, str_c(escape_of(r)));
    } else if (r < ' ' || r == 0x7f) {
        buf_fmt(out, "\\x%02x", r);
    } else if (r < 0x10000) {
        buf_fmt(out, "\\u%04x", r);
    } else {
        buf_fmt(out, "\\U%08x", r);
    }
}

void go_quote_with(struct buf *out, str s, bool ascii)
{
    buf_char(out, '"');
    while (s.len) {
        size_t width;
        uint32_t r = utf8_decode(s, &width);
        if (r == RUNE_ERROR && width == 1)
            buf_fmt(out, "\\x%02x", (unsigned char)s.ptr[0]);
        else
            quote_rune(out, r, '"', ascii);
        s = str_from(s, width);
    }
    buf_char(out, '"');
}

void go_quote(struct buf *out, str s)
{
    go_quote_with(out, s, false);
}

void go_quote_rune(struct buf *out, uint64_t c, bool ascii)
{
    uint32_t r = c > RUNE_MAX || (c >= 0xD800 && c <= 0xDFFF) ? RUNE_ERROR : (uint32_t)c;

    buf_char(out, '\'');
    quote_rune(out, r, '\'', ascii);
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
