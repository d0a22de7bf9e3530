/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_internal.h - reads objects from a running cluster. For this folder only.
 *
 *     struct live *l;
 *     if (live_open(a, flags, &l, e) && live_choose(l, templates, count, log, e))
 *         pages = live_pages(l, 0);
 *     ... kube_pages_next(pages, ...), live_fit(l, 0, object) ...
 *     live_close(l);
 *
 * The types are chosen as the original does: every group and version that has the kind of some
 * template. One thread at a time.
 */
#pragma once

#include "compare/log_buffer_internal.h"
#include "compare/reference/reference_internal.h"
#include "kube/client.h"

struct live;
struct run;

/*
 * Fails if there is no server to ask. The server's warnings are reported as flags say, or with
 * collect kept for live_warnings.
 */
MUST_CHECK bool live_open(struct arena *a, const struct kube_flags *flags, bool collect,
                          struct live **out, struct err *e);
/* l may be NULL. */
void live_close(struct live *l);

/*
 * Opens, discovers and chooses, for a comparison; errors are worded like the original's. Must be
 * closed even after a failure.
 */
MUST_CHECK bool live_begin(struct run *r, struct live **out, struct err *e);

/* Runs discovery. Fails like client-go's cached discovery. */
MUST_CHECK bool live_discover(struct live *l, struct err *e);
/*
 * The result of discovery: NULL if nothing is known, also after a failure, unless only part of it
 * failed.
 */
const struct kube_discovery *live_discovery(const struct live *l);
/* Logs what client-go does if nothing is known, for the error of live_discover. */
void live_tell_failure(struct arena *a, const struct err *fault, struct log_buffer *log);
/* Logs the lines about versions with unknown resources; client-go logs each of them twice. */
void live_tell_versions(const struct live *l, struct log_buffer *log);
/* "context prod", or the server's address. */
str live_name(const struct live *l, struct arena *a);
struct kube_transport *live_transport(const struct live *l);

/*
 * Chooses the types: kinds in the order of the templates, their groups and versions in that of the
 * server. Warns about what the server lacks; fails if nothing is left.
 */
MUST_CHECK bool live_choose(struct live *l, const struct template *templates, size_t count,
                            struct log_buffer *log, struct err *e);

/* Whether the server lacks a kind, group or version of some template. */
bool live_lacks(const struct live *l);
/* Repeats discovery; new types are added after the others. */
MUST_CHECK bool live_refresh(struct live *l, const struct template *templates, size_t count,
                             struct http_cancel *cancel, struct err *e);

/*
 * What may be missing without an error: versions, in groups of templates, whose discovery the
 * server reports as incomplete. Each in words for people. None under client_go.
 */
size_t live_doubt_count(const struct live *l);
str live_doubt(const struct live *l, size_t i);

size_t live_type_count(const struct live *l);
/* The request for objects of a type: in all namespaces, or in that of flags. */
const struct kube_call *live_call(const struct live *l, size_t type);
/* All objects of a type, page by page; must be freed. */
struct kube_pages *live_pages(const struct live *l, size_t type);
/*
 * Whether an item of a list is an object of its type, with a name; under client_go: whether the
 * server has its kind.
 */
bool live_accepts(const struct live *l, size_t type, const struct value *object, struct err *e);
/* Brings an object into the form for comparisons: a cluster-scoped one has no namespace. */
void live_fit(const struct live *l, size_t type, struct value *object);

/* Logs the server's warnings since the last call: as lines of severity S, or as client-go does. */
void live_warnings(struct live *l, bool pass_on, struct log_buffer *log);
