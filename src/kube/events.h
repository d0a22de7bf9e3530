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
 *     if (!events_send(ev, &event, e)) ...       usually harmless: log it
 *     events_free(ev);
 *
 * Any thread; a request is sent by the thread of the caller. Those who never wait ask what would be
 * sent, and send it themselves (pipe.h):
 *
 *     struct event_call call;
 *     if (events_decide(ev, a, &event, &call)) start call.ask, and with its answer
 *         if (events_settle(ev, &call, failure)) start call.ask, which is another one now
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

/* t may be NULL for those who send themselves. */
struct events *events_new(struct kube_transport *t, str component, str instance);
void events_free(struct events *ev);

/* True also when the event was dropped, because there are too many. cancel-free and bounded in
 * time. */
MUST_CHECK bool events_send(struct events *ev, const struct event *event, struct err *e);

/* What an event becomes. Texts and values live in the arena of events_decide. */
struct event_call {
    struct kube_ask ask;
    /* The recorder's own. */
    struct kube_ask create; /* when ask counts an Event up that may be gone */
    str key, name;
    int64_t first;
    bool creates;
};

/* Without any request. False: there are too many, and nothing is sent. */
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
