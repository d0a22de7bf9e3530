/* SPDX-License-Identifier: Apache-2.0 */
/*
 * late_handler.h - a handler that randomly delays or loses the answers of another one, by a seed.
 *
 *     struct late_handler *late = late_handler_new(sim_handler(sim), &config);
 *     http.local = late_handler(late);
 *     ... while (late_handler_step(late, &due)) ...        delivers what is due at clock_mono()
 *     late_handler_free(late);
 *
 * For driven mode. The inner handler answers at once; its answer is delayed for a while. A lost
 * request never reaches it; if an answer is lost, it did act on the request. In both cases the
 * connection is cut after a long time, when the client has long given up.
 */
#pragma once

#include "net/handler.h"

struct late_handler;

struct late_config {
    uint64_t seed;
    int64_t min, max;                   /* of the delay */
    unsigned lose_request, lose_answer; /* out of ten thousand */
    void (*trace)(void *ctx, str line); /* every request and every answer; may be NULL */
    void *ctx;
};

struct late_handler *late_handler_new(const struct handler *inner,
                                      const struct late_config *config);
/* All calls must have been answered or abandoned. */
void late_handler_free(struct late_handler *l);
const struct handler *late_handler(const struct late_handler *l);
/* Delivers one answer that is due. False: none is; *due is the time of the next one. */
bool late_handler_step(struct late_handler *l, int64_t *due);
