/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - remembers events, and decides which ones to send; see events.h.
 *
 * There are three kinds of records, by key: how many events an object may still send, which similar
 * messages there were, and which Event represents which text. The oldest records are dropped when
 * there are too many.
 */
#include "kube/events.h"
#include "object/object.h"

#include <string.h>

#define RECORDS_MAX 12288
#define SIMILAR_MAX 10
#define SIMILAR_TIME (600 * NS_PER_SEC)
#define BURST 25
#define REFILL_TIME (300 * NS_PER_SEC)
#define MESSAGE_MAX 1024
#define SEND_TIMEOUT (10 * NS_PER_SEC)

static const struct kube_resource events_resource = {
    .version = STR_INIT("v1"),
    .name = STR_INIT("events"),
    .kind = STR_INIT("Event"),
    .namespaced = true,
};

struct record {
    struct table_node node;
    struct record *newer, *older; /* by last use */
    int64_t at;                   /* clock_mono at the last use, or at the last refill */
    unsigned count;               /* tokens left; messages seen; the Event's count */
    uint64_t similar[SIMILAR_MAX];
    str name;      /* of the Event, stored after the key; empty: none yet */
    int64_t first; /* clock_now at the first Event */
    char text[];
};

struct events {
    struct arena *arena;
    str component, instance;
    struct lock lock;
    struct table *records;
    struct record *newest, *oldest;
    struct events_stats stats;
};

/* ---- Records, under the lock ---------------------------------------------------------------- */

static void unhook(struct events *ev, struct record *r)
{
    *(r->newer ? &r->newer->older : &ev->newest) = r->older;
    *(r->older ? &r->older->newer : &ev->oldest) = r->newer;
}

static void hook(struct events *ev, struct record *r)
{
    r->newer = NULL;
    r->older = ev->newest;
    *(ev->newest ? &ev->newest->newer : &ev->oldest) = r;
    ev->newest = r;
}

static void forget(struct events *ev, struct record *r)
{
    unhook(ev, r);
    table_drop(ev->records, &r->node);
    block_free(r);
}

/* There is room for the name of an Event after the key. */
#define NAME_ROOM 320

static struct record *record_for(struct events *ev, str key)
{
    struct record *r = (struct record *)table_find(ev->records, key);

    if (r) {
        unhook(ev, r);
        hook(ev, r);
        return r;
    }
    if (table_len(ev->records) >= RECORDS_MAX)
        forget(ev, ev->oldest);
    r = block_new(sizeof(*r) + key.len + NAME_ROOM);
    *r = (struct record){.at = INT64_MIN};
    memcpy(r->text, key.ptr, key.len);
    table_add(ev->records, &r->node, str_of(r->text, key.len));
    hook(ev, r);
    return r;
}

static void set_name(struct record *r, str name)
{
    size_t len = name.len < NAME_ROOM ? name.len : NAME_ROOM;

    memcpy(r->text + r->node.key.len, name.ptr, len);
    r->name = str_of(r->text + r->node.key.len, len);
}

/* ---- What to send --------------------------------------------------------------------------- */

/* An event about to be sent. */
struct sending {
    const struct event *event;
    str namespace, subject; /* subject: the object, for keys */
    str message, key;
    str name;       /* the name of the Event that represents it */
    unsigned count; /* 1: a new Event is created */
    int64_t first, now;
};

static str subject_of(struct arena *a, const struct value *about)
{
    struct identity id = identity_of(about);

    return str_fmt(a, "%.*s|%.*s", STR_ARG(identity_id(a, &id)), STR_ARG(object_uid(about)));
}

static bool may_speak(struct events *ev, struct arena *a, str subject)
{
    struct record *r = record_for(ev, str_concat(a, STR("s|"), subject));
    int64_t now = clock_mono();

    if (r->at == INT64_MIN) {
        r->count = BURST;
        r->at = now;
    }
    int64_t refills = (now - r->at) / REFILL_TIME;
    r->at += refills * REFILL_TIME;
    r->count = refills >= BURST - (int64_t)r->count ? BURST : r->count + (unsigned)refills;
    if (!r->count)
        return false;
    r->count--;
    return true;
}

/* Whether there are so many similar messages that they are combined into one. */
static bool is_flood(struct events *ev, str kind_key, str message)
{
    struct record *r = record_for(ev, kind_key);
    int64_t now = clock_mono();
    uint64_t hash = str_hash(message);

    if (r->at == INT64_MIN || now - r->at > SIMILAR_TIME)
        r->count = 0;
    r->at = now;
    for (unsigned i = 0; i < r->count; i++)
        if (r->similar[i] == hash)
            return false;
    if (r->count == SIMILAR_MAX)
        return true;
    r->similar[r->count++] = hash;
    return false;
}

/* False: nothing is to be sent. */
static bool may_send(struct events *ev, struct arena *a, struct sending *s)
{
    AUTO_LOCK guard = lock_take(&ev->lock);
    str reason = s->event->reason;
    str kind_key =
        str_fmt(a, "a|%.*s|%d|%.*s", STR_ARG(s->subject), s->event->warning, STR_ARG(reason));

    if (is_flood(ev, kind_key, s->message)) {
        s->key = str_concat(a, STR("c"), kind_key);
        s->message = str_concat(a, STR("(combined from similar events): "), s->message);
    } else {
        s->key = str_fmt(a, "e%.*s|%.*s", STR_ARG(kind_key), STR_ARG(s->message));
    }
    if (!may_speak(ev, a, s->subject)) {
        ev->stats.dropped++;
        return false;
    }
    struct record *r = record_for(ev, s->key);
    s->name = str_copy(a, r->name);
    s->count = ++r->count;
    s->first = r->name.len ? r->first : s->now;
    return true;
}

/* ---- Calls -------------------------------------------------------------------------------- */

static str seconds_time(struct arena *a, int64_t now)
{
    char stamp[CLOCK_STAMP];

    clock_stamp(now, stamp);
    return str_fmt(a, "%.19sZ", stamp);
}

static void add_reference(struct arena *a, struct value *to, const struct value *about)
{
    static const char *const copied[] = {"namespace", "name", "uid", "resourceVersion"};
    const struct value *meta = object_meta(about);

    value_set_str(a, to, STR("apiVersion"), value_get_str(about, STR("apiVersion")));
    value_set_str(a, to, STR("kind"), value_get_str(about, STR("kind")));
    for (size_t i = 0; i < COUNT(copied); i++)
        if (value_get_str(meta, str_c(copied[i])).len)
            value_set_str(a, to, str_c(copied[i]), value_get_str(meta, str_c(copied[i])));
}

static struct value *counters(struct arena *a, const struct sending *s)
{
    struct value *v = value_object(a);

    value_set_int(a, v, STR("count"), s->count);
    value_set_str(a, v, STR("lastTimestamp"), seconds_time(a, s->now));
    value_set_str(a, v, STR("message"), s->message);
    return v;
}

static struct value *body_of(const struct events *ev, struct arena *a, const struct sending *s)
{
    struct value *v = counters(a, s), *part;

    value_set_str(a, v, STR("apiVersion"), STR("v1"));
    value_set_str(a, v, STR("kind"), STR("Event"));
    part = object_make_meta(a, v);
    value_set_str(a, part, STR("name"), s->name);
    value_set_str(a, part, STR("namespace"), s->namespace);
    part = value_set(a, v, STR("involvedObject"), value_object(a));
    add_reference(a, part, s->event->about);
    value_set_str(a, v, STR("reason"), s->event->reason);
    value_set_str(a, v, STR("type"), s->event->warning ? STR("Warning") : STR("Normal"));
    value_set_str(a, v, STR("firstTimestamp"), seconds_time(a, s->first));
    part = value_set(a, v, STR("source"), value_object(a));
    value_set_str(a, part, STR("component"), ev->component);
    if (ev->instance.len)
        value_set_str(a, part, STR("host"), ev->instance);
    value_set_str(a, v, STR("reportingComponent"), ev->component);
    value_set_str(a, v, STR("reportingInstance"), ev->instance);
    return v;
}

bool events_decide(struct events *ev, struct arena *a, const struct event *event,
                   struct event_call *out)
{
    struct sending s = {.event = event,
                        .namespace = str_copy(a, object_namespace(event->about)),
                        .subject = subject_of(a, event->about),
                        .message = str_slice(event->message, 0, MESSAGE_MAX),
                        .now = clock_now()};

    if (!s.namespace.len)
        s.namespace = STR("default");
    if (!may_send(ev, a, &s))
        return false;
    struct kube_call call = {
        .resource = &events_resource, .namespace = s.namespace, .timeout = SEND_TIMEOUT};
    s.message = str_slice(s.message, 0, MESSAGE_MAX);
    str counted = s.name;
    /* The name of an Event begins with that of its object, truncated to stay valid. */
    str begin = str_slice(object_name(event->about), 0, 230);
    s.name = str_fmt(a, "%.*s.%llx", STR_ARG(begin), (unsigned long long)s.now);
    *out = (struct event_call){
        .create = {.verb = KUBE_VERB_CREATE, .call = call, .body = body_of(ev, a, &s)},
        .key = s.key,
        .name = s.name,
        .first = s.first,
        .creates = !counted.len || s.count == 1};
    out->ask = out->create;
    if (out->creates)
        return true;
    call.name = counted;
    out->ask = (struct kube_ask){.verb = KUBE_VERB_PATCH, .call = call, .body = counters(a, &s)};
    return true;
}

bool events_settle(struct events *ev, struct event_call *c, const struct err *failure)
{
    AUTO_LOCK guard = lock_take(&ev->lock);

    if (failure) {
        bool gone = !c->creates && failure->kind == ERR_NOT_FOUND;
        c->creates = true;
        c->ask = c->create;
        return gone;
    }
    if (!c->creates) {
        ev->stats.counted++;
        return false;
    }
    struct record *r = record_for(ev, c->key);
    ev->stats.created++;
    r->first = c->first;
    set_name(r, c->name);
    return false;
}

/* ---- Life ----------------------------------------------------------------------------------- */

struct events *events_new(str component, str instance)
{
    struct arena *a = arena_new();
    struct events *ev = ARENA_NEW(a, struct events);

    ev->arena = a;
    ev->component = str_copy(a, component);
    ev->instance = str_copy(a, instance);
    ev->lock = (struct lock)LOCK_INIT;
    ev->records = table_new();
    return ev;
}

void events_free(struct events *ev)
{
    if (!ev)
        return;
    while (ev->oldest)
        forget(ev, ev->oldest);
    table_free(ev->records);
    arena_free(ev->arena);
}

void events_stats(struct events *ev, struct events_stats *out)
{
    AUTO_LOCK guard = lock_take(&ev->lock);

    *out = ev->stats;
}
