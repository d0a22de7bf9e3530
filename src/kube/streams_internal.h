/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streams_internal.h - streams (net/http/streams.h) for the current client: when credentials change
 * there is a new client, for which new streams are created; the old ones end with their last
 * request. One thread at a time.
 */
#pragma once

#include "net/http/http.h"

struct http_streams;
struct kube_streams;

/*
 * The streams for client, which they take over; *all is NULL at first. At most max requests run at
 * once; 0: no limit.
 */
struct http_streams *kube_streams_for(struct kube_streams **all, struct http_client *client,
                                      size_t max);
/*
 * Frees old streams whose last request has ended. Must not be called under a lock that callbacks
 * take.
 */
void kube_streams_trim(struct kube_streams **all);
/* Driven mode: calls http_streams_step for all. */
int64_t kube_streams_step(struct kube_streams *all);
void kube_streams_free(struct kube_streams *all);
