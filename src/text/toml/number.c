/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - numbers, dates and words of TOML; see internal.h.
 */
#include "text/toml/internal.h"

#include "go/time.h"
#include "base/unicode.h"
#include "value/number.h"

static bool is_octal(uint32_t c)
{
    return c >= '0' && c <= '7';
}

static bool is_binary(uint32_t c)
{
    return c == '0' || c == '1';
}

/* ---- Numbers ---- */

/* Whether each underscore is between digits, and the last character is a digit. */
static bool underscores_ok(str s)
{
    bool accepted = false;

    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '_' && !accepted)
            return false;
        accepted = toml_is_hex((unsigned char)s.ptr[i]);
    }
    return accepted;
}

static bool has_leading_zero(str s)
{
    if (s.len > 1 && s.ptr[0] == '0' && s.ptr[1] != 'b' && s.ptr[1] != 'o' && s.ptr[1] != 'x')
        return true;
    return s.len > 2 && (s.ptr[0] == '-' || s.ptr[0] == '+') && s.ptr[1] == '0';
}

static str without_underscores(struct toml_reader *r, str s)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != '_')
            buf_char(&b, s.ptr[i]);
    return buf_str(&b);
}

/* The value of digits in a base; false when it does not fit. */
static bool parse_int(str digits, unsigned base, bool negative, int64_t *out)
{
    uint64_t max = (uint64_t)INT64_MAX + negative, n = 0;

    for (size_t i = 0; i < digits.len; i++) {
        char c = digits.ptr[i];
        unsigned d = (unsigned)(toml_is_digit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
        if (n > (max - d) / base)
            return false;
        n = n * base + d;
    }
    *out = (int64_t)(negative ? 0 - n : n);
    return true;
}

static bool integer(struct toml_reader *r, size_t start, struct value **out)
{
    str text = str_slice(r->text, start, r->at), digits = without_underscores(r, text);
    bool negative = str_has_prefix(digits, STR("-"));
    unsigned base = 10;
    int64_t n;

    if (!underscores_ok(text))
        return TOML_FAIL(r, "Invalid integer %s: underscores must be surrounded by digits",
                         toml_quote_str(r, text));
    if (has_leading_zero(text))
        return TOML_FAIL(r, "Invalid integer %s: cannot have leading zeroes",
                         toml_quote_str(r, text));
    digits = str_from(digits, negative || str_has_prefix(digits, STR("+")));
    if (digits.len > 1 && digits.ptr[0] == '0') {
        base = digits.ptr[1] == 'x' ? 16 : digits.ptr[1] == 'o' ? 8 : 2;
        digits = str_from(digits, 2);
    }
    if (!parse_int(digits, base, negative, &n))
        return TOML_FAIL(r, "%.*s is out of range for int64", STR_ARG(text));
    *out = value_int(r->arena, n);
    return true;
}

/* A number that JSON cannot represent (inf, nan), as its text. */
static struct value *special_float(struct toml_reader *r, str text)
{
    struct value *v = value_string(r->arena, text);

    v->tag = TOML_FLOAT;
    return v;
}

/* What strconv.ParseFloat accepts of what the scanner lets through. */
static bool is_float(str s)
{
    size_t i = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'), digits = 0;

    for (; i < s.len && toml_is_digit((unsigned char)s.ptr[i]); i++)
        digits++;
    if (i < s.len && s.ptr[i] == '.')
        for (i++; i < s.len && toml_is_digit((unsigned char)s.ptr[i]); i++)
            digits++;
    if (!digits)
        return false;
    if (i < s.len && (s.ptr[i] | 0x20) == 'e') {
        i++;
        i += i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+');
        digits = 0;
        for (; i < s.len && toml_is_digit((unsigned char)s.ptr[i]); i++)
            digits++;
        if (!digits)
            return false;
    }
    return i == s.len;
}

/* The parts between points and exponents must be valid as numbers. */
static bool check_float_parts(struct toml_reader *r, str text)
{
    size_t start = 0;
    bool first = true;

    for (size_t i = 0; i <= text.len; i++) {
        str part = str_slice(text, start, i);
        if (i < text.len && !strchr(".eE", text.ptr[i]))
            continue;
        start = i + 1;
        if (!part.len)
            continue;
        if (!underscores_ok(part))
            return TOML_FAIL(r, "Invalid float %s: underscores must be surrounded by digits",
                             toml_quote_str(r, text));
        if (first && has_leading_zero(part))
            return TOML_FAIL(r, "Invalid float %s: cannot have leading zeroes",
                             toml_quote_str(r, text));
        first = false;
    }
    return true;
}

static bool periods_ok(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '.' &&
            (i + 1 == text.len || !toml_is_digit((unsigned char)text.ptr[i + 1])))
            return false;
    return true;
}

static bool float_value(struct toml_reader *r, size_t start, struct value **out)
{
    str text = str_slice(r->text, start, r->at), plain = without_underscores(r, text);
    double d;

    if (str_eq(str_trim_set(text, STR("+-")), STR("inf")) ||
        str_eq(str_trim_set(text, STR("+-")), STR("nan"))) {
        *out = special_float(r, str_without_prefix(text, STR("+")));
        return true;
    }
    if (!check_float_parts(r, text))
        return false;
    if (!periods_ok(text))
        return TOML_FAIL(r, "Invalid float %s: '.' must be followed by one or more digits",
                         toml_quote_str(r, text));
    if (!is_float(plain))
        return TOML_FAIL(r, "Invalid float value: %s", toml_quote_str(r, text));
    if (!number_to_double(str_without_prefix(plain, STR("+")), &d))
        return TOML_FAIL(r, "%.*s is out of range for float64", STR_ARG(text));
    *out = value_float(r->arena, d);
    return true;
}

/* ---- Dates ---- */

static const struct {
    const char *layout;
    enum toml_kind kind;
} date_layouts[] = {
    {GOTIME_RFC3339_NANO, TOML_DATETIME},
    {"2006-01-02T15:04:05.999999999", TOML_LOCAL_DATETIME},
    {"2006-01-02", TOML_LOCAL_DATE},
    {"15:04:05.999999999", TOML_LOCAL_TIME},
};

/* Go reads an hour of one digit; TOML does not. */
static bool misses_zero(str text, str layout)
{
    for (size_t i = 0; i < layout.len; i++) {
        char c = layout.ptr[i];
        if (c == '.' || c == 'Z')
            return false;
        if (!toml_is_digit((unsigned char)c) && (i >= text.len || text.ptr[i] != c))
            return true;
    }
    return false;
}

static bool date(struct toml_reader *r, size_t start, struct value **out)
{
    str raw = str_trim(str_slice(r->text, start, r->at));
    char *text = arena_alloc_text(r->arena, raw.len);
    str s = str_of(text, raw.len);
    struct gotime t;

    for (size_t i = 0; i < raw.len; i++)
        text[i] = raw.ptr[i] == 'z'                        ? 'Z'
                  : raw.ptr[i] == 't' || raw.ptr[i] == ' ' ? 'T'
                                                           : raw.ptr[i];
    for (size_t i = 0; i < COUNT(date_layouts); i++) {
        str layout = str_c(date_layouts[i].layout);
        if (!gotime_parse(r->arena, layout, s, NULL, &t, NULL))
            continue;
        if (misses_zero(s, layout))
            break;
        *out = value_string(r->arena, s);
        (*out)->tag = date_layouts[i].kind;
        return true;
    }
    return TOML_FAIL(r, "invalid datetime: %s", toml_quote_str(r, s));
}

/* ---- What a value is ---- */

static bool skip_while(struct toml_reader *r, bool (*is)(uint32_t), const char *others, uint32_t *c)
{
    for (;;) {
        if (!toml_peek(r, c))
            return false;
        if (!is(*c) && !(*c && *c < 0x80 && strchr(others, (int)*c)))
            return true;
        if (!toml_next(r, c))
            return false;
    }
}

/*
 * After a point or exponent: takes anything that looks like a number, which is then checked as a
 * whole.
 */
static bool rest_of_float(struct toml_reader *r, size_t start, struct value **out)
{
    uint32_t c;

    return skip_while(r, toml_is_digit, "_.-+eE", &c) && float_value(r, start, out);
}

static bool rest_of_decimal(struct toml_reader *r, size_t start, struct value **out)
{
    uint32_t c;

    if (!skip_while(r, toml_is_digit, "_", &c))
        return false;
    return c == '.' || c == 'e' || c == 'E' ? rest_of_float(r, start, out) : integer(r, start, out);
}

/* After 0b, 0o or 0x. */
static bool based_number(struct toml_reader *r, size_t start, uint32_t letter, struct value **out)
{
    bool (*is)(uint32_t) = letter == 'b' ? is_binary : letter == 'o' ? is_octal : toml_is_hex;
    const char *what = letter == 'b' ? "a binary" : letter == 'o' ? "an octal" : "a hexadecimal";
    str before;
    uint32_t c;

    if (!toml_peek(r, &c))
        return false;
    if (is(c))
        return skip_while(r, is, "_", &c) && integer(r, start, out);
    before =
        str_fmt(r->arena, "not %s number: '%.*s", what, STR_ARG(str_slice(r->text, start, r->at)));
    return toml_fail_shown(r, r->line, str_z(r->arena, before), c);
}

static bool number_or_date(struct toml_reader *r, uint32_t first, struct value **out)
{
    size_t start = r->at - 1;
    uint32_t c;

    if (!toml_peek(r, &c))
        return false;
    if (first == '0' && (c == 'b' || c == 'o' || c == 'x')) {
        r->at++;
        return based_number(r, start, c, out);
    }
    if (first == '0' && (c == '-' || c == ':'))
        return integer(r, start, out);
    if (!skip_while(r, toml_is_digit, "", &c))
        return false;
    if (c == '-' || c == ':')
        return skip_while(r, toml_is_digit, "-:Tt .Zz+", &c) && date(r, start, out);
    return rest_of_decimal(r, start, out);
}

/* Reads inf or nan after a sign; its first letter has been read. */
static bool signed_special(struct toml_reader *r, size_t start, const char *rest,
                           struct value **out)
{
    bool found = true;

    for (size_t i = 0; i < 2 && found; i++)
        if (!toml_accept(r, (unsigned char)rest[i], &found))
            return false;
    if (!found)
        return TOML_FAIL(r, "invalid float: '%.*s'", STR_ARG(str_slice(r->text, start, r->at)));
    return float_value(r, start, out);
}

static bool signed_number(struct toml_reader *r, struct value **out)
{
    size_t start = r->at - 1;
    uint32_t c, second;

    if (!toml_next(r, &c))
        return false;
    if (c == 'i')
        return signed_special(r, start, "nf", out);
    if (c == 'n')
        return signed_special(r, start, "an", out);
    if (c == '.')
        return TOML_FAIL(r, "floats must start with a digit, not '.'");
    if (!toml_is_digit(c))
        return toml_fail_after(r, c, "expected a digit but got %s", toml_quote(r, c));
    if (!toml_peek(r, &second))
        return false;
    if (c == '0' && (second == 'b' || second == 'o' || second == 'x'))
        return TOML_FAIL(r, "cannot use sign with non-decimal numbers: '%.*s%c'",
                         STR_ARG(str_slice(r->text, start, r->at)), (int)second);
    return rest_of_decimal(r, start, out);
}

/* Upstream: after a letter that matches inf or nan, the rest is expected from there. */
static bool special(struct toml_reader *r, struct value **out, bool *found)
{
    size_t start = r->at - 1;

    if (!toml_accept(r, 'n', found) || (*found && !toml_accept(r, 'f', found)))
        return false;
    if (!*found && (!toml_accept(r, 'a', found) || (*found && !toml_accept(r, 'n', found))))
        return false;
    return !*found || float_value(r, start, out);
}

/* Reads true or false; any other word is an error, at the position of its first letter. */
static bool word(struct toml_reader *r, struct value **out)
{
    size_t start = r->at;
    uint32_t c;
    str s;

    if (!skip_while(r, unicode_is_letter, "", &c))
        return false;
    s = str_slice(r->text, start, r->at);
    if (!str_eq(s, STR("true")) && !str_eq(s, STR("false")))
        return TOML_FAIL(r, "expected value but found %s instead", toml_quote_str(r, s));
    *out = value_bool(r->arena, s.len == 4);
    return true;
}

bool toml_scalar(struct toml_reader *r, uint32_t c, struct value **out)
{
    bool found = false;
    size_t width;

    if (toml_is_digit(c))
        return number_or_date(r, c, out);
    if (c == '"' || c == '\'')
        return toml_string_value(r, c, out);
    if (c == '.')
        return TOML_FAIL(r, "floats must start with a digit, not '.'");
    if (c == '-' || c == '+')
        return signed_number(r, out);
    if ((c == 'i' || c == 'n') && (!special(r, out, &found) || found))
        return found && *out;
    if (unicode_is_letter(c)) {
        utf8_decode_last(str_slice(r->text, 0, r->at), &width);
        r->at -= width;
        return word(r, out);
    }
    if (c == TOML_EOF)
        return toml_fail_after(r, c, "unexpected EOF; expected value");
    return toml_fail_line(r, r->line - (c == '\n'), "expected value but found %s instead",
                          toml_quote(r, c));
}
