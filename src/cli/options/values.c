/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - parses the values of options, one function per type.
 *
 * Accepted spellings and error texts are Go's: strconv.ParseBool and ParseInt with base 0,
 * time.ParseDuration, and encoding/csv for lists.
 */
#include "cli/options/options.h"
#include "base/near.h"
#include "go/quote.h"
#include "go/strconv.h"
#include "go/time.h"

static bool fail_parse(struct arena *a, struct err *e, const char *function, str text,
                       const char *why)
{
    return err_set(e, ERR_USAGE, "strconv.%s: parsing %.*s: %s", function,
                   STR_ARG(go_quoted(a, text)), why);
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

static bool set_int(struct arena *a, int64_t *target, str text, struct err *e)
{
    int64_t i;

    if (!go_parse_int(text, 0, &i))
        return fail_parse(a, e, "ParseInt", text, i ? "value out of range" : "invalid syntax");
    *target = i;
    return true;
}

/* Without a value (passed as "+1") increments the count; with one sets it. */
static bool set_count(struct arena *a, int64_t *target, str text, struct err *e)
{
    if (!str_eq(text, STR("+1")))
        return set_int(a, target, text, e);
    if (*target < INT64_MAX)
        ++*target;
    return true;
}

/* ---- Durations. ---- */

static bool set_duration(int64_t *target, str text, struct err *e)
{
    int64_t ns;

    if (duration_parse(text, &ns, e)) {
        *target = ns;
        return true;
    }
    if (e)
        e->kind = ERR_USAGE;
    return false;
}

/* ---- Lists. ---- */

static bool set_strings(struct arena *a, struct str_list *target, str text, bool first,
                        struct err *e)
{
    str *fields = NULL;
    size_t count = 0;

    if (text.len && !csv_record(a, text, ',', &fields, &count, e))
        return false;
    if (first)
        *target = (struct str_list){0};
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(a, target, fields[i]);
    return true;
}

static void set_array(struct arena *a, struct str_list *target, str text, bool first)
{
    if (first)
        *target = (struct str_list){0};
    VEC_PUSH(a, target, text);
}

/* ---- Any. ---- */

const char *option_nearest(const char *const *choices, str text)
{
    const char *best = NULL;
    size_t least = near_max(text) + 1;

    for (size_t i = 0; choices[i]; i++) {
        bool begun = text.len >= 2 && str_has_prefix(str_c(choices[i]), text);
        size_t distance = begun ? 1 : str_distance(text, str_c(choices[i]));
        if (distance < least) {
            least = distance;
            best = choices[i];
        }
    }
    return best;
}

static bool check_choice(const struct option *o, str text, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    const char *const *choices = option_choices(o);
    if (!choices || o->open)
        return true;
    for (size_t i = 0; choices[i]; i++) {
        if (str_eq(text, str_c(choices[i])))
            return true;
        buf_fmt(&b, "%s%s", i ? ", " : "", choices[i]);
    }
    const char *near = option_nearest(choices, text);
    if (near)
        buf_fmt(&b, "; did you mean %s?", near);
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
        return set_duration(target, text, e);
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

void options_defaults(struct arena *a, const struct option *options, size_t count, void *values)
{
    for (size_t i = 0; i < count; i++) {
        const struct option *o = &options[i];
        void *target = (char *)values + o->offset;
        bool ok = !o->value || option_set(a, o, target, str_c(o->value), true, NULL);
        assert(ok);
        (void)ok;
    }
}
