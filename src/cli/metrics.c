/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - publishes metrics in a file and over HTTP; see metrics.h. */
#include "cli/metrics.h"
#include "cli/commands.h"
#include "net/server/server.h"

#define CONTENT_TYPE STR("text/plain; version=0.0.4; charset=utf-8")

struct metrics {
    str file;
    bool warned;
    struct server *server; /* NULL: none */
    struct lock lock;      /* of the text */
    struct arena *arena;
    str text;
};

/* ---- The address. ---- */

static bool bad_address(str address, struct err *e)
{
    return err_set(e, ERR_USAGE,
                   "--metrics-addr %.*s: give a port, or an IP address and a port: 9273, "
                   "127.0.0.1:9273, [::1]:9273",
                   STR_ARG(address));
}

static bool parse_address(str address, str *host, uint16_t *port, struct err *e)
{
    size_t colon = str_rfind_char(address, ':');
    str number = colon == STR_NPOS ? address : str_from(address, colon + 1);
    uint64_t n;

    *host = colon == STR_NPOS ? STR_NONE : str_slice(address, 0, colon);
    if (str_has_prefix(*host, STR("[")) && str_has_suffix(*host, STR("]")))
        *host = str_slice(*host, 1, host->len - 1);
    else if (str_find_char(*host, ':') != STR_NPOS)
        return bad_address(address, e);
    if (!str_to_u64(number, &n) || n > UINT16_MAX)
        return bad_address(address, e);
    *port = (uint16_t)n;
    return true;
}

static void answer(void *ctx, struct server_request *r)
{
    struct metrics *m = ctx;
    struct arena *a = server_arena(r);
    str text;

    {
        AUTO_LOCK guard = lock_take(&m->lock);
        text = str_copy(a, m->text);
    }
    server_reply(r, 200, CONTENT_TYPE, text);
}

static void handle(void *ctx, struct server_request *r)
{
    static const struct server_route routes[] = {{"GET", "/metrics", answer}};

    server_route(ctx, r, routes, COUNT(routes));
}

static bool serve(struct metrics *m, str address, struct err *e)
{
    struct server_config config = {.handle = handle, .ctx = m, .threads = 1};

    if (!parse_address(address, &config.address, &config.port, e))
        return false;
    config.connections_max = 32;
    if (!server_start(&config, &m->server, e))
        return err_wrap(e, "--metrics-addr %.*s", STR_ARG(address));
    message_hint("metrics are at %.*s/metrics", STR_ARG(server_url(m->server)));
    return true;
}

/* ---- Life. ---- */

/* Detects that a file cannot be written before anything else is done. */
static bool can_write(str file, struct err *e)
{
    struct file_draft draft;

    if (!file_begin(file, 0644, &draft, e))
        return false;
    file_drop(&draft);
    return true;
}

bool metrics_open(struct arena *a, str file, str address, struct metrics **out, struct err *e)
{
    struct metrics *m = ARENA_NEW(a, struct metrics);

    m->file = file;
    m->lock = (struct lock)LOCK_INIT;
    m->arena = arena_new();
    *out = m;
    if ((!file.len || can_write(file, e)) && (!address.len || serve(m, address, e)))
        return true;
    metrics_close(m);
    *out = NULL;
    return false;
}

void metrics_close(struct metrics *m)
{
    if (!m)
        return;
    if (m->server)
        server_stop(m->server, 0);
    arena_free(m->arena);
}

bool metrics_wanted(const struct metrics *m)
{
    return m->file.len || m->server;
}

static void write_file(struct metrics *m, str text)
{
    AUTO_ERR e = {0};

    if (!m->file.len || file_write(m->file, text, 0644, &e)) {
        m->warned = false;
        return;
    }
    if (!m->warned)
        message_warning((struct where){0}, e.text);
    m->warned = true;
}

void metrics_publish(struct metrics *m, str text)
{
    write_file(m, text);
    AUTO_LOCK guard = lock_take(&m->lock);
    arena_reset(m->arena);
    m->text = str_copy(m->arena, text);
}
