/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_watchers.c - a thousand watchers of the store behind a socket, and one that does not read:
 * what the idle ones cost, and how soon they all see a change. The cost is the memory of the
 * connection (server_config.header_max), which is needed without a watch, too.
 */
#include "../test.h"

#include "net/server/handler_serve.h"
#include "store/store.h"
#include "support/local.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WATCHERS = 1000, CHANGES = 20 };
/* Of the watches alone, in process and on connections that are there; and with these. */
#define MEMORY_MAX (8 * MIB)
#define SERVED_MAX (26 * MIB)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEASURED false
#else
#define MEASURED true
#endif

static const char greeting[] = "GET /version HTTP/1.1\r\nHost: h\r\n\r\n";
static const char request[] = "GET /api/v1/configmaps?watch=true&resourceVersion=0 HTTP/1.1\r\n"
                              "Host: h\r\nAccept: application/json\r\n\r\n";

static size_t resident(void)
{
    long pages = 0, all;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f || fscanf(f, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static int connect_to(uint16_t port)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static void send_text(int fd, const char *text)
{
    size_t len = strlen(text);

    assert_int_equal(write(fd, text, len), len);
}

/* Reads until what comes has text in it. */
static void read_until(int fd, const char *text)
{
    static char block[64 * 1024];
    size_t len = 0;

    while (!memmem(block, len, text, strlen(text))) {
        ssize_t n = read(fd, block + len, sizeof(block) - len);
        assert_true(n > 0);
        len += (size_t)n;
    }
}

static bool may_open(unsigned files)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit))
        return false;
    if (limit.rlim_cur >= files)
        return true;
    limit.rlim_cur = files < limit.rlim_max ? files : limit.rlim_max;
    return !setrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur >= files;
}

static int by_size(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return a < b ? -1 : a > b;
}

TEST(a_thousand_idle_watches_are_cursors)
{
    struct store_config config = store_defaults();
    static struct local_watch *watches[WATCHERS];
    struct store *s;
    AUTO_ERR e = {0};

    config.driven = true;
    assert_ok(store_open(&config, &s, &e), &e);
    struct local c = local_client(store_handler(s));
    size_t before = resident();
    for (size_t i = 0; i < WATCHERS; i++) {
        watches[i] = local_watch(&c, "/api/v1/configmaps?watch=true&resourceVersion=0");
        assert_null(local_watch_next(watches[i]));
    }
    size_t used = resident() - before;
    print_message("%d idle watches: %.1f MiB\n", WATCHERS, (double)used / (double)MIB);
    if (MEASURED)
        assert_true(used < MEMORY_MAX);
    for (size_t i = 0; i < WATCHERS; i++)
        local_watch_close(watches[i]);
    local_end(&c);
    store_close(s);
}

TEST(a_thousand_idle_watchers_and_a_slow_one)
{
    struct store_config config = store_defaults();
    static int fds[WATCHERS];
    int64_t took[CHANGES];
    struct store *s;
    struct server *server;
    AUTO_ERR e = {0};

    if (!may_open(2 * WATCHERS + 100))
        skip();
    assert_ok(store_open(&config, &s, &e), &e);
    const struct server_config served = {.handle = handler_serve,
                                         .ctx = (void *)(uintptr_t)store_handler(s),
                                         .header_max = STORE_HEADER_MAX,
                                         .connections_max = WATCHERS + 10};
    assert_ok(server_start(&served, &server, &e), &e);
    struct local c = local_client(store_handler(s));
    int slow = connect_to(server_port(server));
    send_text(slow, request);
    size_t before = resident();
    for (size_t i = 0; i < WATCHERS; i++) {
        fds[i] = connect_to(server_port(server));
        send_text(fds[i], greeting);
        read_until(fds[i], "}");
    }
    size_t connections = resident() - before;
    for (size_t i = 0; i < WATCHERS; i++) {
        send_text(fds[i], request);
        read_until(fds[i], "chunked");
    }
    size_t used = resident() - before;
    for (unsigned k = 0; k < CHANGES; k++) {
        char body[200], name[20];
        snprintf(name, sizeof(name), "\"x%u\"", k);
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":%s}}", name);
        int64_t began = clock_wire();
        assert_int_equal(local_ask(&c, "POST", "/api/v1/namespaces/default/configmaps", body), 201);
        for (size_t i = 0; i < WATCHERS; i++)
            read_until(fds[i], name);
        took[k] = clock_wire() - began;
    }
    qsort(took, CHANGES, sizeof(took[0]), by_size);
    print_message("%d connections: %.1f MiB; with idle watches: %.1f MiB; a change is known to all "
                  "after %.1f ms (median), %.1f ms at most\n",
                  WATCHERS, (double)connections / (double)MIB, (double)used / (double)MIB,
                  (double)took[CHANGES / 2] / 1e6, (double)took[CHANGES - 1] / 1e6);
    if (MEASURED) {
        assert_true(used - connections < MEMORY_MAX);
        assert_true(used < SERVED_MAX);
    }
    close(slow);
    for (size_t i = 0; i < WATCHERS; i++)
        close(fds[i]);
    server_stop(server, 0);
    local_end(&c);
    store_close(s);
}

RUN_TESTS(cmocka_unit_test(a_thousand_idle_watches_are_cursors),
          cmocka_unit_test(a_thousand_idle_watchers_and_a_slow_one))
