/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share.c - bounded sharing: paths that others may change.
 *
 * Changes there are not drift, and a PUT with another cause sends the live value. One path is
 * shared by default: the count of a machine pool that Azure scales by itself (operator.md 8.4), in
 * AgentPools and in the pools of a ManagedCluster.
 */
#include "operator/detect/internal.h"

#define PATHS_MAX 100

static size_t read_paths(struct arena *a, str text, const struct path **out)
{
    struct path *paths = ARENA_ARRAY(a, struct path, PATHS_MAX);
    size_t count = 0, from = 0;

    *out = paths;
    for (size_t i = 0; i <= text.len && count < PATHS_MAX; i++) {
        bool end = i == text.len || text.ptr[i] == ',' || text.ptr[i] == ' ' ||
                   text.ptr[i] == '\n' || text.ptr[i] == '\t';
        if (!end)
            continue;
        str one = str_slice(text, from, i);
        from = i + 1;
        if (one.len && path_parse_dotted(a, one, &paths[count], NULL) && paths[count].len)
            count++;
    }
    return count;
}

struct sharing sharing_read(struct arena *a, str ignore, str additive)
{
    struct sharing s = {0};

    s.ignore_count = read_paths(a, ignore, &s.ignore);
    s.additive_count = read_paths(a, additive, &s.additive);
    return s;
}

static bool step_fits(const struct step *pattern, const struct step *step)
{
    if (pattern->kind == STEP_KEY && str_eq(pattern->key, STR("*")))
        return true;
    if (pattern->kind != step->kind)
        return false;
    if (step->kind == STEP_INDEX)
        return pattern->index == step->index;
    return str_eq_fold(pattern->key, step->key) &&
           (step->kind == STEP_KEY || str_eq(pattern->text, step->text));
}

/* Whether path matches pattern, or is below it. */
static bool is_inside(const struct path *path, const struct path *pattern)
{
    if (path->len < pattern->len)
        return false;
    for (size_t i = 0; i < pattern->len; i++)
        if (!step_fits(&pattern->steps[i], &path->steps[i]))
            return false;
    return true;
}

static bool any_inside(const struct path *path, const struct path *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_inside(path, &patterns[i]))
            return true;
    return false;
}

/* The object that has the last member of path. */
static const struct value *holder(const struct path *path, const struct value *root)
{
    struct path up = {.steps = path->steps, .len = path->len - 1};

    return path_resolve(&up, root);
}

/* The count of a pool with enableAutoScaling. */
static bool is_scaled_count(const struct detect *d, const struct path *path,
                            const struct value *found)
{
    const struct model_resource *r = d->resource;

    return path->len && str_eq(r->group, STR("containerservice.azure.com")) &&
           (str_eq(r->kind, STR("ManagedCluster")) ||
            str_eq(r->kind, STR("ManagedClustersAgentPool"))) &&
           path->steps[path->len - 1].kind == STEP_KEY &&
           str_eq(path->steps[path->len - 1].key, STR("count")) &&
           value_is_true(value_get(holder(path, found), STR("enableAutoScaling")));
}

static bool is_shared(struct detect *d, const struct deviation *f, const struct sharing *s,
                      const struct value *found)
{
    struct path path;

    if (!path_parse_dotted(d->arena, f->path, &path, NULL))
        return false;
    bool addition = f->kind == DIFFERENCE_ADDED || lists_extend(f->found, f->before);
    return any_inside(&path, s->ignore, s->ignore_count) ||
           (addition && any_inside(&path, s->additive, s->additive_count)) ||
           is_scaled_count(d, &path, found);
}

void deviations_drop_shared(struct detect *d, struct deviations *f, const struct sharing *s,
                            const struct value *found)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->count; i++)
        if (!is_shared(d, &f->items[i], s, found))
            f->items[kept++] = f->items[i];
    f->count = kept;
}

const struct value *sharing_carry(struct detect *d, const struct sharing *s,
                                  const struct value *payload, const struct value *wanted,
                                  const struct value *found)
{
    struct deviations all = detect_compare(d, NULL, wanted, found);
    struct value *out = NULL;

    for (size_t i = 0; i < all.count; i++) {
        const struct deviation *f = &all.items[i];
        struct path path;
        if (!f->found || f->hidden || !is_shared(d, f, s, found) ||
            !path_parse_dotted(d->arena, f->path, &path, NULL))
            continue;
        if (!out)
            out = value_clone(d->arena, payload);
        if (!path_set(d->arena, &path, out, f->found, NULL))
            continue;
    }
    return out ? out : payload;
}
