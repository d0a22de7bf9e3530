/* SPDX-License-Identifier: Apache-2.0 */
/* test_plain.c - messages of the originals in plain words. */
#include "../test.h"

#include "go/plain.h"

static const struct {
    str text, plain;
} cases[] = {
    {STR_INIT("json: cannot unmarshal array into Go value of type map[string]interface {}"),
     STR_INIT("found a list, expected a mapping")},
    {STR_INIT("json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.name of type "
              "string"),
     STR_INIT("metadata.name is true or false, expected text")},
    {STR_INIT("bad: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string "
              "into Go struct field A.items.ManifestPathV1.pathToKey of type []compare.X: more"),
     STR_INIT("bad: items.pathToKey is text, expected a list: more")},
    {STR_INIT("json: cannot unmarshal number 1.5 into Go struct field M.metadata.generation of "
              "type int64"),
     STR_INIT("metadata.generation is the number 1.5, expected a number")},
    {STR_INIT(".v accessor error: 1 is of the type float64, expected string"),
     STR_INIT(".v: 1 is a number, expected text")},
    {STR_INIT("x is of the type <nil>, expected map[string]any or []any"),
     STR_INIT("x is null, expected a mapping or a list")},
    {STR_INIT("failed to constuct template: template: t:4:8: executing \"t\" at <.v.x>: can't "
              "evaluate field x in type interface {}"),
     STR_INIT("failed to render the template: template: t:4:8: executing \"t\" at <.v.x>: can't "
              "evaluate field x of a value that is not a mapping")},
    {STR_INIT("json: cannot unmarshal number into Go struct field decodeList.items of type "
              "[]json.RawMessage"),
     STR_INIT("items is a number, expected a list")},
    {STR_INIT("x: json: unknown field \"y\""), STR_INIT("x: unknown field \"y\"")},
    {STR_INIT("failed to acces value"), STR_INIT("failed to access value")},
    {STR_INIT(".v.9x accessor error: found slice but index 9x could not be converted into an int: "
              "strconv.Atoi: parsing \"9x\": invalid syntax"),
     STR_INIT(".v.9x: there is a list, and its index 9x is not a number: \"9x\": invalid syntax")},
};

TEST(types_and_slips_become_words)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        assert_str(go_plain(a, cases[i].text), cases[i].plain);
    }
}

TEST(what_is_not_the_originals_stays)
{
    static const str same[] = {
        STR_INIT(""),
        STR_INIT("open x: no such file or directory"),
        STR_INIT("json: cannot unmarshal"),
        STR_INIT("json: cannot unmarshal x"),
        STR_INIT("json: cannot unmarshal x into Go struct field y"),
        STR_INIT("json: cannot unmarshal x into Go kin"),
        STR_INIT("is of type x"),
    };

    for (size_t i = 0; i < COUNT(same); i++) {
        AUTO_ARENA a = arena_new();
        assert_str(go_plain(a, same[i]), same[i]);
    }
}

RUN_TESTS(cmocka_unit_test(types_and_slips_become_words),
          cmocka_unit_test(what_is_not_the_originals_stays))
