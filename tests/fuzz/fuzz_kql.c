/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_kql.c - queries of Resource Graph: parsed, and run over a few rows. */
#include "sim/kql.h"

#include "text/json/json.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char rows[] =
        "[{\"id\":\"/a\",\"name\":\"x\",\"type\":\"a/b\",\"tags\":{\"o\":\"me\"},\"n\":3},"
        "{\"id\":\"/b\",\"name\":\"Y\",\"properties\":{\"p\":[1,2]},\"n\":null}]";
    AUTO_ARENA a = arena_new();
    struct source src = {.text = str_c(rows)};
    struct kql_fault fault;
    struct value *v;
    struct kql *q;

    if (!json_read(a, &src, NULL, &v, NULL))
        return 0;
    if (kql_parse(a, str_of((const char *)data, size), &q, &fault))
        assert(value_is(kql_run(a, q, v), VALUE_LIST));
    else
        assert(fault.code && fault.line >= 1);
    return 0;
}
