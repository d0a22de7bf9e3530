/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - authentication: the CA, the token and the kubeconfig of a served store.
 *
 * Tokens are compared by their hashes, in constant time. One thread makes an access; its handler
 * may be called from any.
 */
#pragma once

#include "net/handler.h"
#include "net/server/issue.h"

struct store_access {
    struct issued ca, server, client;
    str token;
    unsigned char token_hash[32];
    const struct handler *inner;
    struct handler handler; /* asks inner when the caller may */
};

/* Certificates that end sooner are made anew. */
#define STORE_RENEW_BEFORE (INT64_C(30) * 24 * 3600 * NS_PER_SEC)

/*
 * Reads the authority and the token from the folder, or makes them, and certificates for a server
 * at address and for a client. An authority that ends within STORE_RENEW_BEFORE of now is replaced.
 * a is wiped when it is freed, and lives as long as out.
 */
MUST_CHECK bool store_access_open(struct arena *a, str folder, str address, int64_t now,
                                  struct store_access *out, struct err *e);
/* Writes folder/kubeconfig for a server at this URL; mode 0600. */
MUST_CHECK bool store_access_write(const struct store_access *x, str folder, str url,
                                   struct err *e);
/* Whether the caller may call, by the head of the request alone. */
bool store_access_allows(const struct store_access *x, const struct handler_call *c);
/* From now on x->handler guards inner. */
void store_access_guard(struct store_access *x, const struct handler *inner);
