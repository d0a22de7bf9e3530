/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_wait.h - blocking calls to Azure Resource Manager, one at a time.
 *
 *     struct arm_wait w = {.arm = arm, .pipe = pipe};
 *     if (!arm_wait_send(&w, &call, &result, e)) ...
 *     if (!arm_wait_begin(&w, a, &call, &operation, &result, e) ||
 *         !arm_wait_follow(&w, a, &call, &operation, &result, e)) ...
 *     arm_wait_end(&w);
 *
 * The calls go through the pipe, which must have no other calls meanwhile. A result lives until the
 * next call.
 */
#pragma once

#include "arm/pipe.h"

struct arm_wait {
    struct arm *arm;
    struct arm_pipe *pipe;
    struct arm_done *last;
};

/* Call it before the pipe is freed. */
void arm_wait_end(struct arm_wait *w);

/* False unless the answer is a 2xx. */
MUST_CHECK bool arm_wait_send(struct arm_wait *w, const struct arm_call *call,
                              struct arm_result *result, struct err *e);

/* Sends the first request of an operation, which can be saved from then on (lro_token). */
MUST_CHECK bool arm_wait_begin(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                               struct lro *operation, struct arm_result *result, struct err *e);
/* Resumes an operation that another process started. Nothing is sent. */
MUST_CHECK bool arm_wait_resume(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                                str token, struct lro *operation, struct err *e);
/*
 * Polls once, without waiting: call it operation->wait nanoseconds after the last answer, while
 * operation->next is LRO_POLL or, if the end asks for a wait, LRO_READ. When the operation has
 * ended, the resource has been read, too (result->body). False if it failed.
 */
MUST_CHECK bool arm_wait_poll(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                              struct lro *operation, struct arm_result *result, struct err *e);
/* Waits and polls to the end. */
MUST_CHECK bool arm_wait_follow(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                                struct lro *operation, struct arm_result *result, struct err *e);
