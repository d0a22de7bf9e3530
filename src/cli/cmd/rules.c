/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - plumb rules: subcommands for rule files. */
#include "cli/input.h"
#include "cli/print.h"
#include "arm/rules/rules.h"
#include "base/quote.h"

/* The largest file of rules that is read. */
#define RULES_MAX (16 * MIB)

struct rules_values {
    str output;
};

static const char *const formats[] = {"json", "text", NULL};

static const struct option rules_options[] = {
    {"output", 'o', OPTION_STRING, offsetof(struct rules_values, output), .value = "text",
     .help = "Write findings as `FORMAT`: json or text", .choices = formats},
};

struct tally {
    size_t files, rules, errors, warnings;
    struct value *list; /* json: the findings */
};

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void add_text(struct call *c, struct where at, const char *severity, str text)
{
    output_style(c->out, STYLE_PLACE);
    output_text(c->out, quote_line(c->arena, at.file));
    if (at.line)
        output_fmt(c->out, ":%u:%u", (unsigned)at.line, (unsigned)at.column);
    output_add(c->out, STR(":"));
    output_style(c->out, STYLE_PLAIN);
    output_fmt(c->out, " %s: %.*s\n", severity, STR_ARG(quote_line(c->arena, text)));
}

static void add_json(struct call *c, struct value *list, struct where at, const char *severity,
                     str text)
{
    struct value *v = value_object(c->arena);

    value_set_str(c->arena, v, STR("file"), str_copy(c->arena, at.file));
    if (at.line)
        value_set_int(c->arena, v, STR("line"), at.line);
    value_set_str(c->arena, v, STR("severity"), str_c(severity));
    value_set_str(c->arena, v, STR("message"), str_copy(c->arena, text));
    value_add(c->arena, list, v);
}

static void add(struct call *c, struct tally *t, struct where at, const char *severity, str text)
{
    if (t->list)
        add_json(c, t->list, at, severity, text);
    else
        add_text(c, at, severity, text);
}

/* A file that is not a rule file, or an invalid one, is a finding too. */
static bool lint_file(struct call *c, str name, struct tally *t, struct err *e)
{
    struct source *src = ARENA_NEW(c->arena, struct source);
    struct rules_finding *found;
    size_t count, rules;
    AUTO_ERR fault = {0};

    if (!input_read(c->arena, name, RULES_MAX, src, e))
        return false;
    t->files++;
    if (!rules_lint_file(c->arena, src, &found, &count, &rules, &fault)) {
        if (!fault.at.file.len)
            fault.at.file = src->file;
        add(c, t, fault.at, "error", fault.text);
        t->errors++;
        return true;
    }
    for (size_t i = 0; i < count; i++)
        add(c, t, found[i].at, "warning", found[i].text);
    t->rules += rules;
    t->warnings += count;
    return true;
}

static bool finish_json(struct call *c, const struct tally *t, struct err *e)
{
    struct value *root = value_object(c->arena);

    value_set_int(c->arena, root, STR("files"), (int64_t)t->files);
    value_set_int(c->arena, root, STR("rules"), (int64_t)t->rules);
    value_set_int(c->arena, root, STR("errors"), (int64_t)t->errors);
    value_set_int(c->arena, root, STR("warnings"), (int64_t)t->warnings);
    value_set(c->arena, root, STR("findings"), t->list);
    return print_as_json(c->out, root, e);
}

static void finish_text(struct call *c, const struct tally *t)
{
    output_fmt(c->out, "%zu file%s, %zu rule%s: ", t->files, plural(t->files), t->rules,
               plural(t->rules));
    if (!t->errors && !t->warnings)
        output_add(c->out, STR("nothing wrong\n"));
    else
        output_fmt(c->out, "%zu error%s, %zu warning%s\n", t->errors, plural(t->errors),
                   t->warnings, plural(t->warnings));
}

static bool lint(struct call *c, struct err *e)
{
    const struct rules_values *v = c->values;
    struct str_list files;
    struct tally t = {0};

    if (str_eq(v->output, STR("json")))
        t.list = value_list(c->arena);
    c->args++;
    c->arg_count--;
    if (!input_files(c, &files, e))
        return false;
    for (size_t i = 0; i < files.len; i++)
        if (!lint_file(c, files.items[i], &t, e))
            return false;
    if (t.warnings || t.errors)
        c->status = STATUS_DIFFERENT;
    if (t.list)
        return finish_json(c, &t, e);
    finish_text(c, &t);
    return true;
}

static const char *const actions[] = {"lint", NULL};

static const char *const *rules_words(struct arena *a)
{
    (void)a;
    return actions;
}

static bool cmd_rules(struct call *c, struct err *e)
{
    if (str_eq(c->args[0], STR("lint")))
        return lint(c, e);
    return err_set(e, ERR_USAGE, "unknown action \"%.*s\"; there is: lint", STR_ARG(c->args[0]));
}

const struct command command_rules = {
    .name = "rules",
    .args = "lint [FILE...]",
    .brief = "Check files of rules",
    .help = "'lint' reads files of rules, such as those in api/rules, and shows what is\n"
            "wrong with file and line: members that do not exist, values that make no\n"
            "sense, rules that never count because one before them takes all of theirs,\n"
            "ids that are there twice. A folder stands for the files below it. Without files it\n"
            "reads standard input.\n"
            "\n"
            "Exit status: 0 when nothing is wrong, 1 when there are findings, 2 when a file\n"
            "cannot be read.\n",
    .examples = "  plumb rules lint api/rules\n"
                "  plumb rules lint -o json my-errors.json\n",
    .options = rules_options,
    .option_count = COUNT(rules_options),
    .values_size = sizeof(struct rules_values),
    .args_min = 1,
    .args_max = ARGS_ANY,
    .complete = COMPLETE_FILES,
    .words = rules_words,
    .run = cmd_rules,
};
