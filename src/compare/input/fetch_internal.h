/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch_internal.h - fetches texts from the web, with the original's retries and error texts. For
 * this folder only.
 *
 * Redirects are followed, certificates are verified, proxies are taken from the environment. Only a
 * 200 is a success; everything else is an error that says what the server reported. URLs in errors
 * have no secrets.
 */
#pragma once

#include "net/retry.h"

/* The largest file of a reference, and the largest text with objects, that is fetched. */
#define FETCH_REFERENCE_MAX (64 * MIB)
#define FETCH_OBJECTS_MAX (256 * MIB)
/* All files of a reference together. */
#define FETCH_REFERENCE_ALL (256 * MIB)
/* How long one may take: gives up on servers that only send a byte now and then. */
#define FETCH_REFERENCE_TIME (300 * NS_PER_SEC)
#define FETCH_OBJECTS_TIME (900 * NS_PER_SEC)

/* Five attempts, 5 ms apart; three attempts, one second apart. */
extern const struct retry_policy fetch_reference_policy, fetch_objects_policy;

struct fetch {
    str url;
    const struct retry_policy *policy;
    size_t max;
    int64_t time_max;
    const char *context; /* before errors of the connection, with the URL; NULL: nothing */
    bool explain;        /* connection errors say what to check */
    bool whole;          /* the server must say where its answer ends */
    bool bare;           /* a truncated body is just "unexpected EOF" */
};

/* *out lives as long as a. */
MUST_CHECK bool fetch_text(struct http_client *c, struct arena *a, const struct fetch *f, str *out,
                           struct err *e);

bool fetch_is_url(str text);
