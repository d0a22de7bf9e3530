/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.c - the thread of the engine: who gets which connection; see engine.h.
 *
 * Other threads put jobs into a list under the lock and wake the thread; everything else is the
 * thread's own. Closing a connection never starts anything: what becomes possible by it is done at
 * the end of the round (serve_waiting), so that lists do not change under those who walk on them.
 */
#include "net/engine_internal.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* How often the time is looked at. */
#define TICK (50 * NS_PER_MS)
#define EVENTS 256

/* ---- Ends. ---- */

void engine_count(struct http_engine *g, bool opened, bool closed)
{
    AUTO_LOCK guard = lock_take(&g->lock);

    g->stats.opened += opened;
    g->stats.connections += opened;
    g->stats.connections -= closed;
}

void engine_conclude(struct http_engine *g, struct job *j, const struct err *failure)
{
    struct tape *tape = g->client->config.tape;

    if (tape && !tape_is_replay(tape))
        tape_keep(tape, &j->spec.request, &j->response, STR_NONE, failure);
    g->jobs--;
    g->unsettled = true;
    j->spec.done(j->spec.ctx, &j->response, failure);
}

static void settle(struct http_engine *g)
{
    if (g->unsettled && g->settled)
        g->settled(g->settled_ctx);
    g->unsettled = false;
}

void engine_fail(struct http_engine *g, struct job *j, CURLcode result, enum transfer_stop stop)
{
    struct transfer t = {.client = g->client,
                         .arena = j->spec.arena,
                         .request = &j->spec.request,
                         .response = &j->response,
                         .stop = stop};
    AUTO_ERR e = {0};

    (void)transfer_fail(&t, result, &e);
    engine_conclude(g, j, &e);
}

void engine_again(struct http_engine *g, struct job *j)
{
    j->again = true;
    j->response = (struct http_response){.url = j->spec.request.url};
    j->next = g->again;
    g->again = j;
}

bool engine_overdue(const struct http_engine *g, const struct job *j, int64_t now, CURLcode *result,
                    enum transfer_stop *stop)
{
    const int64_t own = j->spec.request.timeout;
    const int64_t timeout = own ? own : g->client->config.timeout;

    *result = CURLE_OPERATION_TIMEDOUT;
    *stop = http_cancel_raised(j->spec.request.cancel) ? STOP_CANCELLED : STOP_NOT;
    return *stop || (timeout > 0 && now - j->started > timeout);
}

void engine_own(struct http_engine *g, int fd, struct line *l)
{
    size_t count = g->owner_count;

    if ((size_t)fd >= count) {
        count = ((size_t)fd + 1) * 2;
        g->owners = arena_grow(g->arena, g->owners, g->owner_count * sizeof(*g->owners),
                               count * sizeof(*g->owners));
        memset(g->owners + g->owner_count, 0, (count - g->owner_count) * sizeof(*g->owners));
        g->owner_count = count;
    }
    g->owners[fd] = l;
}

/* ---- Servers. ---- */

static struct origin *find_origin(struct http_engine *g, str name)
{
    struct origin *o;
    struct arena *a;

    for (o = g->origins; o; o = o->next)
        if (str_eq(o->name, name))
            return o;
    a = arena_new();
    o = ARENA_NEW(a, struct origin);
    o->arena = a;
    o->name = str_copy(a, name);
    o->waiting_end = &o->waiting;
    o->next = g->origins;
    g->origins = o;
    return o;
}

static void drop_unused_origins(struct http_engine *g)
{
    for (struct origin **at = &g->origins, *o; (o = *at);) {
        if (o->lines || o->waiting) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        arena_free(o->arena);
    }
}

static struct line *take_idle(struct origin *o, const struct job *j)
{
    struct line *l;

    while ((l = o->idle)) {
        o->idle = l->next_idle;
        if (line_is_alive(l, j))
            return l;
        line_close(l);
    }
    return NULL;
}

static void place(struct http_engine *g, struct job *j)
{
    struct origin *o = find_origin(g, j->origin);
    struct line *l = take_idle(o, j);

    if (l) {
        line_use(l, j);
    } else if (o->lines < g->connections_max) {
        line_open(g, o, j);
    } else {
        j->next = NULL;
        *o->waiting_end = j;
        o->waiting_end = &j->next;
    }
}

/* Connections that were closed make room for others. */
static void serve_waiting(struct http_engine *g)
{
    struct job *j;

    while ((j = g->again)) {
        g->again = j->next;
        place(g, j);
    }
    for (struct origin *o = g->origins; o; o = o->next)
        while ((j = o->waiting) && (o->idle || o->lines < g->connections_max)) {
            o->waiting = j->next;
            if (!o->waiting)
                o->waiting_end = &o->waiting;
            place(g, j);
        }
}

/* ---- New jobs. ---- */

static bool is_target(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] <= ' ' || s.ptr[i] > '~')
            return false;
    return true;
}

/* Cuts the URL. What is wrong with its origin will be found out when it is connected to. */
static bool prepare(struct job *j, struct err *e)
{
    const struct http_request *r = &j->spec.request;
    size_t scheme = str_find(r->url, STR("://"));
    size_t at = scheme == STR_NPOS ? 0 : scheme + 3;
    str ignored;

    while (at < r->url.len && !strchr("/?#", r->url.ptr[at]))
        at++;
    j->origin = str_slice(r->url, 0, at);
    str_cut(str_from(r->url, at), STR("#"), &j->target, &ignored);
    if (!str_has_prefix(j->target, STR("/")))
        j->target = str_concat(j->spec.arena, STR("/"), j->target);
    if (!is_target(j->target) || !is_target(j->origin))
        return err_set(e, ERR_INVALID, "net/url: invalid character in URL");
    if (str_find_char(j->origin, '@') != STR_NPOS)
        return err_set(e, ERR_INVALID, "a user in the URL is not supported");
    if (!is_target(r->method))
        return err_set(e, ERR_INVALID, "net/http: invalid method");
    return http_headers_check(&r->headers, e);
}

static void replay(struct http_engine *g, struct job *j)
{
    AUTO_ERR e = {0};
    bool ok =
        tape_answer(g->client->config.tape, j->spec.arena, &j->spec.request, &j->response, &e);

    engine_conclude(g, j, ok ? NULL : &e);
}

static void take_up(struct http_engine *g, struct job *j)
{
    AUTO_ERR e = {0};

    g->jobs++;
    if (g->client->config.tape && tape_is_replay(g->client->config.tape)) {
        replay(g, j);
    } else if (!prepare(j, &e)) {
        (void)http_fail_early(j->spec.arena, &j->spec.request, &j->response, &e);
        engine_conclude(g, j, &e);
    } else if (http_cancel_raised(j->spec.request.cancel)) {
        engine_fail(g, j, CURLE_OK, STOP_CANCELLED);
    } else {
        place(g, j);
    }
}

static struct job *take_fresh(struct http_engine *g)
{
    AUTO_LOCK guard = lock_take(&g->lock);
    struct job *j = g->fresh;

    g->fresh = NULL;
    g->fresh_end = &g->fresh;
    g->asleep = false;
    return j;
}

static void take_up_fresh(struct http_engine *g)
{
    struct job *next;

    for (struct job *j = take_fresh(g); j; j = next) {
        next = j->next;
        take_up(g, j);
    }
}

/* ---- Rounds. ---- */

static void end_overdue_waiting(struct http_engine *g, struct origin *o, int64_t now)
{
    enum transfer_stop stop;
    CURLcode result;

    for (struct job **at = &o->waiting, *j; (j = *at);) {
        if (!engine_overdue(g, j, now, &result, &stop)) {
            at = &j->next;
            continue;
        }
        *at = j->next;
        if (!*at)
            o->waiting_end = at;
        engine_fail(g, j, result, stop);
    }
}

static void tick(struct http_engine *g)
{
    const int64_t now = clock_wire();
    struct line *next;

    if (now - g->ticked < TICK)
        return;
    g->ticked = now;
    for (struct line *l = g->lines; l; l = next) {
        next = l->next;
        line_tick(l, now);
    }
    for (struct origin *o = g->origins; o; o = o->next)
        end_overdue_waiting(g, o, now);
    drop_unused_origins(g);
}

static void clear_wake(struct http_engine *g)
{
    uint64_t count;

    if (read(g->wake, &count, sizeof(count)) < 0)
        return;
}

/* False at the end. *patience is how long to wait, in ms: not at all when there is something. */
static bool fall_asleep(struct http_engine *g, int *patience)
{
    AUTO_LOCK guard = lock_take(&g->lock);

    *patience = g->fresh ? 0 : g->jobs ? (int)(TICK / NS_PER_MS) : g->lines ? 1000 : -1;
    g->asleep = *patience != 0;
    return !g->closing;
}

static void round_of_events(struct http_engine *g, int patience)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(g->epoll, events, EVENTS, patience);

    for (int i = 0; i < n; i++) {
        int fd = events[i].data.fd;
        if (fd == g->wake)
            clear_wake(g);
        else if ((size_t)fd < g->owner_count && g->owners[fd])
            line_event(g->owners[fd], fd, events[i].events);
    }
}

static void stop_all(struct http_engine *g)
{
    struct job *j;

    take_up_fresh(g);
    while (g->lines)
        line_fail(g->lines, CURLE_OK, STOP_CANCELLED);
    while ((j = g->again)) {
        g->again = j->next;
        engine_fail(g, j, CURLE_OK, STOP_CANCELLED);
    }
    for (struct origin *o = g->origins; o; o = o->next)
        while ((j = o->waiting)) {
            o->waiting = j->next;
            engine_fail(g, j, CURLE_OK, STOP_CANCELLED);
        }
    drop_unused_origins(g);
}

static void *run(void *ctx)
{
    struct http_engine *g = ctx;
    int patience;

    while (fall_asleep(g, &patience)) {
        round_of_events(g, patience);
        take_up_fresh(g);
        tick(g);
        serve_waiting(g);
        settle(g);
    }
    stop_all(g);
    settle(g);
    return NULL;
}

/* ---- Other threads. ---- */

static void start_thread(struct http_engine *g)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&g->thread, NULL, run, g);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert(!failure);
    (void)failure;
}

struct http_engine *http_engine_new(struct http_client *client, unsigned connections)
{
    struct arena *a = arena_new_secret();
    struct http_engine *g = ARENA_NEW(a, struct http_engine);

    g->arena = a;
    g->client = http_client_ref(client);
    g->connections_max = connections ? connections : 1;
    g->epoll = epoll_create1(EPOLL_CLOEXEC);
    g->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(g->epoll >= 0 && g->wake >= 0);
    epoll_ctl(g->epoll, EPOLL_CTL_ADD, g->wake,
              &(struct epoll_event){.events = EPOLLIN, .data.fd = g->wake});
    g->lock = (struct lock)LOCK_INIT;
    g->fresh_end = &g->fresh;
    g->scratch = arena_alloc_text(a, ENGINE_PIECE);
    start_thread(g);
    return g;
}

static void wake(struct http_engine *g)
{
    const uint64_t one = 1;

    /* A counter that is full wakes too. */
    if (write(g->wake, &one, sizeof(one)) < 0)
        return;
}

void http_engine_collect(struct http_engine *g, void (*settled)(void *ctx), void *ctx)
{
    AUTO_LOCK guard = lock_take(&g->lock);

    g->settled = settled;
    g->settled_ctx = ctx;
}

void http_engine_free(struct http_engine *g)
{
    if (!g)
        return;
    {
        AUTO_LOCK guard = lock_take(&g->lock);
        g->closing = true;
    }
    wake(g);
    pthread_join(g->thread, NULL);
    close(g->wake);
    close(g->epoll);
    http_client_free(g->client);
    arena_free(g->arena);
}

static bool may_be_sent_twice(str method)
{
    return !str_eq(method, STR("POST")) && !str_eq(method, STR("PATCH"));
}

void http_engine_start(struct http_engine *g, const struct http_job *job)
{
    struct job *j = ARENA_NEW(job->arena, struct job);
    bool asleep;

    *j = (struct job){.spec = *job,
                      .response = {.url = job->request.url},
                      .started = clock_wire(),
                      .repeatable = may_be_sent_twice(job->request.method)};
    {
        AUTO_LOCK guard = lock_take(&g->lock);
        asleep = g->asleep;
        g->asleep = false;
        *g->fresh_end = j;
        g->fresh_end = &j->next;
        g->stats.requests++;
    }
    if (asleep)
        wake(g);
}

struct http_engine_stats http_engine_stats(struct http_engine *g)
{
    AUTO_LOCK guard = lock_take(&g->lock);

    return g->stats;
}

/* One who waits for the answer. */
struct waiter {
    struct lock lock;
    pthread_cond_t done;
    bool is_done;
    const struct http_response *response;
    struct err failure;
};

static void wake_waiter(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct waiter *w = ctx;
    AUTO_LOCK guard = lock_take(&w->lock);

    w->response = response;
    if (failure)
        err_copy(&w->failure, failure);
    w->is_done = true;
    pthread_cond_signal(&w->done);
}

bool http_engine_send(struct http_engine *g, struct arena *a, const struct http_request *r,
                      struct http_response *response, struct err *e)
{
    struct waiter w = {.lock = LOCK_INIT, .done = PTHREAD_COND_INITIALIZER};
    bool ok;

    http_engine_start(
        g, &(struct http_job){.arena = a, .request = *r, .done = wake_waiter, .ctx = &w});
    {
        AUTO_LOCK guard = lock_take(&w.lock);
        while (!w.is_done)
            pthread_cond_wait(&w.done, &w.lock.mutex);
    }
    pthread_cond_destroy(&w.done);
    pthread_mutex_destroy(&w.lock.mutex);
    *response = *w.response;
    ok = !w.failure.kind;
    if (!ok)
        err_copy(e, &w.failure);
    err_clear(&w.failure);
    return ok;
}
