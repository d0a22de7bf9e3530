/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_toml_read.c - any text as TOML.
 *
 * Reading never breaks: a tree appears, or an error that names a line. What was read can be
 * written, and what was written of it reads back to the same tree, as far as TOML can hold it.
 */
#include "text/toml/toml.h"

static bool holds_more_than_json(void *ctx, struct value *v, size_t depth)
{
    bool *found = ctx;

    (void)depth;
    *found = *found || (v->kind == VALUE_STRING && toml_kind(v) != TOML_PLAIN);
    return !*found;
}

/* Texts that the writer may not give back as they were: floats lose their spelling. */
static void check_round_trip(struct arena *a, struct value *v)
{
    struct buf out = buf_new(a, 8 * MIB);
    struct source src = {0};
    struct value *again;
    bool more = false;
    AUTO_ERR e = {0};

    value_walk(v, holds_more_than_json, &more);
    if (more || !toml_write(&out, v, NUMBERS_GO, &e) || out.overflow)
        return;
    src.text = buf_str(&out);
    if (!toml_read(a, &src, &again, &e)) {
        /* Names of nested tables may grow beyond what is read, and quirks of keys are Go's too. */
        return;
    }
    if (!value_equal(v, again))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct source src = {.text = str_of((const char *)data, size)};
    struct value *v;

    if (toml_read(a, &src, &v, &e)) {
        if (v->kind != VALUE_OBJECT || e.text.len)
            abort();
        check_round_trip(a, v);
    } else if (!str_has_prefix(e.text, STR("toml: line "))) {
        abort();
    }
    return 0;
}
