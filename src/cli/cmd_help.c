/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_help.c - plumb help: what a command does.
 */
#include "cli/commands.h"

static bool cmd_help(struct call *c, struct err *e)
{
    struct buf text = buf_new(c->arena, BUF_UNLIMITED);
    const struct command *topic = NULL, *near;

    if (c->arg_count) {
        topic = command_find(c->args[0]);
        near = command_suggest(c->args[0]);
        if (!topic && near)
            return err_set(e, ERR_USAGE, "unknown command \"%.*s\"; did you mean \"%s\"?",
                           STR_ARG(c->args[0]), near->name);
        if (!topic)
            return err_set(e, ERR_USAGE, "unknown command \"%.*s\"", STR_ARG(c->args[0]));
    }
    if (topic)
        help_command(&text, topic);
    else
        help_overview(&text);
    output_add(c->out, buf_str(&text));
    return true;
}

const struct command command_help = {
    .name = "help",
    .args = "[COMMAND]",
    .brief = "Show what a command does",
    .help = "Without a name, lists all commands. The same text is shown by\n"
            "'plumb COMMAND --help'.\n",
    .examples = "  plumb help\n"
                "  plumb help diff\n",
    .args_max = 1,
    .words = command_names,
    .run = cmd_help,
};
