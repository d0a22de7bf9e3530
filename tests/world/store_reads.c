/* SPDX-License-Identifier: Apache-2.0 */
/* store_reads.c - clients that read, page by page too, and those that watch. */
#include "world/store_internal.h"

/* ---- Reading. ---- */

void clients_get(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    const struct kind *kind = clients_any_kind(c);
    str key = clients_any_key(c, a, kind);
    const struct thing *t = model_thing(&c->m, kind, key);
    int status = clients_ask(c, "GET", clients_place(c, a, kind, key), STR_NONE);

    world_expect(c->w, status == (t ? 200 : 404), "get was answered by %d", status);
    if (t)
        world_expect(c->w, value_equal(c->w->client.body, t->object),
                     "get shows another state of %.*s", STR_ARG(key));
}

/* Whether the history after a version may have been dropped, and with it this version. */
bool clients_may_forget(struct clients *c, uint64_t version)
{
    if (version < c->first || c->m.version - version >= c->w->config.history_count)
        return true;
    return version < c->m.version &&
           world_now(c->w) - c->times.items[version - c->first] >= c->w->config.history_age;
}

static void end_pages(struct clients *c)
{
    struct pager *p = &c->pager;

    p->under_way = false;
    replica_expect(c, &p->expected, &p->got, "a list in pages");
}

void clients_next_page(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    struct pager *p = &c->pager;
    unsigned limit = 1 + (unsigned)world_below(c->w, 4);

    if (!p->under_way) {
        *p = (struct pager){.kind = clients_any_kind(c), .under_way = true};
        p->expected = replica_of_model(c, p->kind, NULL);
        p->version = c->m.version;
    }
    str target = str_fmt(a, "%.*s?limit=%u%s%s",
                         STR_ARG(clients_collection(c, a, p->kind, STR_NONE)), limit,
                         p->token[0] ? "&continue=" : "", p->token);
    int status = clients_ask(c, "GET", target, STR_NONE);
    if (status == 410) {
        world_expect(c->w, p->token[0] && clients_may_forget(c, p->version),
                     "a page is expired though its version is kept");
        p->under_way = false;
        return;
    }
    world_expect(c->w, status == 200, "a page was answered by %d: %.*s", status,
                 STR_ARG(c->w->client.text));
    struct replica page = replica_of_items(c, p->kind, a);
    for (size_t i = 0; i < page.len; i++) {
        world_expect(c->w, !replica_find(&p->got, str_c(page.items[i].key)), "two pages have %s",
                     page.items[i].key);
        replica_learn(&p->got, str_c(page.items[i].key), page.items[i].version);
    }
    str token = local_text(&c->w->client, "metadata.continue");
    (void)snprintf(p->token, sizeof p->token, "%.*s", STR_ARG(token));
    if (!token.len)
        end_pages(c);
}

/* ---- Watchers. ---- */

static void watcher_list(struct clients *c, struct watcher *v)
{
    AUTO_ARENA a = arena_new();
    str target = str_fmt(a, "%.*s%s%s", STR_ARG(clients_collection(c, a, v->kind, STR_NONE)),
                         v->selector ? "?labelSelector=l%3D" : "", v->selector ? v->selector : "");

    world_expect(c->w, clients_ask(c, "GET", target, STR_NONE) == 200, "a watcher cannot list");
    v->replica = replica_of_items(c, v->kind, a);
    world_expect(c->w,
                 str_to_u64(local_text(&c->w->client, "metadata.resourceVersion"), &v->version),
                 "a list without a version");
    struct replica want = replica_of_model(c, v->kind, v->selector);
    replica_expect(c, &want, &v->replica, "a selected list");
    v->listed = true;
}

static void watcher_open(struct clients *c, struct watcher *v)
{
    AUTO_ARENA a = arena_new();
    str target = str_fmt(a, "%.*s?watch=true&allowWatchBookmarks=true&resourceVersion=%llu%s%s",
                         STR_ARG(clients_collection(c, a, v->kind, STR_NONE)),
                         (unsigned long long)v->version, v->selector ? "&labelSelector=l%3D" : "",
                         v->selector ? v->selector : "");

    world_note(c->w, "watch %.*s", STR_ARG(target));
    v->stream = local_watch(&c->w->client, str_z(a, target));
    world_expect(c->w, v->stream, "a watcher cannot watch: %.*s", STR_ARG(c->w->client.text));
}

void watcher_close(struct watcher *v)
{
    local_watch_close(v->stream);
    v->stream = NULL;
}

static void watcher_expired(struct clients *c, struct watcher *v)
{
    world_expect(c->w, clients_may_forget(c, v->version),
                 "a watch is expired though its version is kept");
    watcher_close(v);
    v->listed = false;
}

static void apply_event(struct clients *c, struct watcher *v, str type, const struct value *object)
{
    AUTO_ARENA a = arena_new();
    uint64_t version = version_of(&c->m, object);
    bool mark = str_eq(type, STR("BOOKMARK"));

    world_expect(c->w, version > v->version || (mark && version == v->version),
                 "a watch goes from version %llu to %llu", (unsigned long long)v->version,
                 (unsigned long long)version);
    v->version = version;
    if (mark)
        return;
    str key = key_of(a, v->kind, object);
    struct known *k = replica_find(&v->replica, key);
    world_expect(c->w, (k != NULL) != str_eq(type, STR("ADDED")), "a watch has %.*s of %.*s",
                 STR_ARG(type), STR_ARG(key));
    if (str_eq(type, STR("DELETED")))
        replica_forget(&v->replica, k);
    else
        replica_learn(&v->replica, key, version);
}

/* Takes up to max events. */
static void watcher_pull(struct clients *c, struct watcher *v, size_t max)
{
    const struct value *event;

    for (size_t i = 0; i < max && v->stream && (event = local_watch_next(v->stream)); i++) {
        str type = value_get_str(event, STR("type"));
        if (str_eq(type, STR("ERROR")))
            watcher_expired(c, v);
        else
            apply_event(c, v, type, value_get(event, STR("object")));
    }
    if (v->stream && local_watch_ended(v->stream))
        watcher_close(v);
}

void watchers_step(struct clients *c)
{
    struct watcher *v = &c->watchers[world_below(c->w, WATCHERS)];

    if (!v->listed)
        watcher_list(c, v);
    else if (!v->stream)
        watcher_open(c, v);
    else if (world_chance(c->w, 10))
        watcher_close(v);
    else
        watcher_pull(c, v, world_below(c->w, 8));
}

/* Checks that watchers that have taken all events know everything. */
void watchers_check(struct clients *c)
{
    for (size_t i = 0; i < WATCHERS; i++) {
        struct watcher *v = &c->watchers[i];
        watcher_pull(c, v, SIZE_MAX);
        if (!v->stream)
            continue;
        struct replica want = replica_of_model(c, v->kind, v->selector);
        replica_expect(c, &want, &v->replica, "a watcher");
    }
}
