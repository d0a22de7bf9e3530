/* SPDX-License-Identifier: Apache-2.0 */
/* test_stream.c - documents with faults, as the original takes them and as we do. */
#include "../test.h"

#include "compare/internal.h"

struct reading {
    struct arena *arena;
    struct objects objects;
    struct journal journal;
    struct result_verdict verdict;
    struct input in;
};

static void read(struct reading *r, struct arena *a, const char *text, bool improved)
{
    *r = (struct reading){.arena = a, .journal = {.arena = a}};
    r->in = (struct input){.arena = a,
                           .objects = &r->objects,
                           .journal = &r->journal,
                           .verdict = improved ? &r->verdict : NULL};
    stream_read(&r->in, STR("f.yaml"), str_c(text));
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
     1, 2, 0, " 3 6", "f.yaml:5: an item of a list is no object"},
    {"[1]\n---\nkind: B\n", 2, 0, 1, 0, 1, 1, " 3",
     "f.yaml:1: json: cannot unmarshal array into Go value of type unstructured.detector"},
    {"", 0, 0, 0, 0, 0, 0, "", NULL},
};

TEST(a_fault_ends_its_own_document_only)
{
    AUTO_ARENA a = arena_new();
    struct reading r;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf places = buf_new(a, KIB);
        read(&r, a, cases[i].text, true);
        assert_int_equal(r.verdict.documents, cases[i].documents);
        assert_int_equal(r.verdict.skipped, cases[i].skipped);
        assert_int_equal(r.verdict.failed, cases[i].failed);
        assert_int_equal(r.verdict.failed_objects, cases[i].failed_objects);
        assert_int_equal(r.objects.len, cases[i].objects);
        for (size_t k = 0; k < r.objects.len; k++)
            buf_fmt(&places, " %u", r.objects.items[k].place.line);
        assert_str(buf_str(&places), str_c(cases[i].places));
        assert_int_equal(r.verdict.notes.len, cases[i].note ? 1 : 0);
        if (cases[i].note)
            assert_str(str_fmt(a, "%.*s: %.*s",
                               STR_ARG(place_text(a, r.verdict.notes.items[0].place)),
                               STR_ARG(r.verdict.notes.items[0].reason)),
                       str_c(cases[i].note));
        read(&r, a, cases[i].text, false);
        assert_int_equal(r.objects.len, cases[i].of_original);
    }
}

TEST(notes_are_limited_and_counted)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, BUF_UNLIMITED);
    struct reading r;

    for (size_t i = 0; i < 3 * RESULT_NOTES_MAX; i++)
        buf_add(&text, STR("a: 1\n---\n"));
    buf_char(&text, '\0');
    read(&r, a, text.data, true);
    assert_int_equal(r.verdict.skipped, 3 * RESULT_NOTES_MAX);
    assert_int_equal(r.verdict.notes.len, RESULT_NOTES_MAX);
    assert_int_equal(r.journal.lines.len, RESULT_NOTES_MAX + 1);
}

TEST(lines_are_counted_forwards_and_backwards)
{
    struct line_counter c = {.text = STR("a\nb\n\nc")};

    assert_int_equal(line_at(&c, 0), 1);
    assert_int_equal(line_at(&c, 2), 2);
    assert_int_equal(line_at(&c, 2), 2);
    assert_int_equal(line_at(&c, 5), 4);
    assert_int_equal(line_at(&c, 1), 1);
    assert_int_equal(line_at(&c, 4), 3);
}

RUN_TESTS(cmocka_unit_test(a_fault_ends_its_own_document_only),
          cmocka_unit_test(notes_are_limited_and_counted),
          cmocka_unit_test(lines_are_counted_forwards_and_backwards))
