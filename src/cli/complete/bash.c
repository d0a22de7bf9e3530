/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bash.c - the completion script for bash.
 *
 * It is self-contained: the functions of the bash-completion package are not needed. Bash splits
 * words at "=", so --output=x arrives as three words, which the script joins again.
 */
#include "cli/complete/completion.h"
#include "cli/options/kube.h"

struct writer {
    struct buf *out;
    const char *command; /* a pattern for the name of the command */
};

static void add_name(void *ctx, const struct option *o)
{
    struct writer *w = ctx;

    buf_fmt(w->out, " --%s", o->name);
    if (o->letter)
        buf_fmt(w->out, " -%c", o->letter);
}

/* A line for the case statement that completes the value of an option. */
static void add_value(void *ctx, const struct option *o)
{
    struct writer *w = ctx;

    const char *const *choices = option_choices(o);

    if (option_bare(o) && !choices)
        return;
    buf_fmt(w->out, "    %s' --%s'", w->command, o->name);
    if (o->letter)
        buf_fmt(w->out, "|%s' -%c'", w->command, o->letter);
    buf_add(w->out, STR(") "));
    if (choices) {
        buf_add(w->out, STR("_plumb_words '"));
        for (size_t i = 0; choices[i]; i++)
            buf_fmt(w->out, "%s%s", i ? " " : "", choices[i]);
        buf_add(w->out, STR("'; "));
    } else if (o->complete != COMPLETE_NOTHING) {
        buf_fmt(w->out, "_plumb_files -%c; ", o->complete == COMPLETE_FILES ? 'f' : 'd');
    }
    buf_add(w->out, STR("return ;;\n"));
}

/* Options that take a value, so that the value is not taken for the command. */
static void add_valued_global(void *ctx, const struct option *o)
{
    struct writer *w = ctx;

    if (!option_bare(o))
        buf_fmt(w->out, "%s--%s", w->out->data[w->out->len - 1] == ' ' ? "" : "|", o->name);
}

static void add_command(struct writer *w, const struct command *c)
{
    AUTO_ARENA a = arena_new();
    const char *const *words = !c ? command_names(a) : c->words ? c->words(a) : NULL;

    buf_fmt(w->out, "    %s)\n        options='", c ? c->name : "''");
    completion_each_option(c, add_name, w);
    buf_add(w->out, STR("'\n"));
    if (words) {
        buf_add(w->out, STR("        words='"));
        for (size_t i = 0; words[i]; i++)
            buf_fmt(w->out, "%s%s", i ? " " : "", words[i]);
        buf_add(w->out, STR("'\n"));
    }
    if (c && c->complete != COMPLETE_NOTHING) {
        buf_fmt(w->out, "        files=-%c\n", c->complete == COMPLETE_FILES ? 'f' : 'd');
    }
    buf_add(w->out, STR("        ;;\n"));
}

static const char head[] =
    "# Completion of plumb for bash. Written by 'plumb completion bash'.\n"
    "\n"
    "_plumb_words()\n"
    "{\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "_plumb_files()\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "_plumb()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local command= options= words= files= i\n"
    "\n"
    "    COMPREPLY=()\n"
    "    if [[ $cur == '=' ]]; then\n"
    "        cur=\n"
    "    elif [[ $prev == '=' ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n";

static const char middle[] = ") [[ ${COMP_WORDS[i+1]} == '=' ]] && ((i++)); ((i++)) ;;\n"
                             "        -*|=) ;;\n"
                             "        *) command=${COMP_WORDS[i]}; break ;;\n"
                             "        esac\n"
                             "    done\n"
                             "    ((i < COMP_CWORD)) || command=\n"
                             "    case \"$command $prev\" in\n";

static const char tail[] = "    *) return ;;\n"
                           "    esac\n"
                           "    if [[ $cur == -* ]]; then\n"
                           "        _plumb_words \"$options\"\n"
                           "    elif [[ $words && ( ! $files || $i -eq COMP_CWORD-1 ) ]]; then\n"
                           "        _plumb_words \"$words\"\n"
                           "    elif [[ $files ]]; then\n"
                           "        _plumb_files \"$files\"\n"
                           "    fi\n"
                           "}\n"
                           "complete -F _plumb plumb\n";

void completion_bash(struct buf *out)
{
    struct writer w = {.out = out};

    buf_add(out, str_c(head));
    buf_add(out, STR("        "));
    completion_each_option(NULL, add_valued_global, &w);
    buf_add(out, str_c(middle));
    for (size_t i = 0; commands[i]; i++) {
        w.command = commands[i]->name;
        for (size_t k = 0; k < commands[i]->option_count; k++)
            add_value(&w, &commands[i]->options[k]);
        for (size_t k = 0; commands[i]->connects && k < kube_option_count; k++)
            add_value(&w, &kube_options[k]);
    }
    w.command = "*";
    completion_each_option(NULL, add_value, &w);
    buf_add(out, STR("    esac\n    case $command in\n"));
    add_command(&w, NULL);
    for (size_t i = 0; commands[i]; i++)
        add_command(&w, commands[i]);
    buf_add(out, str_c(tail));
}
