/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planner.h - what the operator would do to Azure, without doing it.
 *
 *     struct planner *p = planner_new(&config);
 *     planner_add(p, object);                        every object that is planned for
 *     while (planner_step(p) || planner_hurry(p)) ...    until nothing is under way
 *         planner_tell(p, ticket, &answer);          a read is answered
 *     struct value *plan = planner_report(p, a);
 *     planner_free(p);
 *
 * A plan is made by an operator (operator.h) whose ports have no writer: planning runs the same
 * states as operating, so that both decide alike, and nothing can be written. When a pass ends with
 * a PUT, its object counts as Ready from then on, so that whatever waits for it is planned, too.
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
    /* See struct ports. find: objects that were not added; may be NULL, as account may. */
    const struct value *(*find)(void *ctx, struct arena *a, const struct object_key *key);
    enum account_state (*account)(void *ctx, struct arena *a, const struct value *object,
                                  struct account *out, struct err *e);
    void (*read)(void *ctx, uint64_t ticket, const struct effect *effect);
    /* What Azure lets us send, for the time that the plan takes; NULL: what it publishes. */
    const struct budget_limits *limits;
};

/* Everything is copied but the model, rules and hooks. */
struct planner *planner_new(const struct planner_config *config);
void planner_free(struct planner *p); /* p may be NULL */
/*
 * An object of Azure's kinds is planned for; a Namespace, Secret or ConfigMap is only found. Must
 * live as long as p. The same object again replaces it.
 */
void planner_add(struct planner *p, const struct value *object);
/* The object as it was added or is imagined by now; NULL: it was not. */
const struct value *planner_find(const struct planner *p, const struct object_key *key);
/* Something that find or account answers for is there now: whoever waits for it goes on. */
void planner_changed(struct planner *p, const struct object_key *key);
void planner_tell(struct planner *p, uint64_t ticket, const struct arm_answer *answer);
/* Does what can be done. False: no read is under way. */
bool planner_step(struct planner *p);
/*
 * After that: what refers to something that does not become Ready is sent after a while in any
 * case, so that objects may refer to each other. True: there is such an object, and more steps are
 * to be made; false: the plan is whole.
 */
bool planner_hurry(struct planner *p);

/* The most changes of one resource that are listed. */
#define PLANNER_CHANGES_MAX 200

/*
 * {summary, resources}: owners before what they own.
 *
 * summary: numbers create, update, delete, unchanged, skipped, blocked, waiting; faults (blocked by
 * something that is wrong) and dangling (by an owner or a reference that is not there); reads,
 * writes, seconds (that the writes take when Azure's limits are kept).
 *
 * A resource: object {group, kind, namespace, name}, action, id, apiVersion; cause, method, body
 * and bodyDigest (keyed, of the very bytes) of a request; changes [{path, op "+", "~" or "-",
 * wanted, found, flag "immutable" or "no-effect"}], unchanged, more (not listed); by and at (who
 * drifted it, when); reason, message, fault or dangling when it is blocked; note.
 */
struct value *planner_report(struct planner *p, struct arena *a);
