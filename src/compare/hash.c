/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.c - the metadata hash: SHA-256 of the reference as YAML and of its templates in canonical
 * form.
 */
#include <openssl/evp.h>

#include "compare/reference.h"
#include "compare/journal.h"
#include "text/yaml.h"

static str to_hex(struct arena *a, const unsigned char *bytes, size_t len)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < len; i++)
        buf_fmt(&out, "%02x", bytes[i]);
    return buf_str(&out);
}

str reference_hash(struct arena *a, const struct reference *r, struct journal *j)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int len = 0;
    AUTO_ERR e = {0};

    if (!yaml_write(&text, r->written, NUMBERS_GO, &e)) {
        buf_truncate(&text, 0);
        journal_warn(j, "There was an error in hashing the reference, don't trust the hash");
    }
    for (size_t i = 0; i < r->templates.len; i++)
        tmpl_print(r->templates.items[i].set, r->templates.items[i].name, &text);
    EVP_Digest(text.data, text.len, digest, &len, EVP_sha256(), NULL);
    return to_hex(a, digest, len);
}
