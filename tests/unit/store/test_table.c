/* SPDX-License-Identifier: Apache-2.0 */
/* test_table.c - what kubectl get shows: columns, cells, ages, paths. */
#include "stage.h"

#include "store/internal.h"
#include "text/json/json.h"

#define AS_TABLE "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

static struct value *parsed(struct arena *a, const char *text)
{
    const struct source src = {.text = str_c(text)};
    struct value *v = NULL;

    assert_true(json_read(a, &src, NULL, &v, NULL));
    return v;
}

static str written(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, MIB);

    store_write_json(&b, v);
    return buf_str(&b);
}

static const struct {
    const char *path, *want;
} path_cases[] = {
    {".a", "1"},
    {".b.c", "\"x\""},
    {".b", "{\"c\":\"x\",\"d.e\":true}"},
    {".b['d.e']", "true"},
    {".b.d\\.e", "true"},
    {".list[0].name", "\"p\""},
    {".list[-1].name", "\"r\""},
    {".list[*].name", "\"p\""},
    {".list[5].name", NULL},
    {".list[?(@.kind==\"k\")].name", "\"q\""},
    {".list[?(@.kind=='k')].name", "\"q\""},
    {".list[?(@.n>2)].name", "\"r\""},
    {".list[?(@.n!=1)].name", "\"q\""},
    {".list[?(@.kind)].name", "\"q\""},
    {".list[?(@.kind=='none')].name", NULL},
    {"..kind", "\"k\""},
    {".*", "1"},
    {".missing.x", NULL},
    {".list[", NULL},
    {".list[?(", NULL},
    {"a", NULL},
    {".a.b", NULL},
};

TEST(paths_find_the_first_value)
{
    AUTO_ARENA a = arena_new();
    const struct value *v = parsed(a, "{\"a\":1,\"b\":{\"c\":\"x\",\"d.e\":true},\"list\":["
                                      "{\"name\":\"p\",\"n\":1},{\"name\":\"q\",\"kind\":\"k\","
                                      "\"n\":2},{\"name\":\"r\",\"n\":30}]}");

    for (size_t i = 0; i < COUNT(path_cases); i++) {
        const struct value *got = store_json_path(a, v, str_c(path_cases[i].path));
        if (!path_cases[i].want)
            assert_null(got);
        else
            assert_str(written(a, got), str_c(path_cases[i].want));
    }
}

/* All steps of a path count, also those of its conditions, and all paths together. */
TEST(paths_of_columns_have_a_limit)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, MIB);
    struct value *v;
    size_t left = 250000;

    buf_add(&b, STR("{\"l\":[{}"));
    for (int i = 0; i < 5000; i++)
        buf_add(&b, STR(",{\"x\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]"
                        "]]]]]]]]]]]]]]}"));
    buf_add(&b, STR(",{\"c\":1,\"a\":{\"b\":\"x\"}}]}"));
    const struct source src = {.text = buf_str(&b)};
    assert_true(json_read(a, &src, NULL, &v, NULL));
    for (int i = 0; i < 3; i++)
        assert_null(store_json_path_within(a, v, STR(".l[?(@..a..b==\"x\")].c"), &left));
    assert_int_equal(left, 0);
    assert_null(store_json_path_within(a, v, STR(".l"), &left));
}

static const struct {
    int64_t seconds;
    const char *want;
} age_cases[] = {
    {-5, "<invalid>"},  {-1, "0s"},       {0, "0s"},          {119, "119s"},     {120, "2m"},
    {125, "2m5s"},      {600, "10m"},     {10799, "179m"},    {10800, "3h"},     {10860, "3h1m"},
    {28800, "8h"},      {172799, "47h"},  {172800, "2d"},     {176400, "2d1h"},  {691200, "8d"},
    {63071999, "729d"}, {63072000, "2y"}, {63158400, "2y1d"}, {252288000, "8y"}, {252374400, "8y"},
};

TEST(ages_read_as_in_kubectl)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(age_cases); i++)
        assert_str(store_human_duration(a, age_cases[i].seconds), str_c(age_cases[i].want));
}

#define COLUMNS_CRD                                                                                \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","           \
    "\"metadata\":{\"name\":\"gears.example.com\"},\"spec\":{\"group\":\"example.com\","           \
    "\"scope\":\"Cluster\"," NAMES(                                                                \
        "gears",                                                                                   \
        "Gear") ",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,"                \
                "\"additionalPrinterColumns\":["                                                   \
                "{\"name\":\"Int\",\"type\":\"integer\",\"jsonPath\":\".spec.i\"},"                \
                "{\"name\":\"Text\",\"type\":\"string\",\"jsonPath\":\".spec.o\",\"priority\":1}," \
                "{\"name\":\"Truth\",\"type\":\"boolean\",\"jsonPath\":\".spec.b\"},"              \
                "{\"name\":\"Wrong\",\"type\":\"integer\",\"jsonPath\":\".spec.s\"},"              \
                "{\"name\":\"When\",\"type\":\"date\",\"jsonPath\":\".spec.t\"},"                  \
                "{\"name\":\"None\",\"type\":\"string\",\"jsonPath\":\".spec.none\"}],"            \
                "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","                            \
                "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}"

#define GEAR                                                                                       \
    "{\"apiVersion\":\"example.com/"                                                               \
    "v1\",\"kind\":\"Gear\",\"metadata\":{\"name\":\"g\"},\"spec\":{"                              \
    "\"i\":7,\"o\":{\"x\":[1]},\"b\":true,\"s\":\"x\",\"t\":\"2027-01-15T07:59:00Z\"}}"
#define GEAR_CELLS "[\"g\",7,\"{\\\"x\\\":[1]}\",true,null,\"60s\",null]"

TEST(columns_of_a_definition_become_cells)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", CRDS, COLUMNS_CRD, 201);
    ASSERT_ASK(&s, "POST", "/apis/example.com/v1/gears", GEAR, 201);
    s.c.accept = STR(AS_TABLE);
    ASSERT_ASK(&s, "GET", "/apis/example.com/v1/gears", NULL, 200);
    assert_str(local_text(&s.c, "kind"), STR("Table"));
    const struct value *row = value_at(value_get(s.c.body, STR("rows")), 0);
    assert_str(written(a, value_get(row, STR("cells"))), STR(GEAR_CELLS));
    assert_str(value_get_str(value_get(row, STR("object")), STR("kind")),
               STR("PartialObjectMetadata"));
    const struct value *columns = value_get(s.c.body, STR("columnDefinitions"));
    assert_int_equal(value_len(columns), 7);
    assert_str(value_get_str(value_at(columns, 0), STR("name")), STR("Name"));
    /* One object, and with nothing or everything beside its cells. */
    ASSERT_ASK(&s, "GET", "/apis/example.com/v1/gears/g?includeObject=Object", NULL, 200);
    row = value_at(value_get(s.c.body, STR("rows")), 0);
    assert_str(value_get_str(value_get(row, STR("object")), STR("kind")), STR("Gear"));
    ASSERT_ASK(&s, "GET", "/apis/example.com/v1/gears?includeObject=None", NULL, 200);
    assert_null(value_get(value_at(value_get(s.c.body, STR("rows")), 0), STR("object")));
    stage_end(&s);
}

static const struct {
    const char *create, *body, *cells;
} builtin_cases[] = {
    {"/api/v1/namespaces",
     "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\"}}",
     "[\"a\",\"Active\",\"0s\"]"},
    {"/api/v1/namespaces/default/secrets",
     "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"a\"},\"data\":{\"x\":"
     "\"eA==\"}}",
     "[\"a\",\"Opaque\",1,\"0s\"]"},
    {"/api/v1/namespaces/default/configmaps",
     "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"x\":"
     "\"1\"},\"binaryData\":{\"y\":\"eA==\"}}",
     "[\"a\",2,\"0s\"]"},
    {"/api/v1/namespaces/default/events",
     "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"a\"},\"involvedObject\":{"
     "\"kind\":\"Secret\",\"name\":\"s\",\"namespace\":\"default\"},\"reason\":\"Made\",\"type\":"
     "\"Normal\",\"message\":\"m\",\"count\":2,\"lastTimestamp\":\"2027-01-15T07:59:00Z\","
     "\"firstTimestamp\":\"2027-01-15T07:58:00Z\"}",
     "[\"60s\",\"Normal\",\"Made\",\"secret/s\",\"\",\"m\",\"2m\",\"2\",\"a\"]"},
    {"/apis/coordination.k8s.io/v1/namespaces/default/leases",
     "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"a\"},"
     "\"spec\":{\"holderIdentity\":\"me\"}}",
     "[\"a\",\"me\",\"0s\"]"},
};

TEST(built_in_types_have_columns_of_their_own)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    for (size_t i = 0; i < COUNT(builtin_cases); i++) {
        s.c.accept = STR_NONE;
        ASSERT_ASK(&s, "POST", builtin_cases[i].create, builtin_cases[i].body, 201);
        s.c.accept = STR(AS_TABLE);
        assert_int_equal(local_askf(&s.c, "GET", NULL, "%s/a", builtin_cases[i].create), 200);
        const struct value *row = value_at(value_get(s.c.body, STR("rows")), 0);
        assert_str(written(a, value_get(row, STR("cells"))), str_c(builtin_cases[i].cells));
    }
    stage_end(&s);
}

TEST(a_watch_as_a_table_has_a_row_in_each_event)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", CRDS, COLUMNS_CRD, 201);
    s.c.accept = STR(AS_TABLE);
    struct local_watch *w = local_watch(&s.c, "/apis/example.com/v1/gears?watch=true");
    s.c.accept = STR_NONE;
    ASSERT_ASK(&s, "POST", "/apis/example.com/v1/gears", GEAR, 201);
    const struct value *event = local_watch_next(w);
    assert_str(value_get_str(event, STR("type")), STR("ADDED"));
    event = value_get(event, STR("object"));
    assert_str(value_get_str(event, STR("kind")), STR("Table"));
    assert_int_equal(value_len(value_get(event, STR("rows"))), 1);
    const struct value *row = value_at(value_get(event, STR("rows")), 0);
    assert_str(written(a, value_get(row, STR("cells"))), STR(GEAR_CELLS));
    local_watch_close(w);
    stage_end(&s);
}

RUN_TESTS(cmocka_unit_test(paths_find_the_first_value),
          cmocka_unit_test(paths_of_columns_have_a_limit),
          cmocka_unit_test(ages_read_as_in_kubectl),
          cmocka_unit_test(columns_of_a_definition_become_cells),
          cmocka_unit_test(built_in_types_have_columns_of_their_own),
          cmocka_unit_test(a_watch_as_a_table_has_a_row_in_each_event))
