/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h - shared by the files of this folder. */
#pragma once

#include "arm/credential/credential.h"
#include "net/retry.h"

/* A certificate with its private key. */
struct client_cert;

/* PEM, PKCS#12 (with legacy ciphers too), or either in base64. */
MUST_CHECK bool client_cert_read(str data, str password, struct client_cert **out, struct err *e);
void client_cert_free(struct client_cert *c);
/* Fails when it is not valid at now (wall clock); the error says from or until when it is. */
MUST_CHECK bool client_cert_valid(const struct client_cert *c, int64_t now, struct err *e);
/* A signed assertion of the client's identity, for the token endpoint at audience. */
MUST_CHECK bool client_cert_assert(struct arena *a, const struct client_cert *c,
                                   const struct credential_settings *settings, str audience,
                                   int64_t now, str *out, struct err *e);

/* The parameters of one request for a token. */
struct token_call {
    const struct credential_settings *settings;
    const struct client_cert *cert;
    str tenant, scope;
};

/*
 * Computes the next request from the last response. For the Azure CLI, runs the program and waits
 * for it.
 */
struct token_flow {
    struct arena *arena;
    const struct token_call *call;
    struct http_request request; /* TOKEN_SEND */
    bool direct;                 /* send by a client without a proxy */
    str url;
    int64_t now; /* as the endpoint sees it */
    unsigned tries;
    struct retry retry;
};
enum token_next { TOKEN_SEND, TOKEN_DONE, TOKEN_FAILED };
enum token_next token_flow_begin(struct token_flow *f, struct arena *a,
                                 const struct token_call *call, struct token_answer *out,
                                 struct err *e);
/* failure is NULL if there is a response. *wait: before sending the request again. */
enum token_next token_flow_step(struct token_flow *f, const struct http_response *response,
                                const struct err *failure, int64_t *wait, struct token_answer *out,
                                struct err *e);
/* Appends a hint on what to check to an error with an AADSTS number. Always false. */
bool token_advise(struct err *e);
