/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact.h - what may be shown of requests and answers: everything but secrets.
 *
 * For recordings, traces and logs. What is secret is known by name: headers (Authorization, Cookie,
 * ...), members of JSON and fields of forms (password, token, client_secret, ...), query parameters
 * (sig, code, ...), the data of Kubernetes Secrets wherever they stand; or by its look: private
 * keys, connection strings, signatures and passwords in URLs. Values become "REDACTED" (in base64
 * where the data of a Secret is). Texts that are not understood and speak of secrets, and JSON with
 * the same name twice in an object that does, are dropped whole. What was redacted stays as it is
 * when redacted again: so a replayed request is found. Any thread; results live as long as a.
 */
#pragma once

#include "net/http/http.h"

#define REDACTED "REDACTED"

bool redact_is_secret_name(str name);
str redact_header(struct arena *a, str name, str value);
/* Passwords in the authority, and secret parameters. */
str redact_url(struct arena *a, str url);
/*
 * A body: JSON, lines of JSON, a form or another text. The URL tells where a patch goes, which does
 * not say itself that it is one of a Secret.
 */
str redact_body(struct arena *a, str url, str content_type, str body);

/*
 * The text without what a request sent that is secret: values of its secret headers, in particular
 * credentials, and of secret parameters of its URL and form. Servers and proxies quote requests in
 * what they answer. The text itself when it holds none of that.
 */
str redact_sent(struct arena *a, const struct http_request *r, str text);
/*
 * The same for an answer, as far as messages are made of it: headers and body unless it is a 2xx,
 * warnings, and the error, which may be NULL or empty.
 */
void redact_answer(struct arena *a, const struct http_request *r, struct http_response *response,
                   struct err *e);
