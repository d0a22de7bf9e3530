/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planner.h - finds out what the operator would do to Azure, without doing it.
 *
 *     struct planner *p = planner_new(&config);
 *     planner_add(p, object);                        every object to plan for
 *     while (planner_step(p) || planner_hurry(p)) ...    until nothing is under way
 *         planner_tell(p, ticket, &answer);          a read is answered
 *     struct value *plan = planner_report(p, a);
 *     planner_free(p);
 *
 * A plan is made by an operator (operator.h) whose ports have no writer: planning runs the same
 * states as operating, so both make the same decisions, but nothing can be written. Once a pass
 * ends with a PUT, its object counts as Ready, so that whatever waits for it is planned, too.
 *
 * One thread. planner_tell may be called from within read.
 */
#pragma once

#include "arm/budget/budget.h"
#include "operator/operator.h"

struct planner;

struct planner_config {
    struct operator_config operator;
    void *ctx;
    /* See struct ports. find is for objects that were not added. Both may be NULL. */
    const struct value *(*find)(void *ctx, struct arena *a, const struct object_key *key);
    enum account_state (*account)(void *ctx, struct arena *a, const struct value *object,
                                  struct account *out, struct err *e);
    void (*read)(void *ctx, uint64_t ticket, const struct effect *effect);
    /* Azure's limits, to estimate how long the writes take; NULL: the published ones. */
    const struct budget_limits *limits;
};

/* Everything is copied but the model, rules and hooks. */
struct planner *planner_new(const struct planner_config *config);
void planner_free(struct planner *p); /* p may be NULL */
/*
 * Adds an object. Azure's kinds are planned for; a Namespace, Secret or ConfigMap is only looked
 * up. The object must live as long as p. Adding it again replaces it.
 */
void planner_add(struct planner *p, const struct value *object);
/* The object as it was added, with the writes that were simulated since; NULL: it was not added. */
const struct value *planner_find(const struct planner *p, const struct object_key *key);
/* Something that find or account provides is there now: whatever waits for it goes on. */
void planner_changed(struct planner *p, const struct object_key *key);
void planner_tell(struct planner *p, uint64_t ticket, const struct arm_answer *answer);
/* Does what can be done. False if no read is under way. */
bool planner_step(struct planner *p);
/*
 * Call it once planner_step returns false: objects then stop waiting for referenced objects to
 * become Ready, as the operator does after a while, so that objects may refer to each other. True:
 * some did wait, so take more steps. False: the plan is complete.
 */
bool planner_hurry(struct planner *p);

/* The most changes of one resource that are listed. */
#define PLANNER_CHANGES_MAX 200

/*
 * {summary, resources}: owners before what they own.
 *
 * summary: numbers create, update, delete, unchanged, skipped, blocked, waiting; faults (blocked by
 * an error) and dangling (blocked by a missing owner or reference); reads, writes, seconds (that
 * the writes take within Azure's limits).
 *
 * A resource: object {group, kind, namespace, name}, action, id, apiVersion; cause, method, body
 * and bodyDigest (keyed, of the exact bytes) of a request; changes [{path, op "+", "~" or "-",
 * wanted, found, flag "immutable" or "no-effect"}], unchanged, more (not listed); by and at (who
 * caused the drift, and when); reason, message, fault or dangling if it is blocked; note.
 */
struct value *planner_report(struct planner *p, struct arena *a);
