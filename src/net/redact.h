/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact.h - removes secrets from requests and responses.
 *
 * For recordings, traces and logs. Secrets are recognized by name: headers (Authorization, Cookie,
 * ...), JSON members and form fields (password, token, client_secret, ...), query parameters (sig,
 * code, ...), variables and arguments of programs (DB_PASSWORD, --token), the data of Kubernetes
 * Secrets wherever they occur, and copies of it in the same object (text/secret_values.h); or by
 * shape, also within texts: private keys, connection strings, tokens, signatures and passwords in
 * URLs, and what redact_text finds. Values become "REDACTED" (base64-encoded in the data of a
 * Secret). Text that mentions secrets but cannot be parsed, or is JSON with duplicate keys, is
 * dropped entirely. Redaction is idempotent, so that replayed requests match. Any thread; results
 * live as long as a.
 */
#pragma once

#include "net/http/http.h"

#define REDACTED "REDACTED"

str redact_header(struct arena *a, str name, str value);
/* Passwords and tokens in the authority, and secret parameters. */
str redact_url(struct arena *a, str url);
/*
 * The same for something that may be a URL or a file name, which is left unchanged. Everything that
 * stores or prints a location for people uses this or redact_url.
 */
str redact_place(struct arena *a, str place);
/* Removes the passwords of URLs from a foreign text. */
str redact_passwords(struct arena *a, str text);
/*
 * The same with secret parameters of URLs, for our own messages, in which a URL ends with a blank
 * or a quote: the text itself if it has neither.
 */
str redact_urls(struct arena *a, str text);
/*
 * A body: JSON, lines of JSON, a form or other text. The URL is needed for patches, which do not
 * say themselves that they are for a Secret.
 */
str redact_body(struct arena *a, str url, str content_type, str body);

/*
 * Prose, such as an error message, without what looks like a secret: parameters and passwords of
 * URLs, password=x and "password": "x", credentials, tokens, private keys. The rest is unchanged.
 */
str redact_text(struct arena *a, str text);
/*
 * A text that may be a file: its lines without the values that have a secret name, as in YAML,
 * properties and lists of variables. The rest is unchanged.
 */
str redact_lines(struct arena *a, str text);
/* Whether a text, such as a file with manifests, has a Secret: "kind: Secret" in YAML or JSON. */
bool redact_has_secret(str text);
/* The text with every occurrence of secret replaced by mask; text itself if there is none. */
str redact_all(struct arena *a, str text, str secret, str mask);

/*
 * The text without the secrets of a request, which servers and proxies may quote, escaped in any
 * way (text/spelled.h): values of its secret headers, in particular credentials, and of secret
 * parameters in its URL and form. The text itself if it contains none.
 */
str redact_sent(struct arena *a, const struct http_request *r, str text);
/*
 * The same for the parts of an answer that messages are made from: headers and body unless it is a
 * 2xx, warnings, and the error, which may be NULL or empty.
 */
void redact_answer(struct arena *a, const struct http_request *r, struct http_response *response,
                   struct err *e);
