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
    str endpoint;  /* Resource Manager, without a slash at the end */
    str audience;  /* for its tokens */
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
    CREDENTIAL_WORKLOAD, /* a Kubernetes token, from a file */
    CREDENTIAL_MANAGED,  /* the machine's identity, from its metadata service */
    CREDENTIAL_CLI,      /* the user who is logged in with the Azure CLI */
};

/* Where keys come from. False when there is no such key. */
struct credential_keys {
    bool (*get)(void *ctx, const char *key, str *value);
    void *ctx;
};

struct credential_options {
    str origin;  /* for errors: "secret default/aso-credential" */
    bool scoped; /* a Secret: any key that is present counts. Otherwise, empty ones are absent. */
    bool own_cloud;            /* scoped: it may specify its own endpoints */
    const struct cloud *cloud; /* scoped: the operator's; NULL: public */
};

/* The credential that was chosen. Texts live as long as the arena, which should be a secret one. */
struct credential_settings {
    enum credential_kind kind;
    str subscription, tenant, client;
    str secret;                /* CREDENTIAL_SECRET */
    str certificate, password; /* CREDENTIAL_CERTIFICATE: PEM, PKCS#12, or either in base64 */
    bool send_chain;           /* send the certificate chain, for trust by issuer */
    bool rs256;                /* for authorities that do not support PS256 */
    str token_file;            /* CREDENTIAL_WORKLOAD */
    str metadata;              /* CREDENTIAL_MANAGED: the URL of the service */
    const char *program;       /* CREDENTIAL_CLI: NULL is "az" */
    const str *tenants;        /* additional ones, for references across tenants */
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
/* No call may be in progress. Wipes all secrets. */
void credential_free(struct credential *c);
const struct credential_settings *credential_settings(const struct credential *c);

struct credential_fetch;

/* Notified once, from any thread, without holding locks; it must not move until then. */
struct credential_listener {
    struct credential_listener *next;
    void (*tell)(void *ctx);
    void *ctx;
};

struct credential_wish {
    struct credential_listener listener; /* set by the caller */
    int64_t began;                       /* when it was first tried, by clock_mono; 0: now */
    bool fetched;  /* the caller has fetched: uses the result, even if it is an error */
    str token;     /* copied to the arena of credential_try */
    str auxiliary; /* for additional tenants: "Bearer x, Bearer y"; or empty */
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
/* Stops waiting. False: it is being notified, or has been. */
MUST_CHECK bool credential_forget(struct credential *c, struct credential_listener *l);
/* The request to send; *direct: by a client without a proxy. Lives as long as f. */
const struct http_request *credential_fetch_request(const struct credential_fetch *f, bool *direct);
/* An arena for anything that lives as long as the fetch. */
struct arena *credential_fetch_arena(struct credential_fetch *f);
/*
 * Takes the outcome; failure is NULL if there is a response. True: send the request again after
 * *wait. False: the fetch has ended and is freed, and all listeners are notified.
 */
MUST_CHECK bool credential_fetch_answer(struct credential_fetch *f,
                                        const struct http_response *response,
                                        const struct err *failure, int64_t *wait);
/* Gives up the fetch with that failure. */
void credential_fetch_end(struct credential_fetch *f, const struct err *failure);

/* Reports that a server did not accept token: the next call gets a new one. */
void credential_refuse(struct credential *c, str token);

/* ---- Responses of token endpoints; also for fuzzing. ---- */

struct token_answer {
    str token;
    int64_t lifetime; /* in nanoseconds */
};
/*
 * now is the wall clock, for responses that only have a date. Errors include the endpoint's
 * message.
 */
MUST_CHECK bool token_answer_read(struct arena *a, int status, str body, int64_t now,
                                  struct token_answer *out, struct err *e);
