/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digest_key.h - the key for digests of payloads, kept in a Secret beside the operator.
 *
 * Payloads hold passwords, and their digests are in the status of objects, where anyone can read
 * them: without a key, passwords could be guessed. The key is created once, by the first operator
 * that leads. Losing it costs a comparison of each object with Azure, never a write.
 */
#pragma once

#include "kube/client.h"

#define DIGEST_KEY_SECRET "plumb-digest-key"

/*
 * The key; with create, a missing one is created. Empty with e set if that fails. It lives as long
 * as a. Waits for the API server, a few seconds at most.
 */
str digest_key_read(struct arena *a, struct kube_transport *transport, str namespace, bool create,
                    struct err *e);
