/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar.c - strings, numbers and literals of JSON, and the wording of its errors; see internal.h.
 *
 * Errors follow the byte-wise scanner of Go's encoding/json, which takes the end of the text for a
 * blank: "tru" fails as "tru " does. A string is checked first, and decoded only if it contains
 * escapes or broken UTF-8.
 */
#include "text/json/internal.h"

#include "go/quote.h"
#include "go/strconv.h"
#include "value/number.h"

/* ---- Errors. ---- */

const char *json_fail_at(struct json_reader *r, const char *p)
{
    err_at(r->e, source_where_offset(r->src, (size_t)(p - r->begin)));
    return NULL;
}

const char *json_fail_end(struct json_reader *r)
{
    err_set(r->e, ERR_INVALID, r->stream ? "unexpected EOF" : "unexpected end of JSON input");
    return json_fail_at(r, r->end);
}

/* The byte at p is unexpected. In a stream, Go's decoder never scans beyond the end. */
const char *json_fail_byte(struct json_reader *r, const char *p, const char *context)
{
    char space[16];
    struct buf quoted = {.data = space, .cap = sizeof(space), .max = sizeof(space)};

    if (p == r->end && r->stream)
        return json_fail_end(r);
    /* A byte is quoted as the code point with the same value. */
    go_quote_rune(&quoted, p < r->end ? (unsigned char)*p : ' ', false);
    err_set(r->e, ERR_INVALID, "invalid character %.*s %s", (int)quoted.len, quoted.data, context);
    return json_fail_at(r, p);
}

/* As fail_byte, for places where a blank is allowed: at the end, more was expected. */
const char *json_fail_here(struct json_reader *r, const char *p, const char *context)
{
    return p == r->end ? json_fail_end(r) : json_fail_byte(r, p, context);
}

static const char *fail_size(struct json_reader *r, const char *p, const char *what)
{
    err_set(r->e, ERR_LIMIT, "%s is larger than the limit of %zu bytes", what, TEXT_SCALAR_MAX);
    return json_fail_at(r, p);
}

/* Not an error in Go, which replaces it by U+FFFD; we do not want to lose what was written. */
static const char *fail_text(struct json_reader *r, const char *p, const char *what)
{
    err_set(r->e, ERR_INVALID, "%s in string", what);
    return json_fail_at(r, p);
}

/* ---- Strings. ---- */

/* The number that four checked hexadecimal digits spell. */
static uint32_t read_hex4(const char *p)
{
    uint32_t n = 0;

    for (int i = 0; i < 4; i++)
        n = n << 4 | (uint32_t)go_hex_digit((unsigned char)p[i]);
    return n;
}

static bool is_surrogate(uint32_t unit)
{
    return unit >= 0xD800 && unit <= 0xDFFF;
}

/*
 * The code point of the escape whose digits begin at p, and how many bytes from p on it takes: 4,
 * or 10 when a second half follows. A lone half gives RUNE_ERROR.
 */
static uint32_t read_unicode(const char *p, const char *end, size_t *width)
{
    uint32_t high = read_hex4(p), low = 0;

    *width = 4;
    if (!is_surrogate(high))
        return high;
    if (end - p >= 10 && p[4] == '\\' && p[5] == 'u')
        low = read_hex4(p + 6);
    if (high >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
        return RUNE_ERROR;
    *width = 10;
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

/* Checks the four digits of a \u escape. */
static const char *check_hex4(struct json_reader *r, const char *p)
{
    for (int i = 0; i < 4; i++, p++)
        if (p == r->end || go_hex_digit((unsigned char)*p) < 0)
            return json_fail_byte(r, p, "in \\u hexadecimal character escape");
    return p;
}

/* Checks the escape whose backslash is at p. */
static const char *check_escape(struct json_reader *r, const char *p)
{
    p++;
    if (p == r->end || !*p || !strchr("\"\\/bfnrtu", *p))
        return json_fail_byte(r, p, "in string escape code");
    return *p == 'u' ? check_hex4(r, p + 1) : p + 1;
}

/* Checks a code point beyond ASCII; in Go's way each broken byte counts as U+FFFD. */
static const char *check_multi(struct json_reader *r, const char *p, size_t *broken)
{
    size_t width;

    utf8_decode((str){p, (size_t)(r->end - p)}, &width);
    if (width > 1)
        return p + width;
    if (!r->opts->go)
        return fail_text(r, p, "invalid UTF-8");
    ++*broken;
    return p + 1;
}

/* Decodes the escape whose backslash is at p, which was checked, and advances *out. */
static const char *decode_escape(struct json_reader *r, const char *p, const char *end, char **out)
{
    static const char codes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    size_t width;

    if (p[1] != 'u') {
        *(*out)++ = meanings[strchr(codes, p[1]) - codes];
        return p + 2;
    }
    uint32_t rune = read_unicode(p + 2, end, &width);
    if (rune == RUNE_ERROR && is_surrogate(read_hex4(p + 2)) && !r->opts->go)
        return fail_text(r, p, "half of a surrogate pair");
    *out += utf8_encode(*out, rune);
    return p + 2 + width;
}

/* Decodes one run of plain bytes and the escape or code point after it. */
static const char *decode_part(struct json_reader *r, const char *p, const char *end, char **out)
{
    const char *stop = json_skip_plain(p, end, false);
    size_t width;

    memcpy(*out, p, (size_t)(stop - p));
    *out += stop - p;
    if (stop == end)
        return end;
    if (*stop == '\\')
        return decode_escape(r, stop, end, out);
    *out += utf8_encode(*out, utf8_decode((str){stop, (size_t)(end - stop)}, &width));
    return stop + width;
}

/* Decodes the checked string [p, end). No escape is shorter than what it encodes. */
static const char *decode_string(struct json_reader *r, const char *p, const char *end,
                                 size_t broken, str *s)
{
    char *text = arena_alloc_text(r->arena, (size_t)(end - p) + 2 * broken), *out = text;

    while (p && p < end)
        p = decode_part(r, p, end, &out);
    *s = (str){text, (size_t)(out - text)};
    return p;
}

/* Reads the rest of a string that is not all plain bytes; p is at the first that is not. */
const char *json_read_odd_string(struct json_reader *r, const char *from, const char *p, str *s)
{
    size_t broken = 0;
    bool escaped = false;

    for (;; p = json_skip_plain(p, r->end, false)) {
        if (p == r->end)
            return json_fail_end(r);
        if (*p == '"')
            break;
        if (*p == '\\') {
            escaped = true;
            p = check_escape(r, p);
        } else if ((unsigned char)*p < 0x20) {
            return json_fail_byte(r, p, "in string literal");
        } else {
            p = check_multi(r, p, &broken);
        }
        if (!p)
            return NULL;
    }
    if ((size_t)(p - from) > TEXT_SCALAR_MAX)
        return fail_size(r, from, "string");
    *s = (str){from, (size_t)(p - from)};
    if ((escaped || broken) && !decode_string(r, from, p, broken, s))
        return NULL;
    return p + 1;
}

/* ---- Numbers and literals. ---- */

/* One digit or more. */
static const char *read_digits(struct json_reader *r, const char *p, const char *context)
{
    if (p == r->end || !json_is_digit(*p))
        return json_fail_byte(r, p, context);
    do
        p++;
    while (p < r->end && json_is_digit(*p));
    return p;
}

static const char *read_fraction(struct json_reader *r, const char *p)
{
    if (*p == '.') {
        p = read_digits(r, p + 1, "after decimal point in numeric literal");
        if (!p || p == r->end)
            return p;
    }
    if (*p != 'e' && *p != 'E')
        return p;
    p++;
    if (p < r->end && (*p == '+' || *p == '-'))
        p++;
    return read_digits(r, p, "in exponent of numeric literal");
}

/*
 * Go first checks the whole text and then decodes it, so a number beyond float64 is only an error
 * when nothing else is: the first one is kept until the end. Without an exponent that takes over
 * 300 digits.
 */
static void check_range(struct json_reader *r, str number)
{
    double d;

    if (r->out_of_range.len || (number.len < 300 && number_is_integer(number)) ||
        number_to_double(number, &d))
        return;
    r->out_of_range = number;
}

const char *json_read_number(struct json_reader *r, const char *p, struct value *v)
{
    const char *from = p;

    v->kind = VALUE_INT;
    p += *p == '-';
    if (p < r->end && *p == '0')
        p++;
    else if (!(p = read_digits(r, p, "in numeric literal")))
        return NULL;
    if (p < r->end && (*p == '.' || *p == 'e' || *p == 'E')) {
        v->kind = VALUE_FLOAT;
        if (!(p = read_fraction(r, p)))
            return NULL;
    }
    if ((size_t)(p - from) > TEXT_SCALAR_MAX)
        return fail_size(r, from, "number");
    v->text = from;
    v->len = (uint32_t)(p - from);
    if (r->opts->go && !r->opts->any_number)
        check_range(r, (str){from, v->len});
    return p;
}

const char *json_read_literal(struct json_reader *r, const char *p, str word)
{
    char context[48];

    for (size_t i = 1; i < word.len; i++) {
        if (p + i < r->end && p[i] == word.ptr[i])
            continue;
        snprintf(context, sizeof(context), "in literal %s (expecting '%c')", word.ptr, word.ptr[i]);
        return json_fail_byte(r, p + i, context);
    }
    return p + word.len;
}

/* Reports the error that was kept for the end: a number beyond float64. */
bool json_check_range(struct json_reader *r)
{
    if (!r->out_of_range.len)
        return true;
    err_set(r->e, ERR_INVALID, "json: cannot unmarshal number %.*s into Go value of type float64",
            STR_ARG(r->out_of_range));
    return json_fail_at(r, r->out_of_range.ptr) != NULL;
}
