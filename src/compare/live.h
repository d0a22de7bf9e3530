/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.h - objects of a running cluster. For this folder only.
 *
 *     struct live *l;
 *     if (live_open(a, flags, &l, e) && live_choose(l, templates, count, journal, e))
 *         ok = live_each(l, 0, take, ctx, e);
 *     live_close(l);
 *
 * Which types are asked for is the original's choice: every group and version that has a kind of
 * some template. Used from one thread.
 */
#pragma once

#include "compare/journal.h"
#include "compare/reference.h"
#include "kube/client.h"

struct live;

/* What went wrong: nobody could be asked, or there is nothing to ask for. */
MUST_CHECK bool live_open(struct arena *a, const struct kube_flags *flags, struct live **out,
                          struct err *e);
/* l may be NULL. */
void live_close(struct live *l);

/* Asks what the server serves. Fails as client-go's cached discovery does. */
MUST_CHECK bool live_discover(struct live *l, struct err *e);
const struct kube_discovery *live_discovery(const struct live *l);
struct kube_transport *live_transport(const struct live *l);

/*
 * Chooses the types: kinds in the order of the templates, their groups and versions in that of the
 * server. Warns of what the server lacks; fails when nothing is left.
 */
MUST_CHECK bool live_choose(struct live *l, const struct template *templates, size_t count,
                            struct journal *j, struct err *e);

/* Gets an object, which lives in a as long as the call. False ends the work; e is its error. */
typedef bool live_fn(void *ctx, struct arena *a, struct value *object, struct err *e);

/*
 * Hands over all objects of a type that was chosen, of all namespaces or of the one that flags
 * name. Objects of no namespace have none.
 */
MUST_CHECK bool live_each(struct live *l, size_t type, live_fn *take, void *ctx, struct err *e);
size_t live_type_count(const struct live *l);
