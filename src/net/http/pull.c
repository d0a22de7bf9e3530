/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pull.c - answers that are read like files; see pull.h.
 *
 * The request makes progress only while the reader waits for bytes, and everything that has arrived
 * is returned first: curl takes at most a hundred of its buffers in one go.
 */
#include "net/http/pull.h"

#include "net/http/http_internal.h"

struct http_pull {
    struct arena *arena;
    struct http_client *client;
    struct http_request request; /* with our own on_body */
    struct transfer transfer;
    CURLM *multi;
    struct http_local *local; /* instead of a handle of curl */
    struct buf data;          /* what has arrived; given bytes of it were read */
    size_t given;
    bool ended, ok;
    struct err failure;
    int64_t left; /* when the reader last got something */
};

static bool keep_piece(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    struct http_pull *p = ctx;

    (void)so_far;
    (void)e;
    buf_add(&p->data, piece);
    return true;
}

static void end(struct http_pull *p, CURLcode result)
{
    struct transfer *t = &p->transfer;
    struct tape *tape = p->client->config.tape;

    p->ended = true;
    if (p->local) {
        p->ok = http_local_end(p->local, &p->failure);
    } else {
        p->ok = transfer_end(t, result, &p->failure);
        curl_multi_remove_handle(p->multi, t->easy);
        http_handle_give(p->client, t->easy, p->multi);
    }
    if (tape)
        tape_keep(tape, &p->request, t->response, buf_str(&t->kept), p->ok ? NULL : &p->failure);
}

static void step_locally(struct http_pull *p)
{
    enum http_local_state state = http_local_step(p->local);

    if (state == LOCAL_ENDED || !transfer_may_go_on(&p->transfer, clock_wire()))
        end(p, CURLE_OK);
    else if (state == LOCAL_WAITS && !p->data.len)
        http_local_wait(p->local);
}

/* Like http_send: read what is available before checking the time. */
static void step_by_curl(struct http_pull *p)
{
    int64_t now = clock_wire();
    int running = 1;

    bool works = curl_multi_perform(p->multi, &running) == CURLM_OK;
    if (works && !running)
        end(p, http_handle_result(p->multi));
    else if (!works || !transfer_may_go_on(&p->transfer, now))
        end(p, CURLE_ABORTED_BY_CALLBACK);
    else if (!p->data.len)
        http_handle_wait(p->multi, &p->transfer);
}

static void step(struct http_pull *p)
{
    if (p->local)
        step_locally(p);
    else
        step_by_curl(p);
}

static bool has_head(const struct http_pull *p)
{
    return p->transfer.head_done && p->transfer.response->status / 100 == 2;
}

static bool begin_by_curl(struct http_pull *p)
{
    struct transfer *t = &p->transfer;

    t->easy = http_handle_take(p->client, &p->multi);
    if (!transfer_begin(t, &p->failure)) {
        http_handle_give(p->client, t->easy, p->multi);
        return false;
    }
    curl_multi_add_handle(p->multi, t->easy);
    return true;
}

static void begin(struct http_pull *p)
{
    struct transfer *t = &p->transfer;

    transfer_prepare(t);
    if (p->client->config.local)
        p->ended = !(p->local = http_local_begin(t, NULL, NULL, &p->failure));
    else
        p->ended = !begin_by_curl(p);
    while (!p->ended && !has_head(p))
        step(p);
    p->left = clock_wire();
}

bool http_pull_open(struct http_client *c, struct arena *a, const struct http_request *r,
                    struct http_response *response, struct http_pull **out, struct err *e)
{
    struct arena *own = arena_new_secret();
    struct http_pull *p = ARENA_NEW(own, struct http_pull);

    *p = (struct http_pull){.arena = own, .client = c, .request = *r};
    p->data = buf_new(own, BUF_UNLIMITED);
    p->request.headers = (struct http_headers){0};
    for (size_t i = 0; i < r->headers.len; i++)
        http_header_add(own, &p->request.headers, r->headers.items[i].name,
                        r->headers.items[i].value);
    http_header_set(own, &p->request.headers, STR("Accept-Encoding"), STR("identity"));
    p->request.on_body = keep_piece;
    p->request.ctx = p;
    p->transfer =
        (struct transfer){.client = c, .arena = a, .request = &p->request, .response = response};
    *response = (struct http_response){.url = r->url};
    if (c->config.tape && tape_is_replay(c->config.tape)) {
        /* Delivers the whole answer at once. */
        p->ok = tape_answer(c->config.tape, a, &p->request, response, &p->failure);
        p->ended = true;
    } else {
        begin(p);
    }
    /* A failure after the head is reported to readers who read that far. */
    if (!p->ended || p->ok || has_head(p)) {
        *out = p;
        return true;
    }
    err_copy(e, &p->failure);
    http_pull_close(p);
    return false;
}

bool http_pull_read(struct http_pull *p, char *to, size_t size, size_t *got, struct err *e)
{
    if (p->given == p->data.len) {
        buf_truncate(&p->data, 0);
        p->given = 0;
        if (!p->ended)
            transfer_forgive(&p->transfer, p->left);
        while (!p->ended && !p->data.len)
            step(p);
    }
    size_t left = p->data.len - p->given;
    if (!left && !p->ok)
        return err_copy(e, &p->failure);
    *got = left < size ? left : size;
    if (*got)
        memcpy(to, p->data.data + p->given, *got);
    p->given += *got;
    p->left = clock_wire();
    return true;
}

void http_pull_close(struct http_pull *p)
{
    if (!p)
        return;
    if (!p->ended) {
        p->transfer.stop = STOP_ENOUGH;
        end(p, CURLE_ABORTED_BY_CALLBACK);
    }
    err_clear(&p->failure);
    arena_free(p->arena);
}
