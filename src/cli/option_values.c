/* SPDX-License-Identifier: Apache-2.0 */
/*
 * option_values.c - what the value of an option may look like, one function per type.
 *
 * The accepted spellings and the words of the errors are those of Go: strconv.ParseBool and
 * ParseInt with base 0, time.ParseDuration, and encoding/csv for lists.
 */
#include "cli/options.h"
#include "base/quote.h"

static bool fail_parse(struct arena *a, struct err *e, const char *function, str text,
                       const char *why)
{
    return err_set(e, ERR_USAGE, "strconv.%s: parsing %.*s: %s", function,
                   STR_ARG(quote_of(a, text)), why);
}

static bool set_bool(struct arena *a, bool *target, str text, struct err *e)
{
    static const char *const words[] = {"1", "t", "T", "true",  "TRUE",  "True",
                                        "0", "f", "F", "false", "FALSE", "False"};

    for (size_t i = 0; i < COUNT(words); i++) {
        if (!str_eq(text, str_c(words[i])))
            continue;
        *target = i < COUNT(words) / 2;
        return true;
    }
    return fail_parse(a, e, "ParseBool", text, "invalid syntax");
}

/* ---- Integers. ---- */

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'z')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'Z')
        return (unsigned)(c - 'A') + 10;
    return 36;
}

/* Takes a prefix like 0x off *s. A lone leading 0 means octal. */
static unsigned take_base(str *s)
{
    static const struct {
        char letter;
        unsigned base;
    } bases[] = {{'b', 2}, {'o', 8}, {'x', 16}};

    if (s->len == 0 || s->ptr[0] != '0')
        return 10;
    for (size_t i = 0; s->len >= 3 && i < COUNT(bases); i++) {
        if ((s->ptr[1] | 0x20) == bases[i].letter) {
            *s = str_from(*s, 2);
            return bases[i].base;
        }
    }
    *s = str_from(*s, 1);
    return 8;
}

/* Whether each underscore stands between digits; a base prefix counts as one. */
static bool underscores_fit(str digits, bool after_prefix)
{
    bool digit = after_prefix;

    for (size_t i = 0; i < digits.len; i++) {
        bool underscore = digits.ptr[i] == '_';
        if (underscore && !digit)
            return false;
        digit = !underscore;
    }
    return digit;
}

enum parsed { PARSED, PARSED_SYNTAX, PARSED_RANGE };

static enum parsed parse_magnitude(str s, uint64_t *out)
{
    str digits = s;
    unsigned base = take_base(&digits);
    bool underscores = false;

    *out = 0;
    if (s.len == 0)
        return PARSED_SYNTAX;
    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = digit_value(digits.ptr[i]);
        if (digits.ptr[i] == '_') {
            underscores = true;
            continue;
        }
        if (digit >= base)
            return PARSED_SYNTAX;
        if (__builtin_mul_overflow(*out, base, out) || __builtin_add_overflow(*out, digit, out))
            return PARSED_RANGE;
    }
    return !underscores || underscores_fit(digits, digits.len < s.len) ? PARSED : PARSED_SYNTAX;
}

static bool set_int(struct arena *a, int64_t *target, str text, struct err *e)
{
    bool negative = str_has_prefix(text, STR("-"));
    bool sign = negative || str_has_prefix(text, STR("+"));
    uint64_t magnitude, limit = (uint64_t)INT64_MAX + negative;
    enum parsed parsed = parse_magnitude(str_from(text, sign), &magnitude);

    if (parsed == PARSED_SYNTAX)
        return fail_parse(a, e, "ParseInt", text, "invalid syntax");
    if (parsed == PARSED_RANGE || magnitude > limit)
        return fail_parse(a, e, "ParseInt", text, "value out of range");
    *target = negative ? (int64_t)-magnitude : (int64_t)magnitude;
    return true;
}

/* Without a value ("+1" stands for that) the count goes up; with one it is set. */
static bool set_count(struct arena *a, int64_t *target, str text, struct err *e)
{
    if (!str_eq(text, STR("+1")))
        return set_int(a, target, text, e);
    if (*target < INT64_MAX)
        ++*target;
    return true;
}

/* ---- Durations. ---- */

/* As Go's time package quotes: everything but printable ASCII as bytes. */
static str quote_bytes(struct arena *a, str s)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_char(&b, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c >= 0x80 || c < ' ')
            buf_fmt(&b, "\\x%02x", c);
        else if (c == '"' || c == '\\')
            buf_fmt(&b, "\\%c", c);
        else
            buf_char(&b, (char)c);
    }
    buf_char(&b, '"');
    return buf_str(&b);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

#define DURATION_LIMIT ((uint64_t)1 << 63)

/* The digits at the start of *s as a number. False when it passes the limit. */
static bool take_whole(str *s, uint64_t *out)
{
    size_t i;

    *out = 0;
    for (i = 0; i < s->len && is_digit(s->ptr[i]); i++) {
        if (*out > DURATION_LIMIT / 10)
            return false;
        *out = *out * 10 + (uint64_t)(s->ptr[i] - '0');
        if (*out > DURATION_LIMIT)
            return false;
    }
    *s = str_from(*s, i);
    return true;
}

/* The digits after a point: value is *out / *scale. Digits that no longer fit are dropped. */
static void take_fraction(str *s, uint64_t *out, double *scale)
{
    bool full = false;
    size_t i;

    *out = 0;
    *scale = 1;
    for (i = 0; i < s->len && is_digit(s->ptr[i]); i++) {
        uint64_t next = *out * 10 + (uint64_t)(s->ptr[i] - '0');
        full = full || *out > (DURATION_LIMIT - 1) / 10 || next > DURATION_LIMIT;
        if (full)
            continue;
        *out = next;
        *scale *= 10;
    }
    *s = str_from(*s, i);
}

static uint64_t unit_ns(str unit)
{
    static const struct {
        str name;
        uint64_t ns;
    } units[] = {
        {STR_INIT("ns"), 1},
        {STR_INIT("us"), 1000},
        {STR_INIT("\u00b5s"), 1000},
        {STR_INIT("\u03bcs"), 1000},
        {STR_INIT("ms"), NS_PER_MS},
        {STR_INIT("s"), NS_PER_SEC},
        {STR_INIT("m"), 60 * NS_PER_SEC},
        {STR_INIT("h"), 3600 * NS_PER_SEC},
    };

    for (size_t i = 0; i < COUNT(units); i++)
        if (str_eq(unit, units[i].name))
            return units[i].ns;
    return 0;
}

static str take_unit(str *s)
{
    str unit;
    size_t i = 0;

    while (i < s->len && s->ptr[i] != '.' && !is_digit(s->ptr[i]))
        i++;
    unit = str_slice(*s, 0, i);
    *s = str_from(*s, i);
    return unit;
}

static bool fail_duration(struct arena *a, struct err *e, str text)
{
    return err_set(e, ERR_USAGE, "time: invalid duration %.*s", STR_ARG(quote_bytes(a, text)));
}

/* Takes one number with its unit off *s and adds it to *total. text is the whole, for messages. */
static bool take_part(struct arena *a, str text, str *s, uint64_t *total, struct err *e)
{
    uint64_t whole, fraction = 0, ns;
    double scale = 1;
    size_t before = s->len, digits;
    str unit;

    if (!take_whole(s, &whole))
        return fail_duration(a, e, text);
    digits = before - s->len;
    if (str_has_prefix(*s, STR("."))) {
        *s = str_from(*s, 1);
        before = s->len;
        take_fraction(s, &fraction, &scale);
        digits += before - s->len;
    }
    if (digits == 0)
        return fail_duration(a, e, text);
    unit = take_unit(s);
    if (unit.len == 0)
        return err_set(e, ERR_USAGE, "time: missing unit in duration %.*s",
                       STR_ARG(quote_bytes(a, text)));
    ns = unit_ns(unit);
    if (ns == 0)
        return err_set(e, ERR_USAGE, "time: unknown unit %.*s in duration %.*s",
                       STR_ARG(quote_bytes(a, unit)), STR_ARG(quote_bytes(a, text)));
    if (whole > DURATION_LIMIT / ns)
        return fail_duration(a, e, text);
    whole = whole * ns + (uint64_t)((double)fraction * ((double)ns / scale));
    if (whole > DURATION_LIMIT)
        return fail_duration(a, e, text);
    *total += whole;
    return *total <= DURATION_LIMIT || fail_duration(a, e, text);
}

static bool set_duration(struct arena *a, int64_t *target, str text, struct err *e)
{
    bool negative = str_has_prefix(text, STR("-"));
    str rest = str_from(text, negative || str_has_prefix(text, STR("+")));
    uint64_t total = 0;

    if (rest.len == 0)
        return fail_duration(a, e, text);
    if (str_eq(rest, STR("0")))
        rest = STR_NONE;
    while (rest.len)
        if (!take_part(a, text, &rest, &total, e))
            return false;
    if (total > (uint64_t)INT64_MAX + negative)
        return fail_duration(a, e, text);
    *target = negative ? (int64_t)-total : (int64_t)total;
    return true;
}

/* ---- Lists. ---- */

static bool set_strings(struct arena *a, struct option_list *target, str text, bool first,
                        struct err *e)
{
    str *fields = NULL;
    size_t count = 0;

    if (text.len && !csv_record(a, text, ',', &fields, &count, e))
        return false;
    if (first)
        *target = (struct option_list){0};
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(a, target, fields[i]);
    return true;
}

static void set_array(struct arena *a, struct option_list *target, str text, bool first)
{
    if (first)
        *target = (struct option_list){0};
    VEC_PUSH(a, target, text);
}

/* ---- Any. ---- */

static bool check_choice(const struct option *o, str text, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (!o->choices || o->open)
        return true;
    for (size_t i = 0; o->choices[i]; i++) {
        if (str_eq(text, str_c(o->choices[i])))
            return true;
        buf_fmt(&b, "%s%s", i ? ", " : "", o->choices[i]);
    }
    return err_set(e, ERR_USAGE, "must be one of %.*s", STR_ARG(buf_str(&b)));
}

bool option_set(struct arena *a, const struct option *o, void *target, str text, bool first,
                struct err *e)
{
    switch (o->type) {
    case OPTION_BOOL:
        return set_bool(a, target, text, e);
    case OPTION_COUNT:
        return set_count(a, target, text, e);
    case OPTION_DURATION:
        return set_duration(a, target, text, e);
    case OPTION_INT:
        return set_int(a, target, text, e);
    case OPTION_STRING:
        if (!check_choice(o, text, e))
            return false;
        *(str *)target = text;
        return true;
    case OPTION_STRINGS:
        return set_strings(a, target, text, first, e);
    case OPTION_ARRAY:
        set_array(a, target, text, first);
        return true;
    }
    return true;
}

static void *target_of(const struct option *o, void *values)
{
    return (char *)values + o->offset;
}

void options_defaults(struct arena *a, const struct option *options, size_t count, void *values)
{
    for (size_t i = 0; i < count; i++) {
        const struct option *o = &options[i];
        bool ok = !o->value || option_set(a, o, target_of(o, values), str_c(o->value), true, NULL);
        assert(ok);
        (void)ok;
    }
}
