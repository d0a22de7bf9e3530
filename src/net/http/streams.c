/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streams.c - many requests on one thread; see streams.h.
 *
 * Other threads only touch what the lock protects: the list of streams that wait to start, the list
 * of all streams, and the flags. The streams' thread takes from the first list, drives curl, and
 * calls back without the lock.
 *
 * curl reports which sockets it waits for (on_curl_socket) and until when (on_curl_timer), so that
 * the cost of a round depends on what happened, not on what is under way. A connection that is idle
 * between two requests stays registered with the kernel, which saves two system calls per request;
 * it is removed if something happens to it meanwhile. Whether a stream has waited too long is
 * checked now and then (look).
 *
 * Requests that a handler of this process answers (local.c) do not involve curl: the handler wakes
 * those that have something to read. In driven mode http_streams_step takes the place of the
 * thread.
 */
#include "net/http/streams.h"

#include "net/http/http_internal.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define EVENTS 256
/* The longest single wait. */
#define PATIENCE_MS 1000
/* How often to check flags that have no descriptor. */
#define CANCEL_MS 50
/* Handles of curl that are kept for the next streams. */
#define SPARE_MAX 512

struct stream {
    struct stream *next, **back; /* in the list of all */
    struct stream *next_waiting, *next_ready, *next_done;
    CURLcode result; /* from curl, once it is done */
    struct http_streams *streams;
    struct http_local *local; /* instead of a handle of curl; only used by the thread */
    bool is_ready;            /* under the lock */
    struct arena *arena;
    uint64_t id;
    bool stop, running; /* under the lock; only the thread uses running */
    struct http_stream spec;
    struct http_response response;
    struct transfer transfer;
};

/* What is known about a socket, by its number. */
struct known_socket {
    bool own;      /* opened by one of our handles, which reports when it is closed */
    bool wanted;   /* curl waits for it */
    uint8_t asked; /* registered with the kernel: CURL_POLL_IN, CURL_POLL_OUT */
};

struct http_streams {
    struct arena *arena;
    struct http_client *client;
    CURLM *multi;
    int epoll, wake;
    pthread_t thread;
    struct lock lock;
    struct stream *all, *waiting, **waiting_end;
    struct stream *ready, **ready_end; /* local ones that were woken */
    size_t count;
    uint64_t last_id;
    bool closing;
    bool asleep; /* and must be woken */
    bool asked;  /* a stop was requested */
    /* Set before the first start. */
    size_t max;
    void (*settled)(void *ctx);
    void *settled_ctx;
    /* The thread's own. */
    size_t running;      /* how many curl has */
    bool unsettled;      /* an on_end was called since */
    int64_t timer, look; /* by clock_wire: when to call curl, and to check for overdue streams */
    VEC(struct known_socket) sockets;
    CURL *spare[SPARE_MAX];
    size_t spare_count;
};

/* ---- Other threads -------------------------------------------------------------------------- */

static struct http_request copy_request(struct arena *a, const struct http_request *from)
{
    struct http_request r = *from;

    r.method = str_copy(a, from->method);
    r.url = str_copy(a, from->url);
    r.body = str_copy(a, from->body);
    r.headers = (struct http_headers){0};
    for (size_t i = 0; i < from->headers.len; i++)
        http_header_add(a, &r.headers, str_copy(a, from->headers.items[i].name),
                        str_copy(a, from->headers.items[i].value));
    r.cancel = NULL;
    return r;
}

static struct stream *new_stream(struct http_streams *streams, const struct http_stream *spec)
{
    struct http_client *c = streams->client;
    struct arena *a = spec->arena ? spec->arena : arena_new_secret();
    struct stream *s = ARENA_NEW(a, struct stream);

    s->arena = a;
    s->streams = streams;
    s->spec = *spec;
    if (!spec->arena)
        s->spec.request = copy_request(a, &spec->request);
    s->response.url = s->spec.request.url;
    s->transfer = (struct transfer){.client = c,
                                    .arena = a,
                                    .request = &s->spec.request,
                                    .response = &s->response,
                                    .on_head = spec->on_head};
    transfer_prepare(&s->transfer);
    return s;
}

/* Returns whether the thread is asleep, and must be woken. */
static bool enqueue(struct http_streams *streams, struct stream *s, uint64_t *id)
{
    AUTO_LOCK guard = lock_take(&streams->lock);
    bool asleep = streams->asleep;

    *id = s->id = ++streams->last_id;
    s->stop = streams->closing;
    streams->asked |= s->stop;
    s->next = streams->all;
    s->back = &streams->all;
    if (s->next)
        s->next->back = &s->next;
    streams->all = s;
    *streams->waiting_end = s;
    streams->waiting_end = &s->next_waiting;
    streams->count++;
    streams->asleep = false;
    return asleep;
}

static void wake(struct http_streams *streams)
{
    const uint64_t one = 1;

    /* A full counter wakes, too. */
    if (streams->wake >= 0)
        (void)!write(streams->wake, &one, sizeof(one));
}

uint64_t http_streams_start(struct http_streams *streams, const struct http_stream *spec)
{
    uint64_t id;

    if (enqueue(streams, new_stream(streams, spec), &id))
        wake(streams);
    return id;
}

static void mark_stopped(struct http_streams *streams, uint64_t id, bool all)
{
    AUTO_LOCK guard = lock_take(&streams->lock);

    if (all)
        streams->closing = true;
    streams->asked = true;
    for (struct stream *s = streams->all; s; s = s->next)
        if (all || s->id == id)
            s->stop = true;
}

void http_streams_stop(struct http_streams *streams, uint64_t id)
{
    mark_stopped(streams, id, false);
    wake(streams);
}

size_t http_streams_count(struct http_streams *streams)
{
    AUTO_LOCK guard = lock_take(&streams->lock);

    return streams->count;
}

/* ---- What was woken ------------------------------------------------------------------------- */

/* Returns whether the thread is asleep, and must be woken. */
static bool enqueue_ready(struct stream *s)
{
    struct http_streams *streams = s->streams;
    AUTO_LOCK guard = lock_take(&streams->lock);
    bool asleep = streams->asleep;

    if (s->is_ready)
        return false;
    s->is_ready = true;
    s->next_ready = NULL;
    *streams->ready_end = s;
    streams->ready_end = &s->next_ready;
    streams->asleep = false;
    return asleep;
}

/* Called from any thread, even with a handler's locks held. */
static void on_local_wake(void *ctx)
{
    struct stream *s = ctx;
    struct http_streams *streams = s->streams;

    if (enqueue_ready(s))
        wake(streams);
}

/* which: one of them, or NULL for the first. */
static struct stream *take_ready(struct http_streams *streams, const struct stream *which)
{
    AUTO_LOCK guard = lock_take(&streams->lock);
    struct stream **at = &streams->ready, *s;

    while (*at && which && *at != which)
        at = &(*at)->next_ready;
    s = *at;
    if (!s)
        return NULL;
    *at = s->next_ready;
    if (!*at)
        streams->ready_end = at;
    s->is_ready = false;
    return s;
}

/* ---- What curl waits for -------------------------------------------------------------------- */

static struct known_socket *socket_of(struct http_streams *streams, curl_socket_t fd)
{
    while (streams->sockets.len <= (size_t)fd)
        VEC_PUSH(streams->arena, &streams->sockets, ((struct known_socket){0}));
    return &streams->sockets.items[fd];
}

/* Registers what to wait for with the kernel; 0: nothing. */
static void ask_kernel(struct http_streams *streams, curl_socket_t fd, unsigned what)
{
    struct known_socket *k = socket_of(streams, fd);
    struct epoll_event event = {.data.fd = fd};
    int op = !what ? EPOLL_CTL_DEL : k->asked ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

    if (what == k->asked)
        return;
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    epoll_ctl(streams->epoll, op, fd, &event);
    k->asked = (uint8_t)what;
}

static int on_curl_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *known)
{
    struct http_streams *streams = ctx;
    struct known_socket *k = socket_of(streams, fd);

    (void)easy;
    (void)known;
    k->wanted = what != CURL_POLL_REMOVE;
    if (k->wanted)
        ask_kernel(streams, fd, (unsigned)what & (CURL_POLL_IN | CURL_POLL_OUT));
    else if (!k->own)
        ask_kernel(streams, fd, 0);
    return 0;
}

static int on_opened(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
    (void)purpose;
    *socket_of(ctx, fd) = (struct known_socket){.own = true};
    return CURL_SOCKOPT_OK;
}

/* Closing removes the registration with the kernel. */
static int on_close(void *ctx, curl_socket_t fd)
{
    *socket_of(ctx, fd) = (struct known_socket){0};
    return close(fd);
}

static CURL *new_handle(struct http_streams *streams)
{
    CURL *easy = transfer_new_handle(streams->client);

    /*
     * With HTTP/2, libcurl 7.88 sometimes leaves what it has read for one of several streams lying
     * until more comes from the server, if anything ever does: see docs/design/net.md.
     */
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_opened);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, streams);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, streams);
    return easy;
}

static int on_curl_timer(CURLM *multi, long ms, void *ctx)
{
    struct http_streams *streams = ctx;

    (void)multi;
    streams->timer = ms < 0 ? INT64_MAX : clock_wire() + ms * NS_PER_MS;
    return 0;
}

static int curl_events(unsigned events)
{
    /* If only an error is reported, curl does not query the socket for it: report that it can read
     * and write. */
    if (events & (EPOLLERR | EPOLLHUP))
        return CURL_CSELECT_IN | CURL_CSELECT_OUT;
    return (events & EPOLLIN ? CURL_CSELECT_IN : 0) | (events & EPOLLOUT ? CURL_CSELECT_OUT : 0);
}

/* ---- The thread ----------------------------------------------------------------------------- */

static bool may_begin(const struct http_streams *streams)
{
    return streams->waiting && (!streams->max || streams->running < streams->max);
}

static struct stream *take_waiting(struct http_streams *streams)
{
    AUTO_LOCK guard = lock_take(&streams->lock);
    struct stream *s = streams->waiting;

    if (!may_begin(streams))
        return NULL;
    streams->waiting = s->next_waiting;
    if (!streams->waiting)
        streams->waiting_end = &streams->waiting;
    return s;
}

static void forget(struct http_streams *streams, struct stream *s)
{
    AUTO_LOCK guard = lock_take(&streams->lock);

    *s->back = s->next;
    if (s->next)
        s->next->back = s->back;
    streams->count--;
}

static void give_handle(struct http_streams *streams, CURL *easy)
{
    if (!easy)
        return;
    if (streams->spare_count == SPARE_MAX) {
        curl_easy_cleanup(easy);
        return;
    }
    transfer_rest_handle(easy);
    streams->spare[streams->spare_count++] = easy;
}

/* Reports the outcome and frees s. The caller's arena may be gone after on_end. */
static void conclude(struct http_streams *streams, struct stream *s, bool ok, const struct err *e)
{
    const struct http_config *c = &streams->client->config;
    struct arena *own = s->spec.arena ? NULL : s->arena;

    if (c->tape && !tape_is_replay(c->tape))
        tape_keep(c->tape, &s->spec.request, &s->response, buf_str(&s->transfer.kept),
                  ok ? NULL : e);
    give_handle(streams, s->transfer.easy);
    streams->unsettled = true;
    if (!own)
        forget(streams, s);
    if (s->spec.on_end)
        s->spec.on_end(s->spec.request.ctx, &s->response, ok ? NULL : e);
    if (own) {
        forget(streams, s);
        arena_free(own);
    }
}

static void finish(struct http_streams *streams, struct stream *s, CURLcode result)
{
    AUTO_ERR e = {0};
    bool ok = transfer_end(&s->transfer, result, &e);

    curl_multi_remove_handle(streams->multi, s->transfer.easy);
    streams->running--;
    conclude(streams, s, ok, &e);
}

static void finish_local(struct http_streams *streams, struct stream *s)
{
    AUTO_ERR e = {0};
    bool ok = http_local_end(s->local, &e);

    (void)take_ready(streams, s);
    streams->running--;
    conclude(streams, s, ok, &e);
}

/* When to check it again; exact in driven mode. */
static int64_t look_at(const struct stream *s, int64_t now)
{
    const struct transfer *t = &s->transfer;
    int64_t due = INT64_MAX;

    if (!clock_is_driven()) {
        int ms = transfer_patience(t);
        return now + (s->spec.request.cancel && ms > CANCEL_MS ? CANCEL_MS : ms) * NS_PER_MS;
    }
    if (t->timeout)
        due = t->started + t->timeout + 1;
    if (t->idle_timeout && s->running && t->active + t->idle_timeout + 1 < due)
        due = t->active + t->idle_timeout + 1;
    return due;
}

static void look_no_later(struct http_streams *streams, const struct stream *s, int64_t now)
{
    int64_t due = look_at(s, now);

    if (due < streams->look)
        streams->look = due;
}

static void begin_locally(struct http_streams *streams, struct stream *s)
{
    AUTO_ERR e = {0};

    s->transfer.active = clock_wire();
    s->local = http_local_begin(&s->transfer, on_local_wake, s, &e);
    if (!s->local) {
        conclude(streams, s, false, &e);
        return;
    }
    s->running = true;
    streams->running++;
    look_no_later(streams, s, s->transfer.active);
}

static void begin(struct http_streams *streams, struct stream *s)
{
    AUTO_ERR e = {0};
    const struct http_config *c = &streams->client->config;

    if (s->spec.may_begin && !s->spec.may_begin(s->spec.request.ctx)) {
        (void)err_set(&e, ERR_CANCELLED, "context canceled");
        conclude(streams, s, false, &e);
        return;
    }
    if (c->tape && tape_is_replay(c->tape)) {
        bool ok = tape_answer(c->tape, s->arena, &s->spec.request, &s->response, &e);
        conclude(streams, s, ok, &e);
        return;
    }
    if (c->local) {
        begin_locally(streams, s);
        return;
    }
    s->transfer.easy = streams->spare_count ? streams->spare[--streams->spare_count]
                                            : new_handle(streams);
    if (!transfer_begin(&s->transfer, &e)) {
        conclude(streams, s, false, &e);
        return;
    }
    curl_easy_setopt(s->transfer.easy, CURLOPT_PRIVATE, s);
    s->running = true;
    curl_multi_add_handle(streams->multi, s->transfer.easy);
    streams->running++;
    /* Its patience may be shorter than that of all others. */
    look_no_later(streams, s, s->transfer.active);
}

static void begin_waiting(struct http_streams *streams)
{
    struct stream *s;

    while ((s = take_waiting(streams)))
        begin(streams, s);
}

/*
 * Takes the streams that curl has completed. All messages are taken first: removing a handle makes
 * curl search the remaining ones, which would be quadratic with hundreds of answers at once.
 */
static struct stream *take_done(struct http_streams *streams)
{
    struct stream *first = NULL, **last = &first;
    const CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(streams->multi, &left))) {
        struct stream *s = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &s);
        s->result = message->data.result;
        s->next_done = NULL;
        *last = s;
        last = &s->next_done;
    }
    return first;
}

static void finish_done(struct http_streams *streams)
{
    struct stream *next;

    for (struct stream *s = take_done(streams); s; s = next) {
        next = s->next_done;
        finish(streams, s, s->result);
    }
}

/* Takes what the handlers have; one that has more goes to the end of the list. */
static void step_ready(struct http_streams *streams)
{
    struct stream *s;

    while ((s = take_ready(streams, NULL))) {
        enum http_local_state state = http_local_step(s->local);
        if (state == LOCAL_ENDED)
            finish_local(streams, s);
        else if (state == LOCAL_HAS_MORE)
            (void)enqueue_ready(s);
    }
}

/* ---- Those that wait too long --------------------------------------------------------------- */

static bool may_go_on(struct stream *s, int64_t now)
{
    struct transfer *t = &s->transfer;

    if (s->stop)
        t->stop = STOP_CANCELLED;
    if (s->running && s->spec.patience)
        t->idle_timeout = s->spec.patience(s->spec.request.ctx);
    /* Only we keep it waiting. */
    if (!s->running)
        t->active = now;
    return transfer_may_go_on(t, now);
}

static void unlink_waiting(struct http_streams *streams, struct stream *s)
{
    struct stream **at = &streams->waiting;

    while (*at != s)
        at = &(*at)->next_waiting;
    *at = s->next_waiting;
    if (!*at)
        streams->waiting_end = at;
}

/*
 * A stream that was asked to stop or has waited too long, or NULL; sets when to check the rest
 * again.
 */
static struct stream *find_overdue(struct http_streams *streams, int64_t now, int64_t *look)
{
    AUTO_LOCK guard = lock_take(&streams->lock);

    streams->asked = false;
    for (struct stream *s = streams->all; s; s = s->next) {
        if (!may_go_on(s, now)) {
            if (!s->running)
                unlink_waiting(streams, s);
            return s;
        }
        if (look_at(s, now) < *look)
            *look = look_at(s, now);
    }
    return NULL;
}

static void finish_unbegun(struct http_streams *streams, struct stream *s)
{
    AUTO_ERR e = {0};

    (void)transfer_fail(&s->transfer, CURLE_OK, &e);
    conclude(streams, s, false, &e);
}

static void finish_overdue(struct http_streams *streams, int64_t now)
{
    int64_t look = clock_is_driven() ? INT64_MAX : now + clock_wire_poll(PATIENCE_MS) * NS_PER_MS;
    struct stream *s;

    while ((s = find_overdue(streams, now, &look)))
        if (!s->running)
            finish_unbegun(streams, s);
        else if (s->local)
            finish_local(streams, s);
        else
            finish(streams, s, CURLE_ABORTED_BY_CALLBACK);
    streams->look = look;
}

/* ---- Rounds --------------------------------------------------------------------------------- */

static void settle(struct http_streams *streams)
{
    if (streams->unsettled && streams->settled)
        streams->settled(streams->settled_ctx);
    streams->unsettled = false;
}

/* False at the end. *ms is how long to wait: 0 if there is something to do. */
static bool fall_asleep(struct http_streams *streams, int *ms)
{
    AUTO_LOCK guard = lock_take(&streams->lock);
    int64_t due = streams->timer < streams->look ? streams->timer : streams->look;
    int64_t left = streams->all ? due - clock_wire() : PATIENCE_MS * NS_PER_MS;

    *ms = left <= 0 ? 0 : clock_wire_poll((int)((left + NS_PER_MS - 1) / NS_PER_MS));
    if (!streams->all)
        *ms = -1;
    if (streams->asked)
        streams->look = INT64_MIN;
    if (may_begin(streams) || streams->ready || streams->asked)
        *ms = 0;
    streams->asleep = *ms != 0;
    return !streams->closing || streams->all;
}

static void take_events(struct http_streams *streams, const struct epoll_event *events, int n)
{
    uint64_t count;
    int running;

    for (int i = 0; i < n; i++) {
        int fd = events[i].data.fd;
        if (fd == streams->wake)
            (void)!read(fd, &count, sizeof(count));
        else if (socket_of(streams, fd)->wanted)
            curl_multi_socket_action(streams->multi, fd, curl_events(events[i].events), &running);
        else
            ask_kernel(streams, fd, 0);
    }
}

/* The clocks that stand still in tests do not affect curl. */
static void take_time(struct http_streams *streams, int64_t now)
{
    const bool fake = clock_wire_poll(PATIENCE_MS) != PATIENCE_MS;
    int running;

    if (streams->timer == INT64_MAX || (streams->timer > now && !fake))
        return;
    streams->timer = INT64_MAX;
    curl_multi_socket_action(streams->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

/* Read what is available before checking the time: we may have been suspended. */
static void *run(void *ctx)
{
    struct http_streams *streams = ctx;
    struct epoll_event events[EVENTS];
    int ms;

    while (fall_asleep(streams, &ms)) {
        int n = epoll_wait(streams->epoll, events, EVENTS, ms);
        int64_t now = clock_wire();
        take_events(streams, events, n);
        finish_done(streams);
        begin_waiting(streams);
        step_ready(streams);
        take_time(streams, clock_wire());
        finish_done(streams);
        if (n < EVENTS && streams->look <= now)
            finish_overdue(streams, now);
        settle(streams);
    }
    return NULL;
}

/* Whether something can be done before time moves on. */
static bool has_work(struct http_streams *streams)
{
    AUTO_LOCK guard = lock_take(&streams->lock);

    return may_begin(streams) || streams->ready || streams->asked;
}

int64_t http_streams_step(struct http_streams *streams)
{
    assert(streams->wake < 0);
    do {
        begin_waiting(streams);
        step_ready(streams);
        if (streams->asked || streams->look <= clock_wire())
            finish_overdue(streams, clock_wire());
        settle(streams);
    } while (has_work(streams));
    return streams->look;
}

/* Signals go to the threads that expect them. Callbacks may walk trees of any depth. */
static void start_thread(struct http_streams *streams)
{
    sigset_t all, before;
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, POOL_STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&streams->thread, &attributes, run, streams);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    assert(!failure);
    (void)failure;
}

static void set_up_curl(struct http_streams *s)
{
    s->multi = curl_multi_init();
    curl_multi_setopt(s->multi, CURLMOPT_SOCKETFUNCTION, on_curl_socket);
    curl_multi_setopt(s->multi, CURLMOPT_SOCKETDATA, s);
    curl_multi_setopt(s->multi, CURLMOPT_TIMERFUNCTION, on_curl_timer);
    curl_multi_setopt(s->multi, CURLMOPT_TIMERDATA, s);
}

struct http_streams *http_streams_new(struct http_client *client)
{
    struct arena *a = arena_new();
    struct http_streams *s = ARENA_NEW(a, struct http_streams);

    s->arena = a;
    s->client = http_client_ref(client);
    s->lock = (struct lock)LOCK_INIT;
    s->waiting_end = &s->waiting;
    s->ready_end = &s->ready;
    s->timer = s->look = INT64_MAX;
    s->epoll = s->wake = -1;
    if (clock_is_driven()) {
        assert(client->config.local);
        return s;
    }
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(s->epoll >= 0 && s->wake >= 0);
    epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->wake,
              &(struct epoll_event){.events = EPOLLIN, .data.fd = s->wake});
    set_up_curl(s);
    start_thread(s);
    return s;
}

void http_streams_configure(struct http_streams *s, size_t max, void (*settled)(void *ctx),
                            void *ctx)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->max = max;
    s->settled = settled;
    s->settled_ctx = ctx;
    if (max && s->multi)
        curl_multi_setopt(s->multi, CURLMOPT_MAXCONNECTS, (long)max);
}

void http_streams_free(struct http_streams *s)
{
    if (!s)
        return;
    mark_stopped(s, 0, true);
    if (s->wake < 0) {
        (void)http_streams_step(s);
        http_client_free(s->client);
        arena_free(s->arena);
        return;
    }
    wake(s);
    pthread_join(s->thread, NULL);
    while (s->spare_count)
        curl_easy_cleanup(s->spare[--s->spare_count]);
    curl_multi_cleanup(s->multi);
    close(s->wake);
    close(s->epoll);
    http_client_free(s->client);
    arena_free(s->arena);
}
