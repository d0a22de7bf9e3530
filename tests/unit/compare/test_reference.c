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

TEST(wrong_types_are_named_as_go_names_them)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct value *doc;
        assert_false(strict_read(a, STR("m.yaml"), str_c(cases[i].text), cases[i].version->schema,
                                 &doc, &e));
        assert_str(e.text, str_fmt(a, "error unmarshaling JSON: while decoding JSON: json: %s",
                                   cases[i].want));
    }
}

TEST(names_are_found_without_case_and_scalars_become_text)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct value *doc;

    assert_ok(strict_read(a, STR("m.yaml"), STR("Parts: [{NAME: 1.50, components: null}]"),
                          reference_v1.schema, &doc, &e),
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

    assert_ok(strict_read(a, STR("m.yaml"),
                          STR("fieldsToOmit: {items: {x: [{include: z}], z: [{include: x}]}}"),
                          reference_v2.schema, &doc, &e),
              &e);
    assert_false(reference_build(a, &reference_v2, doc, &log, &r, &e));
    assert_str(e.text, STR("circular import found x -> z -> x\ncircular import found z -> x -> z"));
}

RUN_TESTS(cmocka_unit_test(wrong_types_are_named_as_go_names_them),
          cmocka_unit_test(names_are_found_without_case_and_scalars_become_text),
          cmocka_unit_test(lists_that_include_each_other_are_refused))
