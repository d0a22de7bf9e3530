/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.c - requests with credentials; see transport.h.
 *
 * The mutable part is one struct session: the token and the client for the current credentials. It
 * is replaced as a whole, under the lock; preparing a request copies what it needs. Plugins run
 * outside that lock, one at a time under a second one.
 */
#include "kube/transport.h"

#include "go/quote.h"
#include "kube/config/config_internal.h"
#include "kube/exec_internal.h"
#include "kube/warning.h"
#include "text/codec.h"
#include "text/url.h"
#include "net/redact.h"

/* How long until a token file is read again, as in client-go. */
#define TOKEN_FILE_AGE (60 * NS_PER_SEC)

struct session {
    struct arena *arena; /* for the token */
    str authorization;   /* the whole header; empty: none */
    struct http_client *client;
    int64_t stale_after; /* by the wall clock; 0: never */
    bool refused;
};

struct kube_transport {
    struct arena *arena;
    const struct kube_config *config;
    struct http_config http;
    struct lock lock; /* guards session */
    struct session session;
    struct lock renewing; /* held while renewing credentials: one thread at a time */
    struct lock warning;  /* serializes calls to the warning handler */
    struct strset *warned;
};

/* ---- Sessions ------------------------------------------------------------------------------- */

/* Gives a request what it needs: a copy of the header and a reference to the client. */
static bool take_fresh(struct kube_transport *t, struct arena *a, str *authorization,
                       struct http_client **client)
{
    AUTO_LOCK guard = lock_take(&t->lock);
    const struct session *s = &t->session;

    if (!s->client || s->refused || (s->stale_after && clock_now() >= s->stale_after))
        return false;
    *authorization = str_copy(a, s->authorization);
    *client = http_client_ref(s->client);
    return true;
}

static void free_session(struct session *s)
{
    http_client_free(s->client);
    if (s->arena)
        arena_free(s->arena);
    *s = (struct session){0};
}

static void publish(struct kube_transport *t, struct session *fresh)
{
    struct session old;

    {
        AUTO_LOCK guard = lock_take(&t->lock);
        old = t->session;
        t->session = *fresh;
    }
    free_session(&old);
}

/* The client of the previous session, so that its connections are reused. */
static struct http_client *keep_client(struct kube_transport *t)
{
    AUTO_LOCK guard = lock_take(&t->lock);

    return t->session.client ? http_client_ref(t->session.client) : NULL;
}

static bool make_client(struct kube_transport *t, const struct kube_credential *given,
                        struct session *s, struct err *e)
{
    struct http_config http = t->http;

    if (given->cert.len) {
        http.tls.cert = (struct http_pem){given->cert, STR_NONE};
        http.tls.key = (struct http_pem){given->key, STR_NONE};
    } else {
        s->client = keep_client(t);
        if (s->client)
            return true;
    }
    if (http_client_new(&http, &s->client, e))
        return true;
    if (given->cert.len)
        return err_wrap(e, "getting credentials: failed parsing client key/certificate");
    return false;
}

/* ---- Credentials ---------------------------------------------------------------------------- */

static bool read_token_file(const struct kube_config *c, struct session *s, struct err *e)
{
    str text;

    if (!file_read_max(s->arena, c->token_file, KUBE_FILE_MAX, &text, e))
        return err_wrap(e, "failed to read token file \"%.*s\"", STR_ARG(c->token_file));
    text = str_trim(text);
    if (!text.len)
        return err_set(e, ERR_INVALID, "read empty token from file \"%.*s\"",
                       STR_ARG(c->token_file));
    s->authorization = str_concat(s->arena, STR("Bearer "), text);
    s->stale_after = clock_now() + TOKEN_FILE_AGE;
    return true;
}

/* If the file cannot be read, the old token is kept, as in client-go. */
static bool use_token_file(const struct kube_config *c, struct session *s, struct err *e)
{
    AUTO_ERR fault = {0};

    if (read_token_file(c, s, &fault))
        return true;
    if (!c->token.len)
        return err_copy(e, &fault);
    s->authorization = str_concat(s->arena, STR("Bearer "), c->token);
    return true;
}

static bool run_plugin(const struct kube_config *c, const struct http_cancel *cancel,
                       struct session *s, struct kube_credential *out, struct err *e)
{
    if (!kube_exec_run(s->arena, c, cancel, out, e))
        return false;
    if (out->token.len)
        s->authorization = str_concat(s->arena, STR("Bearer "), out->token);
    s->stale_after = out->expires;
    return true;
}

static bool make_session(struct kube_transport *t, const struct http_cancel *cancel,
                         struct session *s, struct err *e)
{
    const struct kube_config *c = t->config;
    struct kube_credential given = {0};

    *s = (struct session){.arena = arena_new_secret()};
    if (c->basic) {
        str pair = str_fmt(s->arena, "%.*s:%.*s", STR_ARG(c->username), STR_ARG(c->password));
        s->authorization = str_concat(s->arena, STR("Basic "), base64_encode(s->arena, pair));
    }
    if (c->token_file.len) {
        if (!use_token_file(c, s, e))
            return false;
    } else if (c->token.len) {
        s->authorization = str_concat(s->arena, STR("Bearer "), c->token);
    } else if (c->exec && !run_plugin(c, cancel, s, &given, e)) {
        return false;
    }
    return make_client(t, &given, s, e);
}

/* If we waited for another thread's renewal, it is done now. */
static bool acquire(struct kube_transport *t, struct arena *a, const struct http_cancel *cancel,
                    str *authorization, struct http_client **client, struct err *e)
{
    struct session fresh;

    if (take_fresh(t, a, authorization, client))
        return true;
    AUTO_LOCK guard = lock_take(&t->renewing);
    if (take_fresh(t, a, authorization, client))
        return true;
    if (!make_session(t, cancel, &fresh, e)) {
        free_session(&fresh);
        return false;
    }
    publish(t, &fresh);
    if (take_fresh(t, a, authorization, client))
        return true;
    /* It had already expired when we got it; the server will say so. */
    AUTO_LOCK session = lock_take(&t->lock);
    *authorization = str_copy(a, t->session.authorization);
    *client = http_client_ref(t->session.client);
    return true;
}

/* Only a plugin or a file can provide new credentials. */
static bool mark_refused(struct kube_transport *t, str authorization)
{
    AUTO_LOCK guard = lock_take(&t->lock);

    if (!t->config->exec && !t->config->token_file.len)
        return false;
    if (str_eq(t->session.authorization, authorization))
        t->session.refused = true;
    return true;
}

/* ---- Requests ------------------------------------------------------------------------------- */

/* Keys of extra values may contain anything, but names of headers may not. */
static str extra_name(struct arena *a, str key)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, STR("Impersonate-Extra-"));
    for (size_t i = 0; i < key.len; i++) {
        unsigned char ch = (unsigned char)key.ptr[i];
        bool is_plain = (ch >= '0' && ch <= '9') || ((ch | 0x20) >= 'a' && (ch | 0x20) <= 'z') ||
                        (ch && strchr("!#$&'*+-.^_`|~", ch));
        if (is_plain)
            buf_char(&b, (char)ch);
        else
            buf_fmt(&b, "%%%02X", ch);
    }
    return buf_str(&b);
}

static void impersonate(struct arena *a, const struct kube_config *c, struct http_headers *h)
{
    if (!c->as.len)
        return;
    http_header_add(a, h, STR("Impersonate-User"), c->as);
    if (c->as_uid.len)
        http_header_add(a, h, STR("Impersonate-Uid"), c->as_uid);
    for (size_t i = 0; i < c->as_groups.len; i++)
        http_header_add(a, h, STR("Impersonate-Group"), c->as_groups.items[i]);
    for (size_t i = 0; i < c->as_extra_count; i++)
        for (size_t k = 0; k < c->as_extra[i].values.len; k++)
            http_header_add(a, h, extra_name(a, c->as_extra[i].key),
                            c->as_extra[i].values.items[k]);
}

static void complete(const struct kube_transport *t, struct arena *a, str authorization,
                     const struct http_request *request, struct http_request *out)
{
    struct http_headers h = {0};

    *out = *request;
    for (size_t i = 0; i < request->headers.len; i++)
        http_header_add(a, &h, request->headers.items[i].name, request->headers.items[i].value);
    if (!http_header_has(&h, STR("Accept")))
        http_header_add(a, &h, STR("Accept"), STR("application/json"));
    if (authorization.len && !http_header_has(&h, STR("Authorization")))
        http_header_add(a, &h, STR("Authorization"), authorization);
    impersonate(a, t->config, &h);
    out->headers = h;
    if (str_has_prefix(request->url, STR("/")))
        out->url = url_join(a, t->config->server, request->url);
}

bool kube_prepare(struct kube_transport *t, struct arena *a, const struct http_request *request,
                  struct http_request *out, struct http_client **client, struct err *e)
{
    str authorization;

    if (!acquire(t, a, request->cancel, &authorization, client, e))
        return false;
    complete(t, a, authorization, request, out);
    return true;
}

bool kube_refused(struct kube_transport *t, const struct http_request *prepared)
{
    return mark_refused(t, http_header_get(&prepared->headers, STR("Authorization")));
}

bool kube_mask(struct kube_transport *t, struct err *e)
{
    struct http_request r = {0};

    if (!e)
        return false;
    struct arena *a = arena_new_secret();
    {
        AUTO_LOCK guard = lock_take(&t->lock);
        http_header_add(a, &r.headers, STR("Authorization"), str_copy(a, t->session.authorization));
    }
    str masked = redact_sent(a, &r, e->text);
    if (masked.ptr != e->text.ptr)
        err_set_str(e, e->kind, masked);
    arena_free(a);
    return false;
}

/* client-go gets credentials within a request, so its errors name the request. */
static bool name_request(const struct kube_transport *t, struct arena *a,
                         const struct http_request *request, struct err *e)
{
    str method = request->method.len ? request->method : STR("GET");
    str rest = str_lower(a, str_from(method, 1)), url = request->url;

    if (!t->config->client_go)
        return false;
    if (str_has_prefix(url, STR("/")))
        url = url_join(a, t->config->server, url);
    url = go_quoted(a, redact_url(a, url));
    return err_wrap(e, "%c%.*s %.*s", method.ptr[0], STR_ARG(rest), STR_ARG(url));
}

static bool send_once(struct kube_transport *t, struct arena *a, const struct http_request *request,
                      const struct retry_policy *policy, struct http_response *response,
                      struct http_request *prepared, struct err *e)
{
    struct http_client *client;

    *response = (struct http_response){.url = request->url, .failure = HTTP_FAILURE_CONFIG};
    if (!kube_prepare(t, a, request, prepared, &client, e))
        return name_request(t, a, request, e);
    bool ok = retry_send(client, a, prepared, policy, response, e);
    http_client_free(client);
    kube_warned(t, response);
    /* Go's message would only mention a client timeout. */
    if (!ok && !t->config->client_go && response->failure == HTTP_FAILURE_TIMEOUT &&
        response->status)
        return err_wrap(e, "the answer of the server stalled");
    return ok;
}

bool kube_send(struct kube_transport *t, struct arena *a, const struct http_request *request,
               const struct retry_policy *policy, struct http_response *response, struct err *e)
{
    struct http_request prepared;

    if (!send_once(t, a, request, policy, response, &prepared, e))
        return false;
    if (response->status != 401 || !kube_refused(t, &prepared))
        return true;
    return send_once(t, a, request, policy, response, &prepared, e);
}

/* ---- Warnings ------------------------------------------------------------------------------- */

/* Whether to report a text; reported texts are remembered, up to a limit. */
static bool is_news(struct kube_transport *t, str text)
{
    if (t->config->warn.repeat)
        return true;
    return strset_len(t->warned) < KUBE_WARNINGS_MAX && strset_add(t->warned, text, NULL);
}

/* The rest of an unparsable header is ignored, as in client-go. */
static void tell_header(struct kube_transport *t, struct arena *a, str header)
{
    const struct kube_warn *warn = &t->config->warn;
    struct kube_warning w;
    AUTO_ERR e = {0};

    while (header.len && kube_warning_read(a, &header, &w, &e))
        if (w.code == KUBE_WARNING_CODE && w.text.len && is_news(t, w.text))
            warn->tell(warn->ctx, w.text);
}

void kube_warned(struct kube_transport *t, const struct http_response *response)
{
    if (!t->config->warn.tell || !http_header_has(&response->headers, STR("Warning")))
        return;
    AUTO_ARENA a = arena_new();
    AUTO_LOCK guard = lock_take(&t->warning);
    for (size_t i = 0; i < response->headers.len; i++)
        if (str_eq_fold(response->headers.items[i].name, STR("Warning")))
            tell_header(t, a, response->headers.items[i].value);
}

/* ---- Life ----------------------------------------------------------------------------------- */

bool kube_transport_new(const struct kube_config *config, str user_agent,
                        struct kube_transport **out, struct err *e)
{
    struct arena *a = arena_new();
    struct kube_transport *t = ARENA_NEW(a, struct kube_transport);

    t->arena = a;
    t->config = config;
    t->http = config->http;
    if (user_agent.len)
        t->http.user_agent = str_copy(a, user_agent);
    t->lock = (struct lock)LOCK_INIT;
    t->renewing = (struct lock)LOCK_INIT;
    t->warning = (struct lock)LOCK_INIT;
    t->warned = strset_new(a, 0);
    struct http_client *probe;
    if (!http_client_new(&t->http, &probe, e)) {
        strset_free(t->warned);
        arena_free(a);
        return false;
    }
    /* This only checks the configuration: sessions create their own clients. */
    http_client_free(probe);
    *out = t;
    return true;
}

void kube_transport_free(struct kube_transport *t)
{
    if (!t)
        return;
    free_session(&t->session);
    strset_free(t->warned);
    arena_free(t->arena);
}

const struct kube_config *kube_transport_config(const struct kube_transport *t)
{
    return t->config;
}
