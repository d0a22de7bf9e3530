/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - escapes text for HTML, JavaScript and URLs; see html.h. */
#include "text/html.h"

#include "base/unicode.h"

/* ---- HTML. ---- */

/* The escape of c; empty if it needs none. */
static str html_escape_of(char c)
{
    return c ? markup_escape((unsigned char)c) : STR("\uFFFD");
}

str markup_escape(uint32_t r)
{
    switch (r) {
    case '"':
        return STR("&#34;");
    case '\'':
        return STR("&#39;");
    case '&':
        return STR("&amp;");
    case '<':
        return STR("&lt;");
    case '>':
        return STR("&gt;");
    default:
        return STR_NONE;
    }
}

void html_escape(struct buf *out, str text)
{
    size_t done = 0;

    for (size_t i = 0; i < text.len; i++) {
        str escape = html_escape_of(text.ptr[i]);
        if (!escape.len)
            continue;
        buf_add(out, str_slice(text, done, i));
        buf_add(out, escape);
        done = i + 1;
    }
    buf_add(out, str_from(text, done));
}

/* ---- JavaScript. ---- */

/* Appends the escape of r, or the bytes themselves. */
static void js_escape_rune(struct buf *out, uint32_t r, str bytes)
{
    switch (r) {
    case '\\':
    case '\'':
    case '"':
        buf_fmt(out, "\\%c", (char)r);
        break;
    case '<':
    case '>':
    case '&':
    case '=':
        buf_fmt(out, "\\u%04X", (unsigned)r);
        break;
    default:
        /* Go leaves DEL alone: below 0x80 it only checks for characters before the blank. */
        if (r == 0x7F || unicode_is_print(r))
            buf_add(out, bytes);
        else
            buf_fmt(out, "\\u%04X", (unsigned)r);
    }
}

void js_escape(struct buf *out, str text)
{
    for (size_t i = 0, width; i < text.len; i += width) {
        uint32_t r = utf8_decode(str_from(text, i), &width);
        js_escape_rune(out, r, str_slice(text, i, i + width));
    }
}

/* ---- URLs. ---- */

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '~';
}

void url_query_escape(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (is_unreserved(c))
            buf_char(out, c);
        else if (c == ' ')
            buf_char(out, '+');
        else
            buf_fmt(out, "%%%02X", (unsigned char)c);
    }
}
