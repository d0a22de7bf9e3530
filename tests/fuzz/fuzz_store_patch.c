/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_store_patch.c - two lines, an object and a strategic merge patch: what comes out is an
 * object, and a patch without directives that is applied twice changes nothing the second time.
 */
#include "store/internal.h"

#include "text/json/json.h"

static struct value *parsed(struct arena *a, str text)
{
    const struct source src = {.text = text};
    struct value *v = NULL;

    return json_read(a, &src, NULL, &v, NULL) && value_is(v, VALUE_OBJECT) ? v : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str first, second, text = str_of((const char *)data, size);
    struct value *old, *patch, *once, *twice;

    str_cut(text, STR("\n"), &first, &second);
    old = parsed(a, first);
    patch = parsed(a, second);
    if (!old || !patch)
        return 0;
    once = store_strategic_merge(a, old, patch);
    twice = store_strategic_merge(a, once, patch);
    if (!value_is(once, VALUE_OBJECT))
        abort();
    if (str_find_char(second, '$') == STR_NPOS && str_find_char(second, '\\') == STR_NPOS &&
        !value_equal(once, twice))
        abort();
    return 0;
}
