/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_complete.c - completion as the original answers it: the hidden command __complete, which
 * its shell scripts ask, and the scripts themselves.
 */
#include "cli/compat.h"

/* What the shell should do with the candidates; the numbers are part of the protocol. */
enum directive { DIRECTIVE_DEFAULT = 0, DIRECTIVE_NO_FILES = 4, DIRECTIVE_EXTENSIONS = 8 };

static const char *directive_name(enum directive d)
{
    switch (d) {
    case DIRECTIVE_NO_FILES:
        return "ShellCompDirectiveNoFileComp";
    case DIRECTIVE_EXTENSIONS:
        return "ShellCompDirectiveFilterFileExt";
    case DIRECTIVE_DEFAULT:
        break;
    }
    return "ShellCompDirectiveDefault";
}

struct completion {
    struct arena *arena;
    bool describe;
    struct buf *out;
    bool given[32]; /* options that stand earlier in the line */
};

static const char *const extensions[] = {"json", "yaml", "yml", NULL};
static const char *const outputs[] = {"json", "yaml", "generate-patches", "junit", NULL};
static const char *const shells[] = {"bash", "fish", "powershell", "zsh", NULL};

static void add_words(struct completion *c, const char *const *words, str prefix)
{
    for (size_t i = 0; words[i]; i++)
        if (str_has_prefix(str_c(words[i]), prefix))
            buf_fmt(c->out, "%s\n", words[i]);
}

static void add_shells(struct completion *c, str prefix)
{
    for (size_t i = 0; shells[i]; i++) {
        if (!str_has_prefix(str_c(shells[i]), prefix))
            continue;
        buf_add(c->out, str_c(shells[i]));
        if (c->describe)
            buf_fmt(c->out, "\tGenerate the autocompletion script for %s", shells[i]);
        buf_char(c->out, '\n');
    }
}

/* ---- Options. ---- */

static const struct option *by_name(str name)
{
    for (size_t i = 0; i < compat_option_count; i++)
        if (str_eq(name, str_c(compat_options[i].name)))
            return &compat_options[i];
    return NULL;
}

static const struct option *by_letter(char letter)
{
    for (size_t i = 0; i < compat_option_count; i++)
        if (compat_options[i].letter && compat_options[i].letter == letter)
            return &compat_options[i];
    return NULL;
}

/* The option that a word names; *needs_value: its value is the next word. */
static const struct option *named_by(str word, bool *needs_value)
{
    const struct option *o = NULL;
    str name, value;
    bool has_value = str_cut(word, STR("="), &name, &value);

    if (str_has_prefix(name, STR("--")))
        o = by_name(str_from(name, 2));
    else if (name.len > 1 && name.ptr[0] == '-')
        o = by_letter(name.ptr[name.len - 1]);
    *needs_value = o && o->type != OPTION_BOOL && !has_value;
    return o;
}

static enum directive complete_value(struct completion *c, const struct option *o, str prefix)
{
    if (strcmp(o->name, "output") == 0) {
        add_words(c, outputs, prefix);
        return DIRECTIVE_NO_FILES;
    }
    if (strcmp(o->name, "filename") == 0) {
        add_words(c, extensions, STR(""));
        return DIRECTIVE_EXTENSIONS;
    }
    return DIRECTIVE_DEFAULT;
}

static void add_option(struct completion *c, str spelling, const struct option *o)
{
    buf_add(c->out, spelling);
    if (c->describe)
        buf_fmt(c->out, "\t%s", o->help);
    buf_char(c->out, '\n');
}

static enum directive complete_option(struct completion *c, str prefix)
{
    for (size_t i = 0; i < compat_option_count; i++) {
        const struct option *o = &compat_options[i];
        str name = str_fmt(c->arena, "--%s", o->name);
        if (o->hidden || (c->given[i] && o->type != OPTION_STRINGS))
            continue;
        if (str_has_prefix(name, prefix))
            add_option(c, name, o);
        name = str_fmt(c->arena, "-%c", o->letter);
        if (o->letter && str_has_prefix(name, prefix))
            add_option(c, name, o);
    }
    return DIRECTIVE_NO_FILES;
}

static enum directive complete_last(struct completion *c, size_t argc, char *const *argv)
{
    str last = str_c(argc ? argv[argc - 1] : ""), value;
    bool needs_value = false, words_only = false;
    const struct option *o = NULL;

    for (size_t i = 0; i + 1 < argc; i++) {
        str word = str_c(argv[i]);
        if (needs_value) {
            needs_value = false;
            continue;
        }
        words_only |= str_eq(word, STR("--"));
        o = words_only ? NULL : named_by(word, &needs_value);
        if (o)
            c->given[o - compat_options] = true;
    }
    if (needs_value)
        return complete_value(c, o, last);
    if (words_only || !str_has_prefix(last, STR("-")))
        return DIRECTIVE_DEFAULT;
    if (!str_cut(last, STR("="), &last, &value))
        return complete_option(c, last);
    o = named_by(last, &needs_value);
    return o && needs_value ? complete_value(c, o, value) : DIRECTIVE_DEFAULT;
}

void compat_complete(struct arena *a, size_t argc, char *const *argv, bool describe,
                     struct buf *out, struct buf *note)
{
    struct completion c = {.arena = a, .describe = describe, .out = out};
    enum directive d;

    assert(compat_option_count <= COUNT(c.given));
    if (argc > 1 && strcmp(argv[0], "completion") == 0) {
        if (argc == 2)
            add_shells(&c, str_c(argv[1]));
        d = DIRECTIVE_NO_FILES;
    } else {
        d = complete_last(&c, argc, argv);
    }
    buf_fmt(out, ":%d\n", d);
    buf_fmt(note, "Completion ended with directive: %s\n", directive_name(d));
}

/* ---- Scripts. ---- */

static const char bash_script[] =
    "# bash completion for cluster-compare\n"
    "__cluster_compare_complete() {\n"
    "    local answer directive cur=${COMP_WORDS[COMP_CWORD]}\n"
    "    answer=$(\"${COMP_WORDS[0]}\" __completeNoDesc \"${COMP_WORDS[@]:1:COMP_CWORD}\" "
    "2>/dev/null)\n"
    "    directive=${answer##*:}\n"
    "    answer=${answer%:*}\n"
    "    case $directive in\n"
    "    8) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\" | grep -E "
    "\"\\.($(echo $answer | tr ' ' '|'))\\$\"; compgen -d -- \"$cur\") ;;\n"
    "    0) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
    "    *) mapfile -t COMPREPLY < <(compgen -W \"$answer\" -- \"$cur\") ;;\n"
    "    esac\n"
    "}\n"
    "complete -o filenames -F __cluster_compare_complete cluster-compare kubectl-cluster_compare "
    "oc-cluster_compare\n";

static const char zsh_script[] =
    "#compdef cluster-compare kubectl-cluster_compare oc-cluster_compare\n"
    "_cluster_compare() {\n"
    "    local -a lines described\n"
    "    local line directive\n"
    "    lines=(\"${(@f)$(${words[1]} __complete ${words[2,CURRENT]} 2>/dev/null)}\")\n"
    "    directive=${lines[-1]#:}\n"
    "    for line in ${lines[1,-2]}; do described+=(\"${${line//:/\\\\:}/$'\\t'/:}\"); done\n"
    "    if [[ $directive == 8 || $directive == 0 ]]; then _files; else _describe values "
    "described; fi\n"
    "}\n"
    "compdef _cluster_compare cluster-compare kubectl-cluster_compare oc-cluster_compare\n";

static const char fish_script[] =
    "# fish completion for cluster-compare\n"
    "function __cluster_compare_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    $words[1] __complete $words[2..-1] 2>/dev/null | string match -v ':*'\n"
    "end\n"
    "for name in cluster-compare kubectl-cluster_compare oc-cluster_compare\n"
    "    complete -c $name -a '(__cluster_compare_complete)'\n"
    "end\n";

static const char powershell_script[] =
    "# powershell completion for cluster-compare\n"
    "Register-ArgumentCompleter -Native -CommandName cluster-compare,kubectl-cluster_compare,"
    "oc-cluster_compare -ScriptBlock {\n"
    "    param($word, $ast, $position)\n"
    "    $words = @($ast.CommandElements | ForEach-Object { \"$_\" })\n"
    "    $rest = @($words | Select-Object -Skip 1)\n"
    "    if (-not $word) { $rest += '\"\"' }\n"
    "    & $words[0] __completeNoDesc @rest 2>$null | Where-Object { $_ -notlike ':*' } |\n"
    "        ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }\n"
    "}\n";

bool compat_script(str shell, struct buf *out)
{
    static const char *const scripts[] = {bash_script, fish_script, powershell_script, zsh_script};

    for (size_t i = 0; shells[i]; i++)
        if (str_eq(shell, str_c(shells[i]))) {
            buf_add(out, str_c(scripts[i]));
            return true;
        }
    return false;
}
