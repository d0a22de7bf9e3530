/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_toml.c - any JSON as TOML.
 *
 * Writing never breaks, whatever the tree: text appears, or an error. The order of members does not
 * matter, and a null member of the root is as good as none.
 */
#include "text/json/json.h"
#include "text/toml/toml.h"

#define OUT_MAX (4 * MIB) /* names of nested tables grow with the square of the depth */

static bool write_toml(struct arena *a, const struct value *v, enum number_rule rule, str *out)
{
    AUTO_ERR e = {0};
    struct buf b = buf_new(a, OUT_MAX);

    bool ok = toml_write(&b, v, rule, &e);
    if (ok != !e.text.len)
        abort();
    *out = buf_str(&b);
    return ok;
}

/* The same members the other way round, and a null in addition. */
static struct value *turned(struct arena *a, const struct value *v)
{
    struct value *out = value_object(a);

    value_set(a, out, STR("\x01 null"), value_null(a));
    for (size_t i = v->len; i > 0; i--)
        value_set(a, out, value_key(&v->items[i - 1]), &v->items[i - 1]);
    return out;
}

static void check_order(struct arena *a, const struct value *v)
{
    str one, two;

    if (v->kind != VALUE_OBJECT || value_get(v, STR("\x01 null")))
        return;
    bool ok = write_toml(a, v, NUMBERS_GO, &one);
    if (ok != write_toml(a, turned(a, v), NUMBERS_GO, &two) || (ok && !str_eq(one, two)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    const struct source src = {.text = str_of((const char *)data, size)};
    struct value *v;
    str out;

    if (!json_read(a, &src, NULL, &v, NULL))
        return 0;
    (void)write_toml(a, v, NUMBERS_FLOAT, &out);
    (void)write_toml(a, v, NUMBERS_EXACT, &out);
    check_order(a, v);
    return 0;
}
