/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.c - why there is no answer: maps curl's codes to our classes, Go's words and a hint.
 *
 * To add a code: a line in codes[], in the order of a request's life. Codes that need a closer look
 * (which errno, which stage) have a function.
 */
/* Must precede our headers, which poison names that these use. */
#include <openssl/x509_vfy.h>

#include "net/http/http_internal.h"
#include "go/quote.h"
#include "net/redact.h"
#include "text/url.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

/* What is found out about a failure. */
struct finding {
    enum http_failure failure;
    enum err_kind kind;
    str text, hint;
};

static const char *const names[] = {
    [HTTP_FAILURE_NONE] = "none",
    [HTTP_FAILURE_CONFIG] = "config",
    [HTTP_FAILURE_REPLAY] = "replay",
    [HTTP_FAILURE_DNS] = "dns",
    [HTTP_FAILURE_REFUSED] = "refused",
    [HTTP_FAILURE_CONNECT] = "connect",
    [HTTP_FAILURE_TLS_VERIFY] = "tls-verify",
    [HTTP_FAILURE_TLS] = "tls",
    [HTTP_FAILURE_TIMEOUT] = "timeout",
    [HTTP_FAILURE_RESET] = "reset",
    [HTTP_FAILURE_PROTOCOL] = "protocol",
    [HTTP_FAILURE_TOO_LARGE] = "too-large",
    [HTTP_FAILURE_REDIRECT] = "redirect",
    [HTTP_FAILURE_CANCELLED] = "cancelled",
    [HTTP_FAILURE_CALLER] = "caller",
};

const char *http_failure_name(enum http_failure f)
{
    return (size_t)f < COUNT(names) ? names[f] : "unknown";
}

/* ---- What a person should look at ----------------------------------------------------------- */

static const char *const hints[COUNT(names)] = {
    [HTTP_FAILURE_DNS] = "check the spelling of the host and the name servers of this machine",
    [HTTP_FAILURE_REFUSED] = "is the server running there, and are host and port right?",
    [HTTP_FAILURE_CONNECT] = "check the network, the firewall and the proxy settings "
                             "(HTTPS_PROXY, NO_PROXY)",
    [HTTP_FAILURE_TLS_VERIFY] = "check the CA that is trusted, the server's certificate and the "
                                "clock of this machine",
    [HTTP_FAILURE_TLS] = "check that the server speaks TLS 1.2 or later on this port, and whether "
                         "it wants a client certificate",
    [HTTP_FAILURE_TIMEOUT] = "is the server overloaded or behind a firewall? A longer timeout may "
                             "help",
    [HTTP_FAILURE_RESET] = "the server or something on the way closed the connection; try again",
    [HTTP_FAILURE_PROTOCOL] = "check that this is the port of an HTTP server",
    [HTTP_FAILURE_TOO_LARGE] = "ask for less, in smaller pages",
    [HTTP_FAILURE_REDIRECT] = "use the address that it leads to",
};

/* ---- Words ---------------------------------------------------------------------------------- */

static bool fail_with(struct arena *a, const struct http_request *r, struct http_response *response,
                      const struct finding *f, struct err *e)
{
    str method = r->method.len ? r->method : STR("GET"), rest = str_lower(a, str_from(method, 1));
    str url = go_quoted(a, redact_url(a, response->url));

    response->failure = f->failure;
    response->hint = f->hint.len ? f->hint : str_c(hints[f->failure]);
    return err_set(e, f->kind, "%c%.*s %.*s: %.*s", method.ptr[0], STR_ARG(rest), STR_ARG(url),
                   STR_ARG(f->text));
}

bool http_fail_early(struct arena *a, const struct http_request *r, struct http_response *response,
                     struct err *e)
{
    struct finding f = {HTTP_FAILURE_CONFIG, ERR_INVALID, str_copy(a, e->text), STR_NONE};

    /* The URL parser has already named the URL. */
    response->failure = f.failure;
    return str_has_prefix(f.text, STR("parse ")) ? false : fail_with(a, r, response, &f, e);
}

bool http_explain(struct err *e, const struct http_response *response)
{
    AUTO_ARENA a = arena_new();

    if (!e || !response->hint.len)
        return false;
    return err_set_str(e, e->kind,
                       str_fmt(a, "%.*s; %.*s", STR_ARG(e->text), STR_ARG(response->hint)));
}

/* Where the connection went or was going to: "10.0.0.1:443". */
static str address_of(const struct transfer *t)
{
    char ip[INET6_ADDRSTRLEN];
    const struct sockaddr_in *v4 = (const void *)&t->address;
    const struct sockaddr_in6 *v6 = (const void *)&t->address;

    if (t->response->peer.len)
        return t->response->peer;
    if (t->address.ss_family == AF_INET && inet_ntop(AF_INET, &v4->sin_addr, ip, sizeof(ip)))
        return str_fmt(t->arena, "%s:%u", ip, ntohs(v4->sin_port));
    if (t->address.ss_family == AF_INET6 && inet_ntop(AF_INET6, &v6->sin6_addr, ip, sizeof(ip)))
        return str_fmt(t->arena, "[%s]:%u", ip, ntohs(v6->sin6_port));
    return STR_NONE;
}

static str host_of(const struct transfer *t)
{
    struct url u;

    return url_parse(t->arena, t->response->url, &u, NULL) ? url_hostname(&u) : STR_NONE;
}

static int errno_of(const struct transfer *t)
{
    long number = 0;

    curl_easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
    return (int)number;
}

static bool text_says(const struct transfer *t, const char *words)
{
    return strcasestr(t->text, words) != NULL;
}

/* ---- Codes that need a closer look ---------------------------------------------------------- */

static void find_dns(const struct transfer *t, struct finding *f)
{
    str host = host_of(t);

    f->text = str_fmt(t->arena, "dial tcp: lookup %.*s: no such host", STR_ARG(host));
}

static void find_connect(const struct transfer *t, struct finding *f)
{
    int number = errno_of(t);
    str address = address_of(t);
    const char *what = number ? err_errno_text(number) : t->text;

    if (number == ECONNREFUSED)
        f->failure = HTTP_FAILURE_REFUSED;
    if (number == ECONNRESET)
        f->failure = HTTP_FAILURE_RESET;
    if (number == ETIMEDOUT) {
        f->failure = HTTP_FAILURE_TIMEOUT;
        what = "i/o timeout";
    }
    f->text = str_fmt(t->arena, "%sdial tcp %.*s: connect: %s",
                      t->proxy.len ? "proxyconnect tcp: " : "", STR_ARG(address), what);
    if (t->proxy.len)
        f->hint = str_fmt(t->arena, "is the proxy %.*s right (HTTPS_PROXY, proxy-url)?",
                          STR_ARG(t->proxy));
}

/* Whether a proxy rejected the request for a tunnel. */
static bool find_refused_tunnel(const struct transfer *t, struct finding *f)
{
    long code = 0;
    str number, words;

    curl_easy_getinfo(t->easy, CURLINFO_HTTP_CONNECTCODE, &code);
    if (!t->proxy.len || !code || code / 100 == 2)
        return false;
    str_cut(http_status_text(t->arena, (int)code), STR(" "), &number, &words);
    *f = (struct finding){.failure = HTTP_FAILURE_CONNECT, .kind = ERR_IO, .text = words};
    f->hint = str_fmt(t->arena,
                      "the proxy %.*s does not connect to the server (%ld): check its address, "
                      "user and password, and what it allows",
                      STR_ARG(t->proxy), code);
    return true;
}

static bool has_happened(const struct transfer *t, CURLINFO stage)
{
    curl_off_t when = 0;

    curl_easy_getinfo(t->easy, stage, &when);
    return when > 0;
}

static void find_timeout(const struct transfer *t, struct finding *f)
{
    str address = address_of(t), host = host_of(t);
    bool tls = str_has_prefix(t->request->url, STR("https:"));
    bool sent = t->response->sent; /* a reused connection has no connect time */

    if (!sent && !has_happened(t, CURLINFO_NAMELOOKUP_TIME_T))
        f->text = str_fmt(t->arena, "dial tcp: lookup %.*s: i/o timeout", STR_ARG(host));
    else if (!sent && !has_happened(t, CURLINFO_CONNECT_TIME_T))
        f->text = str_fmt(t->arena, "dial tcp %.*s: i/o timeout", STR_ARG(address));
    else if (!sent && tls && !has_happened(t, CURLINFO_APPCONNECT_TIME_T))
        f->text = STR("net/http: TLS handshake timeout");
    else if (!t->head_done)
        f->text = STR("context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
    else
        f->text = STR("context deadline exceeded (Client.Timeout or context cancellation while "
                      "reading body)");
}

/* OpenSSL's code, Go's text, and what to do about it. */
static const struct {
    long code;
    const char *text, *hint;
} verify_codes[] = {
    {X509_V_ERR_CERT_HAS_EXPIRED, "x509: certificate has expired or is not yet valid",
     "the server's certificate must be renewed, or the clock of this machine is wrong"},
    {X509_V_ERR_CERT_NOT_YET_VALID, "x509: certificate has expired or is not yet valid",
     "the server's certificate is not valid yet: is the clock of this machine wrong?"},
    {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, "x509: certificate signed by unknown authority",
     "the server's certificate is signed by itself: trust it as a CA, or get another one"},
    {X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, "x509: certificate signed by unknown authority",
     "the CA of the server is not trusted here: is it the right CA file?"},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, "x509: certificate signed by unknown authority",
     "the CA of the server is not trusted here: is it the right CA file?"},
    {X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, "x509: certificate signed by unknown authority",
     "the CA of the server is not trusted here: is it the right CA file?"},
    {X509_V_ERR_CERT_SIGNATURE_FAILURE, "x509: certificate signed by unknown authority",
     "a CA of the same name is trusted here, but with another key: is the CA file outdated?"},
};

static void find_verify(const struct transfer *t, struct finding *f)
{
    long code = 0;
    str host = host_of(t), name = t->client->config.tls.server_name;

    name = name.len ? name : host;
    curl_easy_getinfo(t->easy, CURLINFO_SSL_VERIFYRESULT, &code);
    for (size_t i = 0; i < COUNT(verify_codes); i++)
        if (verify_codes[i].code == code) {
            f->text =
                str_fmt(t->arena, "tls: failed to verify certificate: %s", verify_codes[i].text);
            f->hint = str_c(verify_codes[i].hint);
            return;
        }
    if (!text_says(t, "subject name") && code != X509_V_ERR_HOSTNAME_MISMATCH) {
        f->text = str_fmt(t->arena, "tls: failed to verify certificate: x509: %s",
                          X509_verify_cert_error_string(code));
        return;
    }
    f->text = str_fmt(t->arena,
                      "tls: failed to verify certificate: x509: certificate is not valid for %.*s",
                      STR_ARG(name));
    f->hint = STR("use a name that is in the server's certificate, or give it as the server name "
                  "of TLS");
}

static void find_tls(const struct transfer *t, struct finding *f)
{
    if (text_says(t, "wrong version number") || text_says(t, "packet length too long")) {
        f->text = STR("http: server gave HTTP response to HTTPS client");
        f->hint = STR("the server does not speak TLS on this port: use http:// or another port");
    } else if (errno_of(t) == ECONNRESET || text_says(t, "SSL_ERROR_SYSCALL") ||
               text_says(t, "unexpected eof")) {
        f->failure = HTTP_FAILURE_RESET;
        f->text = STR("EOF during the TLS handshake");
        f->hint = STR("the server closed the connection: does it speak TLS on this port?");
    } else {
        f->text = str_fmt(t->arena, "remote error: tls: %s", t->text);
    }
}

static void find_lost(const struct transfer *t, struct finding *f)
{
    int number = errno_of(t);
    str address = address_of(t);

    if (text_says(t, "alert") || text_says(t, "SSL routines")) {
        f->failure = HTTP_FAILURE_TLS;
        f->text = str_fmt(t->arena, "remote error: tls: %s", t->text);
    } else if (number == ECONNRESET || text_says(t, "reset")) {
        f->text =
            str_fmt(t->arena, "read tcp %.*s: read: connection reset by peer", STR_ARG(address));
    } else if (number) {
        f->text = str_fmt(t->arena, "read tcp %.*s: %s", STR_ARG(address), err_errno_text(number));
    } else {
        f->text = STR("unexpected EOF");
    }
}

static void find_by_text(const struct transfer *t, struct finding *f)
{
    /* curl quotes URLs. */
    f->text = t->text[0] ? redact_passwords(t->arena, str_c(t->text))
                         : STR("malformed HTTP response");
}

static void find_redirects(const struct transfer *t, struct finding *f)
{
    f->text = str_fmt(t->arena, "stopped after %u redirects", t->client->config.redirects_max);
}

static void find_protocol(const struct transfer *t, struct finding *f)
{
    long redirects = 0;

    find_by_text(t, f);
    curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_COUNT, &redirects);
    if (redirects || t->head_done) {
        f->failure = HTTP_FAILURE_REDIRECT;
        f->text = STR("the server redirects to another protocol, which is not followed");
    }
}

/* ---- The tables ----------------------------------------------------------------------------- */

static const struct {
    CURLcode code;
    enum http_failure failure;
    enum err_kind kind;
    void (*look)(const struct transfer *t, struct finding *f);
    const char *text;
} codes[] = {
    {CURLE_URL_MALFORMAT, HTTP_FAILURE_CONFIG, ERR_INVALID, find_by_text, NULL},
    {CURLE_SSL_CERTPROBLEM, HTTP_FAILURE_CONFIG, ERR_INVALID, find_by_text, NULL},
    {CURLE_SSL_CACERT_BADFILE, HTTP_FAILURE_CONFIG, ERR_INVALID, find_by_text, NULL},
    {CURLE_BAD_FUNCTION_ARGUMENT, HTTP_FAILURE_CONFIG, ERR_INVALID, find_by_text, NULL},
    {CURLE_COULDNT_RESOLVE_PROXY, HTTP_FAILURE_CONNECT, ERR_IO, find_by_text, NULL},
    {CURLE_PROXY, HTTP_FAILURE_CONNECT, ERR_IO, find_by_text, NULL},
    {CURLE_COULDNT_RESOLVE_HOST, HTTP_FAILURE_DNS, ERR_IO, find_dns, NULL},
    {CURLE_COULDNT_CONNECT, HTTP_FAILURE_CONNECT, ERR_IO, find_connect, NULL},
    {CURLE_PEER_FAILED_VERIFICATION, HTTP_FAILURE_TLS_VERIFY, ERR_IO, find_verify, NULL},
    {CURLE_SSL_CONNECT_ERROR, HTTP_FAILURE_TLS, ERR_IO, find_tls, NULL},
    {CURLE_OPERATION_TIMEDOUT, HTTP_FAILURE_TIMEOUT, ERR_IO, find_timeout, NULL},
    {CURLE_GOT_NOTHING, HTTP_FAILURE_RESET, ERR_IO, NULL, "EOF"},
    {CURLE_SEND_ERROR, HTTP_FAILURE_RESET, ERR_IO, find_lost, NULL},
    {CURLE_RECV_ERROR, HTTP_FAILURE_RESET, ERR_IO, find_lost, NULL},
    /* A reused connection was dead, and what was sent on it cannot be undone: see setup.c. */
    {CURLE_SEND_FAIL_REWIND, HTTP_FAILURE_RESET, ERR_IO, NULL, "EOF"},
    {CURLE_PARTIAL_FILE, HTTP_FAILURE_RESET, ERR_IO, NULL, "unexpected EOF"},
    {CURLE_HTTP2, HTTP_FAILURE_RESET, ERR_IO, find_by_text, NULL},
    {CURLE_HTTP2_STREAM, HTTP_FAILURE_RESET, ERR_IO, find_by_text, NULL},
    {CURLE_UNSUPPORTED_PROTOCOL, HTTP_FAILURE_PROTOCOL, ERR_IO, find_protocol, NULL},
    {CURLE_TOO_MANY_REDIRECTS, HTTP_FAILURE_REDIRECT, ERR_IO, find_redirects, NULL},
};

static bool find_by_code(const struct transfer *t, CURLcode result, struct finding *f)
{
    for (size_t i = 0; i < COUNT(codes); i++) {
        if (codes[i].code != result)
            continue;
        f->failure = codes[i].failure;
        f->kind = codes[i].kind;
        f->text = str_c(codes[i].text);
        if (codes[i].look)
            codes[i].look(t, f);
        return true;
    }
    return false;
}

static str limit_text(const struct transfer *t, const char *what, size_t max)
{
    return str_fmt(t->arena, "the %s of the answer has more than %zu bytes", what, max);
}

static void find_slow(const struct transfer *t, struct finding *f)
{
    double seconds = (double)t->idle_timeout / (double)NS_PER_SEC;

    f->failure = HTTP_FAILURE_TIMEOUT;
    f->kind = ERR_IO;
    f->text = t->stop == STOP_IDLE
                  ? str_fmt(t->arena, "nothing came from the server for %g s", seconds)
                  : str_fmt(t->arena, "no more than %zu bytes came from the server in %g s",
                            t->window_bytes, seconds);
}

static void find_encoding(const struct transfer *t, struct finding *f)
{
    str encoding = http_header_get(&t->response->headers, STR("Content-Encoding"));

    f->failure = HTTP_FAILURE_PROTOCOL;
    f->kind = ERR_IO;
    f->hint = STR("something between here and the server changes answers");
    if (t->stop == STOP_ENCODING)
        f->text = str_fmt(t->arena, "the answer is encoded as %.*s, which was not asked for",
                          STR_ARG(go_quoted(t->arena, encoding)));
    else if (gunzip_explodes(t->gunzip))
        f->text = STR("gzip: it unpacks to more than 200 times its size, which is not trusted");
    else if (gunzip_is_broken(t->gunzip))
        f->text = STR("gzip: invalid data");
    else
        f->text = STR("gzip: unexpected EOF");
}

static void find_length(const struct transfer *t, struct finding *f)
{
    const struct http_headers *h = &t->response->headers;
    struct buf values = buf_new(t->arena, BUF_UNLIMITED);
    size_t count = 0;

    for (size_t i = 0; i < h->len; i++)
        if (str_eq_fold(h->items[i].name, STR("Content-Length"))) {
            buf_add(&values, count++ ? STR(" ") : STR_NONE);
            buf_add(&values, go_quoted(t->arena, h->items[i].value));
        }
    f->failure = HTTP_FAILURE_PROTOCOL;
    f->kind = ERR_IO;
    f->hint = STR("something between here and the server changes answers");
    f->text = str_fmt(t->arena,
                      count > 1 ? "http: message cannot contain multiple Content-Length headers; "
                                  "got [%.*s]"
                                : "bad Content-Length %.*s",
                      STR_ARG(buf_str(&values)));
}

/* curl's own limits: a line of 100 KiB, and 300 KiB for all heads of a request. */
static bool find_large_head(const struct transfer *t, CURLcode result, struct finding *f)
{
    if (t->head_done ||
        (result != CURLE_OUT_OF_MEMORY && !text_says(t, "too large response headers")))
        return false;
    *f = (struct finding){HTTP_FAILURE_TOO_LARGE, ERR_LIMIT,
                          STR("the head of the answer is too large"), STR_NONE};
    return true;
}

static void find_by_stop(const struct transfer *t, struct finding *f)
{
    *f = (struct finding){HTTP_FAILURE_TOO_LARGE, ERR_LIMIT, STR_NONE, STR_NONE};
    switch (t->stop) {
    case STOP_CANCELLED:
        *f = (struct finding){HTTP_FAILURE_CANCELLED, ERR_CANCELLED, STR("context canceled"),
                              STR_NONE};
        break;
    case STOP_TIMEOUT:
        find_by_code(t, CURLE_OPERATION_TIMEDOUT, f);
        break;
    case STOP_IDLE:
    case STOP_SLOW:
        find_slow(t, f);
        break;
    case STOP_GZIP:
    case STOP_ENCODING:
        find_encoding(t, f);
        break;
    case STOP_LENGTH:
        find_length(t, f);
        break;
    case STOP_HEADER_MAX:
        f->text = limit_text(t, "head", t->client->config.header_max);
        break;
    default:
        f->text = limit_text(t, "body", t->body_max);
    }
}

bool transfer_fail(struct transfer *t, CURLcode result, struct err *e)
{
    struct finding f = {HTTP_FAILURE_PROTOCOL, ERR_IO, STR_NONE, STR_NONE};

    if (t->stop == STOP_CALLER) {
        t->response->failure = HTTP_FAILURE_CALLER;
        return err_copy(e, &t->caller);
    }
    if (t->stop)
        find_by_stop(t, &f);
    else if (!find_large_head(t, result, &f) && !find_refused_tunnel(t, &f) &&
             !find_by_code(t, result, &f))
        find_by_text(t, &f);
    return fail_with(t->arena, t->request, t->response, &f, e);
}
