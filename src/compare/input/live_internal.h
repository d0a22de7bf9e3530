/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_internal.h - objects of a running cluster. For this folder only.
 *
 *     struct live *l;
 *     if (live_open(a, flags, &l, e) && live_choose(l, templates, count, log, e))
 *         pages = live_pages(l, 0);
 *     ... kube_pages_next(pages, ...), live_fit(l, 0, object) ...
 *     live_close(l);
 *
 * Which types are asked for is the original's choice: every group and version that has a kind of
 * some template. Used from one thread.
 */
#pragma once

#include "compare/log_buffer_internal.h"
#include "compare/reference/reference_internal.h"
#include "kube/client.h"

struct live;
struct run;

/*
 * What went wrong: nobody could be asked, or there is nothing to ask for. What the server warns of
 * is told as flags say, or with collect kept for live_warnings.
 */
MUST_CHECK bool live_open(struct arena *a, const struct kube_flags *flags, bool collect,
                          struct live **out, struct err *e);
/* l may be NULL. */
void live_close(struct live *l);

/*
 * All of it for a comparison: opens, discovers and chooses, worded as the original words it. To be
 * closed also after a failure.
 */
MUST_CHECK bool live_begin(struct run *r, struct live **out, struct err *e);

/* Asks what the server serves. Fails as client-go's cached discovery does. */
MUST_CHECK bool live_discover(struct live *l, struct err *e);
/* What is known of it: NULL when nothing is, also after a failure that was not about a part. */
const struct kube_discovery *live_discovery(const struct live *l);
/* The line that client-go logs when nothing is known, for the fault of live_discover. */
void live_tell_failure(struct arena *a, const struct err *fault, struct log_buffer *log);
/* Those about the versions whose resources are not known; client-go has each of them twice. */
void live_tell_versions(const struct live *l, struct log_buffer *log);
/* "context prod", or the address of the server. */
str live_name(const struct live *l, struct arena *a);
struct kube_transport *live_transport(const struct live *l);

/*
 * Chooses the types: kinds in the order of the templates, their groups and versions in that of the
 * server. Warns of what the server lacks; fails when nothing is left.
 */
MUST_CHECK bool live_choose(struct live *l, const struct template *templates, size_t count,
                            struct log_buffer *log, struct err *e);

/* Whether the server lacks a kind, group or version of some template. */
bool live_lacks(const struct live *l);
/* Asks again what the server serves; types that it did not have come behind the others. */
MUST_CHECK bool live_refresh(struct live *l, const struct template *templates, size_t count,
                             struct http_cancel *cancel, struct err *e);

/*
 * What may be missing although the server tells nothing of it: versions, in groups of templates,
 * that it says it does not know all of. Each in words for people. None under client_go.
 */
size_t live_doubt_count(const struct live *l);
str live_doubt(const struct live *l, size_t i);

size_t live_type_count(const struct live *l);
/* What is asked for objects of a type: all namespaces, or the one that flags name. */
const struct kube_call *live_call(const struct live *l, size_t type);
/* All objects of a type, page by page; to be freed. */
struct kube_pages *live_pages(const struct live *l, size_t type);
/*
 * Whether an item of a list is an object of its type, with a name; under client_go: whether the
 * server has a kind like it.
 */
bool live_accepts(const struct live *l, size_t type, const struct value *object, struct err *e);
/* An object as comparisons know it: one of no namespace has none. */
void live_fit(const struct live *l, size_t type, struct value *object);

/*
 * What the server has warned of since the last call goes to the log: as lines of severity S, or
 * as client-go logs it.
 */
void live_warnings(struct live *l, bool pass_on, struct log_buffer *log);
