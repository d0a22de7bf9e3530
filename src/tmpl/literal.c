/* SPDX-License-Identifier: Apache-2.0 */
/*
 * literal.c - the numbers in templates.
 */
#include "tmpl/internal.h"

#include <math.h>

/* ---- Numbers in templates ------------------------------------------------------------------- */

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

    if (!n->is_int && f >= -9223372036854775808.0 && f < 9223372036854775808.0 &&
        (double)(int64_t)f == f) {
        n->is_int = true;
        n->i = (int64_t)f;
    }
    if (!n->is_uint && f >= 0 && f < 18446744073709551616.0 && (double)(uint64_t)f == f) {
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

    if (!go_unquote_char(&s, '\'', &c, &rune)) {
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

static size_t skip_digits(str s, size_t i, bool hex)
{
    while (i < s.len && (s.ptr[i] == '_' || go_digit_at(s, i) ||
                         (hex && go_hex_digit((unsigned char)s.ptr[i]) >= 0)))
        i++;
    return i;
}

/* The length of the float at the front of s, as fmt.Sscan cuts it. */
static size_t float_token(str s)
{
    bool hex;
    size_t i = s.len && (s.ptr[0] == '+' || s.ptr[0] == '-');

    hex = i + 1 < s.len && s.ptr[i] == '0' && (s.ptr[i + 1] | 0x20) == 'x';
    i = skip_digits(s, hex ? i + 2 : i, hex);
    if (i < s.len && s.ptr[i] == '.')
        i = skip_digits(s, i + 1, hex);
    if (i < s.len && ((s.ptr[i] | 0x20) == 'p' || (!hex && (s.ptr[i] | 0x20) == 'e'))) {
        i++;
        if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
            i++;
        i = skip_digits(s, i, false);
    }
    return i;
}

static bool scan_float(struct arena *a, str text, double *out, str *message)
{
    struct buf b;

    if (go_parse_float(text, out))
        return true;
    b = buf_new(a, BUF_UNLIMITED);
    buf_add(&b, STR("strconv.ParseFloat: parsing "));
    go_quote(&b, text);
    buf_add(&b, isinf(*out) ? STR(": value out of range") : STR(": invalid syntax"));
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

/* A number that is not an integer: a float, or an error. */
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
