/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_compare.c - whatever the bytes: a metadata file, a stream of objects, and a pattern of an
 * inline function. Objects that were accepted have an identity and can be written.
 */
#include "compare/pair/difftool_internal.h"
#include "compare/pair/inline_internal.h"
#include "compare/input/input_internal.h"
#include "compare/log_buffer_internal.h"
#include "compare/input/object_internal.h"
#include "compare/reference/reference_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "go/decode.h"
#include "compare/input/stream.h"
#include "text/yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_reference(struct arena *a, const struct reference_version *version, str text)
{
    const struct yaml_file file = {.name = STR("m.yaml"), .text = text};
    struct reference r = {.omit_lists = map_new(a)};
    struct log_buffer log = {.arena = a};
    struct value *doc;
    AUTO_ERR e = {0};

    if (strict_read(a, &file, version->schema, &doc, &e) && doc &&
        reference_build(a, version, doc, &log, &r, &e))
        assert(r.written);
}

struct whole_reader {
    struct reader base;
    str rest;
};

static bool read_some(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct whole_reader *t = (struct whole_reader *)r;

    (void)e;
    *got = t->rest.len < size ? t->rest.len : size;
    if (*got)
        memcpy(to, t->rest.ptr, *got);
    t->rest = str_from(t->rest, *got);
    return true;
}

static void try_stream(struct arena *a, str text, bool native)
{
    struct whole_reader bytes = {.base = {.read = read_some}, .rest = text};
    struct input in = {
        .arena = a, .dialect = native ? &dialect_native : &dialect_original, .log = {.arena = a}};
    struct stream *s = stream_new(a);
    struct document doc;

    stream_begin(s, STR("in.yaml"), &bytes.base);
    while (stream_next(s, &in, &doc)) {
        document_read(&in, &doc);
        /* As run.c does: a document without content is none. */
        if (!doc.failed && doc.root->kind != VALUE_NULL)
            object_add(&in, &doc);
        else if (doc.failed && !native)
            break;
    }
    stream_free(s);
    for (size_t i = 0; i < in.objects.len; i++) {
        struct object *o = &in.objects.items[i];
        assert(o->identity.kind.len && str_eq(o->id, object_id(a, o->root)));
        (void)slug_make(a, o->id);
    }
    for (size_t i = 0; i < in.faults.len; i++)
        (void)error_ignorable(in.faults.items[i].text, &in.log);
}

static void try_inline(struct arena *a, str text)
{
    struct captures c = {.arena = a, .left = INLINE_COST_MAX};
    struct log_buffer log = {.arena = a};
    str pattern, value;

    str_cut(text, STR("\n"), &pattern, &value);
    (void)inline_regex.compare(a, pattern, value, &c, &log);
    (void)inline_capturegroups.compare(a, pattern, value, &c, &log);
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
