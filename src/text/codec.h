/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.h - encodings of bytes as text, as in Go's encoding packages.
 *
 * Results live as long as the arena. May be called from any thread.
 */
#pragma once

#include "base/base.h"

/* base64.StdEncoding: with padding, on one line. */
str base64_encode(struct arena *a, str bytes);
/*
 * The reverse; line breaks are skipped. On failure *bad is the offset that Go names: "illegal
 * base64 data at input byte 3".
 */
MUST_CHECK bool base64_decode(struct arena *a, str text, str *out, size_t *bad);

/* Lowercase, two digits per byte. */
str hex_encode(struct arena *a, const unsigned char *bytes, size_t len);

struct pem_block {
    str type;  /* "RSA PRIVATE KEY" */
    str bytes; /* the decoded base64 */
};
/* The first block that Go's encoding/pem finds in text; false when there is none. */
bool pem_decode(struct arena *a, str text, struct pem_block *out);
/* Lines of 64 characters between BEGIN and END. */
str pem_encode(struct arena *a, const struct pem_block *block);
