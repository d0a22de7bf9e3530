/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - authentication: the CA, the token and the kubeconfig of a served store.
 *
 * Tokens are compared by hash, in constant time. One thread opens an access; its handler may be
 * called from any thread.
 */
#pragma once

#include "net/handler.h"
#include "net/server/issue.h"

struct store_access {
    struct issued ca, server, client;
    str token;
    unsigned char token_hash[32];
    const struct handler *inner;
    struct handler handler; /* calls inner if the caller is allowed */
};

/* Certificates that expire sooner are renewed. */
#define STORE_RENEW_BEFORE (INT64_C(30) * 24 * 3600 * NS_PER_SEC)

/*
 * Reads the CA and the token from the folder, or creates them, and issues certificates for a server
 * at address and for a client. A CA that expires within STORE_RENEW_BEFORE of now is replaced. a
 * must be wiped when it is freed, and must live as long as out.
 */
MUST_CHECK bool store_access_open(struct arena *a, str folder, str address, int64_t now,
                                  struct store_access *out, struct err *e);
/* Writes folder/kubeconfig for a server at this URL; mode 0600. */
MUST_CHECK bool store_access_write(const struct store_access *x, str folder, str url,
                                   struct err *e);
/* Whether the caller is allowed, judging by the head of the request alone. */
bool store_access_allows(const struct store_access *x, const struct handler_call *c);
/* From now on x->handler guards inner. */
void store_access_guard(struct store_access *x, const struct handler *inner);
