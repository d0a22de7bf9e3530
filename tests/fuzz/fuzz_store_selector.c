/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_store_selector.c - three lines, a label selector, a field selector and an object: both are
 * rejected with a 400, or the object is selected or not.
 */
#include "store/internal.h"

#include "text/json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str labels, fields, text = str_of((const char *)data, size), rest;
    struct handler_call call = {.arena = a};
    struct store_type type = {.builtin = &store_builtins[0], .namespaced = true};
    struct store_shape_version as = {.name = STR("v1")};
    struct store_request r = {.arena = a, .call = &call, .type = &type, .as = &as};
    struct store_selector *selector = NULL;
    struct value *object = NULL;

    str_cut(text, STR("\n"), &labels, &rest);
    str_cut(rest, STR("\n"), &fields, &rest);
    if (!store_selector_read(&r, labels, fields, &selector)) {
        if (call.status != 400)
            abort();
        return 0;
    }
    const struct source src = {.text = rest};
    if (json_read(a, &src, NULL, &object, NULL) && value_is(object, VALUE_OBJECT) &&
        store_selector_fits(selector, object) !=
            store_selector_fits(store_selector_copy(a, selector), object))
        abort();
    return 0;
}
