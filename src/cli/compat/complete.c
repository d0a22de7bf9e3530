/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete.c - the original's completion: the hidden command __complete, which its shell scripts
 * call, and the scripts themselves.
 */
#include "cli/compat/compat.h"

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
    struct buf *out, *note;
    struct compare_values values;
    struct options options; /* what was given earlier in the line */
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

/* Adds a candidate, with its description if requested. */
static void add_candidate(struct completion *c, str word, str prefix, str description)
{
    if (!str_has_prefix(word, prefix))
        return;
    buf_add(c->out, word);
    if (c->describe)
        buf_fmt(c->out, "\t%.*s", STR_ARG(description));
    buf_char(c->out, '\n');
}

/* ---- The command completion. ---- */

static bool is_shell(str word)
{
    for (size_t i = 0; shells[i]; i++)
        if (str_eq(word, str_c(shells[i])))
            return true;
    return false;
}

/* The options of the command, and those of its shells. */
static void add_completion_options(struct completion *c, str command, str prefix)
{
    str help = str_fmt(c->arena, "help for %.*s", STR_ARG(command));

    add_candidate(c, STR("--help"), prefix, help);
    add_candidate(c, STR("-h"), prefix, help);
    if (is_shell(command))
        add_candidate(c, STR("--no-descriptions"), prefix, STR("disable completion descriptions"));
}

static enum directive complete_completion(struct completion *c, size_t argc, char *const *argv)
{
    str last = str_c(argv[argc - 1]), before = str_c(argv[argc - 2]);

    if (argc > 3 || (argc == 3 && !is_shell(before)))
        return DIRECTIVE_NO_FILES;
    if (str_has_prefix(last, STR("-")))
        add_completion_options(c, before, last);
    for (size_t i = 0; argc == 2 && shells[i]; i++)
        add_candidate(c, str_c(shells[i]), last,
                      str_fmt(c->arena, "Generate the autocompletion script for %s", shells[i]));
    return DIRECTIVE_NO_FILES;
}

/* ---- Options. ---- */

static const struct option *find_option(const struct options *o, str name)
{
    for (size_t g = 0; g < o->group_count; g++)
        for (size_t i = 0; i < o->groups[g].count; i++) {
            const struct option *found = &o->groups[g].options[i];
            bool fits = name.len == 1 ? found->letter == name.ptr[0]
                                      : str_eq(name, str_c(found->name));
            if (fits)
                return found;
        }
    return NULL;
}

/* What the last word is. */
struct place {
    const struct option *option; /* the word is its value; NULL: a name, or an argument */
    str prefix;
    str unknown;    /* no option has this name */
    size_t earlier; /* arguments that are complete */
};

static bool names_option(str word)
{
    return word.len > 1 && word.ptr[0] == '-' && !str_eq(word, STR("--")) &&
           !str_contains(word, STR("="));
}

static struct place find_place(const struct completion *c, size_t argc, char *const *argv)
{
    str last = str_c(argc ? argv[argc - 1] : ""), before = str_c(argc > 1 ? argv[argc - 2] : "");
    struct place p = {.prefix = last, .earlier = argc ? argc - 1 : 0};
    str name = STR_NONE, value;
    bool begun = str_has_prefix(last, STR("-")), equals = str_contains(last, STR("="));

    if (begun && equals && str_cut(last, STR("="), &name, &value))
        p.prefix = value;
    else if (!begun && names_option(before))
        name = before;
    /* Of joined letters, the last one counts. */
    if (name.len)
        name = str_from(name, str_has_prefix(name, STR("--")) ? 2 : name.len - 1);
    if (!name.len)
        return p;
    p.option = find_option(&c->options, name);
    if (!p.option)
        p.unknown = name;
    else if (!begun && p.option->type == OPTION_BOOL)
        p.option = NULL;
    else if (!begun)
        p.earlier--;
    return p;
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

static enum directive complete_option(struct completion *c, str prefix)
{
    for (size_t i = 0; i < compat_option_count; i++) {
        const struct option *o = &compat_options[i];
        if (o->hidden || (options_given(&c->options, str_c(o->name)) && o->type != OPTION_STRINGS))
            continue;
        add_candidate(c, str_fmt(c->arena, "--%s", o->name), prefix, str_c(o->help));
        if (o->letter)
            add_candidate(c, str_fmt(c->arena, "-%c", o->letter), prefix, str_c(o->help));
    }
    return DIRECTIVE_NO_FILES;
}

static enum directive fail(struct completion *c, str text)
{
    buf_fmt(c->note, "[Debug] [Error] %.*s\n", STR_ARG(text));
    return DIRECTIVE_DEFAULT;
}

static enum directive fail_parsing(struct completion *c, size_t argc, char *const *argv,
                                   const struct err *e)
{
    struct str_list words = {0};

    for (size_t i = 0; i < argc; i++)
        VEC_PUSH(c->arena, &words, str_c(argv[i]));
    return fail(c, str_fmt(c->arena, "Error while parsing flags from args [%.*s]: %.*s",
                           STR_ARG(str_join(c->arena, words.items, words.len, STR(" "))),
                           STR_ARG(e->text)));
}

static enum directive complete_last(struct completion *c, size_t argc, char *const *argv)
{
    struct place p = find_place(c, argc, argv);
    AUTO_ERR e = {0};

    if (!options_parse(&c->options, p.earlier, argv, &e))
        return fail_parsing(c, p.earlier, argv, &e);
    bool words_only = c->options.words_before_dash != STR_NPOS;
    if (p.unknown.len && !words_only)
        return fail(c,
                    str_fmt(c->arena, "Subcommand 'cluster-compare' does not support flag '%.*s'",
                            STR_ARG(p.unknown)));
    if (options_given(&c->options, STR("help")) || options_given(&c->options, STR("version")))
        return DIRECTIVE_NO_FILES;
    if (words_only)
        return DIRECTIVE_DEFAULT;
    if (p.option)
        return complete_value(c, p.option, p.prefix);
    return str_has_prefix(p.prefix, STR("-")) ? complete_option(c, p.prefix) : DIRECTIVE_DEFAULT;
}

void compat_complete(struct arena *a, size_t argc, char *const *argv, bool describe,
                     struct buf *out, struct buf *note)
{
    struct completion c = {.arena = a, .describe = describe, .out = out, .note = note};
    bool completion = argc > 1 && strcmp(argv[0], "completion") == 0;

    c.options = compat_options_new(a, &c.values);
    enum directive d = completion ? complete_completion(&c, argc, argv)
                                  : complete_last(&c, argc, argv);
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

void compat_completion_help(struct buf *out)
{
    buf_add(out, STR("Generate the autocompletion script for cluster-compare for the specified "
                     "shell.\n"
                     "See each sub-command's help for details on how to use the generated "
                     "script.\n\n"
                     "Usage:\n  cluster-compare completion [command]\n\nAvailable Commands:\n"));
    for (size_t i = 0; shells[i]; i++)
        buf_fmt(out, "  %-11s Generate the autocompletion script for %s\n", shells[i], shells[i]);
    buf_add(out, STR("\nFlags:\n  -h, --help   help for completion\n\n"
                     "Use \"cluster-compare completion [command] --help\" for more information "
                     "about a command.\n"));
}
