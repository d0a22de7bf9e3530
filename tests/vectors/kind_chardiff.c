/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_chardiff.c - character differences as diff-match-patch answers them.
 *
 *   old, new    the texts
 *   pieces      the answer: texts with "=" (equal), "-" (deleted) or "+" (inserted) in front
 */
#include "vectors.h"

#include "diff/diff.h"

/* One piece per line, quoted only as far as needed to distinguish them. */
static str shown(struct arena *a, const struct diff_pieces *pieces)
{
    static const char marks[] = "-=+";
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < pieces->count; i++) {
        buf_char(&out, marks[pieces->items[i].op - DIFF_DELETE]);
        buf_add(&out, pieces->items[i].text);
        buf_add(&out, STR("\\\n"));
    }
    return buf_str(&out);
}

static str wanted(struct arena *a, const struct value *pieces)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < value_len(pieces); i++) {
        buf_add(&out, value_str(value_at(pieces, i)));
        buf_add(&out, STR("\\\n"));
    }
    return buf_str(&out);
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    const struct value *pieces = value_get(vector, STR("pieces"));
    str old, new_;

    if (!vector_text(a, vector, "old", &old) || !vector_text(a, vector, "new", &new_) ||
        !value_is(pieces, VALUE_LIST))
        return vector_differs(why, "vector", STR("incomplete"), STR("old, new and pieces"));
    struct diff_pieces answer = diff_chars(a, old, new_, &(uint64_t){DIFF_CHARS_STEPS});
    str got = shown(a, &answer), want = wanted(a, pieces);
    return str_eq(got, want) || vector_differs(why, "pieces", got, want);
}

const struct vector_kind vector_chardiff = {
    .name = "chardiff",
    .help = "character differences",
    .run = run,
};
