/* SPDX-License-Identifier: Apache-2.0 */
/* credential_internal.h - what the files of credentials share. */
#pragma once

#include "azure/credential.h"

/* A certificate with its private key. */
struct client_cert;

/* PEM, PKCS#12 (also of the old kinds), or one of them in base64. */
MUST_CHECK bool client_cert_read(str data, str password, struct client_cert **out, struct err *e);
void client_cert_free(struct client_cert *c);
/* Fails when it is not valid at now (wall clock); the error says until or from when it is. */
MUST_CHECK bool client_cert_valid(const struct client_cert *c, int64_t now, struct err *e);
/* A signed assertion that client is who it says, for the token endpoint at audience. */
MUST_CHECK bool client_cert_assert(struct arena *a, const struct client_cert *c,
                                   const struct credential_settings *settings, str audience,
                                   int64_t now, str *out, struct err *e);

/* One exchange with whoever gives tokens. Everything lives in a, which is secret. */
struct token_call {
    const struct credential_settings *settings;
    const struct client_cert *cert;
    struct http_client *http, *direct; /* direct: no proxy */
    str tenant, scope;
};
MUST_CHECK bool token_fetch(struct arena *a, const struct token_call *call,
                            struct token_answer *out, struct err *e);
/* Puts what to check behind an error that has an AADSTS number. Always false. */
bool token_advise(struct err *e);
