/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches, with every fault at every one of their requests: they go on after it, report what it
 * was, and keep trying with growing pauses if it persists. Time is fake: see support/faults.h.
 */
#include "../test.h"

#include "kube/watch.h"
#include "support/faults.h"

#include <time.h>

#define OBJECT(name, version)                                                                      \
    "{\"metadata\":{\"name\":\"" name "\",\"resourceVersion\":\"" version "\"}}"
#define EVENT(name, version) "{\"type\":\"ADDED\",\"object\":" OBJECT(name, version) "}\n"
#define INITIAL_END                                                                                \
    "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"7\",\"annotations\":"  \
    "{\"k8s.io/initial-events-end\":\"true\"}}}}\n"
#define PAGE(items, next)                                                                          \
    "{\"items\":[" items "],\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"" next "\"}}"

/* Ways to watch, with the answers in their order; the last one has the object "d". */
static const struct way {
    const char *name;
    bool lists_only, polls;
    size_t lists; /* so many of the answers are lists */
    const char *answers[5];
    int64_t length; /* how long a watch may last; 0: as usual */
} ways[] = {
    {"list and watch",
     true,
     false,
     2,
     {PAGE(OBJECT("a", "5"), "next"), PAGE(OBJECT("b", "6"), ""), EVENT("c", "8"), EVENT("d", "9")},
     0},
    {"initial events", false, false, 0, {EVENT("a", "5") INITIAL_END, EVENT("d", "9")}, 0},
    {"lists alone",
     true,
     true,
     3,
     {PAGE(OBJECT("a", "5"), "next"), PAGE(OBJECT("b", "6"), ""), PAGE(OBJECT("d", "9"), "")},
     0},
};
/* So long that only silence can end it. */
static const struct way endless = {.name = "initial events", .length = 24 * 3600 * NS_PER_SEC};

static const struct kube_resource watched = {.group = STR_INIT("example.com"),
                                             .version = STR_INIT("v1"),
                                             .name = STR_INIT("widgets"),
                                             .kind = STR_INIT("Widget"),
                                             .namespaced = true};

/* ---- How faults are told. ---- */

/* Words for what the server refuses, and for answers that cannot be read: as a list, as events. */
static const struct {
    int status;
    const char *fault, *list, *events;
} words[] = {
    {429, NULL, "too many requests", "too many requests"},
    {500, NULL, "an error on the server", "an error on the server"},
    {502, NULL, "bad gateway", "bad gateway"},
    {503, NULL, "unable to handle the request", "unable to handle the request"},
    {0, "a page for people", "the answer is \"text/html\"", "the answer is \"text/html\""},
    {0, "an empty answer", "unexpected end of JSON input", "ended"},
    {0, "half an object", "unexpected end of JSON input", "unexpected end of JSON input"},
    {0, "a list of nothing", "the server's response is not a list", "no known type or no object"},
    {0, "binary", "the answer is \"application/vnd.kubernetes.protobuf\"",
     "the answer is \"application/vnd.kubernetes.protobuf\""},
    {0, "4 GB announced", "unexpected EOF", "unexpected EOF"},
    {0, "a bomb", "text is larger than the limit of 1048576 bytes", "invalid character 'x'"},
};

static bool is_told(const struct fault *f, str text, bool events)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (f->status ? words[i].status == f->status
                      : words[i].fault && !strcmp(words[i].fault, f->name))
            return str_contains(text, str_c(events ? words[i].events : words[i].list));
    return fault_is_told(f, text);
}

/* ---- What is seen. ---- */

struct seen {
    struct lock lock;
    struct arena *a;
    unsigned failures;
    int64_t longest; /* of the pauses */
    str text, last;  /* of the first and the last failure */
    bool done;
    bool quiet; /* nothing is to fail */
};

static void on_event(void *ctx, struct arena *a, enum kube_event type, struct value *v)
{
    struct seen *s = ctx;
    AUTO_LOCK guard = lock_take(&s->lock);

    (void)a;
    (void)type;
    s->done |= str_eq(value_get_str(value_get(v, STR("metadata")), STR("name")), STR("d"));
}

static void on_failed(void *ctx, const struct err *e, int64_t wait)
{
    struct seen *s = ctx;
    AUTO_LOCK guard = lock_take(&s->lock);

    s->failures++;
    s->longest = wait > s->longest ? wait : s->longest;
    s->last = str_copy(s->a, e->text);
    if (s->failures == 1)
        s->text = s->last;
}

#define FAILURES_ENOUGH 7

static bool is_over(struct seen *s, bool always)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    /* What a fault brings with it may come before it is told. */
    return always ? s->failures >= FAILURES_ENOUGH : s->done && (s->failures || s->quiet);
}

/* ---- Both. ---- */

static struct kube_config config_for(const struct fault_server *s)
{
    struct kube_config c = {.server = fault_server_url(s), .http = http_defaults()};

    c.http.no_proxy = true;
    c.http.idle_timeout = 10 * NS_PER_SEC;
    return c;
}

/* Real time is only the test's own patience. */
static void watch_through(const struct way *w, const struct fault_step *script, size_t count,
                          bool always, struct seen *seen)
{
    AUTO_ERR e = {0};
    struct fault_server *s = fault_server_start(script, count, NULL);
    const struct kube_config config = config_for(s);
    static str list_verbs[] = {STR_INIT("list")};
    struct kube_resource resource = watched;
    struct kube_transport *t;

    if (w->polls)
        resource.verbs = (struct str_list){list_verbs, 1, 1};
    clock_fake(10 * NS_PER_SEC);
    clock_wire_fake();
    assert_ok(kube_transport_new(&config, STR("test"), &t, &e), &e);
    struct kube_watches *hub = kube_watches_new(t);
    const struct kube_watch_config watch = {
        .call = {.resource = &resource, .namespace = STR("x")},
        .lists_only = w->lists_only,
        .length = w->length,
        .handler = {.event = on_event, .failed = on_failed, .ctx = seen}};
    struct kube_watch *running = kube_watch_start(hub, &watch);
    for (int i = 0; i < 60000 && !is_over(seen, always); i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS / 2}, NULL);
    kube_watch_stop(running);
    kube_watches_free(hub);
    kube_transport_free(t);
    fault_server_stop(s);
    clock_real();
}

static size_t answers_of(const struct way *w)
{
    size_t count = 0;

    while (count < COUNT(w->answers) && w->answers[count])
        count++;
    return count;
}

static struct fault_step proper(struct arena *a, const char *body)
{
    return fault_proper(a, 200, "Content-Type: application/json\r\n", str_c(body));
}

static size_t wrong;

static void check(const struct way *w, const struct fault *f, size_t at, const struct seen *seen,
                  bool always)
{
    bool events = at >= w->lists;
    /* A watch that fails again and again is given up for a list. */
    bool told = !seen->failures ||
                (is_told(f, seen->text, events) &&
                 (is_told(f, seen->last, events) || (always && is_told(f, seen->last, false))));
    bool right = always ? seen->failures >= FAILURES_ENOUGH : seen->done && seen->failures == 1;
    /* Twice thirty seconds, or what the server asks for, up to two minutes. */
    bool bounded = seen->longest <= (f->class == FAULT_LATER ? 120 : 60) * NS_PER_SEC;

    if (!told || !right || !bounded)
        print_error("%s, %s at request %zu%s: %s, %u failures, %.*s\n", w->name, f->name, at,
                    always ? " and ever after" : "", seen->done ? "done" : "not done",
                    seen->failures, STR_ARG(seen->text));
    wrong += !told || !right || !bounded;
}

static void try(const struct way *w, const struct fault *f, size_t at, bool always)
{
    AUTO_ARENA a = arena_new();
    struct seen seen = {.lock = LOCK_INIT, .a = a};
    struct fault_step script[8];
    size_t count = 0;

    for (size_t i = 0; i < at; i++)
        script[count++] = proper(a, w->answers[i]);
    script[count] = fault_step_of(a, f, w->answers[at]);
    script[count++].again = always;
    for (size_t i = at; i < answers_of(w) && !always; i++)
        script[count++] = proper(a, w->answers[i]);
    script[count - 1].again = true;
    watch_through(w, script, count, always, &seen);
    check(w, f, at, &seen, always);
}

static void each(bool always)
{
    wrong = 0;
    for (size_t i = 0; i < COUNT(ways); i++)
        for (size_t at = 0; at < answers_of(&ways[i]); at++)
            for (size_t k = 0; k < fault_count; k++)
                try(&ways[i], &faults[k], at, always);
    assert_int_equal(wrong, 0);
}

TEST(a_watch_goes_on_after_any_fault)
{
    each(false);
}

TEST(a_watch_keeps_trying_when_a_fault_stays)
{
    each(true);
}

/* The initial events of a server that does not know of them: they begin, but never end. */
TEST(initial_events_without_an_end_are_replaced_by_a_list)
{
    static const char *const heads[] = {
        "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 80\r\n\r\n",
    };
    /* Silent, and ended in order. */
    for (size_t i = 0; i < COUNT(heads); i++) {
        AUTO_ARENA a = arena_new();
        struct seen seen = {.lock = LOCK_INIT, .a = a, .quiet = true};
        str event = str_fmt(a, "%s%-79.78s\n", heads[i], EVENT("a", "5"));
        struct fault_step script[] = {
            {.reply = event.ptr, .reply_len = event.len, .end = i ? FAULT_CLOSE : FAULT_HANG},
            proper(a, PAGE(OBJECT("a", "5"), "")),
            proper(a, EVENT("d", "9")),
        };

        script[COUNT(script) - 1].again = true;
        watch_through(&endless, script, COUNT(script), false, &seen);
        assert_true(seen.done);
        assert_int_equal(seen.failures, 0);
    }
}

/* Not even one event, and it is silent: twice, and then there is a list. */
TEST(initial_events_that_do_not_come_are_replaced_by_a_list)
{
    AUTO_ARENA a = arena_new();
    struct seen seen = {.lock = LOCK_INIT, .a = a};
    struct fault_step script[] = {
        {.reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .end = FAULT_HANG},
        {.reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .end = FAULT_HANG},
        proper(a, PAGE("", "")),
        proper(a, EVENT("d", "9")),
    };

    script[COUNT(script) - 1].again = true;
    watch_through(&endless, script, COUNT(script), false, &seen);
    assert_true(seen.done);
    assert_int_equal(seen.failures, 2);
    assert_true(str_contains(seen.last, STR("nothing came from the server for 30 s")));
}

/* Neither events nor an end come, and nobody closes anything: there may be nobody any more. */
TEST(a_watch_without_an_end_is_given_up)
{
    AUTO_ARENA a = arena_new();
    struct seen seen = {.lock = LOCK_INIT, .a = a};
    const struct way *w = &ways[0];
    struct fault_step script[] = {
        proper(a, w->answers[0]),
        proper(a, w->answers[1]),
        {.reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .end = FAULT_HANG},
        {.reply = "HTTP/1.1 200 OK\r\n", .end = FAULT_HANG},
        proper(a, w->answers[3]),
    };

    script[COUNT(script) - 1].again = true;
    watch_through(w, script, COUNT(script), false, &seen);
    assert_true(seen.done);
    assert_int_equal(seen.failures, 2);
}

TEST(a_list_of_empty_pages_is_given_up)
{
    AUTO_ARENA a = arena_new();
    struct seen seen = {.lock = LOCK_INIT, .a = a};
    struct fault_step script[120];

    for (size_t i = 0; i < COUNT(script); i++)
        script[i] = proper(a, i % 2 ? PAGE("", "odd") : PAGE("", "even"));
    script[100] = proper(a, PAGE(OBJECT("d", "9"), ""));
    script[101] = proper(a, EVENT("d", "9"));
    script[101].again = true;
    watch_through(&ways[0], script, 102, false, &seen);
    assert_true(seen.done);
    assert_int_equal(seen.failures, 1);
    assert_str(seen.text, STR("the server's response is not a list that can be watched"));
}

static int begin(void **state)
{
    (void)state;
    faults_begin();
    return 0;
}

static int end(void **state)
{
    (void)state;
    faults_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_watch_goes_on_after_any_fault),
        cmocka_unit_test(a_watch_keeps_trying_when_a_fault_stays),
        cmocka_unit_test(initial_events_without_an_end_are_replaced_by_a_list),
        cmocka_unit_test(initial_events_that_do_not_come_are_replaced_by_a_list),
        cmocka_unit_test(a_watch_without_an_end_is_given_up),
        cmocka_unit_test(a_list_of_empty_pages_is_given_up),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
