/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - see registry.h. */
#include <openssl/evp.h>

#include "registry.h"

#include "text/codec.h"

#include <zlib.h>

/* ---- Archives. ---- */

static void add_head(struct buf *tar, const char *name, char type, uint64_t size, const char *link)
{
    unsigned char head[512] = {0};
    unsigned sum = 0;

    snprintf((char *)head, 100, "%s", name);
    snprintf((char *)head + 100, 8, "0000644");
    snprintf((char *)head + 124, 12, "%011llo", (unsigned long long)size);
    snprintf((char *)head + 136, 12, "00000000000");
    memset(head + 148, ' ', 8);
    head[156] = (unsigned char)type;
    snprintf((char *)head + 157, 100, "%s", link);
    memcpy(head + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof(head); i++)
        sum += head[i];
    snprintf((char *)head + 148, 8, "%06o", sum);
    buf_add(tar, str_of((char *)head, sizeof(head)));
}

void tar_add_head(struct buf *tar, const char *name, uint64_t size)
{
    add_head(tar, name, '0', size, "");
}

void tar_add(struct buf *tar, const char *name, char type, str bytes, const char *link)
{
    add_head(tar, name, type, bytes.len, link);
    buf_add(tar, bytes);
    buf_repeat(tar, '\0', (512 - bytes.len % 512) % 512);
}

str tar_end(struct buf *tar)
{
    buf_repeat(tar, '\0', 1024);
    return buf_str(tar);
}

str test_gzip(struct arena *a, str bytes)
{
    z_stream z = {0};
    size_t room = bytes.len + 1024;
    char *out = arena_alloc(a, room);

    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    z.next_in = (unsigned char *)bytes.ptr;
    z.avail_in = (unsigned)bytes.len;
    z.next_out = (unsigned char *)out;
    z.avail_out = (unsigned)room;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    deflateEnd(&z);
    return str_of(out, room - z.avail_out);
}

str test_zstd(struct arena *a, str bytes)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    unsigned head = 1 | (unsigned)bytes.len << 3;

    buf_add(&b, str_of("\x28\xB5\x2F\xFD\xA0", 5));
    for (int i = 0; i < 4; i++)
        buf_char(&b, (char)(bytes.len >> (8 * i)));
    for (int i = 0; i < 3; i++)
        buf_char(&b, (char)(head >> (8 * i)));
    buf_add(&b, bytes);
    return buf_str(&b);
}

str digest_of(struct arena *a, str bytes)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned len;

    EVP_Digest(bytes.ptr, bytes.len, sum, &len, EVP_sha256(), NULL);
    return str_concat(a, STR("sha256:"), hex_encode(a, sum, len));
}

/* ---- Answers. ---- */

#define BASIC "Basic dTpw" /* u:p */

static void reply_from(const struct registry *g, struct server_request *r, const struct map *m,
                       str key)
{
    const str *found = map_get(m, key);

    if (!found)
        server_reply(r, 404, STR_NONE, STR("{}"));
    else if (g->corrupt && m == g->blobs)
        server_reply(r, 200, STR_NONE, str_slice(*found, 0, found->len - 1));
    else
        server_reply(r, 200, STR_NONE, *found);
}

static bool is_form(str body)
{
    return str_contains(body, STR("grant_type=refresh_token")) &&
           str_contains(body, STR("refresh_token=I")) && str_contains(body, STR("service=s")) &&
           str_contains(body, STR("scope=repository%3Aorg%2Fref%3Apull"));
}

static void reply_token(struct registry *g, struct server_request *r)
{
    bool known = str_eq(server_header(r, STR("Authorization")), STR(BASIC)) &&
                 str_eq(server_query(r, STR("scope"), NULL), STR("repository:org/ref:pull"));

    g->asked++;
    if (str_eq(server_method(r), STR("POST"))) {
        g->exchanged++;
        server_reply(r, is_form(server_body(r)) ? 200 : 401, STR_NONE,
                     STR("{\"access_token\":\"T\"}"));
        return;
    }
    server_reply(r, known ? 200 : 401, STR_NONE, STR("{\"token\":\"T\"}"));
}

static void challenge(struct registry *g, struct server_request *r)
{
    if (g->auth == REGISTRY_BASIC || g->auth == REGISTRY_BOTH)
        server_add_header(r, STR("WWW-Authenticate"), STR("Basic realm=\"here\""));
    if (g->auth == REGISTRY_BEARER || g->auth == REGISTRY_BOTH)
        server_add_header(r, STR("WWW-Authenticate"),
                          str_fmt(server_arena(r),
                                  "Bearer realm=\"%.*s/token\",service=\"s\","
                                  "scope=\"repository:org/ref:pull\"",
                                  STR_ARG(server_url(g->server))));
    g->refused++;
    server_reply(r, 401, STR_NONE, STR("{}"));
}

static bool may(const struct registry *g, const struct server_request *r)
{
    str authorization = server_header(r, STR("Authorization"));

    return g->auth == REGISTRY_OPEN ||
           str_eq(authorization, g->auth == REGISTRY_BASIC ? STR(BASIC) : STR("Bearer T"));
}

static void handle(void *ctx, struct server_request *r)
{
    struct registry *g = ctx;
    str path = server_path(r), rest = str_without_prefix(path, STR("/v2/org/ref/"));

    if (str_eq(path, STR("/token"))) {
        reply_token(g, r);
    } else if (!may(g, r)) {
        challenge(g, r);
    } else if (str_has_prefix(rest, STR("manifests/"))) {
        reply_from(g, r, g->manifests, str_from(rest, 10));
    } else if (g->elsewhere) {
        server_add_header(
            r, STR("Location"),
            str_fmt(server_arena(r), "%.*s%.*s", STR_ARG(server_url(g->storage)), STR_ARG(path)));
        server_reply(r, 307, STR_NONE, STR_NONE);
    } else {
        reply_from(g, r, g->blobs, str_without_prefix(rest, STR("blobs/")));
    }
}

/* The blob storage is open to anyone who knows the URL. */
static void handle_storage(void *ctx, struct server_request *r)
{
    struct registry *g = ctx;

    g->stored++;
    g->leaked += server_header(r, STR("Authorization")).len > 0;
    reply_from(g, r, g->blobs, str_without_prefix(server_path(r), STR("/v2/org/ref/blobs/")));
}

/* ---- The registry. ---- */

void registry_begin(struct registry *g)
{
    const struct server_config front = {.handle = handle, .ctx = g};
    const struct server_config back = {.handle = handle_storage, .ctx = g};
    AUTO_ERR e = {0};

    *g = (struct registry){.a = arena_new()};
    g->blobs = map_new(g->a);
    g->manifests = map_new(g->a);
    if (!server_start(&front, &g->server, &e) || !server_start(&back, &g->storage, &e))
        abort();
}

void registry_end(struct registry *g)
{
    server_stop(g->server, 0);
    server_stop(g->storage, 0);
    arena_free(g->a);
}

unsigned registry_port(const struct registry *g)
{
    return server_port(g->server);
}

static str keep(struct registry *g, struct map *m, str key, str bytes)
{
    str *kept = ARENA_NEW(g->a, str);

    *kept = str_copy(g->a, bytes);
    map_set(m, key, kept);
    return key;
}

str registry_add_blob(struct registry *g, str bytes)
{
    return keep(g, g->blobs, digest_of(g->a, bytes), bytes);
}

str registry_tag(struct registry *g, str tag, str manifest)
{
    if (tag.len)
        keep(g, g->manifests, tag, manifest);
    return keep(g, g->manifests, digest_of(g->a, manifest), manifest);
}

str registry_manifest(struct registry *g, const str *digests, size_t count)
{
    struct buf b = buf_new(g->a, BUF_UNLIMITED);

    buf_add(&b, STR("{\"schemaVersion\":2,\"layers\":["));
    for (size_t i = 0; i < count; i++)
        buf_fmt(&b, "%s{\"digest\":\"%.*s\"}", i ? "," : "", STR_ARG(digests[i]));
    buf_add(&b, STR("]}"));
    return buf_str(&b);
}
