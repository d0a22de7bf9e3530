/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retry.h - whether, when and how often to retry a request. The only place that decides.
 *
 *     struct http_response response;
 *     if (!retry_send(client, a, &request, &retry_reads, &response, e))
 *         return false;
 *
 * A policy is data: which responses and failures to retry, how long to wait and when to give up.
 * The server's Retry-After (seconds or a date) overrides our own back-off; if it is longer than the
 * policy allows, the response is returned to the caller. Time and randomness come from
 * base/clock.h, so that tests are repeatable and never wait.
 *
 * Callers with their own loops (watches, queues, polled operations) keep a struct retry and call
 * retry_next. Any thread; a struct retry is used by one thread at a time.
 */
#pragma once

#include "net/http/http.h"

/* One kind of answer that is retried. */
struct retry_rule {
    int from, to;    /* statuses, inclusive */
    bool only_asked; /* only if the answer has a valid Retry-After */
    bool idempotent; /* only for requests that may be sent twice */
};

struct retry_policy {
    const char *name;      /* for logs */
    unsigned attempts_max; /* in all; 1: no retries */
    int64_t first;         /* the wait before the second attempt, nanoseconds */
    int64_t max;           /* the longest of our own waits */
    unsigned factor;       /* each wait is this percentage of the previous one: 200 doubles */
    unsigned jitter;       /* up to this percentage of a wait is added at random */
    int64_t asked_max;     /* the longest Retry-After that is honoured */
    int64_t total_max;     /* of all waits together; 0: no limit */
    bool lost_only;        /* retry only lost connections, not refused ones or timeouts */
    const struct retry_rule *rules;
    size_t rule_count;
};

/* No retries. */
extern const struct retry_policy retry_never;
/*
 * As client-go does: up to 10 attempts, only if the server asks for it with Retry-After and 429 or
 * 5xx, or, a second later, if a GET or HEAD lost its connection before the answer.
 */
extern const struct retry_policy retry_kube;
/* For reading from anywhere: 429, 500, 502, 503, 504 and lost connections, 5 attempts in 30 s. */
extern const struct retry_policy retry_reads;

struct retry {
    const struct retry_policy *policy;
    unsigned attempts; /* made so far */
    int64_t waited;    /* in all */
    int64_t next;      /* our own next wait, without jitter */
};

struct retry retry_begin(const struct retry_policy *policy);
/*
 * After an attempt, decides whether to make another one, and after which wait. response may be of
 * an answer or of a failure. Requests with on_body are retried only if it was not given anything.
 */
bool retry_next(struct retry *r, const struct http_request *request,
                const struct http_response *response, int64_t *wait);

/* http_send with retries. The last answer or failure is the result. */
MUST_CHECK bool retry_send(struct http_client *c, struct arena *a,
                           const struct http_request *request, const struct retry_policy *policy,
                           struct http_response *response, struct err *e);

/*
 * The wait that a Retry-After asks for: seconds, or a date minus now (nanoseconds since 1970; never
 * negative). retry-after-ms and x-ms-retry-after-ms, in milliseconds, take precedence. False if
 * there is none or it is invalid; numbers are capped at a year.
 */
bool retry_after(const struct http_headers *headers, int64_t now, int64_t *wait);
/* The three forms of RFC 9110: "Sun, 06 Nov 1994 08:49:37 GMT" and the two obsolete ones. */
bool http_date_parse(str text, int64_t now, int64_t *seconds);
/* The first of the three. Lives as long as a. */
str http_date(struct arena *a, int64_t seconds);
