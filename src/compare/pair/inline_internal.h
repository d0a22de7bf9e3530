/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline_internal.h - functions that compare single fields (perField of the metadata file). For
 * this folder only.
 */
#pragma once

#include "compare/log_buffer_internal.h"
#include "compare/reference/reference_internal.h"

struct span;
struct regex;

/*
 * What named groups have matched so far in the fields of one object, and how much matching may
 * cost.
 */
struct captures {
    struct arena *arena;
    uint64_t left; /* 0: given up, nothing matches any more */
    struct {
        struct capture {
            str name;
            struct capture_value {
                str text;
                bool secret; /* it was captured in the data of Secrets only */
            } * items;       /* distinct, in order of appearance */
            size_t len, cap;
        } * items;
        size_t len, cap;
    } groups;        /* ordered by name */
    bool in_secret;  /* what is captured now is the data of a Secret */
    bool has_secret; /* some was */
    bool hides;      /* what only Secrets have is written as a mask */
};

void captures_add(struct captures *c, str name, str value);
const struct capture *captures_get(const struct captures *c, str name);
/* The text that replaces a group: its value, or the first of several with a mark. */
str capture_text(struct arena *a, const struct captures *all, const struct capture *c);
/* Appends a warning for each group with several values. */
void captures_warn(struct captures *c, struct buf *out);

/*
 * What all functions of all candidates of an object may cost, in the units of regex_limit: about
 * half a second, in equal parts for the candidates. An object that would take longer fails.
 */
#define INLINE_COST_MAX UINT64_C(200000000)

void inline_pay(struct captures *c, uint64_t cost);
/* regex_compile_shared or regex_compile, at the expense of c, as are searches with it. */
MUST_CHECK bool inline_compile(struct arena *a, str pattern, bool shared, struct captures *c,
                               struct regex **out, struct err *e);

struct inline_function {
    const char *name;
    MUST_CHECK bool (*validate)(struct arena *a, str pattern, struct captures *c, struct err *e);
    str (*compare)(struct arena *a, str pattern, str value, struct captures *c,
                   struct log_buffer *log);
};
extern const struct inline_function inline_regex, inline_capturegroups;
/* The next (?<name>...) at or after from; false if there is none, or it is not closed. */
bool group_next(str text, size_t from, struct span *group, str *name);
/* NULL if there is none of that name. */
const struct inline_function *inline_find(str name);

/*
 * Runs all functions of a template on rendered, which they change, for at most cost_max. masked:
 * what groups capture in the data of a Secret is not shown in other fields, nor is it in errors.
 */
MUST_CHECK bool inline_run(struct arena *a, const struct template *t, struct value *rendered,
                           const struct value *live, uint64_t cost_max, bool masked,
                           struct log_buffer *log, struct err *e);
