/* SPDX-License-Identifier: Apache-2.0 */
/* test_reference.c - decoding metadata files strictly, in Go's words. */
#include "../test.h"

#include "compare/log_buffer_internal.h"
#include "compare/reference/reference_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "go/decode.h"

static const struct {
    const struct reference_version *version;
    const char *text, *want;
} cases[] = {
    {&reference_v1, "parts: x",
     "cannot unmarshal string into Go struct field ReferenceV1.parts of type []compare.PartV1"},
    {&reference_v1, "parts: [x]",
     "cannot unmarshal string into Go struct field ReferenceV1.parts of type compare.PartV1"},
    {&reference_v1, "parts: [{name: [1]}]",
     "cannot unmarshal array into Go struct field PartV1.parts.name of type string"},
    {&reference_v1, "parts: [{components: [{type: {}}]}]",
     "cannot unmarshal object into Go struct field ComponentV1.parts.components.type of type "
     "compare.ComponentTypeV1"},
    {&reference_v1, "fieldsToOmit: {items: {x: [{isPrefix: 1}]}}",
     "cannot unmarshal number into Go struct field ManifestPathV1.fieldsToOmit.items.isPrefix of "
     "type bool"},
    {&reference_v1, "{b: 1, a: 2}", "unknown field \"a\""},
    {&reference_v2, "parts: [{components: [{allOf: [{path: 1}]}]}]",
     "cannot unmarshal number into Go struct field "
     "ComponentV2.parts.components.allOf.ReferenceTemplateV1.path of type string"},
    {&reference_v2, "parts: [{components: [{allOf: [{config: {fieldsToOmitRefs: x}}]}]}]",
     "cannot unmarshal string into Go struct field "
     "ComponentV2.parts.components.allOf.config.ReferenceTemplateConfigV1.fieldsToOmitRefs of "
     "type []string"},
    {&reference_v2, "fieldsToOmit: {items: {x: [{pathToKey: {}}]}}",
     "cannot unmarshal object into Go struct field "
     "FieldsToOmitV2Entry.fieldsToOmit.items.ManifestPathV1.pathToKey of type string"},
    {&reference_v2, "{aaa: 1, parts: [{components: [{oneOf: 3}]}]}",
     "cannot unmarshal number into Go struct field ComponentV2.parts.components.oneOf of type "
     "[]*compare.ReferenceTemplateV2"},
};

static bool read_strictly(struct arena *a, str text, const struct schema *schema,
                          struct value **out, struct err *e)
{
    return strict_read(a, &(struct yaml_file){.name = STR("m.yaml"), .text = text}, schema, out, e);
}

TEST(wrong_types_are_named_as_go_names_them)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct value *doc;
        assert_false(read_strictly(a, str_c(cases[i].text), cases[i].version->schema, &doc, &e));
        assert_str(e.text, str_fmt(a, "error unmarshaling JSON: while decoding JSON: json: %s",
                                   cases[i].want));
    }
}

TEST(names_are_found_without_case_and_scalars_become_text)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct value *doc;

    assert_ok(read_strictly(a, STR("Parts: [{NAME: 1.50, components: null}]"), reference_v1.schema,
                            &doc, &e),
              &e);
    const struct value *part = value_at(value_get(doc, STR("parts")), 0);
    assert_str(value_get_str(part, STR("name")), STR("1.5"));
    assert_null(value_get(part, STR("components")));
}

TEST(lists_that_include_each_other_are_refused)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct log_buffer log = {.arena = a};
    struct reference r = {.omit_lists = map_new(a)};
    struct value *doc;

    assert_ok(read_strictly(a, STR("fieldsToOmit: {items: {x: [{include: z}], z: [{include: x}]}}"),
                            reference_v2.schema, &doc, &e),
              &e);
    assert_false(reference_build(a, &reference_v2, doc, &log, &r, &e));
    assert_str(e.text, STR("circular import found x -> z -> x\ncircular import found z -> x -> z"));
}

/*
 * Each of the lists is twice the next one: expanding the first moves its entries several times,
 * while parts of it are what the others were expanded to.
 */
TEST(large_lists_that_include_each_other_keep_their_entries)
{
    enum { LEVELS = 18 };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct log_buffer log = {.arena = a};
    struct reference r = {.omit_lists = map_new(a)};
    struct buf text = buf_new(a, MIB);
    struct value *doc;

    buf_add(&text, STR("fieldsToOmit: {items: {"));
    for (int i = 10; i < 10 + LEVELS; i++)
        buf_fmt(&text, "a%d: [{include: a%d}, {include: a%d}], ", i, i + 1, i + 1);
    buf_fmt(&text, "a%d: [{pathToKey: x}], b: [{include: a11}, {pathToKey: z}]}}", 10 + LEVELS);
    assert_ok(read_strictly(a, buf_str(&text), reference_v2.schema, &doc, &e), &e);
    assert_ok(reference_build(a, &reference_v2, doc, &log, &r, &e), &e);
    for (int i = 10; i <= 10 + LEVELS; i++) {
        const struct omit_list *list = map_get(r.omit_lists, str_fmt(a, "a%d", i));
        assert_int_equal(list->len, (size_t)1 << (10 + LEVELS - i));
        for (size_t k = 0; k < list->len; k++)
            assert_str(list->items[k]->text, STR("x"));
    }
    const struct omit_list *b = map_get(r.omit_lists, STR("b"));
    assert_int_equal(b->len, ((size_t)1 << (LEVELS - 1)) + 1);
    assert_str(b->items[b->len - 1]->text, STR("z"));
}

/* A circle is reported wherever it is entered, by all names in it: more than memory has room for.
 */
TEST(circles_of_long_names_are_bounded)
{
    enum { LISTS = 30 };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct log_buffer log = {.arena = a};
    struct reference r = {.omit_lists = map_new(a)};
    struct buf text = buf_new(a, 2 * MIB), name = buf_new(a, 2 * KIB);
    struct value *doc;

    buf_repeat(&name, 'n', 1000);
    buf_add(&text, STR("fieldsToOmit: {items: {"));
    for (int i = 0; i < LISTS; i++) {
        buf_fmt(&text, "%.*s%d: [", STR_ARG(buf_str(&name)), i);
        for (int k = 0; k < LISTS; k++)
            buf_fmt(&text, "{include: %.*s%d}, ", STR_ARG(buf_str(&name)), k);
        buf_add(&text, STR("], "));
    }
    buf_add(&text, STR("}}"));
    assert_ok(read_strictly(a, buf_str(&text), reference_v2.schema, &doc, &e), &e);
    assert_false(reference_build(a, &reference_v2, doc, &log, &r, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    assert_true(arena_held(a) < 100 * MIB);
}

RUN_TESTS(cmocka_unit_test(wrong_types_are_named_as_go_names_them),
          cmocka_unit_test(names_are_found_without_case_and_scalars_become_text),
          cmocka_unit_test(lists_that_include_each_other_are_refused),
          cmocka_unit_test(large_lists_that_include_each_other_keep_their_entries),
          cmocka_unit_test(circles_of_long_names_are_bounded))
