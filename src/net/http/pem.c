/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pem.c - checks certificates and keys before curl sees them, in Go's words, because curl only
 * says that a blob could not be loaded.
 */
/* Must precede our headers, which poison names that these use. */
#include <openssl/err.h>
#include <openssl/pem.h>

#include "net/http/http_internal.h"

static BIO *open_text(str text)
{
    return BIO_new_mem_buf(text.ptr, text.len > INT32_MAX ? INT32_MAX : (int)text.len);
}

/* Keys with a password would make OpenSSL ask the terminal. */
static int no_password(char *out, int size, int writing, void *ctx)
{
    (void)out, (void)size, (void)writing, (void)ctx;
    return -1;
}

static X509 *read_certificate(str pem)
{
    BIO *bio = open_text(pem);
    X509 *cert = PEM_read_bio_X509(bio, NULL, no_password, NULL);

    BIO_free(bio);
    ERR_clear_error();
    return cert;
}

static EVP_PKEY *read_key(str pem)
{
    BIO *bio = open_text(pem);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);

    BIO_free(bio);
    ERR_clear_error();
    return key;
}

static bool check_pair(X509 *cert, EVP_PKEY *key, struct err *e)
{
    if (!cert)
        return err_set(e, ERR_INVALID, "tls: failed to find any PEM data in certificate input");
    if (!key)
        return err_set(e, ERR_INVALID, "tls: failed to find any PEM data in key input");
    if (X509_check_private_key(cert, key) != 1) {
        ERR_clear_error();
        return err_set(e, ERR_INVALID, "tls: private key does not match public key");
    }
    return true;
}

bool http_tls_check(const struct http_tls *tls, struct err *e)
{
    if (tls->ca.text.len) {
        X509 *ca = read_certificate(tls->ca.text);
        X509_free(ca);
        if (!ca)
            return err_set(e, ERR_INVALID,
                           "unable to load root certificates: unable to parse bytes as PEM block");
    }
    if (!tls->cert.text.len || !tls->key.text.len)
        return true;
    X509 *cert = read_certificate(tls->cert.text);
    EVP_PKEY *key = read_key(tls->key.text);
    bool ok = check_pair(cert, key, e);
    X509_free(cert);
    EVP_PKEY_free(key);
    return ok;
}
