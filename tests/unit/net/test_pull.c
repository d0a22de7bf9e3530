/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that are read like files: complete ones, truncated ones, and very large ones. */
#include "../test.h"

#include "net/http/pull.h"
#include "net/tape/tape.h"
#include "support/fault_server.h"

#include <sys/resource.h>
#include <unistd.h>

#define HEAD_OK "HTTP/1.1 200 OK\r\n"

static struct http_client *new_client(bool impatient, struct tape *tape)
{
    AUTO_ERR e = {0};
    struct http_config config = http_defaults();
    struct http_client *client;

    config.timeout = 60 * NS_PER_SEC;
    config.idle_timeout = impatient ? 100 * NS_PER_MS : 30 * NS_PER_SEC;
    config.no_proxy = true;
    config.tape = tape;
    assert_ok(http_client_new(&config, &client, &e), &e);
    return client;
}

/* Reads all of it, in small pieces. */
static bool read_all(struct http_pull *p, struct buf *out, struct err *e)
{
    char piece[7];
    size_t got;

    for (;;) {
        if (!http_pull_read(p, piece, sizeof(piece), &got, e))
            return false;
        if (!got)
            return true;
        buf_add(out, str_of(piece, got));
    }
}

/* What comes of a reply: how it ends, and what was read of it. */
static const struct {
    struct fault_step step;
    const char *body;          /* what is read */
    enum http_failure failure; /* at the head or behind the body */
    int status;
    const char *want; /* in the error */
} cases[] = {
    {{.reply = HEAD_OK "Content-Length: 12\r\n\r\nall is there"}, "all is there", 0, 200, NULL},
    {{.reply = HEAD_OK "Content-Length: 0\r\n\r\n"}, "", 0, 200, NULL},
    {{.reply = HEAD_OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"},
     "abc",
     0,
     200,
     NULL},
    {{.reply = "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone"}, "", 0, 404, NULL},
    /* What nobody asked for is given as it came. */
    {{.reply = HEAD_OK "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"},
     "abcd",
     0,
     200,
     NULL},
    {{.end = FAULT_RESET}, "", HTTP_FAILURE_RESET, 0, "connection reset by peer"},
    {{.reply = "SSH-2.0\r\n"}, "", HTTP_FAILURE_PROTOCOL, 0, NULL},
    {{.end = FAULT_HANG}, "", HTTP_FAILURE_TIMEOUT, 0, NULL},
    {{.reply = HEAD_OK "Content-Length: 99\r\n\r\nhalf"},
     "half",
     HTTP_FAILURE_RESET,
     200,
     "unexpected EOF"},
    {{.reply = HEAD_OK "Content-Length: 99\r\n\r\nhalf", .end = FAULT_HANG},
     "half",
     HTTP_FAILURE_TIMEOUT,
     200,
     NULL},
};

TEST(bodies_are_read_and_faults_told_behind_them)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct fault_server *s = fault_server_start(&cases[i].step, 1, NULL);
        struct http_client *client = new_client(cases[i].failure == HTTP_FAILURE_TIMEOUT, NULL);
        const struct http_request r = {.url = fault_server_url(s)};
        struct http_response response;
        struct http_pull *p = NULL;
        struct buf body = buf_new(a, MIB);
        bool ok = http_pull_open(client, a, &r, &response, &p, &e) && read_all(p, &body, &e);

        if (ok != !cases[i].failure || response.failure != cases[i].failure)
            print_error("case %zu: %.*s\n", i, STR_ARG(e.text));
        assert_int_equal(ok, !cases[i].failure);
        assert_int_equal(response.failure, cases[i].failure);
        /* How far a server comes until one loses patience is up to the machine. */
        if (cases[i].failure != HTTP_FAILURE_TIMEOUT) {
            assert_int_equal(response.status, cases[i].status);
            assert_str(buf_str(&body), str_c(cases[i].body));
        }
        assert_true(!cases[i].want || str_contains(e.text, str_c(cases[i].want)));
        /* An error stays one. */
        if (!ok && p)
            assert_false(read_all(p, &body, &e));
        http_pull_close(p);
        http_client_free(client);
        fault_server_stop(s);
    }
}

TEST(redirects_are_followed_and_other_bodies_are_in_the_answer)
{
    static const struct fault_step script[] = {
        {.reply = "HTTP/1.1 302 Found\r\nLocation: /there\r\nConnection: close\r\n"
                  "Content-Length: 5\r\n\r\nmoved"},
        {.reply = HEAD_OK "Connection: close\r\nContent-Length: 4\r\n\r\nhere"},
        {.reply = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"},
    };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct http_client *client = new_client(false, NULL);
    const struct http_request r = {.url = fault_server_url(s)};
    struct http_response response;
    struct http_pull *p;
    struct buf body = buf_new(a, MIB);

    assert_ok(http_pull_open(client, a, &r, &response, &p, &e), &e);
    assert_ok(read_all(p, &body, &e), &e);
    assert_str(buf_str(&body), STR("here"));
    http_pull_close(p);
    assert_ok(http_pull_open(client, a, &r, &response, &p, &e), &e);
    assert_int_equal(response.status, 401);
    assert_str(response.body, STR("no"));
    http_pull_close(p);
    http_client_free(client);
    fault_server_stop(s);
}

TEST(a_tape_has_what_was_read)
{
    static const struct fault_step script[] = {
        {.reply = HEAD_OK "Content-Type: text/plain\r\nContent-Length: 9\r\n\r\non record"}};
    AUTO_ARENA a = arena_new();
    char path[] = "/tmp/plumb-pull-XXXXXX";
    int fd = mkstemp(path);
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    const struct http_request r = {.url = str_copy(a, fault_server_url(s))};

    assert_true(fd >= 0);
    close(fd);
    for (int replay = 0; replay < 2; replay++) {
        AUTO_ERR e = {0};
        struct tape *tape;
        struct http_response response;
        struct http_pull *p;
        struct buf body = buf_new(a, MIB);
        assert_ok(
            replay ? tape_replay(str_c(path), &tape, &e) : tape_record(str_c(path), &tape, &e), &e);
        struct http_client *client = new_client(false, tape);
        assert_ok(http_pull_open(client, a, &r, &response, &p, &e), &e);
        assert_ok(read_all(p, &body, &e), &e);
        assert_str(buf_str(&body), STR("on record"));
        http_pull_close(p);
        http_client_free(client);
        assert_ok(tape_close(tape, &e), &e);
    }
    assert_int_equal(fault_server_connections(s), 1);
    unlink(path);
    fault_server_stop(s);
}

static long peak_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

#define LARGE (96 * MIB)

/* And a reader that has seen enough leaves the rest to the server. */
TEST(memory_does_not_grow_with_the_body)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str head = str_fmt(a, HEAD_OK "Content-Length: %llu\r\n\r\n", (unsigned long long)LARGE);
    char *text = arena_alloc(a, head.len + LARGE), *piece = arena_alloc(a, 64 * KIB);
    const struct fault_step script[] = {
        {.reply = text, .reply_len = head.len + LARGE, .again = true}};
    struct http_response response;
    struct http_pull *p;
    uint64_t total = 0;
    size_t got;

    memset(text, 'x', head.len + LARGE);
    memcpy(text, head.ptr, head.len);
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct http_client *client = new_client(false, NULL);
    const struct http_request r = {.url = fault_server_url(s)};
    long before = peak_kib();
    assert_ok(http_pull_open(client, a, &r, &response, &p, &e), &e);
    do {
        assert_ok(http_pull_read(p, piece, 64 * KIB, &got, &e), &e);
        total += got;
    } while (got);
    http_pull_close(p);
    assert_int_equal(total, LARGE);
    assert_in_range(peak_kib() - before, 0, 24 * 1024);
    assert_ok(http_pull_open(client, a, &r, &response, &p, &e), &e);
    assert_ok(http_pull_read(p, piece, 1, &got, &e), &e);
    http_pull_close(p);
    http_client_free(client);
    fault_server_stop(s);
}

RUN_TESTS(cmocka_unit_test(bodies_are_read_and_faults_told_behind_them),
          cmocka_unit_test(redirects_are_followed_and_other_bodies_are_in_the_answer),
          cmocka_unit_test(a_tape_has_what_was_read),
          cmocka_unit_test(memory_does_not_grow_with_the_body))
