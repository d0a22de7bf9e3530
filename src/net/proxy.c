/* SPDX-License-Identifier: Apache-2.0 */
/* proxy.c - finds the proxy that the environment sets; see proxy.h. */
#include "net/proxy.h"

#include "text/url.h"

#include <arpa/inet.h>

static str env(const char *upper, const char *lower)
{
    const char *value = getenv(upper);

    return str_c(value && *value ? value : getenv(lower));
}

struct proxy_settings proxy_from_environment(void)
{
    return (struct proxy_settings){
        .http = env("HTTP_PROXY", "http_proxy"),
        .https = env("HTTPS_PROXY", "https_proxy"),
        .no_proxy = env("NO_PROXY", "no_proxy"),
        .cgi = str_c(getenv("REQUEST_METHOD")).len > 0,
    };
}

/* The prefix of IPv4 addresses mapped to IPv6. */
static const unsigned char mapped[12] = {[10] = 0xFF, [11] = 0xFF};

/* An address as 16 bytes, IPv4 in its mapped form. */
static bool parse_ip(struct arena *a, str text, unsigned char out[16])
{
    char *z = str_z(a, text);

    if (inet_pton(AF_INET6, z, out) == 1)
        return true;
    memcpy(out, mapped, sizeof(mapped));
    return inet_pton(AF_INET, z, out + sizeof(mapped)) == 1;
}

static bool is_v4(const unsigned char ip[16])
{
    return !memcmp(ip, mapped, sizeof(mapped));
}

bool host_is_loopback(struct arena *a, str host)
{
    static const unsigned char ipv6_loopback[16] = {[15] = 1};
    unsigned char ip[16];

    if (str_eq(host, STR("localhost")))
        return true;
    if (!parse_ip(a, host, ip))
        return false;
    return is_v4(ip) ? ip[12] == 127 : !memcmp(ip, ipv6_loopback, sizeof(ip));
}

static bool same_bits(const unsigned char *x, const unsigned char *y, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;

    return !memcmp(x, y, whole) && (!rest || !((x[whole] ^ y[whole]) >> (8 - rest)));
}

/* "10.0.0.0/8" */
static bool is_in_range(struct arena *a, str range, str host)
{
    unsigned char network[16], ip[16];
    uint64_t bits;
    str address, length;

    if (!str_cut(range, STR("/"), &address, &length) || !str_to_u64(length, &bits) ||
        !parse_ip(a, address, network) || !parse_ip(a, host, ip))
        return false;
    if (is_v4(network) != is_v4(ip) || bits > (is_v4(ip) ? 32 : 128))
        return false;
    return same_bits(network, ip, (unsigned)bits + (is_v4(ip) ? 96 : 0));
}

/* "host:port" of a rule, where the port is optional and IPv6 may be in brackets. */
static void split_rule(str rule, str *host, str *port)
{
    const struct url u = {.host = rule};
    bool bare_ipv6 = str_find_char(rule, ':') != str_rfind_char(rule, ':') && rule.ptr[0] != '[';

    *host = bare_ipv6 ? rule : url_hostname(&u);
    *port = bare_ipv6 ? STR_NONE : url_port(&u);
}

/* A name matches itself and all subdomains; with a leading dot, only subdomains. */
static bool name_fits(struct arena *a, str rule, str host)
{
    str name = rule;

    if (str_has_prefix(name, STR("*.")))
        name = str_from(name, 1);
    if (!str_has_prefix(name, STR("."))) {
        if (str_eq(name, host))
            return true;
        name = str_concat(a, STR("."), name);
    }
    return str_has_suffix(host, name) && host.len > name.len;
}

static bool rule_fits(struct arena *a, str rule, str host, unsigned port)
{
    unsigned char ip[16], own[16];
    str name, wanted;
    uint64_t number = 0;

    if (str_eq(rule, STR("*")))
        return true;
    if (str_find_char(rule, '/') != STR_NPOS)
        return is_in_range(a, rule, host);
    split_rule(rule, &name, &wanted);
    if (wanted.len && (!str_to_u64(wanted, &number) || number != port))
        return false;
    if (parse_ip(a, name, ip))
        return parse_ip(a, host, own) && !memcmp(ip, own, sizeof(ip));
    return name_fits(a, name, host);
}

static bool is_excluded(struct arena *a, str rules, str host, unsigned port)
{
    str rest = rules, rule;
    bool more = rules.len > 0;

    while (more) {
        more = str_cut(rest, STR(","), &rule, &rest);
        rule = str_lower(a, str_trim(rule));
        if (rule.len && rule_fits(a, rule, host, port))
            return true;
    }
    return false;
}

str proxy_shown(struct arena *a, str proxy)
{
    size_t at = str_rfind_char(proxy, '@');

    return at == STR_NPOS ? proxy : str_concat(a, STR("..."), str_from(proxy, at));
}

static bool refuse(struct arena *a, str proxy, const char *why, struct err *e)
{
    return err_set(e, ERR_INVALID, "invalid proxy address \"%.*s\": %s",
                   STR_ARG(proxy_shown(a, proxy)), why);
}

/* "proxy:3128" means http. */
static bool complete_proxy(struct arena *a, str text, str *out, struct err *e)
{
    struct url u;

    if (str_contains(text, STR("://")))
        *out = text;
    else
        *out = str_concat(a, STR("http://"), text);
    /* With a missing slash the rest would be taken for a path: "http:/user:password@proxy". */
    if (url_parse(a, *out, &u, NULL) && url_hostname(&u).len &&
        str_find_char(u.path, '@') == STR_NPOS)
        return true;
    return refuse(a, text, "it is not a URL with a host", e);
}

bool proxy_for_curl(struct arena *a, str proxy, str *out, str *address, struct err *e)
{
    static const str kinds[] = {STR_INIT("http"), STR_INIT("https"), STR_INIT("socks5"),
                                STR_INIT("socks5h")};
    struct url u;
    size_t kind = 0;

    if (!url_parse(a, proxy, &u, NULL) || !url_hostname(&u).len)
        return refuse(a, proxy, "it is not a URL with a host", e);
    while (kind < COUNT(kinds) && !str_eq(u.scheme, kinds[kind]))
        kind++;
    if (kind == COUNT(kinds))
        return refuse(a, proxy, "it must begin with http://, https:// or socks5://", e);
    unsigned port = url_port_number(&u);
    if (!port)
        return refuse(a, proxy, "its port must be between 1 and 65535", e);
    if (!url_port(&u).len)
        u.host = str_fmt(a, "%.*s:%u", STR_ARG(u.host), port);
    if (str_has_prefix(u.scheme, STR("socks5")))
        u.scheme = STR("socks5h");
    u.path = u.raw_path = u.query = u.fragment = STR_NONE; /* unused, as in Go */
    *out = url_text(a, &u);
    *address = u.host;
    return true;
}

bool proxy_for(struct arena *a, const struct proxy_settings *s, str url, str *out, struct err *e)
{
    struct url u;

    *out = STR_NONE;
    if (!s->http.len && !s->https.len)
        return true;
    if (!url_parse(a, url, &u, e))
        return false;
    bool is_https = str_eq(u.scheme, STR("https"));
    str proxy = is_https ? s->https : s->http, host = str_lower(a, url_hostname(&u));
    if (!proxy.len || host_is_loopback(a, host) ||
        is_excluded(a, s->no_proxy, host, url_port_number(&u)))
        return true;
    if (!is_https && s->cgi)
        return err_set(e, ERR_INVALID,
                       "refusing to use HTTP_PROXY value in CGI environment; see "
                       "golang.org/s/cgihttpproxy");
    return complete_proxy(a, proxy, out, e);
}
