/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_auth.c - as whom a registry is asked: the credentials that docker and podman keep in files,
 * and the tokens that registries want instead.
 */
#include "compare/image.h"
#include "net/retry.h"
#include "text/codec.h"
#include "text/json.h"
#include "text/url.h"
#include "value/value.h"

/* A file of credentials, and a token. */
#define AUTH_FILE_MAX (4 * MIB)

/* ---- Credentials. ---- */

/* Where they may be, the first that names the registry counts: an environment variable and a path.
 */
static const struct {
    const char *variable, *path;
} places[] = {
    {"REGISTRY_AUTH_FILE", ""},
    {"XDG_RUNTIME_DIR", "/containers/auth.json"},
    {"HOME", "/.config/containers/auth.json"},
    {"DOCKER_CONFIG", "/config.json"},
    {"HOME", "/.docker/config.json"},
};

/* Keys have had many forms: "host", "https://host", "https://host/v1/". */
static bool names(str key, str registry)
{
    str rest = str_without_prefix(str_without_prefix(key, STR("https://")), STR("http://"));
    str host, path;

    str_cut(rest, STR("/"), &host, &path);
    if (str_eq(host, registry))
        return true;
    return str_eq(registry, STR("docker.io")) &&
           (str_eq(host, STR("index.docker.io")) || str_eq(host, STR("registry-1.docker.io")));
}

static str entry_credentials(struct arena *a, const struct value *entry)
{
    str auth = str_trim(value_get_str(entry, STR("auth"))), decoded;
    str user = value_get_str(entry, STR("username"));
    size_t bad;

    if (auth.len && base64_decode(a, auth, &decoded, &bad))
        return str_concat(a, STR("Basic "), base64_encode(a, decoded));
    if (!user.len)
        return STR_NONE;
    str pair =
        str_fmt(a, "%.*s:%.*s", STR_ARG(user), STR_ARG(value_get_str(entry, STR("password"))));
    return str_concat(a, STR("Basic "), base64_encode(a, pair));
}

static str file_credentials(struct arena *a, str path, str registry)
{
    const struct read_options options = {.go = true};
    struct source *source = ARENA_NEW(a, struct source);
    struct value *doc;
    AUTO_ERR ignored = {0};

    if (!file_read_max(a, path, AUTH_FILE_MAX, &source->text, &ignored) ||
        !json_read(a, source, &options, &doc, &ignored))
        return STR_NONE;
    const struct value *auths = value_get(doc, STR("auths"));
    for (size_t i = 0; i < value_len(auths) && value_is(auths, VALUE_OBJECT); i++)
        if (names(value_key(&auths->items[i]), registry))
            return entry_credentials(a, &auths->items[i]);
    return STR_NONE;
}

str image_credentials(struct arena *a, str registry)
{
    for (size_t i = 0; i < COUNT(places); i++) {
        str folder = str_c(getenv(places[i].variable));
        if (!folder.len)
            continue;
        str found = file_credentials(a, str_concat(a, folder, str_c(places[i].path)), registry);
        if (found.len)
            return found;
    }
    return STR_NONE;
}

/* ---- Challenges. ---- */

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

static str token_url(struct arena *a, str challenge)
{
    struct buf url = buf_new(a, BUF_UNLIMITED);
    str service = parameter(challenge, "service"), scope = parameter(challenge, "scope");

    buf_add(&url, parameter(challenge, "realm"));
    if (service.len)
        url_query_add(&url, STR("service"), service);
    if (scope.len)
        url_query_add(&url, STR("scope"), scope);
    return buf_str(&url);
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

static bool fetch_token(struct arena *a, struct http_client *c, str url, str credentials, str *out,
                        struct err *e)
{
    struct http_request request = {.url = url, .body_max = AUTH_FILE_MAX};
    struct http_response response;

    if (credentials.len)
        http_header_add(a, &request.headers, STR("Authorization"), credentials);
    if (!retry_send(c, a, &request, &retry_reads, &response, e))
        return http_explain(e, &response);
    if (response.status != 200)
        return err_set(e, ERR_DENIED, "no token from %.*s: %.*s", STR_ARG(url),
                       STR_ARG(http_status_text(a, response.status)));
    return read_token(a, response.body, out, e) || err_wrap(e, "%.*s", STR_ARG(url));
}

bool image_authorize(struct arena *a, struct http_client *c, str challenge, str credentials,
                     bool plain, str *out, struct err *e)
{
    str scheme, rest;

    str_cut(str_trim(challenge), STR(" "), &scheme, &rest);
    if (str_eq_fold(scheme, STR("Basic"))) {
        if (!credentials.len)
            return err_set(e, ERR_DENIED,
                           "the registry wants a user and a password: log in with "
                           "docker login or podman login");
        *out = credentials;
        return true;
    }
    str url = token_url(a, rest);
    if (!str_eq_fold(scheme, STR("Bearer")) || !str_has_prefix(url, STR("http")))
        return err_set(e, ERR_INVALID, "the registry asks for credentials in an unknown way: %.*s",
                       STR_ARG(challenge));
    if (!plain && !str_has_prefix(url, STR("https://")))
        return err_set(e, ERR_INVALID, "the registry wants a token from %.*s, without TLS",
                       STR_ARG(url));
    return fetch_token(a, c, url, credentials, out, e);
}
