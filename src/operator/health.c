/* SPDX-License-Identifier: Apache-2.0 */
/* health.c - probes and metrics of a running operator; see health.h. */
#include "operator/health.h"

#define METRICS_MAX (64 * MIB)

static void on_healthz(void *ctx, struct server_request *r)
{
    (void)ctx;
    server_reply(r, 200, STR("text/plain; charset=utf-8"), STR("ok\n"));
}

static void on_readyz(void *ctx, struct server_request *r)
{
    bool ready = live_ready(ctx);

    server_reply(r, ready ? 200 : 503, STR("text/plain; charset=utf-8"),
                 ready ? STR("ok\n") : STR("objects are still being read\n"));
}

static void on_metrics(void *ctx, struct server_request *r)
{
    struct buf out = buf_new(server_arena(r), METRICS_MAX);

    live_metrics(ctx, &out);
    server_reply(r, 200, STR("text/plain; version=0.0.4; charset=utf-8"), buf_str(&out));
}

static void handle(void *ctx, struct server_request *r)
{
    static const struct server_route routes[] = {{"GET", "/healthz", on_healthz},
                                                 {"GET", "/metrics", on_metrics},
                                                 {"GET", "/readyz", on_readyz}};

    server_route(ctx, r, routes, COUNT(routes));
}

bool health_start(struct live *l, str address, struct server **out, struct err *e)
{
    size_t colon = str_rfind_char(address, ':');
    str host = colon == STR_NPOS ? STR("127.0.0.1") : str_slice(address, 0, colon);
    uint64_t port;

    if (!str_to_u64(colon == STR_NPOS ? address : str_from(address, colon + 1), &port) ||
        port > 65535)
        return err_set(e, ERR_USAGE, "\"%.*s\" is not an address; write HOST:PORT or :PORT",
                       STR_ARG(address));
    const struct server_config config = {.handle = handle,
                                         .ctx = l,
                                         .address = host.len ? str_trim_set(host, STR("[]"))
                                                             : STR("0.0.0.0"),
                                         .port = (uint16_t)port,
                                         .threads = 1};
    return server_start(&config, out, e);
}
