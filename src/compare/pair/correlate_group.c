/* SPDX-License-Identifier: Apache-2.0 */
/*
 * correlate_group.c - the correlator that compares groups of fields.
 *
 * Each candidate belongs to the first group whose fields it sets completely. An object is looked up
 * in the groups in order, by its own values; all candidates with these values in the first group
 * that has any are returned.
 */
#include "compare/pair/correlate_internal.h"
#include "compare/log_buffer_internal.h"
#include "compare/input/object_internal.h"

/* The candidates of a group that share all values. */
struct bucket {
    size_t *items;
    size_t len, cap;
};

struct group_correlator {
    struct correlator base;
    field_groups groups;
    struct map **tables; /* one per group: joined values to struct bucket */
};

/*
 * Groups in the order in which the original tries them: by size, and among equals as its sorting
 * happened to leave them.
 */
const enum field *const template_groups[] = {
    FIELDS(FIELD_API_VERSION, FIELD_NAME, FIELD_NAMESPACE, FIELD_KIND),
    FIELDS(FIELD_API_VERSION, FIELD_NAME, FIELD_KIND),
    FIELDS(FIELD_NAME, FIELD_NAMESPACE, FIELD_KIND),
    FIELDS(FIELD_API_VERSION, FIELD_NAMESPACE, FIELD_KIND),
    FIELDS(FIELD_API_VERSION, FIELD_KIND),
    FIELDS(FIELD_NAMESPACE, FIELD_KIND),
    FIELDS(FIELD_NAME, FIELD_KIND),
    FIELDS(FIELD_KIND),
    NULL,
};

const enum field *const override_groups[] = {
    FIELDS(FIELD_API_VERSION, FIELD_NAME, FIELD_NAMESPACE, FIELD_KIND),
    FIELDS(FIELD_API_VERSION, FIELD_NAMESPACE, FIELD_KIND),
    FIELDS(FIELD_NAME, FIELD_NAMESPACE, FIELD_KIND),
    FIELDS(FIELD_API_VERSION, FIELD_NAME, FIELD_KIND),
    FIELDS(FIELD_NAME, FIELD_KIND),
    FIELDS(FIELD_NAMESPACE, FIELD_KIND),
    FIELDS(FIELD_API_VERSION, FIELD_KIND),
    FIELDS(FIELD_KIND),
    NULL,
};

static const char *const field_names[] = {"apiVersion", "metadata_name", "metadata_namespace",
                                          "kind"};

static str field_of(const struct identity *id, enum field f)
{
    switch (f) {
    case FIELD_API_VERSION:
        return id->api_version;
    case FIELD_NAME:
        return id->name;
    case FIELD_NAMESPACE:
        return id->namespace;
    case FIELD_KIND:
    case FIELD_COUNT:
        break;
    }
    return id->kind;
}

/* The values of a group joined by "_"; false when one is missing. */
static bool group_key(struct arena *a, const enum field *group, const struct identity *id, str *out)
{
    str values[FIELD_COUNT];
    size_t count = 0;

    for (; group[count] != FIELD_COUNT; count++) {
        values[count] = field_of(id, group[count]);
        if (!values[count].len)
            return false;
    }
    *out = str_join(a, values, count, STR("_"));
    return true;
}

/* The first group that has candidates with the values of the object; *group is its number. */
static const struct bucket *find_bucket(const struct group_correlator *g, const struct object *o,
                                        size_t *group)
{
    AUTO_ARENA scratch = arena_new();

    for (size_t i = 0; g->groups[i]; i++) {
        const struct bucket *b;
        str key;
        if (map_len(g->tables[i]) == 0 || !group_key(scratch, g->groups[i], &o->identity, &key))
            continue;
        b = map_get(g->tables[i], key);
        if (!b)
            continue;
        *group = i;
        return b;
    }
    return NULL;
}

static bool find_group(const struct correlator *c, const struct object *o, const size_t **found,
                       size_t *count)
{
    size_t group;
    const struct bucket *b = find_bucket((const struct group_correlator *)c, o, &group);

    if (!b)
        return false;
    *found = b->items;
    *count = b->len;
    return true;
}

static str reason_group(const struct correlator *c, struct arena *a, const struct object *o)
{
    static const char *const shown[] = {"apiVersion", "metadata.name", "metadata.namespace",
                                        "kind"};
    const struct group_correlator *g = (const struct group_correlator *)c;
    str names[FIELD_COUNT];
    size_t group, count = 0;

    if (!find_bucket(g, o, &group))
        return STR_NONE;
    for (; g->groups[group][count] != FIELD_COUNT; count++)
        names[count] = str_c(shown[g->groups[group][count]]);
    return str_fmt(a, "it has the same %.*s", STR_ARG(str_join(a, names, count, STR(", "))));
}

bool group_find(struct arena *a, field_groups groups, const struct identity *id, size_t *group,
                str *key)
{
    for (*group = 0; groups[*group]; ++*group)
        if (group_key(a, groups[*group], id, key))
            return true;
    return false;
}

static void add_candidate(struct arena *a, struct group_correlator *g, const struct candidate *c,
                          size_t index)
{
    struct bucket *b;
    size_t group;
    str key;

    if (!group_find(a, g->groups, &c->identity, &group, &key))
        return;
    b = map_get(g->tables[group], key);
    if (!b) {
        b = ARENA_NEW(a, struct bucket);
        map_set(g->tables[group], key, b);
    }
    VEC_PUSH(a, b, index);
}

/* ---- Overlaps. ---- */

static int compare_strs(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

static str overlap_text(struct arena *a, const enum field *group, const struct bucket *b,
                        const struct candidate *candidates)
{
    str names[FIELD_COUNT];
    str *shown = ARENA_ARRAY(a, str, b->len);
    size_t count = 0;

    for (; group[count] != FIELD_COUNT; count++)
        names[count] = str_c(field_names[group[count]]);
    for (size_t i = 0; i < b->len; i++)
        shown[i] = candidates[b->items[i]].shown;
    qsort(shown, b->len, sizeof(str), compare_strs);
    return str_fmt(a,
                   "More than one template with same %.*s. By Default for each Cluster CR that is "
                   "correlated to one of these templates the template with the least number of "
                   "diffs will be used. To use a different template for a specific CR specify it "
                   "in the diff-config (-c flag) Template names are: %.*s",
                   STR_ARG(str_join(a, names, count, STR(", "))),
                   STR_ARG(str_join(a, shown, b->len, STR(", "))));
}

static void warn_overlaps(struct arena *a, const struct group_correlator *g, size_t group,
                          const struct candidate *candidates, struct log_buffer *log)
{
    const struct map *table = g->tables[group];
    struct str_list keys = {0}, texts = {0};

    for (size_t i = 0; i < map_len(table); i++)
        if (((const struct bucket *)map_at(table, i))->len > 1)
            VEC_PUSH(a, &keys, map_key(table, i));
    if (!keys.len)
        return;
    if (!log->verbose) {
        log_buffer_warn(log,
                        "The reference contains overlapping object definitions which may result in "
                        "unexpected correlation results. Re-run with '--verbose' output enabled to "
                        "view a detailed description of the issues");
        return;
    }
    qsort(keys.items, keys.len, sizeof(str), compare_strs);
    for (size_t i = 0; i < keys.len; i++)
        VEC_PUSH(a, &texts,
                 overlap_text(a, g->groups[group], map_get(table, keys.items[i]), candidates));
    log_buffer_warn(log, "%.*s", STR_ARG(str_join(a, texts.items, texts.len, STR("\n"))));
}

struct correlator *correlate_group(struct arena *a, field_groups groups,
                                   const struct candidate *candidates, size_t count,
                                   struct log_buffer *log)
{
    struct group_correlator *g = ARENA_NEW(a, struct group_correlator);
    size_t group_count = 0;

    while (groups[group_count])
        group_count++;
    g->base.find = find_group;
    g->base.reason = reason_group;
    g->groups = groups;
    g->tables = ARENA_ARRAY(a, struct map *, group_count);
    for (size_t i = 0; i < group_count; i++)
        g->tables[i] = map_new(a);
    for (size_t i = 0; i < count; i++)
        add_candidate(a, g, &candidates[i], i);
    for (size_t i = 0; i < group_count; i++)
        warn_overlaps(a, g, i, candidates, log);
    return &g->base;
}
