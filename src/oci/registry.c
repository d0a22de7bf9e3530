/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.c - images from a registry, by the distribution API: manifests and blobs. Local
 * registries are used without TLS, all others with it.
 */
#include "oci/internal.h"
#include "net/proxy.h"
#include "net/http/pull.h"
#include "net/retry.h"
#include "text/url.h"

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
    bool has_login; /* login has been looked up */
    struct image_login login;
    str authorization;
};

static struct http_request make_request(const struct registry *r, struct arena *a, const char *what,
                                        str name)
{
    struct http_request request = {
        .url = str_fmt(a, "%.*s/%s/%.*s", STR_ARG(r->base), what, STR_ARG(name))};

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

/* Reports an error status, with a hint if the user can do something about it. */
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

/* Of several challenges, prefers the one for a token, which allows reading public images. */
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

/* Credentials are looked up only when needed, since that may mean running a program. */
static bool authorize(struct registry *r, const struct http_response *response, struct err *e)
{
    if (!r->has_login && !image_login_find(r->arena, r->name, &r->login, e))
        return false;
    r->has_login = true;
    return image_authorize(r->arena, r->client, choose_challenge(&response->headers), &r->login,
                           r->plain, &r->authorization, e);
}

static struct http_request manifest_request(const struct registry *r, struct arena *a,
                                            str reference)
{
    struct http_request request = make_request(r, a, "manifests", reference);

    request.body_max = IMAGE_MANIFEST_MAX;
    for (size_t i = 0; i < COUNT(manifest_types); i++)
        http_header_add(a, &request.headers, STR("Accept"), str_c(manifest_types[i]));
    return request;
}

/* Retries once after a 401, with a token or with credentials. */
static bool get_manifest(void *ctx, struct arena *a, str reference, str *out, struct err *e)
{
    struct registry *r = ctx;
    struct http_request request = manifest_request(r, a, reference);
    struct http_response response;

    if (!send(r, a, &request, &response, e))
        return false;
    if (response.status == 401) {
        if (!authorize(r, &response, e))
            return false;
        request = manifest_request(r, a, reference);
        if (!send(r, a, &request, &response, e))
            return false;
    }
    if (response.status != 200)
        return fail_status(r, a, request.url, response.status, e);
    *out = response.body;
    return true;
}

/* ---- Layers. ---- */

/* One attempt to read a layer: the request and its result. */
struct attempt {
    struct reader reader;
    struct arena *arena;
    struct http_request request;
    struct http_response response;
    struct http_pull *pull;
};

static bool read_attempt(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct attempt *t = (struct attempt *)r;

    return http_pull_read(t->pull, to, size, got, e) || http_explain(e, &t->response);
}

static bool open_attempt(const struct registry *r, struct attempt *t, str digest, struct err *e)
{
    t->request = make_request(r, t->arena, "blobs", digest);
    t->request.timeout = IMAGE_LAYER_TIME;
    return http_pull_open(r->client, t->arena, &t->request, &t->response, &t->pull, e) ||
           http_explain(e, &t->response);
}

static bool try_layer(struct registry *r, struct attempt *t, struct image_files *files, str digest,
                      struct image_layer *out, struct err *e)
{
    if (!open_attempt(r, t, digest, e))
        return false;
    if (t->response.status == 401) {
        http_pull_close(t->pull);
        t->pull = NULL;
        if (!authorize(r, &t->response, e) || !open_attempt(r, t, digest, e))
            return false;
    }
    if (t->response.status != 200)
        return fail_status(r, t->arena, t->request.url, t->response.status, e);
    return image_layer_read_checked(files, digest, &t->reader, out, e);
}

/* If the connection breaks, the partial layer is dropped and requested again. */
static bool get_layer(void *ctx, struct image_files *files, str digest, struct image_layer *out,
                      struct err *e)
{
    struct retry again = retry_begin(&retry_reads);
    struct image_budget *budget = image_files_budget(files), before = *budget;
    int64_t wait;

    for (;;) {
        AUTO_ARENA a = arena_new();
        struct arena_mark mark = arena_mark(image_files_arena(files));
        struct attempt t = {.reader = {.read = read_attempt}, .arena = a};
        bool ok = try_layer(ctx, &t, files, digest, out, e);
        http_pull_close(t.pull);
        if (ok || !retry_next(&again, &t.request, &t.response, &wait))
            return ok;
        arena_rewind(image_files_arena(files), mark);
        *budget = before;
        clock_sleep(wait);
    }
}

bool image_pull(struct arena *a, const struct image_name *name, struct image_files *files,
                struct err *e)
{
    const struct http_config config = http_defaults();
    struct arena *secrets = arena_new_secret();
    const struct url place = {.host = name->registry};
    struct registry r = {
        .arena = secrets, .name = name, .plain = host_is_loopback(secrets, url_hostname(&place))};
    const struct image_store store = {get_manifest, get_layer, &r};
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
