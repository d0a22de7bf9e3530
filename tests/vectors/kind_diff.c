/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_diff.c - unified differences as GNU diff -u -N prints them.
 *
 *   old, new                  the texts; old_missing, new_missing: that file does not exist
 *   want                      the output from the first @@ line on
 *   binary                    instead: diff only said that binary files differ
 *   exit                      its exit status: 0 when there is no difference
 */
#include "vectors.h"

#include "diff/diff.h"

static str side(struct arena *a, const struct value *vector, const char *key)
{
    str text;

    return vector_text(a, vector, key, &text) ? text : STR_NONE;
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    static const str names[] = {STR_INIT("same"), STR_INIT("changed"), STR_INIT("binary")};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    str old = side(a, vector, "old"), new_ = side(a, vector, "new"), want = STR_NONE;
    bool binary = value_get(vector, STR("binary"));
    int64_t exit_status = 0;

    if (!binary && !vector_text(a, vector, "want", &want))
        return vector_differs(why, "vector", STR("neither want nor binary"), STR("one of them"));
    if (!value_to_i64(value_get(vector, STR("exit")), &exit_status))
        return vector_differs(why, "vector", STR("no exit"), STR("an exit status"));
    enum diff_result got = diff_unified(&out, old, new_, DIFF_CONTEXT);
    enum diff_result wanted = exit_status == 0 ? DIFF_SAME : binary ? DIFF_BINARY : DIFF_CHANGED;
    if (got != wanted)
        return vector_differs(why, "result", names[got], names[wanted]);
    return str_eq(buf_str(&out), want) || vector_differs(why, "hunks", buf_str(&out), want);
}

const struct vector_kind vector_diff = {
    .name = "diff",
    .help = "unified differences",
    .run = run,
};
