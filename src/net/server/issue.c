/* SPDX-License-Identifier: Apache-2.0 */
/* issue.c - issues certificates from a private CA; see issue.h. */
/* Must precede our headers, which poison names that these use. */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "net/server/issue.h"

#include <arpa/inet.h>

#define EARLIER_S (-3600L)
#define LIFETIME_S (3650L * 24 * 3600)

/* One certificate in the making; everything in it is freed by finish. */
struct issuing {
    struct arena *arena;
    X509 *cert, *issuer;
    EVP_PKEY *key, *issuer_key;
    bool failed;
};

static str take_text(struct arena *a, BIO *bio)
{
    char *data;
    long len = BIO_get_mem_data(bio, &data);
    str text = str_copy(a, str_of(data, len > 0 ? (size_t)len : 0));

    BIO_free(bio);
    return text;
}

static X509 *read_cert(str pem)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);

    BIO_free(bio);
    return cert;
}

/* A key with a password would make the library ask the terminal. */
static int no_password(char *out, int size, int writing, void *ctx)
{
    (void)out, (void)size, (void)writing, (void)ctx;
    return -1;
}

static EVP_PKEY *read_key(str pem)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);

    BIO_free(bio);
    return key;
}

static void add_name(struct issuing *i, const char *field, str value)
{
    if (value.len &&
        !X509_NAME_add_entry_by_txt(X509_get_subject_name(i->cert), field, MBSTRING_UTF8,
                                    (const unsigned char *)value.ptr, (int)value.len, -1, 0))
        i->failed = true;
}

static void add_extension(struct issuing *i, int nid, const char *value)
{
    X509V3_CTX ctx;

    X509V3_set_ctx(&ctx, i->issuer, i->cert, NULL, NULL, 0);
    X509_EXTENSION *x = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    if (!x || !X509_add_ext(i->cert, x, -1))
        i->failed = true;
    X509_EXTENSION_free(x);
}

/* Positive, and unique. */
static void set_serial(struct issuing *i)
{
    unsigned char bytes[16];
    BIGNUM *n;

    random_bytes(bytes, sizeof(bytes));
    bytes[0] &= 0x7f;
    n = BN_bin2bn(bytes, sizeof(bytes), NULL);
    if (!n || !BN_to_ASN1_INTEGER(n, X509_get_serialNumber(i->cert)))
        i->failed = true;
    BN_free(n);
}

/* Without ca it will sign itself. */
static struct issuing begin(struct arena *a, const struct issued *ca)
{
    struct issuing i = {.arena = a, .cert = X509_new(), .key = EVP_EC_gen("P-256")};

    i.issuer = ca ? read_cert(ca->cert) : i.cert;
    i.issuer_key = ca ? read_key(ca->key) : i.key;
    i.failed = !i.cert || !i.key || !i.issuer || !i.issuer_key;
    if (i.failed)
        return i;
    X509_set_version(i.cert, 2);
    set_serial(&i);
    X509_gmtime_adj(X509_getm_notBefore(i.cert), EARLIER_S);
    if (ca)
        X509_set1_notAfter(i.cert, X509_get0_notAfter(i.issuer));
    else
        X509_gmtime_adj(X509_getm_notAfter(i.cert), LIFETIME_S);
    X509_set_pubkey(i.cert, i.key);
    return i;
}

static void write_pem(struct issuing *i, struct issued *out)
{
    BIO *cert = BIO_new(BIO_s_mem()), *key = BIO_new(BIO_s_mem());

    if (!PEM_write_bio_X509(cert, i->cert) ||
        !PEM_write_bio_PrivateKey(key, i->key, NULL, NULL, 0, NULL, NULL))
        i->failed = true;
    out->cert = take_text(i->arena, cert);
    out->key = take_text(i->arena, key);
}

static bool finish(struct issuing *i, struct issued *out, struct err *e)
{
    if (!i->failed) {
        X509_set_issuer_name(i->cert, X509_get_subject_name(i->issuer));
        i->failed = !X509_sign(i->cert, i->issuer_key, EVP_sha256());
    }
    if (!i->failed)
        write_pem(i, out);
    if (i->issuer != i->cert) {
        X509_free(i->issuer);
        EVP_PKEY_free(i->issuer_key);
    }
    X509_free(i->cert);
    EVP_PKEY_free(i->key);
    ERR_clear_error();
    return !i->failed || err_set(e, ERR_INVALID, "cannot make a certificate");
}

bool issue_authority(struct arena *a, str name, struct issued *out, struct err *e)
{
    struct issuing i = begin(a, NULL);

    if (!i.failed) {
        add_name(&i, "CN", name);
        add_extension(&i, NID_basic_constraints, "critical,CA:TRUE");
        add_extension(&i, NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature");
        add_extension(&i, NID_subject_key_identifier, "hash");
    }
    return finish(&i, out, e);
}

static bool is_address(struct arena *a, str host)
{
    unsigned char bytes[16];
    const char *text = str_z(a, host);

    return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

static const char *alternative_names(struct arena *a, const str *hosts, size_t count)
{
    struct buf b = buf_new(a, 64 * KIB);

    for (size_t i = 0; i < count; i++)
        buf_fmt(&b, "%s%s:%.*s", i ? "," : "", is_address(a, hosts[i]) ? "IP" : "DNS",
                STR_ARG(hosts[i]));
    return str_z(a, buf_str(&b));
}

static void begin_leaf(struct issuing *i, const char *use)
{
    add_extension(i, NID_basic_constraints, "critical,CA:FALSE");
    add_extension(i, NID_key_usage, "critical,digitalSignature");
    add_extension(i, NID_ext_key_usage, use);
    add_extension(i, NID_authority_key_identifier, "keyid");
}

bool issue_for_server(struct arena *a, const struct issued *ca, const str *hosts, size_t count,
                      struct issued *out, struct err *e)
{
    struct issuing i = begin(a, ca);

    if (!i.failed) {
        add_name(&i, "CN", STR("server"));
        begin_leaf(&i, "serverAuth");
        add_extension(&i, NID_subject_alt_name, alternative_names(a, hosts, count));
    }
    return finish(&i, out, e);
}

bool issue_for_client(struct arena *a, const struct issued *ca, str name, str group,
                      struct issued *out, struct err *e)
{
    struct issuing i = begin(a, ca);

    if (!i.failed) {
        add_name(&i, "O", group);
        add_name(&i, "CN", name);
        begin_leaf(&i, "clientAuth");
    }
    return finish(&i, out, e);
}

int64_t issue_end(str cert)
{
    X509 *x = read_cert(cert);
    struct tm tm;
    bool ok = x && ASN1_TIME_to_tm(X509_get0_notAfter(x), &tm);

    X509_free(x);
    ERR_clear_error();
    return ok ? (int64_t)timegm(&tm) * NS_PER_SEC : 0;
}

bool issue_check(const struct issued *pair, struct err *e)
{
    X509 *cert = read_cert(pair->cert);
    EVP_PKEY *key = read_key(pair->key);
    bool fits = cert && key && X509_check_private_key(cert, key) == 1;

    X509_free(cert);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return fits || err_set(e, ERR_INVALID, "the certificate and key do not belong together");
}
