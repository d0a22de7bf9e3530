/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_yaml.c - any bytes as YAML.
 *
 * What can be read has a clean tree, and what can be written of it reads back to an equal tree and
 * the same text. Strict reading accepts only what plain reading accepts. Errors have a text.
 * Streams end.
 */
#include "text/yaml/yaml.h"

static bool check_clean(void *ctx, struct value *v, size_t depth)
{
    (void)ctx;
    if (v->tag || depth > VALUE_DEPTH_MAX)
        abort();
    return true;
}

static void check_round_trip(struct arena *a, const struct value *v)
{
    AUTO_ERR e = {0};
    struct buf first = buf_new(a, BUF_UNLIMITED), second = buf_new(a, BUF_UNLIMITED);
    struct value *again;

    if (!yaml_write(&first, v, NUMBERS_YAML, &e))
        return;
    struct source src = {.text = buf_str(&first)};
    if (!yaml_read(a, &src, NULL, &again, &e) || !yaml_write(&second, again, NUMBERS_YAML, &e))
        abort();
    if (!str_eq(buf_str(&first), buf_str(&second)))
        abort();
}

static void check_stream(struct arena *a, const struct source *src)
{
    struct yaml_stream s = {.src = src};
    struct value *v;

    for (size_t before;;) {
        AUTO_ERR e = {0};
        before = s.offset;
        bool ok = yaml_stream_next(a, &s, &v, &e);
        if (ok && !v)
            return;
        if (s.offset <= before || (!ok && !e.text.len))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct read_options strict = {.duplicates = DUPLICATE_ERROR};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct source src;
    struct value *v, *w;

    if (!yaml_source(a, STR("f"), str_of((const char *)data, size), &src, &e))
        return 0;
    bool ok = yaml_read(a, &src, NULL, &v, &e);
    if (!ok && (!e.text.len || !e.at.line || v))
        abort();
    if (ok) {
        value_walk(v, check_clean, NULL);
        check_round_trip(a, v);
    }
    err_clear(&e);
    if (yaml_read(a, &src, &strict, &w, &e) && (!ok || !value_equal(v, w)))
        abort();
    check_stream(a, &src);
    return 0;
}
