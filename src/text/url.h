/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.h - URLs as parsed and written by Go's net/url.
 *
 * Parts are stored without escapes, except query (raw), opaque and userinfo (as written in a URL).
 * Errors are those of Go without "parse URL: ", which url_parse puts before them. Any thread;
 * results live as long as a.
 */
#pragma once

#include "base/base.h"

struct url {
    str scheme, host, path, query, opaque, fragment, userinfo;
    bool has_user; /* there is a userinfo, even if it is empty */
    str raw_path;  /* the original spelling, if writing path would change it; else empty */
};

MUST_CHECK bool url_parse(struct arena *a, str text, struct url *out, struct err *e);

/* The same for a value in a template: the error shows a user without a password, as in Go. */
MUST_CHECK bool url_parse_value(struct arena *a, str text, struct url *out, struct err *e);
void url_write(struct buf *b, const struct url *u);
str url_text(struct arena *a, const struct url *u);
/* What replaces a password, as in Go. */
#define URL_HIDDEN "xxxxx"

/* Whether the user is a token: it has no password, or only a placeholder for one. */
bool url_is_token(str user_and_password);

/*
 * Where the password of the first URL in a text is, or the user if it is a token. False when there
 * is neither.
 */
bool url_find_password(str url, size_t *start, size_t *end);

/*
 * A URL that is safe to show: Go's "xxxxx" replaces its password or token, even if it is so
 * malformed that url_parse rejects it. Other text is unchanged. Above net, use redact_place, which
 * knows secret parameters too.
 */
str url_shown(struct arena *a, str url);

/* The host without port and brackets; the port, empty when there is none. */
str url_hostname(const struct url *u);
str url_port(const struct url *u);
/* The port, or that of the scheme: http 80, https 443, socks5 1080; 0 when unknown. */
unsigned url_port_number(const struct url *u);

/*
 * Resolves ref against base as in RFC 3986 ("../x", "?y", "//host", "https://..."): the Location of
 * a response, the nextLink of a page.
 */
MUST_CHECK bool url_resolve(struct arena *a, str base, str ref, str *out, struct err *e);
/*
 * base with path appended to its own, one slash between them: "https://h/prefix" and "api/v1" give
 * "https://h/prefix/api/v1". path is escaped already (see url_path_escape) and may have a query,
 * which is appended to that of base.
 */
str url_join(struct arena *a, str base, str path);
/* Whether both have the same scheme, host and port. False when one is not a URL. */
bool url_same_origin(str x, str y);

/* Appends a segment of a path, escaping everything with a meaning there, "/" too. */
void url_path_escape(struct buf *out, str segment);
/* Undoes escapes; plus: "+" is a blank, as in queries. False when one is malformed. */
MUST_CHECK bool url_unescape(struct arena *a, str text, bool plus, str *out);
/* Appends "name=value", escaped, after "?" or "&" depending on the text so far. */
void url_query_add(struct buf *out, str name, str value);
/*
 * Takes the next parameter off a raw query, unescaped. False when there is none, or when an escape
 * is malformed: then *query is not empty.
 */
MUST_CHECK bool url_query_next(struct arena *a, str *query, str *name, str *value);
/* The first parameter of that name in a raw query, unescaped. False when there is none. */
bool url_query_get(struct arena *a, str query, str name, str *out);
