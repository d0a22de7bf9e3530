/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - plumb help: describes commands and template functions. */
#include "cli/commands.h"

struct help_values {
    str output;
};

static const char *const formats[] = {"man", "markdown", "text", NULL};

static const struct option help_options[] = {
    {"output", 'o', OPTION_STRING, offsetof(struct help_values, output), .value = "text",
     .help = "Write as `FORMAT`: text, man (a page of the manual) or, for functions, markdown",
     .choices = formats},
};

static bool help_topic(struct buf *out, str name, bool man, struct err *e)
{
    const struct command *topic = command_find(name), *near = command_suggest(name);

    if (topic) {
        (man ? man_command : help_command)(out, topic);
        return true;
    }
    if (near)
        return err_set(e, ERR_USAGE, "unknown command \"%.*s\"; did you mean \"%s\"?",
                       STR_ARG(name), near->name);
    return err_set(e, ERR_USAGE, "unknown command \"%.*s\"", STR_ARG(name));
}

static bool cmd_help(struct call *c, struct err *e)
{
    const struct help_values *v = c->values;
    struct buf text = buf_new(c->arena, BUF_UNLIMITED);
    bool functions = c->arg_count && str_eq(c->args[0], STR("functions")), ok = true;
    bool man = str_eq(v->output, STR("man"));

    if (c->arg_count > 1 && !functions)
        return err_set(e, ERR_USAGE, "accepts at most 1 argument, received %zu", c->arg_count);
    if (functions)
        ok = help_functions(c->arena, &text, c->arg_count > 1 ? c->args[1] : STR_NONE,
                            str_eq(v->output, STR("markdown")), e);
    else if (c->arg_count)
        ok = help_topic(&text, c->args[0], man, e);
    else
        (man ? man_overview : help_overview)(&text);
    if (ok)
        output_add(c->out, buf_str(&text));
    return ok;
}

/* The commands, and the only topic that is not a command. */
static const char *const *help_words(struct arena *a)
{
    const char *const *names = command_names(a);
    VEC(const char *) words = {0};

    for (size_t i = 0; names[i]; i++) {
        if (words.len == i && strcmp(names[i], "functions") > 0)
            VEC_PUSH(a, &words, "functions");
        VEC_PUSH(a, &words, names[i]);
    }
    VEC_PUSH(a, &words, NULL);
    return words.items;
}

const struct command command_help = {
    .name = "help",
    .args = "[COMMAND | functions [NAME]]",
    .brief = "Show what a command does",
    .help = "Without a name, lists all commands. The same text is shown by\n"
            "'plumb COMMAND --help'.\n"
            "\n"
            "'plumb help functions' lists the functions of templates, with a name it shows\n"
            "the type of one and an example.\n",
    .examples = "  plumb help\n"
                "  plumb help diff\n"
                "  plumb help functions trimSuffix\n"
                "  plumb help -o man compare | man -l -\n",
    .options = help_options,
    .option_count = COUNT(help_options),
    .values_size = sizeof(struct help_values),
    .args_max = 2,
    .words = help_words,
    .run = cmd_help,
};
