/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_reference.c - plumb reference: what can be done with a reference alone. A word says what.
 */
#include "cli/commands.h"
#include "cli/print.h"
#include "base/quote.h"
#include "compare/lint.h"

struct reference_values {
    str config, output, overrides;
};

static const char *const formats[] = {"json", "text", NULL};

static const struct option reference_options[] = {
    {"diff-config", 'c', OPTION_STRING, offsetof(struct reference_values, config),
     .help = "Check this user config `FILE` against the reference", .complete = COMPLETE_FILES},
    {"output", 'o', OPTION_STRING, offsetof(struct reference_values, output), .value = "text",
     .help = "Write findings as `FORMAT`: json or text", .choices = formats},
    {"overrides", 'p', OPTION_STRING, offsetof(struct reference_values, overrides),
     .help = "Check this `FILE` of overrides against the reference", .complete = COMPLETE_FILES},
};

/* ---- Findings. ---- */

static const char *const severities[] = {[LINT_WARNING] = "warning", [LINT_ERROR] = "error"};

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_finding(struct call *c, const struct lint_finding *f)
{
    struct output *o = c->out;

    output_style(o, STYLE_PLACE);
    output_add(o, quote_line(c->arena, f->at.file));
    if (f->at.line)
        output_fmt(o, ":%u", (unsigned)f->at.line);
    output_add(o, STR(":"));
    output_style(o, f->rule->severity == LINT_ERROR ? STYLE_MISSING : STYLE_PLAIN);
    output_fmt(o, " %s:", severities[f->rule->severity]);
    output_style(o, STYLE_PLAIN);
    output_fmt(o, " %.*s [%s]\n", STR_ARG(quote_line(c->arena, f->text)), f->rule->name);
    output_fmt(o, "    %s\n", f->rule->advice);
}

static void print_text(struct call *c, const struct lint_report *r)
{
    for (size_t i = 0; i < r->findings.len; i++)
        print_finding(c, &r->findings.items[i]);
    if (r->left_out)
        output_fmt(c->out, "%zu more finding%s\n", r->left_out, plural(r->left_out));
    output_fmt(c->out, "%zu template%s: ", r->templates, plural(r->templates));
    if (!r->errors && !r->warnings)
        output_add(c->out, STR("nothing wrong\n"));
    else
        output_fmt(c->out, "%zu error%s, %zu warning%s\n", r->errors, plural(r->errors),
                   r->warnings, plural(r->warnings));
}

static struct value *finding_value(struct arena *a, const struct lint_finding *f)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("file"), f->at.file);
    if (f->at.line)
        value_set_int(a, v, STR("line"), f->at.line);
    value_set_str(a, v, STR("severity"), str_c(severities[f->rule->severity]));
    value_set_str(a, v, STR("rule"), str_c(f->rule->name));
    value_set_str(a, v, STR("message"), f->text);
    value_set_str(a, v, STR("advice"), str_c(f->rule->advice));
    return v;
}

static bool print_json(struct call *c, const struct lint_report *r, struct err *e)
{
    struct arena *a = c->arena;
    struct value *root = value_object(a), *list = value_list(a);
    struct printer printer = {.out = c->out, .format = STR("json")};
    const struct doc doc = {.root = root};

    for (size_t i = 0; i < r->findings.len; i++)
        value_add(a, list, finding_value(a, &r->findings.items[i]));
    value_set_int(a, root, STR("templates"), (int64_t)r->templates);
    value_set_int(a, root, STR("errors"), (int64_t)r->errors);
    value_set_int(a, root, STR("warnings"), (int64_t)r->warnings);
    value_set(a, root, STR("findings"), list);
    return print_document(&printer, &doc, e);
}

static bool lint(struct call *c, struct err *e)
{
    const struct reference_values *v = c->values;
    const struct lint_options options = {
        .reference = c->args[1], .overrides = v->overrides, .config = v->config};
    struct lint_report report;

    if (!lint_run(c->arena, &options, &report, e))
        return false;
    if (report.errors || report.warnings)
        c->status = STATUS_DIFFERENT;
    if (str_eq(v->output, STR("json")))
        return print_json(c, &report, e);
    print_text(c, &report);
    return true;
}

/* ---- The command. ---- */

static const char *const actions[] = {"lint", NULL};

static const char *const *reference_words(struct arena *a)
{
    (void)a;
    return actions;
}

static bool cmd_reference(struct call *c, struct err *e)
{
    if (str_eq(c->args[0], STR("lint")))
        return lint(c, e);
    return err_set(e, ERR_USAGE, "unknown action \"%.*s\"; there is: lint", STR_ARG(c->args[0]));
}

const struct command command_reference = {
    .name = "reference",
    .args = "lint REFERENCE",
    .brief = "Check a reference for faults",
    .help = "'lint' reads a reference, which is a metadata file, the folder that holds\n"
            "metadata.yaml, or a URL or image as for 'plumb compare', without comparing\n"
            "anything: it parses all templates, runs each with an empty object, and shows\n"
            "everything that is wrong at once, with file, line and what to do about it:\n"
            "unknown keys, missing files, faults of templates, templates that no object can\n"
            "tell apart or that are never selected, lists of omitted fields that nothing\n"
            "uses, overrides and pairs that match nothing any more.\n"
            "\n"
            "Exit status: 0 when nothing is wrong, 1 when there are findings, 2 when the\n"
            "reference cannot be read.\n",
    .examples = "  plumb reference lint reference\n"
                "  plumb reference lint reference/metadata.yaml -p overrides.yaml -o json\n",
    .options = reference_options,
    .option_count = COUNT(reference_options),
    .values_size = sizeof(struct reference_values),
    .args_min = 2,
    .args_max = 2,
    .complete = COMPLETE_FILES,
    .words = reference_words,
    .run = cmd_reference,
};
