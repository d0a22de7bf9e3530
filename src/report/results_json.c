/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results_json.c - reads the original's JSON report.
 *
 * The text is decoded as Go decodes it into the original's structs: names are case-insensitive,
 * unknown ones are dropped, null is ignored. The first value that does not fit is the error, after
 * all have been read. The result has the names of the tables below and can be read with value_get
 * alone.
 */
#include "report/results_json.h"
#include "report/internal.h"
#include "go/decode.h"
#include "text/json/json.h"

static const struct schema int_schema = {.kind = SCHEMA_INT, .go = "int"};
static const struct schema any_schema = {.kind = SCHEMA_ANY};

static const struct schema metadata_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.CRMetadata",
    .fields = (const struct schema_field[]){{"description", &schema_string, NULL}, {0}}};
static const struct schema metadata_map_schema = {
    .kind = SCHEMA_MAP, .go = "map[string]compare.CRMetadata", .item = &metadata_schema};
static const struct schema issue_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ValidationIssue",
    .fields = (const struct schema_field[]){{"Msg", &schema_string, NULL},
                                            {"CRs", &schema_strings, NULL},
                                            {"crMetadata", &metadata_map_schema, NULL},
                                            {0}}};
static const struct schema component_map_schema = {
    .kind = SCHEMA_MAP, .go = "map[string]compare.ValidationIssue", .item = &issue_schema};
static const struct schema part_map_schema = {.kind = SCHEMA_MAP,
                                              .go = "map[string]map[string]compare.ValidationIssue",
                                              .item = &component_map_schema};

static const struct schema summary_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.Summary",
    /* Upstream: the spelling of the first. */
    .fields = (const struct schema_field[]){{"ValidationIssuses", &part_map_schema, NULL},
                                            {"NumMissing", &int_schema, NULL},
                                            {"UnmatchedCRS", &schema_strings, NULL},
                                            {"NumDiffCRs", &int_schema, NULL},
                                            {"TotalCRs", &int_schema, NULL},
                                            {"MetadataHash", &schema_string, NULL},
                                            {"patchedCRs", &int_schema, NULL},
                                            {"matchedByReferenceOnly", &schema_strings, NULL},
                                            {0}}};
static const struct schema diff_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.DiffSum",
    .fields = (const struct schema_field[]){
        {"DiffOutput", &schema_string, NULL},
        {"CorrelatedTemplate", &schema_string, NULL},
        {"CRName", &schema_string, NULL},
        {"Patched", &schema_string, NULL},
        {"OverrideReason", &schema_strings, NULL},
        {"description", &schema_string, NULL},
        {"Differences", &any_schema, NULL}, /* ours, like the following */
        {"MoreDifferences", &any_schema, NULL},
        {"part", &any_schema, NULL},
        {"component", &any_schema, NULL},
        {"place", &any_schema, NULL},
        {0}}};
static const struct schema diffs_schema = {
    .kind = SCHEMA_LIST, .go = "[]compare.DiffSum", .item = &diff_schema};
static const struct schema warning_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.Warning",
    .fields = (const struct schema_field[]){{"type", &schema_string, NULL},
                                            {"message", &schema_string, NULL},
                                            {"resources", &schema_strings, NULL},
                                            {0}}};
static const struct schema warnings_schema = {
    .kind = SCHEMA_LIST, .go = "[]compare.Warning", .item = &warning_schema};
static const struct schema output_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.Output",
    .fields =
        (const struct schema_field[]){{"Summary", &summary_schema, NULL},
                                      {"Diffs", &diffs_schema, NULL},
                                      {"Warnings", &warnings_schema, NULL},
                                      {"Verdict", &any_schema, NULL}, /* ours, like the following */
                                      {"Baseline", &any_schema, NULL},
                                      {"Explanations", &any_schema, NULL},
                                      {0}}};

/* ---- Results. ---- */

static void add_diff(struct arena *a, const struct value *d, struct results *out)
{
    struct str_list reasons = results_read_texts(a, value_get(d, STR("OverrideReason")));
    str patched = value_get_str(d, STR("Patched"));
    struct result_diff diff = {
        .object = value_get_str(d, STR("CRName")),
        .template = value_get_str(d, STR("CorrelatedTemplate")),
        .description = value_get_str(d, STR("description")),
        .text = value_get_str(d, STR("DiffOutput")),
        .part = value_get_str(d, STR("part")),
        .component = value_get_str(d, STR("component")),
        .place = results_read_place(value_get(d, STR("place"))),
        .patched = patched.len > 0,
        .overrides = patched,
        .reasons = reasons.items,
        .reason_count = reasons.len,
    };

    diff.differs = diff.text.len > 0;
    results_read_fields(a, value_get(d, STR("Differences")), &diff);
    diff.fields.cut = value_is_true(value_get(d, STR("MoreDifferences")));
    if (patched.len)
        out->overrides = patched;
    VEC_PUSH(a, &out->diffs, diff);
}

static void add_issue(struct arena *a, str part, const struct value *issue, struct results *out)
{
    const struct value *paths = value_get(issue, STR("CRs"));
    const struct value *metadata = value_get(issue, STR("crMetadata"));
    struct result_issue *i = VEC_ADD(a, &out->issues);

    i->part = part;
    i->component = value_key(issue);
    i->message = value_get_str(issue, STR("Msg"));
    i->count = value_len(paths);
    i->templates = ARENA_ARRAY(a, struct result_template, i->count);
    for (size_t n = 0; n < i->count; n++) {
        i->templates[n].path = value_str(value_at(paths, n));
        i->templates[n].description =
            value_get_str(value_get(metadata, i->templates[n].path), STR("description"));
    }
}

static void add_issues(struct arena *a, const struct value *parts, struct results *out)
{
    struct value **sorted = value_sorted(a, parts);

    for (size_t p = 0; p < value_len(parts); p++) {
        struct value **components = value_sorted(a, sorted[p]);
        for (size_t c = 0; c < value_len(sorted[p]); c++)
            add_issue(a, value_key(sorted[p]), components[c], out);
    }
}

static void fill(struct arena *a, const struct value *output, struct results *out)
{
    const struct value *summary = value_get(output, STR("Summary"));
    const struct value *diffs = value_get(output, STR("Diffs"));
    const struct value *issues = value_get(summary, STR("ValidationIssuses"));

    *out = (struct results){
        .unmatched = results_read_texts(a, value_get(summary, STR("UnmatchedCRS"))),
        .unmatched_all = true,
        .reference_only = results_read_texts(a, value_get(summary, STR("matchedByReferenceOnly"))),
        .missing = report_count_at(summary, "NumMissing"),
        .differing = report_count_at(summary, "NumDiffCRs"),
        .total = report_count_at(summary, "TotalCRs"),
        .patched = report_count_at(summary, "patchedCRs"),
        .hash = value_get_str(summary, STR("MetadataHash")),
    };
    for (size_t i = 0; i < value_len(diffs); i++)
        add_diff(a, value_at(diffs, i), out);
    if (issues)
        add_issues(a, issues, out);
    results_read_more(a, output, out);
}

static bool has_member(const struct value *v, str name)
{
    for (size_t i = 0; i < value_len(v); i++)
        if (str_eq_fold(value_key(&v->items[i]), name))
            return true;
    return false;
}

bool results_check_json(struct arena *a, const struct source *source, struct err *e)
{
    const struct read_options options = {.go = true, .any_number = true};
    struct value *root;

    if (!json_read(a, source, &options, &root, e))
        return false;
    if (value_is(root, VALUE_OBJECT) && has_member(root, STR("Summary")) &&
        has_member(root, STR("Diffs")))
        return true;
    return err_set(e, ERR_INVALID, "it has no Summary and Diffs");
}

bool results_from_json(struct arena *a, const struct source *src, struct results *out,
                       struct err *e)
{
    const struct read_options options = {.go = true, .any_number = true};
    struct value *root;

    if (!json_read(a, src, &options, &root, e) ||
        !schema_decode(a, &output_schema, SCHEMA_JSON, root, e))
        return false;
    fill(a, root, out);
    return true;
}
