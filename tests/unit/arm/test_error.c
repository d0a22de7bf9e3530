/* SPDX-License-Identifier: Apache-2.0 */
/* test_error.c - errors in the forms that services use. */
#include "../test.h"

#include "arm/error.h"

static const struct {
    const char *body, *code, *text;
    bool understood;
} shapes[] = {
    {"{\"error\":{\"code\":\"C\",\"message\":\"m\"}}", "C", "m", true},
    {"{\"code\":\"C\",\"message\":\"m\"}", "C", "m", true},
    {"{\"Code\":\"C\",\"Message\":\"m\",\"Details\":[{\"Message\":\"m\"}]}", "C", "m", true},
    {"{\"error\":{\"code\":\"C\",\"message\":\"m\"},\"code\":\"D\"}", "C", "m", true},
    {"{\"code\":404002,\"message\":\"m\"}", "404002", "m", false},
    {"{\"type\":\"u\",\"title\":\"Not Found\",\"status\":404}", "UnknownError", "Not Found", true},
    {"{\"title\":\"Bad\",\"detail\":\"the reason\"}", "UnknownError", "Bad: the reason", true},
    {"{\"Message\":\"no such method\"}", "UnknownError", "no such method", true},
    {"{\"error\":\"invalid_client\",\"error_description\":\"AADSTS7000215: wrong\"}",
     "invalid_client", "AADSTS7000215: wrong", true},
    {"{\"error\":\"\",\"error_description\":\"\"}", "UnknownError",
     "Azure answered with status 400 and said nothing more", true},
    {"", "UnknownError", "Azure answered with status 400 and said nothing more", true},
    {"{}", "UnknownError", "Azure answered with status 400 and said nothing more", true},
    {"<html>\r\n<head><title>502 Bad Gateway</title></head>", "UnknownError", "502 Bad Gateway",
     false},
    {"no\tpage", "UnknownError", "no page", false},
    {"{\"error\":{\"code\":\"R\",\"message\":\"A retryable error occurred.\",\"details\":"
     "[{\"code\":\"Q\",\"message\":\"The call can be retried\"}]}}",
     "R", "A retryable error occurred. The call can be retried", true},
    {"{\"error\":{\"code\":\"R\",\"message\":\"outer\",\"innererror\":{\"code\":\"A\","
     "\"innererror\":{\"code\":\"B\",\"message\":\"root\"}}}}",
     "R", "outer: root", true},
    {"{\"error\":{\"code\":\"R\",\"message\":\"{\\\"error\\\":{\\\"code\\\":\\\"X\\\","
     "\\\"message\\\":\\\"inside\\\"}}\"}}",
     "R", "inside", true},
    {"{\"status\":\"Failed\",\"error\":{\"code\":\"C\",\"message\":\"m\"}}", "C", "m", true},
    {"{\"properties\":{\"provisioningState\":\"Failed\",\"provisioningDetails\":\"why\"}}",
     "UnknownError", "why", true},
    {"[1]", "UnknownError", "Azure answered with status 400 and said nothing more", true},
};

TEST(every_shape_is_read)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct cloud_error e;
        cloud_error_read(a, 400, str_c(shapes[i].body), &e);
        assert_str(e.code, str_c(shapes[i].code));
        assert_str(cloud_error_text(a, &e), str_c(shapes[i].text));
        assert_int_equal(e.understood, shapes[i].understood);
        assert_int_equal(e.http, 400);
    }
}

TEST(causes_are_kept_in_order_and_limited)
{
    AUTO_ARENA a = arena_new();
    struct buf body = buf_new(a, BUF_UNLIMITED);
    struct cloud_error e;

    buf_add(&body, STR("{\"error\":{\"code\":\"C\",\"message\":\"m\",\"details\":["));
    for (int i = 0; i < 100; i++)
        buf_fmt(&body, "%s{\"code\":\"D%d\",\"message\":\"n\"}", i ? "," : "", i);
    buf_add(&body, STR("]}}"));
    cloud_error_read(a, 400, buf_str(&body), &e);
    assert_int_equal(e.causes.len, CLOUD_CAUSES_MAX);
    assert_str(e.causes.items[3].code, STR("D3"));
}

TEST(no_answer_has_a_text)
{
    AUTO_ARENA a = arena_new();
    struct cloud_error e;

    cloud_error_read(a, 0, STR_NONE, &e);
    assert_str(cloud_error_text(a, &e), STR("there was no answer from Azure"));
}

/* They may be keys of an account, which were asked for. */
TEST(successes_are_not_quoted)
{
    static const struct {
        const char *body, *text;
    } cases[] = {
        {"{\"keys\":[{\"value\":\"planted\"}]} x",
         "Azure answered with status 200, but not with JSON"},
        {"key1=planted", "Azure answered with status 200, but not with JSON"},
        {"<title>Sign in</title>planted", "Sign in"},
        {" \r\n", "Azure answered with status 200 and said nothing more"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cloud_error e;
        cloud_error_read(a, 200, str_c(cases[i].body), &e);
        assert_str(cloud_error_text(a, &e), str_c(cases[i].text));
    }
}

RUN_TESTS(cmocka_unit_test(every_shape_is_read),
          cmocka_unit_test(causes_are_kept_in_order_and_limited),
          cmocka_unit_test(no_answer_has_a_text), cmocka_unit_test(successes_are_not_quoted))
