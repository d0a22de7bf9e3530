/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.h - requests to one API server, with credentials.
 *
 *     struct kube_transport *t;
 *     if (!kube_transport_new(config, STR("plumb/0.1"), &t, e))
 *         return false;
 *     struct http_request request = {.url = STR("/api/v1/namespaces")};
 *     if (!kube_send(t, a, &request, &retry_kube, &response, e))
 *         return false;
 *
 * Adds what every request needs: the server in front of a URL that starts with "/", Authorization
 * (token files are reread; credential plugins run again when their credentials have expired or were
 * rejected with 401), impersonation, Accept: application/json unless set, User-Agent. Any thread.
 * One plugin runs at a time, and all waiting requests share its result.
 */
#pragma once

#include "kube/config/config.h"
#include "net/retry.h"

struct kube_transport;

/* config must outlive the transport. */
MUST_CHECK bool kube_transport_new(const struct kube_config *config, str user_agent,
                                   struct kube_transport **out, struct err *e);
void kube_transport_free(struct kube_transport *t);
const struct kube_config *kube_transport_config(const struct kube_transport *t);

/* retry_send with credentials. A 401 after fresh credentials is a response like any other. */
MUST_CHECK bool kube_send(struct kube_transport *t, struct arena *a,
                          const struct http_request *request, const struct retry_policy *policy,
                          struct http_response *response, struct err *e);
/*
 * The same for requests that are sent by other means (streams.h): *out is request with the full URL
 * and all headers, *client is the client to send it with: a reference that must be freed.
 */
MUST_CHECK bool kube_prepare(struct kube_transport *t, struct arena *a,
                             const struct http_request *request, struct http_request *out,
                             struct http_client **client, struct err *e);
/*
 * Reports that a prepared request got a 401: credentials are renewed before the next one. False:
 * they never change.
 */
bool kube_refused(struct kube_transport *t, const struct http_request *prepared);
/*
 * Masks the current credentials in e, for errors about a response with status 200, which may quote
 * the request. Always returns false.
 */
bool kube_mask(struct kube_transport *t, struct err *e);
/* Reports the warnings in the headers of a response; kube_send does so itself. */
void kube_warned(struct kube_transport *t, const struct http_response *response);
