/* SPDX-License-Identifier: Apache-2.0 */
/*
 * late_handler.h - a handler that lets answers of another one come later, or never, by a seed.
 *
 *     struct late_handler *late = late_handler_new(sim_handler(sim), &config);
 *     http.local = late_handler(late);
 *     ... while (late_handler_step(late, &due)) ...        delivers what is due at clock_mono()
 *     late_handler_free(late);
 *
 * For driven mode. The inner handler answers at once; its answer travels for a while. A lost
 * request never reaches it, a lost answer was acted on; both connections are cut after a long time,
 * when the client has long given up.
 */
#pragma once

#include "net/handler.h"

struct late_handler;

struct late_config {
    uint64_t seed;
    int64_t min, max;                   /* of the way back */
    unsigned lose_request, lose_answer; /* of ten thousand */
    void (*trace)(void *ctx, str line); /* every request and every answer; may be NULL */
    void *ctx;
};

struct late_handler *late_handler_new(const struct handler *inner,
                                      const struct late_config *config);
/* All calls must have been answered or given up. */
void late_handler_free(struct late_handler *l);
const struct handler *late_handler(const struct late_handler *l);
/* Delivers one answer that is due. False: none is; *due is when the next one will be. */
bool late_handler_step(struct late_handler *l, int64_t *due);
