/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.c - the metadata hash: SHA-256 of the reference as YAML and of its templates in canonical
 * form.
 */
/*
 * The functions for SHA-256 alone: those for any digest read OpenSSL's configuration and load its
 * providers, which takes longer than all the rest of a small comparison.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include "compare/reference/reference_internal.h"
#include "text/yaml/yaml.h"

/* Hashed at once: OpenSSL takes less for one long text than for many short ones. */
#define PIECE (64 * KIB)

static str to_hex(struct arena *a, const unsigned char *bytes, size_t len)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < len; i++)
        buf_fmt(&out, "%02x", bytes[i]);
    return buf_str(&out);
}

bool reference_hash(struct arena *a, const struct reference *r, str *out)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256_CTX sum;
    AUTO_ERR e = {0};

    bool whole = yaml_write(&text, r->written, NUMBERS_GO, &e);
    if (!whole)
        buf_truncate(&text, 0);
    SHA256_Init(&sum);
    for (size_t i = 0; i < r->templates.len; i++) {
        if (text.len >= PIECE) {
            SHA256_Update(&sum, text.data, text.len);
            buf_truncate(&text, 0);
        }
        tmpl_print(r->templates.items[i].set, r->templates.items[i].name, &text);
    }
    SHA256_Update(&sum, text.data, text.len);
    SHA256_Final(digest, &sum);
    *out = to_hex(a, digest, sizeof(digest));
    return whole;
}
