/* SPDX-License-Identifier: Apache-2.0 */
/* test_secret.c - what is shown of Secrets. */
#include "../test.h"

#include "compare/secret.h"
#include "compare/reference/yaml_map_internal.h"
#include "text/codec.h"
#include "text/json/json.h"

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
    /* The same in other words still differs. */
    {"{kind: Secret, metadata: {annotations: {k: '{\"data\":{\"a\":\"x\"}}'}}}",
     "{kind: Secret, metadata: {annotations: {k: '{\"data\": {\"a\":\"x\"}}'}}}",
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"k\":\"*** (before)\"}}}",
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"k\":\"*** (after)\"}}}"},
    /* Copies of other forms: a list, a text that was cut off, JSON in JSON, YAML. */
    {"{kind: Secret, metadata: {annotations: {k: '[{\"data\":{\"a\":\"x\"}}]', m: metadata:}}}",
     "{kind: Secret, metadata: {annotations: {k: '[{\"data\":{\"a\":\"z\"}}]', m: metadata:}}}",
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"k\":\"*** (before)\",\"m\":"
     "\"metadata:\"}}}",
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"k\":\"*** (after)\",\"m\":"
     "\"metadata:\"}}}"},
    {"{kind: Secret, metadata: {annotations: {k: '{\"data\":{\"a\":\"x'}}}", NULL,
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"k\":\"***\"}}}", NULL},
    {"{kind: Secret, metadata: {annotations: {k: '{\"o\":\"{\\\"stringData\\\":1}\"}'}}}", NULL,
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"k\":\"***\"}}}", NULL},
    {"{kind: Secret, metadata: {annotations: {k: \"kind: Secret\\ndata:\\n  a: x\"}}}", NULL,
     "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"k\":\"***\"}}}", NULL},
    /* Within other objects and lists. */
    {"{kind: ManifestWork, spec: {manifests: [{kind: Secret, data: {a: x}}]}}",
     "{kind: ManifestWork, spec: {manifests: [{kind: Secret, data: {a: z}}]}}",
     "{\"kind\":\"ManifestWork\",\"spec\":{\"manifests\":[{\"kind\":\"Secret\",\"data\":{\"a\":"
     "\"*** (before)\"}}]}}",
     "{\"kind\":\"ManifestWork\",\"spec\":{\"manifests\":[{\"kind\":\"Secret\",\"data\":{\"a\":"
     "\"*** (after)\"}}]}}"},
    {"{kind: X, list: {kind: SecretList, items: [{data: {a: x}}]}}", NULL,
     "{\"kind\":\"X\",\"list\":{\"kind\":\"SecretList\",\"items\":[{\"data\":{\"a\":\"***\"}}]}}",
     NULL},
    {"{kind: X, ref: {kind: Secret, name: it}, data: {a: x}}", NULL,
     "{\"kind\":\"X\",\"ref\":{\"kind\":\"Secret\",\"name\":\"it\"},\"data\":{\"a\":\"x\"}}", NULL},
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
        secret_mask_pair(a, NULL, &before, &after);
        check(a, before, cases[i].want_before);
        check(a, after, cases[i].want_after);
    }
}

TEST(the_objects_themselves_stay_as_they_are)
{
    AUTO_ARENA a = arena_new();
    struct value *object = read(a, "{kind: Secret, data: {a: x}}"), *none = NULL;
    struct value *shown = object;

    secret_mask_pair(a, NULL, &shown, &none);
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
        secret_mask_pair(a, NULL, &object, &none);
    }
}

TEST(patches_keep_what_they_delete)
{
    AUTO_ARENA a = arena_new();
    struct value *patch = read(a, "{data: {a: x, gone: null}, spec: {b: x}}");
    struct value *plain = read(a, "{spec: {b: x}}");
    const struct value *secret = read(a, "{kind: Secret, data: {a: y, gone: z}}");

    assert_true(secret_mask_patch(a, NULL, secret, NULL, patch));
    check(a, patch, "{\"data\":{\"a\":\"***\",\"gone\":null},\"spec\":{\"b\":\"x\"}}");
    assert_false(secret_mask_patch(a, NULL, secret, NULL, plain));
}

/* The patch does not repeat what the embedded object is. */
TEST(patches_of_objects_with_secrets_are_masked)
{
    AUTO_ARENA a = arena_new();
    const struct value *before =
        read(a, "{kind: Work, spec: {t: {kind: Secret, data: {a: y}}, data: {k: v}}}");
    const struct value *list = read(a, "{kind: SecretList, items: [{data: {a: y}}]}");
    struct value *patch = read(
        a, "{metadata: {annotations: {note: '{\"data\":{\"a\":\"x\"}}', o: p}},"
           " spec: {t: {data: {a: x}}, data: {k: w}, l: [{kind: Secret, stringData: {a: x}}]}}");
    struct value *items = read(a, "{items: [{data: {a: x}}]}");

    assert_true(secret_mask_patch(a, NULL, before, NULL, patch));
    check(
        a, patch,
        "{\"metadata\":{\"annotations\":{\"note\":\"{\\\"data\\\":{\\\"a\\\":\\\"***\\\"}}\",\"o\":"
        "\"p\"}},"
        "\"spec\":{\"t\":{\"data\":{\"a\":\"***\"}},\"data\":{\"k\":\"w\"},"
        "\"l\":[{\"kind\":\"Secret\",\"stringData\":{\"a\":\"***\"}}]}}");
    assert_true(secret_mask_patch(a, NULL, NULL, list, items));
    check(a, items, "{\"items\":[{\"data\":{\"a\":\"***\"}}]}");
}

/* ---- By value. ---- */

/* planted-value and short, in base64. */
#define PLAIN "{kind: Secret, data: {a: cGxhbnRlZC12YWx1ZQ==, b: c2hvcnQ=}}"

static const struct {
    const char *name, *objects[3], *text, *want;
} value_cases[] = {
    {"the value and its base64", {PLAIN}, "<planted-value cGxhbnRlZC12YWx1ZQ== x>", "<*** *** x>"},
    {"base64 without padding", {PLAIN}, "cGxhbnRlZC12YWx1ZQ", "***"},
    {"short ones stay, but not in base64", {PLAIN}, "short c2hvcnQ=", "short ***"},
    {"parts stay", {PLAIN}, "planted-valu lanted-value", "planted-valu lanted-value"},
    {"stringData", {"{kind: Secret, stringData: {a: planted-value}}"}, "planted-value", "***"},
    {"a number", {"{kind: Secret, stringData: {a: 1234567890}}"}, "1234567890", "***"},
    {"not base64", {"{kind: Secret, data: {a: 'no base64'}}"}, "no base64", "***"},
    {"base64 for URLs",
     {"{kind: Secret, data: {a: cGxhbnRlZD8-Pz52YWx1ZQ}}"},
     "planted?>?>value cGxhbnRlZD8+Pz52YWx1ZQ==",
     "*** ***"},
    {"within another object",
     {"{kind: ManifestWork, spec: {a: [" PLAIN "]}}"},
     "planted-value",
     "***"},
    {"of a list",
     {"{kind: SecretList, items: [{stringData: {a: planted-value}}]}"},
     "planted-value",
     "***"},
    {"another object has it",
     {PLAIN, "{kind: X, a: [planted-value]}"},
     "planted-value",
     "planted-value"},
    {"another object has it in base64",
     {PLAIN, "{kind: X, a: '<cGxhbnRlZC12YWx1ZQ==>'}"},
     "planted-value",
     "planted-value"},
    {"another object has it as a key",
     {PLAIN, "{kind: X, planted-value: 1}"},
     "planted-value",
     "planted-value"},
    {"another Secret has it", {PLAIN, PLAIN}, "planted-value", "***"},
    {"an annotation of it has it",
     {"{kind: Secret, stringData: {a: planted-value}, metadata: {annotations: {x: "
      "planted-value}}}"},
     "planted-value",
     "***"},
    {"its own namespace",
     {"{kind: Secret, stringData: {a: planted-value}, metadata: {namespace: planted-value}}"},
     "planted-value",
     "planted-value"},
    {"the longest one",
     {"{kind: Secret, stringData: {a: planted-value, b: planted-value-long, c: planted-}}"},
     "planted-value-long planted-value-lon planted-x",
     "*** ***-lon ***x"},
    {"the open one within a secret one",
     {"{kind: Secret, stringData: {a: planted-value, b: planted-}}", "{kind: X, a: planted-value}"},
     "planted-value",
     "planted-value"},
    {"quoted",
     {"{kind: Secret, stringData: {a: \"say \\\"hello\\\"\\n\"}}"},
     "x \"say \\\"hello\\\"\\n\" y",
     "x \"***\" y"},
    {"indented",
     {"{kind: Secret, stringData: {a: \"line one\\n  line two\\n\"}}"},
     "a:\n    line one\n      line two\n",
     "a:\n    ***"},
    {"as YAML reads it between quotes",
     {"{kind: Secret, stringData: {a: \"one planted \\n  two\\n\\nthree\\n\"}}"},
     "x one planted two\nthree y",
     "x *** y"},
    {"in JSON",
     {"{kind: Secret, stringData: {a: '<planted&value>'}}"},
     "x \\u003cplanted\\u0026value\\u003e y",
     "x *** y"},
    {"in a text in single quotes",
     {"{kind: Secret, stringData: {a: \"it's planted\"}}"},
     "a: 'it''s planted'",
     "a: '***'"},
    {"in a URL",
     {"{kind: Secret, stringData: {a: planted/value+ 1}}"},
     "u:planted%2Fvalue%2B+1@h u:planted%2Fvalue%2B%201@h",
     "u:***@h u:***@h"},
    {"in what is encoded with something before and behind it",
     {"{kind: Secret, stringData: {a: planted-value}}"},
     "cGxhbnRlZC12YWx1ZQ== OnBsYW50ZWQtdmFsdWU= dTpwbGFudGVkLXZhbHVlOg== "
     "dXM6cGxhbnRlZC12YWx1ZTp4",
     "*** On*** dTp***Og== dXM6***Tp4"},
    {"although another value in other letters is shown openly",
     {"{kind: Secret, stringData: {a: Planted-Value, b: PLANTED-VALUE}}",
      "{kind: ConfigMap, data: {a: Planted-Value}}",
      "{kind: Secret, stringData: {b: PLANTED-VALUE, a: Planted-Value}}"},
     "Planted-Value PLANTED-VALUE",
     "Planted-Value ***"},
    {"except where it is a key",
     {"{kind: Secret, stringData: {username: username}}"},
     "username",
     "username"},
    {"without its line end",
     {"{kind: Secret, stringData: {a: \"planted-value\\n\"}}"},
     "planted-value.",
     "***."},
    {"in other letters and in hex",
     {"{kind: Secret, stringData: {a: Planted-Value}}"},
     "PLANTED-VALUE planted-value 506c616e7465642d56616c7565",
     "*** *** ***"},
    {"in capitals of hex",
     {"{kind: Secret, stringData: {a: Planted-Value}}"},
     "506C616E7465642D56616C7565",
     "***"},
    {"in letters that functions change",
     {"{kind: Secret, stringData: {a: Planted value-ä}}"},
     "planted value-ä PLANTED VALUE-Ä Planted Value-Ä pLANTED VALUE-Ä planted value-Ä",
     "*** *** *** *** planted value-Ä"},
    {"in HTML and scripts",
     {"{kind: Secret, stringData: {a: \"<planted>&'value'\"}}"},
     "&lt;planted&gt;&amp;&#39;value&#39; \\u003Cplanted\\u003E\\u0026\\'value\\'",
     "*** ***"},
    {"what is encoded in a login",
     {"{kind: Secret, stringData: {a: '{\"auths\":{\"r\":{\"auth\":\"dTpwbGFudGVkLXZhbHVl\"}}}'}}"},
     "u:planted-value planted-value",
     "*** ***"},
    {"what is encoded in a key",
     {"{kind: Secret, stringData: {a: \"client-key-data: "
      "LS0tLS1CRUdJTiBLRVktLS0tLQpNSUlFcGxhbnRlZDAxMjM0NTY3ODkK\\n\"}}"},
     "x MIIEplanted0123456789 -----BEGIN KEY-----\nMIIEplanted0123456789",
     "x *** ***"},
    {"what is encoded in a long word",
     {"{kind: Secret, stringData: {a: 'x: cGxhbnRlZC12YWx1ZS0xMjM0'}}"},
     "planted-value-1234",
     "***"},
    {"in base64 twice", {PLAIN}, "Y0d4aGJuUmxaQzEyWVd4MVpRPT0=", "***"},
    {"lines of a key",
     {"{kind: Secret, stringData: {a: \"-----BEGIN KEY-----\\nMIIEplanted0123456789\\n\"}}"},
     "-----BEGIN KEY-----, MIIEplanted0123456789",
     "-----BEGIN KEY-----, ***"},
    {"what has a secret name in JSON",
     {"{kind: Secret, stringData: {a: '{\"auths\":{\"planted.io\":{\"password\": "
      "\"planted-p\",\"auth\":\"planted-a\"}}}'}}"},
     "planted-p planted-a planted.io",
     "*** *** planted.io"},
    {"what has a secret name in settings",
     {"{kind: Secret, stringData: {a: \"user: planted-u\\npassword: planted-p\\n"
      "Token=planted-t;other=planted-o\"}}"},
     "planted-u planted-p planted-t planted-o",
     "planted-u *** *** planted-o"},
    {"the password of a URL",
     {"{kind: Secret, stringData: {a: 'db://user:planted-p@planted-h/x'}}"},
     "planted-p planted-h",
     "*** planted-h"},
    {"the end that a function quotes",
     {"{kind: Secret, stringData: {a: 2006-planted}}"},
     "parsing time \"2006-planted\": cannot parse \"planted\" as \"01\"",
     "parsing time \"***\": cannot parse \"***\" as \"01\""},
    {"a part of a pattern",
     {"{kind: Secret, stringData: {a: 'x[planted-value'}}"},
     "missing closing ]: `[planted-value`",
     "missing closing ]: `***`"},
};

/* ---- In messages. ---- */

static const struct {
    const char *value, *text, *want; /* NULL: stays as it is */
} messages[] = {
    {"*abcdefg: hijk", "it isn't YAML: unknown anchor 'abcdefg' in a: *abcdefg: hijk",
     "it isn't YAML: unknown anchor '***' in a: ***"},
    {"{{abcdefgh}}", "invalid key: map[x]y{\"abcdefgh\":nil} in {{abcdefgh}}",
     "invalid key: map[x]y{\"***\":nil} in ***"},
    {"(abcdefg[hij", "missing closing ]: `[hij`", "missing closing ]: `***`"},
    {"(abcdefg[hij", "missing closing ]: '[hij', `[hi`, `[klmn`", NULL},
    {"abc defg hij", "'abc', the 'defg' isn't of \"defg\" in abc defg hij",
     "'abc', the '***' isn't of \"***\" in ***"},
};

TEST(quoted_parts_of_values_are_masked)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(messages); i++) {
        struct value *object = value_object(a);
        struct value *data = value_set(a, object, STR("stringData"), value_object(a));
        value_set_str(a, object, STR("kind"), STR("Secret"));
        value_set_str(a, data, STR("v"), str_c(messages[i].value));
        str text = str_c(messages[i].text);
        str got = secret_values_hide_message(a, secret_values_of(a, &object, 1), text);
        assert_str(got, messages[i].want ? str_c(messages[i].want) : text);
    }
}

TEST(values_are_found_wherever_they_are)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(value_cases); i++) {
        struct value *objects[3];
        for (size_t k = 0; k < COUNT(objects); k++)
            objects[k] = read(a, value_cases[i].objects[k]);
        const struct secret_values *s = secret_values_of(a, objects, COUNT(objects));
        str got = secret_values_hide_message(a, s, str_c(value_cases[i].text));
        if (!str_eq(got, str_c(value_cases[i].want)))
            print_error("%s\n", value_cases[i].name);
        assert_str(got, str_c(value_cases[i].want));
    }
}

/* Before it there are more words than are looked for. */
TEST(a_private_key_behind_many_certificates_is_found)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, MIB);

    buf_add(&b, STR("{kind: Secret, stringData: {a: \""));
    for (int i = 0; i < 1000; i++)
        buf_fmt(&b, "MIIcertificate%010d\\n", i);
    buf_add(&b, STR("-----BEGIN PRIVATE KEY-----\\nMIIEplanted0123456789\\n"
                    "password: planted-value\\n\"}}"));
    struct value *object = read(a, str_z(a, buf_str(&b)));
    const struct secret_values *s = secret_values_of(a, &object, 1);
    assert_str(secret_values_hide(a, s, STR("MIIEplanted0123456789 planted-value")),
               STR("*** ***"));
}

TEST(without_a_secret_there_is_no_set)
{
    AUTO_ARENA a = arena_new();
    struct value *objects[] = {read(a, "{kind: X, data: {a: planted-value}}"),
                               read(a, "{kind: Secret}"), NULL};
    str text = STR("planted-value");

    assert_null(secret_values_of(a, objects, COUNT(objects)));
    assert_ptr_equal(secret_values_hide_message(a, NULL, text).ptr, text.ptr);
}

TEST(a_long_value_takes_what_follows_along)
{
    AUTO_ARENA a = arena_new();
    struct value *secret = value_object(a), *data;
    struct buf long_ = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < 10000; i++)
        buf_fmt(&long_, "%zu,", i);
    value_set_str(a, secret, STR("kind"), STR("Secret"));
    data = value_set(a, secret, STR("stringData"), value_object(a));
    value_set_str(a, data, STR("a"), buf_str(&long_));
    const struct secret_values *s = secret_values_of(a, &secret, 1);
    assert_str(secret_values_hide(a, s, str_concat(a, STR("x "), buf_str(&long_))), STR("x ***"));
    str encoded = base64_encode(a, buf_str(&long_));
    assert_str(secret_values_hide(a, s, str_concat(a, STR("x "), encoded)), STR("x ***"));
}

TEST(values_are_hidden_in_trees_but_not_in_identities)
{
    AUTO_ARENA a = arena_new();
    struct value *secret =
        read(a, "{kind: Secret, stringData: {a: planted-value, b: planted-other}}");
    struct value *before = read(a, "{kind: planted-value, metadata: {name: planted-value, labels: {"
                                   "x: planted-value}}, a: [planted-value], c: planted-value}");
    struct value *after = read(a, "{kind: planted-value, metadata: {name: planted-other}, a: ["
                                  "planted-other, planted-value], planted-value: 1, c: x}");

    secret_mask_pair(a, secret_values_of(a, &secret, 1), &before, &after);
    check(a, before,
          "{\"kind\":\"planted-value\",\"metadata\":{\"name\":\"***\",\"labels\":{\"x\":"
          "\"***\"}},\"a\":[\"*** (before)\"],\"c\":\"***\"}");
    check(a, after,
          "{\"kind\":\"planted-value\",\"metadata\":{\"name\":\"planted-other\"},\"a\":["
          "\"*** (after)\",\"***\"],\"***\":1,\"c\":\"x\"}");
}

TEST(keys_that_become_the_same_are_numbered)
{
    AUTO_ARENA a = arena_new();
    struct value *secret = read(a, "{kind: Secret, stringData: {a: planted-1, b: planted-2}}");
    struct value *before =
        read(a, "{planted-1: a, planted-2: b, c: {x-planted-1: {planted-2: 1}}}");
    struct value *after = read(a, "{planted-1: z}");

    secret_mask_pair(a, secret_values_of(a, &secret, 1), &before, &after);
    check(a, before, "{\"***\":\"a\",\"*** (2)\":\"b\",\"c\":{\"x-***\":{\"***\":1}}}");
    check(a, after, "{\"***\":\"z\"}");
}

/* However many: with a number each, they are counted once. */
TEST(many_keys_that_become_the_same_are_numbered_at_once)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, MIB);
    buf_repeat(&text, 'x', (size_t)2 * SECRET_VALUE_KEPT);
    str value = buf_str(&text);
    struct value *secret =
        read(a, str_z(a, str_fmt(a, "{kind: Secret, stringData: {a: %.*s}}", STR_ARG(value))));
    struct value *before = value_object(a);

    for (size_t i = 0; i < 2000; i++)
        value_set_int(a, before, str_fmt(a, "%.*s%zu", STR_ARG(value), i), 1);
    const struct secret_values *values = secret_values_of(a, &secret, 1);
    size_t used = arena_used(a);
    assert_true(secret_values_hide_pair(a, values, before, NULL));
    assert_true(arena_used(a) - used < MIB);
    assert_str(value_key(&before->items[0]), STR("***"));
    assert_str(value_key(&before->items[1999]), STR("*** (2000)"));
}

RUN_TESTS(cmocka_unit_test(both_sides_are_masked_and_differences_stay_visible),
          cmocka_unit_test(the_objects_themselves_stay_as_they_are),
          cmocka_unit_test(annotations_within_annotations_end),
          cmocka_unit_test(patches_keep_what_they_delete),
          cmocka_unit_test(patches_of_objects_with_secrets_are_masked),
          cmocka_unit_test(values_are_found_wherever_they_are),
          cmocka_unit_test(quoted_parts_of_values_are_masked),
          cmocka_unit_test(a_private_key_behind_many_certificates_is_found),
          cmocka_unit_test(without_a_secret_there_is_no_set),
          cmocka_unit_test(a_long_value_takes_what_follows_along),
          cmocka_unit_test(values_are_hidden_in_trees_but_not_in_identities),
          cmocka_unit_test(keys_that_become_the_same_are_numbered),
          cmocka_unit_test(many_keys_that_become_the_same_are_numbered_at_once))
