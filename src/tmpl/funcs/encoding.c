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

/* Where a text is read, without the line ends that decoders skip. */
struct reader {
    const struct alphabet *alphabet;
    str text;
    size_t at;
};

/* The next character, or -1. */
static int next_char(struct reader *r)
{
    while (r->at < r->text.len && (r->text.ptr[r->at] == '\n' || r->text.ptr[r->at] == '\r'))
        r->at++;
    return r->at < r->text.len ? (unsigned char)r->text.ptr[r->at++] : -1;
}

static int digit_of(const struct alphabet *a, int ch)
{
    const char *at = ch > 0 ? strchr(a->digits, ch) : NULL;

    return at ? (int)(at - a->digits) : -1;
}

/* How many digits a last group may have, as bits: 2 and 3 of 4; 2, 4, 5 and 7 of 8. */
static bool may_end_after(const struct alphabet *a, unsigned digits)
{
    return a->bits == 6 ? digits == 2 || digits == 3
                        : digits == 2 || digits == 4 || digits == 5 || digits == 7;
}

static size_t add_group(struct buf *b, const struct alphabet *a, const int *digits, unsigned count)
{
    uint64_t held = 0;
    unsigned bits = count * a->bits;

    for (unsigned i = 0; i < count; i++)
        held = held << a->bits | (unsigned)digits[i];
    for (held >>= bits % 8, bits -= bits % 8; bits; bits -= 8)
        buf_char(b, (char)(held >> (bits - 8)));
    return b->len;
}

/* The padding that follows count digits; false with *bad set when it is wrong. */
static bool read_padding(struct reader *r, unsigned count, size_t *bad)
{
    const struct alphabet *a = r->alphabet;

    *bad = r->at - 1;
    if (!may_end_after(a, count))
        return false;
    for (unsigned i = count + 1; i < a->group; i++) {
        size_t before;
        int ch = next_char(r);
        before = r->at;
        if (ch != '=') {
            *bad = ch < 0 ? r->text.len : before - 1;
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
static bool read_group(struct reader *r, struct buf *b, size_t *bad)
{
    const struct alphabet *a = r->alphabet;
    int digits[8];
    unsigned count = 0;

    *bad = STR_NPOS;
    for (; count < a->group; count++) {
        int ch = next_char(r);
        if (ch < 0) {
            if (count)
                *bad = a->bits == 6 ? r->at - count : r->at;
            return false;
        }
        if (ch == '=') {
            if (read_padding(r, count, bad)) {
                *bad = STR_NPOS;
                add_group(b, a, digits, count);
            }
            return false;
        }
        digits[count] = digit_of(a, ch);
        if (digits[count] < 0) {
            *bad = r->at - 1;
            return false;
        }
    }
    add_group(b, a, digits, count);
    return true;
}

static bool decode(struct tmpl_call *c, const struct alphabet *a)
{
    struct reader r = {.alphabet = a, .text = arg_str(c, 0)};
    struct buf b = call_buf(c);
    size_t bad;

    while (read_group(&r, &b, &bad)) {
    }
    if (bad != STR_NPOS)
        return return_str(c, str_fmt(c->arena, "illegal %s data at input byte %zu", a->name, bad));
    return return_call_buf(c, &b);
}

static bool fn_b64enc(struct tmpl_call *c)
{
    return encode(c, &base64);
}

static bool fn_b64dec(struct tmpl_call *c)
{
    return decode(c, &base64);
}

static bool fn_b32enc(struct tmpl_call *c)
{
    return encode(c, &base32);
}

static bool fn_b32dec(struct tmpl_call *c)
{
    return decode(c, &base32);
}

#define TEXT_TO_TEXT "func(string) string"

const struct tmpl_func tmpl_encoding_funcs[] = {
    {"b32dec", TEXT_TO_TEXT, SPRIG, fn_b32dec, "Read base32", "{{ b32dec \"ME======\" }}"},
    {"b32enc", TEXT_TO_TEXT, SPRIG, fn_b32enc, "Write base32", "{{ b32enc \"a\" }}"},
    {"b64dec", TEXT_TO_TEXT, SPRIG, fn_b64dec, "Read base64", "{{ b64dec \"YQ==\" }}"},
    {"b64enc", TEXT_TO_TEXT, SPRIG, fn_b64enc, "Write base64", "{{ b64enc \"a\" }}"},
    {0},
};
