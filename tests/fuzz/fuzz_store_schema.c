/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_store_schema.c - two lines, a schema and an object: it is pruned, defaulted, validated and
 * shown by the paths of columns, which are the strings of the object. Doing the first two again
 * changes nothing.
 */
#include "store/internal.h"

#include "text/json/json.h"

static struct value *parsed(struct arena *a, str text)
{
    const struct source src = {.text = text};
    struct value *v = NULL;

    return json_read(a, &src, NULL, &v, NULL) && value_is(v, VALUE_OBJECT) ? v : NULL;
}

struct columns {
    struct arena *arena;
    const struct value *object;
};

static bool show(void *ctx, struct value *v, size_t depth)
{
    struct columns *c = ctx;

    (void)depth;
    if (value_is(v, VALUE_STRING))
        (void)store_json_path(c->arena, c->object, value_str(v));
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str first, second, text = str_of((const char *)data, size);
    struct store s = {.regexes = store_regexes_new()};
    struct store_shape_version as = {.name = STR("v1")};
    struct store_errors errors = {.arena = a};
    struct value *object;

    str_cut(text, STR("\n"), &first, &second);
    as.schema = parsed(a, first);
    object = parsed(a, second);
    if (as.schema && object) {
        store_prune(a, &as, object, NULL);
        store_default(a, &as, object);
        store_validate(&s, &as, NULL, object, &errors);
        store_validate(&s, &as, object, object, &errors);
        (void)store_errors_text(a, &errors);
        struct columns c = {a, object};
        value_walk(object, show, &c);
    }
    store_regexes_free(s.regexes);
    return 0;
}
