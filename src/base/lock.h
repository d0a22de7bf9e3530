/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.h - mutual exclusion.
 *
 * Mutable shared state lives in few places, each with a lock that is private to one module. A lock
 * is not held across I/O or a callback, unless it exists to serialize just that.
 *
 *     {
 *         AUTO_LOCK guard = lock_take(l);
 *         ... until the end of the block ...
 *     }
 */
#pragma once

#include "base/attr.h"

#include <pthread.h>

struct lock {
    pthread_mutex_t mutex;
};

#define LOCK_INIT                                                                                  \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER                                                                  \
    }

static inline struct lock *lock_take(struct lock *l)
{
    pthread_mutex_lock(&l->mutex);
    return l;
}

static inline void lock_drop(struct lock **l)
{
    pthread_mutex_unlock(&(*l)->mutex);
}
/* To clang, a cleanup attribute does not count as a use. */
#define AUTO_LOCK __attribute__((unused)) CLEANUP(lock_drop) struct lock *
