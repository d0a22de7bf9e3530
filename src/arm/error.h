/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h - Azure's error responses.
 *
 * Services return errors in many shapes: {"error":{...}}, the same without the wrapper, with
 * capitalized keys, a number as code, problem documents, a message alone, JSON inside the message,
 * HTML, or nothing. All of them become one struct cloud_error; parsing never fails.
 *
 *     struct cloud_error refusal;
 *     cloud_error_read(a, 409, body, &refusal);
 *     str text = cloud_error_text(a, &refusal);      for people
 *
 * For what an error means, see rules.h. May be called from any thread.
 */
#pragma once

#include "base/base.h"

struct value;

/* The code of an error response that has none. */
#define CLOUD_UNKNOWN "UnknownError"
/* At most this many causes are kept; services list every invalid field. */
#define CLOUD_CAUSES_MAX 64

struct cloud_cause {
    str code, message, target; /* each may be empty */
    unsigned depth;            /* 1 for the causes of the error itself */
};

struct cloud_error {
    int http;        /* the status; 0: there was no response */
    str code;        /* CLOUD_UNKNOWN if the body has none */
    str message;     /* may be empty */
    str target;      /* what the service blames; may be empty */
    bool understood; /* the original can read it: JSON, and the code, if any, is a text */
    struct {
        struct cloud_cause *items;
        size_t len, cap;
    } causes;                        /* details and inner errors, parents first */
    const struct cloud_cause *cause; /* the deepest one that says more than the message, or NULL */
    int64_t retry_after;             /* in nanoseconds; -1: not given. Set by the caller. */
};

/* Reads a body. Everything lives as long as a; texts may point into body. */
void cloud_error_read(struct arena *a, int http, str body, struct cloud_error *out);
/*
 * The same for the response of a failed operation or resource: its error member, or any other
 * explanation.
 */
void cloud_error_from(struct arena *a, int http, const struct value *body, struct cloud_error *out);
/*
 * "message: deepest cause", or a sentence of ours when Azure gives no message. Lives as long as a.
 */
str cloud_error_text(struct arena *a, const struct cloud_error *e);
