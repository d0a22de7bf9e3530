/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_native.c - what JSON and YAML reports have in addition to the original's: where an object
 * comes from and where it belongs, differences by field, the comparison with an earlier report,
 * explanations. Only what was requested is included.
 */
#include "report/internal.h"

void report_set_text(struct arena *a, struct value *out, const char *key, str text)
{
    if (text.len)
        value_set_str(a, out, str_c(key), text);
}

/* ---- Differences. ---- */

void report_tree_field(struct arena *a, struct value *out, const struct result_field *f)
{
    value_set_str(a, out, STR("path"), f->path);
    value_set_str(a, out, STR("kind"), str_c(result_kind_name(f->kind)));
    if (f->expected)
        value_set(a, out, STR("expected"), f->expected);
    if (f->actual)
        value_set(a, out, STR("actual"), f->actual);
    report_set_text(a, out, "template", place_text(a, f->template));
    report_set_text(a, out, "object", place_text(a, f->object));
}

void report_tree_fields(struct arena *a, struct value *out, const struct result_diff *d)
{
    if (!d->fields_known)
        return;
    report_set_text(a, out, "part", d->part);
    report_set_text(a, out, "component", d->component);
    report_set_text(a, out, "place", place_text(a, d->place));
    struct value *list = value_set(a, out, STR("Differences"), value_list(a));
    for (size_t i = 0; i < d->fields.len; i++)
        report_tree_field(a, value_add(a, list, value_object(a)), &d->fields.items[i]);
    if (d->fields.cut)
        value_set_bool(a, out, STR("MoreDifferences"), true);
}

/* ---- Against an earlier report. ---- */

static void set_list(struct arena *a, struct value *out, str name, const struct str_list *texts)
{
    struct value *list = texts->len ? value_set(a, out, name, value_list(a)) : NULL;

    for (size_t i = 0; i < texts->len; i++)
        value_add(a, list, value_string(a, texts->items[i]));
}

static void add_drift(struct arena *a, struct value *out, const struct result_drift *d)
{
    report_set_text(a, out, "CRName", d->object);
    report_set_text(a, out, "template", d->template);
    report_set_text(a, out, "issue", d->issue);
    if (d->gone)
        value_set_bool(a, out, STR("gone"), true);
    set_list(a, out, STR("more"), &d->more);
    set_list(a, out, STR("masked"), &d->masked);
}

static void add_baseline(struct arena *a, struct value *out, const struct result_baseline *b)
{
    static const char *const names[DRIFT_STATES] = {"New", "Worse", "Remaining", "Fixed"};
    struct value *lists[DRIFT_STATES];

    value_set_str(a, out, STR("File"), b->file);
    report_set_text(a, out, "MetadataHash", b->hash);
    for (size_t i = 0; i < DRIFT_STATES; i++)
        value_set(a, out, str_c(names[i]), value_list(a));
    for (size_t i = 0; i < DRIFT_STATES; i++)
        lists[i] = value_get(out, str_c(names[i]));
    for (size_t i = 0; i < b->drifts.len; i++)
        add_drift(a, value_add(a, lists[b->drifts.items[i].state], value_object(a)),
                  &b->drifts.items[i]);
}

/* ---- Explanations. ---- */

static void add_explanation(struct arena *a, struct value *out, const struct result_explanation *x)
{
    value_set_str(a, out, STR("CRName"), x->object);
    report_set_text(a, out, "place", place_text(a, x->place));
    struct value *list = value_set(a, out, STR("candidates"), value_list(a));
    for (size_t i = 0; i < x->candidates.len; i++) {
        const struct result_candidate *c = &x->candidates.items[i];
        struct value *item = value_add(a, list, value_object(a));
        value_set_str(a, item, STR("template"), c->template);
        value_set_bool(a, item, STR("chosen"), c->chosen);
        if (c->scored)
            value_set_int(a, item, STR("score"), (int64_t)c->score);
        report_set_text(a, item, "why", c->why);
    }
    list = value_set(a, out, STR("suppressed"), value_list(a));
    for (size_t i = 0; i < x->suppressed.len; i++) {
        const struct result_suppressed *s = &x->suppressed.items[i];
        struct value *item = value_add(a, list, value_object(a));
        value_set_str(a, item, STR("path"), s->path);
        value_set_str(a, item, STR("rule"), s->rule);
        report_set_text(a, item, "place", place_text(a, s->rule_place));
    }
    if (x->cut)
        value_set_bool(a, out, STR("moreSuppressed"), true);
}

void report_tree_more(struct arena *a, struct value *out, const struct results *r)
{
    if (r->subject.reference.len) {
        struct value *subject = value_set(a, out, STR("Compared"), value_object(a));
        report_set_text(a, subject, "reference", r->subject.reference);
        report_set_text(a, subject, "version", r->subject.version);
        report_set_text(a, subject, "input", r->subject.input);
    }
    if (r->baseline.file.len)
        add_baseline(a, value_set(a, out, STR("Baseline"), value_object(a)), &r->baseline);
    if (!r->explanations.len)
        return;
    struct value *list = value_set(a, out, STR("Explanations"), value_list(a));
    for (size_t i = 0; i < r->explanations.len; i++)
        add_explanation(a, value_add(a, list, value_object(a)), &r->explanations.items[i]);
}
