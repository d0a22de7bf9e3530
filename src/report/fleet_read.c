/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_read.c - reads a fleet from its JSON report: the counterpart of fleet_tree.c. What follows
 * from sites and findings (order, totals, how unusual sites are) is computed again.
 */
#include "report/fleet_read.h"
#include "report/fleet_internal.h"
#include "text/json/json.h"

struct reading {
    struct arena *arena;
    struct fleet *fleet;
    struct map *names;    /* of sites, to index + 1 */
    struct map *findings; /* digests, to their nodes */
};

static bool is_report(const struct value *root)
{
    return value_is(value_get(root, STR("Findings")), VALUE_LIST) &&
           value_is(value_get(root, STR("Sites")), VALUE_LIST);
}

bool fleet_is_report(const struct source *source)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct value *root;

    /* Reports of a single site may be large, but do not have this member. */
    return str_contains(source->text, STR("\"Findings\"")) &&
           json_read(a, source, NULL, &root, &e) && is_report(root);
}

/* ---- Sites. ---- */

static bool read_site(struct reading *r, const struct value *v, struct err *e)
{
    struct fleet *f = r->fleet;
    struct results verdict = {0};
    struct fleet_site s = {.name = value_get_str(v, STR("Name")),
                           .source = value_get_str(v, STR("Source")),
                           .error = value_get_str(v, STR("Error")),
                           .differing = report_count_at(v, "NumDiffCRs"),
                           .missing = report_count_at(v, "NumMissing"),
                           .not_found = report_count_at(v, "NumNotFound"),
                           .unmatched = report_count_at(v, "NumUnmatched"),
                           .total = report_count_at(v, "TotalCRs"),
                           .patched = report_count_at(v, "patchedCRs"),
                           .warnings = report_count_at(v, "NumWarnings")};

    if (!s.name.len || map_has(r->names, s.name))
        return err_set(e, ERR_INVALID, "Sites[%zu] has no name, or that of another one",
                       f->sites.len);
    if (f->sites.len == FLEET_SITES_MAX)
        return err_set(e, ERR_LIMIT, "it has more than %d sites", FLEET_SITES_MAX);
    results_read_more(r->arena, v, &verdict);
    s.verdict = verdict.verdict;
    s.verdict.known |= !s.error.len; /* no verdict: not complete */
    VEC_PUSH(r->arena, &f->sites, s);
    map_set(r->names, s.name, (void *)(uintptr_t)f->sites.len);
    return true;
}

/* Names to indexes, ascending, each once. Sites that were not compared have no findings. */
static bool read_names(const struct reading *r, const struct value *list, struct fleet_indexes *out,
                       struct err *e)
{
    size_t count = value_is(list, VALUE_LIST) ? list->len : 0, kept = 0;

    for (size_t i = 0; i < count; i++) {
        str name = value_str(value_at(list, i));
        uintptr_t at = (uintptr_t)map_get(r->names, name);
        if (!at || r->fleet->sites.items[at - 1].error.len)
            return err_set(e, ERR_INVALID, "a finding names the site \"%.*s\", which %s",
                           STR_ARG(name), at ? "was not compared" : "is not there");
        VEC_PUSH(r->arena, out, (uint32_t)(at - 1));
    }
    if (count)
        qsort(out->items, out->len, sizeof(*out->items), fleet_compare_indexes);
    for (size_t i = 0; i < out->len; i++)
        if (!kept || out->items[kept - 1] != out->items[i])
            out->items[kept++] = out->items[i];
    out->len = kept;
    return true;
}

/* ---- Findings. ---- */

bool fleet_read_kind(const struct value *v, enum fleet_kind *out)
{
    str name = value_get_str(v, STR("Kind"));

    for (*out = FLEET_DIFFERS; *out <= FLEET_UNMATCHED; ++*out)
        if (str_eq(name, str_c(fleet_kind_name(*out))))
            return true;
    return false;
}

void fleet_read_finding(struct arena *a, const struct value *v, struct fleet_finding *out)
{
    struct result_diff diff = {0};

    results_read_fields(a, value_get(v, STR("Differences")), &diff);
    out->digest = value_get_str(v, STR("Digest"));
    out->shape = value_get_str(v, STR("DiffDigest"));
    out->object = value_get_str(v, STR("CRName"));
    out->template = value_get_str(v, STR("CorrelatedTemplate"));
    out->description = value_get_str(v, STR("description"));
    out->part = value_get_str(v, STR("part"));
    out->component = value_get_str(v, STR("component"));
    out->message = value_get_str(v, STR("Msg"));
    out->text = value_get_str(v, STR("DiffOutput"));
    out->fields = diff.fields;
    out->cut = value_is_true(value_get(v, STR("MoreDifferences")));
}

static bool add_finding(struct reading *r, struct fleet_groups *groups, const struct value *v,
                        struct err *e)
{
    struct fleet_finding x = {0};
    struct fleet_indexes sites = {0};

    fleet_read_finding(r->arena, v, &x);
    /* Some fields are better than none. */
    x.fields.cut = x.cut;
    x.cut = x.cut && !x.fields.len && !x.text.len;
    if (!x.shape.len)
        x.shape = x.digest;
    if (!fleet_read_kind(v, &x.kind) || !x.digest.len || map_has(r->findings, x.digest))
        return err_set(e, ERR_INVALID,
                       "Findings[%zu] has no Kind that is known, or no Digest of "
                       "its own",
                       map_len(r->findings));
    map_set(r->findings, x.digest, (void *)v);
    if (!read_names(r, value_get(v, STR("Sites")), &sites, e))
        return false;
    for (size_t i = 0; i < sites.len; i++)
        fleet_groups_add(groups, sites.items[i], &x);
    return true;
}

/* ---- An earlier report. ---- */

static bool read_fixed(struct reading *r, const struct value *v, struct err *e)
{
    struct fleet_fixed x = {.object = value_get_str(v, STR("CRName")),
                            .template = value_get_str(v, STR("CorrelatedTemplate")),
                            .message = value_get_str(v, STR("Msg"))};

    if (!fleet_read_kind(v, &x.kind))
        return err_set(e, ERR_INVALID, "Baseline.Fixed has an entry without a Kind that is known");
    if (!read_names(r, value_get(v, STR("Sites")), &x.sites, e))
        return false;
    VEC_PUSH(r->arena, &r->fleet->baseline.gone, x);
    return true;
}

static bool read_baseline(struct reading *r, const struct value *v, struct err *e)
{
    struct fleet *f = r->fleet;
    const struct value *fixed = value_get(v, STR("Fixed"));

    f->baseline = (struct fleet_baseline){.file = value_get_str(v, STR("File")),
                                          .hash = value_get_str(v, STR("MetadataHash")),
                                          .fresh = report_count_at(v, "NumNew"),
                                          .remaining = report_count_at(v, "NumRemaining"),
                                          .fixed = report_count_at(v, "NumFixed")};
    for (size_t i = 0; i < f->findings.len; i++) {
        const struct value *node = map_get(r->findings, f->findings.items[i].digest);
        if (!read_names(r, value_get(node, STR("NewSites")), &f->findings.items[i].fresh, e))
            return false;
    }
    for (size_t i = 0; value_is(fixed, VALUE_LIST) && i < fixed->len; i++)
        if (!read_fixed(r, value_at(fixed, i), e))
            return false;
    return true;
}

/* ---- The whole. ---- */

static bool read_fleet(struct reading *r, const struct value *root, struct err *e)
{
    const struct value *summary = value_get(root, STR("Summary"));
    const struct value *sites = value_get(root, STR("Sites"));
    const struct value *findings = value_get(root, STR("Findings"));
    const struct value *baseline = value_get(root, STR("Baseline"));
    struct fleet_groups *groups = fleet_groups_new(r->arena, r->fleet);

    r->fleet->reference = value_get_str(summary, STR("Reference"));
    r->fleet->hash = value_get_str(summary, STR("MetadataHash"));
    r->fleet->overrides = value_get_str(summary, STR("Overrides"));
    for (size_t i = 0; i < sites->len; i++)
        if (!read_site(r, value_at(sites, i), e))
            return false;
    for (size_t i = 0; i < findings->len; i++)
        if (!add_finding(r, groups, value_at(findings, i), e))
            return false;
    fleet_groups_finish(groups);
    return !baseline || read_baseline(r, baseline, e);
}

bool fleet_from_json(struct arena *a, const struct source *source, struct fleet *out, struct err *e)
{
    struct reading r = {.arena = a, .fleet = out, .names = map_new(a), .findings = map_new(a)};
    struct value *root;

    *out = (struct fleet){0};
    if (!json_read(a, source, NULL, &root, e))
        return false;
    if (!is_report(root))
        return err_set(e, ERR_INVALID, "it has no Findings and Sites");
    return read_fleet(&r, root, e);
}
