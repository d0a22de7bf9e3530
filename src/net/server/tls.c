/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.c - identifies clients by certificate, and provides ours, which may change while we run.
 *
 * Our certificate is looked up in each handshake, so the next connection uses a new one. The old
 * one may still be in use by a handshake under way: it is kept until that is impossible.
 *
 * The library requests a client certificate and accepts any, or none: we have to verify it. That
 * costs some 100 µs, so it is done once per connection, and the result is kept with it. Several CAs
 * may have the same name, so each is tried separately.
 */
/* Must precede our headers, which poison names that these use. */
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "net/server/internal.h"
#include "net/server/issue.h"

/* The longest common name that is read; X.509 allows 64 characters. */
#define NAME_MAX_BYTES 256

/* The most certificates in a chain. */
#define CHAIN_MAX 8
/* Handshakes end sooner: silent connections are closed. */
#define RETIRED_FOR (600 * NS_PER_SEC)

struct server_certificate {
    struct server_certificate *next; /* the previous one */
    gnutls_pcert_st chain[CHAIN_MAX];
    unsigned count;
    gnutls_privkey_t key;
    int64_t retired; /* when it was replaced, by clock_mono */
};

/* How many CAs are trusted at the same time: the latest and the previous ones. */
#define AUTHORITIES_MAX 4

struct server_authority {
    struct server_authority *next; /* the previous one */
    gnutls_x509_trust_list_t list;
};

struct peer {
    struct server *server;
    bool known; /* name is final */
    char name[NAME_MAX_BYTES];
    size_t len;
};

void server_on_connection(void *ctx, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct server *s = ctx;

    (void)connection;
    if (!s->config.cert.len)
        return;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *context = block_new(sizeof(struct peer));
        *(struct peer *)*context = (struct peer){.server = s};
    } else {
        block_free(*context);
        *context = NULL;
    }
}

/* Whether it is signed by one of our CAs, currently valid, and meant for clients. */
static bool is_valid(struct server *s, gnutls_x509_crt_t *chain, unsigned count)
{
    gnutls_typed_vdata_st use = {.type = GNUTLS_DT_KEY_PURPOSE_OID,
                                 .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT};
    AUTO_LOCK guard = lock_take(&s->lock);

    for (const struct server_authority *a = s->authorities; a; a = a->next) {
        unsigned faults = 0;
        if (gnutls_x509_trust_list_verify_crt2(a->list, chain, count, &use, 1, 0, &faults, NULL) ==
                GNUTLS_E_SUCCESS &&
            !faults)
            return true;
    }
    return false;
}

static void read_name(gnutls_x509_crt_t cert, struct peer *p)
{
    size_t len = sizeof(p->name);

    if (gnutls_x509_crt_get_dn_by_oid(cert, GNUTLS_OID_X520_COMMON_NAME, 0, 0, p->name, &len) ==
        GNUTLS_E_SUCCESS)
        p->len = len;
}

static bool read_peer(const gnutls_datum_t *der, gnutls_x509_crt_t *out)
{
    if (gnutls_x509_crt_init(out) != GNUTLS_E_SUCCESS)
        return false;
    if (gnutls_x509_crt_import(*out, der, GNUTLS_X509_FMT_DER) == GNUTLS_E_SUCCESS)
        return true;
    gnutls_x509_crt_deinit(*out);
    return false;
}

static void verify(struct MHD_Connection *connection, struct peer *p)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    const gnutls_datum_t *chain;
    gnutls_x509_crt_t certs[CHAIN_MAX];
    unsigned sent = 0, count = 0;

    p->known = true;
    if (!info)
        return;
    chain = gnutls_certificate_get_peers(info->tls_session, &sent);
    while (chain && count < sent && count < CHAIN_MAX && read_peer(&chain[count], &certs[count]))
        count++;
    if (count && count == sent && is_valid(p->server, certs, count))
        read_name(certs[0], p);
    while (count)
        gnutls_x509_crt_deinit(certs[--count]);
}

str server_verified_client(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct peer *p = info ? info->socket_context : NULL;

    if (!p)
        return STR_NONE;
    if (!p->known)
        verify(connection, p);
    return str_of(p->name, p->len);
}

str server_client(const struct server_request *r)
{
    return r->client;
}

/* ---- Our own. ---- */

static bool read_certificate(struct server_certificate *c, str cert, str key)
{
    gnutls_datum_t chain = {(unsigned char *)(uintptr_t)cert.ptr, (unsigned)cert.len};
    gnutls_datum_t secret = {(unsigned char *)(uintptr_t)key.ptr, (unsigned)key.len};

    if (gnutls_privkey_init(&c->key) != GNUTLS_E_SUCCESS)
        return false;
    if (gnutls_privkey_import_x509_raw(c->key, &secret, GNUTLS_X509_FMT_PEM, NULL, 0) !=
        GNUTLS_E_SUCCESS) {
        gnutls_privkey_deinit(c->key);
        return false;
    }
    c->count = CHAIN_MAX;
    if (gnutls_pcert_list_import_x509_raw(c->chain, &c->count, &chain, GNUTLS_X509_FMT_PEM, 0) ==
        GNUTLS_E_SUCCESS)
        return true;
    gnutls_privkey_deinit(c->key);
    return false;
}

/* Takes those that can no longer be in use. */
static struct server_certificate *take_old(struct server *s, int64_t now)
{
    struct server_certificate **at = &s->certificate, *old;

    while (*at && !((*at)->retired && now - (*at)->retired > RETIRED_FOR))
        at = &(*at)->next;
    old = *at;
    *at = NULL;
    return old;
}

static struct server_certificate *replace(struct server *s, struct server_certificate *fresh)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    int64_t now = clock_mono();

    if (s->certificate)
        s->certificate->retired = now;
    fresh->next = s->certificate;
    s->certificate = fresh;
    return take_old(s, now);
}

static void free_all(struct server_certificate *c)
{
    struct server_certificate *next;

    for (; c; c = next) {
        next = c->next;
        for (unsigned i = 0; i < c->count; i++)
            gnutls_pcert_deinit(&c->chain[i]);
        gnutls_privkey_deinit(c->key);
        block_free(c);
    }
}

bool server_renew(struct server *s, str cert, str key, struct err *e)
{
    struct server_certificate *c;

    assert(s->config.cert.len);
    if (!issue_check(&(struct issued){cert, key}, e))
        return false;
    c = block_new(sizeof(*c));
    *c = (struct server_certificate){0};
    if (!read_certificate(c, cert, key)) {
        block_free(c);
        return err_set(e, ERR_INVALID, "the certificate and key cannot be used");
    }
    free_all(replace(s, c));
    return true;
}

/* ---- Authorities of clients. ---- */

static void free_authorities(struct server_authority *a)
{
    struct server_authority *next;

    for (; a; a = next) {
        next = a->next;
        gnutls_x509_trust_list_deinit(a->list, 1);
        block_free(a);
    }
}

static bool read_authority(str client_ca, gnutls_x509_trust_list_t *out)
{
    gnutls_datum_t pem = {(unsigned char *)(uintptr_t)client_ca.ptr, (unsigned)client_ca.len};

    if (gnutls_x509_trust_list_init(out, 0) != GNUTLS_E_SUCCESS)
        return false;
    if (gnutls_x509_trust_list_add_trust_mem(*out, &pem, NULL, GNUTLS_X509_FMT_PEM, 0, 0) > 0)
        return true;
    gnutls_x509_trust_list_deinit(*out, 1);
    return false;
}

/* They are only used under the lock, so surplus ones can be freed at once. */
static void add_authority(struct server *s, struct server_authority *fresh)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    struct server_authority *last = fresh;

    fresh->next = s->authorities;
    s->authorities = fresh;
    for (unsigned i = 1; last->next && i < AUTHORITIES_MAX; i++)
        last = last->next;
    free_authorities(last->next);
    last->next = NULL;
}

bool server_trust(struct server *s, str client_ca, struct err *e)
{
    gnutls_x509_trust_list_t list;
    struct server_authority *a;

    assert(s->config.client_ca.len);
    if (!read_authority(client_ca, &list))
        return err_set(e, ERR_INVALID, "the certificates of clients' authorities cannot be used");
    a = block_new(sizeof(*a));
    *a = (struct server_authority){.list = list};
    add_authority(s, a);
    return true;
}

void server_drop_certificates(struct server *s)
{
    free_all(s->certificate);
    s->certificate = NULL;
    free_authorities(s->authorities);
    s->authorities = NULL;
}

/* ---- Handshakes. ---- */

static int give_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int count,
                            const gnutls_pk_algorithm_t *algorithms, int algorithm_count,
                            gnutls_pcert_st **chain, unsigned *chain_len, gnutls_privkey_t *key)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        gnutls_session_get_ptr(session), MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct peer *p = info ? info->socket_context : NULL;

    (void)authorities, (void)count, (void)algorithms, (void)algorithm_count;
    if (!p)
        return -1;
    AUTO_LOCK guard = lock_take(&p->server->lock);
    *chain = p->server->certificate->chain;
    *chain_len = p->server->certificate->count;
    *key = p->server->certificate->key;
    return 0;
}

void *server_certificate_callback(void)
{
    return (void *)(uintptr_t)give_certificate;
}
