/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - problems found in files, for other tools; see findings.h. */
#include "cli/findings.h"
#include "cli/print.h"
#include "base/quote.h"

/* ---- GitHub. ---- */

/* GitHub's commands end at a line break, and properties also at a comma or colon. */
static void add_escaped(struct buf *out, str foreign, bool property)
{
    str text = quote_line(out->arena, foreign);

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%' || (property && (c == ':' || c == ',')))
            buf_fmt(out, "%%%02X", (unsigned)c);
        else
            buf_char(out, c);
    }
}

void findings_print_github(struct call *c, const struct tool_findings *f, const char *title,
                           str summary)
{
    struct buf out = buf_new(c->arena, BUF_UNLIMITED);

    for (size_t i = 0; i < f->len; i++) {
        const struct tool_finding *one = &f->items[i];
        buf_fmt(&out, "::%s file=", one->severity);
        add_escaped(&out, one->at.file, true);
        if (one->at.line)
            buf_fmt(&out, ",line=%u", (unsigned)one->at.line);
        if (one->at.column)
            buf_fmt(&out, ",col=%u", (unsigned)one->at.column);
        buf_fmt(&out, ",title=%s::", one->rule);
        add_escaped(&out, one->text, false);
        buf_fmt(&out, ": %s\n", one->advice);
    }
    buf_fmt(&out, "::notice title=%s::%.*s\n", title, STR_ARG(summary));
    /* Foreign text in it is already escaped. */
    output_add_safe(c->out, buf_str(&out));
}

/* ---- SARIF. ---- */

static void add_text(struct arena *a, struct value *in, const char *key, str text)
{
    value_set_str(a, value_set(a, in, str_c(key), value_object(a)), STR("text"), text);
}

static void add_result(struct arena *a, struct value *list, const struct tool_finding *f)
{
    struct value *result = value_add(a, list, value_object(a));
    struct value *locations, *physical, *region;

    value_set_str(a, result, STR("ruleId"), str_c(f->rule));
    value_set_str(a, result, STR("level"), str_c(f->severity));
    add_text(a, result, "message", f->text);
    locations = value_set(a, result, STR("locations"), value_list(a));
    physical = value_set(a, value_add(a, locations, value_object(a)), STR("physicalLocation"),
                         value_object(a));
    value_set_str(a, value_set(a, physical, STR("artifactLocation"), value_object(a)), STR("uri"),
                  f->at.file);
    if (!f->at.line)
        return;
    region = value_set(a, physical, STR("region"), value_object(a));
    value_set_int(a, region, STR("startLine"), f->at.line);
    if (f->at.column)
        value_set_int(a, region, STR("startColumn"), f->at.column);
}

static void add_driver(struct arena *a, struct value *run, const struct finding_rule *rules)
{
    struct value *driver = value_set(a, value_set(a, run, STR("tool"), value_object(a)),
                                     STR("driver"), value_object(a));

    value_set_str(a, driver, STR("name"), STR("plumb"));
    value_set_str(a, driver, STR("version"), STR(PLUMB_VERSION));
    struct value *list = value_set(a, driver, STR("rules"), value_list(a));
    for (size_t i = 0; rules[i].name; i++) {
        struct value *rule = value_add(a, list, value_object(a));
        value_set_str(a, rule, STR("id"), str_c(rules[i].name));
        add_text(a, rule, "help", str_c(rules[i].advice));
    }
}

bool findings_print_sarif(struct call *c, const struct tool_findings *f,
                          const struct finding_rule *rules, struct err *e)
{
    struct arena *a = c->arena;
    struct value *root = value_object(a), *run, *results;

    value_set_str(a, root, STR("$schema"),
                  STR("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                      "sarif-schema-2.1.0.json"));
    value_set_str(a, root, STR("version"), STR("2.1.0"));
    run = value_add(a, value_set(a, root, STR("runs"), value_list(a)), value_object(a));
    add_driver(a, run, rules);
    results = value_set(a, run, STR("results"), value_list(a));
    for (size_t i = 0; i < f->len; i++)
        add_result(a, results, &f->items[i]);
    return print_as_json(c->out, root, e);
}
