/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of a cluster: what it keeps, what it finds, and that it never goes back in time. */
#include "../test.h"

#include "kube/cache.h"
#include "support/api_server.h"
#include "text/json/json.h"

struct fixture {
    struct arena *a;
    struct kube_cache *cache;
    struct kube_watch_handler feed;
    struct buf log; /* "+a@1", "a@1>2", "-a@2" */
    str passed;     /* the color of the last one that changed */
};

static str version_of(const struct value *v)
{
    return value_get_str(value_get(v, STR("metadata")), STR("resourceVersion"));
}

static str name_of(const struct value *v)
{
    return value_get_str(value_get(v, STR("metadata")), STR("name"));
}

static void on_changed(void *ctx, struct arena *a, const struct kube_before *was,
                       const struct value *after)
{
    struct fixture *f = ctx;
    const struct value *before = was ? kube_before_object(was, a) : NULL;
    str name = name_of(after ? after : before), old = version_of(before), new_ = version_of(after);
    str namespace, same;

    if (was) {
        kube_before_names(was, &namespace, &same);
        assert_str(namespace, value_get_str(value_get(before, STR("metadata")), STR("namespace")));
        assert_str(same, name);
    }
    f->passed = after ? value_get_str(after, STR("color")) : STR_NONE;
    f->passed = str_copy(f->a, f->passed);
    if (before && after)
        buf_fmt(&f->log, "%.*s@%.*s>%.*s ", STR_ARG(name), STR_ARG(old), STR_ARG(new_));
    else
        buf_fmt(&f->log, "%c%.*s@%.*s ", after ? '+' : '-', STR_ARG(name),
                STR_ARG(after ? new_ : old));
}

static void on_failed(void *ctx, const struct err *e, int64_t wait)
{
    struct fixture *f = ctx;

    (void)wait;
    buf_fmt(&f->log, "[%.*s] ", STR_ARG(e->text));
}

static void begin(struct fixture *f, struct kube_cache_config config)
{
    *f = (struct fixture){.a = arena_new()};
    f->log = buf_new(f->a, 1 * MIB);
    config.watch.call.resource = &api_widgets;
    config.handler =
        (struct kube_cache_handler){.changed = on_changed, .failed = on_failed, .ctx = f};
    f->cache = kube_cache_new(&config);
    f->feed = kube_cache_feed(f->cache);
}

static void end(struct fixture *f)
{
    kube_cache_stop(f->cache);
    arena_free(f->a);
}

static void feed(struct fixture *f, enum kube_event type, const char *name, unsigned version,
                 const char *members)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct value *object;
    const struct source src = {
        .text = str_fmt(a,
                        "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"x\",\"resourceVersion\":"
                        "\"%u\"%s}",
                        name, version, members)};

    assert_ok(json_read(a, &src, NULL, &object, &e), &e);
    f->feed.event(f->feed.ctx, a, type, object);
}

static void expect(struct fixture *f, const char *want)
{
    assert_str(buf_str(&f->log), str_c(want));
    buf_truncate(&f->log, 0);
}

TEST(changes_are_told_with_before_and_after)
{
    struct fixture f;
    size_t count;
    begin(&f, (struct kube_cache_config){0});

    f.feed.begin(f.feed.ctx);
    feed(&f, KUBE_ADDED, "a", 5, "}");
    assert_false(kube_cache_synced(f.cache));
    f.feed.synced(f.feed.ctx);
    assert_true(kube_cache_synced(f.cache));
    feed(&f, KUBE_MODIFIED, "a", 6, "}");
    feed(&f, KUBE_ADDED, "b", 7, "}");
    feed(&f, KUBE_DELETED, "b", 8, "}");
    feed(&f, KUBE_DELETED, "c", 9, "}");
    expect(&f, "+a@5 a@5>6 +b@7 -b@7 ");
    kube_cache_all(f.cache, f.a, &count);
    assert_int_equal(count, 1);
    end(&f);
}

TEST(a_cache_of_names_hands_the_object_on_once)
{
    AUTO_ARENA a = arena_new();
    struct fixture f;
    struct kube_cache_stats stats;
    begin(&f, (struct kube_cache_config){.names_only = true});

    feed(&f, KUBE_ADDED, "a", 5, "},\"color\":\"red\"");
    assert_str(f.passed, STR("red"));
    feed(&f, KUBE_ADDED, "b", 6, "},\"color\":\"red\"");
    feed(&f, KUBE_MODIFIED, "b", 6, "},\"color\":\"red\"");
    feed(&f, KUBE_MODIFIED, "b", 7, "},\"color\":\"blue\"");
    expect(&f, "+a@5 +b@6 b@6>7 ");
    struct value *kept = kube_cache_get(f.cache, a, STR("x"), STR("a"));
    assert_str(version_of(kept), STR("5"));
    assert_null(value_get(kept, STR("color")));
    kube_cache_stats(f.cache, &stats);
    assert_int_equal(stats.objects, 2);
    assert_non_null(kube_cache_get(f.cache, a, STR("x"), STR("b")));
    assert_null(kube_cache_get(f.cache, a, STR("y"), STR("b")));
    /* Without a version only the object tells whether it has changed. */
    feed(&f, KUBE_ADDED, "c", 0, "},\"color\":\"red\"");
    feed(&f, KUBE_MODIFIED, "c", 0, "},\"color\":\"red\"");
    feed(&f, KUBE_MODIFIED, "c", 0, "},\"color\":\"blue\"");
    expect(&f, "+c@0 c@0>0 ");
    kube_cache_stats(f.cache, &stats);
    assert_int_equal(stats.objects, 3);
    end(&f);
}

static void keep_manager(void *ctx, struct arena *a, struct value *object)
{
    const struct value *fields =
        value_get(value_get(object, STR("metadata")), STR("managedFields"));

    (void)ctx;
    value_set_str(a, object, STR("manager"), value_get_str(value_at(fields, 0), STR("manager")));
}

TEST(the_caller_trims_before_anything_is_dropped)
{
    AUTO_ARENA a = arena_new();
    struct fixture f;
    begin(&f, (struct kube_cache_config){.trim = keep_manager});

    feed(&f, KUBE_ADDED, "a", 5, ",\"managedFields\":[{\"manager\":\"me\"}]}");
    struct value *kept = kube_cache_get(f.cache, a, STR("x"), STR("a"));
    assert_str(value_get_str(kept, STR("manager")), STR("me"));
    assert_null(value_get(value_get(kept, STR("metadata")), STR("managedFields")));
    end(&f);
}

TEST(it_never_goes_back)
{
    struct fixture f;
    begin(&f, (struct kube_cache_config){0});
    struct kube_cache_stats stats;

    feed(&f, KUBE_ADDED, "a", 10, "}");
    feed(&f, KUBE_MODIFIED, "a", 9, "}");
    feed(&f, KUBE_MODIFIED, "a", 10, "}");
    feed(&f, KUBE_DELETED, "a", 9, "}");
    expect(&f, "+a@10 ");
    kube_cache_stats(f.cache, &stats);
    assert_int_equal(stats.ignored, 3);
    assert_int_equal(stats.changes, 1);
    end(&f);
}

TEST(a_new_list_tells_only_what_is_different)
{
    struct fixture f;
    begin(&f, (struct kube_cache_config){0});

    f.feed.begin(f.feed.ctx);
    feed(&f, KUBE_ADDED, "a", 1, "}");
    feed(&f, KUBE_ADDED, "b", 2, "}");
    feed(&f, KUBE_ADDED, "c", 3, "}");
    f.feed.synced(f.feed.ctx);
    expect(&f, "+a@1 +b@2 +c@3 ");
    f.feed.begin(f.feed.ctx);
    feed(&f, KUBE_ADDED, "a", 1, "}");
    /* The list broke off and begins again. */
    f.feed.begin(f.feed.ctx);
    feed(&f, KUBE_ADDED, "b", 2, "}");
    feed(&f, KUBE_ADDED, "c", 9, "}");
    f.feed.synced(f.feed.ctx);
    expect(&f, "c@3>9 -a@1 ");
    end(&f);
}

static void drop_status(void *ctx, struct arena *a, struct value *object)
{
    (void)ctx;
    (void)a;
    value_unset(object, STR("status"));
}

#define BULKY                                                                                      \
    ",\"managedFields\":[{\"manager\":\"m\"}],\"annotations\":{"                                   \
    "\"kubectl.kubernetes.io/last-applied-configuration\":\"{}\"%s}},\"status\":{\"x\":1}"

static str kept(const struct kube_cache_config *config, const char *more)
{
    struct fixture f;
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    static char out[512];
    struct buf b = buf_new(a, sizeof(out));

    begin(&f, *config);
    feed(&f, KUBE_ADDED, "a", 1, str_z(a, str_fmt(a, BULKY, more)));
    struct value *v = kube_cache_get(f.cache, a, STR("x"), STR("a"));
    assert_ok(json_write(&b, v, &json_exact, &e), &e);
    for (size_t i = 0; i < b.len; i++)
        out[i] = b.data[i];
    end(&f);
    return str_of(out, b.len);
}

/* Some objects have no version, and some versions are no numbers: the object itself decides. */
TEST(without_versions_only_differences_are_told)
{
    static const char *const versions[] = {"", "\"resourceVersion\":\"abc\","};

    for (size_t i = 0; i < COUNT(versions); i++) {
        struct fixture f;
        begin(&f, (struct kube_cache_config){0});
        for (int round = 0; round < 3; round++) {
            f.feed.begin(f.feed.ctx);
            for (int k = 0; k < 2; k++) {
                AUTO_ARENA a = arena_new();
                AUTO_ERR e = {0};
                struct value *object;
                const struct source src = {
                    .text = str_fmt(a, "{\"metadata\":{%s\"name\":\"%c\"},\"n\":%d}", versions[i],
                                    "ab"[k], k && round == 2)};
                assert_ok(json_read(a, &src, NULL, &object, &e), &e);
                f.feed.event(f.feed.ctx, a, KUBE_ADDED, object);
            }
            f.feed.synced(f.feed.ctx);
        }
        expect(&f, i ? "+a@abc +b@abc b@abc>abc " : "+a@ +b@ b@> ");
        end(&f);
    }
}

TEST(objects_are_trimmed_as_asked)
{
    assert_str(kept(&(struct kube_cache_config){0}, ""),
               STR("{\"metadata\":{\"name\":\"a\",\"namespace\":\"x\",\"resourceVersion\":\"1\"},"
                   "\"status\":{\"x\":1}}"));
    assert_str(kept(&(struct kube_cache_config){.trim = drop_status}, ",\"k\":\"v\""),
               STR("{\"metadata\":{\"name\":\"a\",\"namespace\":\"x\",\"resourceVersion\":\"1\","
                   "\"annotations\":{\"k\":\"v\"}}}"));
    assert_true(str_contains(
        kept(&(struct kube_cache_config){.keep_managed_fields = true, .keep_last_applied = true},
             ""),
        STR("\"managedFields\":[{\"manager\":\"m\"}],\"annotations\":{\"kubectl")));
}

TEST(a_full_cache_says_so_once)
{
    struct fixture f;
    begin(&f, (struct kube_cache_config){.bytes_max = 130});

    feed(&f, KUBE_ADDED, "a", 1, "}");
    feed(&f, KUBE_ADDED, "b", 2, "}");
    feed(&f, KUBE_ADDED, "c", 3, "}");
    feed(&f, KUBE_MODIFIED, "a", 4, "}");
    expect(&f, "+a@1 [the cache of widgets is full: more than 130 bytes] a@1>4 ");
    end(&f);
}

static bool count_one(void *ctx, struct arena *a, struct value *object)
{
    (void)a;
    (void)object;
    return ++*(size_t *)ctx < 3;
}

struct comparing {
    struct kube_cache *cache;
    size_t count;
    bool differs;
};

static bool compare_one(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    struct comparing *c = ctx;

    (void)e;
    c->count++;
    c->differs |= !value_equal(item, kube_cache_get(c->cache, a, STR("x"), name_of(item)));
    return true;
}

static bool equals_server(struct api_server *api, struct kube_cache *cache)
{
    AUTO_ERR e = {0};
    const struct kube_call all = {.resource = &api_widgets};
    struct comparing c = {.cache = cache};
    struct kube_cache_stats stats;

    assert_ok(kube_list(api_transport(api), &all, NULL, compare_one, &c, NULL, NULL, &e), &e);
    kube_cache_stats(cache, &stats);
    return !c.differs && c.count == stats.objects;
}

/* Against a server: a thousand changes, watches cut, versions forgotten. */
TEST(it_equals_the_server_in_the_end)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct api_server *api = api_start();
    struct kube_watches *hub = kube_watches_new(api_transport(api));
    struct kube_cache_config config = {.watch = {.call = {.resource = &api_widgets},
                                                 .page = 7,
                                                 .pause = NS_PER_MS,
                                                 .pause_max = 2 * NS_PER_MS}};
    struct kube_cache *cache = kube_cache_start(hub, &config);
    size_t seen = 0;

    assert_ok(kube_cache_wait(cache, 60 * NS_PER_SEC, &e), &e);
    for (unsigned i = 0; i < 1000; i++) {
        const char *name = str_z(a, str_fmt(a, "w%u", i % 37));
        if (i % 5 == 4)
            api_delete(api, "x", name);
        else
            api_put(api, "x", name, NULL);
        if (i % 100 == 50)
            api_end_watches(api, i % 200 == 50);
        if (i % 300 == 250)
            api_compact(api);
    }
    uint64_t last = api_put(api, "x", "last", NULL);
    /* While it lists again, what is gone is still there; only the end counts. */
    bool equal = false;
    for (int i = 0; i < 10000 && !equal; i++) {
        equal = equals_server(api, cache);
        nanosleep(&(struct timespec){.tv_nsec = 5 * NS_PER_MS}, NULL);
    }
    assert_true(equal);
    assert_str(version_of(kube_cache_get(cache, a, STR("x"), STR("last"))),
               str_fmt(a, "%llu", (unsigned long long)last));
    kube_cache_each(cache, count_one, &seen);
    assert_int_equal(seen, 3);
    kube_cache_stop(cache);
    kube_watches_free(hub);
    api_stop(api);
}

TEST(waiting_for_a_list_that_fails_says_why)
{
    AUTO_ERR e = {0};
    struct api_server *api = api_start();
    struct kube_watches *hub = kube_watches_new(api_transport(api));
    struct kube_cache_config config = {
        .watch = {.call = {.resource = &api_widgets}, .lists_only = true}};

    api_answer(api, "/apis/example.com", 403, "application/json",
               "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Forbidden\",\"code\":403,"
               "\"message\":\"widgets is forbidden\"}");
    struct kube_cache *cache = kube_cache_start(hub, &config);
    /* Until the answer is there, only time runs out. */
    for (int i = 0; i < 600 && e.kind != ERR_DENIED; i++) {
        err_clear(&e);
        assert_false(kube_cache_wait(cache, 100 * NS_PER_MS, &e));
    }
    assert_str(e.text, STR("widgets is forbidden"));
    assert_int_equal(e.kind, ERR_DENIED);
    kube_cache_stop(cache);
    kube_watches_free(hub);
    api_stop(api);
}

RUN_TESTS(cmocka_unit_test(changes_are_told_with_before_and_after),
          cmocka_unit_test(it_never_goes_back),
          cmocka_unit_test(a_cache_of_names_hands_the_object_on_once),
          cmocka_unit_test(the_caller_trims_before_anything_is_dropped),
          cmocka_unit_test(a_new_list_tells_only_what_is_different),
          cmocka_unit_test(without_versions_only_differences_are_told),
          cmocka_unit_test(objects_are_trimmed_as_asked),
          cmocka_unit_test(a_full_cache_says_so_once),
          cmocka_unit_test(it_equals_the_server_in_the_end),
          cmocka_unit_test(waiting_for_a_list_that_fails_says_why))
