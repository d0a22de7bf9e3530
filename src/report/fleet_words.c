/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_words.c - short texts about fleets, shared by the formats. */
#include "report/fleet_internal.h"

/* Up to this many names are written out; else only the first of them. */
enum { NAMES_ALL = 6, NAMES_FIRST = 3 };

const char *fleet_kind_name(enum fleet_kind kind)
{
    static const char *const names[] = {
        [FLEET_DIFFERS] = "differs", [FLEET_MISSING] = "missing", [FLEET_UNMATCHED] = "unmatched"};

    return names[kind];
}

const char *fleet_site_state(const struct fleet_site *s)
{
    if (s->error.len)
        return "failed";
    if (fleet_site_drifts(s))
        return "drift";
    return fleet_site_is_incomplete(s) ? "undecided" : "clean";
}

str fleet_headline(struct arena *a, const struct fleet *f)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (!f->compared)
        buf_add(&out, STR("No site was compared"));
    else if (f->drifting)
        buf_fmt(&out, "%zu of %s drift%s", f->drifting, str_z(a, counted(a, f->compared, "site")),
                f->drifting == 1 ? "s" : "");
    else if (f->undecided)
        buf_fmt(&out, "No drift was found, and %s incomplete",
                str_z(a, f->undecided == 1 ? STR("1 site is")
                                           : str_fmt(a, "%zu sites are", f->undecided)));
    else if (f->compared == 1)
        buf_add(&out, STR("The site is as it should be"));
    else
        buf_fmt(&out, "All %zu sites are as they should be", f->compared);
    if (f->failed)
        buf_fmt(&out, ", %zu could not be compared", f->failed);
    return buf_str(&out);
}

str fleet_share(struct arena *a, const struct fleet *f, const struct fleet_finding *x)
{
    str share = str_fmt(a, "%zu of %s", x->sites.len, str_z(a, counted(a, f->compared, "site")));

    return x->fresh.len ? str_fmt(a, "%.*s, new in %zu", STR_ARG(share), x->fresh.len) : share;
}

int fleet_compare_indexes(const void *x, const void *y)
{
    const uint32_t *p = x, *q = y;

    return (*p > *q) - (*p < *q);
}

bool fleet_is_new(const struct fleet_finding *x, size_t site)
{
    uint32_t key = (uint32_t)site;

    return x->fresh.len &&
           bsearch(&key, x->fresh.items, x->fresh.len, sizeof(key), fleet_compare_indexes);
}

str fleet_names(struct arena *a, const struct fleet *f, const struct fleet_indexes *sites, bool all)
{
    size_t shown = all || sites->len <= NAMES_ALL ? sites->len : NAMES_FIRST;
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < shown; i++) {
        str name = f->sites.items[sites->items[i]].name;
        buf_fmt(&out, "%s%.*s", i ? ", " : "", STR_ARG(name));
    }
    if (shown < sites->len)
        buf_fmt(&out, " and %zu more", sites->len - shown);
    return buf_str(&out);
}

/* The compared sites that do not have it. */
static struct fleet_indexes others(struct arena *a, const struct fleet *f,
                                   const struct fleet_finding *x)
{
    struct fleet_indexes out = {0};
    size_t at = 0;

    for (size_t i = 0; i < f->sites.len; i++) {
        bool has = at < x->sites.len && x->sites.items[at] == i;
        at += has;
        if (!has && !f->sites.items[i].error.len)
            VEC_PUSH(a, &out, (uint32_t)i);
    }
    return out;
}

str fleet_who(struct arena *a, const struct fleet *f, const struct fleet_finding *x, bool all)
{
    size_t lacking = f->compared - x->sites.len;

    if (all || x->sites.len <= NAMES_ALL || lacking > NAMES_ALL)
        return fleet_names(a, f, &x->sites, all);
    if (!lacking)
        return STR("all");
    struct fleet_indexes rest = others(a, f, x);
    return str_concat(a, STR("all but "), fleet_names(a, f, &rest, true));
}

struct fleet_indexes fleet_sites_alike(struct arena *a, const struct fleet *f, size_t index)
{
    bool *has = ARENA_ARRAY(a, bool, f->sites.len);
    struct fleet_indexes out = {0};

    for (size_t i = index; i < index + f->findings.items[index].alike; i++)
        for (size_t k = 0; k < f->findings.items[i].sites.len; k++)
            has[f->findings.items[i].sites.items[k]] = true;
    for (size_t i = 0; i < f->sites.len; i++)
        if (has[i])
            VEC_PUSH(a, &out, (uint32_t)i);
    return out;
}

str fleet_object_text(struct arena *a, str id)
{
    struct object_name n = object_name_of(id);

    if (!n.kind.len)
        return id;
    return str_fmt(a, "%.*s %.*s%s%.*s", STR_ARG(n.kind), STR_ARG(n.namespace),
                   n.namespace.len ? "/" : "", STR_ARG(n.name));
}

str fleet_field_text(struct arena *a, const struct result_field *f, size_t max)
{
    str expected = field_text(a, f->expected, max), actual = field_text(a, f->actual, max);

    if (f->kind == RESULT_MISSING)
        return str_fmt(a, "%.*s: missing, %.*s is expected", STR_ARG(f->path), STR_ARG(expected));
    if (f->kind == RESULT_EXTRA)
        return str_fmt(a, "%.*s: %.*s is not expected", STR_ARG(f->path), STR_ARG(actual));
    return str_fmt(a, "%.*s: %.*s instead of %.*s", STR_ARG(f->path), STR_ARG(actual),
                   STR_ARG(expected));
}

str fleet_verdict(const struct fleet_site *s)
{
    return str_c(verdict_state_name(verdict_state(&s->verdict)));
}

str fleet_incomplete_text(struct arena *a, const struct fleet_site *s)
{
    if (s->error.len || s->verdict.complete)
        return STR_NONE;
    str failures = verdict_failures(a, &s->verdict);
    if (!s->not_found || !s->verdict.matched)
        return failures;
    return str_fmt(a, "%.*s, %.*s not found in the rest", STR_ARG(failures),
                   STR_ARG(counted(a, s->not_found, "template")));
}

str fleet_subject(struct arena *a, const struct fleet_finding *x)
{
    return x->object.len ? fleet_object_text(a, x->object) : x->template;
}

/* The most bytes of a value in a list of fields. */
#define WHAT_VALUE_MAX 120

str fleet_what(struct arena *a, const struct fleet_finding *x, size_t shown)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (x->kind == FLEET_MISSING)
        return issue_words(&(struct result_issue){.message = x->message});
    if (x->kind == FLEET_UNMATCHED)
        return STR(UNMATCHED_WORDS);
    for (size_t i = 0; i < x->fields.len && i < shown; i++) {
        const struct result_field *f = &x->fields.items[i];
        str change = field_change(a, f, WHAT_VALUE_MAX);
        buf_fmt(&out, "%s%.*s: %.*s", i ? "\n" : "", STR_ARG(f->path), STR_ARG(change));
    }
    if (x->fields.len > shown)
        buf_fmt(&out, "\nand %zu more", x->fields.len - shown);
    return out.len ? buf_str(&out) : STR("differs");
}
