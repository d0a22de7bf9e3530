/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm.h - Azure Resource Manager as a client.
 *
 *     struct arm_gate *gate = arm_gate_new(&limits);           one for the whole program
 *     struct arm_config config = {.credential = c, .gate = gate};
 *     struct arm *arm = arm_new(&config);                      one per credential
 *     struct arm_call call = {.method = STR("PUT"), .id = id, .api_version = v, .body = body};
 *     start the call in a pipe (pipe.h) and take its result from there
 *
 * A call waits for its turn in the request budget, has a fresh token, and is retried where that is
 * known to help: with a new token once after a 401, up to three attempts in total on server errors
 * or broken connections (only requests that may be sent twice), once an empty bucket has refilled,
 * and after registering the provider. Every other error is returned to the caller together with the
 * verdict of the rules. Requests only ever go to the cloud's endpoint and hosts below it
 * ("eastus2.management.azure.com"): redirects to other hosts are rejected.
 *
 * A client may be used by any thread. Time is that of base/clock.h.
 */
#pragma once

#include "arm/budget/budget.h"
#include "arm/credential/credential.h"
#include "arm/lro.h"

struct arm;
struct arm_gate;

/* ---- The budget, shared by all threads and credentials. ---- */

struct arm_gate *arm_gate_new(const struct budget_limits *limits);
/* No call may be in progress. */
void arm_gate_free(struct arm_gate *g);
/* For metrics: see budget_stats. Texts are copied to a. */
size_t arm_gate_stats(struct arm_gate *g, struct arena *a, struct budget_stats **out);

/* ---- A client. ---- */

struct arm_config {
    struct credential *credential; /* owned by the caller; must outlive the client */
    struct arm_gate *gate;         /* the same */
    const struct rules *rules;     /* NULL: the built-in ones */
    str agent;                     /* appended to our own name in User-Agent; may be empty */
    str region;                    /* for the buckets; may be empty */
    int64_t timeout;               /* for one request; 0: a minute */
};

struct arm *arm_new(const struct arm_config *config);
void arm_free(struct arm *m);

struct arm_call {
    str method;
    str id;     /* of the resource: "/subscriptions/..."; escaped by us */
    str action; /* POST: "listKeys" */
    str query;  /* more of it, escaped: "$expand=x" */
    /* Instead of all of these: the URL to poll an operation at. Sent only once. */
    str address;
    str api_version;
    str body;      /* JSON */
    str namespace; /* the namespace it is for */
    enum budget_priority priority;
    str group, kind;            /* the custom resource's, for the rules */
    str correlation;            /* x-ms-correlation-request-id; may be empty */
    int64_t deadline;           /* by clock_mono; 0: none. Includes waiting. */
    int64_t patience;           /* a 429 that requires a longer wait is returned; 0: none is */
    struct http_cancel *cancel; /* may be NULL */
    uint64_t term;              /* see arm_pipe_cancel; TERM_NONE: none */
};

struct arm_result {
    int status; /* 0: there was no response */
    str body;
    struct http_headers headers;
    int64_t retry_after; /* in nanoseconds; -1: not given */
    unsigned tries;
    str client_request_id, request_id, correlation_id; /* for logs and for Azure's support */
    /* If the call failed with a status, or the operation failed: */
    struct cloud_error error;
    struct error_verdict verdict; /* retry is NULL if there was no error response */
};

/* What lro_begin and lro_step need of a result. */
struct arm_answer arm_answer_of(const struct arm_result *r);
