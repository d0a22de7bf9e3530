/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline_internal.h - functions that compare single fields (perField of the metadata file). For
 * this folder only.
 */
#pragma once

#include "compare/log_buffer_internal.h"
#include "compare/reference/reference_internal.h"

struct span;

/* What named groups have matched in the fields of one object so far. */
struct captures {
    struct arena *arena;
    struct {
        struct capture {
            str name;
            struct str_list values; /* distinct, in the order of their appearance */
        } * items;
        size_t len, cap;
    } groups; /* ordered by name */
};

void captures_add(struct captures *c, str name, str value);
const struct capture *captures_get(const struct captures *c, str name);
/* What replaces a group in a result: its value, or the first of several with a mark. */
str capture_text(struct arena *a, const struct capture *c);
/* Appends a warning for each group that has several values. */
void captures_warn(const struct captures *c, struct buf *out);

/*
 * What matching one field may cost, as regex_limit counts: about a second. A field that would take
 * longer counts as one that does not match, with a warning, so that it is seen as different.
 */
#define INLINE_COST_MAX UINT64_C(200000000)

struct inline_function {
    const char *name;
    MUST_CHECK bool (*validate)(struct arena *a, str pattern, struct err *e);
    str (*compare)(struct arena *a, str pattern, str value, struct captures *c,
                   struct log_buffer *log);
};
extern const struct inline_function inline_regex, inline_capturegroups;
/* The next (?<name>...) at or behind from; false when there is none, or it does not close. */
bool group_next(str text, size_t from, struct span *group, str *name);
/* Warns of a pattern that was given up: left is 0. */
void inline_warn_cost(struct arena *a, str pattern, uint64_t left, struct log_buffer *log);
/* NULL when there is none of that name. */
const struct inline_function *inline_find(str name);

/* Runs all functions of a template on rendered, which they change. */
MUST_CHECK bool inline_run(struct arena *a, const struct template *t, struct value *rendered,
                           const struct value *live, struct log_buffer *log, struct err *e);
