/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_limits.c - checks values against limits, patterns and enums.
 */
#include "azure/check_internal.h"

#include "regex/regex.h"
#include "value/number.h"

/* How many values an enum's message lists. */
#define CHOICES_SHOWN 40

/* ---- Choices. ---- */

static str list_choices(struct arena *a, const struct value *choices)
{
    struct buf b = buf_new(a, 64 * KIB);

    for (size_t i = 0; i < choices->len && i < CHOICES_SHOWN; i++) {
        str text = value_text(&choices->items[i]);
        buf_fmt(&b, "%s%.*s", i ? ", " : "", STR_ARG(text));
    }
    if (choices->len > CHOICES_SHOWN)
        buf_fmt(&b, " and %zu more", choices->len - (size_t)CHOICES_SHOWN);
    return buf_str(&b);
}

void check_choices(struct checking *c, const struct value *choices, const struct value *v,
                   const struct trail *at)
{
    if (!choices)
        return;
    for (size_t i = 0; i < choices->len; i++)
        if (value_equal(&choices->items[i], v))
            return;
    if (v->kind != VALUE_STRING && !value_is_number(v))
        return; /* of the wrong type, which has been reported */
    str allowed = list_choices(c->arena, choices), got = value_text(v);
    check_fail(c, v, at, "\"%.*s\" is not allowed: %.*s", STR_ARG(got), STR_ARG(allowed));
}

/* ---- Limits. ---- */

static bool is_multiple(str number, str of)
{
    int64_t x, y;

    return !number_to_i64(number, &x) || !number_to_i64(of, &y) || y == 0 || x % y == 0;
}

static void limit_number(struct checking *c, const struct value *limit, const struct value *v,
                         const struct trail *at)
{
    str name = value_key(limit), bound = value_text(limit), got = value_text(v);

    if (str_eq(name, STR("min")) && number_compare(got, bound) < 0)
        check_fail(c, v, at, "%.*s is below the least allowed, %.*s", STR_ARG(got), STR_ARG(bound));
    if (str_eq(name, STR("max")) && number_compare(got, bound) > 0)
        check_fail(c, v, at, "%.*s is above the most allowed, %.*s", STR_ARG(got), STR_ARG(bound));
    if (str_eq(name, STR("mult")) && !is_multiple(got, bound))
        check_fail(c, v, at, "%.*s is not a multiple of %.*s", STR_ARG(got), STR_ARG(bound));
}

static void limit_count(struct checking *c, const struct value *limit, const struct value *v,
                        const struct trail *at)
{
    bool text = v->kind == VALUE_STRING;
    size_t count = text ? utf8_count(value_str(v)) : value_len(v);
    const char *unit = text ? "characters" : "items";
    str name = value_key(limit);
    int64_t bound;

    if (!value_to_i64(limit, &bound))
        return;
    if (str_eq(name, text ? STR("minLen") : STR("minItems")) && (int64_t)count < bound)
        check_fail(c, v, at, "has %zu %s and needs at least %lld", count, unit, (long long)bound);
    if (str_eq(name, text ? STR("maxLen") : STR("maxItems")) && (int64_t)count > bound)
        check_fail(c, v, at, "has %zu %s and may have at most %lld", count, unit, (long long)bound);
}

static void limit_pattern(struct checking *c, const struct value *limit, const struct value *v,
                          const struct trail *at)
{
    AUTO_ARENA moment = arena_new();
    str pattern = value_str(limit), got = str_slice(value_str(v), 0, 200);
    struct regex *re;

    if (!str_eq(value_key(limit), STR("pattern")) || !regex_compile(moment, pattern, &re, NULL) ||
        regex_match(re, value_str(v)))
        return;
    check_fail(c, v, at, "\"%.*s\" does not match %.*s", STR_ARG(got), STR_ARG(pattern));
}

void check_limits(struct checking *c, const struct value *limits, const struct value *v,
                  const struct trail *at)
{
    for (size_t i = 0; i < value_len(limits); i++) {
        const struct value *limit = &limits->items[i];
        if (value_is_number(v))
            limit_number(c, limit, v, at);
        else if (v->kind == VALUE_STRING || v->kind == VALUE_LIST)
            limit_count(c, limit, v, at);
        if (v->kind == VALUE_STRING)
            limit_pattern(c, limit, v, at);
    }
}
