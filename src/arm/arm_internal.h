/* SPDX-License-Identifier: Apache-2.0 */
/* arm_internal.h - what the files of the client share. */
#pragma once

#include "arm/arm.h"

struct arm {
    struct arena *arena;
    struct arm_config config;
    const struct credential_settings *settings;
    str scope;
};

/* ---- gate.c ---- */

/* Accounts for a response, and releases requests that may go now. */
void gate_leave(struct arm_gate *g, const struct budget_grant *grant,
                const struct budget_signal *signal);

struct waiter;
/*
 * Asks for the turn of r. Mostly it comes at once: *out is NULL, and *grant it. Else *out waits for
 * it and must be given to gate_tell.
 */
MUST_CHECK bool gate_ask(struct arm_gate *g, const struct budget_request *r,
                         struct budget_grant *grant, struct waiter **out, struct err *e);
/* Called when its turn has come, without a lock held. */
typedef void gate_fn(void *ctx, const struct budget_grant *grant);
/*
 * Lets granted be called once when the turn of w comes, from any thread that uses the gate; w is
 * good until then. False: it has come in the meantime, *grant is it.
 */
MUST_CHECK bool gate_tell(struct arm_gate *g, struct waiter *w, gate_fn *granted, void *ctx,
                          struct budget_grant *grant);
/* It need not wait any more. False: its turn has come, and granted will be called all the same. */
MUST_CHECK bool gate_forget(struct arm_gate *g, struct waiter *w);
/* Releases requests whose turn has come. Returns when to check again (clock_mono), or INT64_MAX. */
int64_t gate_look(struct arm_gate *g);

/* ---- attempt.c ---- */

/* What one try needs and leaves behind. */
struct attempt {
    struct arena *secret; /* of the headers */
    str token, auxiliary;
    struct http_request request;
    struct budget_request turn;
    struct budget_grant grant; /* from the gate */
    bool again;                /* there is no answer, and another try does no harm */
};
/* Of all tries of a call. */
struct tries {
    unsigned trouble, throttled;
    bool renewed, registered;
    bool once; /* nothing is tried again but a token */
};

/* Makes the request, with the tokens of t, and says whose turn it needs. */
void attempt_begin(struct arm *m, struct arena *a, const struct arm_call *call, str url,
                   struct arm_result *result, struct attempt *t);
/* How long it may take from now. */
int64_t attempt_timeout(struct arm *m, const struct arm_call *call);
/* Takes the answer, if there is one (ok), and leaves the gate. */
void attempt_end(struct arm *m, struct arena *a, const struct arm_call *call,
                 const struct http_response *response, bool ok, struct arm_result *result,
                 struct attempt *t);
/* Whether an answer is worth another try: after *wait, or once the provider is registered. */
enum again { AGAIN_NOT, AGAIN, AGAIN_REGISTERED };
enum again answer_again(struct arm *m, const struct arm_call *call, const struct attempt *attempt,
                        const struct arm_result *r, struct tries *t, int64_t *wait);
/* Whether a request without an answer is. */
bool failure_again(const struct attempt *attempt, const struct err *failure, struct tries *t,
                   int64_t *wait);

/* ---- arm.c ---- */

/* "https://management.azure.com/subscriptions/...?api-version=..." */
str arm_url(struct arm *m, struct arena *a, const struct arm_call *call);
/* Fills the verdict of a refusal that result holds, and e from it. Always false. */
bool arm_refused(struct arm *m, struct arena *a, const struct arm_call *call,
                 struct arm_result *result, struct err *e);

/* Whether a token may be shown to the server of url. what begins the error. */
MUST_CHECK bool arm_check_home(struct arm *m, str url, const char *what, struct err *e);

/* ---- register.c ---- */

/*
 * A provider on its way to be registered: given the last answer, the next call. Pure; texts live in
 * the arena of registration_begin and those of the rejected call.
 */
struct registration {
    struct arm_call ask; /* what to send next */
    str provider;
    int64_t waited;
};
enum registration_next { REGISTRATION_ASK, REGISTRATION_DONE, REGISTRATION_FAILED };
/* What a refusal of call asks for. */
MUST_CHECK bool registration_begin(struct arena *a, struct registration *r,
                                   const struct arm_call *call, const struct cloud_error *refusal,
                                   struct err *e);
/* Takes the body of an answer of 2xx. *wait: before the next call. */
enum registration_next registration_step(struct arena *a, struct registration *r, str body,
                                         int64_t *wait, struct err *e);
