/* SPDX-License-Identifier: Apache-2.0 */
/* test_secret.c - what is shown of Secrets. */
#include "../test.h"

#include "compare/secret.h"
#include "compare/yaml_map.h"
#include "text/json.h"

#define LAST "\"kubectl.kubernetes.io/last-applied-configuration\""

static const struct {
    const char *before, *after; /* NULL: not there */
    const char *want_before, *want_after;
} cases[] = {
    {"{kind: Secret, data: {a: x, b: x}}", "{kind: Secret, data: {a: x, b: z}}",
     "{\"kind\":\"Secret\",\"data\":{\"a\":\"***\",\"b\":\"*** (before)\"}}",
     "{\"kind\":\"Secret\",\"data\":{\"a\":\"***\",\"b\":\"*** (after)\"}}"},
    {"{kind: Secret, stringData: {a: x}}", "{kind: Secret, stringData: {b: x}}",
     "{\"kind\":\"Secret\",\"stringData\":{\"a\":\"***\"}}",
     "{\"kind\":\"Secret\",\"stringData\":{\"b\":\"***\"}}"},
    {NULL, "{kind: Secret, data: {a: {deep: x}, none: null}}", NULL,
     "{\"kind\":\"Secret\",\"data\":{\"a\":\"***\",\"none\":null}}"},
    {"{kind: Secret, data: x}", "{kind: Secret, data: {a: x}}",
     "{\"kind\":\"Secret\",\"data\":\"*** (before)\"}",
     "{\"kind\":\"Secret\",\"data\":\"*** (after)\"}"},
    {"{kind: Secret, data: [x]}", "{kind: Secret}", "{\"kind\":\"Secret\",\"data\":\"***\"}",
     "{\"kind\":\"Secret\"}"},
    {"{kind: ConfigMap, data: {a: x}}", "{kind: ConfigMap, data: {a: z}}",
     "{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"x\"}}",
     "{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"z\"}}"},
    {"{kind: ConfigMap, data: {a: x}}", "{kind: Secret, data: {a: x}}",
     "{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"***\"}}",
     "{\"kind\":\"Secret\",\"data\":{\"a\":\"***\"}}"},
    {"{kind: Secret, metadata: {annotations: {" LAST ": '{\"data\":{\"a\":\"x\"}}'}}}",
     "{kind: Secret, metadata: {annotations: {" LAST ": '{\"data\":{\"a\":\"z\"}}'}}}",
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{" LAST
     ":\"{\\\"data\\\":{\\\"a\\\":\\\"*** (before)\\\"}}\"}}}",
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{" LAST
     ":\"{\\\"data\\\":{\\\"a\\\":\\\"*** (after)\\\"}}\"}}}"},
    {"{kind: Secret, metadata: {annotations: {" LAST ": 'data x', other: x}}}", NULL,
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{" LAST ":\"***\",\"other\":\"x\"}}}",
     NULL},
    {"{kind: Secret, metadata: {annotations: {copy: '{\"stringData\":{\"a\":\"x\"}}'}}}", NULL,
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"copy\":"
     "\"{\\\"stringData\\\":{\\\"a\\\":\\\"***\\\"}}\"}}}",
     NULL},
    {"{kind: Secret, metadata: {annotations: {note: '{\"a\": 1 }'}}}", NULL,
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"note\":\"{\\\"a\\\": 1 }\"}}}", NULL},
};

static struct value *read(struct arena *a, const char *text)
{
    struct value *out = NULL;
    AUTO_ERR e = {0};

    if (text)
        assert_ok(yaml_map_read(a, str_c(text), &out, &e), &e);
    return out;
}

static void check(struct arena *a, const struct value *got, const char *want)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    if (!want) {
        assert_null(got);
        return;
    }
    assert_ok(json_write(&out, got, &json_exact, &e), &e);
    assert_str(buf_str(&out), str_c(want));
}

TEST(both_sides_are_masked_and_differences_stay_visible)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value *before = read(a, cases[i].before), *after = read(a, cases[i].after);
        secret_mask_pair(a, &before, &after);
        check(a, before, cases[i].want_before);
        check(a, after, cases[i].want_after);
    }
}

TEST(the_objects_themselves_stay_as_they_are)
{
    AUTO_ARENA a = arena_new();
    struct value *object = read(a, "{kind: Secret, data: {a: x}}"), *none = NULL;
    struct value *shown = object;

    secret_mask_pair(a, &shown, &none);
    check(a, object, "{\"kind\":\"Secret\",\"data\":{\"a\":\"x\"}}");
    assert_int_equal(value_get(value_get(shown, STR("data")), STR("a"))->pos,
                     value_get(value_get(object, STR("data")), STR("a"))->pos);
}

TEST(annotations_within_annotations_end)
{
    AUTO_ARENA a = arena_new();
    str text = STR("{\"data\":{\"a\":\"x\"}}");

    for (size_t i = 0; i < 12; i++) {
        struct value *object = value_object(a), *none = NULL;
        struct buf out = buf_new(a, BUF_UNLIMITED);
        struct value *meta = value_set(a, object, STR("metadata"), value_object(a));
        struct value *notes = value_set(a, meta, STR("annotations"), value_object(a));
        AUTO_ERR e = {0};
        value_set_str(a, object, STR("kind"), STR("Secret"));
        value_set_str(a, notes, STR("n"), text);
        assert_ok(json_write(&out, object, &json_exact, &e), &e);
        text = buf_str(&out);
        secret_mask_pair(a, &object, &none);
    }
}

TEST(patches_keep_what_they_delete)
{
    AUTO_ARENA a = arena_new();
    struct value *patch = read(a, "{data: {a: x, gone: null}, spec: {b: x}}");
    struct value *plain = read(a, "{spec: {b: x}}");

    assert_true(secret_mask_patch(a, patch));
    check(a, patch, "{\"data\":{\"a\":\"***\",\"gone\":null},\"spec\":{\"b\":\"x\"}}");
    assert_false(secret_mask_patch(a, plain));
}

RUN_TESTS(cmocka_unit_test(both_sides_are_masked_and_differences_stay_visible),
          cmocka_unit_test(the_objects_themselves_stay_as_they_are),
          cmocka_unit_test(annotations_within_annotations_end),
          cmocka_unit_test(patches_keep_what_they_delete))
