/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.h - private keys: making, reading and writing them as Sprig does.
 *
 * A key is freed with EVP_PKEY_free. May be called from any thread.
 */
#pragma once

#include "tmpl/funcs/crypto.h"

#include "base/base.h"

/* NULL when OpenSSL fails. */
EVP_PKEY *key_new_rsa(unsigned bits);
EVP_PKEY *key_new_dsa(void);
/* These two are made of base/clock.h's randomness, so that tests can repeat them. */
EVP_PKEY *key_new_p256(void);
EVP_PKEY *key_new_ed25519(void);

/* "RSA PRIVATE KEY", "DSA PRIVATE KEY", "EC PRIVATE KEY" or else PKCS#8. */
str key_write(struct arena *a, EVP_PKEY *key);
/* PEM of what an encoder of OpenSSL has made, which is freed; empty when it failed (len below 1).
 */
str pem_of_der(struct arena *a, str type, unsigned char *bytes, int len);
/* The first PEM block of text. On failure *why is what Go says. */
MUST_CHECK bool key_read(struct arena *a, str text, EVP_PKEY **out, str *why);

/*
 * What Go's asn1 package finds wrong with the outermost SEQUENCE of bytes that could not be read as
 * the Go type name.
 */
str asn1_fault(struct arena *a, str bytes, const char *name);
