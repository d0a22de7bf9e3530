/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally_internal.h - counts which fields were compared, which were not, and why. For this folder
 * only.
 */
#pragma once

#include "compare/compare.h"
#include "compare/reference/omit_internal.h"

struct template;

/* How many fields a rule excluded: entry or merging; if neither is set, managed fields. */
struct tally_rule {
    const struct omit_path *entry;
    const struct template *merging;
    size_t count;
};

/* Of one object with one template, or of all of them. */
struct tally {
    struct arena *arena;
    const struct value *object; /* before anything was omitted */
    size_t compared, omitted;
    size_t merged; /* fields that a merge took from the object */
    struct {
        struct tally_rule *items;
        size_t len, cap;
    } rules;
};

/* The number of fields: scalars, and empty mappings and lists; 0 for NULL. */
size_t field_count(const struct value *v);
/* The number of fields that at least one of two sides has. */
size_t field_count_both(const struct value *x, const struct value *y);
/* An omit_reporter whose ctx is a struct tally. */
void tally_omitted(void *ctx, const struct omit_path *entry, const struct path *removed);
/* Call it before live loses its managed fields. */
void tally_managed(struct tally *t, const struct value *live);
/* Call it before live is merged into what was rendered. */
void tally_merged(struct tally *t, const struct template *by, const struct value *rendered,
                  const struct value *live);
void tally_compared(struct tally *t, const struct value *expected, const struct value *actual);
void tally_add(struct tally *all, const struct tally *one);
/* Fills the fields and rules of the verdict. */
void tally_finish(const struct tally *t, struct result_verdict *v);
/* "fieldsToOmit NAME: PATH" */
str omit_rule(struct arena *a, const struct omit_path *entry);
