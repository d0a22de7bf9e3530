/* SPDX-License-Identifier: Apache-2.0 */
/* test_applied.c - which API version a user applied. */
#include "fixture.h"

#include "azure/applied.h"

#define OLD "example.azure.com/v20240101"
#define NEW "example.azure.com/v20250101"
#define SPEC "'fieldsV1':{'f:spec':{'.':{},'f:location':{}}}"
#define AT(n) "'time':'2026-01-02T03:04:0" #n "Z'"

/* What metadata has, and the version that follows from it. */
static const struct {
    const char *metadata, *version;
    enum applied_by by;
} cases[] = {
    /* The newest wins, wherever it stands and whoever wrote it. */
    {"'managedFields':[{'apiVersion':'" OLD "'," AT(1) "," SPEC "}]", "v20240101", APPLIED_FIELDS},
    {"'managedFields':[{'apiVersion':'" OLD "'," AT(1) "," SPEC "},"
                                                       "{'apiVersion':'" NEW "'," AT(2) "," SPEC
                                                                                        "}]",
     "v20250101", APPLIED_FIELDS},
    {"'managedFields':[{'apiVersion':'" OLD "'," AT(3) "," SPEC "},"
                                                       "{'apiVersion':'" NEW "'," AT(2) "," SPEC
                                                                                        "}]",
     "v20240101", APPLIED_FIELDS},
    /* Of one second: what was applied, else the last. */
    {"'managedFields':[{'operation':'Apply','apiVersion':'" OLD
     "'," AT(1) "," SPEC "},"
                "{'operation':'Update','apiVersion':'" NEW "'," AT(1) "," SPEC "}]",
     "v20240101", APPLIED_FIELDS},
    {"'managedFields':[{'operation':'Update','apiVersion':'" NEW
     "'," AT(1) "," SPEC "},"
                "{'operation':'Apply','apiVersion':'" OLD "'," AT(1) "," SPEC "}]",
     "v20240101", APPLIED_FIELDS},
    {"'managedFields':[{'operation':'Update','apiVersion':'" NEW
     "'," AT(1) "," SPEC "},"
                "{'operation':'Update','apiVersion':'" OLD "'," AT(1) "," SPEC "}]",
     "v20240101", APPLIED_FIELDS},
    /* Only fields of the spec count. */
    {"'managedFields':[{'apiVersion':'" OLD
     "'," AT(1) "," SPEC "},"
                "{'apiVersion':'" NEW
                "'," AT(2) ",'fieldsV1':{'f:status':{'f:id':{}}}},"
                           "{'apiVersion':'" NEW
                           "'," AT(2) ",'fieldsV1':{'f:spec':{'.':{}}}},"
                                      "{'apiVersion':'" NEW
                                      "'," AT(2) ",'fieldsV1':{'f:metadata':{'f:finalizers':{}}}},"
                                                 "{'apiVersion':'" NEW
                                                 "'," AT(2) ",'subresource':'scale'," SPEC "}]",
     "v20240101", APPLIED_FIELDS},
    /* Versions of others, unknown ones and entries without sense are passed over. */
    {"'managedFields':[{'apiVersion':'" OLD "'," AT(
         1) "," SPEC "},"
            "{'apiVersion':'example.azure.com/v20250101storage'," AT(
                2) "," SPEC "},"
                   "{'apiVersion':'other.azure.com/v20250101'," AT(
                       2) "," SPEC "},"
                          "{" AT(3) "," SPEC
                                    "},null,7,{'apiVersion':3,'time':4,'fieldsV1':{'f:spec':5}}]",
     "v20240101", APPLIED_FIELDS},
    /* The claim has decided. */
    {"'annotations':{'plumb.azure.com/api-version':'v20240101'},"
     "'managedFields':[{'apiVersion':'" NEW "'," AT(9) "," SPEC "}]",
     "v20240101", APPLIED_CLAIMED},
    /* Nobody says anything. */
    {"'managedFields':[]", "v20250101", APPLIED_STORED},
    {"'managedFields':'x'", "v20250101", APPLIED_STORED},
    {"'name':'w'", "v20250101", APPLIED_STORED},
};

static struct value *widget(struct arena *a, const char *api, const char *metadata)
{
    struct value *object = fixture_object(a, api, "Widget", "w", "{'location':'l','old':'o'}");

    value_set(a, object, STR("metadata"), fixture_json(a, str_z(a, str_fmt(a, "{%s}", metadata))));
    return object;
}

TEST(the_newest_writer_of_the_spec_decides_until_the_claim)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct applied applied;
        AUTO_ERR e = {0};
        assert_ok(applied_version(m, widget(a, NEW, cases[i].metadata), &applied, &e), &e);
        assert_str(applied.resource->version, str_c(cases[i].version));
        assert_int_equal(applied.by, cases[i].by);
    }
    model_close(m);
}

TEST(a_claimed_version_that_is_unknown_is_never_replaced)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    struct applied applied;
    AUTO_ERR e = {0};

    assert_false(applied_version(
        m, widget(a, NEW, "'annotations':{'plumb.azure.com/api-version':'v20990101'}"), &applied,
        &e));
    assert_true(str_contains(e.text, STR("annotation plumb.azure.com/api-version")));
    assert_true(str_contains(e.text, STR("v20990101")));
    model_close(m);
}

TEST(the_spec_comes_in_the_applied_version_with_what_was_left_over)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    struct value *object = widget(a, NEW,
                                  "'annotations':{'plumb.azure.com/api-version':'v20240101',"
                                  "'plumb.azure.com/leftovers':"
                                  "'{\\'set\\':{\\'old\\':\\'kept\\'}}'}");
    const struct value *got;
    struct applied applied;
    AUTO_ERR e = {0};

    value_set(a, object, STR("spec"), fixture_json(a, "{'location':'l'}"));
    assert_ok(applied_object(a, m, object, &applied, &got, &e), &e);
    assert_str(value_get_str(got, STR("apiVersion")), STR(OLD));
    assert_json(a, value_get(got, STR("spec")), "{'location':'l','old':'kept'}");
    assert_str(value_get_str(object, STR("apiVersion")), STR(NEW));
    model_close(m);
}

TEST(broken_leftovers_are_an_error)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    const struct value *got;
    struct applied applied;
    AUTO_ERR e = {0};

    assert_false(applied_object(a, m,
                                widget(a, NEW, "'annotations':{'plumb.azure.com/leftovers':'{'}"),
                                &applied, &got, &e));
    assert_true(str_contains(e.text, STR("annotation plumb.azure.com/leftovers")));
    model_close(m);
}

/* With the model in the program: the made-up one has no kind whose versions were ever respelled. */
TEST(retired_spellings_are_read_as_their_successors)
{
    static const char *const retired[] = {"v1beta20200601", "v1alpha1api20200601"};
    AUTO_ARENA a = arena_new();
    struct model *m = NULL;
    AUTO_ERR e = {0};

    assert_ok(model_open(a, STR_NONE, &m, &e), &e);
    for (size_t i = 0; i < COUNT(retired) && model_file_count(m); i++) {
        struct value *object = fixture_object(a, "resources.azure.com/v20200601", "ResourceGroup",
                                              "g", "{'location':'l'}");
        struct value *entry = fixture_json(a, "{" AT(1) "," SPEC "}"), *list = value_list(a);
        struct applied applied;
        value_set_str(a, entry, STR("apiVersion"),
                      str_fmt(a, "resources.azure.com/%s", retired[i]));
        value_add(a, list, entry);
        value_set(a, value_get(object, STR("metadata")), STR("managedFields"), list);
        assert_ok(applied_version(m, object, &applied, &e), &e);
        assert_str(applied.resource->version, STR("v1api20200601"));
    }
    model_close(m);
}

TEST(objects_of_files_are_as_they_were_written)
{
    AUTO_ARENA a = arena_new();

    assert_false(applied_is_served(widget(a, OLD, "'name':'w'")));
    assert_true(applied_is_served(widget(a, OLD, cases[0].metadata)));
    assert_true(applied_is_served(
        widget(a, OLD, "'annotations':{'plumb.azure.com/api-version':'v20240101'}")));
}

RUN_TESTS(cmocka_unit_test(the_newest_writer_of_the_spec_decides_until_the_claim),
          cmocka_unit_test(a_claimed_version_that_is_unknown_is_never_replaced),
          cmocka_unit_test(the_spec_comes_in_the_applied_version_with_what_was_left_over),
          cmocka_unit_test(broken_leftovers_are_an_error),
          cmocka_unit_test(retired_spellings_are_read_as_their_successors),
          cmocka_unit_test(objects_of_files_are_as_they_were_written))
