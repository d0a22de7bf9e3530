/* SPDX-License-Identifier: Apache-2.0 */
/* test_results_json.c - results from a JSON report. Whole reports are in tests/golden/report. */
#include "sample.h"

#include "report/results_json.h"
#include "value/source.h"

static bool read_text(struct arena *a, const char *text, struct results *out, struct err *e)
{
    struct source *src = ARENA_NEW(a, struct source);

    *src = (struct source){.file = STR("f.json"), .text = str_c(text)};
    return results_from_json(a, src, out, e);
}

TEST(everything_that_a_report_says_is_kept)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct results r;

    assert_ok(read_text(a,
                        "{\"Summary\":{\"ValidationIssuses\":{\"p\":{\"c\":{\"Msg\":\"m\",\"CRs\":"
                        "[\"x\"],\"crMetadata\":{\"x\":{\"description\":\"d\"}}}}},"
                        "\"NumMissing\":1,\"UnmatchedCRS\":[\"u\"],\"NumDiffCRs\":2,\"TotalCRs\":3,"
                        "\"MetadataHash\":\"h\",\"patchedCRs\":4,\"matchedByReferenceOnly\":"
                        "[\"o\"]},\"Diffs\":[{\"DiffOutput\":\"t\",\"CRName\":\"n\",\"Patched\":"
                        "\"f\",\"OverrideReason\":[\"r\",\"s\"]}]}",
                        &r, &e),
              &e);
    assert_int_equal(r.missing, 1);
    assert_int_equal(r.differing, 2);
    assert_int_equal(r.total, 3);
    assert_int_equal(r.patched, 4);
    assert_str(r.hash, STR("h"));
    assert_str(r.overrides, STR("f"));
    assert_str(r.unmatched.items[0], STR("u"));
    assert_str(r.reference_only.items[0], STR("o"));
    assert_int_equal(r.issues.len, 1);
    assert_str(r.issues.items[0].templates[0].description, STR("d"));
    assert_int_equal(r.diffs.len, 1);
    assert_true(r.diffs.items[0].differs && r.diffs.items[0].patched);
    assert_int_equal(r.diffs.items[0].reason_count, 2);
}

TEST(two_spellings_of_a_key_are_one)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct results r;

    assert_ok(read_text(a,
                        "{\"Summary\":{\"totalcrs\":1},\"SUMMARY\":{\"TOTALCRS\":null,"
                        "\"NUMMISSING\":2,\"unknown\":[]}}",
                        &r, &e),
              &e);
    assert_int_equal(r.total, 1);
    assert_int_equal(r.missing, 2);
}

static const struct {
    const char *text, *want;
} error_cases[] = {
    {"", "unexpected end of JSON input"},
    {"[]", "json: cannot unmarshal array into Go value of type compare.Output"},
    {"{\"Summary\":[]}",
     "json: cannot unmarshal array into Go struct field Output.Summary of type compare.Summary"},
    {"{\"Summary\":{\"TotalCRs\":1e2}}",
     "json: cannot unmarshal number 1e2 into Go struct field Summary.Summary.TotalCRs of type int"},
    {"{\"Summary\":{\"UnmatchedCRS\":[1,\"a\"]}}",
     "json: cannot unmarshal number into Go struct field Summary.Summary.UnmatchedCRS of type "
     "string"},
    {"{\"Summary\":{\"ValidationIssuses\":{\"p\":1}}}",
     "json: cannot unmarshal number into Go struct field Summary.Summary.ValidationIssuses of type "
     "map[string]compare.ValidationIssue"},
    {"{\"Summary\":{\"ValidationIssuses\":{\"p\":{\"c\":{\"Msg\":1}}}}}",
     "json: cannot unmarshal number into Go struct field "
     "ValidationIssue.Summary.ValidationIssuses.Msg of type string"},
    {"{\"Diffs\":[1,{\"CRName\":[]}]}",
     "json: cannot unmarshal number into Go struct field Output.Diffs of type compare.DiffSum"},
};

TEST(the_first_value_that_does_not_fit_is_the_error)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(error_cases); i++) {
        AUTO_ERR e = {0};
        struct results r;
        assert_false(read_text(a, error_cases[i].text, &r, &e));
        assert_str(e.text, str_c(error_cases[i].want));
    }
}

TEST(what_plumb_writes_is_read_back_whole)
{
    static const char *const formats[] = {"html", "markdown", "sarif", "github", "json", "yaml"};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct results first, second;

    sample_everything(a, &first);
    assert_ok(read_text(a, str_z(a, write_as(a, "json", &first)), &second, &e), &e);
    for (size_t i = 0; i < COUNT(formats); i++)
        assert_str(write_as(a, formats[i], &second), write_as(a, formats[i], &first));
}

TEST(own_members_of_any_kind_are_no_fault)
{
    static const char *const texts[] = {
        "{\"Verdict\":[1],\"Baseline\":\"x\",\"Explanations\":{\"a\":1}}",
        "{\"Verdict\":{\"documents\":[],\"omittedBy\":{},\"notes\":[1,null]},"
        "\"Baseline\":{\"File\":\"f\",\"New\":{},\"Fixed\":[{\"more\":[{}]},3]},"
        "\"Explanations\":[null,{\"candidates\":[[]],\"suppressed\":7}]}",
        ("{\"Diffs\":[{\"part\":1,\"component\":[],\"place\":\"f:99999999999\","
         "\"Differences\":[null,{\"path\":4,\"template\":\":\",\"object\":\"a:1\"}]}]}"),
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(texts); i++) {
        AUTO_ERR e = {0};
        struct results r;
        assert_ok(read_text(a, texts[i], &r, &e), &e);
        assert_has(write_as(a, "html", &r), "</html>");
    }
}

RUN_TESTS(cmocka_unit_test(what_plumb_writes_is_read_back_whole),
          cmocka_unit_test(own_members_of_any_kind_are_no_fault),
          cmocka_unit_test(everything_that_a_report_says_is_kept),
          cmocka_unit_test(two_spellings_of_a_key_are_one),
          cmocka_unit_test(the_first_value_that_does_not_fit_is_the_error))
