/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_registry.c - images of a registry, by the distribution API: manifests and blobs. The
 * registries of this machine are asked without TLS, all others with it.
 */
#include "compare/image.h"
#include "net/retry.h"

static const char *const manifest_types[] = {
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.docker.distribution.manifest.v2+json",
};

struct registry {
    struct arena *arena;
    const struct image_name *name;
    struct http_client *client;
    str base; /* "https://host/v2/repository" */
    bool plain;
    bool has_login; /* it was looked for */
    struct image_login login;
    str authorization;
};

static bool is_loopback(str registry)
{
    str host, port;

    str_cut(registry, STR(":"), &host, &port);
    return str_eq(host, STR("localhost")) || str_has_prefix(host, STR("127.")) ||
           str_has_prefix(registry, STR("[::1]"));
}

static struct http_request make_request(const struct registry *r, struct arena *a, str path,
                                        size_t max, bool manifest)
{
    struct http_request request = {.url = str_fmt(a, "%.*s/%.*s", STR_ARG(r->base), STR_ARG(path)),
                                   .body_max = max};

    for (size_t i = 0; manifest && i < COUNT(manifest_types); i++)
        http_header_add(a, &request.headers, STR("Accept"), str_c(manifest_types[i]));
    if (r->authorization.len)
        http_header_add(a, &request.headers, STR("Authorization"), r->authorization);
    return request;
}

static bool send(const struct registry *r, struct arena *a, const struct http_request *request,
                 struct http_response *response, struct err *e)
{
    return retry_send(r->client, a, request, &retry_reads, response, e) ||
           http_explain(e, response);
}

/* What the user can do about an answer. */
static bool fail_status(const struct registry *r, struct arena *a, str url, int status,
                        struct err *e)
{
    bool denied = status == 401 || status == 403;
    const char *hint = denied ? "; log in with docker login or podman login" : "";

    return err_set(e,
                   denied          ? ERR_DENIED
                   : status == 404 ? ERR_NOT_FOUND
                                   : ERR_IO,
                   "%.*s: the registry %.*s answers %.*s%s", STR_ARG(url),
                   STR_ARG(r->name->registry), STR_ARG(http_status_text(a, status)), hint);
}

/* Of several challenges the one for a token, which lets one read what is public. */
static str choose_challenge(const struct http_headers *headers)
{
    str chosen = STR_NONE;

    for (size_t i = 0; i < headers->len; i++) {
        str value = str_trim(headers->items[i].value), scheme, rest;
        if (!str_eq_fold(headers->items[i].name, STR("WWW-Authenticate")))
            continue;
        str_cut(value, STR(" "), &scheme, &rest);
        if (!chosen.len || str_eq_fold(scheme, STR("Bearer")))
            chosen = value;
    }
    return chosen;
}

/* Credentials are looked for when they are asked for: programs may have to be run for it. */
static bool authorize(struct registry *r, const struct http_response *response, struct err *e)
{
    if (!r->has_login && !image_login_find(r->arena, r->name, &r->login, e))
        return false;
    r->has_login = true;
    return image_authorize(r->arena, r->client, choose_challenge(&response->headers), &r->login,
                           r->plain, &r->authorization, e);
}

/* A 401 is answered once, by a token or by credentials. */
static bool get(struct registry *r, struct arena *a, str path, size_t max, bool manifest, str *out,
                struct err *e)
{
    struct http_request request = make_request(r, a, path, max, manifest);
    struct http_response response;

    if (!send(r, a, &request, &response, e))
        return false;
    if (response.status == 401) {
        if (!authorize(r, &response, e))
            return false;
        request = make_request(r, a, path, max, manifest);
        if (!send(r, a, &request, &response, e))
            return false;
    }
    if (response.status != 200)
        return fail_status(r, a, request.url, response.status, e);
    *out = response.body;
    return true;
}

static bool get_manifest(void *ctx, struct arena *a, str reference, str *out, struct err *e)
{
    return get(ctx, a, str_concat(a, STR("manifests/"), reference), IMAGE_MANIFEST_MAX, true, out,
               e);
}

static bool get_blob(void *ctx, struct arena *a, str digest, size_t max, str *out, struct err *e)
{
    return get(ctx, a, str_concat(a, STR("blobs/"), digest), max, false, out, e);
}

bool image_pull(struct arena *a, const struct image_name *name, struct image_files *files,
                struct err *e)
{
    const struct http_config config = http_defaults();
    struct arena *secrets = arena_new_secret();
    struct registry r = {.arena = secrets, .name = name, .plain = is_loopback(name->registry)};
    const struct image_store store = {get_manifest, get_blob, &r};
    str host = str_eq(name->registry, STR("docker.io")) ? STR("registry-1.docker.io")
                                                        : name->registry;

    r.base = str_fmt(secrets, "%s://%.*s/v2/%.*s", r.plain ? "http" : "https", STR_ARG(host),
                     STR_ARG(name->repository));
    bool ok = http_client_new(&config, &r.client, e);
    if (ok) {
        ok = image_read(a, &store, name->digest.len ? name->digest : name->tag, files, e);
        http_client_free(r.client);
    }
    arena_free(secrets);
    return ok;
}
