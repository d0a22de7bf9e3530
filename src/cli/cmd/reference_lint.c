/* SPDX-License-Identifier: Apache-2.0 */
/* reference_lint.c - plumb reference lint: reports problems in a reference, in four formats. */
#include "cli/cmd/reference_internal.h"
#include "cli/findings.h"
#include "cli/input.h"
#include "cli/print.h"
#include "base/quote.h"
#include "compare/lint/lint.h"

const char *const reference_severities[] = {
    [LINT_WARNING] = "warning", [LINT_ERROR] = "error", NULL};

/* ---- Findings. ---- */

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_finding(struct call *c, const struct lint_finding *f)
{
    struct output *o = c->out;

    output_style(o, STYLE_PLACE);
    output_text(o, quote_line(c->arena, f->at.file));
    if (f->at.line)
        output_fmt(o, ":%u", (unsigned)f->at.line);
    output_add(o, STR(":"));
    output_style(o, f->rule->severity == LINT_ERROR ? STYLE_MISSING : STYLE_PLAIN);
    output_fmt(o, " %s:", reference_severities[f->rule->severity]);
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
    value_set_str(a, v, STR("severity"), str_c(reference_severities[f->rule->severity]));
    value_set_str(a, v, STR("rule"), str_c(f->rule->name));
    value_set_str(a, v, STR("message"), f->text);
    value_set_str(a, v, STR("advice"), str_c(f->rule->advice));
    return v;
}

static bool print_json(struct call *c, const struct lint_report *r, struct err *e)
{
    struct arena *a = c->arena;
    struct value *root = value_object(a), *list = value_list(a);

    for (size_t i = 0; i < r->findings.len; i++)
        value_add(a, list, finding_value(a, &r->findings.items[i]));
    value_set_int(a, root, STR("templates"), (int64_t)r->templates);
    value_set_int(a, root, STR("errors"), (int64_t)r->errors);
    value_set_int(a, root, STR("warnings"), (int64_t)r->warnings);
    value_set(a, root, STR("findings"), list);
    return print_as_json(c->out, root, e);
}

/* ---- For other tools. ---- */

static struct tool_findings tool_findings(struct arena *a, const struct lint_report *r)
{
    struct tool_findings out = {0};

    for (size_t i = 0; i < r->findings.len; i++) {
        const struct lint_finding *f = &r->findings.items[i];
        struct tool_finding finding = {
            .at = {.file = f->at.file, .line = f->at.line},
            .rule = f->rule->name,
            .severity = reference_severities[f->rule->severity],
            .advice = f->rule->advice,
            .text = f->text,
        };
        VEC_PUSH(a, &out, finding);
    }
    return out;
}

static void print_github(struct call *c, const struct lint_report *r)
{
    struct tool_findings findings = tool_findings(c->arena, r);

    findings_print_github(c, &findings, "plumb reference lint",
                          str_fmt(c->arena, "%zu template%s: %zu error%s, %zu warning%s",
                                  r->templates, plural(r->templates), r->errors, plural(r->errors),
                                  r->warnings, plural(r->warnings)));
}

static bool print_sarif(struct call *c, const struct lint_report *r, struct err *e)
{
    struct tool_findings findings = tool_findings(c->arena, r);
    VEC(struct finding_rule) rules = {0};

    for (size_t i = 0; lint_rules[i]; i++) {
        struct finding_rule rule = {lint_rules[i]->name, lint_rules[i]->advice};
        VEC_PUSH(c->arena, &rules, rule);
    }
    VEC_PUSH(c->arena, &rules, (struct finding_rule){0});
    return findings_print_sarif(c, &findings, rules.items, e);
}

/* ---- Which findings count. ---- */

static bool check_ignored(struct call *c, const struct str_list *ignore, struct err *e)
{
    for (size_t i = 0; i < ignore->len; i++) {
        size_t k = 0;
        while (lint_rules[k] && !str_eq(str_c(lint_rules[k]->name), ignore->items[i]))
            k++;
        if (!lint_rules[k])
            return err_set(e, ERR_USAGE,
                           "--ignore: there is no rule \"%.*s\"; docs/commands/reference.md lists "
                           "them",
                           STR_ARG(quote_line(c->arena, ignore->items[i])));
    }
    return true;
}

static bool is_ignored(const struct reference_values *v, const struct lint_finding *f)
{
    if (f->rule->severity == LINT_WARNING && str_eq(v->severity, STR("error")))
        return true;
    for (size_t i = 0; i < v->ignore.len; i++)
        if (str_eq(v->ignore.items[i], str_c(f->rule->name)))
            return true;
    return false;
}

static void drop_ignored(const struct reference_values *v, struct lint_report *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->findings.len; i++) {
        const struct lint_finding f = r->findings.items[i];
        if (!is_ignored(v, &f))
            r->findings.items[kept++] = f;
        else if (f.rule->severity == LINT_ERROR)
            r->errors--;
        else
            r->warnings--;
    }
    r->findings.len = kept;
}

bool cmd_reference_lint(struct call *c, struct err *e)
{
    const struct reference_values *v = c->values;
    const struct lint_options options = {.reference = c->args[1],
                                         .overrides = input_path(v->overrides),
                                         .config = input_path(v->config),
                                         .outside_links = v->outside_links};
    struct lint_report report;

    if (!check_ignored(c, &v->ignore, e) || !lint_run(c->arena, &options, &report, e))
        return false;
    drop_ignored(v, &report);
    if (report.errors || (v->strict && report.warnings))
        c->status = STATUS_DIFFERENT;
    if (str_eq(v->output, STR("json")))
        return print_json(c, &report, e);
    if (str_eq(v->output, STR("sarif")))
        return print_sarif(c, &report, e);
    if (str_eq(v->output, STR("github")))
        print_github(c, &report);
    else
        print_text(c, &report);
    return true;
}
