/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pull.h - an answer whose body is read when its reader likes, as a file is.
 *
 *     struct http_pull *p;
 *     if (!http_pull_open(client, a, &request, &response, &p, e))
 *         return false;                               no answer: response.failure says why
 *     while ((ok = http_pull_read(p, to, size, &got, e)) && got) ...
 *     http_pull_close(p);
 *
 * For bodies that are too large for memory and whose readers want to be the ones who ask: a few
 * megabytes at most are held. Compression is not asked for: what is given is what came. The time
 * that the reader takes for itself is not held against the server, but for the timeout of the whole
 * request. Tapes work as everywhere. One thread at a time.
 */
#pragma once

#include "net/http/http.h"

struct http_pull;

/*
 * Sends a request and waits for the head of its answer; true whatever the status. The body of an
 * answer of 2xx is to be read, those of others are in the response as usual. on_body and ctx of r
 * are not used, its texts must live until the end, and so must response, which lives in a: it tells
 * of failures while reading, too. *out is to be closed, unless this fails.
 */
MUST_CHECK bool http_pull_open(struct http_client *c, struct arena *a, const struct http_request *r,
                               struct http_response *response, struct http_pull **out,
                               struct err *e);
/* Up to size bytes; *got is 0 at the end only. Fails as http_send does, from then on always. */
MUST_CHECK bool http_pull_read(struct http_pull *p, char *to, size_t size, size_t *got,
                               struct err *e);
/* Ends the request when it has not ended. p may be NULL. */
void http_pull_close(struct http_pull *p);
