/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease.h - one leader among many, by a Lease object, as client-go's leader election does it.
 *
 *     struct lease *l;
 *     if (!lease_new(transport, &config, &l, e)) ...
 *     lease_run(l, cancel, on_change, ctx);      in a thread of its own
 *     anywhere:  if (lease_held(l)) ...
 *     lease_free(l);
 *
 * Times and the record are client-go's, so that our processes and others may compete for the same
 * Lease. Clocks of machines are never compared: a lease has run out when its record has not changed
 * for its duration by our own clock. A leader that cannot renew stops being one after the renewal
 * deadline, which is shorter than the duration; one that was suspended finds out by lease_held,
 * which looks at the clock. For a moment there may be two all the same (between lease_held and what
 * follows it), so what a leader does must be harmless when done twice.
 */
#pragma once

#include "kube/client.h"

struct lease;

struct lease_config {
    str namespace, name;
    str identity; /* of this process, unlike all others */
    /* 0: 15 s, 10 s and 2 s. duration > deadline > 1.2 * retry. */
    int64_t duration, deadline, retry;
    bool keep; /* do not give the lease back at the end: the next leader waits for the duration */
};

/* Copies the configuration. ERR_INVALID when its times do not fit together. */
MUST_CHECK bool lease_new(struct kube_transport *t, const struct lease_config *config,
                          struct lease **out, struct err *e);
void lease_free(struct lease *l);

/* Whether this process is the leader now. Any thread. */
bool lease_held(struct lease *l);
/*
 * The number of the present term, 0 when this process is not the leader. Another number than before
 * means that somebody else may have led in between. Any thread.
 */
uint64_t lease_term(struct lease *l);
/* Who is, as far as was seen; empty: nobody. Lives as long as a. Any thread. */
str lease_holder(struct lease *l, struct arena *a);

/*
 * One attempt to get or renew the lease; answers how long to wait before the next one, for a leader
 * never beyond its renewal deadline. A failure is no more than an attempt without success; e (may
 * be NULL) says why. One thread at a time.
 */
int64_t lease_step(struct lease *l, struct err *e);
/* Gives the lease back when it is held. */
void lease_release(struct lease *l);
/*
 * Steps and waits until cancel is raised, then gives the lease back. on_change (may be NULL) is
 * called on this thread whenever lease_held has changed by a step.
 */
void lease_run(struct lease *l, struct http_cancel *cancel, void (*on_change)(void *ctx, bool held),
               void *ctx);
