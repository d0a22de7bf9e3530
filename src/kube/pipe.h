/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipe.h - asynchronous calls to the API server; the counterpart of arm/pipe.h.
 *
 *     struct kube_pipe_config config = {.transport = t};
 *     struct kube_pipe *pipe = kube_pipe_new(&config);
 *     struct kube_ask ask = {.verb = KUBE_VERB_PATCH, .call = {.resource = r, .namespace = ns,
 *                            .name = n, .subresource = STR("status")}, .body = patch};
 *     if (!kube_pipe_start(pipe, &ask, ctx, e)) ...         any thread, never waits
 *     while ((done = kube_pipe_next(pipe))) {               a thread or several
 *         done->ctx says whose it is; done->object and failure are those of kube_patch
 *         kube_pipe_release(pipe, done);
 *     }
 *
 * A call does everything that the functions of client.h do: it has credentials, which are refreshed
 * once after a 401, and is retried by its policy. But no thread blocks on it: work between two
 * waits is done by whichever thread is in kube_pipe_next. Only slow credentials (plugins) block
 * such a thread, because all calls need them. Preconditions are those of the server: a
 * resourceVersion in the body or in the options of a delete; ERR_CONFLICT if they do not hold.
 *
 * A call may be a path and a text instead of a resource and a tree; then its response is a text,
 * too.
 *
 * Responses are returned in order of arrival; callers that need an order start the next call when
 * the previous one is done.
 */
#pragma once

#include "kube/client.h"
#include "net/term.h"

struct kube_pipe;

struct kube_pipe_config {
    struct kube_transport *transport; /* must outlive the pipe */
    size_t requests_max;              /* how many may be in flight at once; 0: 50 */
    size_t calls_max;                 /* how many may be started and not released; 0: 10,000 */
    /*
     * Whether calls with a term may be sent now, checked before each attempt; see net/term.h.
     * Called from any thread. NULL: they may until kube_pipe_cancel.
     */
    bool (*leads)(void *ctx);
    void *ctx; /* for leads */
};

struct kube_done {
    void *ctx;
    bool ok;
    struct kube_ask ask; /* a copy, without its body and options */
    int http;            /* 0: there was no response */
    str body;            /* of the response, whatever it was */
    /*
     * If ok: the object as the server has it now; a Status after a delete. NULL: ask has no
     * resource.
     */
    struct value *object;
    struct err failure;        /* if not ok; kinds as in client.h */
    struct kube_status status; /* the same, from the server; its code is 0 without a response */
    struct arena *arena;       /* owns everything above; may be used until the release */
};

struct kube_pipe *kube_pipe_new(const struct kube_pipe_config *config);
/* Abandons calls in progress; no thread may be in kube_pipe_next or hold a kube_done. */
void kube_pipe_free(struct kube_pipe *p);

/*
 * Starts a call. ask is copied except for the resource, the retry policy and the cancel flag, which
 * must outlive the call; call.status is not used. ERR_LIMIT when there are too many, ERR_INVALID
 * when the body cannot be written; every other outcome is returned by kube_pipe_next.
 */
MUST_CHECK bool kube_pipe_start(struct kube_pipe *p, const struct kube_ask *ask, void *ctx,
                                struct err *e);
/* Waits for a call that is done. NULL once the pipe is closed and nothing is left. */
struct kube_done *kube_pipe_next(struct kube_pipe *p);
/*
 * Driven mode (base/clock.h): the same without waiting. NULL when nothing is done now; *due is when
 * there may be something just because time has passed, by clock_mono; INT64_MAX: never.
 */
struct kube_done *kube_pipe_step(struct kube_pipe *p, int64_t *due);
/*
 * Ends all terms up to this one: their calls make no further attempts. Waiting calls end with
 * ERR_CANCELLED, those on the wire with their response. TERM_ALL ends every call, even those
 * without a term. Any thread.
 */
void kube_pipe_cancel(struct kube_pipe *p, uint64_t term);
/* Frees d. */
void kube_pipe_release(struct kube_pipe *p, struct kube_done *d);
/* No more calls will be started: kube_pipe_next returns NULL once all calls are done. */
void kube_pipe_close(struct kube_pipe *p);

struct kube_pipe_stats {
    size_t queued, sent, retrying, unreleased; /* to be processed; in flight; waiting for a retry;
                                                * all */
};
struct kube_pipe_stats kube_pipe_stats(struct kube_pipe *p);
