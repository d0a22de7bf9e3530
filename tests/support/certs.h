/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certs.h - creates certificates on the fly, for tests of TLS. Keys are on P-256, which takes less
 * than a millisecond. Results live as long as a.
 */
#pragma once

#include "base/base.h"

struct test_cert {
    str cert, key; /* PEM */
};

/* A self-signed CA. */
struct test_cert test_ca(struct arena *a, const char *name);
/*
 * A certificate signed by ca, for servers and clients: names is a list in OpenSSL's syntax
 * ("DNS:localhost,IP:127.0.0.1"), from and to are seconds from now.
 */
struct test_cert test_leaf(struct arena *a, const struct test_cert *ca, const char *common_name,
                           const char *names, long from, long to);
