/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy.h - finds the proxy that the environment sets, by the rules of Go's net/http. Any thread.
 */
#pragma once

#include "base/base.h"

/* From the environment: HTTP_PROXY, HTTPS_PROXY, NO_PROXY or their lower-case variants. */
struct proxy_settings {
    str http, https, no_proxy;
    bool cgi; /* REQUEST_METHOD is set: HTTP_PROXY could come from a client and is rejected */
};

struct proxy_settings proxy_from_environment(void);
/*
 * The URL of the proxy for a URL; empty: none. No proxy is used for loopback and NO_PROXY entries
 * (hosts with their subdomains, .domains, addresses, ranges, "*", each with an optional port).
 */
MUST_CHECK bool proxy_for(struct arena *a, const struct proxy_settings *s, str url, str *out,
                          struct err *e);
/*
 * Rewrites the URL of a proxy so that it means to curl what it means to Go: with the default port
 * (80, 443, 1080), and with names resolved by a SOCKS proxy itself. ERR_INVALID if it is not http,
 * https, socks5 or socks5h, or has no host. *address is "host:port".
 */
MUST_CHECK bool proxy_for_curl(struct arena *a, str proxy, str *out, str *address, struct err *e);
/* The address of a proxy for messages, without what precedes the host, which may be a password. */
str proxy_shown(struct arena *a, str proxy);
/* Whether a name or an address without port and brackets is this machine: localhost, 127.x, ::1. */
bool host_is_loopback(struct arena *a, str host);
