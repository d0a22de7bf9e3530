/* SPDX-License-Identifier: Apache-2.0 */
/* cobra.c - runs a program the way cobra does. */
#include "cli/compat/cobra.h"

#include <unistd.h>

/* The flags that cobra adds. */
struct own_values {
    bool help, version;
};
enum { OWN_OPTIONS = 2 };

static int by_name(const void *x, const void *y)
{
    const struct option *a = x, *b = y;

    return strcmp(a->name, b->name);
}

static bool letter_is_taken(const struct cobra *c, char letter)
{
    for (size_t i = 0; i < c->option_count; i++)
        if (c->options[i].letter == letter)
            return true;
    return false;
}

static void own_options(struct arena *a, const struct cobra *c, struct option *out)
{
    out[0] = (struct option){"help", 'h', OPTION_BOOL, offsetof(struct own_values, help),
                             .help = str_z(a, str_fmt(a, "help for %s", c->name))};
    out[1] = (struct option){"version", letter_is_taken(c, 'v') ? 0 : 'v', OPTION_BOOL,
                             offsetof(struct own_values, version),
                             .help = str_z(a, str_fmt(a, "version for %s", c->name))};
}

/* All flags in alphabetical order. */
static void add_usage(struct buf *out, const struct cobra *c, const struct option *own)
{
    size_t count = c->option_count + OWN_OPTIONS;
    struct option *all = ARENA_ARRAY(out->arena, struct option, count);

    memcpy(all, c->options, c->option_count * sizeof(*all));
    memcpy(all + c->option_count, own, OWN_OPTIONS * sizeof(*all));
    qsort(all, count, sizeof(*all), by_name);
    buf_fmt(out, "Usage:\n  %s [flags]\n\nFlags:\n", c->usage);
    options_usage(out, all, count, 0);
}

static bool print(int fd, str text)
{
    return file_write_fd(fd, STR("output"), text, NULL);
}

static int fail(struct arena *a, const struct cobra *c, const struct option *own,
                const struct err *e)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&out, "Error: %.*s\n", STR_ARG(e->text));
    add_usage(&out, c, own);
    buf_fmt(&out, "\nThere was an error: '%.*s'", STR_ARG(e->text));
    (void)print(STDERR_FILENO, buf_str(&out));
    return 1;
}

static int show_help(struct arena *a, const struct cobra *c, const struct option *own)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&out, "%s\n\n", c->help);
    add_usage(&out, c, own);
    return print(STDOUT_FILENO, buf_str(&out)) ? 0 : 1;
}

int cobra_run(const struct cobra *c, size_t argc, char *const *argv)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct own_values own = {0};
    struct option own_table[OWN_OPTIONS];
    void *values = arena_alloc(a, c->values_size);
    struct options o = options_new(a);

    own_options(a, c, own_table);
    options_defaults(a, c->options, c->option_count, values);
    options_add(&o, c->options, c->option_count, values);
    options_add(&o, own_table, OWN_OPTIONS, &own);
    if (!options_parse(&o, argc, argv, &e))
        return fail(a, c, own_table, &e);
    if (own.help)
        return show_help(a, c, own_table);
    if (own.version)
        return print(STDOUT_FILENO, str_fmt(a, "%s version %s (plumb)\n", c->name, PLUMB_VERSION))
                   ? 0
                   : 1;
    return c->run(a, values, &e) ? 0 : fail(a, c, own_table, &e);
}
