/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_jsonpatch.c - any two texts as document and patch, split at the first line break.
 *
 * Whatever comes out is JSON. A result has nothing left to change: an empty patch gives it back. A
 * merge patch that was created from two documents turns one into the other, as far as merge
 * patches can (not when there are nulls). Merging a patch a third time changes nothing; the second
 * time may, because nulls in a list that replaces an object go only then.
 */
#include "text/json/json.h"
#include "text/patch/patch.h"

static const struct read_options go_reading = {.go = true, .any_number = true};

static struct value *must_read(struct arena *a, str text)
{
    const struct source src = {.text = text};
    struct value *v;

    if (!json_read(a, &src, &go_reading, &v, NULL))
        abort();
    return v;
}

static void must_equal(str x, str y)
{
    if (!str_eq(x, y))
        abort();
}

static void check_apply(struct arena *a, str doc, str text)
{
    AUTO_ERR e = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED), again = buf_new(a, BUF_UNLIMITED);
    struct patch *p, *nothing;

    if (!patch_read(a, text, &p, &e) || !patch_read(a, STR("[]"), &nothing, NULL))
        return;
    if (!patch_apply(p, doc, &out, &e) || !out.len) {
        assert(!out.len);
        return;
    }
    must_read(a, buf_str(&out));
    if (!patch_apply(nothing, buf_str(&out), &again, &e))
        abort();
    must_equal(buf_str(&out), buf_str(&again));
}

static str must_merge(struct arena *a, str doc, str patch)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (!patch_merge(doc, patch, &out, NULL))
        abort();
    must_read(a, buf_str(&out));
    return buf_str(&out);
}

static void check_merge(struct arena *a, str doc, str patch)
{
    struct buf first = buf_new(a, BUF_UNLIMITED);

    if (!patch_merge(doc, patch, &first, NULL))
        return;
    str second = must_merge(a, buf_str(&first), patch);
    str third = must_merge(a, second, patch);
    if (!value_equal(must_read(a, second), must_read(a, third)))
        abort();
}

static bool note_null(void *ctx, struct value *v, size_t depth)
{
    (void)depth;
    if (v->kind == VALUE_NULL)
        *(bool *)ctx = true;
    return true;
}

static void check_create(struct arena *a, str old, str new_)
{
    struct buf diff = buf_new(a, BUF_UNLIMITED), out = buf_new(a, BUF_UNLIMITED);
    struct buf rest = buf_new(a, BUF_UNLIMITED);
    bool nulls = false;

    if (!patch_create_merge(old, new_, &diff, NULL))
        return;
    struct value *want = must_read(a, new_);
    must_read(a, buf_str(&diff));
    value_walk(want, note_null, &nulls);
    if (nulls || want->kind != VALUE_OBJECT || !patch_merge(old, buf_str(&diff), &out, NULL))
        return;
    if (!patch_create_merge(buf_str(&out), new_, &rest, NULL))
        abort();
    must_equal(buf_str(&rest), STR("{}"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str doc, patch;

    str_cut(str_of((const char *)data, size), STR("\n"), &doc, &patch);
    check_apply(a, doc, patch);
    check_merge(a, doc, patch);
    check_create(a, doc, patch);
    return 0;
}
