/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rfc3339.c - whether a text is a time, in the words of Go's time.Parse.
 */
#include "base/quote.h"
#include "compare/schema.h"

/* The elements of the layout: a literal, or digits with their range and its name. */
static const struct element {
    const char *layout;
    int digits_min, digits_max; /* 0: a literal */
    int lo, hi;
    const char *what;
} elements[] = {
    {"2006", 4, 4, 0, 9999, "year"}, {"-", 0, 0, 0, 0, NULL},       {"01", 2, 2, 1, 12, "month"},
    {"-", 0, 0, 0, 0, NULL},         {"02", 2, 2, 1, 31, "day"},    {"T", 0, 0, 0, 0, NULL},
    {"15", 1, 2, 0, 23, "hour"},     {":", 0, 0, 0, 0, NULL},       {"04", 2, 2, 0, 59, "minute"},
    {":", 0, 0, 0, 0, NULL},         {"05", 2, 2, 0, 59, "second"},
};

static bool fail(struct arena *a, str text, str rest, const char *element, struct err *e)
{
    return err_set(e, ERR_INVALID,
                   "parsing time %.*s as \"2006-01-02T15:04:05Z07:00\": cannot parse %.*s as "
                   "\"%s\"",
                   STR_ARG(quote_of(a, text)), STR_ARG(quote_of(a, rest)), element);
}

static bool fail_range(struct arena *a, str text, const char *what, struct err *e)
{
    return err_set(e, ERR_INVALID, "parsing time %.*s: %s out of range", STR_ARG(quote_of(a, text)),
                   what);
}

static int digits_at(str s, int max, int *value)
{
    int n = 0;

    *value = 0;
    while (n < max && (size_t)n < s.len && s.ptr[n] >= '0' && s.ptr[n] <= '9')
        *value = *value * 10 + (s.ptr[n++] - '0');
    return n;
}

static int days_in(int month, int year)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month == 2 && leap ? 29 : days[month - 1];
}

/* A fraction of the second, and the zone. */
static bool check_tail(struct arena *a, str text, str rest, struct err *e)
{
    int hours, minutes;

    if (rest.len > 1 && (rest.ptr[0] == '.' || rest.ptr[0] == ',') && rest.ptr[1] >= '0' &&
        rest.ptr[1] <= '9') {
        rest = str_from(rest, 1);
        while (rest.len && rest.ptr[0] >= '0' && rest.ptr[0] <= '9')
            rest = str_from(rest, 1);
    }
    if (str_has_prefix(rest, STR("Z"))) {
        if (rest.len == 1)
            return true;
        return err_set(e, ERR_INVALID, "parsing time %.*s: extra text: %.*s",
                       STR_ARG(quote_of(a, text)), STR_ARG(quote_of(a, str_from(rest, 1))));
    }
    if (rest.len < 6 || (rest.ptr[0] != '+' && rest.ptr[0] != '-') || rest.ptr[3] != ':' ||
        digits_at(str_from(rest, 1), 2, &hours) < 2 ||
        digits_at(str_from(rest, 4), 2, &minutes) < 2)
        return fail(a, text, rest, "Z07:00", e);
    if (hours > 24)
        return fail_range(a, text, "time zone offset hour", e);
    if (minutes > 60)
        return fail_range(a, text, "time zone offset minute", e);
    if (rest.len > 6)
        return err_set(e, ERR_INVALID, "parsing time %.*s: extra text: %.*s",
                       STR_ARG(quote_of(a, text)), STR_ARG(quote_of(a, str_from(rest, 6))));
    return true;
}

bool rfc3339_check(struct arena *a, str text, struct err *e)
{
    int values[COUNT(elements)] = {0};
    str rest = text;

    for (size_t i = 0; i < COUNT(elements); i++) {
        const struct element *x = &elements[i];
        if (!x->digits_max) {
            if (!str_has_prefix(rest, str_c(x->layout)))
                return fail(a, text, rest, x->layout, e);
            rest = str_from(rest, 1);
            continue;
        }
        int n = digits_at(rest, x->digits_max, &values[i]);
        if (n < x->digits_min)
            return fail(a, text, rest, x->layout, e);
        if ((values[i] < x->lo || values[i] > x->hi) && strcmp(x->what, "day") != 0)
            return fail_range(a, text, x->what, e);
        rest = str_from(rest, (size_t)n);
    }
    if (!check_tail(a, text, rest, e))
        return false;
    if (values[4] < 1 || values[4] > days_in(values[2], values[0]))
        return fail_range(a, text, "day", e);
    return true;
}
