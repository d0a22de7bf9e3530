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
    /* The user moved on after the claim. */
    {"'annotations':{'plumb.azure.com/api-version':'v20240101'},"
     "'managedFields':[{'apiVersion':'" NEW "'," AT(9) "," SPEC "}]",
     "v20250101", APPLIED_FIELDS},
    {"'annotations':{'plumb.azure.com/api-version':'v20240101'}", "v20240101", APPLIED_CLAIMED},
    /* Nobody says anything. */
    {"'managedFields':[]", "v20250101", APPLIED_STORED},
    {"'managedFields':'x'", "v20250101", APPLIED_STORED},
    {"'name':'w'", "v20250101", APPLIED_STORED},
};

/*
 * How clients and operators leave their traces, each with the version that must follow: what they
 * wrote in which order, oldest first.
 */
#define WRITE(operation, manager, api, fields, second)                                             \
    "{'operation':'" operation "','manager':'" manager "','apiVersion':'" api                      \
    "','time':'2026-01-02T03:04:0" second "Z','fieldsV1':{" fields "}}"
#define OF_SPEC "'f:spec':{'f:location':{}}"
#define OF_KUBECTL                                                                                 \
    "'f:metadata':{'f:annotations':{'f:kubectl.kubernetes.io/last-applied-configuration':{}}}"
#define OF_CLAIM "'f:metadata':{'f:finalizers':{},'f:annotations':{'f:x':{}}}"
#define OF_STATUS "'f:status':{'f:id':{}}"
#define LAST_APPLIED(version)                                                                      \
    "'annotations':{'kubectl.kubernetes.io/last-applied-configuration':'{\\'apiVersion\\':"        \
    "\\'example.azure.com/" version "\\',\\'kind\\':\\'Widget\\'}'},"
#define FIELDS(...) "'managedFields':[" __VA_ARGS__ "]"

static const struct {
    const char *what, *metadata, *spec, *version;
    enum applied_by by;
} moves[] = {
    {"client-side apply",
     LAST_APPLIED("v20240101")
         FIELDS(WRITE("Update", "kubectl-client-side-apply", OLD, OF_SPEC "," OF_KUBECTL, "1")),
     NULL, "v20240101", APPLIED_LAST},
    {"client-side apply, then the claim and the status",
     LAST_APPLIED("v20240101")
         FIELDS(WRITE("Update", "kubectl-client-side-apply", OLD, OF_SPEC "," OF_KUBECTL,
                      "1") "," WRITE("Update", "plumb", NEW, OF_CLAIM,
                                     "2") "," WRITE("Update", "plumb", NEW, OF_STATUS, "3")),
     NULL, "v20240101", APPLIED_LAST},
    {"client-side apply of a newer version",
     LAST_APPLIED("v20250101")
         FIELDS(WRITE("Update", "kubectl-client-side-apply", OLD, OF_SPEC, "1") "," WRITE(
             "Update", "kubectl-client-side-apply", NEW, OF_SPEC "," OF_KUBECTL, "4")),
     NULL, "v20250101", APPLIED_LAST},
    {"a newer version alone, nothing else changed",
     LAST_APPLIED("v20250101")
         FIELDS(WRITE("Update", "kubectl-client-side-apply", OLD, OF_SPEC,
                      "1") "," WRITE("Update", "kubectl-client-side-apply", NEW, OF_KUBECTL, "4")),
     NULL, "v20250101", APPLIED_LAST},
    {"client-side apply back to an older version",
     LAST_APPLIED("v20240101")
         FIELDS(WRITE("Update", "kubectl-client-side-apply", NEW, OF_SPEC,
                      "1") "," WRITE("Update", "kubectl-client-side-apply", OLD, OF_KUBECTL, "4")),
     NULL, "v20240101", APPLIED_LAST},
    {"kubectl edit in the served version after a client-side apply",
     LAST_APPLIED("v20240101")
         FIELDS(WRITE("Update", "kubectl-client-side-apply", OLD, OF_SPEC "," OF_KUBECTL,
                      "1") "," WRITE("Update", "kubectl-edit", NEW, OF_SPEC, "5")),
     NULL, "v20250101", APPLIED_FIELDS},
    {"server-side apply",
     FIELDS(WRITE("Apply", "kubectl", OLD, OF_SPEC, "1") "," WRITE("Update", "plumb", NEW, OF_CLAIM,
                                                                   "2")),
     NULL, "v20240101", APPLIED_FIELDS},
    {"server-side apply of a newer version",
     FIELDS(WRITE("Update", "plumb", OLD, OF_CLAIM, "2") "," WRITE("Apply", "kubectl", NEW, OF_SPEC,
                                                                   "4")),
     NULL, "v20250101", APPLIED_FIELDS},
    {"server-side apply over an old annotation of kubectl",
     LAST_APPLIED("v20240101")
         FIELDS(WRITE("Update", "kubectl-client-side-apply", OLD, OF_SPEC "," OF_KUBECTL,
                      "1") "," WRITE("Apply", "argocd", NEW, OF_SPEC, "4")),
     NULL, "v20250101", APPLIED_FIELDS},
    {"update by another manager",
     FIELDS(WRITE("Apply", "kubectl", OLD, OF_SPEC, "1") "," WRITE("Update", "pipeline", NEW,
                                                                   OF_SPEC, "3")),
     NULL, "v20250101", APPLIED_FIELDS},
    {"a write of the operator to the spec does not count",
     FIELDS(WRITE("Apply", "kubectl", OLD, OF_SPEC, "1") "," WRITE("Update", "plumb", NEW, OF_SPEC,
                                                                   "3")),
     NULL, "v20240101", APPLIED_FIELDS},
    {"of one second: apply, kubectl, update",
     LAST_APPLIED("v20240101") FIELDS(WRITE("Update", "other", NEW, OF_SPEC, "1") "," WRITE(
         "Update", "kubectl-client-side-apply", NEW, OF_KUBECTL, "1")),
     NULL, "v20240101", APPLIED_LAST},
    {"adopted: only the other operator wrote",
     FIELDS(WRITE("Update", "aso-controller", NEW "storage", OF_SPEC, "5")),
     "{'location':'l','originalVersion':'v20240101'}", "v20240101", APPLIED_ORIGINAL},
    {"adopted, then applied anew",
     FIELDS(WRITE("Update", "aso-controller", OLD "storage", OF_SPEC,
                  "5") "," WRITE("Apply", "kubectl", NEW, OF_SPEC, "4")),
     "{'location':'l','originalVersion':'v20240101'}", "v20250101", APPLIED_FIELDS},
    {"the original version comes before the claim's",
     "'annotations':{'plumb.azure.com/api-version':'v20250101'}",
     "{'location':'l','originalVersion':'v20240101'}", "v20240101", APPLIED_ORIGINAL},
    {"an annotation of kubectl that cannot be read",
     "'annotations':{'kubectl.kubernetes.io/last-applied-configuration':'{',"
     "'plumb.azure.com/api-version':'v20240101'}",
     NULL, "v20240101", APPLIED_CLAIMED},
};

static struct value *widget(struct arena *a, const char *api, const char *metadata)
{
    struct value *object = fixture_object(a, api, "Widget", "w", "{'location':'l','old':'o'}");

    value_set(a, object, STR("metadata"), fixture_json(a, str_z(a, str_fmt(a, "{%s}", metadata))));
    return object;
}

TEST(the_newest_writer_of_the_spec_decides)
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

TEST(the_version_moves_with_the_user)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);

    for (size_t i = 0; i < COUNT(moves); i++) {
        struct value *object = widget(a, NEW, moves[i].metadata);
        struct applied applied;
        AUTO_ERR e = {0};
        if (moves[i].spec)
            value_set(a, object, STR("spec"), fixture_json(a, moves[i].spec));
        assert_ok(applied_version(m, object, &applied, &e), &e);
        if (!str_eq(applied.resource->version, str_c(moves[i].version)) ||
            applied.by != moves[i].by)
            fail_msg("%s: %.*s, by %d", moves[i].what, STR_ARG(applied.resource->version),
                     (int)applied.by);
    }
    model_close(m);
}

TEST(a_trimmed_object_was_applied_in_the_same_version)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);

    for (size_t i = 0; i < COUNT(moves); i++) {
        struct value *object = widget(a, NEW, moves[i].metadata);
        struct applied applied;
        AUTO_ERR e = {0};
        if (moves[i].spec)
            value_set(a, object, STR("spec"), fixture_json(a, moves[i].spec));
        applied_trim(a, m, object);
        assert_ok(applied_version(m, object, &applied, &e), &e);
        assert_str(applied.resource->version, str_c(moves[i].version));
        assert_in_range(value_len(value_get(object_meta(object), STR("managedFields"))), 0, 1);
        assert_int_equal(object_annotation(object, STR(ANNOTATION_LAST_APPLIED)).len, 0);
    }
    model_close(m);
}

TEST(fields_that_the_version_cannot_hold_are_listed)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    struct value *object = widget(a, NEW, cases[0].metadata);
    const struct value *got;
    struct applied applied;
    AUTO_ERR e = {0};

    value_set(a, object, STR("spec"), fixture_json(a, "{'location':'l','weight':1,'tags':{}}"));
    assert_ok(applied_object(a, m, object, &applied, &got, &e), &e);
    assert_json(a, value_get(got, STR("spec")), "{'location':'l','tags':{}}");
    assert_int_equal(applied.dropped.len, 1);
    assert_str(applied.dropped.items[0], STR("spec.weight"));
    model_close(m);
}

/* As the reference operator stores a widget that was applied in the older version. */
TEST(stored_forms_are_read_with_their_property_bags)
{
    static const char spec[] =
        "{'location':'l','originalVersion':'v20240101','rules':[{'name':'aa','$propertyBag':{"
        "'Gone':'true'}}],'$propertyBag':{'Old':'kept','Settings':'{\\'x\\':[1]}','Other':'?'}}";
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    struct value *object = widget(a, NEW "storage", "'name':'w'");
    const struct value *got;
    struct applied applied;
    AUTO_ERR e = {0};

    value_set(a, object, STR("spec"), fixture_json(a, spec));
    assert_true(applied_is_served(object));
    assert_ok(applied_object(a, m, object, &applied, &got, &e), &e);
    assert_str(value_get_str(got, STR("apiVersion")), STR(OLD));
    assert_json(a, value_get(got, STR("spec")),
                "{'location':'l','rules':[{'name':'aa','gone':true}],'old':'kept',"
                "'settings':{'x':[1]}}");
    assert_int_equal(applied.dropped.len, 1);
    assert_str(applied.dropped.items[0], STR("spec.Other"));
    /* In its own version nothing but the additions goes. */
    value_set(a, object, STR("spec"),
              fixture_json(a, "{'location':'l','weight':1,'originalVersion':'v20250101'}"));
    assert_ok(applied_object(a, m, object, &applied, &got, &e), &e);
    assert_json(a, value_get(got, STR("spec")), "{'location':'l','weight':1}");
    assert_str(value_get_str(got, STR("apiVersion")), STR(NEW));
    assert_int_equal(applied.dropped.len, 0);
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

RUN_TESTS(cmocka_unit_test(the_newest_writer_of_the_spec_decides),
          cmocka_unit_test(the_version_moves_with_the_user),
          cmocka_unit_test(a_trimmed_object_was_applied_in_the_same_version),
          cmocka_unit_test(fields_that_the_version_cannot_hold_are_listed),
          cmocka_unit_test(stored_forms_are_read_with_their_property_bags),
          cmocka_unit_test(a_claimed_version_that_is_unknown_is_never_replaced),
          cmocka_unit_test(the_spec_comes_in_the_applied_version_with_what_was_left_over),
          cmocka_unit_test(broken_leftovers_are_an_error),
          cmocka_unit_test(retired_spellings_are_read_as_their_successors),
          cmocka_unit_test(objects_of_files_are_as_they_were_written))
