/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - reads files of rules of any kind. */
#include "arm/rules/internal.h"

#include "text/json/json.h"

#include <stdarg.h>

void rules_found(struct rules_findings *f, const struct value *at, const char *format, ...)
{
    struct rules_finding *finding = VEC_ADD(f->arena, f);
    va_list args;

    va_start(args, format);
    *finding =
        (struct rules_finding){source_where(f->source, at), str_vfmt(f->arena, format, args)};
    va_end(args);
}

static bool lint_errors(struct rules_findings *f, size_t *count, struct err *e)
{
    struct rules *rules;

    if (!rules_read(f->arena, f->source, &rules, e))
        return false;
    f->len = rules_lint(f->arena, rules, &f->items);
    for (size_t i = 0; i < rules->stages.len; i++)
        *count += rules->stages.items[i].rules.len;
    return true;
}

static const struct {
    const char *name;
    bool (*lint)(struct rules_findings *f, size_t *count, struct err *e);
} kinds[] = {{"detect", detect_lint}, {"errors", lint_errors}, {"kind", kind_lint}};

bool rules_lint_file(struct arena *a, const struct source *src, struct rules_finding **out,
                     size_t *found, size_t *count, struct err *e)
{
    struct rules_findings f = {.arena = a, .source = src};
    struct value *root;
    str name;

    *count = 0;
    if (!json_read(a, src, NULL, &root, e))
        return false;
    name = value_get_str(root, STR("rules"));
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!str_eq(name, str_c(kinds[i].name)))
            continue;
        if (!kinds[i].lint(&f, count, e))
            return false;
        *out = f.items;
        *found = f.len;
        return true;
    }
    return source_err(e, src, root,
                      "not a file of rules: its member \"rules\" must be \"detect\", "
                      "\"errors\" or \"kind\"");
}
