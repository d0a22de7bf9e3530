/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crypto.h - OpenSSL, for the families that use it.
 *
 * Include this before any header of base: OpenSSL's headers use a parameter name that banned.h
 * forbids.
 */
#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* Call this before any function of OpenSSL. May be called repeatedly and from any thread. */
void crypto_start(void);
