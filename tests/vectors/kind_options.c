/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_options.c - command lines as pflag reads them, over the table of options below.
 *
 *   args      the command line
 *   mixed     options and words may be mixed; else the first word ends the options
 *   kubectl   names are normalised as kubectl does
 *   want      all values; words, and how many stood before "--" (-1: none); names that were given
 *   err       the error text instead
 */
#include "vectors.h"

#include "cli/options/options.h"
#include "text/json/json.h"

struct values {
    bool all, big_name;
    int64_t duration, num, verbose;
    str opt, output;
    struct str_list array, list;
};

static const struct option table[] = {
    {"all", 'a', OPTION_BOOL, offsetof(struct values, all), .help = ""},
    {"array", 'r', OPTION_ARRAY, offsetof(struct values, array), .help = ""},
    {"big-name", 'b', OPTION_BOOL, offsetof(struct values, big_name), .value = "true", .help = ""},
    {"duration", 'd', OPTION_DURATION, offsetof(struct values, duration), .value = "1m30s",
     .help = ""},
    {"list", 'l', OPTION_STRINGS, offsetof(struct values, list), .value = "x,y", .help = ""},
    {"num", 'n', OPTION_INT, offsetof(struct values, num), .value = "4", .help = ""},
    {"opt", 0, OPTION_STRING, offsetof(struct values, opt), .bare = "dflt", .help = ""},
    {"output", 'o', OPTION_STRING, offsetof(struct values, output), .value = "a\"b", .help = ""},
    {"verbose", 'v', OPTION_COUNT, offsetof(struct values, verbose), .help = ""},
};

static struct value *list_of(struct arena *a, const str *items, size_t count)
{
    struct value *list = value_list(a);

    for (size_t i = 0; i < count; i++)
        value_add(a, list, value_string(a, items[i]));
    return list;
}

static struct value *value_of(struct arena *a, const struct option *o, const void *values)
{
    const void *at = (const char *)values + o->offset;
    const struct str_list *list = at;

    switch (o->type) {
    case OPTION_BOOL:
        return value_bool(a, *(const bool *)at);
    case OPTION_COUNT:
    case OPTION_DURATION:
    case OPTION_INT:
        return value_int(a, *(const int64_t *)at);
    case OPTION_STRING:
        return value_string(a, *(const str *)at);
    case OPTION_STRINGS:
    case OPTION_ARRAY:
        break;
    }
    return list_of(a, list->items, list->len);
}

static struct value *result_of(struct arena *a, const struct options *o, const struct values *v)
{
    struct value *result = value_object(a), *given = value_list(a);
    bool dash = o->words_before_dash != STR_NPOS;

    for (size_t i = 0; i < COUNT(table); i++) {
        str name = str_c(table[i].name);
        value_set(a, result, name, value_of(a, &table[i], v));
        if (options_given(o, name))
            value_add(a, given, value_string(a, name));
    }
    value_set(a, result, STR("words"), list_of(a, o->words, o->word_count));
    value_set_int(a, result, STR("dash"), dash ? (int64_t)o->words_before_dash : -1);
    value_set(a, result, STR("given"), given);
    return result;
}

static char **argv_of(struct arena *a, const struct value *args)
{
    char **argv = ARENA_ARRAY(a, char *, value_len(args) + 1);

    for (size_t i = 0; i < value_len(args); i++)
        argv[i] = str_z(a, value_str(value_at(args, i)));
    return argv;
}

static str text_of(struct arena *a, const struct value *v)
{
    static const struct json_style sorted = {.sorted = true};
    struct buf out = buf_new(a, BUF_UNLIMITED);

    return v && json_write(&out, v, &sorted, NULL) ? buf_str(&out) : STR("nothing");
}

static bool is_set(const struct value *vector, str key)
{
    const struct value *member = value_get(vector, key);

    return value_is(member, VALUE_BOOL) && member->truth;
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    AUTO_ERR e = {0};
    struct options o = options_new(a);
    struct values v = {0};
    const struct value *args = value_get(vector, STR("args"));
    const struct value *want = value_get(vector, STR("want"));
    struct value *got;

    o.stop_at_word = !is_set(vector, STR("mixed"));
    o.kubectl = is_set(vector, STR("kubectl"));
    options_defaults(a, table, COUNT(table), &v);
    options_add(&o, table, COUNT(table), &v);
    if (!options_parse(&o, value_len(args), argv_of(a, args), &e)) {
        str err = value_get_str(vector, STR("err"));
        return (!want && str_eq(e.text, err)) || vector_differs(why, "err", e.text, err);
    }
    got = result_of(a, &o, &v);
    return value_equal(got, want) || vector_differs(why, "want", text_of(a, got), text_of(a, want));
}

const struct vector_kind vector_options = {
    .name = "options",
    .help = "command lines as pflag reads them",
    .run = run,
};
