/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm.h - Azure Resource Manager as a client.
 *
 *     struct arm_gate *gate = arm_gate_new(&limits);           one for the whole program
 *     struct arm_config config = {.credential = c, .gate = gate};
 *     if (!arm_new(&config, &arm, e)) ...                      one per credential
 *     struct arm_call call = {.method = STR("PUT"), .id = id, .api_version = v, .body = body};
 *     if (!arm_begin(arm, a, &call, &operation, &result, e)) ...
 *     keep lro_token(a, &operation) somewhere safe, then
 *     if (!arm_follow(arm, a, &call, &operation, &result, e)) ...
 *     result.body is the resource
 *
 * A call waits for its turn in the request budget, has a fresh token, and is retried where that is
 * known to help: with a new token once after a 401, up to three attempts in total on server errors
 * or broken connections (only requests that may be sent twice), once an empty bucket has refilled,
 * and after registering the provider. Every other error goes to the caller together with what the
 * rules say about it. Requests only ever go to the cloud's endpoint and hosts below it
 * ("eastus2.management.azure.com"): redirects and next-page links to other hosts are rejected, and
 * an operation with such an address is followed by reading its resource.
 *
 * Any thread may call; calls block. Time is that of base/clock.h. Results live as long as a.
 */
#pragma once

#include "arm/budget/budget.h"
#include "arm/credential/credential.h"
#include "arm/lro.h"

struct arm;
struct arm_gate;
struct value;

/* ---- The budget, shared by all threads and credentials. ---- */

/* limits are checked (budget_check). */
struct arm_gate *arm_gate_new(const struct budget_limits *limits);
/* No call may be under way. */
void arm_gate_free(struct arm_gate *g);
/* For metrics: see budget_stats. Texts are copied to a. */
size_t arm_gate_stats(struct arm_gate *g, struct arena *a, struct budget_stats **out);

/* ---- A client. ---- */

struct arm_config {
    struct credential *credential;  /* stays the caller's, must outlive the client */
    struct arm_gate *gate;          /* the same */
    const struct http_config *http; /* NULL: the defaults; HTTP/1.1 without redirects in any case */
    const struct rules *rules;      /* NULL: those of the program */
    str agent;                      /* put behind our own name in User-Agent; may be empty */
    str region;                     /* of the buckets; may be empty */
    int64_t timeout;                /* of one request; 0: a minute */
};

MUST_CHECK bool arm_new(const struct arm_config *config, struct arm **out, struct err *e);
void arm_free(struct arm *m);

struct arm_call {
    str method;
    str id;     /* of the resource: "/subscriptions/..."; escaped by us */
    str action; /* POST: "listKeys" */
    str query;  /* more of it, escaped: "$expand=x" */
    /* Instead of all of these: where an operation said to ask (pipe.h only). Asked once. */
    str address;
    str api_version;
    str body;      /* JSON */
    str namespace; /* that it is for */
    enum budget_priority priority;
    str group, kind;            /* of the custom resource, for the rules */
    str correlation;            /* x-ms-correlation-request-id; may be empty */
    int64_t deadline;           /* by clock_mono; 0: none. Waiting counts. */
    int64_t patience;           /* a 429 that asks for a longer wait is the answer; 0: none is */
    struct http_cancel *cancel; /* may be NULL */
    uint64_t term;              /* see arm_pipe_cancel (pipe.h only); TERM_NONE: of none */
};

struct arm_result {
    int status; /* 0: there was no answer */
    str body;
    struct http_headers headers;
    int64_t retry_after; /* in nanoseconds; -1: not said */
    unsigned tries;
    str client_request_id, request_id, correlation_id; /* for logs and for Azure's support */
    /* When the call failed with a status, or the operation did: */
    struct cloud_error error;
    struct error_verdict verdict; /* retry is NULL when there was no refusal */
};

/*
 * Sends one request and takes its answer. False unless the answer is of 2xx; a refusal is in
 * result, and its kind is ERR_NOT_FOUND (404), ERR_CONFLICT (409, 412), ERR_DENIED (401, 403),
 * ERR_THROTTLED (429), ERR_INVALID (other 4xx) or ERR_IO. The text is what people should read.
 */
MUST_CHECK bool arm_send(struct arm *m, struct arena *a, const struct arm_call *call,
                         struct arm_result *result, struct err *e);
/* HEAD: whether there is such a resource. */
MUST_CHECK bool arm_exists(struct arm *m, struct arena *a, const struct arm_call *call,
                           bool *exists, struct err *e);
/*
 * GET of a list with all its pages: every element of "value". At most ARM_PAGES_MAX pages.
 */
#define ARM_PAGES_MAX 10000
MUST_CHECK bool arm_list(struct arm *m, struct arena *a, const struct arm_call *call,
                         struct value **items, struct err *e);

/* ---- Long-running operations: PUT, PATCH, DELETE, POST. ---- */

/* What a result says, for lro_begin and lro_step. */
struct arm_answer arm_answer_of(const struct arm_result *r);

/* Sends the first request. From then on the operation can be written down (lro_token). */
MUST_CHECK bool arm_begin(struct arm *m, struct arena *a, const struct arm_call *call,
                          struct lro *operation, struct arm_result *result, struct err *e);
/* Takes up an operation that another process began. Nothing is sent. */
MUST_CHECK bool arm_resume(struct arm *m, struct arena *a, const struct arm_call *call, str token,
                           struct lro *operation, struct err *e);
/*
 * Asks once, without waiting: do so operation->wait nanoseconds after the last answer, while
 * operation->next is LRO_POLL or, after an end that asks for a wait, LRO_READ. When the operation
 * has ended, the resource has been read too (result->body). False when it ended badly.
 */
MUST_CHECK bool arm_poll(struct arm *m, struct arena *a, const struct arm_call *call,
                         struct lro *operation, struct arm_result *result, struct err *e);
/* Waits and polls to the end. */
MUST_CHECK bool arm_follow(struct arm *m, struct arena *a, const struct arm_call *call,
                           struct lro *operation, struct arm_result *result, struct err *e);
