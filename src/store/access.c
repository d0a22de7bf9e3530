/* SPDX-License-Identifier: Apache-2.0 */
/* access.c - authentication; see access.h. */
/* Must precede our headers, which poison names that these use. */
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "store/access.h"

#include "store/internal.h"
#include "text/codec.h"

#include <ifaddrs.h>
#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files of the folder are small; anything larger is an error. */
#define FILE_BYTES_MAX (64 * KIB)
#define TOKEN_BYTES 32
/* The most addresses of this machine in the certificate. */
#define HOSTS_MAX 64

/* ---- The authority and the token. ---- */

static bool write_secret(str path, str text, struct err *e)
{
    AUTO_ARENA a = arena_new();

    /* A file keeps its mode when it is replaced, so make sure that ours is not wider. */
    (void)chmod(str_z(a, path), 0600);
    return file_write(path, text, 0600, e);
}

static bool make_authority(struct arena *a, str cert, str key, struct issued *ca, struct err *e)
{
    return issue_authority(a, STR("plumb-ca"), ca, e) && write_secret(key, ca->key, e) &&
           file_write(cert, ca->cert, 0644, e);
}

static bool open_authority(struct arena *a, str folder, int64_t now, struct issued *ca,
                           struct err *e)
{
    str cert = file_join(a, folder, STR("ca.crt")), key = file_join(a, folder, STR("ca.key"));

    if (file_kind(cert) == FILE_MISSING)
        return make_authority(a, cert, key, ca, e);
    if (!file_read_max(a, cert, FILE_BYTES_MAX, &ca->cert, e) ||
        !file_read_max(a, key, FILE_BYTES_MAX, &ca->key, e))
        return false;
    if (issue_check(ca, e))
        return issue_end(ca->cert) - now > STORE_RENEW_BEFORE ||
               make_authority(a, cert, key, ca, e);
    return err_wrap(e, "%.*s and %.*s (remove both to make new ones)", STR_ARG(cert), STR_ARG(key));
}

static bool open_token(struct arena *a, str folder, str *token, struct err *e)
{
    str path = file_join(a, folder, STR("token"));

    if (file_kind(path) == FILE_MISSING) {
        unsigned char bytes[TOKEN_BYTES];
        random_bytes(bytes, sizeof(bytes));
        *token = hex_encode(a, bytes, sizeof(bytes));
        return write_secret(path, *token, e);
    }
    if (!file_read_max(a, path, FILE_BYTES_MAX, token, e))
        return false;
    *token = str_trim(*token);
    return token->len >= TOKEN_BYTES ||
           err_set(e, ERR_INVALID,
                   "%.*s holds no token of at least %d characters; remove it to "
                   "get a new one",
                   STR_ARG(path), TOKEN_BYTES);
}

/* ---- Certificates. ---- */

struct hosts {
    str items[HOSTS_MAX];
    size_t len;
};

static void add_host(struct hosts *h, str host)
{
    for (size_t i = 0; i < h->len; i++)
        if (str_eq(h->items[i], host))
            return;
    if (host.len && h->len < HOSTS_MAX)
        h->items[h->len++] = host;
}

/* All addresses of this machine: clients may use any of them if the server listens on all. */
static void add_own_addresses(struct arena *a, struct hosts *h)
{
    struct ifaddrs *list, *i;
    char text[NI_MAXHOST];

    if (getifaddrs(&list))
        return;
    for (i = list; i; i = i->ifa_next) {
        int family = i->ifa_addr ? i->ifa_addr->sa_family : AF_UNSPEC;
        socklen_t size = family == AF_INET ? sizeof(struct sockaddr_in)
                                           : sizeof(struct sockaddr_in6);

        if ((family != AF_INET && family != AF_INET6) ||
            getnameinfo(i->ifa_addr, size, text, sizeof(text), NULL, 0, NI_NUMERICHOST))
            continue;
        /* Without the zone: "fe80::1%eth0". */
        str address = str_c(text), zone;
        str_cut(address, STR("%"), &address, &zone);
        add_host(h, str_copy(a, address));
    }
    freeifaddrs(list);
}

static void find_hosts(struct arena *a, str address, struct hosts *h)
{
    char name[256] = "";

    add_host(h, STR("localhost"));
    add_host(h, STR("127.0.0.1"));
    add_host(h, STR("::1"));
    if (str_eq(address, STR("0.0.0.0")) || str_eq(address, STR("::")))
        add_own_addresses(a, h);
    else
        add_host(h, address);
    if (!gethostname(name, sizeof(name) - 1) && store_is_subdomain(str_c(name)))
        add_host(h, str_copy(a, str_c(name)));
}

bool store_access_open(struct arena *a, str folder, str address, int64_t now,
                       struct store_access *out, struct err *e)
{
    struct hosts hosts = {0};

    *out = (struct store_access){0};
    find_hosts(a, address, &hosts);
    if (!open_authority(a, folder, now, &out->ca, e) || !open_token(a, folder, &out->token, e) ||
        !issue_for_server(a, &out->ca, hosts.items, hosts.len, &out->server, e) ||
        !issue_for_client(a, &out->ca, STR("plumb-admin"), STR("system:masters"), &out->client, e))
        return false;
    SHA256((const unsigned char *)out->token.ptr, out->token.len, out->token_hash);
    return true;
}

/* ---- The kubeconfig. ---- */

bool store_access_write(const struct store_access *x, str folder, str url, struct err *e)
{
    AUTO_ARENA a = arena_new_secret();
    struct buf b = buf_new(a, FILE_BYTES_MAX);

    buf_fmt(&b,
            "apiVersion: v1\n"
            "kind: Config\n"
            "clusters:\n"
            "- name: plumb\n"
            "  cluster:\n"
            "    server: %.*s\n"
            "    certificate-authority-data: %.*s\n"
            "users:\n"
            "- name: plumb\n"
            "  user:\n",
            STR_ARG(url), STR_ARG(base64_encode(a, x->ca.cert)));
    buf_fmt(&b,
            "    client-certificate-data: %.*s\n"
            "    client-key-data: %.*s\n"
            "    token: %.*s\n"
            "contexts:\n"
            "- name: plumb\n"
            "  context: {cluster: plumb, user: plumb, namespace: default}\n"
            "current-context: plumb\n",
            STR_ARG(base64_encode(a, x->client.cert)), STR_ARG(base64_encode(a, x->client.key)),
            STR_ARG(x->token));
    return write_secret(file_join(a, folder, STR("kubeconfig")), buf_str(&b), e);
}

/* ---- The guard. ---- */

/* What clusters allow to everybody (system:public-info-viewer). */
static bool is_public(const struct handler_call *c)
{
    static const char *const paths[] = {"/healthz", "/livez", "/readyz", "/version", "/version/"};

    for (size_t i = 0; i < COUNT(paths); i++)
        if (str_eq(c->path, str_c(paths[i])))
            return str_eq(c->method, STR("GET"));
    return false;
}

/* Compares hashes, so that the time reveals neither the length nor the first difference. */
static bool has_token(const struct store_access *x, const struct handler_call *c)
{
    str text = handler_header(c, STR("Authorization")), scheme, token;
    unsigned char hash[SHA256_DIGEST_LENGTH];

    str_cut(text, STR(" "), &scheme, &token);
    if (!str_eq_fold(scheme, STR("Bearer")))
        return false;
    token = str_trim(token);
    SHA256((const unsigned char *)token.ptr, token.len, hash);
    return !CRYPTO_memcmp(hash, x->token_hash, sizeof(hash));
}

bool store_access_allows(const struct store_access *x, const struct handler_call *c)
{
    return c->client.len || has_token(x, c) || is_public(c);
}

static void guard(void *ctx, struct handler_call *c)
{
    const struct store_access *x = ctx;
    struct buf b;

    if (store_access_allows(x, c)) {
        handler_answer(x->inner, c);
        return;
    }
    b = buf_new(c->arena, BUF_UNLIMITED);
    store_write_json(&b, store_status(c->arena, 401, "Unauthorized", STR("Unauthorized")));
    buf_char(&b, '\n');
    handler_reply(c, 401, STR("application/json"), buf_str(&b));
}

void store_access_guard(struct store_access *x, const struct handler *inner)
{
    x->inner = inner;
    x->handler = (struct handler){guard, x};
}
