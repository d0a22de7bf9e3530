/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owners_internal.h - templates that need no object since other objects refer to it. For this
 * folder only.
 */
#pragma once

#include "compare/log_buffer_internal.h"
#include "compare/reference/reference_internal.h"

struct owners;

/* What one object refers to, among the ids of templates. */
struct owner_facts {
    struct owner_fact {
        struct named *named;
        bool subject;
    } * items;
    size_t len, cap;
    struct log_buffer owners, subjects; /* what was skipped */
};

struct owners *owners_new(struct arena *a, const struct reference *r);
/* May be called from any thread; the buffers of out are set. */
void owners_note(struct arena *a, const struct owners *owners, const struct object *o,
                 struct owner_facts *out);
/* Start counting what an object refers to, and stop when it is gone or changes. */
void owners_take(const struct owner_fact *facts, size_t count);
void owners_drop(const struct owner_fact *facts, size_t count);
/* Finds templates that owner references or RBAC subjects refer to; in template order. */
void owners_find(const struct owners *o, struct log_buffer *log, struct str_list *paths);
