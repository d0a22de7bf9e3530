/* SPDX-License-Identifier: Apache-2.0 */
/* proxy.h - which proxy the environment wants, by the rules of Go's net/http. Any thread. */
#pragma once

#include "base/base.h"

/* What the environment says: HTTP_PROXY, HTTPS_PROXY, NO_PROXY or their lower-case twins. */
struct proxy_settings {
    str http, https, no_proxy;
    bool cgi; /* REQUEST_METHOD is set: HTTP_PROXY could come from a client and is rejected */
};

struct proxy_settings proxy_from_environment(void);
/*
 * The URL of the proxy for a URL; empty: none. Loopback and what NO_PROXY names (hosts with all
 * below them, .domains, addresses, ranges, "*", each with an optional port) are reached directly.
 */
MUST_CHECK bool proxy_for(struct arena *a, const struct proxy_settings *s, str url, str *out,
                          struct err *e);
/*
 * The URL of a proxy in words that mean to curl what the proxy's own mean to Go: with the port (80,
 * 443, 1080), and with names that a SOCKS proxy looks up itself. ERR_INVALID when it is neither of
 * http, https, socks5 and socks5h, or has no host. *address is "host:port".
 */
MUST_CHECK bool proxy_for_curl(struct arena *a, str proxy, str *out, str *address, struct err *e);
/* The address of a proxy as people may see it: all before the host may be a password. */
str proxy_shown(struct arena *a, str proxy);
/* Whether a name or an address without port and brackets is this machine: localhost, 127.x, ::1. */
bool host_is_loopback(struct arena *a, str host);
