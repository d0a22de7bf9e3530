/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches that get the same failure again and again: they change the request, and never retry in a
 * hurry. Time is fake, so pauses take none.
 */
#include "../test.h"

#include "kube/watch.h"
#include "support/api_server.h"

#include <time.h>

#define WIDGETS "/apis/example.com/v1/widgets"
#define INITIAL WIDGETS "?watch=true&allowWatchBookmarks=true&sendInitialEvents"
#define WATCHED WIDGETS "?watch=true&allowWatchBookmarks=true&resourceVersion"
#define PAGED WIDGETS "?continue"
#define REFUSAL(code, reason)                                                                      \
    "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":" code ",\"reason\":\"" reason           \
    "\",\"message\":\"no\"}"
#define ERROR_EVENT(code, reason) "{\"type\":\"ERROR\",\"object\":" REFUSAL(code, reason) "}\n"

struct fixture {
    struct api_server *api;
    struct kube_watches *hub;
    struct kube_watch *watch;
    struct lock lock; /* of what is below */
    unsigned events, synced, failures, answers;
    int64_t paused; /* in all */
};

static void on_event(void *ctx, struct arena *a, enum kube_event type, struct value *object)
{
    struct fixture *f = ctx;
    AUTO_LOCK guard = lock_take(&f->lock);

    (void)a;
    (void)type;
    (void)object;
    f->events++;
}

static void on_synced(void *ctx)
{
    struct fixture *f = ctx;
    AUTO_LOCK guard = lock_take(&f->lock);

    f->synced++;
}

static void on_failed(void *ctx, const struct err *e, int64_t wait)
{
    struct fixture *f = ctx;
    AUTO_LOCK guard = lock_take(&f->lock);

    (void)e;
    f->failures++;
    f->paused += wait;
}

static void on_answered(void *ctx)
{
    struct fixture *f = ctx;
    AUTO_LOCK guard = lock_take(&f->lock);

    f->answers++;
}

static void begin(struct fixture *f, bool initial_events)
{
    *f = (struct fixture){.api = api_start(), .lock = LOCK_INIT};
    clock_fake(10 * NS_PER_SEC);
    random_fake(1);
    api_initial_events(f->api, initial_events);
    f->hub = kube_watches_new(api_transport(f->api));
}

static void start(struct fixture *f)
{
    const struct kube_watch_config config = {.call = {.resource = &api_widgets},
                                             .page = 1,
                                             .handler = {.event = on_event,
                                                         .synced = on_synced,
                                                         .failed = on_failed,
                                                         .answered = on_answered,
                                                         .ctx = f}};

    f->watch = kube_watch_start(f->hub, &config);
}

static void end(struct fixture *f)
{
    kube_watch_stop(f->watch);
    kube_watches_free(f->hub);
    api_stop(f->api);
    clock_real();
    random_real();
}

static unsigned look(struct fixture *f, const unsigned *what)
{
    AUTO_LOCK guard = lock_take(&f->lock);

    return *what;
}

/* Real time is only the test's own patience. */
static void await(struct fixture *f, const unsigned *what, unsigned least)
{
    for (int i = 0; i < 60000 && look(f, what) < least; i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    assert_true(look(f, what) >= least);
}

static int64_t paused(struct fixture *f)
{
    AUTO_LOCK guard = lock_take(&f->lock);

    return f->paused;
}

static size_t asked(struct fixture *f, const char *target)
{
    AUTO_ARENA a = arena_new();
    str rest = api_requests(f->api, a, false), line;
    size_t count = 0;

    while (str_cut(rest, STR("\n"), &line, &rest))
        count += str_contains(line, str_c(target));
    return count;
}

/* Who may list but not watch has the list, and another one now and then. */
TEST(who_may_not_watch_is_served_by_lists)
{
    static const bool initial[] = {true, false};

    for (size_t i = 0; i < COUNT(initial); i++) {
        struct fixture f;
        begin(&f, initial[i]);
        api_put(f.api, "x", "a", NULL);
        api_answer_always(f.api, WIDGETS "?watch", 403, "application/json",
                          REFUSAL("403", "Forbidden"));
        start(&f);
        await(&f, &f.synced, 1);
        await(&f, &f.synced, 4);
        assert_true(look(&f, &f.failures) >= 3);
        /* As long as others wait after failures, although all lists succeed. */
        assert_true(paused(&f) >= (800 + 1600 + 3200) * NS_PER_MS);
        end(&f);
    }
}

/* A place that is gone as soon as it is known: no list follows the other at once. */
TEST(a_server_that_always_expires_is_not_asked_in_a_loop)
{
    struct fixture f;
    begin(&f, false);

    api_answer_always(f.api, WATCHED, 410, "application/json", REFUSAL("410", "Expired"));
    start(&f);
    await(&f, &f.synced, 6);
    /* Only the first of them came at once. */
    assert_true(look(&f, &f.failures) >= 4);
    assert_true(paused(&f) >= (800 + 1600 + 3200 + 6400) * NS_PER_MS);
    end(&f);
}

/* The next change cannot be told, by an event or by a status: a list leads past it. */
TEST(a_place_that_is_answered_by_failures_is_given_up)
{
    static const struct {
        int status;
        const char *body;
    } answers[] = {
        {200, ERROR_EVENT("500", "InternalError")}, {200, ERROR_EVENT("400", "BadRequest")},
        {500, REFUSAL("500", "InternalError")},     {504, REFUSAL("504", "Timeout")},
        {400, REFUSAL("400", "BadRequest")},        {200, ""},
    };

    for (size_t i = 0; i < COUNT(answers); i++) {
        struct fixture f;
        begin(&f, false);
        api_answer_always(f.api, WATCHED "=100", answers[i].status, "application/json",
                          answers[i].body);
        start(&f);
        await(&f, &f.failures, 1);
        api_put(f.api, "x", "a", NULL);
        /* What a list holds is told before its end. */
        await(&f, &f.events, 1);
        await(&f, &f.synced, 2);
        end(&f);
    }
}

/* Where nobody is, or too many are, the place is kept: lists would only make it worse. */
TEST(a_busy_server_is_not_asked_for_lists)
{
    static const int statuses[] = {429, 502, 503};

    for (size_t i = 0; i < COUNT(statuses); i++) {
        struct fixture f;
        begin(&f, false);
        api_answer_always(f.api, WATCHED, statuses[i], "text/plain", "");
        start(&f);
        await(&f, &f.failures, 12);
        assert_int_equal(look(&f, &f.synced), 1);
        end(&f);
    }
}

/* A place in a list that the server does not know any more, without a word of 410. */
TEST(a_page_that_is_refused_begins_the_list_anew)
{
    struct fixture f;
    begin(&f, false);

    api_put(f.api, "x", "a", NULL);
    api_put(f.api, "x", "b", NULL);
    api_answer(f.api, PAGED, 400, "application/json", REFUSAL("400", "BadRequest"));
    start(&f);
    await(&f, &f.synced, 1);
    assert_int_equal(look(&f, &f.failures), 1);
    assert_int_equal(asked(&f, WIDGETS "?limit"), 2);
    end(&f);
}

/* Initial events that fail for a reason of their own are given up for a list after two attempts. */
TEST(initial_events_that_fail_are_given_up)
{
    struct fixture f;
    begin(&f, true);

    api_put(f.api, "x", "a", NULL);
    api_answer_always(f.api, INITIAL, 500, "application/json", REFUSAL("500", "InternalError"));
    start(&f);
    await(&f, &f.synced, 1);
    assert_int_equal(look(&f, &f.failures), 2);
    end(&f);
}

/* Each has an event and ends: not a failure, but no reason to ask hundreds of times a second. */
TEST(watches_that_end_at_once_are_not_repeated_in_a_hurry)
{
    struct fixture f;
    begin(&f, false);
    const int64_t from = clock_mono();

    api_put(f.api, "x", "a", NULL);
    api_answer_always(
        f.api, WATCHED, 200, "application/json",
        "{\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"example.com/v1\",\"kind\":"
        "\"Widget\",\"metadata\":{\"resourceVersion\":\"3\"}}}\n");
    start(&f);
    await(&f, &f.synced, 1);
    for (int i = 0; i < 60000 && asked(&f, WATCHED) < 20; i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    assert_true(asked(&f, WATCHED) >= 20);
    assert_true(clock_mono() - from >= 10 * NS_PER_SEC);
    assert_int_equal(look(&f, &f.failures), 0);
    end(&f);
}

/* Something on the way ends what is silent for a while. Nothing is wrong with that. */
TEST(a_quiet_watch_that_is_cut_off_is_no_failure)
{
    struct fixture f;
    begin(&f, true);

    start(&f);
    for (unsigned i = 1; i <= 5; i++) {
        await(&f, &f.answers, i);
        for (int k = 0; k < 60000 && !api_watches(f.api); k++)
            nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
        await(&f, &f.synced, 1);
        clock_advance(60 * NS_PER_SEC);
        api_end_watches(f.api, true);
    }
    api_put(f.api, "x", "a", NULL);
    await(&f, &f.events, 1);
    assert_int_equal(look(&f, &f.failures), 0);
    assert_int_equal(look(&f, &f.synced), 1);
    end(&f);
}

RUN_TESTS(cmocka_unit_test(who_may_not_watch_is_served_by_lists),
          cmocka_unit_test(a_server_that_always_expires_is_not_asked_in_a_loop),
          cmocka_unit_test(a_place_that_is_answered_by_failures_is_given_up),
          cmocka_unit_test(a_busy_server_is_not_asked_for_lists),
          cmocka_unit_test(a_page_that_is_refused_begins_the_list_anew),
          cmocka_unit_test(initial_events_that_fail_are_given_up),
          cmocka_unit_test(watches_that_end_at_once_are_not_repeated_in_a_hurry),
          cmocka_unit_test(a_quiet_watch_that_is_cut_off_is_no_failure))
