/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_kube.c - lists into the cache: bytes of memory per byte of JSON, CPU per object.
 *
 * The list is that of custom resources of 4 KB each, managed fields included, as a server sends it:
 * 10,000 of them in 0.5 s are 82 MB/s; 2 KiB of 4 KB are 0.5 bytes per byte. The last row is the
 * CPU of 10,000 events that each change one of them.
 */
#include "bench.h"

#include "kube/cache.h"
#include "kube/items_internal.h"
#include "text/json/json.h"

#define OBJECTS 10000
#define OBJECT_SIZE 4096

static const struct kube_resource widgets = {.group = STR_INIT("example.com"),
                                             .version = STR_INIT("v1"),
                                             .name = STR_INIT("widgets"),
                                             .kind = STR_INIT("Widget"),
                                             .namespaced = true};
static const struct kube_call call = {.resource = &widgets};

struct task {
    str list;
    size_t cached; /* bytes of the cache when it holds the list */
    struct arena *item;
    struct kube_cache *cache;
    str *events;
};

static void add_managed(struct buf *b)
{
    buf_add(b, STR(",\"managedFields\":[{\"manager\":\"controller\",\"operation\":\"Update\","
                   "\"apiVersion\":\"example.com/v1\",\"time\":\"2026-03-05T07:08:09Z\","
                   "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:spec\":{\".\":{}"));
    for (int i = 0; i < 20; i++)
        buf_fmt(b, ",\"f:property%d\":{\".\":{},\"f:value\":{}}", i);
    buf_add(b, STR("}}}]"));
}

/* Unlike in what differs between objects: names, identifiers, addresses, numbers. */
static str make_object(struct arena *a, unsigned n, unsigned version)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&b,
            "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":"
            "\"widget-%u\",\"namespace\":\"team-%u\",\"uid\":\"%08x-1234-4321-8765-%012x\","
            "\"resourceVersion\":\"%u\",\"generation\":3,\"creationTimestamp\":"
            "\"2026-03-05T07:08:09Z\",\"labels\":{\"app\":\"web-%u\",\"tier\":\"frontend\"},"
            "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Owner\",\"name\":\"o-%u\","
            "\"uid\":\"%08x-0000-4000-8000-000000000000\",\"controller\":true}]",
            n, n % 50, n * 2654435761U, n, version, n, n / 10, n / 10);
    add_managed(&b);
    buf_add(&b, STR("},\"spec\":{\"location\":\"westeurope\",\"rules\":["));
    for (unsigned i = 0; b.len < OBJECT_SIZE - 500; i++)
        buf_fmt(&b,
                "%s{\"name\":\"rule%u\",\"protocol\":\"Tcp\",\"frontendPort\":%u,"
                "\"backendPort\":%u,\"enabled\":true,\"address\":\"10.%u.%u.%u\",\"probe\":"
                "{\"path\":\"/healthz/%u\",\"periodSeconds\":10,\"timeoutSeconds\":%u}}",
                i ? "," : "", i, 80 + n % 1000 + i, 8000 + i, n % 256, i, n / 256 % 256, n, i);
    buf_add(&b, STR("]},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
                    "\"reason\":\"Succeeded\",\"lastTransitionTime\":\"2026-03-05T07:08:09Z\","
                    "\"observedGeneration\":3,\"severity\":\"None\",\"message\":\"The resource is "
                    "up to date and everything it depends on is there.\"}],"));
    buf_fmt(&b, "\"id\":\"/subscriptions/s/resourceGroups/g/widgets/widget-%u\"}}", n);
    return buf_str(&b);
}

static str make_list(struct arena *a)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, STR("{\"apiVersion\":\"example.com/v1\",\"items\":["));
    for (unsigned i = 0; i < OBJECTS; i++) {
        AUTO_ARENA one = arena_new();
        str object = make_object(one, i, i + 1);
        buf_fmt(&b, "%s%.*s", i ? "," : "", STR_ARG(object));
    }
    buf_add(&b, STR("],\"kind\":\"WidgetList\",\"metadata\":{\"resourceVersion\":\"20000\"}}"));
    return buf_str(&b);
}

static bool on_item(void *ctx, str text, struct err *e)
{
    struct task *t = ctx;
    const struct kube_watch_handler feed = kube_cache_feed(t->cache);
    struct value *object;

    bench_check(kube_object_read(t->item, &call, text, &object, e), e);
    feed.event(feed.ctx, t->item, KUBE_ADDED, object);
    arena_reset(t->item);
    return true;
}

static struct kube_cache *new_cache(void)
{
    return kube_cache_new(&(struct kube_cache_config){.watch = {.call = call}});
}

/* In pieces as curl gives them. */
static void read_list(struct task *t)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct kube_items items = kube_items_new(a, on_item, t);
    struct value *envelope;

    for (size_t at = 0; at < t->list.len; at += 16 * KIB)
        bench_check(kube_items_add(&items, str_slice(t->list, at, at + 16 * KIB), &e), &e);
    bench_check(kube_items_end(&items, a, &envelope, &e), &e);
}

static size_t list_round(void *ctx)
{
    struct task *t = ctx;
    struct kube_cache_stats stats;

    t->cache = new_cache();
    read_list(t);
    kube_cache_stats(t->cache, &stats);
    bench_check(stats.objects == OBJECTS, &(struct err){.text = STR("objects are missing")});
    t->cached = stats.bytes;
    return stats.bytes;
}

static void drop_cache(void *ctx)
{
    struct task *t = ctx;

    kube_cache_stop(t->cache);
    t->cache = NULL;
}

static size_t event_round(void *ctx)
{
    struct task *t = ctx;
    const struct kube_watch_handler feed = kube_cache_feed(t->cache);
    struct kube_change change;
    AUTO_ERR e = {0};

    for (unsigned i = 0; i < OBJECTS; i++) {
        bench_check(kube_change_read(t->item, &call, t->events[i], &change, &e), &e);
        feed.event(feed.ctx, t->item, change.type, change.object);
        arena_reset(t->item);
    }
    return 0;
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    AUTO_ARENA item = arena_new();
    struct task t = {.list = make_list(a), .item = item};
    size_t bytes = 0;

    bench_run(&(struct bench_case){.name = "kube list to cache",
                                   .bytes = t.list.len,
                                   .run = list_round,
                                   .after = drop_cache,
                                   .ctx = &t,
                                   .memory_target = 0.5});
    printf("    %.2f KiB per object of %.1f KiB\n", (double)t.cached / OBJECTS / (double)KIB,
           (double)t.list.len / OBJECTS / (double)KIB);
    t.cache = new_cache();
    read_list(&t);
    t.events = ARENA_ARRAY(a, str, OBJECTS);
    for (unsigned i = 0; i < OBJECTS; i++) {
        str changed = make_object(a, i, 100000 + i);
        t.events[i] = str_fmt(a, "{\"type\":\"MODIFIED\",\"object\":%.*s}", STR_ARG(changed));
        bytes += t.events[i].len;
    }
    const struct bench_result events = bench_run(&(struct bench_case){
        .name = "kube events to cache", .bytes = bytes, .run = event_round, .ctx = &t});
    printf("    %.1f us of CPU per event\n", (double)bytes / events.rate * 1e6 / OBJECTS);
    drop_cache(&t);
}

const struct benchmark bench_kube = {
    .name = "kube", .help = "lists and events into the watch cache", .run = run};
