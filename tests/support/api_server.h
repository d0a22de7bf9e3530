/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_server.h - a small API server for tests: one namespaced resource and Leases, in memory.
 *
 *     struct api_server *s = api_start();
 *     api_put(s, "x", "a", "\"spec\":{\"size\":1}");
 *     ... kube_list(api_transport(s), ...) ...
 *     api_stop(s);
 *
 * It serves widgets.example.com/v1, leases.coordination.k8s.io/v1 and core events: get, list
 * (limit, continue), watch (bookmarks, initial events), create, update, merge patches, delete, with
 * resource versions that grow by one. Discovery (aggregated) lists the widgets. Faults are
 * scripted: they apply to the next requests. Any thread.
 */
#pragma once

#include "kube/client.h"

struct api_server;

extern const struct kube_resource api_widgets;

struct api_server *api_start(void);
void api_stop(struct api_server *s);
/* A transport to it, which lives as long as the server. */
struct kube_transport *api_transport(struct api_server *s);
/* "http://127.0.0.1:43817" */
str api_url(const struct api_server *s);
/* Adds this Warning header to every answer from now on; NULL: none. */
void api_warn(struct api_server *s, const char *value);

/*
 * Creates or changes a widget; members are appended after its metadata. Returns its resource
 * version.
 */
uint64_t api_put(struct api_server *s, const char *namespace, const char *name,
                 const char *members);
void api_delete(struct api_server *s, const char *namespace, const char *name);
/* Watches and pages that start before now get 410. */
void api_compact(struct api_server *s);
/* Sends a bookmark to all watches; ends them, properly or (broken) by cutting the connection. */
void api_bookmark(struct api_server *s);
void api_end_watches(struct api_server *s, bool broken);
size_t api_watches(struct api_server *s);
/* Whether watches may request initial events; else they get 422, like from old servers. */
void api_initial_events(struct api_server *s, bool offered);
/* Whether watches get 405, like from servers that only support lists. */
void api_unwatchable(struct api_server *s, bool refused);

/* Sets the answer to the next request whose target starts with this. Up to 64 may be pending. */
void api_answer(struct api_server *s, const char *target, int status, const char *type,
                const char *body);
/* The same for all requests with such a target, until api_answer_no_more. */
void api_answer_always(struct api_server *s, const char *target, int status, const char *type,
                       const char *body);
void api_answer_no_more(struct api_server *s);
/* The next such request gets only part of its answer before the connection is closed. */
void api_break(struct api_server *s, const char *target);

/* "GET /apis?x=1\n" for each request so far, with accept followed by its Accept header. */
str api_requests(struct api_server *s, struct arena *a, bool accept);
void api_forget_requests(struct api_server *s);
