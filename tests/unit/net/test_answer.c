/* SPDX-License-Identifier: Apache-2.0 */
/* test_answer.c - answers of HTTP/1.1, whole and byte by byte. */
#include "../test.h"

#include "net/answer.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"

struct answer_case {
    const char *text;
    enum answer_state state;
    int status;
    const char *body;
    bool keep;
    const char *method;
};

static const struct answer_case cases[] = {
    {OK "Content-Length: 2\r\n\r\nok", ANSWER_DONE, 200, "ok", true, ""},
    {OK "content-length:2\r\nConnection: x, Close\r\n\r\nok", ANSWER_DONE, 200, "ok", false, ""},
    {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", ANSWER_DONE, 200, "ok", false, ""},
    {"HTTP/1.1 204\r\n\r\n", ANSWER_DONE, 204, "", true, ""},
    {OK "Content-Length: 5\r\n\r\n", ANSWER_DONE, 200, "", true, "HEAD"},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", ANSWER_DONE, 304, "", true, ""},
    {OK "Content-Length: 0\n\n", ANSWER_DONE, 200, "", true, ""},
    {"HTTP/1.1 100 Continue\r\nA: b\r\n\r\n" OK "Content-Length: 1\r\n\r\nx", ANSWER_DONE, 200, "x",
     true, ""},
    {OK "\r\nuntil the end", ANSWER_MORE, 200, "until the end", false, ""},
    {CHUNKED "2\r\nab\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", ANSWER_DONE, 200, "ab0123456789", true,
     ""},
    {CHUNKED "1\r\na\r\n0\r\nTrailer: x\r\n\r\n", ANSWER_DONE, 200, "a", true, ""},
    {OK "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", ANSWER_DONE,
     200, "a", false, ""},
    {CHUNKED "g\r\n", ANSWER_BROKEN, 200, NULL, false, ""},
    {CHUNKED "1\r\nab\r\n", ANSWER_BROKEN, 200, NULL, false, ""},
    {CHUNKED "11111111111111111\r\n", ANSWER_BROKEN, 200, NULL, false, ""},
    {CHUNKED "ffff\r\n", ANSWER_BODY_LARGE, 200, NULL, false, ""},
    {OK "Transfer-Encoding: gzip, chunked\r\n\r\n", ANSWER_BROKEN, 200, NULL, false, ""},
    {OK "Content-Encoding: br\r\nContent-Length: 1\r\n\r\nx", ANSWER_BROKEN, 200, NULL, false, ""},
    {OK "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", ANSWER_BROKEN, 200, NULL, false, ""},
    {OK "Content-Length: +1\r\n\r\nx", ANSWER_BROKEN, 200, NULL, false, ""},
    {OK "Content-Length: 1001\r\n\r\nx", ANSWER_BODY_LARGE, 200, NULL, false, ""},
    {OK "A: b\r\n folded\r\n\r\n", ANSWER_BROKEN, 200, NULL, false, ""},
    {OK "A B: c\r\n\r\n", ANSWER_BROKEN, 200, NULL, false, ""},
    {OK ": c\r\n\r\n", ANSWER_BROKEN, 200, NULL, false, ""},
    {OK "no colon\r\n\r\n", ANSWER_BROKEN, 200, NULL, false, ""},
    {"HTTP/2 200\r\n\r\n", ANSWER_BROKEN, 0, NULL, false, ""},
    {"HTTP/1.1 20 OK\r\n\r\n", ANSWER_BROKEN, 0, NULL, false, ""},
    {"HTTP/1.1 2000\r\n\r\n", ANSWER_BROKEN, 0, NULL, false, ""},
    {"HTTP/1.1 101 Switching\r\n\r\n", ANSWER_BROKEN, 101, NULL, false, ""},
    {"SSH-2.0-x\r\n", ANSWER_BROKEN, 0, NULL, false, ""},
};

/* Pieces of size bytes; what is left of the last one is in *rest. */
static enum answer_state feed(struct answer *p, str text, size_t size, size_t *rest)
{
    enum answer_state state = ANSWER_MORE;
    size_t at = 0, used = 0;

    while (state == ANSWER_MORE && at < text.len) {
        state = answer_feed(p, str_slice(text, at, at + size), &used);
        at += used;
    }
    *rest = text.len - at;
    return state;
}

static void check(const struct answer_case *c, size_t size)
{
    AUTO_ARENA a = arena_new();
    const struct answer_limits limits = {.head = 1000, .body = 1000};
    struct http_response response = {0};
    struct answer p;
    size_t rest;

    answer_begin(&p, a, str_c(c->method), &limits, &response);
    enum answer_state state = feed(&p, str_c(c->text), size, &rest);
    if (state != c->state)
        print_error("%s: %d, want %d\n", c->text, (int)state, (int)c->state);
    assert_int_equal(state, c->state);
    assert_int_equal(response.status, c->status);
    if (state == ANSWER_BROKEN)
        assert_non_null(p.why);
    if (!c->body)
        return;
    if (state == ANSWER_MORE)
        assert_int_equal(answer_close(&p), ANSWER_DONE);
    assert_str(response.body, str_c(c->body));
    assert_int_equal(p.keep, c->keep);
    assert_int_equal(rest, 0);
}

TEST(answers_are_read_in_pieces_of_any_size)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t size = 1; size < 200; size = size * 3 / 2 + 1)
            check(&cases[i], size);
}

TEST(headers_stay_after_the_body_has_come)
{
    AUTO_ARENA a = arena_new();
    const struct answer_limits limits = {0};
    struct http_response response = {0};
    struct answer p;
    size_t rest;

    answer_begin(&p, a, STR("GET"), &limits, &response);
    feed(&p, STR(OK "X-One:  a b \r\nx-two:\r\nX-One: c\r\nContent-Length: 2\r\n\r\nokmore"), 7,
         &rest);
    assert_str(http_header_get(&response.headers, STR("x-one")), STR("a b"));
    assert_true(http_header_has(&response.headers, STR("X-Two")));
    assert_int_equal(response.headers.len, 4);
    assert_str(response.body, STR("ok"));
}

TEST(heads_and_trailers_have_a_limit)
{
    static const char *const endless[] = {OK "A: 0123456789\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
                                          CHUNKED "0\r\nA: 0123456789\r\n"};
    const struct answer_limits limits = {.head = 300, .body = 1000};

    for (size_t i = 0; i < COUNT(endless); i++) {
        AUTO_ARENA a = arena_new();
        struct http_response response = {0};
        struct answer p;
        size_t used;
        str more = i == 1 ? str_c(endless[i]) : STR("A: 0123456789\r\n");
        answer_begin(&p, a, STR("GET"), &limits, &response);
        enum answer_state now = answer_feed(&p, str_c(endless[i]), &used);
        for (int n = 0; n < 1000 && now == ANSWER_MORE; n++)
            now = answer_feed(&p, more, &used);
        assert_int_equal(now, ANSWER_HEAD_LARGE);
    }
}

TEST(an_answer_that_is_cut_off_is_broken)
{
    AUTO_ARENA a = arena_new();
    const struct answer_limits limits = {0};
    const str text = STR(CHUNKED "2\r\nab\r\n0\r\n\r\n");

    for (size_t n = 0; n < text.len; n++) {
        struct http_response response = {0};
        struct answer p;
        size_t rest;
        answer_begin(&p, a, STR("GET"), &limits, &response);
        assert_int_equal(feed(&p, str_slice(text, 0, n), n + 1, &rest), ANSWER_MORE);
        assert_int_equal(answer_close(&p), ANSWER_BROKEN);
    }
}

RUN_TESTS(cmocka_unit_test(answers_are_read_in_pieces_of_any_size),
          cmocka_unit_test(headers_stay_after_the_body_has_come),
          cmocka_unit_test(heads_and_trailers_have_a_limit),
          cmocka_unit_test(an_answer_that_is_cut_off_is_broken))
