/* SPDX-License-Identifier: Apache-2.0 */
/*
 * literal.c - strings and numbers as Go spells them.
 *
 * The parser's literals and, with the same rules, what strconv reads at run time.
 */
#include "tmpl/internal.h"

#include <errno.h>
#include <math.h>

/* ---- Strings -----------------------------------------------------------------------------------
 */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* n hexadecimal digits off the front of *s. */
static bool take_hex(str *s, size_t n, uint32_t *out)
{
    uint32_t v = 0;

    if (s->len < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int digit = hex_digit(s->ptr[i]);
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

/* What follows a backslash. *rune tells a code point from a byte. */
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

/* One character off the front of *s, as strconv.UnquoteChar. */
static bool take_char(str *s, char quote, uint32_t *out, bool *rune)
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

bool literal_unquote(struct arena *a, str quoted, str *out)
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
        if (!take_char(&s, '"', &c, &rune))
            return false;
        if (rune)
            buf_rune(&b, c);
        else
            buf_char(&b, (char)c);
    }
    *out = buf_str(&b);
    return true;
}

/* ---- Numbers at run time -----------------------------------------------------------------------
 */

/* Whether underscores stand only between digits (a base prefix counts as one). */
static bool underscores_ok(str s)
{
    char saw = '^';
    bool hex = false;
    size_t i = 0;

    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = str_from(s, 1);
    if (s.len >= 2 && s.ptr[0] == '0' && strchr("box", s.ptr[1] | 0x20)) {
        i = 2;
        saw = '0';
        hex = (s.ptr[1] | 0x20) == 'x';
    }
    for (; i < s.len; i++) {
        int digit = hex_digit(s.ptr[i]);
        if (digit >= 0 && (hex || digit < 10)) {
            saw = '0';
        } else if (s.ptr[i] == '_') {
            if (saw != '0')
                return false;
            saw = '_';
        } else {
            if (saw == '_')
                return false;
            saw = '!';
        }
    }
    return saw != '_';
}

/* Takes "0x" and the like off the front of *s; the base they mean. */
static unsigned take_base(str *s)
{
    char c;

    if (!s->len || s->ptr[0] != '0')
        return 10;
    c = s->len >= 3 ? (char)(s->ptr[1] | 0x20) : 0;
    if (c == 'b' || c == 'o' || c == 'x') {
        *s = str_from(*s, 2);
        return c == 'b' ? 2 : c == 'o' ? 8 : 16;
    }
    *s = str_from(*s, 1);
    return 8;
}

/* strconv.ParseUint; *range tells that only the size is wrong, with *out at the largest value. */
static bool parse_uint(str s, int base_arg, uint64_t *out, bool *range)
{
    str whole = s;
    unsigned base = (unsigned)base_arg;
    bool underscores = false;
    uint64_t n = 0;

    *range = false;
    if (!s.len)
        return false;
    if (base_arg == 0)
        base = take_base(&s);
    for (size_t i = 0; i < s.len; i++) {
        int digit = hex_digit(s.ptr[i]);
        if (s.ptr[i] == '_' && base_arg == 0) {
            underscores = true;
            continue;
        }
        if (digit < 0 || (unsigned)digit >= base)
            return false;
        if (__builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, (uint64_t)digit, &n)) {
            *range = true;
            *out = UINT64_MAX;
            return false;
        }
    }
    *out = n;
    return !underscores || underscores_ok(whole);
}

bool go_parse_uint(str s, int base, uint64_t *out)
{
    bool range;

    return parse_uint(s, base, out, &range);
}

bool go_parse_int(str s, int base, int64_t *out)
{
    bool range, negative = s.len && s.ptr[0] == '-';
    uint64_t u = 0;

    if (s.len && (s.ptr[0] == '+' || s.ptr[0] == '-'))
        s = str_from(s, 1);
    if (!parse_uint(s, base, &u, &range)) {
        if (range)
            *out = negative ? INT64_MIN : INT64_MAX;
        return false;
    }
    if (u > (uint64_t)INT64_MAX + negative) {
        *out = negative ? INT64_MIN : INT64_MAX;
        return false;
    }
    *out = negative ? (int64_t)(0 - u) : (int64_t)u;
    return true;
}

static bool is_special_float(str s, double *out)
{
    bool negative = s.len && s.ptr[0] == '-';

    if (str_eq_fold(s, STR("nan"))) {
        *out = (double)NAN;
        return true;
    }
    if (s.len && (s.ptr[0] == '+' || negative))
        s = str_from(s, 1);
    if (!str_eq_fold(s, STR("inf")) && !str_eq_fold(s, STR("infinity")))
        return false;
    *out = negative ? -(double)INFINITY : (double)INFINITY;
    return true;
}

/* Digits and underscores from i on; *any tells whether there was a digit. */
static size_t skip_digits(str s, size_t i, bool hex, bool *any)
{
    for (; i < s.len; i++) {
        int digit = hex_digit(s.ptr[i]);
        bool ok = digit >= 0 && (hex || digit < 10);
        if (!ok && s.ptr[i] != '_')
            break;
        *any |= ok;
    }
    return i;
}

/* Whether s is a floating-point literal; *hex tells the base. */
static bool is_float(str s, bool *hex)
{
    bool mantissa = false, exponent = false;
    size_t i = s.len && (s.ptr[0] == '+' || s.ptr[0] == '-');

    *hex = i + 2 < s.len && s.ptr[i] == '0' && (s.ptr[i + 1] | 0x20) == 'x';
    if (*hex)
        i += 2;
    i = skip_digits(s, i, *hex, &mantissa);
    if (i < s.len && s.ptr[i] == '.')
        i = skip_digits(s, i + 1, *hex, &mantissa);
    if (!mantissa)
        return false;
    if (i < s.len && (s.ptr[i] | 0x20) == (*hex ? 'p' : 'e')) {
        i++;
        if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
            i++;
        if (i >= s.len || s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
        i = skip_digits(s, i, false, &exponent);
    }
    if (*hex && !exponent)
        return false;
    return i == s.len && (str_find_char(s, '_') == STR_NPOS || underscores_ok(s));
}

bool go_parse_float(str s, double *out)
{
    AUTO_ARENA a = NULL;
    char small[64], *z = small;
    size_t n = 0;
    bool hex;

    *out = 0;
    if (is_special_float(s, out))
        return true;
    if (!is_float(s, &hex))
        return false;
    if (s.len >= sizeof(small)) {
        a = arena_new();
        z = arena_alloc_text(a, s.len + 1);
    }
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != '_')
            z[n++] = s.ptr[i];
    z[n] = '\0';
    *out = strtod(z, NULL); /* exact, and the locale is never set */
    return !isinf(*out);
}

/* ---- Numbers in templates ----------------------------------------------------------------------
 */

static bool fail_quoted(struct arena *a, str *message, const char *what, str text)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&b, "%s: ", what);
    go_quote(&b, text);
    *message = buf_str(&b);
    return false;
}

/* Whether f is whole and fits; the casts Go would do are undefined here otherwise. */
static void float_as_integers(struct number *n)
{
    double f = n->f;

    if (!n->is_int && f >= -0x1p63 && f < 0x1p63 && (double)(int64_t)f == f) {
        n->is_int = true;
        n->i = (int64_t)f;
    }
    if (!n->is_uint && f >= 0 && f < 0x1p64 && (double)(uint64_t)f == f) {
        n->is_uint = true;
        n->u = (uint64_t)f;
    }
}

static void simplify_complex(struct number *n)
{
    n->is_complex = true;
    n->is_float = n->z.im == 0;
    if (n->is_float) {
        n->f = n->z.re;
        float_as_integers(n);
    }
}

static bool number_of_char(struct arena *a, str text, struct number *out, str *message)
{
    str s = str_from(text, 1);
    uint32_t c = 0;
    bool rune;

    if (!take_char(&s, '\'', &c, &rune)) {
        *message = STR("invalid syntax");
        return false;
    }
    if (!str_eq(s, STR("'"))) {
        *message = str_concat(a, STR("malformed character constant: "), text);
        return false;
    }
    out->is_int = out->is_uint = out->is_float = true;
    out->i = c;
    out->u = c;
    out->f = c;
    return true;
}

/* The length of the float at the front of s, as fmt.Sscan cuts it. */
static size_t float_token(str s)
{
    bool any = false, hex;
    size_t i = s.len && (s.ptr[0] == '+' || s.ptr[0] == '-');

    hex = i + 1 < s.len && s.ptr[i] == '0' && (s.ptr[i + 1] | 0x20) == 'x';
    i = skip_digits(s, hex ? i + 2 : i, hex, &any);
    if (i < s.len && s.ptr[i] == '.')
        i = skip_digits(s, i + 1, hex, &any);
    if (i < s.len && ((s.ptr[i] | 0x20) == 'p' || (!hex && (s.ptr[i] | 0x20) == 'e'))) {
        i++;
        if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
            i++;
        i = skip_digits(s, i, false, &any);
    }
    return i;
}

static bool scan_float(struct arena *a, str text, double *out, str *message)
{
    struct buf b;
    bool hex;

    if (go_parse_float(text, out))
        return true;
    b = buf_new(a, BUF_UNLIMITED);
    buf_add(&b, STR("strconv.ParseFloat: parsing "));
    go_quote(&b, text);
    buf_add(&b, is_float(text, &hex) ? STR(": value out of range") : STR(": invalid syntax"));
    *message = buf_str(&b);
    return false;
}

static bool number_of_complex(struct arena *a, str text, struct number *out, str *message)
{
    size_t cut = float_token(text);
    str imaginary = str_from(text, cut);
    size_t end = float_token(imaginary);

    *message = STR("syntax error scanning complex number");
    /* Upstream: a bare i is taken for the beginning of Inf. */
    if (imaginary.len < 3 || (imaginary.ptr[0] != '+' && imaginary.ptr[0] != '-') ||
        end + 1 != imaginary.len)
        return false;
    if (!scan_float(a, str_slice(text, 0, cut), &out->z.re, message) ||
        !scan_float(a, str_slice(imaginary, 0, end), &out->z.im, message))
        return false;
    simplify_complex(out);
    return true;
}

static bool contains_any(str s, const char *set)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] && strchr(set, s.ptr[i]))
            return true;
    return false;
}

/* A number that is no integer: a float, or an error. */
static bool number_of_float(struct arena *a, str text, struct number *out, str *message)
{
    if (!go_parse_float(text, &out->f))
        return fail_quoted(a, message, "illegal number syntax", text);
    if (!contains_any(text, ".eEpP"))
        return fail_quoted(a, message, "integer overflow", text);
    out->is_float = true;
    float_as_integers(out);
    return true;
}

bool literal_number(struct arena *a, const struct token *t, struct number *out, str *message)
{
    str text = t->text;

    *out = (struct number){.text = text};
    if (t->kind == TOKEN_CHAR_CONSTANT)
        return number_of_char(a, text, out, message);
    if (t->kind == TOKEN_COMPLEX)
        return number_of_complex(a, text, out, message);
    if (text.len && text.ptr[text.len - 1] == 'i' &&
        go_parse_float(str_slice(text, 0, text.len - 1), &out->z.im)) {
        simplify_complex(out);
        return true;
    }
    out->is_uint = go_parse_uint(text, 0, &out->u);
    out->is_int = go_parse_int(text, 0, &out->i);
    if (out->is_int && out->i == 0)
        out->is_uint = true; /* -0 */
    out->is_float = out->is_int || out->is_uint;
    if (!out->is_float)
        return number_of_float(a, text, out, message);
    out->f = out->is_int ? (double)out->i : (double)out->u;
    return true;
}

struct tv literal_ideal(struct arena *a, const struct number *n)
{
    str t = n->text;
    bool hex = t.len > 2 && t.ptr[0] == '0' && (t.ptr[1] | 0x20) == 'x' && !contains_any(t, "pP");
    struct tv_complex *z;

    if (n->is_complex) {
        z = ARENA_NEW(a, struct tv_complex);
        *z = n->z;
        return (struct tv){.type = TV_COMPLEX128, .z = z};
    }
    if (n->is_float && !hex && t.ptr[0] != '\'' && contains_any(t, ".eEpP"))
        return tv_float(n->f);
    return n->is_int ? tv_int(n->i) : tv_none();
}
