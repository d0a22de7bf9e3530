/* SPDX-License-Identifier: Apache-2.0 */
/* test_handler.c - reading a call, and each way to end it. */
#include "../test.h"

#include "net/handler.h"

static unsigned ended;

static void count_end(struct handler_call *c)
{
    (void)c;
    ended++;
}

static void answer(void *ctx, struct handler_call *c)
{
    handler_add_header(c, STR("X-Last"), handler_query(c, STR("last")));
    if (str_eq(handler_header(c, STR("Accept")), STR("stream")))
        handler_begin_stream(c, 200, STR("text/plain"), ctx);
    else if (handler_has_query(c, STR("drop")))
        handler_drop(c);
    else
        handler_reply(c, 201, STR_NONE, c->body);
}

TEST(a_call_ends_once_in_the_way_its_handler_chose)
{
    static const struct {
        const char *query, *accept;
        int status;
        bool stream, drop;
    } cases[] = {
        {"last=%41", "", 201, false, false},
        {"last=%41", "stream", 200, true, false},
        {"last=%41&drop", "", 0, false, true},
    };
    AUTO_ARENA a = arena_new();
    struct handler_stream *s = arena_alloc(a, 1);
    const struct handler h = {answer, s};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct http_headers headers = {0};
        struct handler_call c = {.arena = a,
                                 .query = str_c(cases[i].query),
                                 .headers = &headers,
                                 .body = STR("body"),
                                 .done = count_end};
        http_header_add(a, &headers, STR("Accept"), str_c(cases[i].accept));
        ended = 0;
        handler_answer(&h, &c);
        assert_int_equal(ended, 1);
        assert_int_equal(c.status, cases[i].status);
        assert_true(c.drop == cases[i].drop && c.stream == (cases[i].stream ? s : NULL));
        assert_str(http_header_get(&c.reply_headers, STR("X-Last")), STR("A"));
        assert_str(c.reply, cases[i].status == 201 ? STR("body") : STR_NONE);
        assert_int_equal(http_header_has(&c.reply_headers, STR("Content-Type")), cases[i].stream);
    }
}

RUN_TESTS(cmocka_unit_test(a_call_ends_once_in_the_way_its_handler_chose))
