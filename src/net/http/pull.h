/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pull.h - reads the body of an answer at the reader's own pace, like a file.
 *
 *     struct http_pull *p;
 *     if (!http_pull_open(client, a, &request, &response, &p, e))
 *         return false;                               no answer: response.failure says why
 *     while ((ok = http_pull_read(p, to, size, &got, e)) && got) ...
 *     http_pull_close(p);
 *
 * For bodies that are too large for memory, and readers that pull: at most a few megabytes are
 * held. Compression is not requested. The reader's own time does not count against the server,
 * except for the timeout of the whole request. Tapes work as usual. One thread at a time.
 */
#pragma once

#include "net/http/http.h"

struct http_pull;

/*
 * Sends a request and waits for the head of its answer; true whatever the status. The body of a 2xx
 * answer is to be read, those of others are in the response as usual. on_body and ctx of r are not
 * used. The texts of r and the response, which is in a, must live until the end, since failures
 * while reading are noted in the response, too. *out must be closed, unless this fails.
 */
MUST_CHECK bool http_pull_open(struct http_client *c, struct arena *a, const struct http_request *r,
                               struct http_response *response, struct http_pull **out,
                               struct err *e);
/* Reads up to size bytes; *got is 0 only at the end. Fails like http_send, and then always. */
MUST_CHECK bool http_pull_read(struct http_pull *p, char *to, size_t size, size_t *got,
                               struct err *e);
/* Ends the request if it is still running. p may be NULL. */
void http_pull_close(struct http_pull *p);
