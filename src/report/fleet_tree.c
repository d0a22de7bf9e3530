/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_tree.c - a fleet as data: JSON and YAML. Keys are the same as in the report of one site,
 * where possible. Findings are numbered from 1 in order, and sites refer to the numbers.
 */
#include "report/fleet_internal.h"
#include "text/json/json.h"
#include "text/yaml/yaml.h"

static void set_count(struct arena *a, struct value *out, const char *key, size_t n)
{
    value_set_int(a, out, str_c(key), (int64_t)n);
}

static struct value *summary_tree(struct arena *a, const struct fleet *f)
{
    struct value *out = value_object(a);

    set_count(a, out, "NumSites", f->sites.len);
    set_count(a, out, "NumCompared", f->compared);
    set_count(a, out, "NumDrifting", f->drifting);
    set_count(a, out, "NumUndecided", f->undecided);
    set_count(a, out, "NumWithUnmatched", f->with_unmatched);
    set_count(a, out, "NumIncomplete", f->states[VERDICT_INCOMPLETE]);
    set_count(a, out, "NumFailed", f->failed);
    set_count(a, out, "NumDiffs", f->kinds[FLEET_DIFFERS]);
    set_count(a, out, "NumMissing", f->kinds[FLEET_MISSING]);
    set_count(a, out, "NumUnmatched", f->kinds[FLEET_UNMATCHED]);
    value_set_str(a, out, STR("Reference"), f->reference);
    value_set_str(a, out, STR("MetadataHash"), f->hash);
    report_set_text(a, out, "Overrides", f->overrides);
    return out;
}

static struct value *names_tree(struct arena *a, const struct fleet *f,
                                const struct fleet_indexes *sites)
{
    struct value *out = value_list(a);

    for (size_t i = 0; i < sites->len; i++)
        value_add(a, out, value_string(a, f->sites.items[sites->items[i]].name));
    return out;
}

static void add_difference(struct arena *a, struct value *out, const struct fleet_finding *x)
{
    const struct result_diff d = {
        .part = x->part, .component = x->component, .fields = x->fields, .fields_known = true};

    value_set_str(a, out, STR("DiffOutput"), x->text);
    report_tree_fields(a, out, &d);
    if (x->cut)
        value_set_bool(a, out, STR("MoreDifferences"), true);
}

static void add_finding(struct arena *a, struct value *out, const struct fleet *f, size_t index)
{
    const struct fleet_finding *x = &f->findings.items[index];

    set_count(a, out, "Number", index + 1);
    value_set_str(a, out, STR("Kind"), str_c(fleet_kind_name(x->kind)));
    value_set_str(a, out, STR("Digest"), x->digest);
    if (x->kind == FLEET_DIFFERS)
        value_set_str(a, out, STR("DiffDigest"), x->shape);
    report_set_text(a, out, "CRName", x->object);
    report_set_text(a, out, "CorrelatedTemplate", x->template);
    report_set_text(a, out, "description", x->description);
    report_set_text(a, out, "Msg", x->message);
    if (x->kind == FLEET_DIFFERS) {
        add_difference(a, out, x);
    } else {
        report_set_text(a, out, "part", x->part);
        report_set_text(a, out, "component", x->component);
    }
    set_count(a, out, "NumSites", x->sites.len);
    value_set_bool(a, out, STR("Common"), x->common);
    value_set(a, out, STR("Sites"), names_tree(a, f, &x->sites));
    if (f->baseline.file.len && x->kind != FLEET_UNMATCHED)
        value_set(a, out, STR("NewSites"), names_tree(a, f, &x->fresh));
}

static struct value *baseline_tree(struct arena *a, const struct fleet *f)
{
    const struct fleet_baseline *b = &f->baseline;
    struct value *out = value_object(a);

    value_set_str(a, out, STR("File"), b->file);
    report_set_text(a, out, "MetadataHash", b->hash);
    set_count(a, out, "NumNew", b->fresh);
    set_count(a, out, "NumRemaining", b->remaining);
    set_count(a, out, "NumFixed", b->fixed);
    struct value *list = value_set(a, out, STR("Fixed"), value_list(a));
    for (size_t i = 0; i < b->gone.len; i++) {
        const struct fleet_fixed *x = &b->gone.items[i];
        struct value *item = value_add(a, list, value_object(a));
        value_set_str(a, item, STR("Kind"), str_c(fleet_kind_name(x->kind)));
        report_set_text(a, item, "CRName", x->object);
        report_set_text(a, item, "CorrelatedTemplate", x->template);
        report_set_text(a, item, "Msg", x->message);
        value_set(a, item, STR("Sites"), names_tree(a, f, &x->sites));
    }
    return out;
}

static void add_counts(struct arena *a, struct value *out, const struct fleet_site *s)
{
    struct value *numbers = value_list(a);

    set_count(a, out, "NumDiffCRs", s->differing);
    set_count(a, out, "NumMissing", s->missing);
    set_count(a, out, "NumNotFound", s->not_found);
    set_count(a, out, "NumUnmatched", s->unmatched);
    set_count(a, out, "TotalCRs", s->total);
    set_count(a, out, "patchedCRs", s->patched);
    set_count(a, out, "NumWarnings", s->warnings);
    set_count(a, out, "Apart", s->apart);
    for (size_t i = 0; i < s->findings.len; i++)
        value_add(a, numbers, value_int(a, (int64_t)s->findings.items[i] + 1));
    value_set(a, out, STR("Findings"), numbers);
}

static void add_site(struct arena *a, struct value *out, const struct fleet_site *s)
{
    const struct results verdict = {.verdict = s->verdict};

    value_set_str(a, out, STR("Name"), s->name);
    value_set_str(a, out, STR("Source"), s->source);
    value_set_str(a, out, STR("State"), str_c(fleet_site_state(s)));
    if (s->error.len)
        value_set_str(a, out, STR("Error"), s->error);
    else
        add_counts(a, out, s);
    report_verdict_tree(a, out, &verdict);
    if (s->verdict.known)
        value_unset(value_get(out, STR("Verdict")), STR("omittedBy"));
}

static struct value *fleet_tree(struct arena *a, const struct fleet *f)
{
    struct value *out = value_object(a);

    value_set(a, out, STR("Summary"), summary_tree(a, f));
    struct value *list = value_set(a, out, STR("Findings"), value_list(a));
    for (size_t i = 0; i < f->findings.len; i++)
        add_finding(a, value_add(a, list, value_object(a)), f, i);
    list = value_set(a, out, STR("Sites"), value_list(a));
    for (size_t i = 0; i < f->sites.len; i++)
        add_site(a, value_add(a, list, value_object(a)), &f->sites.items[i]);
    if (f->baseline.file.len)
        value_set(a, out, STR("Baseline"), baseline_tree(a, f));
    return out;
}

bool fleet_write_json(const struct fleet *f, const struct report_options *o, struct buf *out,
                      struct err *e)
{
    const struct json_style style = {.html = true, .numbers = NUMBERS_EXACT};
    AUTO_ARENA a = arena_new();

    (void)o;
    if (!json_write(out, fleet_tree(a, f), &style, e))
        return false;
    buf_char(out, '\n');
    return true;
}

bool fleet_write_yaml(const struct fleet *f, const struct report_options *o, struct buf *out,
                      struct err *e)
{
    AUTO_ARENA a = arena_new();

    (void)o;
    return yaml_write(out, fleet_tree(a, f), NUMBERS_EXACT, e);
}