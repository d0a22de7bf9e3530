/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.c - who the client is, by its certificate; and ours, which may change while we run.
 *
 * A certificate is asked for in each handshake, so a new one is seen by the next connection. The
 * one before may be in use by a handshake that has begun: it is kept until that cannot be.
 *
 * The library asks for a certificate and takes any, or none: it is for us to verify it. That costs
 * some 100 µs, so it is done once for each connection and kept with it.
 */
/* Before our headers, which poison names that these use. */
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "net/server/internal.h"
#include "net/server/issue.h"

/* The longest common name that is looked at; X.509 allows 64 characters. */
#define NAME_MAX_BYTES 256

/* Certificates of a chain. */
#define CHAIN_MAX 8
/* Handshakes end sooner: silent connections are closed. */
#define RETIRED_FOR (600 * NS_PER_SEC)

struct server_certificate {
    struct server_certificate *next; /* the one before */
    gnutls_pcert_st chain[CHAIN_MAX];
    unsigned count;
    gnutls_privkey_t key;
    int64_t retired; /* when there was another one, by clock_mono */
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

/* Signed by the authority, now valid, and meant for clients. */
static bool is_valid(gnutls_session_t session)
{
    gnutls_typed_vdata_st use = {.type = GNUTLS_DT_KEY_PURPOSE_OID,
                                 .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT};
    unsigned faults = 0;

    return gnutls_certificate_verify_peers(session, &use, 1, &faults) == GNUTLS_E_SUCCESS &&
           !faults;
}

static void read_name(const gnutls_datum_t *der, struct peer *p)
{
    gnutls_x509_crt_t cert;
    size_t len = sizeof(p->name);

    if (gnutls_x509_crt_init(&cert) != GNUTLS_E_SUCCESS)
        return;
    if (gnutls_x509_crt_import(cert, der, GNUTLS_X509_FMT_DER) == GNUTLS_E_SUCCESS &&
        gnutls_x509_crt_get_dn_by_oid(cert, GNUTLS_OID_X520_COMMON_NAME, 0, 0, p->name, &len) ==
            GNUTLS_E_SUCCESS)
        p->len = len;
    gnutls_x509_crt_deinit(cert);
}

static void verify(struct MHD_Connection *connection, struct peer *p)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    const gnutls_datum_t *chain;
    unsigned count = 0;

    p->known = true;
    if (!info)
        return;
    gnutls_session_t session = info->tls_session;
    chain = gnutls_certificate_get_peers(session, &count);
    if (chain && count && is_valid(session))
        read_name(&chain[0], p);
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

static void free_certificate(struct server_certificate *c)
{
    for (unsigned i = 0; i < c->count; i++)
        gnutls_pcert_deinit(&c->chain[i]);
    gnutls_privkey_deinit(c->key);
    block_free(c);
}

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

/* Those that cannot be in use any more. */
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
        free_certificate(c);
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

void server_drop_certificates(struct server *s)
{
    free_all(s->certificate);
    s->certificate = NULL;
}

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
