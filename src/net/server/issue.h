/* SPDX-License-Identifier: Apache-2.0 */
/*
 * issue.h - certificates for a server and its clients, from an authority of one's own.
 *
 *     struct issued ca, leaf;
 *     if (!issue_authority(a, STR("my-ca"), &ca, e) ||
 *         !issue_for_server(a, &ca, hosts, count, &leaf, e))
 *         return false;
 *
 * Keys are ECDSA on P-256; everything is PEM. Certificates begin an hour ago, for clocks that
 * differ, and end with their authority, after ten years: the authority is private to one server, so
 * nothing is gained by an earlier end. Keys are secrets: give an arena that is wiped
 * (arena_new_secret). May be called from any thread.
 */
#pragma once

#include "base/base.h"

struct issued {
    str cert, key;
};

MUST_CHECK bool issue_authority(struct arena *a, str name, struct issued *out, struct err *e);
/* For a server that is called by these names and addresses. */
MUST_CHECK bool issue_for_server(struct arena *a, const struct issued *ca, const str *hosts,
                                 size_t count, struct issued *out, struct err *e);
/* For a client of this name and group. */
MUST_CHECK bool issue_for_client(struct arena *a, const struct issued *ca, str name, str group,
                                 struct issued *out, struct err *e);
/* When a certificate ends, in nanoseconds since 1970; 0 when it cannot be read. */
int64_t issue_end(str cert);
/* Whether both are there and belong together. */
MUST_CHECK bool issue_check(const struct issued *pair, struct err *e);
