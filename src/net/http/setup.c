/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup.c - curl's options; see http_internal.h.
 *
 * A handle serves the requests of one client, one after the other. What all of them share is set
 * once (transfer_set_constants), because copying texts and parsing lists of protocols costs curl a
 * tenth of the time of a small request; everything else is set for every request, even to curl's
 * defaults.
 */
#include "net/http/http_internal.h"
#include "text/url.h"

/* Sets an option whose value is a text. curl keeps a copy. */
static void set_text(struct transfer *t, CURLoption option, str text)
{
    curl_easy_setopt(t->easy, option, str_z(t->arena, text));
}

static long to_ms(int64_t ns)
{
    int64_t ms = (ns + NS_PER_MS - 1) / NS_PER_MS;

    return ms > INT32_MAX ? INT32_MAX : (long)ms;
}

/* Texts live as long as the client, so that curl need not copy them. */
static void set_pem(struct transfer *t, struct http_pem pem, CURLoption blob, CURLoption file)
{
    struct curl_blob text = {(void *)(uintptr_t)pem.text.ptr, pem.text.len, CURL_BLOB_NOCOPY};

    if (pem.file.len)
        set_text(t, file, pem.file);
    else if (pem.text.len)
        curl_easy_setopt(t->easy, blob, &text);
}

static void set_tls(struct transfer *t)
{
    const struct http_tls *tls = &t->client->config.tls;
    bool own_ca = tls->ca.text.len || tls->ca.file.len;

    curl_easy_setopt(t->easy, CURLOPT_SSLVERSION,
                     tls->min_version == HTTP_TLS_1_3 ? (long)CURL_SSLVERSION_TLSv1_3
                                                      : (long)CURL_SSLVERSION_TLSv1_2);
    if (tls->insecure) {
        curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    /* Otherwise curl would trust the system's folder in addition to our own certificates. */
    if (own_ca)
        curl_easy_setopt(t->easy, CURLOPT_CAPATH, NULL);
    set_pem(t, tls->ca, CURLOPT_CAINFO_BLOB, CURLOPT_CAINFO);
    /* The file may have changed; curl would cache it for a day. */
    curl_easy_setopt(t->easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
    set_pem(t, tls->cert, CURLOPT_SSLCERT_BLOB, CURLOPT_SSLCERT);
    set_pem(t, tls->key, CURLOPT_SSLKEY_BLOB, CURLOPT_SSLKEY);
    /* A key with a password is an error; OpenSSL would ask for it on the terminal. */
    if (tls->key.text.len || tls->key.file.len)
        curl_easy_setopt(t->easy, CURLOPT_KEYPASSWD, "");
}

/* As in Go, a proxy is trusted like the server. */
static void set_proxy_tls(struct transfer *t)
{
    const struct http_tls *tls = &t->client->config.tls;

    if (tls->insecure) {
        curl_easy_setopt(t->easy, CURLOPT_PROXY_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(t->easy, CURLOPT_PROXY_SSL_VERIFYHOST, 0L);
    }
    if (tls->ca.text.len || tls->ca.file.len)
        curl_easy_setopt(t->easy, CURLOPT_PROXY_CAPATH, NULL);
    set_pem(t, tls->ca, CURLOPT_PROXY_CAINFO_BLOB, CURLOPT_PROXY_CAINFO);
}

bool transfer_set_proxy(struct transfer *t, str url, struct err *e)
{
    const struct http_config *c = &t->client->config;
    str proxy = c->proxy;

    if (!proxy.len && !c->no_proxy && !proxy_for(t->arena, &t->client->proxies, url, &proxy, e))
        return false;
    if (c->no_proxy)
        proxy = STR_NONE;
    t->proxy = STR_NONE;
    if (proxy.len && !proxy_for_curl(t->arena, proxy, &proxy, &t->proxy, e))
        return false;
    /* An empty text keeps curl from reading the environment itself. */
    set_text(t, CURLOPT_PROXY, proxy);
    if (str_has_prefix(proxy, STR("https:")))
        set_proxy_tls(t);
    return true;
}

static bool is_clean_header(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] == '\r' || s.ptr[i] == '\n' || s.ptr[i] == '\0')
            return false;
    return true;
}

/* A curl list in our own memory: curl's would take two blocks for each line. */
static void append(struct transfer *t, struct curl_slist **list, char *text)
{
    struct curl_slist *last = ARENA_NEW(t->arena, struct curl_slist);

    last->data = text;
    while (*list)
        list = &(*list)->next;
    *list = last;
}

static void add_line(struct transfer *t, str name, str value)
{
    /* curl needs a semicolon if there is no value: a colon would remove the header. */
    str middle = value.len ? STR(": ") : STR(";");
    char *line = arena_alloc_text(t->arena, name.len + middle.len + value.len + 1);

    memcpy(line, name.ptr, name.len);
    memcpy(line + name.len, middle.ptr, middle.len);
    if (value.len)
        memcpy(line + name.len + middle.len, value.ptr, value.len);
    line[name.len + middle.len + value.len] = 0;
    append(t, &t->headers, line);
}

bool transfer_asks_for_gzip(const struct transfer *t)
{
    return !t->client->config.no_compression &&
           !http_header_has(&t->request->headers, STR("Accept-Encoding"));
}

bool transfer_check_headers(const struct http_headers *h, struct err *e)
{
    for (size_t i = 0; i < h->len; i++) {
        str name = h->items[i].name;
        if (!name.len || !is_clean_header(name) || !is_clean_header(h->items[i].value) ||
            str_find_char(name, ':') != STR_NPOS)
            return err_set(e, ERR_INVALID, "net/http: invalid header field value for \"%.*s\"",
                           STR_ARG(name));
    }
    return true;
}

static bool adds(const struct http_request *r)
{
    return str_eq(r->method, STR("POST")) || str_eq(r->method, STR("PATCH"));
}

/* Go sends a length of 0, too. Front ends answer 411 to writes without a length. */
static bool has_body(const struct http_request *r)
{
    return r->with_body || r->body.len || adds(r) || str_eq(r->method, STR("PUT"));
}

static bool set_headers(struct transfer *t, struct err *e)
{
    const struct http_headers *h = &t->request->headers;

    if (!transfer_check_headers(h, e))
        return false;
    for (size_t i = 0; i < h->len; i++)
        add_line(t, h->items[i].name, h->items[i].value);
    if (transfer_asks_for_gzip(t))
        add_line(t, STR("Accept-Encoding"), STR("gzip"));
    /* Never wait for a "100 Continue", and do not send curl's own content type. */
    if (has_body(t->request))
        append(t, &t->headers, "Expect:");
    if (has_body(t->request) && !http_header_has(h, STR("Content-Type")))
        append(t, &t->headers, "Content-Type:");
    return true;
}

static size_t on_read(char *out, size_t size, size_t count, void *ctx)
{
    struct transfer *t = ctx;
    str rest = str_from(t->request->body, t->given);
    size_t len = rest.len < size * count ? rest.len : size * count;

    if (len)
        memcpy(out, rest.ptr, len);
    t->given += len;
    return len;
}

/*
 * curl silently resends a request if the connection it reused turns out to be dead, whether or not
 * the server has acted on it. It cannot if the body cannot be read again.
 */
static int on_seek(void *ctx, curl_off_t offset, int origin)
{
    (void)ctx;
    (void)offset;
    (void)origin;
    return CURL_SEEKFUNC_FAIL;
}

static void set_method(struct transfer *t)
{
    const struct http_request *r = t->request;
    str method = r->method.len ? r->method : STR("GET");
    bool body = has_body(r);

    curl_easy_setopt(t->easy, CURLOPT_HTTPGET, 1L);
    if (str_eq(method, STR("HEAD")))
        curl_easy_setopt(t->easy, CURLOPT_NOBODY, 1L);
    if (body) {
        curl_easy_setopt(t->easy, CURLOPT_POST, 1L);
        curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
        curl_easy_setopt(t->easy, CURLOPT_READDATA, t);
    }
    /* Without a body there is nothing that curl could fail to read again. */
    curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, adds(r) && !r->body.len ? 1L : 0L);
    if (body || (!str_eq(method, STR("GET")) && !str_eq(method, STR("HEAD"))))
        set_text(t, CURLOPT_CUSTOMREQUEST, method);
    else
        curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, NULL);
}

/* A body cannot be sent again to another host, so only reading requests follow redirects. */
static bool may_be_redirected(const struct transfer *t)
{
    const struct http_request *r = t->request;
    bool reads = !r->method.len || str_eq(r->method, STR("GET")) || str_eq(r->method, STR("HEAD"));

    return reads && t->client->config.redirects_max && !r->body.len;
}

/*
 * curl verifies the name in the URL. To verify another one, that name is put into the URL, while
 * the connection is made to the real host, and the real name is sent to the server.
 */
static void rename_server(struct transfer *t, struct url *u)
{
    struct arena *a = t->arena;
    str name = t->client->config.tls.server_name, host = u->host;
    bool is_ipv6 = str_find_char(url_hostname(u), ':') != STR_NPOS;
    unsigned port = url_port_number(u);
    str hostname = url_hostname(u);

    curl_easy_setopt(t->easy, CURLOPT_CONNECT_TO, NULL);
    if (!str_eq(u->scheme, STR("https")) || !name.len || str_eq(name, hostname))
        return;
    str target = str_fmt(a, "%.*s:%u:%s%.*s%s:%u", STR_ARG(name), port, is_ipv6 ? "[" : "",
                         STR_ARG(hostname), is_ipv6 ? "]" : "", port);
    append(t, &t->connect_to, str_z(a, target));
    curl_easy_setopt(t->easy, CURLOPT_CONNECT_TO, t->connect_to);
    if (!http_header_has(&t->request->headers, STR("Host")))
        add_line(t, STR("Host"), host);
    u->host = str_fmt(a, "%.*s:%u", STR_ARG(name), port);
}

/* Whether curl would neither reject nor change it as part of a URL. */
static bool is_plain_target(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] <= ' ' || s.ptr[i] >= 0x7f)
            return false;
    return str_has_prefix(s, STR("/"));
}

/*
 * curl takes a URL apart, puts it together again and encodes it, one character at a time: for the
 * id of a resource that is a fifth of its work on a request. So it gets the URL of the host, and
 * the rest as the target, which it sends as it is. It needs the whole URL for redirects, which may
 * be relative to it, and for proxies that forward requests.
 */
static void set_url(struct transfer *t, struct url u)
{
    const struct url rest = {.path = u.path, .raw_path = u.raw_path, .query = u.query};
    bool is_forwarded = t->proxy.len && str_eq(u.scheme, STR("http"));
    str target = url_text(t->arena, &rest);

    if (may_be_redirected(t) || is_forwarded || !is_plain_target(target)) {
        curl_easy_setopt(t->easy, CURLOPT_REQUEST_TARGET, NULL);
        set_text(t, CURLOPT_URL, url_text(t->arena, &u));
        return;
    }
    u.path = u.raw_path = u.query = STR_NONE;
    set_text(t, CURLOPT_URL, url_text(t->arena, &u));
    set_text(t, CURLOPT_REQUEST_TARGET, target);
}

static bool check_method(str method, struct err *e)
{
    for (size_t i = 0; i < method.len; i++)
        if (method.ptr[i] < 'A' || method.ptr[i] > 'Z')
            return err_set(e, ERR_INVALID, "net/http: invalid method \"%.*s\"", STR_ARG(method));
    return true;
}

static bool check_url(const struct url *u, struct err *e)
{
    if (!u->scheme.len)
        return err_set(e, ERR_INVALID, "unsupported protocol scheme \"\"");
    if (!str_eq(u->scheme, STR("http")) && !str_eq(u->scheme, STR("https")))
        return err_set(e, ERR_INVALID, "unsupported protocol scheme \"%.*s\"", STR_ARG(u->scheme));
    if (!url_hostname(u).len)
        return err_set(e, ERR_INVALID, "http: no Host in request URL");
    if (!url_port_number(u))
        return err_set(e, ERR_INVALID, "dial tcp: address %.*s: invalid port",
                       STR_ARG(url_port(u)));
    return true;
}

static void set_times(struct transfer *t)
{
    int64_t connect = t->client->config.connect_timeout;

    if (connect)
        curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT_MS, to_ms(connect));
    curl_easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(t->easy, CURLOPT_MAXAGE_CONN, (long)HTTP_REST_MAX);
    curl_easy_setopt(t->easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(t->easy, CURLOPT_TCP_KEEPIDLE, (long)HTTP_KEEP_IDLE);
    curl_easy_setopt(t->easy, CURLOPT_TCP_KEEPINTVL, (long)HTTP_KEEP_INTERVAL);
}

void transfer_set_constants(struct transfer *t)
{
    const struct http_config *c = &t->client->config;

    set_times(t);
    set_tls(t);
    if (c->user_agent.len)
        set_text(t, CURLOPT_USERAGENT, c->user_agent);
    curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(t->easy, CURLOPT_MAXREDIRS, (long)c->redirects_max);
    curl_easy_setopt(t->easy, CURLOPT_NOPROXY, "");
    curl_easy_setopt(t->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(t->easy, CURLOPT_READFUNCTION, on_read);
    curl_easy_setopt(t->easy, CURLOPT_SEEKFUNCTION, on_seek);
    curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(t->easy, CURLOPT_PATH_AS_IS, 1L);
}

bool transfer_set_options(struct transfer *t, struct err *e)
{
    bool follows = may_be_redirected(t);
    struct url u;

    if (!url_parse(t->arena, t->request->url, &u, e) || !check_url(&u, e) ||
        !check_method(t->request->method, e) || !set_headers(t, e) ||
        !transfer_set_proxy(t, t->request->url, e))
        return false;
    u.fragment = STR_NONE;
    set_method(t);
    curl_easy_setopt(t->easy, CURLOPT_FOLLOWLOCATION, follows ? 1L : 0L);
    if (follows)
        curl_easy_setopt(t->easy, CURLOPT_REDIR_PROTOCOLS_STR,
                         str_eq(u.scheme, STR("https")) ? "https" : "http,https");
    curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, to_ms(t->timeout));
    rename_server(t, &u);
    set_url(t, u);
    curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
    return true;
}
