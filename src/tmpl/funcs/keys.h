/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.h - makes, reads and writes private keys like Sprig.
 *
 * A key is freed with EVP_PKEY_free. May be called from any thread.
 */
#pragma once

#include "tmpl/funcs/crypto.h"

#include "base/base.h"

/* NULL if OpenSSL fails. */
EVP_PKEY *key_new_rsa(unsigned bits);
EVP_PKEY *key_new_dsa(void);
/* These two use the randomness of base/clock.h, so that tests are repeatable. */
EVP_PKEY *key_new_p256(void);
EVP_PKEY *key_new_ed25519(void);

/* "RSA PRIVATE KEY", "DSA PRIVATE KEY", "EC PRIVATE KEY" or else PKCS#8. */
str key_write(struct arena *a, EVP_PKEY *key);
/* PEM from the output of an OpenSSL encoder, which is freed; empty if that failed (len below 1). */
str pem_of_der(struct arena *a, str type, unsigned char *bytes, int len);
/* Reads the first PEM block of text. On failure *why is Go's error. */
MUST_CHECK bool key_read(struct arena *a, str text, EVP_PKEY **out, str *why);

/*
 * The error of Go's asn1 package about the outermost SEQUENCE of bytes that could not be read as
 * the Go type name.
 */
str asn1_fault(struct arena *a, str bytes, const char *name);
