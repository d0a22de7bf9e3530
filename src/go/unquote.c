/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unquote.c - unquotes strings; see go/quote.h.
 */
#include "go/quote.h"
#include "go/strconv.h"

/* Takes n hexadecimal digits off the front of *s. */
static bool take_hex(str *s, size_t n, uint32_t *out)
{
    uint32_t v = 0;

    if (s->len < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int digit = go_hex_digit(s->ptr[i]);
        if (digit < 0)
            return false;
        v = v << 4 | (uint32_t)digit;
    }
    *s = str_from(*s, n);
    *out = v;
    return true;
}

/* Three octal digits, the first of which is c. */
static bool take_octal(str *s, char c, uint32_t *out)
{
    uint32_t v = (uint32_t)(c - '0');

    if (s->len < 2)
        return false;
    for (size_t i = 0; i < 2; i++) {
        if (s->ptr[i] < '0' || s->ptr[i] > '7')
            return false;
        v = v << 3 | (uint32_t)(s->ptr[i] - '0');
    }
    *s = str_from(*s, 2);
    *out = v;
    return v <= 255;
}

/* Takes what follows a backslash. *rune is false when it is a byte rather than a code point. */
static bool take_escape(str *s, char quote, uint32_t *out, bool *rune)
{
    static const char letters[] = "abfnrtv\\";
    static const char meanings[] = "\a\b\f\n\r\t\v\\";
    char c;

    if (!s->len)
        return false;
    c = s->ptr[0];
    *s = str_from(*s, 1);
    *rune = c == 'u' || c == 'U';
    if (c == 'x')
        return take_hex(s, 2, out);
    if (*rune)
        return take_hex(s, c == 'u' ? 4 : 8, out) && *out <= RUNE_MAX &&
               (*out < 0xD800 || *out > 0xDFFF);
    if (c >= '0' && c <= '7')
        return take_octal(s, c, out);
    if (c == '\'' || c == '"') {
        *out = (unsigned char)c;
        return c == quote;
    }
    const char *at = c ? strchr(letters, c) : NULL;
    if (!at)
        return false;
    *out = (unsigned char)meanings[at - letters];
    return true;
}

bool go_unquote_char(str *s, char quote, uint32_t *out, bool *rune)
{
    size_t width;

    *rune = false;
    if (!s->len || s->ptr[0] == quote)
        return false;
    if (s->ptr[0] == '\\') {
        *s = str_from(*s, 1);
        return take_escape(s, quote, out, rune);
    }
    *rune = (unsigned char)s->ptr[0] >= 0x80;
    *out = utf8_decode(*s, &width);
    *s = str_from(*s, width);
    return true;
}

static str without_carriage_returns(struct arena *a, str s)
{
    struct buf b;

    if (str_find_char(s, '\r') == STR_NPOS)
        return s;
    b = buf_new(a, s.len);
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != '\r')
            buf_char(&b, s.ptr[i]);
    return buf_str(&b);
}

bool go_unquote(struct arena *a, str quoted, str *out)
{
    str s = str_slice(quoted, 1, quoted.len - 1);
    struct buf b;

    if (quoted.ptr[0] == '`') {
        *out = without_carriage_returns(a, s);
        return true;
    }
    if (str_find_char(s, '\\') == STR_NPOS && utf8_find_invalid(s) == STR_NPOS) {
        *out = s;
        return true;
    }
    b = buf_new(a, BUF_UNLIMITED);
    while (s.len) {
        uint32_t c;
        bool rune;
        if (!go_unquote_char(&s, '"', &c, &rune))
            return false;
        if (rune)
            buf_rune(&b, c);
        else
            buf_char(&b, (char)c);
    }
    *out = buf_str(&b);
    return true;
}
