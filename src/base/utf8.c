/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.c - code points in text; see utf8.h. */
#include "base/utf8.h"

#include "base/arena.h"
#include "base/buf.h"

static bool is_continuation(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

static uint32_t invalid(size_t *width)
{
    *width = 1;
    return RUNE_ERROR;
}

uint32_t utf8_decode_multi(str s, size_t *width)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t len = s.len;
    uint32_t r;

    if (p[0] >= 0xC2 && p[0] <= 0xDF && len >= 2 && is_continuation(p[1])) {
        *width = 2;
        return (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu);
    }
    if ((p[0] & 0xF0) == 0xE0 && len >= 3 && is_continuation(p[1]) && is_continuation(p[2])) {
        r = (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
        *width = 3;
        return r < 0x800 || (r >= 0xD800 && r <= 0xDFFF) ? invalid(width) : r;
    }
    if ((p[0] & 0xF8) == 0xF0 && len >= 4 && is_continuation(p[1]) && is_continuation(p[2]) &&
        is_continuation(p[3])) {
        r = (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
        *width = 4;
        return r < 0x10000 || r > RUNE_MAX ? invalid(width) : r;
    }
    return invalid(width);
}

uint32_t utf8_decode_last(str s, size_t *width)
{
    size_t back = s.len < UTF8_MAX ? s.len : UTF8_MAX;

    for (size_t n = 1; n <= back; n++) {
        if (is_continuation((unsigned char)s.ptr[s.len - n]) && n < back)
            continue;
        uint32_t r = utf8_decode(str_from(s, s.len - n), width);
        if (*width == n)
            return r;
        break;
    }
    return invalid(width);
}

size_t utf8_encode(char out[UTF8_MAX], uint32_t r)
{
    if (r > RUNE_MAX || (r >= 0xD800 && r <= 0xDFFF))
        r = RUNE_ERROR;
    if (r < 0x80) {
        out[0] = (char)r;
        return 1;
    }
    if (r < 0x800) {
        out[0] = (char)(0xC0 | r >> 6);
        out[1] = (char)(0x80 | (r & 0x3F));
        return 2;
    }
    if (r < 0x10000) {
        out[0] = (char)(0xE0 | r >> 12);
        out[1] = (char)(0x80 | (r >> 6 & 0x3F));
        out[2] = (char)(0x80 | (r & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | r >> 18);
    out[1] = (char)(0x80 | (r >> 12 & 0x3F));
    out[2] = (char)(0x80 | (r >> 6 & 0x3F));
    out[3] = (char)(0x80 | (r & 0x3F));
    return 4;
}

/* ASCII is most of what we read: skip it eight bytes at a time. */
static size_t skip_ascii(str s, size_t i)
{
    for (; i + 8 <= s.len; i += 8) {
        uint64_t word;
        memcpy(&word, s.ptr + i, 8);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (i < s.len && (unsigned char)s.ptr[i] < 0x80)
        i++;
    return i;
}

size_t utf8_find_invalid(str s)
{
    for (size_t i = skip_ascii(s, 0); i < s.len; i = skip_ascii(s, i)) {
        size_t width;
        utf8_decode(str_from(s, i), &width);
        if (width == 1)
            return i;
        i += width;
    }
    return STR_NPOS;
}

size_t utf8_count(str s)
{
    size_t i = skip_ascii(s, 0), count = i;

    while (i < s.len) {
        size_t width;
        utf8_decode(str_from(s, i), &width);
        i += width;
        size_t next = skip_ascii(s, i);
        count += 1 + next - i;
        i = next;
    }
    return count;
}

str utf8_repair(struct arena *a, str s)
{
    size_t width;

    if (utf8_find_invalid(s) == STR_NPOS)
        return s;
    struct buf b = buf_new(a, BUF_UNLIMITED);
    for (size_t i = 0; i < s.len; i += width)
        buf_rune(&b, utf8_decode(str_from(s, i), &width));
    return buf_str(&b);
}
