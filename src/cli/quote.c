/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quote.c - foreign text made fit to be shown.
 */
#include "cli/quote.h"

/*
 * Ranges that Go does not print, within what quotation of command line words can meet: controls,
 * blanks other than the plain one, format characters, surrogates, private use and non-characters.
 */
static const uint32_t unprintable[][2] = {
    {0x7F, 0xA0},          {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
    {0x6DD, 0x6DD},        {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
    {0x1680, 0x1680},      {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},
    {0x205F, 0x206F},      {0x3000, 0x3000},   {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},
    {0xFFF0, 0xFFFB},      {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
    {0x13430, 0x13438},    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0x323B0, 0xE00FF},
    {0xE01F0, 0xFFFFFFFF},
};

static bool is_printable(uint32_t r)
{
    if (r < 0x7F)
        return r >= ' ';
    for (size_t i = 0; i < COUNT(unprintable); i++)
        if (r >= unprintable[i][0] && r <= unprintable[i][1])
            return false;
    return true;
}

static const char *short_escape(uint32_t r)
{
    static const char *const escapes[] = {"\\a", "\\b", "\\t", "\\n", "\\v", "\\f", "\\r"};

    return r >= '\a' && r <= '\r' ? escapes[r - '\a'] : NULL;
}

static void add_escaped(struct buf *out, uint32_t r)
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

static void add_rune(struct buf *out, uint32_t r, char quote)
{
    if (r == (uint32_t)quote || r == '\\')
        buf_fmt(out, "\\%c", (char)r);
    else if (is_printable(r))
        buf_rune(out, r);
    else
        add_escaped(out, r);
}

void quote_text(struct buf *out, str s)
{
    size_t width;

    buf_char(out, '"');
    for (size_t i = 0; i < s.len; i += width) {
        uint32_t r = utf8_decode(str_from(s, i), &width);
        if (r == RUNE_ERROR && width == 1)
            buf_fmt(out, "\\x%02x", (unsigned char)s.ptr[i]);
        else
            add_rune(out, r, '"');
    }
    buf_char(out, '"');
}

str quote_of(struct arena *a, str s)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    quote_text(&b, s);
    return buf_str(&b);
}

void quote_rune(struct buf *out, uint32_t r)
{
    buf_char(out, '\'');
    add_rune(out, r, '\'');
    buf_char(out, '\'');
}

static bool is_dangerous(uint32_t r)
{
    return (r < ' ' && r != '\n' && r != '\t') || (r >= 0x7F && r < 0xA0) || r == 0x61C ||
           r == 0x200E || r == 0x200F || (r >= 0x202A && r <= 0x202E) ||
           (r >= 0x2066 && r <= 0x2069);
}

void quote_for_terminal(struct buf *out, str s)
{
    size_t width, clean = 0;

    for (size_t i = 0; i < s.len; i += width) {
        uint32_t r = utf8_decode(str_from(s, i), &width);
        bool broken = r == RUNE_ERROR && width == 1;
        if (!broken && !is_dangerous(r))
            continue;
        buf_add(out, str_slice(s, clean, i));
        if (broken)
            buf_fmt(out, "\\x%02x", (unsigned char)s.ptr[i]);
        else
            add_escaped(out, r);
        clean = i + width;
    }
    buf_add(out, str_from(s, clean));
}
