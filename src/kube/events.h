/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - Events about objects, for people: few, however often something happens.
 *
 * Much like client-go's recorder: the same event again raises the count of the first one; more than
 * ten messages of one kind about one object, none ten minutes after the one before, become one
 * "(combined from similar events)"; and of one object's events no more than 25 at once and one
 * every five minutes are sent.
 *
 *     struct events *ev = events_new(STR("plumb"), host);
 *     struct event event = {.about = object, .reason = STR("Synced"), .message = text};
 *     struct event_call call;
 *     if (events_decide(ev, a, &event, &call)) start call.ask (pipe.h), and with its answer
 *         if (events_settle(ev, &call, failure)) start call.ask, which is another one now
 *     events_free(ev);
 *
 * Any thread. The caller sends; nothing here waits.
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

/* What an event becomes. Texts and values live in the arena of events_decide. */
struct event_call {
    struct kube_ask ask;
    /* The recorder's own. */
    struct kube_ask create; /* when ask counts an Event up that may be gone */
    str key, name;
    int64_t first;
    bool creates;
};

/* False: there are too many, and nothing is to be sent. */
bool events_decide(struct events *ev, struct arena *a, const struct event *event,
                   struct event_call *out);
/*
 * Takes what became of c->ask; failure is NULL when it went well. True: the Event that was to be
 * counted up is gone (servers drop them after an hour), c->ask creates it anew.
 */
bool events_settle(struct events *ev, struct event_call *c, const struct err *failure);

/* How many were created, counted up, and dropped. */
struct events_stats {
    uint64_t created, counted, dropped;
};
void events_stats(struct events *ev, struct events_stats *out);
