/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - what a watch requests, and how it handles the responses.
 *
 *     INITIAL ──refused──► LIST ──whole──► WATCH ──ended──► WATCH (resumes)
 *        └─────initial events end─────────────┘ └──410──► INITIAL or LIST
 *
 * What cannot be watched stays in LIST, with pauses. After repeated error responses, a watch goes
 * to LIST too, because the request itself may be the reason.
 */
#include "kube/watch_internal.h"

#include "text/url.h"
#include "object/object.h"

/* Servers are asked to end a watch after five to ten minutes, as in client-go. */
#define WATCH_SECONDS 300
/*
 * A watch that ends sooner without an event is a failure: otherwise it would be requested in a
 * loop.
 */
#define WATCH_SHORT NS_PER_SEC
/* How many of these in a row may have had events before there is a pause between them. */
#define BRIEF_MAX 5
/*
 * After this many error responses in a row, the watch no longer tries to resume and lists again.
 * Initial events are given up sooner, because making progress matters more.
 */
#define STUCK_MAX 5
#define STUCK_MAX_INITIAL 2

/* The longest pause a server may request. */
#define ASKED_MAX (120 * NS_PER_SEC)

/* ---- Events --------------------------------------------------------------------------------- */

static bool type_of(str name, struct kube_change *out)
{
    static const char *const names[] = {
        [KUBE_ADDED] = "ADDED", [KUBE_MODIFIED] = "MODIFIED", [KUBE_DELETED] = "DELETED"};

    out->bookmark = str_eq(name, STR("BOOKMARK"));
    for (size_t i = 0; i < COUNT(names); i++) {
        if (!str_eq(name, str_c(names[i])))
            continue;
        out->type = (enum kube_event)i;
        return true;
    }
    return out->bookmark;
}

bool kube_change_read(struct arena *a, const struct kube_call *c, str line, struct kube_change *out,
                      struct err *e)
{
    struct value *event;

    *out = (struct kube_change){0};
    if (!kube_json_read(a, line, &event, e))
        return err_wrap(e, "an event of a watch");
    out->object = value_get(event, STR("object"));
    str type = value_get_str(event, STR("type"));
    if (str_eq(type, STR("ERROR")))
        return kube_status_failed(a, out->object, NULL, e);
    if (!type_of(type, out) || !value_is(out->object, VALUE_OBJECT))
        return err_set(e, ERR_INVALID, "an event of a watch has no known type or no object");
    const struct value *meta = object_meta(out->object);
    out->resource_version = value_get_str(meta, STR("resourceVersion"));
    const struct value *notes = value_get(meta, STR("annotations"));
    out->initial_end = out->bookmark &&
                       str_eq(value_get_str(notes, STR("k8s.io/initial-events-end")), STR("true"));
    if (!out->resource_version.len)
        return err_set(e, ERR_INVALID, "an event of a watch has no resource version");
    if (out->bookmark)
        return true;
    return (kube_object_complete(a, c, out->object, e) && kube_object_fits(c, out->object, e)) ||
           err_wrap(e, "an event of a watch");
}

static void remember(struct buf *b, str text)
{
    buf_truncate(b, 0);
    buf_add(b, text);
}

/* The watch works: earlier failures no longer count. */
static void works(struct kube_watch *w)
{
    w->failures = w->stuck = 0;
    w->expired = false;
}

/* ---- Duplicates in a list. ---- */

static void forget_seen(struct kube_watch *w)
{
    arena_reset(w->seen_in);
    w->seen = map_new(w->seen_in);
}

static str seen_key(struct arena *a, const struct value *object)
{
    return object_path(a, object_namespace(object), object_name(object));
}

/*
 * Two objects with the same name would look like one that has changed, and the first would be
 * missed. The same text again is harmless, as when a page breaks off and is requested again.
 */
static bool check_once(struct kube_watch *w, const struct value *object, str text, struct err *e)
{
    uint64_t hash = str_hash(text);
    str key = seen_key(w->item, object);
    const uint64_t *seen = map_get(w->seen, key);

    if (seen)
        return *seen == hash ||
               err_set(e, ERR_INVALID, "the server has %.*s twice, and they differ", STR_ARG(key));
    uint64_t *kept = ARENA_NEW(w->seen_in, uint64_t);
    *kept = hash;
    map_set(w->seen, str_copy(w->seen_in, key), kept);
    return true;
}

/* Events before the end of the initial list may also report changes since it began. */
static bool check_initial(struct kube_watch *w, const struct kube_change *change, str line,
                          struct err *e)
{
    if (change->bookmark)
        return true;
    if (change->type == KUBE_ADDED)
        return check_once(w, change->object, line, e);
    map_remove(w->seen, seen_key(w->item, change->object));
    return true;
}

/* ---- Calling handlers. ---- */

static void tell_begin(struct kube_watch *w)
{
    const struct kube_watch_handler *h = &w->config.handler;

    forget_seen(w);
    w->begun = true;
    if (h->begin)
        h->begin(h->ctx);
}

static void tell_synced(struct kube_watch *w)
{
    const struct kube_watch_handler *h = &w->config.handler;

    w->begun = w->unpaged = false;
    w->phase = PHASE_WATCH;
    forget_seen(w);
    /*
     * If it can be watched, a list is not enough: lists may succeed forever while the watch never
     * does.
     */
    if (w->polled)
        works(w);
    if (h->synced)
        h->synced(h->ctx);
}

static void tell_event(struct kube_watch *w, enum kube_event type, struct value *object)
{
    const struct kube_watch_handler *h = &w->config.handler;

    watch_count(w, COUNT_EVENT);
    if (h->event)
        h->event(h->ctx, w->item, type, object);
}

static bool on_line(void *ctx, str line, struct err *e)
{
    struct kube_watch *w = ctx;
    struct kube_change change;

    arena_reset(w->item);
    if (!str_trim(line).len)
        return true;
    if (!kube_change_read(w->item, &w->config.call, line, &change, e) ||
        (w->phase == PHASE_INITIAL && !check_initial(w, &change, line, e)))
        return false;
    w->moved = true;
    if (w->phase == PHASE_WATCH)
        works(w);
    if (change.bookmark)
        watch_count(w, COUNT_BOOKMARK);
    else
        tell_event(w, change.type, change.object);
    /* Versions of initial events are unordered: only the final bookmark says where to resume. */
    if (w->phase == PHASE_WATCH || change.initial_end)
        remember(&w->version, change.resource_version);
    if (w->phase == PHASE_INITIAL && change.initial_end)
        tell_synced(w);
    return true;
}

static bool on_item(void *ctx, str text, struct err *e)
{
    struct kube_watch *w = ctx;
    struct value *object;

    arena_reset(w->item);
    if (!kube_object_read(w->item, &w->config.call, text, &object, e) ||
        !kube_object_fits(&w->config.call, object, e) ||
        !kube_advance_object(&w->advance, object, e) || !check_once(w, object, text, e))
        return false;
    w->moved = true;
    tell_event(w, KUBE_ADDED, object);
    return true;
}

static bool on_body(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    struct kube_watch *w = ctx;

    (void)so_far;
    if (w->phase == PHASE_LIST)
        return kube_items_add(&w->items, piece, e);
    return http_lines_add(&w->lines, piece, e);
}

/* ---- Requests ------------------------------------------------------------------------------- */

static void ask_list(struct kube_watch *w, struct buf *url)
{
    size_t page = w->config.page ? w->config.page : KUBE_PAGE;

    kube_query_add(url, "continue", buf_str(&w->continue_token));
    if (!w->unpaged)
        kube_query_add(url, "limit", str_fmt(w->request, "%zu", page));
    w->items = kube_items_new(w->request, on_item, w);
    if (w->continue_token.len)
        kube_advance_page(&w->advance);
    else
        kube_advance_reset(&w->advance);
}

static void ask_watch(struct kube_watch *w, struct buf *url, struct http_request *out)
{
    int64_t length = w->config.length;

    if (!length)
        length = (WATCH_SECONDS + (int64_t)random_below(WATCH_SECONDS)) * NS_PER_SEC;
    kube_query_add(url, "watch", STR("true"));
    kube_query_add(url, "allowWatchBookmarks", STR("true"));
    if (w->phase == PHASE_INITIAL) {
        kube_query_add(url, "sendInitialEvents", STR("true"));
        kube_query_add(url, "resourceVersionMatch", STR("NotOlderThan"));
    } else {
        kube_query_add(url, "resourceVersion", buf_str(&w->version));
    }
    kube_query_add(
        url, "timeoutSeconds",
        str_fmt(w->request, "%lld", (long long)((length + NS_PER_SEC - 1) / NS_PER_SEC)));
    out->timeout = length + w->config.grace;
    out->idle_timeout = -1;
    w->lines = (struct http_lines){.rest = buf_new(w->request, KUBE_OBJECT_MAX),
                                   .max = KUBE_OBJECT_MAX,
                                   .on_line = on_line,
                                   .ctx = w};
}

void watch_request(struct kube_watch *w, struct http_request *out)
{
    bool is_list = w->phase == PHASE_LIST;
    struct buf url;

    arena_reset(w->request);
    url = buf_new(w->request, BUF_UNLIMITED);
    buf_add(&url, kube_call_path(w->request, &w->config.call));
    *out = (struct http_request){.on_body = on_body, .ctx = w};
    kube_query_add(&url, "fieldSelector", w->config.fields);
    kube_query_add(&url, "labelSelector", w->config.labels);
    if (is_list)
        ask_list(w, &url);
    else
        ask_watch(w, &url, out);
    http_header_add(w->request, &out->headers, STR("Accept"),
                    kube_accept(&w->config.call, is_list));
    out->url = buf_str(&url);
    w->started = clock_mono();
    w->moved = false;
    watch_count(w, is_list ? COUNT_LIST : COUNT_WATCH);
    if (w->phase == PHASE_INITIAL || (is_list && !w->continue_token.len))
        tell_begin(w);
}

/* ---- Outcomes ------------------------------------------------------------------------------- */

static void begin_anew(struct kube_watch *w)
{
    w->phase = w->no_initial ? PHASE_LIST : PHASE_INITIAL;
    buf_truncate(&w->version, 0);
    buf_truncate(&w->continue_token, 0);
}

/* Starts over with a list, whatever was tried before. */
static void list_anew(struct kube_watch *w)
{
    begin_anew(w);
    w->phase = PHASE_LIST;
    w->stuck = 0;
}

static int64_t pause_after(const struct kube_watch *w, int64_t asked)
{
    int64_t pause = w->config.pause;

    for (unsigned i = 1; i < w->failures && pause < w->config.pause_max; i++)
        pause *= 2;
    if (pause > w->config.pause_max)
        pause = w->config.pause_max;
    if (asked > ASKED_MAX)
        asked = ASKED_MAX;
    /* Up to twice as long, so that not all clients come back at once. */
    pause += (int64_t)random_below((uint64_t)pause + 1);
    return asked > pause ? asked : pause;
}

int64_t watch_failed(struct kube_watch *w, const struct err *e, int64_t asked)
{
    const struct kube_watch_handler *h = &w->config.handler;

    w->failures++;
    watch_count(w, COUNT_FAILURE);
    int64_t pause = pause_after(w, asked);
    if (h->failed)
        h->failed(h->ctx, e, pause);
    return pause;
}

/* An error response, from the server or a proxy. */
static int64_t answered_badly(struct kube_watch *w, const struct err *e, int64_t asked)
{
    bool busy = e->kind == ERR_THROTTLED;

    if (!busy && ++w->stuck >= (w->phase == PHASE_INITIAL ? STUCK_MAX_INITIAL : STUCK_MAX))
        list_anew(w);
    return watch_failed(w, e, asked);
}

static int64_t refused(struct kube_watch *w)
{
    w->no_initial = true;
    begin_anew(w);
    return 0;
}

/*
 * The first time, starts over at once: nothing is wrong with the server. But if it happens again
 * before the watch has received anything, that is a failure.
 */
static int64_t expired(struct kube_watch *w, const struct err *e)
{
    bool again = w->expired;

    w->unpaged = w->phase == PHASE_LIST;
    w->expired = true;
    begin_anew(w);
    return again ? watch_failed(w, e, 0) : 0;
}

static int64_t poll_after(const struct kube_watch *w)
{
    return w->config.poll + (int64_t)random_below((uint64_t)w->config.poll / 4 + 1);
}

/* We have just listed, unless the list was to come with the watch. */
static int64_t unwatchable(struct kube_watch *w)
{
    bool listed = w->phase == PHASE_WATCH;

    w->polled = w->no_initial = true;
    begin_anew(w);
    return listed ? poll_after(w) : 0;
}

/* For a response that cannot be read: it may not even come from an API server. */
static int64_t unread(struct kube_watch *w, const struct http_response *response,
                      const struct err *why)
{
    AUTO_ERR e = {0};
    str name = w->config.call.resource->name;

    err_copy(&e, why);
    kube_answer_unread(response, &e);
    err_wrap(&e, "the %s of %.*s", w->phase == PHASE_LIST ? "list" : "watch", STR_ARG(name));
    return answered_badly(w, &e, 0);
}

static int64_t end_list(struct kube_watch *w, const struct http_response *response)
{
    AUTO_ERR e = {0};
    struct value *envelope;
    struct kube_envelope read;

    if (!kube_answer_read(response, &e) || !kube_items_end(&w->items, w->request, &envelope, &e) ||
        !kube_envelope_read(envelope, &w->config.call, &read, &e))
        return unread(w, response, &e);
    str next = read.next, version = read.version;
    bool stuck = !kube_advance_next(&w->advance, buf_str(&w->continue_token), next, NULL);
    /* If it cannot be watched, the version does not matter. */
    if ((!version.len && !w->polled) || stuck) {
        err_set(&e, ERR_INVALID, "the server's response is not a list that can be watched");
        begin_anew(w);
        return watch_failed(w, &e, 0);
    }
    if (!w->continue_token.len)
        remember(&w->list_version, version);
    remember(&w->continue_token, next);
    w->stuck = 0;
    if (next.len)
        return 0;
    remember(&w->version, buf_str(&w->list_version));
    tell_synced(w);
    if (!w->polled)
        return 0;
    begin_anew(w);
    return poll_after(w);
}

static bool has_lasted(const struct kube_watch *w)
{
    return w->moved || clock_mono() - w->started >= WATCH_SHORT;
}

/*
 * One that ends right after its first event may do so again and again: after a few in a row, the
 * server gets a moment before the next one.
 */
static int64_t pause_if_brief(struct kube_watch *w)
{
    if (clock_mono() - w->started >= WATCH_SHORT) {
        w->brief = 0;
        return 0;
    }
    return ++w->brief > BRIEF_MAX ? WATCH_SHORT : 0;
}

static int64_t end_watch(struct kube_watch *w, const struct http_response *response)
{
    AUTO_ERR e = {0};

    if (!http_lines_end(&w->lines, &e))
        return e.kind == ERR_EXPIRED ? expired(w, &e) : unread(w, response, &e);
    if (w->phase == PHASE_INITIAL) {
        /* If there were events but no end of them, the server does not support initial events. */
        if (w->moved)
            return refused(w);
        err_set(&e, ERR_IO, "the watch ended before it began");
        return answered_badly(w, &e, 0);
    }
    if (has_lasted(w)) {
        works(w);
        return pause_if_brief(w);
    }
    err_set(&e, ERR_IO, "very short watch: ended without an event");
    return answered_badly(w, &e, 0);
}

/*
 * The server understood and denied the request, so repeating it is useless, but users who may not
 * watch may still list. Missing credentials, timeouts and throttling are different.
 */
static bool is_rejected(const struct http_response *response)
{
    int status = response->status;

    return status / 100 == 4 && status != 401 && status != 408 && status != 429;
}

static int64_t bad_answer(struct kube_watch *w, const struct http_response *response)
{
    AUTO_ERR e = {0};
    struct kube_status status;

    /* Old servers ignore the parameter, or reject it together with the others. */
    if (w->phase == PHASE_INITIAL && (response->status == 400 || response->status == 422))
        return refused(w);
    if (w->phase != PHASE_LIST && response->status == 405)
        return unwatchable(w);
    kube_answer_failed(w->request, STR("GET"), &w->config.call, response, &status, &e);
    if (e.kind == ERR_EXPIRED)
        return expired(w, &e);
    /* The server behind a proxy is down: a list would not help. */
    if (response->status == 502 || response->status == 503)
        return watch_failed(w, &e, status.retry_after);
    if (!is_rejected(response))
        return answered_badly(w, &e, status.retry_after);
    bool listed = w->phase != PHASE_INITIAL;
    list_anew(w);
    return listed ? watch_failed(w, &e, status.retry_after) : 0;
}

/* Whether the response itself is at fault, not just the connection. */
static bool is_answered(const struct kube_watch *w, const struct http_response *response)
{
    if (w->phase == PHASE_INITIAL)
        return response->status != 0;
    return response->failure == HTTP_FAILURE_PROTOCOL ||
           response->failure == HTTP_FAILURE_TOO_LARGE;
}

static int64_t broke_off(struct kube_watch *w, const struct http_response *response,
                         const struct err *failure)
{
    /*
     * Events from before the connection was lost have been delivered, and the version is that of
     * the last.
     */
    if (w->phase == PHASE_WATCH && has_lasted(w) && response->status == 200 &&
        response->failure == HTTP_FAILURE_RESET) {
        works(w);
        return pause_after(w, 0) / 8;
    }
    /* If there were events but no end of them, and then nothing, treat it as ended. */
    if (w->phase == PHASE_INITIAL && w->moved && response->failure == HTTP_FAILURE_TIMEOUT)
        return refused(w);
    if (response->failure == HTTP_FAILURE_CALLER)
        return failure->kind == ERR_INVALID ? unread(w, response, failure)
                                            : answered_badly(w, failure, 0);
    if (is_answered(w, response))
        return answered_badly(w, failure, 0);
    return watch_failed(w, failure, 0);
}

int64_t watch_outcome(struct kube_watch *w, const struct http_response *response,
                      const struct err *failure)
{
    if (response->status && response->status / 100 != 2 && !failure)
        return bad_answer(w, response);
    if (!failure)
        return w->phase == PHASE_LIST ? end_list(w, response) : end_watch(w, response);
    if (failure->kind == ERR_EXPIRED)
        return expired(w, failure);
    return broke_off(w, response, failure);
}
