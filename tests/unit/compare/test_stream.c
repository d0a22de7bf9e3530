/* SPDX-License-Identifier: Apache-2.0 */
/* test_stream.c - documents with faults, in the original's dialect and in ours. */
#include "../test.h"

#include "compare/input/input_internal.h"
#include "compare/input/stream.h"

/* Bytes in memory, a few at a time. */
struct slow_reader {
    struct reader base;
    str rest;
};

static bool read_some(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct slow_reader *t = (struct slow_reader *)r;

    (void)e;
    *got = t->rest.len < size ? t->rest.len : size;
    *got = *got < 5 ? *got : 5;
    memcpy(to, t->rest.ptr, *got);
    t->rest = str_from(t->rest, *got);
    return true;
}

/* How many faults cost so much. */
static size_t losses(const struct input *in, enum input_loss loss)
{
    size_t n = 0;

    for (size_t i = 0; i < in->faults.len; i++)
        n += in->faults.items[i].loss == loss;
    return n;
}

static void read(struct input *in, struct arena *a, const char *text, bool native)
{
    struct slow_reader bytes = {.base = {.read = read_some}, .rest = str_c(text)};
    struct stream *s = stream_new(a);
    struct document doc;

    *in = (struct input){
        .arena = a, .dialect = native ? &dialect_native : &dialect_original, .log = {.arena = a}};
    stream_begin(s, STR("f.yaml"), &bytes.base);
    while (stream_next(s, in, &doc)) {
        document_read(in, &doc);
        if (!doc.failed)
            object_add(in, &doc);
        else if (!native)
            break;
    }
    stream_free(s);
}

static const struct {
    const char *text;
    size_t documents, skipped, failed, failed_objects, objects;
    size_t of_original;        /* objects */
    const char *places, *note; /* lines of the objects; the first note */
} cases[] = {
    {"kind: A\n---\nkind: [\n---\n\n\nkind: B\n", 3, 0, 1, 0, 2, 1, " 1 7",
     "f.yaml:4: error converting YAML to JSON: yaml: did not find expected node content"},
    {"a: 1\n---\nkind: B\n", 2, 1, 0, 0, 1, 1, " 3", "f.yaml:1: no object: it has no kind"},
    {"{\"kind\": \"A\"}\n{\"kind\": \"B\"}\n{\"kind\"", 3, 0, 1, 0, 2, 2, " 1 2",
     "f.yaml:3: unexpected EOF"},
    {"kind: List\nitems:\n- kind: A\n  apiVersion: v1\n- 3\n- kind: B\n  apiVersion: v1\n", 1, 0, 0,
     1, 2, 0, " 3 6", "f.yaml:5: an item of a list is not an object"},
    {"[1]\n---\nkind: B\n", 2, 0, 1, 0, 1, 1, " 3", "f.yaml:1: found a list, expected a mapping"},
    {"kind: A\nv: \"\xff\"\n---\nkind: B\n", 2, 0, 1, 0, 1, 2, " 4",
     "f.yaml:2: error converting YAML to JSON: yaml: invalid leading UTF-8 octet"},
    {"kind: A\nv: !!binary /w==\n---\nkind: B\n", 2, 0, 1, 0, 1, 2, " 4",
     "f.yaml:2: error converting YAML to JSON: yaml: !!binary holds bytes that are not UTF-8"},
    /* A value of JSON whose end is known costs itself only, wherever it stands. */
    {"{\"kind\": \"\xff\"}\n{\"kind\": \"B\"}\n{\"kind\": \"C\"}", 3, 0, 1, 0, 2, 3, " 2 3",
     "f.yaml:1: invalid UTF-8 in string"},
    {"{\"kind\": \"A\"}\n{\"kind\": \"B\"}\n{\"kind\" \"C\"}\n{\"kind\": \"D\"}", 4, 0, 1, 0, 3, 2,
     " 1 2 4", "f.yaml:3: invalid character '\"' after object key"},
    {"{\"kind\": \"A\", \"v\": \"\\ud800\"}\n{\"kind\": \"B\"}", 2, 0, 1, 0, 1, 2, " 2",
     "f.yaml:1: half of a surrogate pair in string"},
    {"", 0, 0, 0, 0, 0, 0, "", NULL},
};

TEST(a_fault_ends_its_own_document_only)
{
    AUTO_ARENA a = arena_new();
    struct input in;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf places = buf_new(a, KIB);
        read(&in, a, cases[i].text, true);
        assert_int_equal(in.documents, cases[i].documents);
        assert_int_equal(losses(&in, LOSS_SKIPPED), cases[i].skipped);
        assert_int_equal(losses(&in, LOSS_DOCUMENT), cases[i].failed);
        assert_int_equal(losses(&in, LOSS_OBJECT), cases[i].failed_objects);
        assert_int_equal(in.objects.len, cases[i].objects);
        for (size_t k = 0; k < in.objects.len; k++)
            buf_fmt(&places, " %u", in.objects.items[k].place.line);
        assert_str(buf_str(&places), str_c(cases[i].places));
        assert_int_equal(in.faults.len, cases[i].note ? 1 : 0);
        if (cases[i].note) {
            const struct result_note *note = &in.faults.items[0].note;
            assert_str(str_fmt(a, "%.*s: %.*s", STR_ARG(place_text(a, note->place)),
                               STR_ARG(note->reason)),
                       str_c(cases[i].note));
        }
        read(&in, a, cases[i].text, false);
        assert_int_equal(in.objects.len, cases[i].of_original);
    }
}

/* As in Go, what is missing at the end of a text stands behind it. */
TEST(a_place_behind_the_end_is_on_the_last_line)
{
    struct source source = {.text = str_of("a\nb\n\n\n", 3)};
    struct document d = {.source = &source};

    assert_int_equal(document_line(&d, 4), 2);
    assert_int_equal(document_line(&d, 6), 2);
    assert_int_equal(document_line(&d, 0), 1);
}

TEST(lines_are_counted_forwards_and_backwards)
{
    struct source src = {.text = STR("a\nb\n\nc")};
    struct document d = {.source = &src, .line = 1};

    assert_int_equal(document_line(&d, 0), 1);
    assert_int_equal(document_line(&d, 2), 2);
    assert_int_equal(document_line(&d, 2), 2);
    assert_int_equal(document_line(&d, 5), 4);
}

RUN_TESTS(cmocka_unit_test(a_place_behind_the_end_is_on_the_last_line),
          cmocka_unit_test(a_fault_ends_its_own_document_only),
          cmocka_unit_test(lines_are_counted_forwards_and_backwards))
