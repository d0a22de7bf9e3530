/* SPDX-License-Identifier: Apache-2.0 */
/*
 * man.c - man pages, derived from the table of commands. tools/install-files writes one for each
 * command.
 */
#include "cli/commands.h"
#include "cli/options/kube.h"

#define MAN_WIDTH 78

/* Escapes what roff would take for a command or an escape. */
static void add_roff(struct buf *out, str text)
{
    bool begins = true;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (begins && (c == '.' || c == '\''))
            buf_add(out, STR("\\&"));
        if (c == '\\')
            buf_add(out, STR("\\e"));
        else if (c == '-')
            buf_add(out, STR("\\-"));
        else
            buf_char(out, c);
        begins = c == '\n';
    }
}

/* Adds unchanged lines. */
static void add_lines(struct buf *out, const char *title, str text)
{
    buf_fmt(out, ".SH %s\n.nf\n", title);
    add_roff(out, text);
    buf_add(out, STR(".fi\n"));
}

static void add_options(struct arena *a, struct buf *out, const char *title,
                        const struct option *options, size_t count)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);

    if (!count)
        return;
    options_usage(&text, options, count, MAN_WIDTH);
    add_lines(out, title, buf_str(&text));
}

static void add_title(struct buf *out, str name, const char *brief)
{
    struct arena *a = out->arena;

    buf_fmt(out, ".TH %.*s 1 \"\" \"plumb " PLUMB_VERSION "\" \"plumb\"\n.SH NAME\n",
            STR_ARG(name));
    add_roff(out, str_fmt(a, "%.*s - %s\n", STR_ARG(name), brief));
}

void man_overview(struct buf *out)
{
    AUTO_ARENA a = arena_new();

    add_title(out, STR("plumb"), "compare Kubernetes configuration, and operate Azure resources");
    add_lines(out, "SYNOPSIS", STR("plumb [OPTION...] COMMAND [OPTION...] [ARGUMENT...]\n"));
    buf_add(out, STR(".SH COMMANDS\n"));
    for (size_t i = 0; commands[i]; i++) {
        buf_add(out, STR(".TP\n.B "));
        add_roff(out, str_fmt(a, "plumb-%s(1)\n%s\n", commands[i]->name, commands[i]->brief));
    }
    add_options(a, out, "OPTIONS", global_options, global_option_count);
    add_lines(out, "EXIT STATUS",
              STR("0 when all is well, 1 when the answer is \"different\" or \"not there\",\n"
                  "2 when something went wrong.\n"));
}

void man_command(struct buf *out, const struct command *c)
{
    AUTO_ARENA a = arena_new();

    add_title(out, str_fmt(a, "plumb-%s", c->name), c->brief);
    add_lines(out, "SYNOPSIS",
              str_fmt(a, "plumb %s [OPTION...]%s%s\n", c->name, *c->args ? " " : "", c->args));
    add_lines(out, "DESCRIPTION", str_c(c->help));
    add_options(a, out, "OPTIONS", c->options, c->option_count);
    if (c->connects)
        add_options(a, out, "OPTIONS FOR THE CONNECTION TO A CLUSTER", kube_options,
                    kube_option_count);
    add_options(a, out, "OPTIONS OF ALL COMMANDS", help_globals(a, c), global_option_count);
    add_lines(out, "EXAMPLES", str_c(c->examples));
    buf_add(out, STR(".SH SEE ALSO\n.BR plumb (1)\n"));
}
