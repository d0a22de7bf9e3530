/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - Events about objects, for people: few, however often something happens.
 *
 * Much like client-go's recorder: repeating an event increases the count of the first one; more
 * than ten similar messages about one object, less than ten minutes apart, are combined into one
 * "(combined from similar events)"; and for each object, at most 25 events are sent in a burst, and
 * then one every five minutes.
 *
 *     struct events *ev = events_new(STR("plumb"), host);
 *     struct event event = {.about = object, .reason = STR("Synced"), .message = text};
 *     struct event_call call;
 *     if (events_decide(ev, a, &event, &call)) start call.ask (pipe.h), and with its answer
 *         if (events_settle(ev, &call, failure)) start call.ask, which is another one now
 *     events_free(ev);
 *
 * May be called from any thread. The caller sends the requests; nothing here waits.
 */
#pragma once

#include "kube/client.h"

struct events;

struct event {
    const struct value *about; /* the object: apiVersion, kind and metadata are used */
    bool warning;
    str reason;  /* one word */
    str message; /* truncated to 1,024 bytes, as servers reject more */
};

struct events *events_new(str component, str instance);
void events_free(struct events *ev);

/* The request for an event. Texts and values live in the arena of events_decide. */
struct event_call {
    struct kube_ask ask;
    /* Private to the recorder. */
    struct kube_ask create; /* for when ask updates the count of an Event that may be gone */
    str key, name;
    int64_t first;
    bool creates;
};

/* False: there are too many events, and nothing is to be sent. */
bool events_decide(struct events *ev, struct arena *a, const struct event *event,
                   struct event_call *out);
/*
 * Takes the outcome of c->ask; failure is NULL if it succeeded. True: the Event whose count was to
 * be updated is gone (servers drop them after an hour), and c->ask now creates it again.
 */
bool events_settle(struct events *ev, struct event_call *c, const struct err *failure);

/* How many were created, counted up, and dropped. */
struct events_stats {
    uint64_t created, counted, dropped;
};
void events_stats(struct events *ev, struct events_stats *out);
