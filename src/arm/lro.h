/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lro.h - long-running operations, without a network.
 *
 * A PUT or DELETE may finish at once, or Azure may take an hour. Services report progress in one of
 * five protocols. This state machine knows them: it is fed responses and says what to do next, so
 * that one worker can follow hundreds of operations, and tests need no server.
 *
 *     lro_begin(a, &operation, STR("PUT"), url, &answer);
 *     while (operation.next == LRO_POLL) {
 *         wait operation.wait nanoseconds, GET operation.poll_url
 *         lro_step(a, &operation, &answer);
 *     }
 *     LRO_READ: it succeeded (or the outcome is unknown); GET the resource to see the result, after
 *     operation.wait nanoseconds, usually 0 LRO_DONE: it succeeded, and operation.body is the
 *     resource, if it is not empty LRO_FAILED: operation.error says why
 *
 * A running operation can be saved as a small token and resumed by another process (lro_token,
 * lro_resume); the format is that of the reference operator's poller annotation.
 *
 * An operation belongs to one thread at a time. Its texts live as long as the arena of the calls.
 */
#pragma once

#include "arm/error.h"

/* The relevant parts of a response. Absent headers are empty. */
struct arm_answer {
    int http; /* 0: there was no response */
    str body;
    str async_operation, operation_location, location;
    int64_t retry_after; /* in nanoseconds; -1: not given */
    str request_id;      /* x-ms-request-id: identifies the request to Azure's support */
    str failure;         /* why there was none, as a message; may be empty */
    bool denied;         /* because the credential was rejected */
};

enum lro_protocol {
    LRO_NONE,      /* the first response was the last */
    LRO_ASYNC,     /* Azure-AsyncOperation */
    LRO_OPERATION, /* Operation-Location */
    LRO_LOCATION,  /* Location */
    LRO_RESOURCE,  /* the state of the resource itself */
};

enum lro_next { LRO_POLL, LRO_READ, LRO_DONE, LRO_FAILED };

/* Longer waits are cut to this; Azure requests a few minutes at most. */
#define LRO_WAIT_MAX (600 * NS_PER_SEC)
/* How many polls in a row may fail before the operation is given up. */
#define LRO_TROUBLE_MAX 20

struct lro {
    enum lro_protocol protocol;
    enum lro_next next;
    str method;       /* PUT, PATCH, DELETE, POST */
    str url;          /* of the first request */
    str poll_url;     /* LRO_POLL: the URL to poll */
    str final_url;    /* LRO_READ: the resource */
    str state;        /* as Azure words it; "InProgress" if not given */
    int64_t wait;     /* LRO_POLL, LRO_READ: before sending */
    str body;         /* LRO_DONE: the last body, may be empty */
    unsigned polls;   /* so far */
    unsigned trouble; /* polls that failed since the last one that succeeded */
    struct cloud_error error;
};

/* Takes the first response. */
void lro_begin(struct arena *a, struct lro *o, str method, str url, const struct arm_answer *first);
/*
 * The URL of the operation must not be used: it does not belong to Resource Manager, which must not
 * see our token. Reads the resource instead. False when that would not help (POST).
 */
MUST_CHECK bool lro_stay_home(struct lro *o);
/* Takes the response to a poll. http 0 means that there was none: polls again. */
void lro_step(struct arena *a, struct lro *o, const struct arm_answer *answer);

/* A running operation as text: one JSON object. */
str lro_token(struct arena *a, const struct lro *o);
/*
 * Resumes an operation from its token. Fails when the token is malformed, is for another method, or
 * would lead to another host than that of endpoint: tokens are stored where users can write.
 */
MUST_CHECK bool lro_resume(struct arena *a, str token, str method, str endpoint, struct lro *out,
                           struct err *e);

/*
 * Whether url belongs to the Resource Manager at endpoint, so that it may see a token: the same
 * scheme, host and port, or a host below that one ("https://eastus2.management.azure.com" for
 * "https://management.azure.com"), which is what some providers use for operations.
 */
bool lro_is_home(str url, str endpoint);
/* Whether a state is final; *well: whether it is a success. Case-insensitive. */
bool lro_state_ends(str state, bool *well);
