/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_live.c - src/kube against a real control plane: the one that KUBECONFIG names, which is
 * changed: objects are made in a namespace of their own.
 *
 * editions: full
 * takes: 25 s
 *
 *     KUBECONFIG=DIR/kubeconfig build/release/kube/test_live
 */
#include "live.h"

#include "kube/cache.h"
#include "kube/lease.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#define SPACE STR("plumb-live")
#define WRITERS_CHANGES 300
#define OBJECTS 2000

static struct kube_discovery *discovery;
static const struct kube_resource *maps;

static void begin(void)
{
    AUTO_ERR e = {0};
    const struct kube_resource namespaces = {
        .version = STR("v1"), .name = STR("namespaces"), .kind = STR("Namespace")};
    const struct kube_call c = {.resource = &namespaces};

    assert_ok(kube_discover(transport, arena, NULL, &discovery, &e), &e);
    maps = kube_resource_find(discovery, STR("cm"));
    assert_non_null(maps);
    if (!kube_create(transport, arena, &c, json(arena, "{\"metadata\":{\"name\":\"plumb-live\"}}"),
                     NULL, NULL, &e))
        assert_int_equal(e.kind, ERR_EXISTS);
}

static struct value *map_of(struct arena *a, unsigned i, unsigned value)
{
    return json(a, str_z(a, str_fmt(a,
                                    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                    "\"name\":\"m%u\",\"labels\":{\"half\":\"%u\"}},\"data\":{"
                                    "\"v\":\"%u\"}}",
                                    i, i % 2, value)));
}

static struct kube_call call_of(struct arena *a, unsigned i)
{
    return (struct kube_call){.resource = maps, .namespace = SPACE, .name = str_fmt(a, "m%u", i)};
}

TEST(discovery_knows_the_builtin_kinds)
{
    AUTO_ERR e = {0};

    assert_ok(kube_discovery_complete(discovery, &e), &e);
    assert_str(kube_kind_find(discovery, STR("Deployment"), STR_NONE, STR_NONE)->group,
               STR("apps"));
    assert_str(kube_resource_find(discovery, STR("deploy"))->name, STR("deployments"));
    assert_true(kube_kind_exact(discovery, STR("v1"), STR("Pod"))->namespaced);
    assert_false(kube_kind_exact(discovery, STR("v1"), STR("Node"))->namespaced);
}

static bool count_item(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    (void)a;
    (void)e;
    assert_str(value_get_str(item, STR("kind")), STR("ConfigMap"));
    assert_str(value_get_str(item, STR("apiVersion")), STR("v1"));
    ++*(size_t *)ctx;
    return true;
}

TEST(two_thousand_objects_are_listed_in_pages)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct kube_call all = {.resource = maps, .namespace = SPACE};
    struct kube_list_meta meta;
    size_t count = 0;

    for (unsigned i = 0; i < OBJECTS; i++) {
        if (!kube_create(transport, a, &all, map_of(a, i, 0), NULL, NULL, &e))
            assert_int_equal(e.kind, ERR_EXISTS);
        arena_reset(a);
    }
    const struct kube_list_options o = {.limit = 300, .labels = STR("half")};
    assert_ok(kube_list(transport, &all, &o, count_item, &count, a, &meta, &e), &e);
    assert_int_equal(count, OBJECTS);
    assert_int_equal(meta.pages, 7);
    const struct kube_list_options half = {.labels = STR("half=1")};
    count = 0;
    assert_ok(kube_list(transport, &all, &half, count_item, &count, a, &meta, &e), &e);
    assert_int_equal(count, OBJECTS / 2);
}

TEST(patches_of_all_kinds_are_applied)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct kube_call c = call_of(a, 1);
    const struct kube_write_options mine = {.field_manager = STR("plumb"), .force = true};
    struct value *v;

    assert_ok(kube_patch(transport, a, &c, KUBE_MERGE_PATCH, json(a, "{\"data\":{\"m\":\"1\"}}"),
                         NULL, &v, &e),
              &e);
    assert_ok(kube_patch(transport, a, &c, KUBE_JSON_PATCH,
                         json(a, "[{\"op\":\"add\",\"path\":\"/data/j\",\"value\":\"2\"}]"), NULL,
                         &v, &e),
              &e);
    assert_ok(kube_patch(transport, a, &c, KUBE_APPLY_PATCH,
                         json(a, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                 "\"name\":\"m1\"},\"data\":{\"s\":\"3\"}}"),
                         &mine, &v, &e),
              &e);
    const struct value *data = value_get(v, STR("data"));
    assert_str(value_get_str(data, STR("m")), STR("1"));
    assert_str(value_get_str(data, STR("j")), STR("2"));
    assert_str(value_get_str(data, STR("s")), STR("3"));
    value_set_str(a, value_get(v, STR("metadata")), STR("resourceVersion"), STR("1"));
    assert_false(kube_update(transport, a, &c, v, NULL, NULL, &e));
    assert_int_equal(e.kind, ERR_CONFLICT);
}

/* ---- Watching ------------------------------------------------------------------------------- */

struct seen {
    uint64_t last[OBJECTS]; /* versions, by number of the object */
    _Atomic uint64_t events;
    bool back;
};

static void on_changed(void *ctx, struct arena *a, const struct kube_before *before,
                       const struct value *after)
{
    struct seen *s = ctx;
    const struct value *meta = value_get(after, STR("metadata"));
    uint64_t number, version;

    (void)a;
    (void)before;
    if (!str_to_u64(str_from(value_get_str(meta, STR("name")), 1), &number) || number >= OBJECTS ||
        !str_to_u64(value_get_str(meta, STR("resourceVersion")), &version))
        return;
    s->back |= version <= s->last[number];
    s->last[number] = version;
    s->events++;
}

/* Answers whether the server was away for a while. */
static bool write_map(unsigned number, unsigned value)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct kube_call c = call_of(a, number);

    for (int i = 0; i < 600; i++) {
        if (kube_update(transport, a, &c, map_of(a, number, value), NULL, NULL, &e))
            return i > 0;
        nanosleep(&(struct timespec){.tv_nsec = 100 * NS_PER_MS}, NULL);
    }
    assert_ok(false, &e);
    return true;
}

static void await_value(struct kube_cache *cache, unsigned number, unsigned value)
{
    AUTO_ARENA a = arena_new();
    str want = str_fmt(a, "%u", value), got = STR_NONE;

    for (int i = 0; i < 60000 && !str_eq(got, want); i++) {
        const struct value *v = kube_cache_get(cache, a, SPACE, str_fmt(a, "m%u", number));
        got = value_get_str(value_get(v, STR("data")), STR("v"));
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    }
    assert_str(got, want);
}

TEST(a_cache_follows_every_change)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct seen *seen = ARENA_NEW(arena, struct seen);
    struct kube_watches *hub = kube_watches_new(transport);
    const struct kube_cache_config config = {
        .watch = {.call = {.resource = maps, .namespace = SPACE}, .labels = STR("half")},
        .handler = {.changed = on_changed, .ctx = seen}};
    struct kube_cache *cache = kube_cache_start(hub, &config);
    struct value *v = NULL;

    assert_ok(kube_cache_wait(cache, 60 * NS_PER_SEC, &e), &e);
    assert_int_equal(seen->events, OBJECTS);
    bool restarted = false;
    for (unsigned i = 0; i < WRITERS_CHANGES; i++)
        restarted |= write_map(i % 10, i + 1);
    for (unsigned i = 0; i < 10; i++)
        await_value(cache, i, WRITERS_CHANGES - 9 + i);
    /* A server that comes back has forgotten old versions: what happened meanwhile is one change.
     */
    if (!restarted)
        assert_int_equal(seen->events, OBJECTS + WRITERS_CHANGES);
    assert_false(seen->back);
    print_message("%s, %llu of %d changes seen one by one\n",
                  restarted ? "restarted" : "undisturbed",
                  (unsigned long long)(seen->events - OBJECTS), WRITERS_CHANGES);
    struct kube_cache_stats stats;
    kube_cache_stats(cache, &stats);
    assert_int_equal(stats.objects, OBJECTS);
    v = kube_cache_get(cache, a, SPACE, STR("m9"));
    assert_str(value_get_str(value_get(v, STR("data")), STR("v")),
               str_fmt(a, "%d", WRITERS_CHANGES));
    assert_null(value_get(value_get(v, STR("metadata")), STR("managedFields")));
    kube_cache_stop(cache);
    kube_watches_free(hub);
}

TEST(metadata_alone_can_be_watched)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct kube_watches *hub = kube_watches_new(transport);
    const struct kube_cache_config config = {
        .watch = {.call = {.resource = maps, .namespace = SPACE, .metadata_only = true}}};
    struct kube_cache *cache = kube_cache_start(hub, &config);

    assert_ok(kube_cache_wait(cache, 60 * NS_PER_SEC, &e), &e);
    const struct value *v = kube_cache_get(cache, a, SPACE, STR("m9"));
    assert_str(value_get_str(v, STR("kind")), STR("ConfigMap"));
    assert_null(value_get(v, STR("data")));
    kube_cache_stop(cache);
    kube_watches_free(hub);
}

/* ---- Connections ---------------------------------------------------------------------------- */

/* Sockets of this process that lead to the port of the server. */
static unsigned connections(void)
{
    str server = kube_transport_config(transport)->server;
    uint64_t port;
    unsigned count = 0;

    assert_true(str_to_u64(str_from(server, str_rfind_char(server, ':') + 1), &port));
    for (int fd = 0; fd < 1024; fd++) {
        struct sockaddr_in peer = {0};
        socklen_t len = sizeof(peer);
        if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 && ntohs(peer.sin_port) == port)
            count++;
    }
    return count;
}

#define WATCHES 20
#define STARTS 50

/*
 * A watch uses the connection of its list. Repeated, because pages of a long list that shared
 * one HTTP/2 connection stopped now and then.
 */
static void start_watches(void)
{
    AUTO_ERR e = {0};
    struct kube_transport *own = connect_as(STR_NONE);
    struct kube_watches *hub = kube_watches_new(own);
    struct kube_cache *caches[WATCHES];
    unsigned before = connections();

    for (unsigned i = 0; i < WATCHES; i++) {
        const struct kube_cache_config config = {
            .watch = {.call = {.resource = maps, .namespace = SPACE, .metadata_only = true},
                      .labels = i ? STR("half=none") : STR_NONE}};
        caches[i] = kube_cache_start(hub, &config);
    }
    for (unsigned i = 0; i < WATCHES; i++) {
        struct kube_cache_stats stats;
        assert_ok(kube_cache_wait(caches[i], 30 * NS_PER_SEC, &e), &e);
        kube_cache_stats(caches[i], &stats);
        /* The cluster adds one of its own. */
        assert_true(i ? stats.objects == 0 : stats.objects >= OBJECTS);
    }
    assert_true(connections() - before <= WATCHES);
    for (unsigned i = 0; i < WATCHES; i++)
        kube_cache_stop(caches[i]);
    kube_watches_free(hub);
    kube_transport_free(own);
}

TEST(many_watches_start_at_once_with_a_connection_each)
{
    for (unsigned i = 0; i < STARTS; i++)
        start_watches();
}

TEST(requests_one_after_the_other_share_one_connection)
{
    AUTO_ERR e = {0};
    struct kube_transport *own = connect_as(STR_NONE);
    unsigned before = connections();

    for (unsigned i = 1; i < 20; i++) {
        AUTO_ARENA a = arena_new();
        const struct kube_call c = call_of(a, i);
        struct value *v;
        assert_ok(kube_get(own, a, &c, &v, &e), &e);
    }
    assert_int_equal(connections() - before, 1);
    kube_transport_free(own);
}

/* ---- Custom resources ----------------------------------------------------------------------- */

TEST(custom_resources_are_defined_and_used)
{
    AUTO_ERR e = {0};
    struct value *v;

    define_gauges();
    const struct kube_resource *gauges = await_gauges();
    assert_non_null(gauges);
    assert_str(gauges->kind, STR("Gauge"));
    assert_true(gauges->namespaced);
    struct kube_call c = {.resource = gauges, .namespace = SPACE};
    struct value *gauge = json(arena, "{\"apiVersion\":\"live.test/v1\",\"kind\":\"Gauge\","
                                      "\"metadata\":{\"name\":\"g\"},\"spec\":{\"size\":-1}}");
    assert_false(kube_create(transport, arena, &c, gauge, NULL, &v, &e));
    assert_int_equal(e.kind, ERR_INVALID);
    assert_true(str_contains(e.text, STR("spec.size")));
    err_clear(&e);
    value_set_int(arena, value_get(gauge, STR("spec")), STR("size"), 3);
    assert_ok(kube_create(transport, arena, &c, gauge, NULL, &v, &e), &e);
    c.name = STR("g");
    c.subresource = STR("status");
    assert_ok(kube_patch(transport, arena, &c, KUBE_MERGE_PATCH,
                         json(arena, "{\"status\":{\"level\":7},\"spec\":{\"size\":9}}"), NULL, &v,
                         &e),
              &e);
    c.subresource = STR_NONE;
    assert_ok(kube_get(transport, arena, &c, &v, &e), &e);
    int64_t size = 0, level = 0;
    assert_true(value_to_i64(value_get(value_get(v, STR("spec")), STR("size")), &size));
    assert_true(value_to_i64(value_get(value_get(v, STR("status")), STR("level")), &level));
    assert_int_equal(size, 3);
    assert_int_equal(level, 7);
    assert_ok(kube_delete(transport, arena, &c, NULL, &v, &e), &e);
}

/* ---- Rights and leaders --------------------------------------------------------------------- */

TEST(a_denial_says_who_may_not_do_what)
{
    AUTO_ERR e = {0};
    struct kube_transport *other = connect_as(STR("jane"));
    struct kube_status status = {0};
    const struct kube_call c = {.resource = maps, .status = &status};
    size_t count = 0;

    assert_false(kube_list(other, &c, NULL, count_item, &count, arena, NULL, &e));
    assert_int_equal(e.kind, ERR_DENIED);
    assert_str(e.text, STR("configmaps is forbidden: User \"jane\" cannot list resource "
                           "\"configmaps\" in API group \"\" at the cluster scope"));
    kube_transport_free(other);
}

TEST(a_lease_passes_from_one_to_the_other)
{
    AUTO_ERR e = {0};
    const struct lease_config first = {
        .namespace = SPACE, .name = STR("l"), .identity = STR("first")};
    const struct lease_config second = {
        .namespace = SPACE, .name = STR("l"), .identity = STR("second")};
    struct lease *a, *b;

    assert_ok(lease_new(transport, &first, &a, &e), &e);
    assert_ok(lease_new(transport, &second, &b, &e), &e);
    lease_step(a, &e);
    assert_ok(lease_held(a), &e);
    lease_step(b, NULL);
    assert_false(lease_held(b));
    lease_release(a);
    lease_step(b, &e);
    assert_ok(lease_held(b), &e);
    lease_release(b);
    lease_free(a);
    lease_free(b);
}

TEST(deleting_is_deleting)
{
    AUTO_ERR e = {0};
    const struct kube_call c = call_of(arena, 0);
    const struct kube_delete_options o = {.propagation = STR("Background")};
    struct value *v;

    assert_ok(kube_delete(transport, arena, &c, &o, &v, &e), &e);
    assert_false(kube_get(transport, arena, &c, &v, &e));
    assert_int_equal(e.kind, ERR_NOT_FOUND);
    assert_str(e.text, STR("configmaps \"m0\" not found"));
}

LIVE_TESTS(begin, cmocka_unit_test(discovery_knows_the_builtin_kinds),
           cmocka_unit_test(two_thousand_objects_are_listed_in_pages),
           cmocka_unit_test(patches_of_all_kinds_are_applied),
           cmocka_unit_test(a_cache_follows_every_change),
           cmocka_unit_test(metadata_alone_can_be_watched),
           cmocka_unit_test(many_watches_start_at_once_with_a_connection_each),
           cmocka_unit_test(requests_one_after_the_other_share_one_connection),
           cmocka_unit_test(custom_resources_are_defined_and_used),
           cmocka_unit_test(a_denial_says_who_may_not_do_what),
           cmocka_unit_test(a_lease_passes_from_one_to_the_other),
           cmocka_unit_test(deleting_is_deleting))
