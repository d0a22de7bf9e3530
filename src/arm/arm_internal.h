/* SPDX-License-Identifier: Apache-2.0 */
/* arm_internal.h - shared by the files of the client. */
#pragma once

#include "arm/arm.h"

struct arm {
    struct arena *arena;
    struct arm_config config;
    const struct credential_settings *settings;
    str scope;
};

/* ---- gate.c ---- */

/* Accounts for a response, and releases requests that may be sent now. */
void gate_leave(struct arm_gate *g, const struct budget_grant *grant,
                const struct budget_signal *signal);

struct waiter;
/*
 * Requests a turn for r. Mostly it is granted at once: *out is NULL, and *grant is set. Otherwise
 * *out waits for it and must be passed to gate_tell.
 */
MUST_CHECK bool gate_ask(struct arm_gate *g, const struct budget_request *r,
                         struct budget_grant *grant, struct waiter **out, struct err *e);
/* Called when its turn has come, without a lock held. */
typedef void gate_fn(void *ctx, const struct budget_grant *grant);
/*
 * Calls granted once, when the turn of w comes, from any thread that uses the gate; w is valid
 * until then. False: the turn has come in the meantime and is in *grant.
 */
MUST_CHECK bool gate_tell(struct arm_gate *g, struct waiter *w, gate_fn *granted, void *ctx,
                          struct budget_grant *grant);
/* Gives up waiting. False: its turn has come, and granted will be called all the same. */
MUST_CHECK bool gate_forget(struct arm_gate *g, struct waiter *w);
/* Releases requests whose turn has come. Returns when to check again (clock_mono), or INT64_MAX. */
int64_t gate_look(struct arm_gate *g);

/* ---- attempt.c ---- */

/* The state of one attempt. */
struct attempt {
    struct arena *secret; /* for the headers */
    str token, auxiliary;
    struct http_request request;
    struct budget_request turn;
    struct budget_grant grant; /* from the gate */
    bool again;                /* if there is no response, another attempt does no harm */
};
/* The state of all attempts at a call. */
struct tries {
    unsigned trouble, throttled;
    bool renewed, registered;
    bool once; /* do not retry, except with a new token */
};

/* Makes the request, with the tokens of t, and sets t->turn. */
void attempt_begin(struct arm *m, struct arena *a, const struct arm_call *call, str url,
                   struct arm_result *result, struct attempt *t);
/* How long it may take from now. */
int64_t attempt_timeout(struct arm *m, const struct arm_call *call);
/* Takes the response, if there is one (ok), and leaves the gate. */
void attempt_end(struct arm *m, struct arena *a, const struct arm_call *call,
                 const struct http_response *response, bool ok, struct arm_result *result,
                 struct attempt *t);
/* Whether a response is worth another attempt: after *wait, or once the provider is registered. */
enum again { AGAIN_NOT, AGAIN, AGAIN_REGISTERED };
enum again answer_again(struct arm *m, const struct arm_call *call, const struct attempt *attempt,
                        const struct arm_result *r, struct tries *t, int64_t *wait);
/* The same for a request without a response. */
bool failure_again(const struct attempt *attempt, const struct err *failure, struct tries *t,
                   int64_t *wait);

/* ---- arm.c ---- */

/* "https://management.azure.com/subscriptions/...?api-version=..." */
str arm_url(struct arm *m, struct arena *a, const struct arm_call *call);
/* Fills e from the error response in result. Always false. */
bool arm_refused(struct arena *a, const struct arm_result *result, struct err *e);

/* Whether the server of url may see a token. The error begins with what. */
MUST_CHECK bool arm_check_home(struct arm *m, str url, const char *what, struct err *e);

/* ---- register.c ---- */

/*
 * The registration of a provider: computes the next call from the last response. Pure; texts live
 * as long as the arena of registration_begin and the rejected call.
 */
struct registration {
    struct arm_call ask; /* what to send next */
    str provider;
    int64_t waited;
};
enum registration_next { REGISTRATION_ASK, REGISTRATION_DONE, REGISTRATION_FAILED };
/* Starts the registration that an error response to call requires. */
MUST_CHECK bool registration_begin(struct arena *a, struct registration *r,
                                   const struct arm_call *call, const struct cloud_error *refusal,
                                   struct err *e);
/* Takes the body of a 2xx response. *wait: before the next call. */
enum registration_next registration_step(struct arena *a, struct registration *r, str body,
                                         int64_t *wait, struct err *e);
