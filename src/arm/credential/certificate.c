/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificate.c - reads client certificates, and signs with them.
 */
/* Before our headers, which poison names that these use. */
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

#include "arm/credential/internal.h"

#include "text/codec.h"
#include "text/json/json.h"

/* The largest certificate file that is read, and the longest certificate chain. */
#define CERT_MAX (1 * MIB)
#define CHAIN_MAX 16
/* How long an assertion is valid, and how far it is backdated, in seconds. */
#define ASSERTION_LIFE 600
#define ASSERTION_SLACK 300

struct client_cert {
    EVP_PKEY *key;
    X509 *certs[CHAIN_MAX]; /* the client's own is first */
    size_t count;
};

void client_cert_free(struct client_cert *c)
{
    if (!c)
        return;
    EVP_PKEY_free(c->key);
    for (size_t i = 0; i < c->count; i++)
        X509_free(c->certs[i]);
    block_free(c);
}

/* ---- PEM. ---- */

static int give_password(char *out, int size, int writing, void *ctx)
{
    const str *password = ctx;

    (void)writing;
    if (!password->len || size < 0 || password->len > (size_t)size)
        return -1;
    memcpy(out, password->ptr, password->len);
    return (int)password->len;
}

static void read_pem(struct client_cert *c, str data, str password)
{
    BIO *bio = BIO_new_mem_buf(data.ptr, (int)data.len);
    X509 *cert;

    while (c->count < CHAIN_MAX &&
           (cert = PEM_read_bio_X509(bio, NULL, give_password, &password)) != NULL)
        c->certs[c->count++] = cert;
    BIO_free(bio);
    bio = BIO_new_mem_buf(data.ptr, (int)data.len);
    c->key = PEM_read_bio_PrivateKey(bio, NULL, give_password, &password);
    BIO_free(bio);
}

/* ---- PKCS#12. ---- */

/* Moves a key from another library context, which will be freed, to the default one. */
static EVP_PKEY *bring_home(EVP_PKEY *key)
{
    unsigned char *der = NULL;
    int len = i2d_PrivateKey(key, &der);
    const unsigned char *at = der;
    EVP_PKEY *home = len > 0 ? d2i_AutoPrivateKey(NULL, &at, len) : NULL;

    if (len > 0)
        OPENSSL_clear_free(der, (size_t)len);
    EVP_PKEY_free(key);
    return home;
}

static bool parse_pkcs12(struct client_cert *c, PKCS12 *p12, const char *password)
{
    STACK_OF(X509) *others = NULL;
    X509 *own = NULL;

    if (!PKCS12_parse(p12, password, &c->key, &own, &others))
        return false;
    if (own)
        c->certs[c->count++] = own;
    while (sk_X509_num(others) > 0) {
        X509 *cert = sk_X509_shift(others);
        if (c->count < CHAIN_MAX)
            c->certs[c->count++] = cert;
        else
            X509_free(cert);
    }
    sk_X509_free(others);
    return true;
}

/* Supports the ciphers of old tools (RC2, 3DES), which are in a separate OpenSSL provider. */
static bool parse_legacy(struct client_cert *c, str data, const char *password)
{
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *usual = OSSL_PROVIDER_load(library, "default"),
                  *legacy = OSSL_PROVIDER_load(library, "legacy");
    PKCS12 *p12 = PKCS12_init_ex(NID_pkcs7_data, library, NULL);
    const unsigned char *at = (const unsigned char *)data.ptr;
    bool ok = usual && legacy && d2i_PKCS12(&p12, &at, (long)data.len) &&
              parse_pkcs12(c, p12, password);

    if (ok && c->key)
        c->key = bring_home(c->key);
    PKCS12_free(p12);
    if (legacy)
        OSSL_PROVIDER_unload(legacy);
    if (usual)
        OSSL_PROVIDER_unload(usual);
    OSSL_LIB_CTX_free(library);
    return ok;
}

static bool read_pkcs12(struct client_cert *c, str data, str password, struct err *e)
{
    AUTO_ARENA secret = arena_new_secret();
    const char *z = str_z(secret, password);
    const unsigned char *at = (const unsigned char *)data.ptr;
    PKCS12 *p12 = d2i_PKCS12(NULL, &at, (long)data.len);
    bool ok;

    if (!p12)
        return err_set(e, ERR_INVALID,
                       "the client certificate is neither PEM nor PKCS#12 (PFX); check "
                       "AZURE_CLIENT_CERTIFICATE");
    ok = PKCS12_verify_mac(p12, z, -1) || (!password.len && PKCS12_verify_mac(p12, NULL, 0));
    if (!ok && PKCS12_mac_present(p12)) {
        PKCS12_free(p12);
        return err_set(e, ERR_DENIED,
                       "the password of the client certificate is wrong; check "
                       "AZURE_CLIENT_CERTIFICATE_PASSWORD");
    }
    ok = parse_pkcs12(c, p12, z) || parse_legacy(c, data, z);
    PKCS12_free(p12);
    if (!ok)
        return err_set(e, ERR_INVALID,
                       "the client certificate (PKCS#12) cannot be decrypted; write it anew with "
                       "a current tool, or as PEM");
    return true;
}

/* ---- Either. ---- */

static bool is_der(str data)
{
    return data.len && (unsigned char)data.ptr[0] == 0x30;
}

static bool check(struct client_cert *c, struct err *e)
{
    if (!c->count)
        return err_set(e, ERR_INVALID,
                       "AZURE_CLIENT_CERTIFICATE has no certificate; it must hold the certificate "
                       "and its private key");
    if (!c->key)
        return err_set(e, ERR_INVALID,
                       "AZURE_CLIENT_CERTIFICATE has no private key that can be read; it must hold "
                       "the certificate and its key, and AZURE_CLIENT_CERTIFICATE_PASSWORD the "
                       "password if there is one");
    /* The client's own certificate comes first, wherever it was in the file. */
    for (size_t i = 0; i < c->count; i++)
        if (X509_check_private_key(c->certs[i], c->key) == 1) {
            X509 *own = c->certs[i];
            c->certs[i] = c->certs[0];
            c->certs[0] = own;
            if (EVP_PKEY_is_a(c->key, "RSA"))
                return true;
            return err_set(e, ERR_INVALID,
                           "the key of the client certificate is not an RSA key, which Microsoft "
                           "Entra needs; make a certificate with one");
        }
    return err_set(e, ERR_INVALID,
                   "the private key in AZURE_CLIENT_CERTIFICATE does not belong to a certificate "
                   "in it");
}

static bool read_any(struct client_cert *c, str data, str password, struct err *e)
{
    AUTO_ARENA secret = arena_new_secret();
    size_t bad;
    str bytes;

    if (data.len > CERT_MAX)
        return err_set(e, ERR_LIMIT, "the client certificate is larger than %zu bytes", CERT_MAX);
    if (!str_contains(data, STR("-----BEGIN")) && !is_der(data) &&
        base64_decode(secret, str_trim(data), &bytes, &bad))
        data = bytes;
    if (str_contains(data, STR("-----BEGIN")))
        read_pem(c, data, password);
    else if (!read_pkcs12(c, data, password, e))
        return false;
    return check(c, e);
}

bool client_cert_read(str data, str password, struct client_cert **out, struct err *e)
{
    struct client_cert *c = block_new(sizeof(*c));
    bool ok;

    *c = (struct client_cert){0};
    ok = read_any(c, data, password, e);
    ERR_clear_error();
    if (!ok) {
        client_cert_free(c);
        return false;
    }
    *out = c;
    return true;
}

/* "2026-03-05T07:08:09Z", or empty. */
static str date_of(struct arena *a, const ASN1_TIME *time)
{
    struct tm tm;

    if (!ASN1_TIME_to_tm(time, &tm))
        return STR("an unknown date");
    return str_fmt(a, "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900, tm.tm_mon + 1,
                   tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

bool client_cert_valid(const struct client_cert *c, int64_t now, struct err *e)
{
    AUTO_ARENA a = arena_new();
    time_t seconds = (time_t)(now / NS_PER_SEC);
    const ASN1_TIME *from = X509_get0_notBefore(c->certs[0]), *to = X509_get0_notAfter(c->certs[0]);

    if (X509_cmp_time(to, &seconds) < 0)
        return err_set(e, ERR_EXPIRED,
                       "the client certificate expired at %.*s; renew it, add it to the "
                       "application and put it into AZURE_CLIENT_CERTIFICATE (or check the clock "
                       "of this machine)",
                       STR_ARG(date_of(a, to)));
    if (X509_cmp_time(from, &seconds) > 0)
        return err_set(e, ERR_INVALID,
                       "the client certificate is not valid before %.*s; check the clock of this "
                       "machine",
                       STR_ARG(date_of(a, from)));
    return true;
}

/* ---- Assertions. ---- */

static str base64_url(struct arena *a, str bytes)
{
    str text = base64_encode(a, bytes);
    char *out = str_z(a, str_trim_set(text, STR("=")));

    for (char *p = out; *p; p++)
        *p = (char)(*p == '+' ? '-' : *p == '/' ? '_' : *p);
    return str_c(out);
}

static str thumbprint(struct arena *a, X509 *cert, const EVP_MD *md)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    X509_digest(cert, md, digest, &len);
    return base64_url(a, str_copy(a, str_of((char *)digest, len)));
}

static str json_text(struct arena *a, const struct value *v)
{
    struct buf out = buf_new(a, CERT_MAX * 2);

    if (!json_write(&out, v, &json_exact, NULL))
        return STR_NONE;
    return buf_str(&out);
}

static str head_of(struct arena *a, const struct client_cert *c,
                   const struct credential_settings *s)
{
    struct value *head = value_object(a), *chain = value_list(a);

    value_set_str(a, head, STR("alg"), s->rs256 ? STR("RS256") : STR("PS256"));
    value_set_str(a, head, STR("typ"), STR("JWT"));
    value_set_str(a, head, STR("x5t"), thumbprint(a, c->certs[0], EVP_sha1()));
    value_set_str(a, head, STR("x5t#S256"), thumbprint(a, c->certs[0], EVP_sha256()));
    for (size_t i = 0; s->send_chain && i < c->count; i++) {
        unsigned char *der = NULL;
        int len = i2d_X509(c->certs[i], &der);
        if (len > 0)
            value_add(
                a, chain,
                value_string(a, base64_encode(a, str_copy(a, str_of((char *)der, (size_t)len)))));
        OPENSSL_free(der);
    }
    if (s->send_chain)
        value_set(a, head, STR("x5c"), chain);
    return json_text(a, head);
}

static str claims_of(struct arena *a, const struct credential_settings *s, str audience,
                     int64_t now)
{
    struct value *claims = value_object(a);
    unsigned char id[16];

    random_bytes(id, sizeof(id));
    value_set_str(a, claims, STR("aud"), audience);
    value_set_str(a, claims, STR("iss"), s->client);
    value_set_str(a, claims, STR("sub"), s->client);
    value_set_str(a, claims, STR("jti"), hex_encode(a, id, sizeof(id)));
    value_set_int(a, claims, STR("nbf"), now / NS_PER_SEC - ASSERTION_SLACK);
    value_set_int(a, claims, STR("exp"), now / NS_PER_SEC + ASSERTION_LIFE);
    return json_text(a, claims);
}

static bool sign(struct arena *a, EVP_PKEY *key, bool rs256, str text, str *out)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    EVP_PKEY_CTX *ctx = NULL;
    size_t len = 0;
    unsigned char *bytes = NULL;
    bool ok = EVP_DigestSignInit(md, &ctx, EVP_sha256(), NULL, key) == 1;

    if (ok && !rs256)
        ok = EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0 &&
             EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, RSA_PSS_SALTLEN_DIGEST) > 0;
    ok = ok && EVP_DigestSign(md, NULL, &len, (const unsigned char *)text.ptr, text.len) == 1;
    if (ok) {
        bytes = arena_alloc(a, len);
        ok = EVP_DigestSign(md, bytes, &len, (const unsigned char *)text.ptr, text.len) == 1;
        *out = base64_url(a, str_of((char *)bytes, len));
    }
    EVP_MD_CTX_free(md);
    ERR_clear_error();
    return ok;
}

bool client_cert_assert(struct arena *a, const struct client_cert *c,
                        const struct credential_settings *settings, str audience, int64_t now,
                        str *out, struct err *e)
{
    str head = base64_url(a, head_of(a, c, settings)),
        claims = base64_url(a, claims_of(a, settings, audience, now)), signature,
        text = str_fmt(a, "%.*s.%.*s", STR_ARG(head), STR_ARG(claims));

    if (!sign(a, c->key, settings->rs256, text, &signature))
        return err_set(e, ERR_INVALID,
                       "the key of the client certificate cannot sign; RSA keys of 2,048 bits and "
                       "more can");
    *out = str_fmt(a, "%.*s.%.*s", STR_ARG(text), STR_ARG(signature));
    return true;
}
