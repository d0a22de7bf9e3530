/* SPDX-License-Identifier: Apache-2.0 */
/* types.h - what the readers of api/sim share; each is a field_fn of value/fields.h. */
#pragma once

#include "sim/internal.h"
#include "value/fields.h"

/* types_rule.c: "properties.subnets.[].id" into a struct sim_members. */
bool sim_read_members(struct fields *f, const struct value *v, void *out);
/* Into a struct sim_when: "when", and "is" and "absent" next to it. */
bool sim_read_when(struct fields *f, const struct value *v, void *out);
bool sim_read_when_is(struct fields *f, const struct value *v, void *out);
bool sim_read_when_absent(struct fields *f, const struct value *v, void *out);
bool sim_check_when(struct fields *f, const struct value *v, const struct sim_when *w);
/* Into a struct sim_type: "rules". */
bool sim_read_rules(struct fields *f, const struct value *v, void *out);

/* types_answer.c: into a struct sim_answers, from one answer or a list of them. */
bool sim_read_answers(struct fields *f, const struct value *v, void *out);
/* Into a struct sim_types: "limits". */
bool sim_read_limits(struct fields *f, const struct value *v, void *out);
/* Into an int64_t: up to a day. */
bool sim_read_seconds(struct fields *f, const struct value *v, void *out);

/* types_refusal.c: into a struct sim_type: "troubles" and "inUse". */
bool sim_read_troubles(struct fields *f, const struct value *v, void *out);
bool sim_read_uses(struct fields *f, const struct value *v, void *out);
/* Into a struct sim_refusal of a read, and into a struct sim_references. */
bool sim_read_missing(struct fields *f, const struct value *v, void *out);
bool sim_read_references(struct fields *f, const struct value *v, void *out);
/* A list of texts into a struct str_list, and a word into an enum sim_shape. */
bool sim_read_names(struct fields *f, const struct value *v, void *out);
bool sim_read_shape(struct fields *f, const struct value *v, void *out);
