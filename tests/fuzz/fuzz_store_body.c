/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_store_body.c - any bytes as an object in Kubernetes' protobuf: a tree that can be written.
 */
#include "store/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct value *v = NULL;

    if (!store_protobuf_read(a, str_of((const char *)data, size), &v, &e))
        return 0;
    store_write_json(&b, v);
    if (utf8_find_invalid(buf_str(&b)) != STR_NPOS)
        abort();
    return 0;
}
