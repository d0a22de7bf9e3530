/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comparison with a live cluster, from the outside, while the server misbehaves at one of its
 * requests: it ends with a status above 1 and a message, in little time and memory. All faults are
 * tried from the inside, where time can be moved: tests/unit/compare/test_remote_faults.c.
 */
#include "../test.h"

#include "base/process.h"
#include "support/certs.h"
#include "support/fault_server.h"

#include <unistd.h>
#include <zlib.h>

#define HEAD_OK "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
#define STATUS(line) "HTTP/1.1 " line "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

static char folder[] = "/tmp/plumb-live-faults-XXXXXX";
static struct arena *arena;
static str plumb;

/* What a comparison asks for, and the proper answers. */
static const char *const answers[] = {
    "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}",
    "{\"kind\":\"APIGroupList\",\"groups\":[]}",
    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":\"configmaps\","
    "\"kind\":\"ConfigMap\",\"namespaced\":true,\"verbs\":[\"list\"]}]}",
    "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},"
    "\"items\":[{\"metadata\":{\"name\":\"wanted\",\"namespace\":\"default\"},\"data\":{"
    "\"colour\":\"green\"}}]}",
};

static const struct fault {
    const char *name;
    struct fault_step step;
    const char *want; /* in the message */
    bool bomb;
    bool slow;
} faults[] = {
    {"500", {.reply = STATUS("500 Internal Server Error")}, "an error on the server", false, false},
    {"503", {.reply = STATUS("503 Service Unavailable")}, "unable to handle", false, false},
    {"429", {.reply = STATUS("429 Too Many Requests")}, "too many requests", false, false},
    {"403", {.reply = STATUS("403 Forbidden")}, "unknown", false, false},
    {"a page for people",
     {.reply = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
               "Content-Length: 6\r\n\r\n<html>"},
     "\"text/html\": is this the address of an API server?",
     false,
     false},
    {"half an object",
     {.reply = HEAD_OK "Content-Length: 5\r\n\r\n{\"ite"},
     "unexpected end of JSON input",
     false,
     false},
    {"no HTTP", {.reply = "SSH-2.0-OpenSSH_9.2\r\n"}, "HTTP", false, false},
    {"gzip that is none",
     {.reply = HEAD_OK "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"},
     "gzip",
     false,
     false},
    {"a bomb", {0}, " bytes", true, false},
    {"silence", {.end = FAULT_HANG}, "context deadline exceeded", false, true},
    {"a drip",
     {.reply = HEAD_OK "Content-Length: 99\r\n\r\n{                     ", .drip_ms = 100},
     "context deadline exceeded",
     false,
     true},
};

static void put(const char *name, const char *text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(str_fmt(arena, "%s/%s", folder, name), str_c(text), 0644, &e), &e);
}

/* 200 MB of nothing, in gzip. */
static str make_bomb(void)
{
    static unsigned char zeros[MIB];
    struct buf out = buf_new(arena, 4 * MIB);
    unsigned char piece[64 * KIB];
    z_stream z = {0};

    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    for (int i = 0; i <= 200; i++) {
        z.next_in = zeros;
        z.avail_in = i < 200 ? sizeof(zeros) : 0;
        do {
            z.next_out = piece;
            z.avail_out = sizeof(piece);
            deflate(&z, i < 200 ? Z_NO_FLUSH : Z_FINISH);
            buf_add(&out, str_of((const char *)piece, sizeof(piece) - z.avail_out));
        } while (!z.avail_out);
    }
    deflateEnd(&z);
    struct buf reply = buf_new(arena, 4 * MIB);
    buf_fmt(&reply, HEAD_OK "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", out.len);
    buf_add(&reply, buf_str(&out));
    return buf_str(&reply);
}

/* Sanitizers reserve more than any limit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT ""
#else
#define LIMIT "ulimit -v 700000; "
#endif

/* What it prints, both streams, and how it ends. */
static str compare(str server, const char *more, int *status)
{
    AUTO_ERR e = {0};
    str out, script = str_fmt(arena,
                              "export HOME=%s KUBECONFIG= LD_PRELOAD=; cd %s; " LIMIT
                              "exec '%.*s' compare -r metadata.yaml --server %.*s %s 2>&1",
                              folder, folder, STR_ARG(plumb), STR_ARG(server), more);
    const char *const argv[] = {"sh", "-c", str_z(arena, script), NULL};
    const struct process p = {.argv = argv, .timeout = 120 * NS_PER_SEC};

    assert_ok(process_run_as(arena, &p, &out, status, &e), &e);
    return out;
}

static struct fault_step proper_step(const char *body)
{
    str text = str_fmt(arena, HEAD_OK "Content-Length: %zu\r\n\r\n%s", strlen(body), body);

    return (struct fault_step){.reply = text.ptr, .reply_len = text.len};
}

static str play(const struct fault *f, size_t at, str bomb, int *status)
{
    struct fault_step script[2 * COUNT(answers)];
    size_t count = 0;

    for (size_t i = 0; i < at; i++)
        script[count++] = proper_step(answers[i]);
    script[count] = f->step;
    if (f->bomb) {
        script[count].reply = bomb.ptr;
        script[count].reply_len = bomb.len;
    }
    count++;
    for (size_t i = at; i < COUNT(answers); i++)
        script[count++] = proper_step(answers[i]);
    struct fault_server *s = fault_server_start(script, count, NULL);
    str out = compare(fault_server_url(s), f->slow ? "--request-timeout=1s" : "", status);
    fault_server_stop(s);
    return out;
}

/* The status is above 1 whichever request it is, and the message says what happened. */
TEST(a_comparison_with_a_server_that_misbehaves_fails)
{
    str bomb = make_bomb();

    for (size_t i = 0; i < COUNT(faults); i++)
        for (size_t at = 0; at < COUNT(answers); at++) {
            int status = 0;
            if (faults[i].slow && at != i % COUNT(answers))
                continue;
            str out = play(&faults[i], at, bomb, &status);
            if (status < 2 || !str_contains(out, str_c(faults[i].want)))
                print_error("%s at request %zu: %d, %.*s\n", faults[i].name, at, status,
                            STR_ARG(out));
            assert_true(status >= 2);
            assert_true(str_contains(out, str_c(faults[i].want)));
        }
}

/* A connection that is lost once is no reason to fail, whichever request it was. */
TEST(a_comparison_outlives_a_lost_connection)
{
    static const struct fault lost[] = {
        {"a reset", {.end = FAULT_RESET}, NULL, false, false},
        {"half a body", {.reply = HEAD_OK "Content-Length: 99\r\n\r\n{\"it"}, NULL, false, false},
    };

    for (size_t i = 0; i < COUNT(lost); i++)
        for (size_t at = i; at < COUNT(answers); at += 2) {
            int status = 0;
            str out = play(&lost[i], at, STR_NONE, &status);
            if (status)
                print_error("%s at request %zu: %d, %.*s\n", lost[i].name, at, status,
                            STR_ARG(out));
            assert_int_equal(status, 0);
        }
}

TEST(an_expired_certificate_ends_it)
{
    struct test_cert ca = test_ca(arena, "test CA");
    struct test_cert leaf = test_leaf(arena, &ca, "server", "IP:127.0.0.1", -7200, -3600);
    const struct fault_tls tls = {leaf.cert, leaf.key, STR_NONE};
    static const struct fault_step script[] = {{.end = FAULT_CLOSE, .again = true}};
    struct fault_server *s = fault_server_start(script, COUNT(script), &tls);
    int status = 0;

    put("ca.crt", str_z(arena, ca.cert));
    str out = compare(fault_server_url(s), "--certificate-authority=ca.crt", &status);
    fault_server_stop(s);
    assert_int_equal(status, 2);
    assert_true(str_contains(out, STR("certificate has expired")));
}

static int begin(void **state)
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

    (void)state;
    arena = arena_new();
    assert_true(len > 0);
    plumb = str_fmt(arena, "%.*s/../../plumb", (int)str_rfind_char(str_of(self, (size_t)len), '/'),
                    self);
    assert_non_null(mkdtemp(folder));
    put("metadata.yaml", "parts: [{name: p, components: [{name: c, type: Required, "
                         "requiredTemplates: [{path: a.yaml}]}]}]");
    put("a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: wanted, namespace: default}, "
                  "data: {colour: green}}");
    return 0;
}

static int end(void **state)
{
    static const char *const files[] = {"metadata.yaml", "a.yaml", "ca.crt"};

    (void)state;
    for (size_t i = 0; i < COUNT(files); i++)
        unlink(str_z(arena, str_fmt(arena, "%s/%s", folder, files[i])));
    rmdir(folder);
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comparison_with_a_server_that_misbehaves_fails),
        cmocka_unit_test(a_comparison_outlives_a_lost_connection),
        cmocka_unit_test(an_expired_certificate_ends_it),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
