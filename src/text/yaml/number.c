/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - plain scalars that are dates and numbers, or look like them to some reader.
 */
#include "text/yaml/internal.h"

#include "go/strconv.h"
#include "go/time.h"
#include "value/number.h"

/* ---- Dates. ---- */

bool yaml_is_date(struct arena *a, str s)
{
    static const char *const layouts[] = {
        "2006-1-2T15:4:5.999999999Z07:00",
        "2006-1-2t15:4:5.999999999Z07:00",
        "2006-1-2 15:4:5.999999999",
        "2006-1-2",
    };
    struct gotime t;

    for (size_t i = 0; i < 4; i++)
        if (!go_digit_at(s, i))
            return false;
    if (s.len < 8 || s.ptr[4] != '-')
        return false;
    for (size_t i = 0; i < COUNT(layouts); i++)
        if (gotime_parse(a, str_c(layouts[i]), s, NULL, &t, NULL))
            return true;
    return false;
}

/* ---- Numbers. ---- */

/* An integer that fits Go's int64, or uint64 when it has no sign. */
static bool parse_integer(str s, bool *negative, uint64_t *out)
{
    int64_t i;

    *negative = s.ptr[0] == '-';
    if (!*negative && s.ptr[0] != '+')
        return go_parse_uint(s, 0, out);
    if (!go_parse_int(s, 0, &i))
        return false;
    *out = *negative ? 0 - (uint64_t)i : (uint64_t)i;
    return true;
}

/* Upstream: a sign is accepted between "0b" and the digits too. */
static bool parse_odd_binary(str s, bool *negative, uint64_t *out)
{
    if (s.len < 4 || !str_has_prefix(s, STR("0b")) || (s.ptr[2] != '-' && s.ptr[2] != '+'))
        return false;
    *negative = s.ptr[2] == '-';
    return go_parse_uint(str_from(s, 3), 2, out) && *out <= (uint64_t)INT64_MAX + *negative;
}

static void set_integer(struct arena *a, struct value *v, str as_is, bool negative, uint64_t n)
{
    char text[24];
    int len =
        snprintf(text, sizeof(text), "%s%llu", negative && n ? "-" : "", (unsigned long long)n);
    str s = {text, (size_t)len};

    yaml_set_text(v, VALUE_INT, str_eq(s, as_is) ? as_is : str_copy(a, s));
}

static bool take_char(str *s, char c)
{
    if (!s->len || s->ptr[0] != c)
        return false;
    *s = str_from(*s, 1);
    return true;
}

/* The parts of [sign](.digits | digits[.[digits]])[exponent]. */
struct decimal {
    bool negative, point;
    str whole, fraction, exponent; /* the exponent with its letter */
};

static str take_digits(str *s)
{
    size_t n = 0;

    while (go_digit_at(*s, n))
        n++;
    str digits = str_slice(*s, 0, n);
    *s = str_from(*s, n);
    return digits;
}

static bool parse_decimal(str s, struct decimal *d)
{
    *d = (struct decimal){.negative = s.ptr[0] == '-'};
    if (s.ptr[0] == '-' || s.ptr[0] == '+')
        s = str_from(s, 1);
    d->whole = take_digits(&s);
    d->point = take_char(&s, '.');
    if (d->point)
        d->fraction = take_digits(&s);
    if (!d->whole.len && !d->fraction.len)
        return false;
    if (!s.len)
        return true;
    d->exponent = s;
    if (!take_char(&s, 'e') && !take_char(&s, 'E'))
        return false;
    if (!take_char(&s, '+'))
        (void)take_char(&s, '-');
    return take_digits(&s).len && !s.len;
}

/* JSON's spelling: digits on both sides of the point, no leading zeros, no plus. */
static str spell_decimal(struct arena *a, const struct decimal *d, bool force_point)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str whole = d->whole;

    while (whole.len > 1 && whole.ptr[0] == '0')
        whole = str_from(whole, 1);
    if (d->negative)
        buf_char(&b, '-');
    buf_add(&b, whole.len ? whole : STR("0"));
    if (d->point || force_point) {
        buf_char(&b, '.');
        buf_add(&b, d->fraction.len ? d->fraction : STR("0"));
    }
    buf_add(&b, d->exponent);
    return buf_str(&b);
}

/*
 * A float, unless it is beyond float64. One spelled like an integer is one that Go's 64 bits cannot
 * hold, which stays exact here, or one like 08, which is decimal but a float.
 */
static bool resolve_float(struct arena *a, str plain, str as_is, struct value *v)
{
    struct decimal d;
    uint64_t n;
    double value;

    if (!parse_decimal(plain, &d))
        return false;
    bool integer = !d.point && !d.exponent.len;
    bool small = integer && go_parse_uint(d.whole, 10, &n) &&
                 !(d.negative && n > (uint64_t)INT64_MAX + 1);
    bool sure = as_is.ptr == plain.ptr && d.whole.len && d.fraction.len && !d.exponent.len &&
                (d.whole.ptr[0] != '0' || d.whole.len == 1) && plain.ptr[0] != '+' &&
                plain.len < 300;
    str text = sure ? as_is : spell_decimal(a, &d, small);
    if (!sure && !number_to_double(text, &value))
        return false;
    yaml_set_text(v, integer && !small ? VALUE_INT : VALUE_FLOAT, text);
    return true;
}

static str without_underscores(struct arena *a, str s)
{
    if (str_find_char(s, '_') == STR_NPOS)
        return s;
    struct buf b = buf_new(a, BUF_UNLIMITED);
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != '_')
            buf_char(&b, s.ptr[i]);
    return buf_str(&b);
}

/* Up to 18 decimal digits: what nearly all integers are, and sure to fit. */
static bool is_plain_integer(str s)
{
    size_t sign = s.ptr[0] == '-', i = sign;

    while (go_digit_at(s, i))
        i++;
    return i == s.len && i - sign >= 1 && i <= 18 && (s.ptr[sign] != '0' || s.len == 1);
}

bool yaml_number(struct arena *a, str text, struct value *v)
{
    if (is_plain_integer(text)) {
        yaml_set_text(v, VALUE_INT, text);
        return true;
    }
    str plain = without_underscores(a, text);
    bool negative;
    uint64_t n;

    if (!plain.len)
        return false;
    if (parse_integer(plain, &negative, &n)) {
        set_integer(a, v, text, negative, n);
        return true;
    }
    if (resolve_float(a, plain, text, v))
        return true;
    if (!parse_odd_binary(plain, &negative, &n))
        return false;
    set_integer(a, v, text, negative, n);
    return true;
}

/* After a decimal point Go's float syntax applies: underscores may separate digits. */
bool yaml_dotted_number(struct arena *a, str text, struct value *v)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '_' && !(i && go_digit_at(text, i - 1) && go_digit_at(text, i + 1)))
            return false;
    return resolve_float(a, without_underscores(a, text), text, v);
}

/* ---- Numbers of base 60. ---- */

bool yaml_is_base60(str s)
{
    size_t groups = 0;

    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = str_from(s, 1);
    if (!go_digit_at(s, 0))
        return false;
    while (go_digit_at(s, 0) || (s.len && s.ptr[0] == '_'))
        s = str_from(s, 1);
    for (; s.len && s.ptr[0] == ':'; groups++) {
        if (!go_digit_at(s, 1) || (go_digit_at(s, 2) && s.ptr[1] > '5'))
            return false;
        s = str_from(s, go_digit_at(s, 2) ? 3 : 2);
    }
    if (!groups)
        return false;
    if (take_char(&s, '.'))
        while (go_digit_at(s, 0) || (s.len && s.ptr[0] == '_'))
            s = str_from(s, 1);
    return !s.len;
}
