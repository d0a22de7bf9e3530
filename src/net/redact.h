/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact.h - requests and responses without their secrets.
 *
 * For recordings, traces and logs. Secrets are recognized by name: headers (Authorization, Cookie,
 * ...), JSON members and form fields (password, token, client_secret, ...), query parameters (sig,
 * code, ...), the data of Kubernetes Secrets wherever they occur, with what repeats it in the
 * object that holds them (text/secret_values.h); or by shape: private keys,
 * connection strings, signatures and passwords in URLs. Values become "REDACTED" (base64-encoded in
 * the data of a Secret). Text that cannot be parsed and mentions secrets is dropped entirely, and
 * so is JSON with duplicate keys that does. Redaction is idempotent, so that replayed requests
 * match. Any thread; results live as long as a.
 */
#pragma once

#include "net/http/http.h"

#define REDACTED "REDACTED"

str redact_header(struct arena *a, str name, str value);
/* Passwords and tokens in the authority, and secret parameters. */
str redact_url(struct arena *a, str url);
/*
 * The same for what may be a URL or the name of a file, which stays as it is. Everything that keeps
 * or prints the name of a place for people uses this or redact_url.
 */
str redact_place(struct arena *a, str place);
/* A text of others, in which there may be URLs: without their passwords. */
str redact_passwords(struct arena *a, str text);
/*
 * A body: JSON, lines of JSON, a form or another text. The URL tells where a patch goes, which does
 * not say itself that it is one of a Secret.
 */
str redact_body(struct arena *a, str url, str content_type, str body);

/*
 * Prose, such as an error message, without what looks like a secret: parameters and passwords of
 * URLs, password=x and "password": "x", credentials, tokens, private keys. The rest stays as it is.
 */
str redact_text(struct arena *a, str text);
/* The text with mask wherever it has the secret; the text itself when it has not. */
str redact_all(struct arena *a, str text, str secret, str mask);

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
