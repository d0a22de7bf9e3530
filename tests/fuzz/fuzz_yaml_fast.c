/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_yaml_fast.c - the reader for documents of the usual kind against the reader proper.
 *
 * Where the first answers, the second must give the same tree: kinds, texts, keys and positions,
 * and nothing may follow the document.
 * Both with the rules of go-yaml 2 and 3, and as a later part of a larger text.
 */
#include "text/yaml/internal.h"

static void check_same(const struct value *x, const struct value *y)
{
    if (x->kind != y->kind || x->pos != y->pos || x->len != y->len || x->tag || y->tag ||
        !str_eq(value_key(x), value_key(y)) || !str_eq(value_text(x), value_text(y)) ||
        (x->kind == VALUE_BOOL && x->truth != y->truth))
        abort();
    for (size_t i = 0; i < value_len(x); i++)
        check_same(&x->items[i], &y->items[i]);
}

static void check(struct arena *a, const struct ypart *part, const struct read_options *opts)
{
    AUTO_ERR e = {0};
    struct value *fast, *proper;

    if (!yaml_fast(a, part, opts, &fast))
        return;
    if (!yaml_read_proper(a, part, opts, &proper, &e))
        abort();
    check_same(fast, proper);
    if (yaml_may_go_on(str_slice(part->src->text, part->from, part->to)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct read_options yaml12 = {.yaml12 = true},
                                     strict = {.duplicates = DUPLICATE_ERROR};
    AUTO_ARENA a = arena_new();
    str text = {(const char *)data, size};
    const struct source whole = {.text = text},
                        later = {.text = str_concat(a, STR("x: y\n"), text)};
    const struct ypart all = {.src = &whole, .to = size};
    const struct ypart rest = {.src = &later, .from = 5, .to = size + 5};

    check(a, &all, NULL);
    check(a, &all, &yaml12);
    check(a, &all, &strict);
    check(a, &rest, NULL);
    return 0;
}
