/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the Kubernetes API from one process and one SQLite file.
 *
 *     struct store_config config = store_defaults();
 *     config.path = STR("data/store.db");
 *     if (!store_open(&config, &s, e))
 *         return false;
 *     handler_answer(store_handler(s), &call);        or behind a socket
 *     store_close(s);
 *
 * It serves namespaces, secrets, configmaps, events, leases, customresourcedefinitions and every
 * custom resource of the definitions in it, with Kubernetes' semantics: one counter for
 * resourceVersion, optimistic concurrency, watches from any kept version, finalizers, garbage
 * collection by uid, structural schemas. It starts no pods and runs no controllers but the garbage
 * collector and the one of namespaces. README.md explains how it is built.
 *
 * A write is acknowledged once it is on disk, and no reader or watcher sees it before. A write that
 * cannot be stored (disk full) gets 500 and leaves no trace; reads continue to work.
 *
 * Time and randomness come from base/clock.h. In driven mode everything happens on the thread of
 * the caller, every call is answered before it returns, and what is due later (garbage collection,
 * ends of watches, bookmarks) happens in store_step: with the same seed and the same calls the
 * answers are the same. Otherwise a thread of the store does that, and any thread may call.
 */
#pragma once

#include "db/db.h"
#include "net/handler.h"

struct store;

struct store_config {
    str path; /* of the SQLite file; empty: memory only */
    enum db_sync sync;
    bool driven;
    bool existing; /* the file must be a store already */
    /* How many changes of one type, and how old ones, watches and lists may go back to. */
    size_t history_count;
    int64_t history_age;
    const char *vfs; /* as in db.h */
};

/* On disk before it is answered, 10,000 changes, 5 minutes. */
struct store_config store_defaults(void);

/* The largest request body, as an API server has it. */
#define STORE_BODY_MAX (3 * MIB)
/* Bytes of an object: defaults of its schema and copies of a patch can make much of a small body.
 */
#define STORE_OBJECT_MAX (2 * STORE_BODY_MAX)
/* Headers and target of a request. Every connection holds so much, and a watch is a connection. */
#define STORE_HEADER_MAX (16 * KIB)

/* Reads everything from the file, if there is one. Texts of config are copied. */
MUST_CHECK bool store_open(const struct store_config *config, struct store **out, struct err *e);
/* All streams must be closed and all calls answered. s may be NULL. */
void store_close(struct store *s);

/* Lives as long as s. */
const struct handler *store_handler(struct store *s);

/*
 * Does what is due at clock_now() and answers the time at which there is something to do again,
 * INT64_MAX when nothing is planned. For driven mode: whenever a call was made or that time comes.
 */
int64_t store_step(struct store *s);

/* The last version that readers see. */
uint64_t store_version(struct store *s);

struct store_figures {
    uint64_t version; /* as store_version */
    size_t types;     /* that are served */
    size_t objects;   /* that exist */
    size_t history;   /* versions that watches and lists can go back to */
    size_t watches;   /* that are open */
};
struct store_figures store_figures(struct store *s);
/*
 * Looks at everything: memory keeps the invariants of README.md (numbers, history, indexes), the
 * file is whole, every object in it decodes, and both hold the same. Nothing else may be going on.
 */
MUST_CHECK bool store_check(struct store *s, struct err *e);
