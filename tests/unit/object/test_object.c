/* SPDX-License-Identifier: Apache-2.0 */
/* test_object.c - identity and metadata of objects, and what writing to them changes. */
#include "../test.h"

#include "object/names.h"
#include "object/object.h"
#include "text/json/json.h"

static struct value *parse(struct arena *a, const char *text)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *out = NULL;

    src->text = str_c(text);
    assert_true(json_read(a, src, NULL, &out, NULL));
    return out;
}

static void assert_json(struct arena *a, const struct value *v, const char *want)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    assert_true(json_write(&out, v, &json_exact, NULL));
    assert_str(buf_str(&out), str_c(want));
}

static const struct {
    const char *object, *id, *label, *key;
} identities[] = {
    {"{\"apiVersion\":\"apps/"
     "v1\",\"kind\":\"Deployment\",\"metadata\":{\"namespace\":\"shop\",\"name\":\"web\"}}",
     "apps/v1_Deployment_shop_web", "apps/v1 Deployment shop/web", "apps/Deployment/shop/web"},
    {"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"shop\"}}",
     "v1_Namespace_shop", "v1 Namespace shop", "/Namespace//shop"},
    {"{\"kind\":\"A\"}", "_A_", "", "/A//"},
    {"{\"apiVersion\":1,\"kind\":\"A\",\"metadata\":[\"name\"]}", "_A_", "", "/A//"},
};

TEST(identities_are_read_from_where_they_are)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(identities); i++) {
        const struct value *o = parse(a, identities[i].object);
        struct identity id = identity_of(o);
        struct object_key key = object_key_of(o);
        assert_str(identity_id(a, &id), str_c(identities[i].id));
        assert_str(identity_label(a, &id), str_c(identities[i].label));
        assert_str(object_key_text(a, &key), str_c(identities[i].key));
    }
}

TEST(numbers_and_times_of_metadata_are_read)
{
    AUTO_ARENA a = arena_new();
    const struct value *o = parse(a, "{\"metadata\":{\"uid\":\"u\",\"generation\":7,"
                                     "\"resourceVersion\":\"42\",\"deletionTimestamp\":\"x\"}}");
    const struct value *odd =
        parse(a, "{\"metadata\":{\"generation\":\"7\",\"resourceVersion\":\"x\"}}");

    assert_int_equal(object_generation(o), 7);
    assert_int_equal(object_version(o), 42);
    assert_true(object_is_deleting(o));
    assert_true(str_eq(object_uid(o), STR("u")));
    assert_int_equal(object_generation(odd), 0);
    assert_int_equal(object_version(odd), 0);
    assert_false(object_is_deleting(odd));
}

TEST(annotations_change_only_when_they_differ)
{
    AUTO_ARENA a = arena_new();
    struct value *o = parse(a, "{\"kind\":\"A\"}");

    assert_false(object_set_annotation(a, o, STR("x"), STR_NONE));
    assert_true(object_set_annotation(a, o, STR("x"), STR("1")));
    assert_false(object_set_annotation(a, o, STR("x"), STR("1")));
    assert_true(object_set_label(a, o, STR("l"), STR("2")));
    assert_true(str_eq(object_label(o, STR("l")), STR("2")));
    assert_json(
        a, o,
        "{\"kind\":\"A\",\"metadata\":{\"annotations\":{\"x\":\"1\"},\"labels\":{\"l\":\"2\"}}}");
    assert_true(object_set_annotation(a, o, STR("x"), STR_NONE));
    assert_json(a, o, "{\"kind\":\"A\",\"metadata\":{\"labels\":{\"l\":\"2\"}}}");
}

TEST(finalizers_are_added_once_and_leave_nothing_behind)
{
    AUTO_ARENA a = arena_new();
    struct value *o = parse(a, "{\"metadata\":{\"finalizers\":[\"other\"]}}");

    assert_true(object_add_finalizer(a, o, STR(FINALIZER)));
    assert_false(object_add_finalizer(a, o, STR(FINALIZER)));
    assert_json(
        a, o,
        "{\"metadata\":{\"finalizers\":[\"other\",\"serviceoperator.azure.com/finalizer\"]}}");
    assert_true(object_remove_finalizer(o, STR("other")));
    assert_false(object_remove_finalizer(o, STR("other")));
    assert_true(object_remove_finalizer(o, STR(FINALIZER)));
    assert_json(a, o, "{\"metadata\":{}}");
}

TEST(owner_that_was_made_anew_replaces_its_reference)
{
    AUTO_ARENA a = arena_new();
    struct value *o = parse(a, "{}");
    struct owner_ref group = {.api_version = STR("resources.azure.com/v1api20200601"),
                              .kind = STR("ResourceGroup"),
                              .name = STR("rg"),
                              .uid = STR("1")};
    struct owner_ref other = {
        .api_version = STR("v1"), .kind = STR("ConfigMap"), .name = STR("c"), .uid = STR("9")};

    assert_true(object_set_owner(a, o, &group));
    assert_true(object_set_owner(a, o, &other));
    assert_false(object_set_owner(a, o, &group));
    group.uid = STR("2");
    group.api_version = STR("resources.azure.com/v1api20200601storage");
    assert_true(object_set_owner(a, o, &group));
    assert_int_equal(object_owner_count(o), 2);
    assert_true(object_is_owned_by(o, STR("2")));
    assert_false(object_is_owned_by(o, STR("1")));
    assert_true(str_eq(object_owner(o, 1).uid, STR("9")));
    assert_false(object_is_owned_by(o, STR_NONE));
}

TEST(annotation_table_is_sorted)
{
    for (size_t i = 1; object_annotations[i].name; i++)
        assert_true(strcmp(object_annotations[i - 1].name, object_annotations[i].name) < 0);
}

RUN_TESTS(cmocka_unit_test(identities_are_read_from_where_they_are),
          cmocka_unit_test(numbers_and_times_of_metadata_are_read),
          cmocka_unit_test(annotations_change_only_when_they_differ),
          cmocka_unit_test(finalizers_are_added_once_and_leave_nothing_behind),
          cmocka_unit_test(owner_that_was_made_anew_replaces_its_reference),
          cmocka_unit_test(annotation_table_is_sorted))
