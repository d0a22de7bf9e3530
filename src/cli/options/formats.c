/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formats.c - what options say of the formats of reports; see formats.h.
 */
#include "cli/options/formats.h"
#include "report/report.h"

#define FORMATS_MAX 32
#define HELP_MAX 1024

struct names {
    const char *items[FORMATS_MAX + 1]; /* ends with NULL */
    size_t len;
};

static int compare_names(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static bool is_in(const struct report_format *f, enum format_set set)
{
    switch (set) {
    case FORMATS_SINGLE:
        return f->write;
    case FORMATS_FLEET:
        return f->write_fleet;
    case FORMATS_ONLY_SINGLE:
        return f->write && !f->write_fleet;
    case FORMATS_ONLY_FLEET:
        return f->write_fleet && !f->write;
    }
    return false;
}

static void add_names(struct names *out, enum format_set set, bool from_json)
{
    for (size_t i = 0; report_formats[i]; i++) {
        const struct report_format *f = report_formats[i];
        assert(out->len < FORMATS_MAX);
        if (is_in(f, set) && (!from_json || f->endings))
            out->items[out->len++] = f->name;
    }
    if (from_json)
        qsort(out->items, out->len, sizeof(*out->items), compare_names);
}

str format_list(struct arena *a, enum format_set set, bool from_json, const char *word)
{
    struct names names = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED);

    add_names(&names, set, from_json);
    for (size_t i = 0; i < names.len; i++)
        buf_fmt(&out, "%s%s", !i ? "" : i + 1 == names.len ? word : ", ", names.items[i]);
    return buf_str(&out);
}

/* Choices and helps are made when they are first asked for, and kept. */
static void keep(char help[HELP_MAX], const struct buf *text)
{
    assert(text->len < HELP_MAX);
    memcpy(help, text->data, text->len);
}

/* ---- compare -o. ---- */

static const char *const *compare_choices(void)
{
    static struct names names;

    if (!names.len) {
        add_names(&names, FORMATS_SINGLE, false);
        add_names(&names, FORMATS_ONLY_FLEET, false);
    }
    return names.items;
}

static const char *compare_help(void)
{
    static char help[HELP_MAX];
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (!help[0]) {
        buf_fmt(&b, "Write the report as `FORMAT`: %.*s; with --fleet also %.*s, but not %.*s",
                STR_ARG(format_list(a, FORMATS_SINGLE, false, " or ")),
                STR_ARG(format_list(a, FORMATS_ONLY_FLEET, false, " and ")),
                STR_ARG(format_list(a, FORMATS_ONLY_SINGLE, false, " and ")));
        keep(help, &b);
    }
    return help;
}

const struct option_words format_words_compare = {compare_choices, compare_help};

/* ---- report -F. ---- */

static const char *const *report_choices(void)
{
    static struct names names;

    if (!names.len) {
        add_names(&names, FORMATS_SINGLE, true);
        add_names(&names, FORMATS_ONLY_FLEET, true);
    }
    return names.items;
}

static const char *report_help(void)
{
    static char help[HELP_MAX];
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (!help[0]) {
        buf_fmt(&b,
                "Write as `FORMAT`: %.*s, of a fleet %.*s too, but not %.*s; by default as the "
                "name of the output ends, or junit, of a fleet html",
                STR_ARG(format_list(a, FORMATS_SINGLE, true, " or ")),
                STR_ARG(format_list(a, FORMATS_ONLY_FLEET, true, " and ")),
                STR_ARG(format_list(a, FORMATS_ONLY_SINGLE, true, " and ")));
        keep(help, &b);
    }
    return help;
}

const struct option_words format_words_report = {report_choices, report_help};
