/* SPDX-License-Identifier: Apache-2.0 */
/* events_wait.h - sends Events, blocking. */
#pragma once

#include "kube/client.h"
#include "kube/events.h"

/* Also true if the event was dropped because there were too many. */
MUST_CHECK bool events_wait_send(struct events *ev, struct kube_transport *t,
                                 const struct event *event, struct err *e);
