/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_compare.c - whatever the bytes: a metadata file, a stream of objects, and a pattern of an
 * inline function. Objects that were accepted have an identity and can be written.
 */
#include "compare/internal.h"
#include "text/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_reference(struct arena *a, const struct reference_version *version, str text)
{
    struct reference r = {.omit_lists = map_new(a)};
    struct journal j = {.arena = a};
    struct value *doc;
    AUTO_ERR e = {0};

    if (strict_read(a, STR("m.yaml"), text, version->schema, &doc, &e) && doc &&
        reference_build(a, version, doc, &j, &r, &e))
        assert(r.written);
}

static void try_stream(struct arena *a, str text, bool improved)
{
    struct objects objects = {0};
    struct journal j = {.arena = a};
    struct result_verdict verdict = {0};
    struct input in = {
        .arena = a, .objects = &objects, .journal = &j, .verdict = improved ? &verdict : NULL};

    stream_read(&in, STR("in.yaml"), text);
    assert(verdict.skipped + verdict.failed >= verdict.notes.len);
    for (size_t i = 0; i < objects.len; i++) {
        struct object *o = &objects.items[i];
        assert(o->identity.kind.len && str_eq(o->id, object_id(a, o->root)));
        (void)slug_make(a, o->id);
    }
    for (size_t i = 0; i < in.errors.items.len; i++)
        (void)error_ignorable(in.errors.items.items[i], &j);
}

static void try_inline(struct arena *a, str text)
{
    struct captures c = {.arena = a};
    struct journal j = {.arena = a};
    str pattern, value;

    str_cut(text, STR("\n"), &pattern, &value);
    (void)inline_regex.compare(a, pattern, value, &c, &j);
    (void)inline_capturegroups.compare(a, pattern, value, &c, &j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str text = str_of((const char *)data, size);

    if (size > 4096)
        return 0;
    try_reference(a, &reference_v1, text);
    try_reference(a, &reference_v2, text);
    try_stream(a, text, false);
    try_stream(a, text, true);
    try_inline(a, text);
    return 0;
}
