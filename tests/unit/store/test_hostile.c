/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_hostile.c - malicious requests: each is answered or cut off, nothing grows, and the next
 * client is served as if nothing had happened.
 */
#include "stage.h"

#include "net/server/handler_serve.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAPS "/api/v1/namespaces/default/configmaps"
#define MAP(name)                                                                                  \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\"}}"

/* ---- By the handler. ---- */

static const struct {
    const char *method, *target, *body;
    int want;
} path_cases[] = {
    {"GET", "/api/v1/namespaces/default/../../../etc/passwd", "", 404},
    {"GET", "/api/v1/namespaces/%2e%2e/secrets", "", 200}, /* a namespace of that name: nothing */
    {"GET", "//api//v1//namespaces", "", 404},
    {"GET", "/api/v1/namespaces/default/configmaps/a%00b", "", 404},
    {"GET", "/api/v1/namespaces/default/configmaps/a%2Fb", "", 404},
    {"GET", "/api/v1/namespaces/default/configmaps/%ff%fe", "", 404},
    {"GET", "/apis//v1/leases", "", 404},
    {"GET", "/apis/a/b/c/d/e/f/g/h/i/j/k/l", "", 404},
    {"GET", "/", "", 404},
    {"GET", "", "", 404},
    {"PROPFIND", MAPS, "", 405},
    {"GET", MAPS "?labelSelector=a%00b", "", 400},
    {"GET", MAPS "?labelSelector=((((((((", "", 400},
    {"GET", MAPS "?fieldSelector=metadata.name%3D%3D%3Dx", "", 200},
    {"GET", MAPS "?limit=-1", "", 400},
    {"GET", MAPS "?limit=99999999999999999999999", "", 400},
    {"GET", MAPS "?resourceVersion=-1", "", 400},
    {"GET", MAPS "?resourceVersion=18446744073709551615", "", 504},
    {"GET", MAPS "?continue=AAAA", "", 400},
    {"GET", MAPS "?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoieCJ9", "", 400},
    {"POST", MAPS, "", 400},
    {"POST", MAPS, "null", 400},
    {"POST", MAPS, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":[]}", 400},
    {"POST", MAPS, MAP("../x"), 422},
    {"POST", MAPS, MAP("a/b"), 422},
    {"POST", MAPS, MAP("\\u0000"), 422},
    {"POST", MAPS "?fieldValidation=Maybe", MAP("a"), 422},
    {"DELETE", MAPS, "{\"propagationPolicy\":1}", 400},
    {"DELETE", MAPS "/default", "[[[[", 400},
};

TEST(odd_paths_and_values_get_an_answer)
{
    struct stage s = stage_begin();

    for (size_t i = 0; i < COUNT(path_cases); i++)
        ASSERT_ASK(&s, path_cases[i].method, path_cases[i].target, path_cases[i].body,
                   path_cases[i].want);
    stage_end(&s);
}

static const char *const patch_types[] = {"application/merge-patch+json",
                                          "application/json-patch+json",
                                          "application/strategic-merge-patch+json"};

TEST(deep_documents_get_an_answer)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();
    struct buf b = buf_new(a, MIB);

    buf_add(&b, STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":"));
    buf_repeat(&b, '[', 200000);
    ASSERT_ASK(&s, "POST", MAPS, str_z(a, buf_str(&b)), 400);
    ASSERT_ASK(&s, "POST", MAPS, MAP("a"), 201);
    for (size_t i = 0; i < COUNT(patch_types); i++) {
        s.c.type = str_c(patch_types[i]);
        assert_true(ASK(&s, "PATCH", MAPS "/a", str_z(a, buf_str(&b))) >= 400);
    }
    /* Nested as deep as a reader allows, and closed again. */
    buf_truncate(&b, 0);
    buf_add(&b, STR("{\"metadata\":{\"annotations\":"));
    buf_repeat(&b, '[', 5000);
    buf_repeat(&b, ']', 5000);
    buf_add(&b, STR("}}"));
    for (size_t i = 0; i < COUNT(patch_types); i++) {
        s.c.type = str_c(patch_types[i]);
        assert_true(ASK(&s, "PATCH", MAPS "/a", str_z(a, buf_str(&b))) >= 400);
    }
    ASSERT_ASK(&s, "GET", MAPS "/a", NULL, 200);
    stage_end(&s);
}

#define THINGS "/apis/example.com/v1/namespaces/default/things"

/* Things have a list of objects, whose member m has a default of so many letters; 0: none. */
static const char *definition(struct arena *a, size_t letters)
{
    struct buf b = buf_new(a, MIB);

    buf_add(&b, STR("{\"apiVersion\":\"apiextensions.k8s.io/v1\","
                    "\"kind\":\"CustomResourceDefinition\","
                    "\"metadata\":{\"name\":\"things.example.com\"},"
                    "\"spec\":{\"group\":\"example.com\",\"scope\":\"Namespaced\","
                    "\"names\":{\"plural\":\"things\",\"kind\":\"Thing\"},"
                    "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,"
                    "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
                    "\"x-kubernetes-preserve-unknown-fields\":true,\"properties\":{\"list\":{"
                    "\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
                    "\"m\":{\"type\":\"string\""));
    if (letters) {
        buf_add(&b, STR(",\"default\":\""));
        buf_repeat(&b, 'x', letters);
        buf_char(&b, '"');
    }
    buf_add(&b, STR("}}}}}}}}]}}"));
    return str_z(a, buf_str(&b));
}

static const char *thing(struct arena *a, const char *name, size_t items)
{
    struct buf b = buf_new(a, MIB);

    buf_fmt(&b,
            "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\","
            "\"metadata\":{\"name\":\"%s\"},\"list\":[{}",
            name);
    for (size_t i = 1; i < items; i++)
        buf_add(&b, STR(",{}"));
    buf_add(&b, STR("]}"));
    return str_z(a, buf_str(&b));
}

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

TEST(small_bodies_do_not_become_huge_objects)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();
    struct buf copies = buf_new(a, MIB);

    ASSERT_ASK(&s, "POST", DEFINITIONS, definition(a, 0), 201);
    ASSERT_ASK(&s, "POST", THINGS, thing(a, "early", 20000), 201);
    s.c.type = STR("application/merge-patch+json");
    ASSERT_ASK(&s, "PATCH", DEFINITIONS "/things.example.com", definition(a, 100 * KIB), 200);
    s.c.type = STR("application/json");
    ASSERT_ASK(&s, "POST", THINGS, thing(a, "small", 10), 201);
    ASSERT_ASK(&s, "POST", THINGS, thing(a, "large", 20000), 413);
    /* Stored before the definition had a default: 2 GiB, if all of it were shown. */
    ASSERT_ASK(&s, "GET", THINGS "/early", NULL, 200);
    assert_true(s.c.text.len < 8 * MIB);
    for (int i = 0; i < 12; i++)
        buf_fmt(&copies, "%c{\"op\":\"copy\",\"from\":\"/list\",\"path\":\"/copy%d\"}",
                i ? ',' : '[', i);
    buf_char(&copies, ']');
    s.c.type = STR("application/json-patch+json");
    ASSERT_ASK(&s, "PATCH", THINGS "/small", str_z(a, buf_str(&copies)), 413);
    stage_end(&s);
}

#define COSTLY                                                                                     \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","           \
    "\"metadata\":{\"name\":\"things.example.com\"},\"spec\":{\"group\":\"example.com\","          \
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"things\",\"kind\":\"Thing\"},\"versions\":[" \
    "{"                                                                                            \
    "\"name\":\"v1\",\"served\":true,\"storage\":true,\"additionalPrinterColumns\":["              \
    "{\"name\":\"C\",\"type\":\"string\",\"jsonPath\":\".l[?(@..a..b==\\\"x\\\")].c\"}],"          \
    "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"s\":{\"type\":"        \
    "\"string\",\"pattern\":\".{0,1000}.{0,1000}b\"},\"l\":{\"type\":\"array\",\"items\":{"        \
    "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}}}}]}}"

/* A minute of patterns, in which everybody would wait. */
TEST(patterns_have_a_limit)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();
    struct buf b = buf_new(a, 2 * MIB);

    ASSERT_ASK(&s, "POST", DEFINITIONS, COSTLY, 201);
    buf_add(&b, STR("{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":"
                    "\"t\"},\"s\":\""));
    buf_repeat(&b, 'a', MIB);
    buf_add(&b, STR("\"}"));
    ASSERT_ASK(&s, "POST", THINGS, str_z(a, buf_str(&b)), 422);
    assert_true(str_contains(s.c.text, STR("it would take too long to find out")));
    ASSERT_ASK(
        &s, "POST", THINGS,
        "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"t\"},"
        "\"s\":\"aab\"}",
        201);
    stage_end(&s);
}

/* So many, separated by commas; # is the number of each. */
static void add_many(struct buf *b, const char *form, int count)
{
    str before, after;
    bool numbered = str_cut(str_c(form), STR("#"), &before, &after);

    for (int i = 0; i < count; i++) {
        buf_fmt(b, "%s%.*s", i ? "," : "", STR_ARG(before));
        if (numbered)
            buf_fmt(b, "%d%.*s", i, STR_ARG(after));
    }
}

/* Each of the objects would be held against each of so many parts of the schema: hours. */
static const struct {
    const char *before, *part, *after; /* of the schema */
    const char *object;
    int want;
} long_schemas[] = {
    {"\"type\":\"string\",\"enum\":[", "\"e#\"", "]", "\"e3999\"", 422},
    {"\"type\":\"integer\",\"anyOf\":[", "{\"maximum\":#}", "]", "3999", 422},
    {"\"type\":\"integer\",\"allOf\":[", "{\"minimum\":#}", "]", "5000", 422},
    {"\"type\":\"object\",\"properties\":{", "\"p#\":{\"type\":\"string\"}", "}", "{}", 201},
};

TEST(schemas_have_a_limit)
{
    for (size_t i = 0; i < COUNT(long_schemas); i++) {
        AUTO_ARENA a = arena_new();
        struct stage s = stage_begin();
        struct buf crd = buf_new(a, MIB), thing = buf_new(a, MIB);
        buf_add(&crd, STR("{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":"
                          "\"CustomResourceDefinition\",\"metadata\":{\"name\":"
                          "\"things.example.com\"},\"spec\":{\"group\":\"example.com\",\"scope\":"
                          "\"Namespaced\",\"names\":{\"plural\":\"things\",\"kind\":\"Thing\"},"
                          "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,"
                          "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":"
                          "{\"l\":{\"type\":\"array\",\"items\":{"));
        buf_add(&crd, str_c(long_schemas[i].before));
        add_many(&crd, long_schemas[i].part, 4000);
        buf_fmt(&crd, "%s}}}}}}]}}", long_schemas[i].after);
        ASSERT_ASK(&s, "POST", DEFINITIONS, str_z(a, buf_str(&crd)), 201);
        buf_add(&thing, STR("{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\","
                            "\"metadata\":{\"name\":\"t\"},\"l\":["));
        add_many(&thing, long_schemas[i].object, 4000);
        buf_add(&thing, STR("]}"));
        ASSERT_ASK(&s, "POST", THINGS, str_z(a, buf_str(&thing)), long_schemas[i].want);
        assert_int_equal(str_contains(s.c.text, STR("it would take too long to find out whether "
                                                    "the schema allows it")),
                         long_schemas[i].want == 422);
        stage_end(&s);
    }
}

TEST(a_watcher_that_never_reads_holds_no_history)
{
    struct stage s = stage_begin();
    struct local_watch *w;

    stage_close(&s);
    s.config.history_count = 50;
    stage_open(&s);
    w = local_watch(&s.c, MAPS "?watch=true");
    for (int i = 0; i < 500; i++) {
        assert_int_equal(local_ask(&s.c, "POST", MAPS, MAP("a")), 201);
        assert_int_equal(local_ask(&s.c, "DELETE", MAPS "/a", ""), 200);
        store_step(s.store);
    }
    assert_true(store_figures(s.store).history <= 100);
    /* When it reads at last, it is sent away to list again. */
    const struct value *event = local_watch_next(w);
    assert_str(value_get_str(event, STR("type")), STR("ERROR"));
    assert_int_equal(s.c.status, 200);
    local_watch_close(w);
    stage_end(&s);
}

/* Small changes of a large object: each one kept all of it, 10,000 times. */
TEST(the_history_of_large_objects_has_a_limit)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();
    struct buf b = buf_new(a, 2 * MIB);

    stage_close(&s);
    s.config.history_bytes = 5 * MIB;
    stage_open(&s);
    buf_add(&b, STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},"
                    "\"data\":{\"k\":\""));
    buf_repeat(&b, 'a', MIB);
    buf_add(&b, STR("\"}}"));
    ASSERT_ASK(&s, "POST", MAPS, str_z(a, buf_str(&b)), 201);
    s.c.type = STR("application/merge-patch+json");
    for (int i = 0; i < 20; i++) {
        const char *patch = str_z(a, str_fmt(a, "{\"data\":{\"n\":\"%d\"}}", i));
        ASSERT_ASK(&s, "PATCH", MAPS "/a", patch, 200);
        store_step(s.store);
    }
    assert_in_range(store_figures(s.store).history, 3, 10);
    stage_end(&s);
}

/* Nobody waits five minutes for it: that is how long the thread slept. */
TEST(a_long_history_is_trimmed_at_once)
{
    struct stage s = stage_begin();

    stage_close(&s);
    clock_real();
    s.config.driven = false;
    s.config.path = STR_NONE;
    s.config.vfs = NULL;
    s.config.history_count = 5;
    stage_open(&s);
    ASSERT_ASK(&s, "POST", MAPS, MAP("a"), 201);
    s.c.type = STR("application/merge-patch+json");
    for (int i = 0; i < 100; i++) {
        ASSERT_ASK(&s, "PATCH", MAPS "/a",
                   i % 2 ? "{\"data\":{\"n\":\"1\"}}" : "{\"data\":{\"n\":\"2\"}}", 200);
        /* What the thread does after the start is over by then. */
        if (i == 50)
            clock_sleep(3 * NS_PER_SEC);
    }
    for (int i = 0; i < 300 && store_figures(s.store).history > 20; i++)
        clock_sleep(10 * NS_PER_MS);
    assert_true(store_figures(s.store).history <= 20);
    stage_end(&s);
}

#define TAKEN_CRD(plural, group, kind)                                                             \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","           \
    "\"metadata\":{\"name\":\"" plural "." group "\"},\"spec\":{\"group\":\"" group                \
    "\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"" plural "\",\"kind\":\"" kind            \
    "\"},\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"             \
    "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}"

/* The type hid the built-in one, also after a restart: no definition could be reached any more. */
TEST(definitions_do_not_hide_built_in_types)
{
    static const char *const bad[] = {
        TAKEN_CRD("customresourcedefinitions", "apiextensions.k8s.io", "Other"),
        TAKEN_CRD("others", "apiextensions.k8s.io", "CustomResourceDefinition"),
        TAKEN_CRD("leases", "coordination.k8s.io", "Lease")};
    struct stage s = stage_begin();

    for (size_t i = 0; i < COUNT(bad); i++) {
        ASSERT_ASK(&s, "POST", DEFINITIONS, bad[i], 422);
        assert_true(str_contains(s.c.text, STR("a built-in type of this group has it")));
    }
    ASSERT_ASK(&s, "POST", DEFINITIONS, TAKEN_CRD("leases", "example.com", "Lease"), 201);
    ASSERT_ASK(&s, "GET", DEFINITIONS, "", 200);
    stage_end(&s);
}

/* ---- By a socket. ---- */

struct wired {
    struct stage stage;
    struct server *server;
};

static void wire(struct wired *v)
{
    AUTO_ERR e = {0};

    *v = (struct wired){.stage.config = store_defaults()};
    stage_open(&v->stage);
    struct server_config listen = {.handle = handler_serve,
                                   .body_max = STORE_BODY_MAX + KIB,
                                   .ctx = (void *)(uintptr_t)store_handler(v->stage.store)};
    assert_ok(server_start(&listen, &v->server, &e), &e);
}

static void unwire(struct wired *v)
{
    server_stop(v->server, NS_PER_SEC);
    stage_close(&v->stage);
}

static int dial(const struct wired *v)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(server_port(v->server))};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* Sends as much as the other end takes. */
static void send_all(int fd, str text)
{
    while (text.len) {
        ssize_t n = send(fd, text.ptr, text.len, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        text = str_from(text, (size_t)n);
    }
}

/* The status of the answer; 0 when the connection was closed without one. */
static int exchange(const struct wired *v, str request)
{
    int fd = dial(v);
    char head[13] = "";
    size_t len = 0;
    ssize_t n = 1;
    uint64_t status = 0;

    send_all(fd, request);
    while (len < 12 && (n = recv(fd, head + len, 12 - len, 0)) > 0)
        len += (size_t)n;
    close(fd);
    return str_to_u64(str_slice(str_of(head, len), 9, 12), &status) ? (int)status : 0;
}

static bool is_served(const struct wired *v)
{
    return exchange(v, STR("GET " MAPS " HTTP/1.1\r\nHost: x\r\n\r\n")) == 200;
}

TEST(large_requests_are_cut_off)
{
    AUTO_ARENA a = arena_new();
    struct wired v;
    struct buf b = buf_new(a, 8 * MIB);

    wire(&v);
    buf_add(&b, STR("GET /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nX-Long: "));
    buf_repeat(&b, 'a', 100 * KIB);
    buf_add(&b, STR("\r\n\r\n"));
    int status = exchange(&v, buf_str(&b));
    assert_true(status == 431 || status == 0);
    assert_true(is_served(&v));

    buf_truncate(&b, 0);
    buf_add(&b, STR("GET /api/v1/"));
    buf_repeat(&b, 'a', 30 * KIB);
    buf_add(&b, STR(" HTTP/1.1\r\nHost: x\r\n\r\n"));
    status = exchange(&v, buf_str(&b));
    assert_true(status == 414 || status == 431 || status == 0);
    assert_true(is_served(&v));

    assert_int_equal(
        exchange(&v, STR("POST " MAPS " HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n")),
        413);
    /* A little too much for the store, and not for the server: the store says so. */
    buf_truncate(&b, 0);
    buf_fmt(&b, "POST " MAPS " HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n",
            (size_t)STORE_BODY_MAX + 10);
    buf_repeat(&b, ' ', (size_t)STORE_BODY_MAX + 10);
    assert_int_equal(exchange(&v, buf_str(&b)), 413);
    assert_true(is_served(&v));
    unwire(&v);
}

TEST(what_is_not_http_is_cut_off)
{
    const str cases[] = {
        STR("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
        STR("GET\r\n\r\n"),
        STR("GET / HTTP/9.9\r\n\r\n"),
        STR("POST " MAPS " HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"),
        STR("POST " MAPS " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    };
    struct wired v;

    wire(&v);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int status = exchange(&v, cases[i]);
        assert_true(status == 0 || status >= 400);
        assert_true(is_served(&v));
    }
    unwire(&v);
}

/* Half a request, and watchers that never read, hold a connection each and keep nobody waiting. */
TEST(idle_and_greedy_connections_keep_nobody_waiting)
{
    enum { SLOW = 40, WATCHERS = 20 };
    struct wired v;
    int slow[SLOW + WATCHERS];

    wire(&v);
    for (int i = 0; i < SLOW; i++) {
        slow[i] = dial(&v);
        send_all(slow[i], i % 2 ? STR("GET /api/v1/namesp")
                                : STR("POST " MAPS " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n"
                                      "\r\n{\"api"));
    }
    for (int i = SLOW; i < SLOW + WATCHERS; i++) {
        slow[i] = dial(&v);
        send_all(slow[i], STR("GET " MAPS "?watch=true HTTP/1.1\r\nHost: x\r\n\r\n"));
    }
    AUTO_ARENA a = arena_new();
    struct buf body = buf_new(a, MIB);
    buf_add(&body,
            STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"big\"},"
                "\"data\":{\"x\":\""));
    buf_repeat(&body, 'x', 100 * KIB);
    buf_add(&body, STR("\"}}"));
    for (int i = 0; i < 40; i++) {
        assert_int_equal(local_ask(&v.stage.c, "POST", MAPS, str_z(a, buf_str(&body))), 201);
        assert_int_equal(local_ask(&v.stage.c, "DELETE", MAPS "/big", ""), 200);
    }
    assert_true(is_served(&v));
    for (int i = 0; i < SLOW + WATCHERS; i++)
        close(slow[i]);
    unwire(&v);
}

RUN_TESTS(cmocka_unit_test(odd_paths_and_values_get_an_answer),
          cmocka_unit_test(deep_documents_get_an_answer), cmocka_unit_test(patterns_have_a_limit),
          cmocka_unit_test(schemas_have_a_limit),
          cmocka_unit_test(small_bodies_do_not_become_huge_objects),
          cmocka_unit_test(a_watcher_that_never_reads_holds_no_history),
          cmocka_unit_test(the_history_of_large_objects_has_a_limit),
          cmocka_unit_test(a_long_history_is_trimmed_at_once),
          cmocka_unit_test(definitions_do_not_hide_built_in_types),
          cmocka_unit_test(large_requests_are_cut_off),
          cmocka_unit_test(what_is_not_http_is_cut_off),
          cmocka_unit_test(idle_and_greedy_connections_keep_nobody_waiting))
