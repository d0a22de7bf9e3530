/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease.h - leader election with a Lease object, compatible with client-go's.
 *
 *     struct lease *l;
 *     if (!lease_new(transport, &config, &l, e)) ...
 *     lease_run(l, cancel, on_change, ctx);      in a thread of its own
 *     anywhere:  if (lease_held(l)) ...
 *     lease_free(l);
 *
 * Times and the record are client-go's, so that our processes and others can compete for the same
 * Lease. Machine clocks are never compared: a lease has expired if its record has not changed for
 * its duration by our own clock. A leader that cannot renew steps down after the renewal deadline,
 * which is shorter than the duration; one that was suspended finds out from lease_held, which
 * checks the clock. For a moment (between lease_held and what follows) there can still be two, so a
 * leader's actions must be idempotent.
 */
#pragma once

#include "kube/client.h"

struct lease;

struct lease_config {
    str namespace, name;
    str identity; /* of this process; must be unique */
    /* 0: 15 s, 10 s and 2 s. duration > deadline > 1.2 * retry. */
    int64_t duration, deadline, retry;
    bool keep; /* do not release the lease at the end: the next leader waits until it expires */
};

/* Copies the configuration. ERR_INVALID when its times are inconsistent. */
MUST_CHECK bool lease_new(struct kube_transport *t, const struct lease_config *config,
                          struct lease **out, struct err *e);
void lease_free(struct lease *l);

/* Whether this process is the leader now. Any thread. */
bool lease_held(struct lease *l);
/*
 * The number of the current term, 0 when this process is not the leader. If it changes, another
 * process may have been the leader in between. Any thread.
 */
uint64_t lease_term(struct lease *l);

/*
 * One attempt to acquire or renew the lease; returns how long to wait before the next one, for a
 * leader never beyond its renewal deadline. A failure is just an unsuccessful attempt; e (may be
 * NULL) says why. One thread at a time.
 */
int64_t lease_step(struct lease *l, struct err *e);
/* Releases the lease if it is held. */
void lease_release(struct lease *l);
/*
 * Calls lease_step and waits, until cancel is raised, then releases the lease. on_change (may be
 * NULL) is called on this thread whenever a step has changed lease_held.
 */
void lease_run(struct lease *l, struct http_cancel *cancel, void (*on_change)(void *ctx, bool held),
               void *ctx);
