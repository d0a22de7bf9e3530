/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.c - base64, hexadecimal and PEM; see codec.h.
 */
#include "text/codec.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static bool is_line_break(char c)
{
    return c == '\n' || c == '\r';
}

/* The value of a digit, or -1. */
static int digit_value(char c)
{
    const char *found = c ? strchr(digits, c) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* ---- Base 64 ---- */

str base64_encode(struct arena *a, str bytes)
{
    size_t len = (bytes.len + 2) / 3 * 4;
    char *out = arena_alloc_text(a, len), *to = out;

    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t n = bytes.len - i < 3 ? bytes.len - i : 3;
        uint32_t v = 0;
        for (size_t k = 0; k < 3; k++)
            v = v << 8 | (k < n ? (unsigned char)bytes.ptr[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            *to++ = k <= n ? digits[v >> (18 - 6 * k) & 63] : '=';
    }
    return str_of(out, len);
}

struct decoder {
    str text;
    size_t at;
    char *out;
    size_t len, bad;
};

static void skip_line_breaks(struct decoder *d)
{
    while (d->at < d->text.len && is_line_break(d->text.ptr[d->at]))
        d->at++;
}

static bool fault(struct decoder *d, size_t at)
{
    d->bad = at;
    return false;
}

/* Reads what follows the first "=", which comes after count digits. */
static bool read_padding(struct decoder *d, size_t count)
{
    if (count < 2)
        return fault(d, d->at - 1);
    if (count == 2) {
        skip_line_breaks(d);
        if (d->at == d->text.len)
            return fault(d, d->at);
        if (d->text.ptr[d->at] != '=')
            return fault(d, d->at - 1);
        d->at++;
    }
    skip_line_breaks(d);
    return d->at == d->text.len || fault(d, d->at);
}

/* Decodes up to four digits, which give up to three bytes. */
static bool read_quantum(struct decoder *d)
{
    uint32_t v = 0;
    size_t count = 0;

    while (count < 4) {
        if (d->at == d->text.len) {
            if (count == 0)
                return true;
            return fault(d, d->at - count);
        }
        char c = d->text.ptr[d->at++];
        int digit = digit_value(c);
        if (digit >= 0) {
            v = v << 6 | (uint32_t)digit;
            count++;
        } else if (c == '=') {
            if (!read_padding(d, count))
                return false;
            break;
        } else if (!is_line_break(c)) {
            return fault(d, d->at - 1);
        }
    }
    v <<= 6 * (4 - count);
    for (size_t k = 0; k + 1 < count; k++)
        d->out[d->len++] = (char)(v >> (16 - 8 * k));
    return true;
}

bool base64_decode(struct arena *a, str text, str *out, size_t *bad)
{
    struct decoder d = {.text = text, .out = arena_alloc_text(a, text.len / 4 * 3 + 3)};

    while (d.at < text.len) {
        if (!read_quantum(&d)) {
            *bad = d.bad;
            return false;
        }
    }
    *out = str_of(d.out, d.len);
    return true;
}

/* ---- Hexadecimal ---- */

str hex_encode(struct arena *a, const unsigned char *bytes, size_t len)
{
    char *out = arena_alloc_text(a, 2 * len);

    for (size_t i = 0; i < len; i++) {
        out[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    return str_of(out, 2 * len);
}

/* ---- PEM ---- */

/* A line without its CR LF, and without the blanks and tabs before that. */
static str next_line(str *rest)
{
    size_t all = rest->len;
    str line;

    if (!str_next_line(rest, &line))
        return STR_NONE;
    if (line.len < all)
        line = str_without_suffix(line, STR("\r"));
    while (line.len && (line.ptr[line.len - 1] == ' ' || line.ptr[line.len - 1] == '\t'))
        line.len--;
    return line;
}

/* Moves *rest past the next "-----BEGIN " at the beginning of a line. */
static bool find_begin(str *rest)
{
    str before;

    if (str_has_prefix(*rest, STR("-----BEGIN "))) {
        *rest = str_from(*rest, 11);
        return true;
    }
    return str_cut(*rest, STR("\n-----BEGIN "), &before, rest);
}

/* Skips lines like "Proc-Type: 4,ENCRYPTED". False when the text ends within them. */
static bool skip_headers(str *rest, bool *any)
{
    *any = false;
    while (rest->len) {
        str next = *rest, line = next_line(&next);
        if (str_find_char(line, ':') == STR_NPOS)
            return true;
        *rest = next;
        *any = true;
    }
    return false;
}

/* Reads the base64 up to the END line of the same type. */
static bool find_end(str rest, str type, bool headers, str *body)
{
    size_t at = 0;
    str trailer;

    if (!headers && str_has_prefix(rest, STR("-----END "))) {
        trailer = str_from(rest, 9);
    } else {
        at = str_find(rest, STR("\n-----END "));
        if (at == STR_NPOS)
            return false;
        trailer = str_from(rest, at + 10);
    }
    *body = str_slice(rest, 0, at);
    if (!str_has_prefix(trailer, type))
        return false;
    trailer = str_from(trailer, type.len);
    if (!str_has_prefix(trailer, STR("-----")))
        return false;
    trailer = str_from(trailer, 5);
    return next_line(&trailer).len == 0;
}

static str without_blanks(struct arena *a, str text)
{
    char *out = arena_alloc_text(a, text.len);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ' ' && text.ptr[i] != '\t')
            out[len++] = text.ptr[i];
    return str_of(out, len);
}

bool pem_decode(struct arena *a, str text, struct pem_block *out)
{
    str rest = text, body;
    size_t bad;

    while (find_begin(&rest)) {
        str line = next_line(&rest);
        bool headers;
        if (!str_has_suffix(line, STR("-----")))
            continue;
        out->type = str_without_suffix(line, STR("-----"));
        if (!skip_headers(&rest, &headers))
            return false;
        if (find_end(rest, out->type, headers, &body) &&
            base64_decode(a, without_blanks(a, body), &out->bytes, &bad))
            return true;
    }
    return false;
}

str pem_encode(struct arena *a, const struct pem_block *block)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str text = base64_encode(a, block->bytes);

    buf_fmt(&b, "-----BEGIN %.*s-----\n", STR_ARG(block->type));
    for (size_t i = 0; i < text.len; i += 64) {
        buf_add(&b, str_slice(text, i, i + 64));
        buf_char(&b, '\n');
    }
    buf_fmt(&b, "-----END %.*s-----\n", STR_ARG(block->type));
    return buf_str(&b);
}
