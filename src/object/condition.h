/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condition.h - status conditions.
 *
 *     struct condition c = {.type = STR("Ready"), .status = STR("False"), ...};
 *     condition_set(a, status, &c, now);
 *
 * The shape is that of the reference operator: severity is empty when the status is True or
 * Unknown, the message is absent when there is none, times are whole seconds in UTC. The time of a
 * transition moves whenever anything in the condition changes, and only then.
 *
 * Which of two conditions wins is condition_wins. All functions may be called from any thread.
 */
#pragma once

#include "base/base.h"
#include "value/value.h"

struct condition {
    str type, status; /* status: "True", "False", "Unknown" */
    str severity;     /* "Error", "Warning", "Info", or empty */
    str reason, message;
    int64_t generation; /* of the object when the condition was made */
    str since;          /* time of the last transition, as it is written; condition_set sets it */
};

/* The condition of a type in a status. False when there is none. */
bool condition_get(const struct value *status, str type, struct condition *out);
/* Whether status and generation say that it holds now. */
bool condition_is_true(const struct value *status, str type, int64_t generation);

/*
 * Whether next should replace old. A newer generation always does; within one, Info does not hide a
 * verdict (True, Error, Warning), and Unknown hides nothing.
 */
bool condition_wins(const struct condition *old, const struct condition *next);
/*
 * Puts a condition into a status, whoever wins, with its time: now when anything but the time
 * differs from what is there. Reports whether the status changed.
 */
bool condition_set(struct arena *a, struct value *status, const struct condition *c, int64_t now);
/* Takes the condition of a type out of a status. Reports whether there was one. */
bool condition_remove(struct value *status, str type);
