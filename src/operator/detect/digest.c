/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c - keyed digests, by which long and secret values are kept and compared. */
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "operator/detect/internal.h"
#include "text/codec.h"
#include "text/json/json.h"

str detect_digest(struct arena *a, str key, const struct value *v)
{
    static const struct json_style sorted = {.sorted = true};
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (!v || !json_write(&b, v, &sorted, NULL))
        return STR_NONE;
    str text = buf_str(&b);
    HMAC(EVP_sha256(), key.ptr ? key.ptr : "", (int)key.len, (const unsigned char *)text.ptr,
         text.len, sum, &len);
    str hex = hex_encode(a, sum, len);
    return str_concat(a, STR("sha256:"), hex);
}
