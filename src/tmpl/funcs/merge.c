/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - merge and mergeOverwrite, as mergo does it.
 *
 * The first map is changed. merge fills what is missing or empty there, mergeOverwrite replaces
 * what the others have; maps on both sides are merged in place. What is taken over is shared, not
 * copied.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"

static bool merge_maps(struct tmpl_call *c, struct tv into, struct tv from, bool overwrite,
                       unsigned depth);

static bool both(struct tv x, struct tv y, enum tv_kind kind)
{
    return tv_kind(x) == kind && tv_kind(y) == kind;
}

/* One entry of from. */
static bool merge_entry(struct tmpl_call *c, struct tv into, const struct tv_entry *e,
                        bool overwrite, unsigned depth)
{
    struct tv item = tv_concrete(e->item), old = tv_none();
    bool full;

    if (tv_get(c->rt, into, e->key, &old))
        old = tv_concrete(old);
    if (item.type == TV_INVALID) {
        if (overwrite)
            tv_set(c->rt, into, e->key, item);
        return true;
    }
    if (both(item, old, TV_KIND_MAP) && !tv_is_nil(old) &&
        !merge_maps(c, old, item, overwrite, depth + 1))
        return false;
    full = !is_empty(c->rt, old); /* an empty map may have been filled just now */
    if (full && both(item, old, TV_KIND_MAP))
        return true;
    if (!full || overwrite)
        tv_set(c->rt, into, e->key, item);
    return true;
}

static bool merge_maps(struct tmpl_call *c, struct tv into, struct tv from, bool overwrite,
                       unsigned depth)
{
    size_t n = tv_len(c->rt, from);
    struct tv_entry *e;

    if (depth > RT_DEPTH_MAX)
        return call_fail(c, "the value nests too deep");
    if (!call_room(c, 128 * (n + tv_len(c->rt, into) + 1)))
        return false;
    e = tv_entries(c->rt, from);
    for (size_t i = 0; i < n; i++)
        if (!merge_entry(c, into, &e[i], overwrite, depth))
            return false;
    return true;
}

static bool merge_all(struct tmpl_call *c, bool overwrite)
{
    struct tv into = arg_tv(c, 0);

    for (size_t i = 1; i < c->count; i++) {
        if (tv_is_nil(into) && !tv_is_nil(c->args[i]))
            into = tv_map_new(c->rt, TV_MAP);
        if (!tv_is_nil(c->args[i]) && !merge_maps(c, into, c->args[i], overwrite, 0))
            return false;
    }
    return return_tv(c, into);
}

static bool fn_merge(struct tmpl_call *c)
{
    return merge_all(c, false);
}

static bool fn_merge_overwrite(struct tmpl_call *c)
{
    return merge_all(c, true);
}

#define MERGE "func(map[string]any, ...map[string]any) any"
#define MUST_MERGE "func(map[string]any, ...map[string]any) (any, error)"

const struct tmpl_func tmpl_merge_funcs[] = {
    {"merge", MERGE, SPRIG, fn_merge, "Fill the first map from the others",
     "{{ merge (dict \"a\" 1) .map }}"},
    {"mergeOverwrite", MERGE, SPRIG, fn_merge_overwrite, "Lay the others upon the first map",
     "{{ mergeOverwrite (dict \"a\" 1) .map }}"},
    {"mustMerge", MUST_MERGE, SPRIG, fn_merge, "As merge", "{{ mustMerge (dict) .map }}"},
    {"mustMergeOverwrite", MUST_MERGE, SPRIG, fn_merge_overwrite, "As mergeOverwrite",
     "{{ mustMergeOverwrite (dict) .map }}"},
    {0},
};
