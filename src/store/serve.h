/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.h - a store in a folder, behind HTTPS.
 *
 *     struct store_serve_config config = store_serve_defaults();
 *     config.data = STR("data");
 *     if (!store_serve(&config, &served, e))
 *         return false;
 *     use(store_served_url(served));                     with data/kubeconfig
 *     handler_answer(store_handler(store_served_store(served)), &call);     or in this process
 *     store_serve_end(served, NS_PER_SEC);
 *
 * Only one process can use a folder at a time. It holds
 *
 *     store.db         the objects
 *     ca.crt, ca.key   the store's own CA, created with the folder
 *     token            an alternative to a client certificate
 *     kubeconfig       everything a client needs, written at every start
 *     lock             held while the store is open
 *
 * Everything but ca.crt is readable by its owner only. The token, or a client certificate signed by
 * the CA, grants full access. Version and health need no authentication.
 */
#pragma once

#include "store/store.h"

struct store_served;

struct store_serve_config {
    str data;    /* the folder; created if missing */
    str address; /* empty: 127.0.0.1 */
    uint16_t port;
    struct store_config store; /* path is set by us */
    /* Wraps the store's handler before it is served; may be NULL. The result lives as long as
     * served. */
    const struct handler *(*wrap)(void *ctx, const struct handler *store);
    void *wrap_ctx;
};

struct store_serve_config store_serve_defaults(void);

MUST_CHECK bool store_serve(const struct store_serve_config *config, struct store_served **out,
                            struct err *e);
/* Stops the server as server_stop does, then closes the store. s may be NULL. */
void store_serve_end(struct store_served *s, int64_t grace);
/* These live as long as s. */
struct store *store_served_store(const struct store_served *s);
str store_served_url(const struct store_served *s);
str store_served_kubeconfig(const struct store_served *s); /* the path */

/*
 * Renews the certificates, including the CA, and the kubeconfig if they expire within 30 days of
 * now; open connections keep the old ones. A thread of the server calls it once an hour. Any
 * thread.
 */
MUST_CHECK bool store_served_renew(struct store_served *s, int64_t now, struct err *e);

/* ---- Its pieces. ---- */

/*
 * Locks the folder, which must exist, for this process. The lock ends with the descriptor.
 * ERR_EXISTS if another process holds it.
 */
MUST_CHECK bool store_folder_lock(str folder, int *fd, struct err *e);
/* The path of the database in the folder. Lives as long as a. */
str store_folder_database(struct arena *a, str folder);
