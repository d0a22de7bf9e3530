/* SPDX-License-Identifier: Apache-2.0 */
/* events_wait.h - Events, sent by a thread that waits for the answer. */
#pragma once

#include "kube/client.h"
#include "kube/events.h"

/* True also when the event was dropped, because there are too many. */
MUST_CHECK bool events_wait_send(struct events *ev, struct kube_transport *t,
                                 const struct event *event, struct err *e);
