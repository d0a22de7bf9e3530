/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - a Kubernetes API server in one process, with one SQLite file.
 *
 *     struct store_config config = store_defaults();
 *     config.path = STR("data/store.db");
 *     if (!store_open(&config, &s, e))
 *         return false;
 *     handler_answer(store_handler(s), &call);        or behind a socket
 *     store_close(s);
 *
 * It serves namespaces, secrets, configmaps, events, leases, customresourcedefinitions and the
 * custom resources that these define, with Kubernetes' semantics: one counter for resourceVersion,
 * optimistic concurrency, watches from any kept version, finalizers, garbage collection by uid,
 * structural schemas. It runs no pods and no controllers other than the garbage collector and the
 * namespace controller. README.md explains how it is built.
 *
 * A write is acknowledged once it is on disk, and no reader or watcher sees it before. A write that
 * cannot be stored (disk full) gets 500 and leaves no trace; reads continue to work.
 *
 * Time and randomness come from base/clock.h. In driven mode everything happens on the caller's
 * thread, every call is answered before it returns, and what is due later (garbage collection, ends
 * of watches, bookmarks) happens in store_step: the same seed and the same calls give the same
 * answers. Otherwise a thread of the store does that, and any thread may call.
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
    /* How far back watches and lists can go: in changes per type, their size, and in time. */
    size_t history_count, history_bytes;
    int64_t history_age;
    const char *vfs; /* as in db.h */
};

/* Writes are synced before they are answered; 10,000 changes, 128 MiB, 5 minutes. */
struct store_config store_defaults(void);

/* The largest request body, as in an API server. */
#define STORE_BODY_MAX (3 * MIB)
/* The largest object: schema defaults and copies in a patch can blow up a small body. */
#define STORE_OBJECT_MAX (2 * STORE_BODY_MAX)
/* Headers and target of a request. Every connection takes this much, and each watch is one. */
#define STORE_HEADER_MAX (16 * KIB)

/* Reads everything from the file, if any. Texts of config are copied. */
MUST_CHECK bool store_open(const struct store_config *config, struct store **out, struct err *e);
/* All streams must be closed and all calls answered. s may be NULL. */
void store_close(struct store *s);

/* Lives as long as s. */
const struct handler *store_handler(struct store *s);

/*
 * Does what is due at clock_now() and returns when something is due again, INT64_MAX if nothing is.
 * For driven mode: call it after every call, and when that time comes.
 */
int64_t store_step(struct store *s);

/* The last version that is visible to readers. */
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
 * Checks everything: that memory keeps the invariants of README.md (numbers, history, indexes),
 * that the file is intact and every object in it decodes, and that both agree. Nothing else may be
 * going on.
 */
MUST_CHECK bool store_check(struct store *s, struct err *e);
