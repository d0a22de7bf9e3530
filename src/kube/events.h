/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - Events about objects, for people: few, however often something happens.
 *
 * As client-go's recorder: the same event again raises the count of the first one; more than ten
 * messages of one kind about one object within ten minutes become one "(combined from similar
 * events)"; and of one object's events no more than 25 at once and one every five minutes are sent.
 *
 *     struct events *ev = events_new(transport, STR("plumb"), host);
 *     struct event event = {.about = object, .reason = STR("Synced"), .message = text};
 *     if (!events_send(ev, &event, e)) ...        usually nobody's trouble: log it
 *     events_free(ev);
 *
 * Any thread; a request is sent by the thread of the caller.
 */
#pragma once

#include "kube/client.h"

struct events;

struct event {
    const struct value *about; /* the object: apiVersion, kind and metadata are used */
    bool warning;
    str reason;  /* one word */
    str message; /* longer than 1,024 bytes is cut, as servers would refuse it */
};

struct events *events_new(struct kube_transport *t, str component, str instance);
void events_free(struct events *ev);

/* True also when the event was dropped, because there are too many. cancel-free and bounded in
 * time. */
MUST_CHECK bool events_send(struct events *ev, const struct event *event, struct err *e);

/* How many were created, counted up, and dropped. */
struct events_stats {
    uint64_t created, counted, dropped;
};
void events_stats(struct events *ev, struct events_stats *out);
