/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digest_key.h - the key of the digests of payloads, a Secret beside the operator.
 *
 * Payloads hold passwords, and their digests are in the status of objects for everybody to read:
 * without a key, guesses could be tried. The key is made once, by the first operator that leads. A
 * lost one costs a comparison of each object with Azure, never a write.
 */
#pragma once

#include "kube/client.h"

#define DIGEST_KEY_SECRET "plumb-digest-key"

/*
 * The key, made when there is none and create says so. Empty when it can be neither read nor made:
 * then e says why. It lives as long as a. Waits for the API server, some seconds at most.
 */
str digest_key_read(struct arena *a, struct kube_transport *transport, str namespace, bool create,
                    struct err *e);
