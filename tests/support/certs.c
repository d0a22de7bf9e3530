/* SPDX-License-Identifier: Apache-2.0 */
/* certs.c - creates certificates on the fly; see certs.h. */
/* Must precede our headers, which poison names that these use. */
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "support/certs.h"

static str take_text(struct arena *a, BIO *bio)
{
    char *data;
    long len = BIO_get_mem_data(bio, &data);
    str text = str_copy(a, str_of(data, (size_t)len));

    BIO_free(bio);
    return text;
}

static struct test_cert to_pem(struct arena *a, X509 *cert, EVP_PKEY *key)
{
    BIO *c = BIO_new(BIO_s_mem()), *k = BIO_new(BIO_s_mem());

    PEM_write_bio_X509(c, cert);
    PEM_write_bio_PrivateKey(k, key, NULL, NULL, 0, NULL, NULL);
    return (struct test_cert){take_text(a, c), take_text(a, k)};
}

static void add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;

    X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *x = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    X509_add_ext(cert, x, -1);
    X509_EXTENSION_free(x);
}

static X509 *new_cert(const char *name, EVP_PKEY *key, long from, long to)
{
    static long serial = 1;
    X509 *cert = X509_new();

    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), serial++);
    X509_gmtime_adj(X509_getm_notBefore(cert), from);
    X509_gmtime_adj(X509_getm_notAfter(cert), to);
    X509_set_pubkey(cert, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
                               (const unsigned char *)name, -1, -1, 0);
    return cert;
}

struct test_cert test_ca(struct arena *a, const char *name)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = new_cert(name, key, -3600, 86400);

    X509_set_issuer_name(cert, X509_get_subject_name(cert));
    add_extension(cert, cert, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(cert, cert, NID_key_usage, "critical,keyCertSign");
    X509_sign(cert, key, EVP_sha256());
    struct test_cert pem = to_pem(a, cert, key);
    X509_free(cert);
    EVP_PKEY_free(key);
    return pem;
}

struct test_cert test_leaf(struct arena *a, const struct test_cert *ca, const char *common_name,
                           const char *names, long from, long to)
{
    BIO *c = BIO_new_mem_buf(ca->cert.ptr, (int)ca->cert.len);
    BIO *k = BIO_new_mem_buf(ca->key.ptr, (int)ca->key.len);
    X509 *issuer = PEM_read_bio_X509(c, NULL, NULL, NULL);
    EVP_PKEY *issuer_key = PEM_read_bio_PrivateKey(k, NULL, NULL, NULL);
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = new_cert(common_name, key, from, to);

    X509_set_issuer_name(cert, X509_get_subject_name(issuer));
    add_extension(cert, issuer, NID_ext_key_usage, "serverAuth,clientAuth");
    if (names)
        add_extension(cert, issuer, NID_subject_alt_name, names);
    X509_sign(cert, issuer_key, EVP_sha256());
    struct test_cert pem = to_pem(a, cert, key);
    X509_free(cert);
    X509_free(issuer);
    EVP_PKEY_free(key);
    EVP_PKEY_free(issuer_key);
    BIO_free(c);
    BIO_free(k);
    return pem;
}
