/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encoding.c - base64 and base32.
 *
 * The decoders answer with the text of their error, as Sprig does.
 */
#include "tmpl/funcs/families.h"

struct alphabet {
    const char *digits;
    unsigned bits;  /* of one digit */
    unsigned group; /* digits that make whole bytes */
    const char *name;
};

static const struct alphabet base64 = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 4, "base64"};
static const struct alphabet base32 = {"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8, "base32"};

static bool encode(struct tmpl_call *c, const struct alphabet *a)
{
    str s = arg_str(c, 0);
    struct buf b = call_buf(c);
    unsigned held = 0, bits = 0, mask = (1u << a->bits) - 1;

    for (size_t i = 0; i < s.len; i++) {
        held = (held << 8 | (unsigned char)s.ptr[i]) & 0xffff;
        for (bits += 8; bits >= a->bits; bits -= a->bits)
            buf_char(&b, a->digits[held >> (bits - a->bits) & mask]);
    }
    if (bits)
        buf_char(&b, a->digits[held << (a->bits - bits) & mask]);
    while (b.len % a->group && !b.overflow)
        buf_char(&b, '=');
    return return_call_buf(c, &b);
}

static int digit_of(const struct alphabet *a, int ch)
{
    const char *at = ch > 0 ? strchr(a->digits, ch) : NULL;

    return at ? (int)(at - a->digits) : -1;
}

static void add_group(struct buf *b, const struct alphabet *a, const int *digits, unsigned count)
{
    uint64_t held = 0;
    unsigned bits = count * a->bits;

    for (unsigned i = 0; i < count; i++)
        held = held << a->bits | (unsigned)digits[i];
    for (held >>= bits % 8, bits -= bits % 8; bits; bits -= 8)
        buf_char(b, (char)(held >> (bits - 8)));
}

static bool return_decoded(struct tmpl_call *c, const struct alphabet *a, const struct buf *b,
                           size_t bad)
{
    if (bad != STR_NPOS)
        return return_str(c, str_fmt(c->arena, "illegal %s data at input byte %zu", a->name, bad));
    return return_call_buf(c, b);
}

/* Where a text is read. */
struct reader {
    str text;
    size_t at;
};

/* ---- Base64: line ends are passed over, and count for the place of a fault. ----------------- */

/* The next character, or -1. */
static int next_char(struct reader *r)
{
    while (r->at < r->text.len && (r->text.ptr[r->at] == '\n' || r->text.ptr[r->at] == '\r'))
        r->at++;
    return r->at < r->text.len ? (unsigned char)r->text.ptr[r->at++] : -1;
}

/* The padding that follows count digits; false with *bad set when it is wrong. */
static bool read_padding(struct reader *r, unsigned count, size_t *bad)
{
    *bad = r->at - 1;
    if (count < 2)
        return false;
    if (count == 2) {
        int ch = next_char(r);
        if (ch != '=') {
            /* Upstream: the place before it. */
            *bad = ch < 0 ? r->text.len : r->at - 2;
            return false;
        }
    }
    if (next_char(r) >= 0) {
        *bad = r->at - 1;
        return false;
    }
    return true;
}

/* One group. False at the end or, with *bad set, at a fault. */
static bool read_group64(struct reader *r, struct buf *b, size_t *bad)
{
    int digits[4];
    unsigned count = 0;

    *bad = STR_NPOS;
    for (; count < 4; count++) {
        int ch = next_char(r);
        if (ch < 0) {
            if (count)
                *bad = r->at - count;
            return false;
        }
        if (ch == '=') {
            if (read_padding(r, count, bad)) {
                *bad = STR_NPOS;
                add_group(b, &base64, digits, count);
            }
            return false;
        }
        digits[count] = digit_of(&base64, ch);
        if (digits[count] < 0) {
            *bad = r->at - 1;
            return false;
        }
    }
    add_group(b, &base64, digits, count);
    return true;
}

/* ---- Base32: line ends are taken out before. ------------------------------------------------ */

static str without_line_ends(struct arena *a, str s)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != '\n' && s.ptr[i] != '\r')
            buf_char(&b, s.ptr[i]);
    return buf_str(&b);
}

/*
 * Upstream: one "=" with fewer than eight characters behind it ends the text; of these only as many
 * are looked at as the padding needs.
 */
static bool padding_is_right(const struct reader *r, unsigned count, size_t *bad)
{
    size_t rest = r->text.len - r->at;

    *bad = r->text.len;
    if (rest + count < 7)
        return false;
    for (unsigned i = 0; i < 7 - count; i++)
        if (rest > i && r->text.ptr[r->at + i] != '=') {
            *bad = r->at + i - 1;
            return false;
        }
    *bad = r->at - 1;
    return count != 3 && count != 6;
}

/* One group. False at the end or, with *bad set, at a fault. */
static bool read_group32(struct reader *r, struct buf *b, size_t *bad)
{
    int digits[8];

    *bad = STR_NPOS;
    if (r->at == r->text.len)
        return false;
    for (unsigned count = 0; count < 8; count++) {
        *bad = r->text.len - count;
        if (r->at == r->text.len)
            return false;
        int ch = (unsigned char)r->text.ptr[r->at++];
        if (ch == '=' && count >= 2 && r->text.len - r->at < 8) {
            if (padding_is_right(r, count, bad)) {
                *bad = STR_NPOS;
                add_group(b, &base32, digits, count);
            }
            return false;
        }
        digits[count] = digit_of(&base32, ch);
        *bad = r->at - 1;
        if (digits[count] < 0)
            return false;
    }
    add_group(b, &base32, digits, 8);
    return true;
}

static bool fn_b64enc(struct tmpl_call *c)
{
    return encode(c, &base64);
}

static bool fn_b64dec(struct tmpl_call *c)
{
    struct reader r = {.text = arg_str(c, 0)};
    struct buf b = call_buf(c);
    size_t bad;

    while (read_group64(&r, &b, &bad)) {
    }
    return return_decoded(c, &base64, &b, bad);
}

static bool fn_b32enc(struct tmpl_call *c)
{
    return encode(c, &base32);
}

static bool fn_b32dec(struct tmpl_call *c)
{
    struct reader r = {.text = without_line_ends(c->arena, arg_str(c, 0))};
    struct buf b = call_buf(c);
    size_t bad;

    while (read_group32(&r, &b, &bad)) {
    }
    return return_decoded(c, &base32, &b, bad);
}

#define TEXT_TO_TEXT "func(string) string"

const struct tmpl_func tmpl_encoding_funcs[] = {
    {"b32dec", TEXT_TO_TEXT, SPRIG, fn_b32dec, "Read base32", "{{ b32dec \"ME======\" }}"},
    {"b32enc", TEXT_TO_TEXT, SPRIG, fn_b32enc, "Write base32", "{{ b32enc \"a\" }}"},
    {"b64dec", TEXT_TO_TEXT, SPRIG, fn_b64dec, "Read base64", "{{ b64dec \"YQ==\" }}"},
    {"b64enc", TEXT_TO_TEXT, SPRIG, fn_b64enc, "Write base64", "{{ b64enc \"a\" }}"},
    {0},
};
