/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounts.h - chooses the credential that an object uses against Azure, and keeps its client.
 *
 *     state = accounts_of(s, a, object, &account, e);       the account port (ports.h)
 *     client = accounts_take(s, account.key);               for one request
 *     accounts_give(s, client);                             once it is answered
 *
 * As in the reference operator, it is the Secret named by the annotation credential-from, else the
 * Secret aso-credential of the namespace, else the operator's own credential. Secrets are read by
 * name when they are first needed and again when their resourceVersion has changed; a client made
 * from the old content is freed after its last request.
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

/* The most Secrets that are remembered; beyond that, accounts are ACCOUNT_MISSING. */
#define ACCOUNTS_MAX 10000

struct accounts_config {
    struct arm_gate *gate;                    /* must outlive the accounts */
    const struct credential_settings *global; /* the operator's own; NULL: none */
    const struct cloud *cloud;                /* for scoped credentials that name none */
    bool own_cloud;                           /* scoped credentials may name a cloud */
    str agent;                                /* added to the User-Agent */
    /* The metadata of an object from the caches, or NULL; called by accounts_of. */
    const struct value *(*find)(void *ctx, struct arena *a, const struct object_key *key);
    /* Starts reading a Secret; its result is passed to accounts_tell. Called with no lock held. */
    void (*read)(void *ctx, str namespace, str name);
    void *ctx;
};

/* Checks the global credential. */
MUST_CHECK bool accounts_new(const struct accounts_config *config, struct accounts **out,
                             struct err *e);
/* All clients must have been given back. s may be NULL. */
void accounts_free(struct accounts *s);

/* See struct ports. */
enum account_state accounts_of(struct accounts *s, struct arena *a, const struct value *object,
                               struct account *out, struct err *e);
/* Retries the reads that failed; call it now and then. */
void accounts_step(struct accounts *s);
/* Delivers a Secret that was read: its body, or the status of the failure (0: no answer). */
void accounts_tell(struct accounts *s, str namespace, str name, int status, str body);

/* The client of an account; NULL if the account is gone. */
struct account_client *accounts_take(struct accounts *s, str key);
struct arm *accounts_arm(struct account_client *c);
str accounts_endpoint(const struct account_client *c);
void accounts_give(struct accounts *s, struct account_client *c);

/* The number of Secrets that have a client. */
size_t accounts_count(struct accounts *s);
