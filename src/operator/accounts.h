/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounts.h - the credential with which an object is sent to Azure, and its client.
 *
 *     state = accounts_of(s, a, object, &account, e);       the account port (ports.h)
 *     client = accounts_take(s, account.key);               for one request
 *     accounts_give(s, client);                             when it is answered
 *
 * The choice is that of the reference operator: the Secret that the annotation credential-from
 * names, else the Secret aso-credential of the namespace, else the credential of the operator
 * itself. Secrets are read by name when they are first needed and again when their resourceVersion
 * has changed; a client made from the old content is freed after its last request.
 *
 * A credential whose Secret is gone can still be used for objects that are being deleted, so that a
 * namespace can be deleted as a whole.
 *
 * Any thread. Keys and tokens live in memory that is wiped, and appear in no error.
 */
#pragma once

#include "arm/arm.h"
#include "operator/ports.h"

struct accounts;
struct account_client;

/* As many Secrets as that are remembered; more are ACCOUNT_MISSING. */
#define ACCOUNTS_MAX 10000

struct accounts_config {
    struct arm_gate *gate;                    /* must outlive the accounts */
    const struct credential_settings *global; /* of the operator itself; NULL: it has none */
    const struct cloud *cloud;                /* of scoped credentials that name none */
    bool own_cloud;                           /* these may name one of their own */
    str agent;                                /* added to the User-Agent */
    /* Metadata of an object as the caches have it, or NULL; called by accounts_of. */
    const struct value *(*find)(void *ctx, struct arena *a, const struct object_key *key);
    /* Begins to read a Secret; accounts_tell follows. Called without a lock held. */
    void (*read)(void *ctx, str namespace, str name);
    void *ctx;
};

/* Checks the global credential. */
MUST_CHECK bool accounts_new(const struct accounts_config *config, struct accounts **out,
                             struct err *e);
/* No client may be taken. s may be NULL. */
void accounts_free(struct accounts *s);

/* See struct ports. */
enum account_state accounts_of(struct accounts *s, struct arena *a, const struct value *object,
                               struct account *out, struct err *e);
/* Reads again what could not be read; call it now and then. */
void accounts_step(struct accounts *s);
/* A Secret was read: its body, or why not (status 0: no answer). */
void accounts_tell(struct accounts *s, str namespace, str name, int status, str body);

/* The client of an account; NULL when it is gone. */
struct account_client *accounts_take(struct accounts *s, str key);
struct arm *accounts_arm(struct account_client *c);
str accounts_endpoint(const struct account_client *c);
void accounts_give(struct accounts *s, struct account_client *c);

/* How many Secrets have a client. */
size_t accounts_count(struct accounts *s);
