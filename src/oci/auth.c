/* SPDX-License-Identifier: Apache-2.0 */
/*
 * auth.c - responds to the challenges of registries: with a user and password, or with a token that
 * is requested with these or with another token.
 */
#include "oci/oci.h"
#include "net/retry.h"
#include "text/json/json.h"
#include "text/url.h"
#include "value/value.h"
#include "net/redact.h"

#define TOKEN_MAX (4 * MIB)

/* A parameter of a challenge: name="value". */
static str parameter(str challenge, const char *name)
{
    str rest = challenge, value, key;

    for (;;) {
        rest = str_trim(rest);
        while (str_has_prefix(rest, STR(",")))
            rest = str_trim(str_from(rest, 1));
        if (!str_cut(rest, STR("="), &key, &rest))
            return STR_NONE;
        if (str_has_prefix(rest, STR("\"")))
            str_cut(str_from(rest, 1), STR("\""), &value, &rest);
        else
            str_cut(rest, STR(","), &value, &rest);
        if (str_eq_fold(str_trim(key), str_c(name)))
            return value;
    }
}

/* Parameters of a request for a token. */
static void add_parameters(struct buf *out, str challenge)
{
    static const char *const names[] = {"service", "scope"};

    for (size_t i = 0; i < COUNT(names); i++) {
        str value = parameter(challenge, names[i]);
        if (value.len)
            url_query_add(out, str_c(names[i]), value);
    }
}

/* An identity token is exchanged by a form, as in OAuth. */
static struct http_request exchange(struct arena *a, str challenge, str realm, str identity)
{
    struct buf form = buf_new(a, BUF_UNLIMITED);
    struct http_request request = {.method = STR("POST"), .url = realm, .body_max = TOKEN_MAX};

    url_query_add(&form, STR("grant_type"), STR("refresh_token"));
    url_query_add(&form, STR("client_id"), STR("plumb"));
    url_query_add(&form, STR("refresh_token"), identity);
    add_parameters(&form, challenge);
    request.body = str_from(buf_str(&form), 1); /* without the "?" */
    http_header_add(a, &request.headers, STR("Content-Type"),
                    STR("application/x-www-form-urlencoded"));
    return request;
}

static struct http_request token_request(struct arena *a, str challenge, str realm,
                                         const struct image_login *login)
{
    struct buf url = buf_new(a, BUF_UNLIMITED);
    struct http_request request = {.body_max = TOKEN_MAX};

    if (login->identity.len)
        return exchange(a, challenge, realm, login->identity);
    buf_add(&url, realm);
    add_parameters(&url, challenge);
    request.url = buf_str(&url);
    if (login->basic.len)
        http_header_add(a, &request.headers, STR("Authorization"), login->basic);
    return request;
}

static bool read_token(struct arena *a, str text, str *out, struct err *e)
{
    const struct read_options options = {.go = true};
    struct source source = {.text = text};
    struct value *doc;

    if (!json_read(a, &source, &options, &doc, e))
        return false;
    str token = value_get_str(doc, STR("token"));
    if (!token.len)
        token = value_get_str(doc, STR("access_token"));
    if (!token.len || str_find_char(token, '\n') != STR_NPOS)
        return err_set(e, ERR_INVALID, "the answer has no token");
    *out = str_concat(a, STR("Bearer "), token);
    return true;
}

static bool fetch_token(struct arena *a, struct http_client *c, const struct http_request *request,
                        str *out, struct err *e)
{
    struct http_response response;

    if (!retry_send(c, a, request, &retry_reads, &response, e))
        return http_explain(e, &response);
    if (response.status != 200)
        return err_set(e, ERR_DENIED, "no token from %.*s: %.*s",
                       STR_ARG(redact_url(a, request->url)),
                       STR_ARG(http_status_text(a, response.status)));
    return read_token(a, response.body, out, e) ||
           err_wrap(e, "%.*s", STR_ARG(redact_url(a, request->url)));
}

static bool answer_basic(const struct image_login *login, str *out, struct err *e)
{
    *out = login->basic;
    if (login->basic.len)
        return true;
    return err_set(e, ERR_DENIED,
                   "the registry wants a user and a password%s: log in with docker login or "
                   "podman login",
                   login->identity.len ? ", and what is kept is a token" : "");
}

bool image_authorize(struct arena *a, struct http_client *c, str challenge,
                     const struct image_login *login, bool plain, str *out, struct err *e)
{
    str scheme, rest;

    str_cut(str_trim(challenge), STR(" "), &scheme, &rest);
    if (str_eq_fold(scheme, STR("Basic")))
        return answer_basic(login, out, e);
    str realm = parameter(rest, "realm");
    if (!str_eq_fold(scheme, STR("Bearer")) || !str_has_prefix(realm, STR("http")))
        return err_set(e, ERR_INVALID, "the registry asks for credentials in an unknown way: %.*s",
                       STR_ARG(challenge));
    if (!plain && !str_has_prefix(realm, STR("https://")))
        return err_set(e, ERR_INVALID, "the registry wants a token from %.*s, without TLS",
                       STR_ARG(realm));
    const struct http_request request = token_request(a, rest, realm, login);
    return fetch_token(a, c, &request, out, e);
}
