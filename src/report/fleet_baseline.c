/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_baseline.c - compares a fleet with an earlier report: what is new, remains, or is fixed. */
#include "report/fleet_baseline.h"
#include "report/fleet_internal.h"
#include "text/json/json.h"

/* A finding of the earlier report. */
struct known {
    struct fleet_finding finding;
    struct map *sites; /* names; a set */
};

struct known_list {
    struct known **items;
    size_t len, cap;
};

struct fleet_earlier {
    str file, hash;
    struct known_list all;
    struct map *by_subject; /* subject_of to struct known_list */
};

/* The subject of a finding: an object, or what should exist. */
static str subject_of(struct arena *a, const struct fleet_finding *x)
{
    if (x->kind == FLEET_DIFFERS)
        return str_fmt(a, "object %.*s", STR_ARG(x->object));
    return str_fmt(a, "%.*s%c%.*s%c%.*s%c%.*s", STR_ARG(x->part), 0, STR_ARG(x->component), 0,
                   STR_ARG(x->message), 0, STR_ARG(x->template));
}

/* ---- Reading. ---- */

static struct known *read_known(struct arena *a, const struct value *v, enum fleet_kind kind)
{
    struct known *k = ARENA_NEW(a, struct known);
    const struct value *sites = value_get(v, STR("Sites"));

    fleet_read_finding(a, v, &k->finding);
    k->finding.kind = kind;
    k->sites = map_new(a);
    for (size_t i = 0; i < value_len(sites); i++)
        map_set(k->sites, value_str(value_at(sites, i)), k);
    return k;
}

static void add_known(struct arena *a, struct fleet_earlier *earlier, struct known *k)
{
    str subject = subject_of(a, &k->finding);
    struct known_list *list = map_get(earlier->by_subject, subject);

    if (!list) {
        list = ARENA_NEW(a, struct known_list);
        map_set(earlier->by_subject, subject, list);
    }
    VEC_PUSH(a, list, k);
    VEC_PUSH(a, &earlier->all, k);
}

static bool read_report(struct arena *a, const struct source *source, struct fleet_earlier *out,
                        struct err *e)
{
    struct value *root;
    enum fleet_kind kind;

    if (!json_read(a, source, NULL, &root, e))
        return false;
    const struct value *findings = value_get(root, STR("Findings"));
    if (!value_is(findings, VALUE_LIST) || !value_get(root, STR("Sites")))
        return err_set(e, ERR_INVALID, "it has no Findings and Sites");
    out->hash = value_get_str(value_get(root, STR("Summary")), STR("MetadataHash"));
    for (size_t i = 0; i < findings->len; i++)
        if (fleet_read_kind(&findings->items[i], &kind) && kind != FLEET_UNMATCHED)
            add_known(a, out, read_known(a, &findings->items[i], kind));
    return true;
}

bool fleet_baseline_read(struct arena *a, str path, struct fleet_earlier **out, struct err *e)
{
    struct source *source = ARENA_NEW(a, struct source);

    *out = ARENA_NEW(a, struct fleet_earlier);
    (*out)->file = path;
    (*out)->by_subject = map_new(a);
    source->file = path;
    if (!file_read(a, path, &source->text, e))
        return err_wrap(e, "the baseline cannot be read");
    if (read_report(a, source, *out, e))
        return true;
    return err_wrap(e,
                    "the baseline %.*s is not a fleet report; write one with --fleet and -o json",
                    STR_ARG(path));
}

/* ---- Comparing. ---- */

/* Whether all fields that differ now differed before, with the same actual values. */
static bool has_fields(const struct result_fields *before, const struct result_fields *now)
{
    AUTO_ARENA a = arena_new();
    struct map *known = map_new(a);
    bool all = true;

    for (size_t i = 0; i < before->len; i++)
        map_set(known, before->items[i].path, &before->items[i]);
    for (size_t i = 0; i < now->len && all; i++) {
        const struct result_field *f = map_get(known, now->items[i].path);
        all = f && value_equal(f->actual, now->items[i].actual);
    }
    return all;
}

/* Whether a site that had the earlier finding is not worse off with the current one. */
static bool covers(const struct fleet_finding *before, const struct fleet_finding *now)
{
    if (now->kind == FLEET_MISSING || str_eq(before->digest, now->digest))
        return true;
    if (before->cut || now->cut || now->fields.cut || !before->fields.len || !now->fields.len)
        return false;
    return has_fields(&before->fields, &now->fields);
}

/* before: what the earlier report has about the same subject; or NULL. */
static void find_fresh(struct arena *a, const struct known_list *before, struct fleet *f,
                       struct fleet_finding *x)
{
    struct known_list covering = {0};

    for (size_t i = 0; before && i < before->len; i++)
        if (covers(&before->items[i]->finding, x))
            VEC_PUSH(a, &covering, before->items[i]);
    for (size_t i = 0; i < x->sites.len; i++) {
        str name = f->sites.items[x->sites.items[i]].name;
        bool had = false;
        for (size_t k = 0; k < covering.len && !had; k++)
            had = map_has(covering.items[k]->sites, name);
        if (!had)
            VEC_PUSH(a, &x->fresh, x->sites.items[i]);
    }
    f->baseline.fresh += x->fresh.len;
    f->baseline.remaining += x->sites.len - x->fresh.len;
}

/* Which sites have findings about a subject now: subject to a flag for each site. */
static struct map *flags_by_subject(struct arena *a, const struct fleet *f)
{
    struct map *out = map_new(a);

    for (size_t i = 0; i < f->findings.len; i++) {
        const struct fleet_finding *x = &f->findings.items[i];
        str subject = subject_of(a, x);
        bool *flags = map_get(out, subject);
        if (x->kind == FLEET_UNMATCHED)
            continue;
        if (!flags) {
            flags = ARENA_ARRAY(a, bool, f->sites.len);
            map_set(out, subject, flags);
        }
        for (size_t k = 0; k < x->sites.len; k++)
            flags[x->sites.items[k]] = true;
    }
    return out;
}

/* What is missing in an incomplete site may be in its unreadable part. */
static void find_fixed(struct arena *a, const struct known *k, const bool *flags, struct fleet *f)
{
    struct fleet_fixed fixed = {.kind = k->finding.kind,
                                .object = k->finding.object,
                                .template = k->finding.template,
                                .message = k->finding.message};

    for (size_t i = 0; i < f->sites.len; i++) {
        const struct fleet_site *s = &f->sites.items[i];
        bool known = !s->error.len && !fleet_site_is_incomplete(s);
        if (known && !(flags && flags[i]) && map_has(k->sites, s->name))
            VEC_PUSH(a, &fixed.sites, (uint32_t)i);
    }
    f->baseline.fixed += fixed.sites.len;
    if (fixed.sites.len)
        VEC_PUSH(a, &f->baseline.gone, fixed);
}

void fleet_baseline_apply(struct arena *a, const struct fleet_earlier *earlier, struct fleet *f)
{
    AUTO_ARENA scratch = arena_new();
    struct map *now = flags_by_subject(scratch, f);

    f->baseline.file = earlier->file;
    f->baseline.hash = earlier->hash;
    for (size_t i = 0; i < f->findings.len; i++) {
        struct fleet_finding *x = &f->findings.items[i];
        if (x->kind != FLEET_UNMATCHED)
            find_fresh(a, map_get(earlier->by_subject, subject_of(scratch, x)), f, x);
    }
    for (size_t i = 0; i < earlier->all.len; i++) {
        const struct known *k = earlier->all.items[i];
        find_fixed(a, k, map_get(now, subject_of(scratch, &k->finding)), f);
    }
}
