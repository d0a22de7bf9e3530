/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_current.c - what only current servers have: discovery in one answer, lists as events, strict
 * validation of fields.
 *
 * editions: crds
 * takes: 20 s
 *
 *     KUBECONFIG=DIR/kubeconfig build/release/kube/test_current
 */
#include "live.h"

#include "kube/cache.h"

#define GAUGES 500

static const struct kube_resource *gauges;

static void begin(void)
{
    define_gauges();
    gauges = await_gauges();
    assert_non_null(gauges);
}

static struct value *gauge(struct arena *a, unsigned i, unsigned size)
{
    return json(a, str_z(a, str_fmt(a,
                                    "{\"apiVersion\":\"live.test/v1\",\"kind\":\"Gauge\","
                                    "\"metadata\":{\"name\":\"g%u\"},\"spec\":{\"size\":%u}}",
                                    i, size)));
}

TEST(discovery_is_one_answer)
{
    AUTO_ERR e = {0};
    struct kube_discovery *d;

    assert_ok(kube_discover(transport, arena, NULL, &d, &e), &e);
    assert_true(d->aggregated);
    assert_ok(kube_discovery_complete(d, &e), &e);
    assert_str(kube_kind_exact(d, STR("live.test/v1"), STR("Gauge"))->name, STR("gauges"));
}

TEST(unknown_fields_are_refused_when_asked_for)
{
    AUTO_ERR e = {0};
    const struct kube_call c = {.resource = gauges, .namespace = STR("default")};
    const struct kube_write_options strict = {.field_validation = STR("Strict"), .dry_run = true};
    struct value *v = gauge(arena, 0, 1), *out;

    value_set_int(arena, value_get(v, STR("spec")), STR("sise"), 1);
    assert_false(kube_create(transport, arena, &c, v, &strict, &out, &e));
    assert_int_equal(e.kind, ERR_INVALID);
    assert_true(str_contains(e.text, STR("spec.sise")));
}

static void await_size(struct kube_cache *cache, const char *name, int64_t want)
{
    int64_t got = -1;

    for (int i = 0; i < 20000 && got != want; i++) {
        AUTO_ARENA a = arena_new();
        const struct value *v = kube_cache_get(cache, a, STR("default"), str_c(name));
        if (!value_to_i64(value_get(value_get(v, STR("spec")), STR("size")), &got))
            got = -1;
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    }
    assert_int_equal(got, want);
}

/* The list comes as events of the watch itself: no list is asked for. */
TEST(a_watch_begins_with_all_objects)
{
    AUTO_ERR e = {0};
    const struct kube_call c = {.resource = gauges, .namespace = STR("default")};
    struct kube_call last = c;

    for (unsigned i = 0; i < GAUGES; i++) {
        AUTO_ARENA a = arena_new();
        assert_ok(kube_create(transport, a, &c, gauge(a, i, i), NULL, NULL, &e), &e);
    }
    struct kube_watches *hub = kube_watches_new(transport);
    const struct kube_cache_config config = {.watch = {.call = c}};
    struct kube_cache *cache = kube_cache_new(&config);
    const struct kube_watch_config own = {.call = c, .handler = kube_cache_feed(cache)};
    struct kube_watch *w = kube_watch_start(hub, &own);
    struct kube_cache_stats stats;
    assert_ok(kube_cache_wait(cache, 60 * NS_PER_SEC, &e), &e);
    kube_cache_stats(cache, &stats);
    assert_int_equal(stats.objects, GAUGES);
    struct kube_watch_stats watch;
    kube_watch_stats(w, &watch);
    assert_int_equal(watch.lists, 0);
    assert_int_equal(watch.watches, 1);
    last.name = STR("g7");
    assert_ok(kube_patch(transport, arena, &last, KUBE_MERGE_PATCH,
                         json(arena, "{\"spec\":{\"size\":12345}}"), NULL, NULL, &e),
              &e);
    await_size(cache, "g7", 12345);
    kube_watch_stop(w);
    kube_watches_free(hub);
    kube_cache_stop(cache);
}

LIVE_TESTS(begin, cmocka_unit_test(discovery_is_one_answer),
           cmocka_unit_test(unknown_fields_are_refused_when_asked_for),
           cmocka_unit_test(a_watch_begins_with_all_objects))
