/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term.h - calls that may only be sent during a leader's term; for arm/pipe.h and kube/pipe.h.
 *
 * Each call carries the number of its term, and numbers increase. A term ends with term_end, or
 * when this process no longer leads (leads), which is checked before every send: a process that was
 * suspended notices before it does anything. Requests already on the wire finish, but are not
 * retried.
 */
#pragma once

#include "base/base.h"

#include <stdatomic.h>

#define TERM_NONE 0         /* for calls that need no leader */
#define TERM_ALL UINT64_MAX /* ends every term, and calls without one */

struct terms {
    _Atomic uint64_t ended;   /* all terms up to this one have ended */
    bool (*leads)(void *ctx); /* any thread, must not wait; NULL: until the end of the term */
    void *ctx;
};

/* Any thread. */
static inline bool term_is_over(struct terms *t, uint64_t term)
{
    const uint64_t ended = atomic_load(&t->ended);

    if (term == TERM_NONE || ended == TERM_ALL)
        return ended == TERM_ALL;
    return term <= ended || (t->leads && !t->leads(t->ctx));
}

static inline void term_end(struct terms *t, uint64_t term)
{
    uint64_t ended = atomic_load(&t->ended);

    while (ended < term && !atomic_compare_exchange_weak(&t->ended, &ended, term))
        ;
}
