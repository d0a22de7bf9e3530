/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_wait.h - calls to Azure Resource Manager, one after the other, by a thread that waits.
 *
 *     struct arm_wait w = {.arm = arm, .pipe = pipe};
 *     if (!arm_wait_send(&w, &call, &result, e)) ...
 *     if (!arm_wait_begin(&w, a, &call, &operation, &result, e) ||
 *         !arm_wait_follow(&w, a, &call, &operation, &result, e)) ...
 *     arm_wait_end(&w);
 *
 * The calls go through the pipe, which has no other calls meanwhile. A result lives until the next
 * call.
 */
#pragma once

#include "arm/pipe.h"

struct arm_wait {
    struct arm *arm;
    struct arm_pipe *pipe;
    struct arm_done *last;
};

/* Before the pipe is freed. */
void arm_wait_end(struct arm_wait *w);

/* False unless the answer is of 2xx. */
MUST_CHECK bool arm_wait_send(struct arm_wait *w, const struct arm_call *call,
                              struct arm_result *result, struct err *e);

/* Sends the first request of an operation. From then on it can be written down (lro_token). */
MUST_CHECK bool arm_wait_begin(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                               struct lro *operation, struct arm_result *result, struct err *e);
/* Takes up an operation that another process began. Nothing is sent. */
MUST_CHECK bool arm_wait_resume(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                                str token, struct lro *operation, struct err *e);
/*
 * Asks once, without waiting: do so operation->wait nanoseconds after the last answer, while
 * operation->next is LRO_POLL or, after an end that asks for a wait, LRO_READ. When the operation
 * has ended, the resource has been read too (result->body). False when it ended badly.
 */
MUST_CHECK bool arm_wait_poll(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                              struct lro *operation, struct arm_result *result, struct err *e);
/* Waits and polls to the end. */
MUST_CHECK bool arm_wait_follow(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                                struct lro *operation, struct arm_result *result, struct err *e);
