/* SPDX-License-Identifier: Apache-2.0 */
/* Leaders, one at a time; and Events, few at a time. */
#include "../test.h"

#include "kube/lease.h"
#include "support/api_server.h"
#include "support/events_wait.h"
#include "text/json/json.h"

#define START INT64_C(1772694489123456789)
#define LEASES "/apis/coordination.k8s.io/v1/namespaces/x/leases"

static struct api_server *api;
static struct arena *arena;

static int begin(void **state)
{
    (void)state;
    clock_fake(START);
    random_fake(1);
    api = api_start();
    arena = arena_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    api_stop(api);
    clock_real();
    random_real();
    return 0;
}

static struct lease *lease_of(const char *identity)
{
    const struct lease_config config = {
        .namespace = STR("x"), .name = STR("l"), .identity = str_c(identity)};
    AUTO_ERR e = {0};
    struct lease *l;

    assert_ok(lease_new(api_transport(api), &config, &l, &e), &e);
    return l;
}

static str record(void)
{
    static const struct kube_resource leases = {.group = STR_INIT("coordination.k8s.io"),
                                                .version = STR_INIT("v1"),
                                                .name = STR_INIT("leases")};
    const struct kube_call c = {.resource = &leases, .namespace = STR("x"), .name = STR("l")};
    struct buf b = buf_new(arena, 64 * KIB);
    AUTO_ERR e = {0};
    struct value *v;

    assert_ok(kube_get(api_transport(api), arena, &c, &v, &e), &e);
    assert_ok(json_write(&b, value_get(v, STR("spec")), &json_go, &e), &e);
    return buf_str(&b);
}

TEST(the_first_one_leads_and_leaves_client_gos_record)
{
    struct lease *a = lease_of("a"), *b = lease_of("b");
    AUTO_ERR e = {0};

    assert_int_equal(lease_step(a, &e), 2 * NS_PER_SEC);
    assert_true(lease_held(a));
    assert_str(record(),
               STR("{\"acquireTime\":\"2026-03-05T07:08:09.123456Z\",\"holderIdentity\":\"a\","
                   "\"leaseDurationSeconds\":15,\"leaseTransitions\":0,\"renewTime\":"
                   "\"2026-03-05T07:08:09.123456Z\"}"));
    assert_true(lease_step(b, &e) >= 2 * NS_PER_SEC);
    assert_false(lease_held(b));
    assert_str(e.text, STR("the lease is held by a"));
    clock_advance(2 * NS_PER_SEC);
    lease_step(a, &e);
    assert_str(record(),
               STR("{\"acquireTime\":\"2026-03-05T07:08:09.123456Z\",\"holderIdentity\":\"a\","
                   "\"leaseDurationSeconds\":15,\"leaseTransitions\":0,\"renewTime\":"
                   "\"2026-03-05T07:08:11.123456Z\"}"));
    lease_free(a);
    lease_free(b);
}

TEST(a_dead_leader_is_followed_after_the_duration)
{
    struct lease *a = lease_of("a"), *b = lease_of("b");

    lease_step(a, NULL);
    lease_step(b, NULL);
    clock_advance(14 * NS_PER_SEC);
    lease_step(b, NULL);
    assert_false(lease_held(b));
    clock_advance(2 * NS_PER_SEC);
    /* As after SIGSTOP and SIGCONT: the old one knows before it asks. */
    assert_false(lease_held(a));
    lease_step(b, NULL);
    assert_true(lease_held(b));
    assert_true(str_contains(record(), STR("\"leaseTransitions\":1")));
    lease_step(a, NULL);
    assert_false(lease_held(a));
    assert_true(lease_held(b));
    lease_free(a);
    lease_free(b);
}

TEST(a_leader_without_a_server_gives_up_at_the_deadline)
{
    struct lease *a = lease_of("a");
    AUTO_ERR e = {0};

    lease_step(a, &e);
    for (int i = 0; i < 12; i++)
        api_answer(api, LEASES, 500, "text/plain", "down");
    for (int i = 0; i < 4; i++) {
        clock_advance(2 * NS_PER_SEC);
        lease_step(a, &e);
        assert_true(lease_held(a));
        assert_int_equal(e.kind, ERR_IO);
    }
    clock_advance(2 * NS_PER_SEC);
    lease_step(a, &e);
    assert_false(lease_held(a));
    clock_advance(2 * NS_PER_SEC);
    for (int i = 0; i < 12 && !lease_held(a); i++)
        lease_step(a, &e);
    assert_true(lease_held(a));
    lease_free(a);
}

/* Who is told of changes by lease_run is told when the deadline is over, not some time later. */
TEST(a_leader_looks_at_the_deadline_whatever_the_pause)
{
    const struct lease_config config = {.namespace = STR("x"),
                                        .name = STR("l"),
                                        .identity = STR("a"),
                                        .duration = 11 * NS_PER_SEC,
                                        .deadline = 10 * NS_PER_SEC,
                                        .retry = 7 * NS_PER_SEC};
    AUTO_ERR e = {0};
    struct lease *a;

    assert_ok(lease_new(api_transport(api), &config, &a, &e), &e);
    assert_int_equal(lease_step(a, &e), 7 * NS_PER_SEC);
    for (int i = 0; i < 12; i++)
        api_answer(api, LEASES, 500, "text/plain", "down");
    clock_advance(7 * NS_PER_SEC);
    assert_int_equal(lease_step(a, &e), 3 * NS_PER_SEC);
    assert_true(lease_held(a));
    clock_advance(3 * NS_PER_SEC);
    assert_true(lease_step(a, &e) >= 7 * NS_PER_SEC);
    assert_false(lease_held(a));
    lease_free(a);
}

/* The answer to a renewal was lost: what we know is older than what the server has. */
TEST(a_lease_is_given_back_after_a_lost_answer_too)
{
    struct lease *a = lease_of("a"), *b = lease_of("b");

    lease_step(a, NULL);
    lease_step(b, NULL);
    /* Another process of the same identity, as far as the server can tell. */
    struct lease *same = lease_of("a");
    lease_step(same, NULL);
    lease_release(a);
    assert_true(str_contains(record(), STR("\"holderIdentity\":\"\"")));
    lease_step(b, NULL);
    assert_true(lease_held(b));
    /* But what is somebody else's now stays. */
    lease_step(same, NULL);
    lease_release(same);
    assert_true(str_contains(record(), STR("\"holderIdentity\":\"b\"")));
    lease_free(a);
    lease_free(b);
    lease_free(same);
}

TEST(a_lease_that_is_given_back_is_free_at_once)
{
    struct lease *a = lease_of("a"), *b = lease_of("b");

    lease_step(a, NULL);
    lease_step(b, NULL);
    lease_release(a);
    assert_false(lease_held(a));
    assert_true(str_contains(record(), STR("\"holderIdentity\":\"\",\"leaseDurationSeconds\":1")));
    lease_step(b, NULL);
    assert_true(lease_held(b));
    lease_free(a);
    lease_free(b);
}

TEST(a_lost_race_is_not_won)
{
    struct lease *a = lease_of("a");

    api_answer(api, LEASES "/l", 404, "application/json",
               "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\"}");
    api_answer(api, LEASES, 409, "application/json",
               "{\"kind\":\"Status\",\"code\":409,\"reason\":\"AlreadyExists\"}");
    lease_step(a, NULL);
    assert_false(lease_held(a));
    lease_free(a);
}

TEST(times_that_do_not_fit_are_refused)
{
    static const int64_t times[][3] = {{10, 10, 2}, {15, 2, 2}, {15, 10, -1}};

    for (size_t i = 0; i < COUNT(times); i++) {
        const struct lease_config config = {.namespace = STR("x"),
                                            .name = STR("l"),
                                            .identity = STR("i"),
                                            .duration = times[i][0] * NS_PER_SEC,
                                            .deadline = times[i][1] * NS_PER_SEC,
                                            .retry = times[i][2] * NS_PER_SEC};
        AUTO_ERR e = {0};
        struct lease *l;
        assert_false(lease_new(api_transport(api), &config, &l, &e));
        assert_int_equal(e.kind, ERR_INVALID);
    }
}

/* ---- Events --------------------------------------------------------------------------------- */

static struct value *object(void)
{
    const struct source src = {
        .text = STR("{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":"
                    "\"w\",\"namespace\":\"x\",\"uid\":\"u\"}}")};
    AUTO_ERR e = {0};
    struct value *v = NULL;

    assert_ok(json_read(arena, &src, NULL, &v, &e), &e);
    return v;
}

static void say(struct events *ev, str message)
{
    const struct event event = {.about = object(), .reason = STR("R"), .message = message};
    AUTO_ERR e = {0};

    assert_ok(events_wait_send(ev, api_transport(api), &event, &e), &e);
}

TEST(the_same_event_is_counted)
{
    struct events *ev = events_new(STR("plumb"), STR("host"));

    for (int i = 0; i < 3; i++)
        say(ev, STR("m"));
    assert_str(api_requests(api, arena, false),
               STR("POST /api/v1/namespaces/x/events\n"
                   "PATCH /api/v1/namespaces/x/events/w.1899e03ee77f0715\n"
                   "PATCH /api/v1/namespaces/x/events/w.1899e03ee77f0715\n"));
    /* The server has dropped it: it is made again. */
    api_answer(api, "/api/v1/namespaces/x/events/w", 404, "application/json",
               "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\"}");
    clock_advance(NS_PER_SEC);
    say(ev, STR("m"));
    struct events_stats stats;
    events_stats(ev, &stats);
    assert_int_equal(stats.created, 2);
    assert_int_equal(stats.counted, 2);
    events_free(ev);
}

TEST(floods_are_combined_and_then_dropped)
{
    struct events *ev = events_new(STR("plumb"), STR("host"));
    struct events_stats stats;

    for (int i = 0; i < 40; i++) {
        clock_advance(NS_PER_MS);
        say(ev, str_fmt(arena, "message %d", i));
    }
    events_stats(ev, &stats);
    assert_int_equal(stats.created, 11);
    assert_int_equal(stats.counted, 14);
    assert_int_equal(stats.dropped, 15);
    clock_advance(300 * NS_PER_SEC);
    say(ev, STR("message 1"));
    say(ev, STR("message 1"));
    events_stats(ev, &stats);
    assert_int_equal(stats.counted, 15);
    assert_int_equal(stats.dropped, 16);
    events_free(ev);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
RUN_TESTS(CASE(the_first_one_leads_and_leaves_client_gos_record),
          CASE(a_dead_leader_is_followed_after_the_duration),
          CASE(a_leader_without_a_server_gives_up_at_the_deadline),
          CASE(a_leader_looks_at_the_deadline_whatever_the_pause),
          CASE(a_lease_is_given_back_after_a_lost_answer_too),
          CASE(a_lease_that_is_given_back_is_free_at_once), CASE(a_lost_race_is_not_won),
          CASE(times_that_do_not_fit_are_refused), CASE(the_same_event_is_counted),
          CASE(floods_are_combined_and_then_dropped))
