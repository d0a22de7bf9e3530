/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operation.h - follows a long-running operation to its end, without a network.
 *
 * lro.h implements the protocols. This decides which requests to make, when, and when it is done:
 * the resource is read once the operation has created it, a deletion is done when the resource is
 * gone, hosts other than Resource Manager never get a token, and polls have lower priority than
 * users' requests. It is fed responses and returns what comes next:
 *
 *     operation_begin(a, &o, &about, &answer, &step);
 *     while (step.next == OPERATION_ASK) {
 *         wait step.wait nanoseconds, GET step.url (step.poll: once, without retries)
 *         operation_step(a, &o, &answer, &step);
 *     }
 *     OPERATION_DONE: step.body is the resource    OPERATION_FAILED: step.error, step.why
 *
 * Everything is a value: an operation belongs to one thread at a time, and its texts and those of
 * the step live as long as the arena and the texts of the call that made them.
 */
#pragma once

#include "arm/budget/budget.h"
#include "arm/lro.h"

struct value;

/* What it is about. */
struct operation_about {
    str method;   /* of the first request: PUT, PATCH, DELETE, POST */
    str url;      /* of the first request */
    str resource; /* where to read the result; empty: the same */
    str endpoint; /* of Resource Manager: "https://management.azure.com" */
    enum budget_priority priority;
};

struct operation {
    struct operation_about about;
    struct lro lro; /* for lro_token while the step is to poll */
    bool reads;     /* the resource itself is being looked at */
    unsigned looks; /* how many times */
};

enum operation_next { OPERATION_ASK, OPERATION_DONE, OPERATION_FAILED };

struct operation_step {
    enum operation_next next;
    /* OPERATION_ASK */
    str url;
    int64_t wait; /* before asking */
    bool poll;    /* poll the operation, else read the resource */
    enum budget_priority priority;
    /* OPERATION_DONE: the resource; NULL if there is none, or no body. */
    struct value *body;
    str text; /* the same as received */
    /* OPERATION_FAILED: Azure's error; if its http is 0, the failure is ours: see why. */
    struct cloud_error error;
    enum err_kind kind;
    str why;
};

/* Takes the answer to the first request, which may be an error. */
void operation_begin(struct arena *a, struct operation *o, const struct operation_about *about,
                     const struct arm_answer *first, struct operation_step *step);
/* Resumes an operation from its token; see lro_resume. */
MUST_CHECK bool operation_resume(struct arena *a, struct operation *o,
                                 const struct operation_about *about, str token,
                                 struct operation_step *step, struct err *e);
/* Continues an operation of lro.h. */
void operation_take_up(struct arena *a, struct operation *o, const struct operation_about *about,
                       const struct lro *lro, struct operation_step *step);
/* Takes the answer to the last step's request; http 0: no answer. */
void operation_step(struct arena *a, struct operation *o, const struct arm_answer *answer,
                    struct operation_step *step);
