/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy_server.h - a proxy for tests: CONNECT and SOCKS5, whichever a client speaks.
 *
 *     struct proxy_server *p = proxy_server_start(fault_server_port(s), NULL);
 *     config.proxy = str_fmt(a, "socks5://127.0.0.1:%u", proxy_server_port(p));
 *     ... requests to https://any.name/ arrive at s ...
 *     proxy_server_stop(p);
 *
 * Whatever is requested, everything goes to one port of this machine. One thread, one connection at
 * a time, loopback only; every wait ends when the server stops.
 */
#pragma once

#include "base/base.h"

struct proxy_server;

/* refusal: the full answer to CONNECT instead of a tunnel; NULL: none. */
struct proxy_server *proxy_server_start(unsigned target_port, const char *refusal);
void proxy_server_stop(struct proxy_server *p);
unsigned proxy_server_port(const struct proxy_server *p);
/*
 * What the last connection asked for: "CONNECT host:port", or with SOCKS "name host" if the proxy
 * is to resolve the name, else "address". Lives as long as a.
 */
str proxy_server_asked(struct proxy_server *p, struct arena *a);
