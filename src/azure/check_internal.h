/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_internal.h - shared by the files of the check.
 */
#pragma once

#include "azure/check.h"
#include "value/path.h"

struct checking {
    struct arena *arena;
    struct model *model;
    const struct model_resource *resource;
    const struct source *src; /* or NULL */
    struct findings *out;
};

/* Adds a finding about v. */
void check_fail(struct checking *c, const struct value *v, const struct trail *at,
                const char *format, ...) FORMAT(4, 5);
struct trail check_step(const struct trail *up, str key);
/* Whether v is of this kind; adds a finding if not. */
bool check_kind(struct checking *c, const struct value *v, const struct trail *at,
                enum value_kind kind, const char *wanted);

void check_members(struct checking *c, const struct model_type *t, const struct value *v,
                   const struct trail *at);
void check_value(struct checking *c, const struct model_shape *shape, const struct value *v,
                 const struct trail *at);
/* min, max, minLen, ... of a model file; NULL: none. */
void check_limits(struct checking *c, const struct value *limits, const struct value *v,
                  const struct trail *at);
/* The values of an enum; NULL: any. */
void check_choices(struct checking *c, const struct value *choices, const struct value *v,
                   const struct trail *at);
void check_builtin(struct checking *c, enum model_builtin builtin, const struct value *v,
                   const struct trail *at);
void check_owner(struct checking *c, const struct value *v, const struct trail *at);
