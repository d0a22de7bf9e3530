/* SPDX-License-Identifier: Apache-2.0 */
/* formats.c - texts about report formats for options; see formats.h. */
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

/* ---- The texts of an option for formats: made on first use, and kept. ---- */

struct format_words {
    bool from_json;
    const char *intro, *fleet, *rest; /* of its help */
    struct names names;
    char help[HELP_MAX];
};

static const char *const *format_choices(void *of)
{
    struct format_words *w = of;

    if (!w->names.len) {
        add_names(&w->names, FORMATS_SINGLE, w->from_json);
        add_names(&w->names, FORMATS_ONLY_FLEET, w->from_json);
    }
    return w->names.items;
}

static const char *format_help(void *of)
{
    AUTO_ARENA a = arena_new();
    struct format_words *w = of;
    struct buf b = buf_new(a, HELP_MAX);

    if (!w->help[0]) {
        buf_fmt(&b, "%s `FORMAT`: %.*s; %s also %.*s, but not %.*s%s", w->intro,
                STR_ARG(format_list(a, FORMATS_SINGLE, w->from_json, " or ")), w->fleet,
                STR_ARG(format_list(a, FORMATS_ONLY_FLEET, w->from_json, " and ")),
                STR_ARG(format_list(a, FORMATS_ONLY_SINGLE, w->from_json, " and ")), w->rest);
        assert(b.len < HELP_MAX);
        memcpy(w->help, b.data, b.len);
    }
    return w->help;
}

static struct format_words compare = {
    .intro = "Write the report as", .fleet = "with --fleet", .rest = ""};
static struct format_words report = {
    .from_json = true,
    .intro = "Write as",
    .fleet = "of a fleet",
    .rest = "; by default as the name of the output ends, or junit, of a fleet html"};

const struct option_words format_words_compare = {format_choices, format_help, &compare};
const struct option_words format_words_report = {format_choices, format_help, &report};
