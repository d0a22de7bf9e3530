/* SPDX-License-Identifier: Apache-2.0 */
/* Watches through everything that may happen to them: no change is lost or reported twice. */
#include "../test.h"

#include "kube/watch.h"
#include "support/api_server.h"

#include <time.h>

struct fixture {
    struct api_server *api;
    struct kube_watches *hub;
    struct kube_watch *watch;
    struct lock lock;
    pthread_cond_t changed;
    struct arena *a;
    struct buf log; /* "begin", "+a@101", "~a@102", "-a@103", "synced", "failed" */
};

static void note(struct fixture *f, str text)
{
    AUTO_LOCK guard = lock_take(&f->lock);

    buf_fmt(&f->log, "%.*s ", STR_ARG(text));
    pthread_cond_broadcast(&f->changed);
}

static void on_begin(void *ctx)
{
    note(ctx, STR("begin"));
}

static void on_synced(void *ctx)
{
    note(ctx, STR("synced"));
}

static void on_failed(void *ctx, const struct err *e, int64_t wait)
{
    assert_true(e->text.len > 0);
    assert_true(wait > 0);
    note(ctx, STR("failed"));
}

static void on_event(void *ctx, struct arena *a, enum kube_event type, struct value *object)
{
    const struct value *meta = value_get(object, STR("metadata"));
    str name = value_get_str(meta, STR("name"));
    str version = value_get_str(meta, STR("resourceVersion"));

    assert_str(value_get_str(object, STR("kind")), STR("Widget"));
    note(ctx, str_fmt(a, "%c%.*s@%.*s", "+~-"[type], STR_ARG(name), STR_ARG(version)));
}

static void begin(struct fixture *f)
{
    *f = (struct fixture){.api = api_start(), .a = arena_new(), .lock = LOCK_INIT};
    f->log = buf_new(f->a, 1 * MIB);
    pthread_cond_init(&f->changed, NULL);
    f->hub = kube_watches_new(api_transport(f->api));
}

static struct kube_watch_config config_of(struct fixture *f)
{
    return (struct kube_watch_config){.call = {.resource = &api_widgets},
                                      .page = 2,
                                      .pause = NS_PER_MS,
                                      .pause_max = 4 * NS_PER_MS,
                                      .handler = {.begin = on_begin,
                                                  .event = on_event,
                                                  .synced = on_synced,
                                                  .failed = on_failed,
                                                  .ctx = f}};
}

static void start(struct fixture *f)
{
    const struct kube_watch_config config = config_of(f);

    f->watch = kube_watch_start(f->hub, &config);
}

static void end(struct fixture *f)
{
    kube_watch_stop(f->watch);
    kube_watches_free(f->hub);
    api_stop(f->api);
    pthread_cond_destroy(&f->changed);
    arena_free(f->a);
}

/* Waits until the log is this, at most ten seconds. Failures are left out of it. */
static str without_failures(struct arena *a, str log)
{
    struct buf b = buf_new(a, 1 * MIB);
    str word;

    while (str_cut(log, STR(" "), &word, &log))
        if (!str_eq(word, STR("failed")))
            buf_fmt(&b, "%.*s ", STR_ARG(word));
    return buf_str(&b);
}

static void expect(struct fixture *f, const char *want)
{
    AUTO_ARENA a = arena_new();
    AUTO_LOCK guard = lock_take(&f->lock);
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    while (!str_eq(without_failures(a, buf_str(&f->log)), str_c(want)))
        if (pthread_cond_timedwait(&f->changed, &f->lock.mutex, &until))
            break;
    assert_str(without_failures(a, buf_str(&f->log)), str_c(want));
    buf_truncate(&f->log, 0);
}

/* The log once it has this word. */
static str await_word(struct fixture *f, str word)
{
    AUTO_LOCK guard = lock_take(&f->lock);
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    while (!str_contains(buf_str(&f->log), word))
        if (pthread_cond_timedwait(&f->changed, &f->lock.mutex, &until))
            fail_msg("no %.*s: %.*s", STR_ARG(word), STR_ARG(buf_str(&f->log)));
    return str_copy(f->a, buf_str(&f->log));
}

static void await_watch(struct fixture *f)
{
    for (int i = 0; i < 60000 && api_watches(f->api) != 1; i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    assert_int_equal(api_watches(f->api), 1);
}

TEST(a_watch_lists_and_follows)
{
    struct fixture f;
    begin(&f);
    struct kube_watch_stats stats;

    api_put(f.api, "x", "a", NULL);
    api_put(f.api, "x", "b", NULL);
    api_put(f.api, "y", "c", NULL);
    start(&f);
    expect(&f, "begin begin +a@101 +b@102 +c@103 synced ");
    api_put(f.api, "x", "a", NULL);
    api_delete(f.api, "x", "b");
    expect(&f, "~a@104 -b@105 ");
    kube_watch_stats(f.watch, &stats);
    assert_int_equal(stats.lists, 2);
    assert_int_equal(stats.watches, 2);
    assert_int_equal(stats.events, 5);
    end(&f);
}

TEST(initial_events_replace_the_list_where_offered)
{
    struct fixture f;
    begin(&f);

    api_initial_events(f.api, true);
    api_put(f.api, "x", "a", NULL);
    start(&f);
    expect(&f, "begin +a@101 synced ");
    api_put(f.api, "x", "b", NULL);
    expect(&f, "+b@102 ");
    assert_false(str_contains(api_requests(f.api, f.a, false), STR("limit")));
    end(&f);
}

TEST(a_watch_resumes_where_it_ended)
{
    struct fixture f;
    begin(&f);

    start(&f);
    expect(&f, "begin begin synced ");
    for (int i = 0; i < 6; i++) {
        await_watch(&f);
        api_put(f.api, "x", "a", NULL);
        api_end_watches(f.api, i % 2);
        api_put(f.api, "x", "b", NULL);
    }
    expect(&f, "+a@101 +b@102 ~a@103 ~b@104 ~a@105 ~b@106 ~a@107 ~b@108 ~a@109 ~b@110 ~a@111 "
               "~b@112 ");
    end(&f);
}

TEST(a_bookmark_moves_the_place_to_resume)
{
    struct fixture f;
    begin(&f);
    struct kube_watch_stats stats = {0};

    start(&f);
    expect(&f, "begin begin synced ");
    await_watch(&f);
    api_compact(f.api);
    api_bookmark(f.api);
    for (int i = 0; i < 60000 && !stats.bookmarks; i++) {
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
        kube_watch_stats(f.watch, &stats);
    }
    api_end_watches(f.api, false);
    api_put(f.api, "x", "a", NULL);
    expect(&f, "+a@102 ");
    end(&f);
}

TEST(an_expired_watch_lists_again)
{
    struct fixture f;
    begin(&f);

    api_put(f.api, "x", "a", NULL);
    start(&f);
    expect(&f, "begin begin +a@101 synced ");
    await_watch(&f);
    api_end_watches(f.api, true);
    api_delete(f.api, "x", "a");
    api_put(f.api, "x", "b", NULL);
    api_compact(f.api);
    /* It may have resumed before the changes; then the events come, else the list. */
    await_watch(&f);
    api_put(f.api, "x", "c", NULL);
    assert_true(str_contains(await_word(&f, STR("+c@")), STR("+b@103")));
    end(&f);
}

#define WATCHED "/apis/example.com/v1/widgets?watch"
#define LISTED "/apis/example.com/v1/widgets?limit"

TEST(an_error_event_lists_again)
{
    struct fixture f;
    begin(&f);

    api_put(f.api, "x", "a", NULL);
    api_answer(f.api, WATCHED, 422, "application/json", "{}");
    api_answer(f.api, WATCHED, 200, "application/json",
               "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":"
               "\"Expired\",\"message\":\"too old\"}}\n");
    start(&f);
    expect(&f, "begin begin +a@101 synced begin +a@101 synced ");
    api_delete(f.api, "x", "a");
    expect(&f, "-a@102 ");
    end(&f);
}

TEST(faults_are_waited_out)
{
    static const struct {
        const char *target;
        int status;
        const char *body;
    } faults[] = {
        {LISTED, 500, "x"}, {LISTED, 429, ""},        {LISTED, 200, "<html>"},
        {LISTED, 200, ""},  {LISTED, 200, "{}"},      {WATCHED, 503, ""},
        {WATCHED, 200, ""}, {WATCHED, 200, "{\"a\""}, {WATCHED, 200, "{\"type\":\"X\"}\n"},
    };
    struct fixture f;
    begin(&f);
    struct kube_watch_config config = config_of(&f);
    struct kube_watch_stats stats;

    for (size_t i = 0; i < COUNT(faults); i++)
        api_answer(f.api, faults[i].target, faults[i].status, "text/plain", faults[i].body);
    config.lists_only = true;
    f.watch = kube_watch_start(f.hub, &config);
    await_watch(&f);
    api_put(f.api, "x", "a", NULL);
    expect(&f, "begin begin begin begin begin begin synced +a@101 ");
    kube_watch_stats(f.watch, &stats);
    assert_int_equal(stats.failures, COUNT(faults));
    end(&f);
}

TEST(a_list_that_breaks_off_goes_on)
{
    struct fixture f;
    begin(&f);
    struct kube_watch_config config = config_of(&f);

    config.lists_only = true;
    for (int i = 0; i < 3; i++)
        api_put(f.api, "x", (const char *[]){"a", "b", "c"}[i], NULL);
    api_answer(f.api, "/apis/example.com/v1/widgets?continue", 410, "application/json", "{}");
    f.watch = kube_watch_start(f.hub, &config);
    expect(&f, "begin +a@101 +b@102 begin +a@101 +b@102 +c@103 synced ");
    end(&f);
}

#define NAMED_A(version, size)                                                                     \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"a\","         \
    "\"namespace\":\"x\",\"resourceVersion\":\"" version "\"},\"spec\":{\"size\":" size "}}"
#define LIST_OF_TWO(one, other)                                                                    \
    "{\"metadata\":{\"resourceVersion\":\"90\"},\"items\":[" one "," other "]}"
#define INITIAL_TWO(one, other)                                                                    \
    "{\"type\":\"ADDED\",\"object\":" one "}\n{\"type\":\"ADDED\",\"object\":" other "}\n"

/* The newer one would hide the other. */
TEST(an_object_that_a_list_has_twice_is_an_error)
{
    static const struct {
        const char *body, *want;
        bool lists;
    } cases[] = {
        {LIST_OF_TWO(NAMED_A("7", "2"), NAMED_A("8", "1")), "begin +a@7 failed begin ", true},
        {LIST_OF_TWO(NAMED_A("7", "2"), NAMED_A("7", "1")), "begin +a@7 failed begin ", true},
        {LIST_OF_TWO(NAMED_A("7", "1"), NAMED_A("7", "1")), "begin +a@7 +a@7 synced ", true},
        {INITIAL_TWO(NAMED_A("7", "2"), NAMED_A("8", "1")), "begin +a@7 failed begin ", false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture f;
        begin(&f);
        struct kube_watch_config config = config_of(&f);
        config.lists_only = cases[i].lists;
        api_put(f.api, "x", "b", NULL);
        api_answer_always(f.api, "/apis/example.com/v1/widgets", 200, "application/json",
                          cases[i].body);
        f.watch = kube_watch_start(f.hub, &config);
        str log = await_word(&f, str_c(cases[i].want));
        assert_true(str_has_prefix(log, str_c(cases[i].want)));
        api_answer_no_more(f.api);
        await_word(&f, STR("+b@101 "));
        end(&f);
    }
}

/* The server refuses, whether initial events are asked for or not; or its verbs have no watch. */
TEST(what_cannot_be_watched_is_listed_again)
{
    static str verbs[] = {STR_INIT("get"), STR_INIT("list")};
    struct kube_resource listed = api_widgets;

    listed.verbs = (struct str_list){verbs, COUNT(verbs), COUNT(verbs)};
    for (int i = 0; i < 3; i++) {
        struct fixture f;
        begin(&f);
        api_unwatchable(f.api, true);
        api_put(f.api, "x", "a", "\"n\":1");
        struct kube_watch_config config = config_of(&f);
        config.poll = 10 * NS_PER_MS;
        config.lists_only = i == 1;
        if (i == 2)
            config.call.resource = &listed;
        f.watch = kube_watch_start(f.hub, &config);
        await_word(&f, STR("+a@101 synced"));
        api_put(f.api, "x", "a", "\"n\":2");
        await_word(&f, STR("begin +a@102 synced"));
        api_delete(f.api, "x", "a");
        await_word(&f, STR("begin synced begin synced"));
        assert_false(str_contains(buf_str(&f.log), STR("failed")));
        struct kube_watch_stats stats;
        kube_watch_stats(f.watch, &stats);
        assert_int_equal(stats.watches, i < 2);
        end(&f);
    }
}

TEST(a_watch_can_be_stopped_at_any_time)
{
    struct fixture f;
    begin(&f);

    for (int i = 0; i < 40; i++) {
        start(&f);
        nanosleep(&(struct timespec){.tv_nsec = i * 100000L}, NULL);
        kube_watch_stop(f.watch);
    }
    f.watch = NULL;
    end(&f);
}

TEST(events_without_sense_are_refused)
{
    static const char *const lines[] = {
        "",
        "1",
        "[]",
        "{}",
        "{\"type\":\"ADDED\"}",
        "{\"type\":\"ADDED\",\"object\":[]}",
        "{\"type\":\"ADDED\",\"object\":{}}",
        "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{}}}",
        "{\"type\":\"added\",\"object\":{\"metadata\":{\"resourceVersion\":\"1\"}}}",
        "{\"type\":\"ERROR\",\"object\":null}",
    };
    const struct kube_call c = {.resource = &api_widgets};

    for (size_t i = 0; i < COUNT(lines); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct kube_change change;

        assert_false(kube_change_read(a, &c, str_c(lines[i]), &change, &e));
        assert_true(e.text.len > 0);
    }
}

#define EVENT_OF(kind, version, meta)                                                              \
    "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"" kind "\",\"apiVersion\":\"" version           \
    "\",\"metadata\":{" meta "\"resourceVersion\":\"7\"}}}"

TEST(events_of_something_else_are_errors)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        {EVENT_OF("Widget", "example.com/v1", "\"name\":\"a\","), NULL},
        {EVENT_OF("Widget", "example.com/v1", ""), "an object has no name"},
        {EVENT_OF("Other", "example.com/v1", "\"name\":\"a\","), "a is a Other of example.com/v1"},
        {EVENT_OF("Widget", "example.com/v2", "\"name\":\"a\","),
         "a is a Widget of example.com/v2"},
    };
    const struct kube_call call = {.resource = &api_widgets};

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct kube_change change;
        bool ok = kube_change_read(a, &call, str_c(cases[i].line), &change, &e);
        assert_int_equal(ok, !cases[i].want);
        assert_true(ok || str_contains(e.text, str_c(cases[i].want)));
    }
}

RUN_TESTS(cmocka_unit_test(events_of_something_else_are_errors),
          cmocka_unit_test(a_watch_lists_and_follows),
          cmocka_unit_test(initial_events_replace_the_list_where_offered),
          cmocka_unit_test(a_watch_resumes_where_it_ended),
          cmocka_unit_test(a_bookmark_moves_the_place_to_resume),
          cmocka_unit_test(an_expired_watch_lists_again),
          cmocka_unit_test(an_error_event_lists_again), cmocka_unit_test(faults_are_waited_out),
          cmocka_unit_test(a_list_that_breaks_off_goes_on),
          cmocka_unit_test(an_object_that_a_list_has_twice_is_an_error),
          cmocka_unit_test(what_cannot_be_watched_is_listed_again),
          cmocka_unit_test(a_watch_can_be_stopped_at_any_time),
          cmocka_unit_test(events_without_sense_are_refused))
