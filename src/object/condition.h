/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condition.h - status conditions.
 *
 *     struct condition c = {.type = STR("Ready"), .status = STR("False"), ...};
 *     condition_set(a, status, &c, now);
 *
 * The format is that of the reference operator: severity is empty when the status is True or
 * Unknown, the message is absent when there is none, times are whole seconds in UTC. The transition
 * time changes when anything else in the condition changes, and only then.
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
    int64_t generation; /* of the object when the condition was set */
    str since;          /* last transition time, as written in the object; condition_set sets it */
};

/* Finds the condition of a type in a status. False when there is none. */
bool condition_get(const struct value *status, str type, struct condition *out);
/* Whether status and generation say that it is true now. */
bool condition_is_true(const struct value *status, str type, int64_t generation);

/*
 * Whether next should replace old. A newer generation always does; within a generation, Info does
 * not replace a verdict (True, Error, Warning), and Unknown does not replace anything.
 */
bool condition_wins(const struct condition *old, const struct condition *next);
/*
 * Sets a condition in a status, whichever wins. Its time becomes now if anything else in it
 * changes. Returns whether the status changed.
 */
bool condition_set(struct arena *a, struct value *status, const struct condition *c, int64_t now);
/* Removes the condition of a type from a status. Returns whether there was one. */
bool condition_remove(struct value *status, str type);
