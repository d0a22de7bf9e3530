/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_archive.c - any bytes as an archive.
 *
 * Members end, have names that do not lead out, and their documents can be read or have a fault
 * with a text. The first byte chooses how many bytes come at a time, and whether they can be read
 * in any order.
 */
#include "compare/input/input_internal.h"
#include "archive/archive.h"

struct bytes {
    struct reader base;
    str text;
    size_t at, step;
};

static bool read_bytes(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct bytes *b = (struct bytes *)r;
    str rest = str_from(b->text, b->at);

    (void)e;
    *got = size < b->step ? size : b->step;
    *got = rest.len < *got ? rest.len : *got;
    if (*got)
        memcpy(to, rest.ptr, *got);
    b->at += *got;
    return true;
}

static int64_t seek_bytes(struct reader *r, int64_t offset, int whence)
{
    struct bytes *b = (struct bytes *)r;
    int64_t from = whence == SEEK_SET ? 0 : (int64_t)(whence == SEEK_CUR ? b->at : b->text.len);

    if (from + offset < 0)
        return -1;
    b->at = (size_t)(from + offset);
    return from + offset;
}

static void read_documents(struct arena *a, struct stream *s, const struct pack_member *m)
{
    struct document doc;

    stream_begin(s, m->name, m->reader);
    for (;;) {
        struct input in = {.arena = a, .dialect = &dialect_native, .log = {.arena = a}};
        if (!stream_next(s, &in, &doc))
            return;
        document_read(&in, &doc);
        if (doc.failed != (in.faults.len > 0) || (doc.failed && !in.faults.items[0].text.len))
            abort();
        if (!doc.failed && doc.root->kind != VALUE_NULL)
            object_add(&in, &doc);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    struct bytes b = {.base = {.read = read_bytes}, .step = 1};
    struct pack_member member;
    struct stream *s = stream_new(a);

    if (size) {
        b.text = str_of((const char *)data + 1, size - 1);
        b.step = 1 + (data[0] & 0x7F) * 100;
        b.base.seek = data[0] & 0x80 ? seek_bytes : NULL;
    }
    struct pack *p = pack_open(a, STR("a"), &b.base, PACK_FOR_DOCUMENTS);
    while (pack_next(p, a, &member)) {
        if (!member.name.len && member.reason.len)
            abort();
        if (member.kind == PACK_DOCUMENTS)
            read_documents(a, s, &member);
    }
    pack_close(p);
    stream_free(s);
    return 0;
}
