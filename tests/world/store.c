/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - random clients against the store, and a model that explains everything they see.
 *
 * After every step an auditor checks the events of the store: each change has the next version and
 * either matches the answer to a client or had to be made by the garbage collector, and nothing is
 * missing or reported twice. The steps include watchers that disconnect and come back, paged lists,
 * crashes, power failures during a write, and full disks.
 */
#include "world/scenarios.h"
#include "world/store_internal.h"

#include "text/json/json.h"

#define STEPS 2000

/* ---- Time and trouble. ---- */

static void look(void *ctx)
{
    audit_changes(ctx, NULL);
}

static void step(struct clients *c)
{
    store_step(c->w->store);
    audit_changes(c, NULL);
}

static void quiet(struct clients *c)
{
    world_note(c->w, "quiet");
    world_run(c->w, world_now(c->w) + 2 * NS_PER_SEC);
    model_check_collected(&c->m);
    audit_lists(c);
    watchers_check(c);
}

static void pass_time(struct clients *c)
{
    world_note(c->w, "time passes");
    world_run(c->w, world_now(c->w) + (int64_t)world_below(c->w, 400) * NS_PER_SEC);
}

static void close_streams(struct clients *c)
{
    audit_close(c);
    for (size_t i = 0; i < WATCHERS; i++)
        watcher_close(&c->watchers[i]);
}

/* After a power failure during a write, that object may be as before or after it. */
static void adopt_unsure(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    uint64_t version = store_version(c->w->store);
    size_t changed = 0;

    world_expect(c->w, version == c->m.version || version == c->m.version + 1,
                 "after a crash the store is at version %llu, not %llu",
                 (unsigned long long)version, (unsigned long long)c->m.version);
    for (size_t i = 0; i < kind_count; i++) {
        str target = clients_collection(c, a, &kinds[i], STR_NONE);
        world_expect(c->w, local_ask(&c->w->client, "GET", str_z(a, target), "") == 200,
                     "no list after a crash");
        const struct value *items = value_copy(a, value_get(c->w->client.body, STR("items")));
        struct replica got = replica_of_items(c, &kinds[i], a);
        for (struct thing *t = c->m.things, *next; t; t = next) {
            next = t->next;
            if (t->kind == &kinds[i] && !replica_find(&got, t->key)) {
                changed++;
                model_drop(&c->m, t);
            }
        }
        for (size_t k = 0; k < value_len(items); k++) {
            const struct thing *t =
                model_thing(&c->m, &kinds[i], key_of(a, &kinds[i], &items->items[k]));
            if (t && value_equal(t->object, &items->items[k]))
                continue;
            changed++;
            model_put(&c->m, &kinds[i], &items->items[k]);
        }
    }
    world_expect(c->w, changed == version - c->m.version, "a crash changed %zu objects", changed);
    c->m.version = version;
}

static void crash(struct clients *c)
{
    close_streams(c);
    world_crash(c->w);
    if (c->unsure)
        adopt_unsure(c);
    c->unsure = false;
    world_expect(c->w, store_version(c->w->store) == c->m.version,
                 "after a crash the store is at version %llu, not %llu",
                 (unsigned long long)store_version(c->w->store), (unsigned long long)c->m.version);
    audit_open(c);
    audit_lists(c);
}

static void any_write(struct clients *c)
{
    static void (*const writes[])(struct clients *) = {
        clients_create, clients_update, clients_patch, clients_delete, clients_toggle_hold};

    writes[world_below(c->w, COUNT(writes))](c);
}

/* The power fails during a write: the client gets an error, or was just in time. */
static void crash_in_write(struct clients *c)
{
    unsigned after = 1 + (unsigned)world_below(c->w, 6);

    world_note(c->w, "the power will fail after %u writes", after);
    disk_lose_power_after(c->w->disk, after);
    any_write(c);
    c->unsure = clients_failed(c);
    crash(c);
}

static void disk_trouble(struct clients *c)
{
    bool full = world_chance(c->w, 50);

    world_note(c->w, full ? "the disk is full" : "the disk is read-only");
    (full ? disk_fill : disk_protect)(c->w->disk, true);
    for (uint64_t n = world_below(c->w, 4); n; n--)
        any_write(c);
    step(c);
    clients_get(c);
    (full ? disk_fill : disk_protect)(c->w->disk, false);
}

/* ---- The run. ---- */

static const struct {
    void (*act)(struct clients *c);
    unsigned weight;
} acts[] = {
    {clients_create, 260},
    {clients_update, 130},
    {clients_patch, 130},
    {clients_toggle_hold, 90},
    {clients_write_status, 40},
    {clients_delete, 150},
    {clients_get, 50},
    {clients_next_page, 70},
    {watchers_step, 200},
    {step, 120},
    {quiet, 25},
    {pass_time, 12},
    {crash, 4},
    {crash_in_write, 5},
    {disk_trouble, 5},
};

static void act(struct clients *c)
{
    uint64_t total = 0, at;
    size_t i = 0;

    for (size_t k = 0; k < COUNT(acts); k++)
        total += acts[k].weight;
    for (at = world_below(c->w, total); at >= acts[i].weight; i++)
        at -= acts[i].weight;
    acts[i].act(c);
}

static void define(struct clients *c, const char *plural, const char *kind, const char *scope,
                   const char *more)
{
    AUTO_ARENA a = arena_new();
    str body = str_fmt(a,
                       "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":"
                       "\"CustomResourceDefinition\",\"metadata\":{\"name\":\"%s.example.com\"},"
                       "\"spec\":{\"group\":\"example.com\",\"scope\":\"%s\",\"names\":{\"plural\":"
                       "\"%s\",\"kind\":\"%s\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
                       "\"storage\":true%s,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
                       "\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"size\":{"
                       "\"type\":\"integer\"}}},\"status\":{\"type\":\"object\","
                       "\"x-kubernetes-preserve-unknown-fields\":true}}}}}]}}",
                       plural, scope, plural, kind, more);

    world_expect(c->w,
                 clients_ask(c, "POST",
                             STR("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
                             body) == 201,
                 "a definition was refused: %.*s", STR_ARG(c->w->client.text));
}

void store_clients(struct world *w)
{
    /* Static, because it is read after a longjmp. */
    static struct clients c;
    static const char *const selectors[WATCHERS] = {NULL, "x", "y"};

    c = (struct clients){.w = w};
    c.m.world = w;
    w->config.history_count = 20 + world_below(w, 200);
    world_open(w);
    define(&c, "gadgets", "Gadget", "Cluster", "");
    define(&c, "widgets", "Widget", "Namespaced", ",\"subresources\":{\"status\":{}}");
    c.m.version = store_version(w->store);
    for (size_t i = 0; i < WATCHERS; i++)
        c.watchers[i] = (struct watcher){.kind = clients_any_kind(&c), .selector = selectors[i]};
    audit_open(&c);
    w->look = look;
    w->look_ctx = &c;
    for (int i = 0; i < STEPS; i++)
        act(&c);
    quiet(&c);
    close_streams(&c);
    AUTO_ERR e = {0};
    world_expect(w, store_check(w->store, &e), "the store is not whole: %.*s", STR_ARG(e.text));
    model_clear(&c.m);
}
