/* SPDX-License-Identifier: Apache-2.0 */
/* http.c - the client: its handles, and sending one request; see http.h. */
#include "net/http/http.h"

#include "net/http/http_internal.h"

/* The most idle handles that are kept. */
#define HANDLES_MAX 128
/* Connections that one handle keeps open, to different servers. */
#define CONNECTIONS_PER_HANDLE 4L

struct handle {
    CURL *easy;
    CURLM *multi;
};

/*
 * Mutable, and therefore separate from the client, which is not. The last handle given back is
 * taken first.
 */
struct http_cache {
    struct lock lock;
    unsigned owners;
    size_t count;
    struct handle items[HANDLES_MAX];
};

static pthread_once_t library_started = PTHREAD_ONCE_INIT;

static void start_library(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static struct tape *tape_of_all;

void http_use_tape(struct tape *tape)
{
    tape_of_all = tape;
}

struct http_config http_defaults(void)
{
    return (struct http_config){
        .user_agent = STR("plumb/" PLUMB_VERSION),
        .connect_timeout = 30 * NS_PER_SEC,
        .idle_timeout = 60 * NS_PER_SEC,
        .body_max = 64 * MIB,
        .header_max = 256 * KIB,
        .redirects_max = 10,
        .tape = tape_of_all,
    };
}

static struct http_pem copy_pem(struct arena *a, struct http_pem pem)
{
    return (struct http_pem){str_copy(a, pem.text), str_copy(a, pem.file)};
}

static struct http_config copy_config(struct arena *a, const struct http_config *from)
{
    struct http_config c = *from;

    c.tls.ca = copy_pem(a, from->tls.ca);
    c.tls.cert = copy_pem(a, from->tls.cert);
    c.tls.key = copy_pem(a, from->tls.key);
    c.tls.server_name = str_copy(a, from->tls.server_name);
    c.proxy = str_copy(a, from->proxy);
    c.user_agent = str_copy(a, from->user_agent);
    return c;
}

bool http_client_new(const struct http_config *config, struct http_client **out, struct err *e)
{
    if (!http_tls_check(&config->tls, e) || !curl_load(e))
        return false;
    pthread_once(&library_started, start_library);
    struct arena *a = arena_new_secret();
    struct http_client *c = ARENA_NEW(a, struct http_client);
    c->arena = a;
    c->config = copy_config(a, config);
    c->proxies = proxy_from_environment();
    c->cache = ARENA_NEW(a, struct http_cache);
    c->cache->lock = (struct lock)LOCK_INIT;
    c->cache->owners = 1;
    *out = c;
    return true;
}

struct http_client *http_client_ref(struct http_client *c)
{
    AUTO_LOCK guard = lock_take(&c->cache->lock);

    c->cache->owners++;
    return c;
}

static void free_handle(CURL *easy, CURLM *multi)
{
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
}

static unsigned drop_owner(struct http_cache *cache)
{
    AUTO_LOCK guard = lock_take(&cache->lock);

    return --cache->owners;
}

void http_client_free(struct http_client *c)
{
    if (!c || drop_owner(c->cache))
        return;
    for (size_t i = 0; i < c->cache->count; i++)
        free_handle(c->cache->items[i].easy, c->cache->items[i].multi);
    arena_free(c->arena);
}

static bool take_rested(struct http_cache *cache, struct handle *out)
{
    AUTO_LOCK guard = lock_take(&cache->lock);

    if (!cache->count)
        return false;
    *out = cache->items[--cache->count];
    return true;
}

static bool put_to_rest(struct http_cache *cache, struct handle h)
{
    AUTO_LOCK guard = lock_take(&cache->lock);

    if (cache->count == HANDLES_MAX)
        return false;
    cache->items[cache->count++] = h;
    return true;
}

CURL *http_handle_take(struct http_client *c, CURLM **multi)
{
    struct handle h;

    if (!take_rested(c->cache, &h)) {
        h = (struct handle){transfer_new_handle(c), curl_multi_init()};
        curl_multi_setopt(h.multi, CURLMOPT_MAXCONNECTS, CONNECTIONS_PER_HANDLE);
    }
    *multi = h.multi;
    return h.easy;
}

void http_handle_give(struct http_client *c, CURL *easy, CURLM *multi)
{
    transfer_rest_handle(easy);
    if (!put_to_rest(c->cache, (struct handle){easy, multi}))
        free_handle(easy, multi);
}

void http_handle_wait(CURLM *multi, const struct transfer *t)
{
    struct curl_waitfd extra = {.events = CURL_WAIT_POLLIN};
    const struct http_cancel *cancel = t->request->cancel;

    if (cancel)
        extra.fd = http_cancel_fd(cancel);
    curl_multi_poll(multi, &extra, cancel ? 1 : 0, transfer_patience(t), NULL);
}

CURLcode http_handle_result(CURLM *multi)
{
    int left;
    const CURLMsg *message = curl_multi_info_read(multi, &left);

    return message && message->msg == CURLMSG_DONE ? message->data.result : CURLE_RECV_ERROR;
}

static CURLcode perform(CURLM *multi, struct transfer *t)
{
    CURLcode result = CURLE_ABORTED_BY_CALLBACK;
    int running = 1;

    curl_multi_add_handle(multi, t->easy);
    if (!transfer_may_go_on(t, clock_wire()))
        return result;
    /* Read what is available before checking the time: we may have been suspended. */
    for (;;) {
        int64_t now = clock_wire();
        if (curl_multi_perform(multi, &running) != CURLM_OK)
            return result;
        if (!running)
            return http_handle_result(multi);
        if (!transfer_may_go_on(t, now))
            return result;
        http_handle_wait(multi, t);
    }
}

static bool send_by_curl(struct http_client *c, struct transfer *t, struct err *e)
{
    CURLM *multi;
    CURLcode result;
    bool ok;

    transfer_prepare(t);
    t->easy = http_handle_take(c, &multi);
    ok = transfer_begin(t, e);
    if (ok) {
        result = perform(multi, t);
        /* Remove the handle from the multi only after everything was read from it. */
        ok = transfer_end(t, result, e);
        curl_multi_remove_handle(multi, t->easy);
    }
    http_handle_give(c, t->easy, multi);
    if (c->config.tape)
        tape_keep(c->config.tape, t->request, t->response, buf_str(&t->kept), ok ? NULL : e);
    return ok;
}

static bool send_locally(struct http_client *c, struct transfer *t, struct err *e)
{
    struct http_local *l;
    enum http_local_state state;
    bool ok = false;

    transfer_prepare(t);
    if ((l = http_local_begin(t, NULL, NULL, e))) {
        while ((state = http_local_step(l)) != LOCAL_ENDED && transfer_may_go_on(t, clock_wire()))
            if (state == LOCAL_WAITS)
                http_local_wait(l);
        ok = http_local_end(l, e);
    }
    if (c->config.tape)
        tape_keep(c->config.tape, t->request, t->response, buf_str(&t->kept), ok ? NULL : e);
    return ok;
}

bool http_send(struct http_client *c, struct arena *a, const struct http_request *r,
               struct http_response *response, struct err *e)
{
    AUTO_ERR own = {0};
    struct transfer t = {.client = c, .arena = a, .request = r, .response = response};

    *response = (struct http_response){.url = r->url};
    if (c->config.tape && tape_is_replay(c->config.tape))
        return tape_answer(c->config.tape, a, r, response, e);
    if (c->config.local)
        return send_locally(c, &t, e ? e : &own);
    return send_by_curl(c, &t, e ? e : &own);
}
