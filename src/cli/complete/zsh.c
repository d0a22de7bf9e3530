/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zsh.c - the completion script for zsh: specifications for its function _arguments.
 */
#include "cli/complete/completion.h"

struct writer {
    struct arena *arena;
    struct buf *out;
    const char *indent;
};

/* A description is in single quotes, inside brackets, and before a colon. */
static void add_escaped(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\'')
            buf_add(out, STR("'\\'"));
        else if (c == ':' || c == '[' || c == ']' || c == '\\')
            buf_char(out, '\\');
        buf_char(out, c);
    }
}

/* ":message:action" for the value of an option. */
static void add_action(struct buf *out, const struct option *o)
{
    str name = option_value_name(o, false);

    const char *const *choices = option_choices(o);

    if (option_bare(o) && !choices)
        return;
    buf_fmt(out, ":%.*s:", STR_ARG(name));
    if (choices) {
        buf_char(out, '(');
        for (size_t i = 0; choices[i]; i++)
            buf_fmt(out, "%s%s", i ? " " : "", choices[i]);
        buf_char(out, ')');
    } else if (o->complete != COMPLETE_NOTHING) {
        buf_add(out, o->complete == COMPLETE_FILES ? STR("_files") : STR("_files -/"));
    }
}

static void add_spec(struct writer *w, const struct option *o, str name)
{
    buf_fmt(w->out, "%s'", w->indent);
    if (o->type == OPTION_ARRAY || o->type == OPTION_STRINGS || o->type == OPTION_COUNT)
        buf_char(w->out, '*');
    else if (o->letter)
        buf_fmt(w->out, "(-%c --%s)", o->letter, o->name);
    buf_add(w->out, name);
    if (!option_bare(o) && name.len > 2)
        buf_char(w->out, '=');
    buf_char(w->out, '[');
    add_escaped(w->out, option_help_text(w->arena, o));
    buf_char(w->out, ']');
    add_action(w->out, o);
    buf_add(w->out, STR("' \\\n"));
}

static void add_option(void *ctx, const struct option *o)
{
    struct writer *w = ctx;

    if (o->letter)
        add_spec(w, o, str_fmt(w->arena, "-%c", o->letter));
    add_spec(w, o, str_fmt(w->arena, "--%s", o->name));
}

static void add_command(struct writer *w, const struct command *c)
{
    buf_fmt(w->out, "        %s)\n            _arguments -s \\\n", c->name);
    completion_each_option(c, add_option, w);
    if (c->words) {
        const char *const *words = c->words(w->arena);
        buf_fmt(w->out, "%s'1:word:(", w->indent);
        for (size_t i = 0; words[i]; i++)
            buf_fmt(w->out, "%s%s", i ? " " : "", words[i]);
        buf_add(w->out, c->complete == COMPLETE_NOTHING ? STR(")'\n") : STR(")' \\\n"));
    }
    if (c->complete != COMPLETE_NOTHING)
        buf_fmt(w->out, "%s'*:file:_files'\n", w->indent);
    else if (!c->words)
        buf_fmt(w->out, "%s&& return 0\n", w->indent);
    buf_add(w->out, STR("            ;;\n"));
}

void completion_zsh(struct buf *out)
{
    AUTO_ARENA a = arena_new();
    struct writer w = {.arena = a, .out = out, .indent = "        "};

    buf_add(out, STR("#compdef plumb\n"
                     "# Completion of plumb for zsh. Written by 'plumb completion zsh'.\n"
                     "\n"
                     "_plumb_commands() {\n"
                     "    local -a commands=(\n"));
    for (size_t i = 0; commands[i]; i++) {
        buf_fmt(out, "        '%s:", commands[i]->name);
        add_escaped(out, str_c(commands[i]->brief));
        buf_add(out, STR("'\n"));
    }
    buf_add(out, STR("    )\n"
                     "    _describe -t commands command commands\n"
                     "}\n"
                     "\n"
                     "_plumb() {\n"
                     "    local curcontext=$curcontext state line\n"
                     "    typeset -A opt_args\n"
                     "\n"
                     "    _arguments -s -C \\\n"));
    completion_each_option(NULL, add_option, &w);
    buf_add(out, STR("        '1:command:_plumb_commands' \\\n"
                     "        '*::argument:->argument' && return 0\n"
                     "    [[ $state == argument ]] || return 1\n"
                     "    case $line[1] in\n"));
    w.indent = "                ";
    for (size_t i = 0; commands[i]; i++)
        add_command(&w, commands[i]);
    buf_add(out, STR("    esac\n"
                     "}\n"
                     "\n"
                     "if [[ $funcstack[1] == _plumb ]]; then\n"
                     "    _plumb \"$@\"\n"
                     "else\n"
                     "    compdef _plumb plumb\n"
                     "fi\n"));
}
