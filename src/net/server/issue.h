/* SPDX-License-Identifier: Apache-2.0 */
/*
 * issue.h - issues certificates for a server and its clients from a private CA.
 *
 *     struct issued ca, leaf;
 *     if (!issue_authority(a, STR("my-ca"), &ca, e) ||
 *         !issue_for_server(a, &ca, hosts, count, &leaf, e))
 *         return false;
 *
 * Keys are ECDSA on P-256; everything is PEM. Certificates are valid from an hour ago, in case
 * clocks differ, and expire with their CA, after ten years: the CA is private to one server, so an
 * earlier expiry would gain nothing. Keys are secrets: pass an arena that is wiped
 * (arena_new_secret). May be called from any thread.
 */
#pragma once

#include "base/base.h"

struct issued {
    str cert, key;
};

MUST_CHECK bool issue_authority(struct arena *a, str name, struct issued *out, struct err *e);
/* For a server with these names and addresses. */
MUST_CHECK bool issue_for_server(struct arena *a, const struct issued *ca, const str *hosts,
                                 size_t count, struct issued *out, struct err *e);
/* For a client of this name and group. */
MUST_CHECK bool issue_for_client(struct arena *a, const struct issued *ca, str name, str group,
                                 struct issued *out, struct err *e);
/* When a certificate expires, in nanoseconds since 1970; 0 if it is invalid. */
int64_t issue_end(str cert);
/* Checks that certificate and key are both set and belong together. */
MUST_CHECK bool issue_check(const struct issued *pair, struct err *e);
