/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credential.h - Azure credentials, and the tokens they are exchanged for.
 *
 * A credential is chosen from keys, which are environment variables or the data of a Secret:
 *
 *     if (!credential_select(a, &keys, &options, &settings, e)) ...   says all that is missing
 *     if (!credential_new(&settings, &credential, e)) ...
 *     switch (credential_try(credential, a, scope, &wish)) {
 *     case CREDENTIAL_READY:  wish.token and wish.auxiliary
 *     case CREDENTIAL_FETCH:  send credential_fetch_request(wish.fetch), pass what comes back to
 *                             credential_fetch_answer until it says that the fetch has ended, and
 *                             try again
 *     case CREDENTIAL_WAIT:   another caller does that: wish.listener is notified when to try again
 *     case CREDENTIAL_FAILED: wish.failure
 *     }
 *
 * Tokens are cached per tenant and scope and renewed after half of their lifetime, by one caller
 * while the others keep using the old one; if there is no valid token, the others wait. Lifetimes
 * are counted from the response, so a wrong clock does no harm; where the clock matters (signed
 * assertions), a skew of up to an hour is corrected with the Date of the response.
 *
 * Secrets live in memory that is wiped, and never appear in errors. Errors say what to check.
 * A credential may be used from any thread.
 */
#pragma once

#include "net/http/http.h"

struct credential;

/* ---- Clouds. ---- */

struct cloud {
    str endpoint;  /* of Resource Manager, without a slash at the end */
    str audience;  /* of its tokens */
    str authority; /* where tokens come from, with a slash at the end */
};

/* "public", "china", "usgovernment"; NULL when there is no such cloud. */
const struct cloud *cloud_find(str name);
/* The scope of tokens for Resource Manager. */
str cloud_scope(struct arena *a, const struct cloud *c);

/* ---- Choosing. ---- */

enum credential_kind {
    CREDENTIAL_SECRET,
    CREDENTIAL_CERTIFICATE,
    CREDENTIAL_WORKLOAD, /* a token of Kubernetes, from a file */
    CREDENTIAL_MANAGED,  /* what the machine is, from its metadata service */
    CREDENTIAL_CLI,      /* whoever is logged in with the Azure CLI */
};

/* Where keys come from. False when there is no such key. */
struct credential_keys {
    bool (*get)(void *ctx, const char *key, str *value);
    void *ctx;
};

struct credential_options {
    str origin;  /* for errors: "secret default/aso-credential" */
    bool scoped; /* a Secret: a key counts when it is there. Else an empty one counts as absent. */
    bool own_cloud;            /* scoped: it may name endpoints of its own */
    const struct cloud *cloud; /* scoped: of the operator; NULL: public */
};

/* A credential that has been chosen. Texts live as long as the arena, which should be a secret one.
 */
struct credential_settings {
    enum credential_kind kind;
    str subscription, tenant, client;
    str secret;                /* CREDENTIAL_SECRET */
    str certificate, password; /* CREDENTIAL_CERTIFICATE: PEM, PKCS#12, or that in base64 */
    bool send_chain;           /* the certificate goes along, for trust by issuer */
    bool rs256;                /* for authorities that do not know PS256 */
    str token_file;            /* CREDENTIAL_WORKLOAD */
    str metadata;              /* CREDENTIAL_MANAGED: where the service is */
    const char *program;       /* CREDENTIAL_CLI: NULL is "az" */
    const str *tenants;        /* further ones, for references across tenants */
    size_t tenant_count;
    struct cloud cloud;
};

/* Chooses by the rules of the reference operator. All missing keys are reported together. */
MUST_CHECK bool credential_select(struct arena *a, const struct credential_keys *keys,
                                  const struct credential_options *options,
                                  struct credential_settings *out, struct err *e);

/* ---- Tokens. ---- */

/* Checks and copies settings, and reads the certificate. */
MUST_CHECK bool credential_new(const struct credential_settings *settings, struct credential **out,
                               struct err *e);
/* No call may be under way. Wipes all secrets. */
void credential_free(struct credential *c);
const struct credential_settings *credential_settings(const struct credential *c);

struct credential_fetch;

/* Told once, from any thread, without locks; it must stay where it is until then. */
struct credential_listener {
    struct credential_listener *next;
    void (*tell)(void *ctx);
    void *ctx;
};

struct credential_wish {
    struct credential_listener listener; /* the caller's */
    int64_t began;                       /* when it was first tried, by clock_mono; 0: now */
    bool fetched;  /* the caller has fetched: what came is used, or is why not */
    str token;     /* copied to the arena of credential_try */
    str auxiliary; /* of further tenants: "Bearer x, Bearer y"; or empty */
    struct credential_fetch *fetch;
    struct err failure;
};

enum credential_state {
    CREDENTIAL_READY,
    CREDENTIAL_FETCH,
    CREDENTIAL_WAIT,
    CREDENTIAL_FAILED,
};

/* The tokens for scope. a should be a secret arena. */
enum credential_state credential_try(struct credential *c, struct arena *a, str scope,
                                     struct credential_wish *wish);
/* It need not wait any more. False: it is being told, or was. */
MUST_CHECK bool credential_forget(struct credential *c, struct credential_listener *l);
/* What to send, and whether by a client without a proxy. Lives as long as f. */
const struct http_request *credential_fetch_request(const struct credential_fetch *f, bool *direct);
/* Where what belongs to the fetch may live. */
struct arena *credential_fetch_arena(struct credential_fetch *f);
/*
 * Takes what came of it; failure is NULL when there is an answer. True: it is to be sent again
 * after *wait. False: the fetch has ended, is freed, and all who wait are told.
 */
MUST_CHECK bool credential_fetch_answer(struct credential_fetch *f,
                                        const struct http_response *response,
                                        const struct err *failure, int64_t *wait);
/* Gives it up for that reason. */
void credential_fetch_end(struct credential_fetch *f, const struct err *failure);

/* A server did not accept token: the next call gets another one. */
void credential_refuse(struct credential *c, str token);

/* ---- Answers of token endpoints; for fuzzing too. ---- */

struct token_answer {
    str token;
    int64_t lifetime; /* in nanoseconds */
};
/* now is the wall clock, for answers that only have a date. Errors carry what the endpoint says. */
MUST_CHECK bool token_answer_read(struct arena *a, int status, str body, int64_t now,
                                  struct token_answer *out, struct err *e);
