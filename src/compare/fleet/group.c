/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.c - finds what the sites of a fleet have in common: equal findings become one, rare ones
 * come first, and sites are ordered by how much they differ from the majority.
 */
#include <openssl/evp.h>

#include "compare/fleet/internal.h"
#include "compare/explain/trace_internal.h"
#include "text/json/json.h"

/* Bytes of SHA-256 that are kept. */
#define DIGEST_BYTES 16

struct fleet_groups {
    struct arena *arena;
    struct fleet *fleet;
    struct map *known; /* digest to index + 1 */
    size_t text_bytes;
};

/* ---- Identity. ---- */

static void add_value(struct buf *out, const struct value *v)
{
    static const struct json_style style = {.sorted = true, .numbers = NUMBERS_EXACT};
    AUTO_ERR e = {0};

    buf_char(out, v ? '=' : '-');
    (void)!(v && json_write(out, v, &style, &e));
    buf_char(out, '\0');
}

static void add_fields(struct buf *out, const struct result_fields *fields)
{
    for (size_t i = 0; i < fields->len; i++) {
        const struct result_field *f = &fields->items[i];
        buf_fmt(out, "%.*s%c%d", STR_ARG(f->path), 0, (int)f->kind);
        add_value(out, f->expected);
        add_value(out, f->actual);
    }
}

/* Only lines that differ: others hold values of the site. */
static void add_lines(struct buf *out, str text)
{
    str line, rest = text;

    while (str_next_line(&rest, &line))
        if (str_has_prefix(line, STR("-")) || str_has_prefix(line, STR("+")))
            buf_fmt(out, "%.*s\n", STR_ARG(line));
}

static str digest_of(struct arena *a, const struct buf *text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int len = 0;

    EVP_Digest(text->data, text->len, digest, &len, EVP_sha256(), NULL);
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        buf_fmt(&out, "%02x", digest[i]);
    return buf_str(&out);
}

void fleet_digest(struct arena *a, struct fleet_finding *f)
{
    const str texts[] = {f->template, f->part, f->component, f->message};
    AUTO_ARENA scratch = arena_new();
    struct buf out = buf_new(scratch, BUF_UNLIMITED);

    buf_fmt(&out, "%d", (int)f->kind);
    for (size_t i = 0; i < COUNT(texts); i++)
        buf_fmt(&out, "%.*s%c", STR_ARG(texts[i]), 0);
    if (f->fields.len && !f->fields.cut)
        add_fields(&out, &f->fields);
    else
        add_lines(&out, f->text);
    f->shape = digest_of(a, &out);
    buf_add(&out, f->object);
    f->digest = digest_of(a, &out);
}

/* ---- Adding. ---- */

struct fleet_groups *fleet_groups_new(struct arena *a, struct fleet *fleet)
{
    struct fleet_groups *g = ARENA_NEW(a, struct fleet_groups);

    g->arena = a;
    g->fleet = fleet;
    g->known = map_new(a);
    return g;
}

void fleet_finding_copy(struct arena *a, const struct fleet_finding *from, bool texts,
                        struct fleet_finding *out)
{
    *out = (struct fleet_finding){.kind = from->kind,
                                  .digest = str_copy(a, from->digest),
                                  .shape = str_copy(a, from->shape),
                                  .object = str_copy(a, from->object),
                                  .template = from->template,
                                  .description = from->description,
                                  .part = from->part,
                                  .component = from->component,
                                  .message = str_copy(a, from->message),
                                  .cut = from->cut || !texts};
    if (out->cut)
        return;
    out->text = str_copy(a, from->text);
    fields_copy(a, &from->fields, &out->fields);
    for (size_t i = 0; i < out->fields.len; i++)
        out->fields.items[i].object = (struct result_place){0};
}

static size_t index_of(struct fleet_groups *g, const struct fleet_finding *finding)
{
    uintptr_t at = (uintptr_t)map_get(g->known, finding->digest);
    size_t before = arena_used(g->arena);

    if (at)
        return at - 1;
    struct fleet_finding *added = VEC_ADD(g->arena, &g->fleet->findings);
    fleet_finding_copy(g->arena, finding, g->text_bytes < FLEET_TEXT_MAX, added);
    g->text_bytes += arena_used(g->arena) - before;
    map_set(g->known, added->digest, (void *)(uintptr_t)g->fleet->findings.len);
    return g->fleet->findings.len - 1;
}

void fleet_groups_add(struct fleet_groups *g, size_t site, const struct fleet_finding *finding)
{
    struct fleet_finding named = *finding;

    if (!named.digest.len)
        fleet_digest(g->arena, &named);
    size_t index = index_of(g, &named);
    struct fleet_finding *f = &g->fleet->findings.items[index];
    if (f->sites.len && f->sites.items[f->sites.len - 1] == site)
        return;
    VEC_PUSH(g->arena, &f->sites, (uint32_t)site);
}

/* ---- Order. ---- */

/* The rarest first; among equals by what they are about, those that are alike together. */
static int compare_findings(const void *x, const void *y)
{
    const struct fleet_finding *p = x, *q = y;
    bool other = p->kind == FLEET_UNMATCHED;
    int order;

    if (other != (q->kind == FLEET_UNMATCHED))
        return other ? 1 : -1;
    if (p->sites.len != q->sites.len)
        return p->sites.len < q->sites.len ? -1 : 1;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    order = str_cmp(p->template, q->template);
    if (!order && p->alike != q->alike)
        order = p->alike < q->alike ? -1 : 1;
    if (!order)
        order = str_cmp(p->object, q->object);
    if (!order && p->sites.len)
        order = (p->sites.items[0] > q->sites.items[0]) - (p->sites.items[0] < q->sites.items[0]);
    return order ? order : str_cmp(p->digest, q->digest);
}

static int compare_profiles(const void *x, const void *y)
{
    const struct fleet_profile *p = x, *q = y;

    if (p->apart != q->apart)
        return p->apart > q->apart ? -1 : 1;
    if (p->sites.len != q->sites.len)
        return p->sites.len < q->sites.len ? -1 : 1;
    return p->sites.items[0] < q->sites.items[0] ? -1 : 1;
}

static bool is_alike(const struct fleet_finding *x, const struct fleet_finding *y)
{
    return x->kind == FLEET_DIFFERS && y->kind == FLEET_DIFFERS && x->sites.len == y->sites.len &&
           str_eq(x->shape, y->shape);
}

/* Sorted already: those of one shape are to stand where its first one does. */
static void rank_shapes(struct fleet_groups *g)
{
    struct map *first = map_new(g->arena);

    for (size_t i = 0; i < g->fleet->findings.len; i++) {
        struct fleet_finding *f = &g->fleet->findings.items[i];
        uintptr_t rank = (uintptr_t)map_get(first, f->shape);
        f->alike = rank ? rank : i + 1;
        if (!rank)
            map_set(first, f->shape, (void *)(uintptr_t)f->alike);
    }
}

static void sort_findings(const struct fleet *fleet)
{
    if (fleet->findings.len)
        qsort(fleet->findings.items, fleet->findings.len, sizeof(*fleet->findings.items),
              compare_findings);
}

static void count_alike(struct fleet *fleet)
{
    struct fleet_finding *items = fleet->findings.items;

    for (size_t i = 0, end; i < fleet->findings.len; i = end) {
        for (end = i + 1; end < fleet->findings.len && is_alike(&items[i], &items[end]);)
            end++;
        for (size_t k = i; k < end; k++)
            items[k].alike = k == i ? end - i : 0;
    }
}

static void count_sites(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->sites.len; i++) {
        const struct fleet_site *s = &fleet->sites.items[i];
        bool failed = s->error.len > 0;
        fleet->failed += failed;
        fleet->compared += !failed;
        fleet->with_unmatched += s->unmatched > 0;
        if (!failed)
            fleet->states[verdict_state(&s->verdict)]++;
    }
}

static void take_finding(struct fleet_groups *g, size_t index)
{
    struct fleet_finding *f = &g->fleet->findings.items[index];

    f->common = 2 * f->sites.len > g->fleet->compared;
    g->fleet->kinds[f->kind]++;
    for (size_t i = 0; i < f->sites.len; i++) {
        struct fleet_site *site = &g->fleet->sites.items[f->sites.items[i]];
        VEC_PUSH(g->arena, &site->findings, (uint32_t)index);
        site->counts[f->kind]++;
    }
}

/* common: how many findings most sites have. What others lack says nothing of incomplete sites. */
static void measure_site(const struct fleet *fleet, struct fleet_site *site,
                         const size_t common[FLEET_KINDS])
{
    bool incomplete = fleet_site_is_incomplete(site);
    size_t expected = common[FLEET_DIFFERS] + (incomplete ? 0 : common[FLEET_MISSING]);

    for (size_t i = 0; i < site->findings.len; i++) {
        const struct fleet_finding *f = &fleet->findings.items[site->findings.items[i]];
        if (f->kind == FLEET_UNMATCHED)
            continue;
        if (!f->common)
            site->apart++;
        else if (f->kind == FLEET_DIFFERS || !incomplete)
            expected--;
    }
    site->apart += expected;
}

/* The findings of a site, as bytes. Unmatched objects, which come last, do not count. */
static str profile_key(const struct fleet_site *site)
{
    size_t count = site->findings.len - site->counts[FLEET_UNMATCHED];

    return str_of((const char *)site->findings.items, count * sizeof(uint32_t));
}

static void add_profiles(struct fleet_groups *g)
{
    struct fleet *fleet = g->fleet;
    struct map *known = map_new(g->arena);

    for (size_t i = 0; i < fleet->sites.len; i++) {
        const struct fleet_site *site = &fleet->sites.items[i];
        if (site->error.len)
            continue;
        str key = profile_key(site);
        uintptr_t at = (uintptr_t)map_get(known, key);
        if (!at) {
            VEC_ADD(g->arena, &fleet->profiles)->apart = site->apart;
            at = fleet->profiles.len;
            map_set(known, key, (void *)at);
        }
        VEC_PUSH(g->arena, &fleet->profiles.items[at - 1].sites, (uint32_t)i);
    }
    if (fleet->profiles.len)
        qsort(fleet->profiles.items, fleet->profiles.len, sizeof(*fleet->profiles.items),
              compare_profiles);
}

void fleet_groups_finish(struct fleet_groups *g)
{
    struct fleet *fleet = g->fleet;
    size_t common[FLEET_KINDS] = {0};

    count_sites(fleet);
    sort_findings(fleet);
    rank_shapes(g);
    sort_findings(fleet);
    count_alike(fleet);
    for (size_t i = 0; i < fleet->findings.len; i++) {
        take_finding(g, i);
        common[fleet->findings.items[i].kind] += fleet->findings.items[i].common;
    }
    for (size_t i = 0; i < fleet->sites.len; i++) {
        struct fleet_site *site = &fleet->sites.items[i];
        if (site->error.len)
            continue;
        measure_site(fleet, site, common);
        fleet->drifting += fleet_site_drifts(site);
        fleet->undecided += fleet_site_is_incomplete(site) && !fleet_site_drifts(site);
    }
    add_profiles(g);
}
