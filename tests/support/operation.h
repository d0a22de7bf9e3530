/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operation.h - follows a long-running operation to its end, without a network.
 *
 * lro.h knows the protocols. This knows which requests to make, when, and when there are none left:
 * the resource is read once the operation has created it, a deletion is done when the resource is
 * gone, hosts other than Resource Manager never get a token, and polls have lower priority than
 * users' requests. It is fed responses and says what comes next:
 *
 *     operation_begin(a, &o, &about, &answer, &step);
 *     while (step.next == OPERATION_ASK) {
 *         wait step.wait nanoseconds, GET step.url (step.poll: once, without retries)
 *         operation_step(a, &o, &answer, &step);
 *     }
 *     OPERATION_DONE: step.body is the resource    OPERATION_FAILED: step.error, step.why
 *
 * Everything is a value: an operation belongs to one thread at a time, and its texts and those of
 * the step live as long as the arena of the call that made them and the texts it was given.
 */
#pragma once

#include "arm/budget/budget.h"
#include "arm/lro.h"

struct value;

/* What it is about. */
struct operation_about {
    str method;   /* of the first request: PUT, PATCH, DELETE, POST */
    str url;      /* of the first request */
    str resource; /* where to read what it made; empty: the same */
    str endpoint; /* of Resource Manager: "https://management.azure.com" */
    enum budget_priority priority;
};

struct operation {
    struct operation_about about;
    struct lro lro; /* for lro_token while the step is to poll */
    bool reads;     /* the resource itself is being looked at */
    unsigned looks; /* so many times */
};

enum operation_next { OPERATION_ASK, OPERATION_DONE, OPERATION_FAILED };

struct operation_step {
    enum operation_next next;
    /* OPERATION_ASK */
    str url;
    int64_t wait; /* before asking */
    bool poll;    /* the operation is asked, else the resource */
    enum budget_priority priority;
    /* OPERATION_DONE: what the resource has become; NULL when there is none, or no body. */
    struct value *body;
    str text; /* the same as it came */
    /* OPERATION_FAILED: what Azure says; its http is 0 when that is not Azure but us: then why. */
    struct cloud_error error;
    enum err_kind kind;
    str why;
};

/* Takes the answer to the first request, which may be a refusal. */
void operation_begin(struct arena *a, struct operation *o, const struct operation_about *about,
                     const struct arm_answer *first, struct operation_step *step);
/* Takes up an operation from its token; see lro_resume. */
MUST_CHECK bool operation_resume(struct arena *a, struct operation *o,
                                 const struct operation_about *about, str token,
                                 struct operation_step *step, struct err *e);
/* Goes on with an operation of lro.h as it is. */
void operation_take_up(struct arena *a, struct operation *o, const struct operation_about *about,
                       const struct lro *lro, struct operation_step *step);
/* Takes the answer to what the last step asked; http 0: there was none. */
void operation_step(struct arena *a, struct operation *o, const struct arm_answer *answer,
                    struct operation_step *step);
