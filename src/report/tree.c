/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - results as data: JSON and YAML, and the overrides that were generated.
 *
 * The spelling of keys is the original's, including typos, since other programs read them.
 */
#include "report/internal.h"
#include "text/json/json.h"
#include "text/yaml/yaml.h"

/* ---- The tree. ---- */

static struct value *strings(struct arena *a, const str *items, size_t count)
{
    struct value *list = value_list(a);

    for (size_t i = 0; i < count; i++)
        value_add(a, list, value_string(a, items[i]));
    return list;
}

/* A map in the original, which Go writes in bytewise order of keys. */
static struct value *sorted_map(struct arena *a, const struct value *map)
{
    struct value **members = value_sorted(a, map), *out = value_object(a);

    for (size_t i = 0; i < value_len(map); i++)
        value_set(a, out, value_key(members[i]), members[i]);
    return out;
}

static void add_issue(struct arena *a, struct value *part, const struct result_issue *issue)
{
    struct value *out = value_set(a, part, issue->component, value_object(a));
    struct value *paths = value_list(a), *described = value_object(a);

    for (size_t i = 0; i < issue->count; i++) {
        const struct result_template *t = &issue->templates[i];
        value_add(a, paths, value_string(a, t->path));
        if (t->description.len)
            value_set_str(a, value_set(a, described, t->path, value_object(a)), STR("description"),
                          t->description);
    }
    report_set_text(a, out, "Msg", issue->message);
    value_set(a, out, STR("CRs"), paths);
    if (described->len)
        value_set(a, out, STR("crMetadata"), sorted_map(a, described));
}

static struct value *issues_tree(struct arena *a, const struct results *r)
{
    struct value *out = value_object(a);

    for (size_t i = 0; i < r->issues.len; i++) {
        const struct result_issue *issue = &r->issues.items[i];
        struct value *part = value_get(out, issue->part);
        if (!part)
            part = value_set(a, out, issue->part, value_object(a));
        add_issue(a, part, issue);
    }
    return out;
}

static struct value *summary_tree(struct arena *a, const struct results *r)
{
    struct value *out = value_object(a);

    value_set(a, out, STR("ValidationIssuses"), issues_tree(a, r));
    value_set_int(a, out, STR("NumMissing"), (int64_t)r->missing);
    value_set(a, out, STR("UnmatchedCRS"), strings(a, r->unmatched.items, r->unmatched.len));
    value_set_int(a, out, STR("NumDiffCRs"), (int64_t)r->differing);
    value_set_int(a, out, STR("TotalCRs"), (int64_t)r->total);
    value_set_str(a, out, STR("MetadataHash"), r->hash);
    value_set_int(a, out, STR("patchedCRs"), (int64_t)r->patched);
    if (r->reference_only.len)
        value_set(a, out, STR("matchedByReferenceOnly"),
                  strings(a, r->reference_only.items, r->reference_only.len));
    return out;
}

static void add_diff(struct arena *a, struct value *out, const struct results *r,
                     const struct result_diff *d)
{
    value_set_str(a, out, STR("DiffOutput"), d->text);
    value_set_str(a, out, STR("CorrelatedTemplate"), d->template);
    value_set_str(a, out, STR("CRName"), d->object);
    if (d->patched)
        report_set_text(a, out, "Patched", diff_overrides(r, d));
    if (d->reason_count)
        value_set(a, out, STR("OverrideReason"), strings(a, d->reasons, d->reason_count));
    report_set_text(a, out, "description", d->description);
    report_tree_fields(a, out, d);
}

static void add_warnings(struct arena *a, struct value *out, const struct results *r)
{
    if (!r->reference_only.len)
        return;
    struct value *list = value_set(a, out, STR("Warnings"), value_list(a));
    struct value *warning = value_add(a, list, value_object(a));
    value_set_str(a, warning, STR("type"), STR("InferredResourcesNotValidated"));
    value_set_str(a, warning, STR("message"),
                  STR("Resource(s) found via ownerReferences or RBAC subjects but contents not "
                      "validated"));
    value_set(a, warning, STR("resources"),
              strings(a, r->reference_only.items, r->reference_only.len));
}

struct value *report_tree(struct arena *a, const struct results *r)
{
    struct value *out = value_object(a);

    value_set(a, out, STR("Summary"), summary_tree(a, r));
    struct value *diffs = value_set(a, out, STR("Diffs"), value_list(a));
    for (size_t i = 0; i < r->diffs.len; i++)
        add_diff(a, value_add(a, diffs, value_object(a)), r, &r->diffs.items[i]);
    add_warnings(a, out, r);
    report_verdict_tree(a, out, r);
    report_tree_more(a, out, r);
    return out;
}

/* ---- Formats. ---- */

static bool write_json(const struct results *r, const struct report_options *o, struct buf *out,
                       struct err *e)
{
    const struct json_style style = {.html = true, .numbers = NUMBERS_EXACT};
    AUTO_ARENA a = arena_new();

    (void)o;
    if (!json_write(out, report_tree(a, r), &style, e))
        return err_wrap(e, "failed to marshal output to json");
    buf_char(out, '\n');
    return true;
}

enum number_rule report_numbers(const struct results *r, enum number_rule original)
{
    return r->verdict.known ? NUMBERS_PLAIN : original;
}

static bool write_yaml(const struct results *r, const struct report_options *o, struct buf *out,
                       struct err *e)
{
    AUTO_ARENA a = arena_new();

    (void)o;
    return yaml_write(out, report_tree(a, r), report_numbers(r, NUMBERS_EXACT), e) ||
           err_wrap(e, "failed to marshal output to yaml");
}

static bool write_patches(const struct results *r, const struct report_options *o, struct buf *out,
                          struct err *e)
{
    AUTO_ARENA a = arena_new();

    (void)o;
    return yaml_write(out, r->patches ? r->patches : value_null(a), report_numbers(r, NUMBERS_GO),
                      e) ||
           err_wrap(e, "failed to marshal patches to yaml");
}

const struct report_format report_json = {
    .name = "json",
    .help = "everything as one JSON value",
    .endings = ".json",
    .original = true,
    .explains = true,
    .write = write_json,
    .write_fleet = fleet_write_json,
};

const struct report_format report_yaml = {
    .name = "yaml",
    .help = "everything as YAML",
    .endings = ".yaml .yml",
    .original = true,
    .explains = true,
    .write = write_yaml,
    .write_fleet = fleet_write_yaml,
};

const struct report_format report_patches = {
    .name = "generate-patches",
    .help = "overrides that accept the differences",
    .original = true,
    .write = write_patches,
};
