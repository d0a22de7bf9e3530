/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - help texts, derived from the table of commands. */
#include "cli/commands.h"
#include "cli/options/kube.h"

#define PAGE_WIDTH 80

void help_overview(struct buf *out)
{
    size_t widest = 0;

    for (size_t i = 0; commands[i]; i++)
        if (strlen(commands[i]->name) > widest)
            widest = strlen(commands[i]->name);
    buf_add(out, STR("plumb reads, compares and changes configuration in YAML and JSON.\n"
                     "\n"
                     "Usage:\n"
                     "  plumb [OPTION...] COMMAND [OPTION...] [ARGUMENT...]\n"
                     "\n"
                     "Commands:\n"));
    for (size_t i = 0; commands[i]; i++)
        buf_fmt(out, "  %-*s   %s\n", (int)widest, commands[i]->name, commands[i]->brief);
    buf_add(out, STR("\nOptions:\n"));
    options_usage(out, global_options, global_option_count, PAGE_WIDTH);
    buf_add(out, STR("\n"
                     "Exit status: 0 when all is well, 1 when the answer is \"different\" or \"not "
                     "there\",\n"
                     "2 when something went wrong.\n"
                     "\n"
                     "Run 'plumb help COMMAND' for more about a command.\n"));
}

const struct option *help_globals(struct arena *a, const struct command *c)
{
    struct option *out = ARENA_ARRAY(a, struct option, global_option_count);

    memcpy(out, global_options, global_option_count * sizeof(*out));
    for (size_t i = 0; i < global_option_count; i++)
        for (size_t k = 0; k < c->option_count; k++) {
            out[i].hidden |= str_eq(str_c(out[i].name), str_c(c->options[k].name));
            if (out[i].letter == c->options[k].letter)
                out[i].letter = 0;
        }
    return out;
}

void help_usage(struct buf *out, const struct command *c)
{
    buf_fmt(out, "Usage:\n  plumb %s [OPTION...]%s%s\n", c->name, *c->args ? " " : "", c->args);
}

void help_command(struct buf *out, const struct command *c)
{
    AUTO_ARENA a = arena_new();

    buf_fmt(out, "%s.\n\n", c->brief);
    help_usage(out, c);
    buf_char(out, '\n');
    buf_add(out, str_c(c->help));
    if (c->option_count) {
        buf_add(out, STR("\nOptions:\n"));
        options_usage(out, c->options, c->option_count, PAGE_WIDTH);
    }
    if (c->connects) {
        buf_add(out, STR("\nOptions for the connection to a cluster:\n"));
        options_usage(out, kube_options, kube_option_count, PAGE_WIDTH);
    }
    buf_add(out, STR("\nOptions of all commands:\n"));
    options_usage(out, help_globals(a, c), global_option_count, PAGE_WIDTH);
    buf_fmt(out, "\nExamples:\n%s", c->examples);
}
