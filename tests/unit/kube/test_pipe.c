/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pipe.c - asynchronous calls to the API server, against the store in this process: with
 * threads, and driven.
 */
#include "../test.h"

#include "kube/events.h"
#include "kube/lease.h"
#include "kube/pipe.h"
#include "kube/watch.h"
#include "object/object.h"
#include "store/store.h"
#include "text/json/json.h"

#include <sched.h>

#define START (INT64_C(1800000000) * NS_PER_SEC)

static const struct kube_resource maps = {
    .version = STR_INIT("v1"),
    .name = STR_INIT("configmaps"),
    .kind = STR_INIT("ConfigMap"),
    .namespaced = true,
};

struct stage {
    struct arena *a;
    struct store *store;
    struct handler handler; /* before the store */
    unsigned refuse;        /* answers so many requests by 429 */
    unsigned asked;
    struct kube_config config;
    struct kube_transport *transport;
    struct kube_pipe *pipe;
};

static void answer(void *ctx, struct handler_call *c)
{
    struct stage *s = ctx;

    s->asked++;
    if (!s->refuse) {
        handler_answer(store_handler(s->store), c);
        return;
    }
    s->refuse--;
    handler_add_header(c, STR("Retry-After"), STR("3"));
    handler_reply(c, 429, STR("text/plain"), STR("busy"));
}

static void begin(struct stage *s, bool driven, size_t calls_max)
{
    AUTO_ERR e = {0};
    struct store_config config = store_defaults();

    if (driven)
        clock_drive(START);
    *s = (struct stage){.a = arena_new(), .handler = {answer, s}};
    config.driven = driven;
    assert_ok(store_open(&config, &s->store, &e), &e);
    s->config = (struct kube_config){.server = STR("http://api.local"), .http = http_defaults()};
    s->config.http.local = &s->handler;
    assert_ok(kube_transport_new(&s->config, STR("me"), &s->transport, &e), &e);
    s->pipe = kube_pipe_new(
        &(struct kube_pipe_config){.transport = s->transport, .calls_max = calls_max});
}

static void end(struct stage *s)
{
    kube_pipe_free(s->pipe);
    kube_transport_free(s->transport);
    store_close(s->store);
    arena_free(s->a);
    clock_real();
}

static struct value *json(struct stage *s, const char *text)
{
    const struct source src = {.file = STR("test"), .text = str_c(text)};
    AUTO_ERR e = {0};
    struct value *v;

    assert_ok(json_read(s->a, &src, NULL, &v, &e), &e);
    return v;
}

static struct kube_ask ask(enum kube_verb verb, const char *name)
{
    return (struct kube_ask){
        .verb = verb,
        .call = {.resource = &maps, .namespace = STR("default"), .name = str_c(name)}};
}

static struct kube_ask create(struct stage *s, const char *name)
{
    struct kube_ask q = ask(KUBE_VERB_CREATE, "");

    q.body = json(s, str_z(s->a, str_fmt(s->a,
                                         "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                                         "\"metadata\":{\"name\":\"%s\"},\"data\":{\"a\":\"1\"}}",
                                         name)));
    return q;
}

/* Steps until it is done; time moves only as far as the pipe asks for. */
static struct kube_done *step(struct stage *s)
{
    struct kube_done *d;
    int64_t due;

    while (!(d = kube_pipe_step(s->pipe, &due))) {
        assert_true(due > clock_mono() && due < INT64_MAX);
        clock_drive(due);
    }
    return d;
}

static enum err_kind run(struct stage *s, const struct kube_ask *q)
{
    AUTO_ERR e = {0};
    struct kube_done *d;
    enum err_kind kind;

    assert_ok(kube_pipe_start(s->pipe, q, s, &e), &e);
    d = step(s);
    assert_ptr_equal(d->ctx, s);
    assert_true(d->ok == !d->failure.kind);
    assert_true(d->ok ? d->http / 100 == 2 : d->status.code == d->http);
    assert_true(!d->ok || !q->call.resource || d->object);
    kind = d->failure.kind;
    kube_pipe_release(s->pipe, d);
    return kind;
}

static str data_of(struct stage *s, const char *name)
{
    AUTO_ERR e = {0};
    struct kube_ask q = ask(KUBE_VERB_GET, name);
    struct value *object;

    assert_ok(kube_do(s->transport, s->a, &q, &object, &e), &e);
    return value_get_str(value_get(object, STR("data")), STR("a"));
}

TEST(every_verb_with_its_preconditions)
{
    struct stage s;

    begin(&s, true, 0);
    struct kube_ask q = ask(KUBE_VERB_GET, "x");
    assert_int_equal(run(&s, &q), ERR_NOT_FOUND);
    q = create(&s, "x");
    assert_int_equal(run(&s, &q), ERR_NONE);
    assert_int_equal(run(&s, &q), ERR_EXISTS);
    q = ask(KUBE_VERB_PATCH, "x");
    q.body = json(&s, "{\"data\":{\"a\":\"2\"}}");
    assert_int_equal(run(&s, &q), ERR_NONE);
    assert_str(data_of(&s, "x"), STR("2"));
    q.body = json(&s, "{\"metadata\":{\"resourceVersion\":\"1\"},\"data\":{\"a\":\"3\"}}");
    assert_int_equal(run(&s, &q), ERR_CONFLICT);
    q.patch = KUBE_JSON_PATCH;
    q.body = json(&s, "[{\"op\":\"replace\",\"path\":\"/data/a\",\"value\":\"4\"}]");
    assert_int_equal(run(&s, &q), ERR_NONE);
    assert_str(data_of(&s, "x"), STR("4"));
    /* The same as paths and texts. */
    struct kube_ask raw = {.verb = KUBE_VERB_PATCH,
                           .path = STR("/api/v1/namespaces/default/configmaps/x"),
                           .text = STR("{\"data\":{\"a\":\"5\"}}")};
    assert_int_equal(run(&s, &raw), ERR_NONE);
    assert_str(data_of(&s, "x"), STR("5"));
    q = ask(KUBE_VERB_DELETE, "x");
    q.delete.uid = STR("another");
    assert_int_equal(run(&s, &q), ERR_CONFLICT);
    q.delete.uid = STR_NONE;
    assert_int_equal(run(&s, &q), ERR_NONE);
    assert_int_equal(run(&s, &q), ERR_NOT_FOUND);
    end(&s);
}

TEST(a_busy_server_is_asked_again_when_it_says_so)
{
    struct stage s;

    begin(&s, true, 0);
    s.refuse = 2;
    struct kube_ask q = create(&s, "x");
    assert_int_equal(run(&s, &q), ERR_NONE);
    assert_true(clock_mono() - START >= 6 * NS_PER_SEC);
    assert_int_equal(s.asked, 3);
    q = ask(KUBE_VERB_GET, "x");
    q.call.retry = &retry_never;
    s.refuse = 1;
    assert_int_equal(run(&s, &q), ERR_THROTTLED);
    end(&s);
}

TEST(there_is_a_limit_and_what_is_left_is_given_up)
{
    AUTO_ERR e = {0};
    struct stage s;
    int64_t due;

    begin(&s, true, 3);
    struct kube_ask q = ask(KUBE_VERB_GET, "x");
    for (int i = 0; i < 3; i++)
        assert_ok(kube_pipe_start(s.pipe, &q, &s, &e), &e);
    assert_false(kube_pipe_start(s.pipe, &q, &s, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    /* One is done, one rests, one was never looked at. */
    kube_pipe_release(s.pipe, kube_pipe_step(s.pipe, &due));
    kube_pipe_release(s.pipe, kube_pipe_step(s.pipe, &due));
    s.refuse = 10;
    assert_ok(kube_pipe_start(s.pipe, &q, &s, &e), &e);
    kube_pipe_release(s.pipe, kube_pipe_step(s.pipe, &due));
    assert_null(kube_pipe_step(s.pipe, &due));
    assert_int_equal(kube_pipe_stats(s.pipe).retrying, 1);
    assert_ok(kube_pipe_start(s.pipe, &q, &s, &e), &e);
    assert_int_equal(kube_pipe_stats(s.pipe).queued, 1);
    end(&s);
}

static void expect_done(struct stage *s, enum err_kind kind)
{
    int64_t due;
    struct kube_done *d = kube_pipe_step(s->pipe, &due);

    assert_non_null(d);
    assert_int_equal(d->failure.kind, kind);
    assert_true(kind != ERR_CANCELLED || !d->http);
    kube_pipe_release(s->pipe, d);
}

TEST(what_waits_when_its_term_ends_is_not_sent)
{
    AUTO_ERR e = {0};
    struct stage s;
    int64_t due;

    begin(&s, true, 0);
    struct kube_ask rests = create(&s, "rests"), waits = create(&s, "waits"),
                    stays = create(&s, "stays");
    rests.term = waits.term = 1;
    stays.term = 2;
    s.refuse = 1;
    assert_ok(kube_pipe_start(s.pipe, &rests, &s, &e), &e);
    assert_null(kube_pipe_step(s.pipe, &due));
    assert_ok(kube_pipe_start(s.pipe, &waits, &s, &e), &e);
    assert_ok(kube_pipe_start(s.pipe, &stays, &s, &e), &e);
    kube_pipe_cancel(s.pipe, 1);
    expect_done(&s, ERR_CANCELLED);
    expect_done(&s, ERR_CANCELLED);
    expect_done(&s, ERR_NONE);
    assert_int_equal(s.asked, 2);
    /* A term does not begin again. */
    assert_ok(kube_pipe_start(s.pipe, &rests, &s, &e), &e);
    expect_done(&s, ERR_CANCELLED);
    clock_drive(clock_mono() + 60 * NS_PER_SEC);
    assert_null(kube_pipe_step(s.pipe, &due));
    assert_int_equal(s.asked, 2);
    end(&s);
}

static bool never(void *ctx)
{
    (void)ctx;
    return false;
}

TEST(who_leads_no_longer_finds_out_before_sending)
{
    AUTO_ERR e = {0};
    struct stage s;

    begin(&s, true, 0);
    kube_pipe_free(s.pipe);
    s.pipe = kube_pipe_new(&(struct kube_pipe_config){.transport = s.transport, .leads = never});
    struct kube_ask q = create(&s, "x");
    q.term = 1;
    assert_ok(kube_pipe_start(s.pipe, &q, &s, &e), &e);
    expect_done(&s, ERR_CANCELLED);
    assert_int_equal(s.asked, 0);
    q.term = TERM_NONE;
    assert_int_equal(run(&s, &q), ERR_NONE);
    end(&s);
}

static void *take_all(void *ctx)
{
    struct stage *s = ctx;
    struct kube_done *d;

    while ((d = kube_pipe_next(s->pipe))) {
        assert_int_equal(d->failure.kind, ERR_CANCELLED);
        kube_pipe_release(s->pipe, d);
    }
    return NULL;
}

TEST(the_end_of_all_terms_does_not_wait_for_who_rests)
{
    AUTO_ERR e = {0};
    struct stage s;
    pthread_t thread;

    begin(&s, false, 0);
    s.refuse = 1;
    struct kube_ask q = create(&s, "x");
    assert_ok(kube_pipe_start(s.pipe, &q, &s, &e), &e);
    assert_int_equal(pthread_create(&thread, NULL, take_all, &s), 0);
    while (!kube_pipe_stats(s.pipe).retrying)
        sched_yield();
    kube_pipe_cancel(s.pipe, TERM_ALL);
    kube_pipe_close(s.pipe);
    pthread_join(thread, NULL);
    assert_int_equal(s.asked, 1);
    end(&s);
}

TEST(threads_take_the_answers_of_hundreds)
{
    enum { CALLS = 500 };
    AUTO_ERR e = {0};
    struct stage s;

    begin(&s, false, 0);
    for (int i = 0; i < CALLS; i++) {
        struct kube_ask q = create(&s, str_z(s.a, str_fmt(s.a, "x%d", i)));
        assert_ok(kube_pipe_start(s.pipe, &q, &s, &e), &e);
    }
    for (int i = 0; i < CALLS; i++) {
        struct kube_done *d = kube_pipe_next(s.pipe);
        assert_ok(d->ok, &d->failure);
        kube_pipe_release(s.pipe, d);
    }
    kube_pipe_close(s.pipe);
    assert_null(kube_pipe_next(s.pipe));
    assert_int_equal(s.asked, CALLS);
    end(&s);
}

/* ---- Watches, driven. ---- */

struct seen {
    unsigned added, modified, deleted, synced;
};

static void on_event(void *ctx, struct arena *a, enum kube_event type, struct value *object)
{
    struct seen *seen = ctx;

    (void)a;
    (void)object;
    ++*(unsigned *[]){&seen->added, &seen->modified, &seen->deleted}[type];
}

static void on_synced(void *ctx)
{
    ((struct seen *)ctx)->synced++;
}

TEST(a_driven_watch_moves_by_steps_alone)
{
    struct stage s;
    struct seen seen = {0};

    begin(&s, true, 0);
    struct kube_ask q = create(&s, "x");
    assert_int_equal(run(&s, &q), ERR_NONE);
    struct kube_watches *hub = kube_watches_new(s.transport);
    struct kube_watch *w = kube_watch_start(
        hub, &(struct kube_watch_config){
                 .call = {.resource = &maps},
                 .handler = {.event = on_event, .synced = on_synced, .ctx = &seen}});
    assert_int_equal(seen.added, 0);
    int64_t due = kube_watches_step(hub);
    assert_int_equal(seen.added, 1);
    assert_int_equal(seen.synced, 1);
    assert_true(due > START);
    q = create(&s, "y");
    assert_int_equal(run(&s, &q), ERR_NONE);
    q = ask(KUBE_VERB_DELETE, "x");
    assert_int_equal(run(&s, &q), ERR_NONE);
    assert_int_equal(seen.added, 1);
    (void)kube_watches_step(hub);
    assert_int_equal(seen.added, 2);
    assert_int_equal(seen.deleted, 1);
    /* A day of driven time: watches end and begin again, and nothing is missed. */
    for (int64_t until = START + 86400 * NS_PER_SEC; clock_mono() < until;) {
        int64_t store_due = store_step(s.store);
        due = kube_watches_step(hub);
        clock_drive(due < store_due ? due : store_due);
    }
    q = create(&s, "z");
    assert_int_equal(run(&s, &q), ERR_NONE);
    (void)kube_watches_step(hub);
    assert_int_equal(seen.added, 3);
    struct kube_watch_stats stats;
    kube_watch_stats(w, &stats);
    assert_true(stats.watches > 100);
    assert_int_equal(stats.failures, 0);
    kube_watch_stop(w);
    kube_watches_free(hub);
    end(&s);
}

/* ---- A lease, driven: whoever steps it waits as it says. ---- */

TEST(a_driven_lease_changes_hands_when_it_has_run_out)
{
    AUTO_ERR e = {0};
    struct stage s;
    struct lease *one, *two;
    struct lease_config config = {
        .namespace = STR("default"), .name = STR("l"), .identity = STR("one"), .keep = true};

    begin(&s, true, 0);
    assert_ok(lease_new(s.transport, &config, &one, &e), &e);
    config.identity = STR("two");
    assert_ok(lease_new(s.transport, &config, &two, &e), &e);
    for (int i = 0; i < 50; i++) {
        int64_t wait = lease_step(one, &e);
        (void)lease_step(two, NULL);
        assert_true(lease_held(one) && !lease_held(two));
        clock_drive(clock_mono() + wait);
    }
    /* The first one is gone; the second finds out by its own clock. */
    int64_t gone = clock_mono();
    while (!lease_held(two))
        clock_drive(clock_mono() + lease_step(two, NULL));
    assert_false(lease_held(one));
    assert_true(clock_mono() - gone < 30 * NS_PER_SEC);
    lease_free(one);
    lease_free(two);
    end(&s);
}

/* ---- Events. ---- */

TEST(an_event_is_decided_without_a_request)
{
    AUTO_ERR gone = {0};
    struct stage s;
    struct event_call c;
    struct events_stats stats;

    begin(&s, true, 0);
    struct events *ev = events_new(STR("plumb"), STR("host"));
    const struct event event = {.about = json(&s, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                                                  "\"metadata\":{\"name\":\"x\",\"namespace\":"
                                                  "\"default\",\"uid\":\"u\"}}"),
                                .reason = STR("Synced"),
                                .message = STR("well")};
    assert_true(events_decide(ev, s.a, &event, &c));
    assert_int_equal(c.ask.verb, KUBE_VERB_CREATE);
    assert_int_equal(run(&s, &c.ask), ERR_NONE);
    assert_false(events_settle(ev, &c, NULL));
    /* The same again is counted up. */
    assert_true(events_decide(ev, s.a, &event, &c));
    assert_int_equal(c.ask.verb, KUBE_VERB_PATCH);
    assert_int_equal(run(&s, &c.ask), ERR_NONE);
    assert_false(events_settle(ev, &c, NULL));
    /* Counting up what is gone becomes a new one; other failures are the end of it. */
    assert_true(events_decide(ev, s.a, &event, &c));
    err_set(&gone, ERR_NOT_FOUND, "gone");
    assert_true(events_settle(ev, &c, &gone));
    assert_int_equal(c.ask.verb, KUBE_VERB_CREATE);
    clock_drive(clock_now() + NS_PER_SEC);
    err_set(&gone, ERR_IO, "no answer");
    assert_false(events_settle(ev, &c, &gone));
    for (int i = 0; i < 40; i++)
        (void)events_decide(ev, s.a, &event, &c);
    events_stats(ev, &stats);
    assert_int_equal(stats.created, 1);
    assert_int_equal(stats.counted, 1);
    assert_int_equal(stats.dropped, 43 - 25);
    events_free(ev);
    end(&s);
}

RUN_TESTS(cmocka_unit_test(every_verb_with_its_preconditions),
          cmocka_unit_test(a_busy_server_is_asked_again_when_it_says_so),
          cmocka_unit_test(there_is_a_limit_and_what_is_left_is_given_up),
          cmocka_unit_test(what_waits_when_its_term_ends_is_not_sent),
          cmocka_unit_test(who_leads_no_longer_finds_out_before_sending),
          cmocka_unit_test(the_end_of_all_terms_does_not_wait_for_who_rests),
          cmocka_unit_test(threads_take_the_answers_of_hundreds),
          cmocka_unit_test(a_driven_watch_moves_by_steps_alone),
          cmocka_unit_test(a_driven_lease_changes_hands_when_it_has_run_out),
          cmocka_unit_test(an_event_is_decided_without_a_request))
