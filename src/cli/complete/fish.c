/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fish.c - the completion script for fish: one complete line per command and option.
 */
#include "cli/complete/completion.h"

struct writer {
    struct arena *arena;
    struct buf *out;
    const char *command; /* NULL: before a command is given */
};

/* Fish knows two escapes inside single quotes. */
static void add_quoted(struct buf *out, str text)
{
    buf_char(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'' || text.ptr[i] == '\\')
            buf_char(out, '\\');
        buf_char(out, text.ptr[i]);
    }
    buf_char(out, '\'');
}

static void add_condition(struct writer *w)
{
    if (w->command)
        buf_fmt(w->out, "complete -c plumb -n '__fish_seen_subcommand_from %s'", w->command);
    else
        buf_add(w->out, STR("complete -c plumb -n __fish_use_subcommand"));
}

static void add_words(struct buf *out, const char *const *words)
{
    buf_add(out, STR(" -a '"));
    for (size_t i = 0; words[i]; i++)
        buf_fmt(out, "%s%s", i ? " " : "", words[i]);
    buf_char(out, '\'');
}

static void add_option(void *ctx, const struct option *o)
{
    struct writer *w = ctx;

    add_condition(w);
    buf_fmt(w->out, " -l %s", o->name);
    if (o->letter)
        buf_fmt(w->out, " -s %c", o->letter);
    const char *const *choices = option_choices(o);
    if (choices || (!option_bare(o) && o->complete == COMPLETE_NOTHING))
        buf_add(w->out, STR(" -x"));
    else if (!option_bare(o))
        buf_add(w->out, STR(" -r -F"));
    if (choices)
        add_words(w->out, choices);
    buf_add(w->out, STR(" -d "));
    add_quoted(w->out, option_help_text(w->arena, o));
    buf_char(w->out, '\n');
}

static void add_command(struct writer *w, const struct command *c)
{
    w->command = c->name;
    if (c->words) {
        add_condition(w);
        add_words(w->out, c->words(w->arena));
        buf_char(w->out, '\n');
    }
    if (c->complete != COMPLETE_NOTHING) {
        add_condition(w);
        buf_add(w->out, STR(" -F\n"));
    }
    completion_each_option(c, add_option, w);
}

void completion_fish(struct buf *out)
{
    AUTO_ARENA a = arena_new();
    struct writer w = {.arena = a, .out = out};

    buf_add(out, STR("# Completion of plumb for fish. Written by 'plumb completion fish'.\n"
                     "\n"
                     "complete -c plumb -f\n"));
    for (size_t i = 0; commands[i]; i++) {
        buf_fmt(out, "complete -c plumb -n __fish_use_subcommand -a %s -d ", commands[i]->name);
        add_quoted(out, str_c(commands[i]->brief));
        buf_char(out, '\n');
    }
    completion_each_option(NULL, add_option, &w);
    for (size_t i = 0; commands[i]; i++)
        add_command(&w, commands[i]);
}
