/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - the objects of a watched comparison: a cache for each type, and what has changed in
 * them since the last look.
 *
 * The caches know what is new: an object that they have already seen, or seen newer, is not
 * reported again, and one that is missing from a new list is reported as gone. Unless templates
 * look up objects, they keep only names and versions: the object itself is seen once, and is kept
 * packed until it is taken.
 *
 * Memory for what has not been taken yet is limited by blocking the hub, which makes the server
 * wait.
 */
#include "compare/watch/internal.h"
#include "object/object.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Bytes that may wait to be compared, from which on it should be soon, and how long the hub waits.
 */
#define PENDING_MAX (32 * MIB)
#define PENDING_SOON (8 * MIB)
#define PENDING_WAIT (5 * NS_PER_SEC)

/* How long a type may be without an answer before it is worth a line. */
#define TROUBLE_AFTER (2 * NS_PER_SEC)
/* Names of types in such a line. */
#define TROUBLE_NAMES 3

struct watch_type {
    struct watch_source *source;
    size_t index;
    const struct kube_call *call;
    struct kube_cache *cache;
    struct arena *arena;
    /* Under the lock: */
    bool synced, failing, reported;
    int64_t failing_since;
    struct err failure;
};

struct watch_source {
    struct arena *arena;
    struct live *live;
    bool whole;
    int64_t poll;
    struct pack_words *words;
    struct kube_watches *hub;
    struct watch_type **types;
    size_t type_count;
    int fd;

    struct lock lock; /* of all that follows */
    pthread_cond_t room;
    struct table *pending;
    size_t bytes;
    int64_t since;
    uint64_t events, errors;
    bool closing;
};

static void wake(const struct watch_source *s)
{
    const uint64_t one = 1;

    if (write(s->fd, &one, sizeof(one)) < 0)
        return; /* it is readable already */
}

/* ---- What comes in. ---- */

static struct pending *pending_new(size_t type, str key, str body)
{
    struct pending *p = block_new(sizeof(*p) + key.len + body.len);

    *p = (struct pending){.type = type, .key_len = key.len, .body_len = body.len};
    memcpy(p->data, key.ptr, key.len);
    if (body.len)
        memcpy(p->data + key.len, body.ptr, body.len);
    return p;
}

static size_t pending_bytes(const struct pending *p)
{
    return sizeof(*p) + p->key_len + p->body_len;
}

static void wait_for_room(struct watch_source *s)
{
    int64_t due = clock_mono() + PENDING_WAIT;
    const struct timespec until = {.tv_sec = due / NS_PER_SEC, .tv_nsec = due % NS_PER_SEC};

    while (s->bytes > PENDING_MAX && !s->closing)
        if (pthread_cond_timedwait(&s->room, &s->lock.mutex, &until))
            break;
}

static void add_pending(struct watch_source *s, struct pending *p)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    str key = str_of(p->data, p->key_len);
    struct pending *old = (struct pending *)table_find(s->pending, key);

    s->events++;
    if (!table_len(s->pending))
        s->since = clock_mono();
    if (old) {
        s->bytes -= pending_bytes(old);
        table_drop(s->pending, &old->node);
        block_free(old);
    }
    table_add(s->pending, &p->node, key);
    s->bytes += pending_bytes(p);
    if (table_len(s->pending) == 1 || s->bytes > PENDING_SOON)
        wake(s);
    /* Names alone are little, and are not taken before all of them are there. */
    if (!s->whole)
        wait_for_room(s);
}

/* Namespace and name as the key of a cache has them, which is also the order of servers. */
static str key_of_names(struct arena *a, size_t type, str namespace, str name)
{
    return str_fmt(a, "%06zu/%.*s/%.*s", type, STR_ARG(namespace), STR_ARG(name));
}

static str key_of(struct arena *a, size_t type, const struct value *object)
{
    return key_of_names(a, type, object_namespace(object), object_name(object));
}

static void on_changed(void *ctx, struct arena *a, const struct kube_before *before,
                       const struct value *after)
{
    struct watch_type *t = ctx;
    struct buf packed = buf_new(a, BUF_UNLIMITED);
    str namespace, name;

    if (after && !t->source->whole)
        value_pack(t->source->words, after, &packed);
    if (!after)
        kube_before_names(before, &namespace, &name);
    struct pending *p = pending_new(
        t->index, after ? key_of(a, t->index, after) : key_of_names(a, t->index, namespace, name),
        buf_str(&packed));

    p->gone = !after;
    add_pending(t->source, p);
}

static void on_synced(void *ctx)
{
    struct watch_type *t = ctx;
    AUTO_LOCK guard = lock_take(&t->source->lock);

    t->synced = true;
    t->failing = false;
    wake(t->source);
}

static void on_answered(void *ctx)
{
    struct watch_type *t = ctx;
    AUTO_LOCK guard = lock_take(&t->source->lock);

    t->failing = false;
    wake(t->source);
}

static void on_failed(void *ctx, const struct err *e, int64_t wait)
{
    struct watch_type *t = ctx;
    AUTO_LOCK guard = lock_take(&t->source->lock);

    (void)wait;
    t->source->errors++;
    if (!t->failing)
        t->failing_since = clock_mono();
    t->failing = true;
    err_copy(&t->failure, e);
    wake(t->source);
}

/* ---- Looking. ---- */

int watch_source_fd(const struct watch_source *s)
{
    return s->fd;
}

/* Whether there is no use in waiting for the first list. */
static bool is_refused(const struct watch_type *t)
{
    enum err_kind kind = t->failure.kind;

    return t->failing && (kind == ERR_DENIED || kind == ERR_NOT_FOUND || kind == ERR_INVALID ||
                          kind == ERR_LIMIT);
}

static void look_at_types(struct watch_source *s, struct watch_look *out)
{
    for (size_t i = 0; i < s->type_count; i++) {
        struct watch_type *t = s->types[i];
        out->failing += t->failing || !t->synced;
        out->settled &= t->synced || is_refused(t);
    }
}

void watch_source_look(struct watch_source *s, struct watch_look *out)
{
    uint64_t drained;

    if (read(s->fd, &drained, sizeof(drained)) < 0)
        drained = 0; /* nothing was there, which is fine */
    *out = (struct watch_look){.settled = true};
    for (size_t i = 0; i < s->type_count; i++) {
        struct kube_cache_stats stats;
        kube_cache_stats(s->types[i]->cache, &stats);
        out->objects += stats.objects;
    }
    AUTO_LOCK guard = lock_take(&s->lock);
    look_at_types(s, out);
    out->waiting = table_len(s->pending) > 0;
    out->hurry = s->bytes > PENDING_SOON;
    out->since = s->since;
    out->events = s->events;
    out->errors = s->errors;
}

static int order_pending(const void *x, const void *y)
{
    const struct pending *p = *(struct pending *const *)x, *q = *(struct pending *const *)y;

    return str_cmp(str_of(p->data, p->key_len), str_of(q->data, q->key_len));
}

struct pending **watch_source_take(struct watch_source *s, struct arena *a, size_t *count)
{
    struct table *fresh = table_new(), *taken;
    struct table_at at = {0};
    struct table_node *node;

    {
        AUTO_LOCK guard = lock_take(&s->lock);
        taken = s->pending;
        s->pending = fresh;
        s->bytes = 0;
        pthread_cond_broadcast(&s->room);
    }
    struct pending **all = ARENA_ARRAY(a, struct pending *, table_len(taken));
    *count = 0;
    while ((node = table_each(taken, &at)))
        all[(*count)++] = (struct pending *)node;
    table_free(taken);
    if (*count)
        qsort(all, *count, sizeof(struct pending *), order_pending);
    return all;
}

struct value *watch_source_object(const struct watch_source *s, struct arena *a,
                                  const struct pending *p)
{
    struct value *root = value_unpack(a, s->words, str_of(p->data + p->key_len, p->body_len));

    live_fit(s->live, p->type, root);
    return root;
}

static int order_objects(const void *x, const void *y)
{
    return str_cmp(((const struct watch_object *)x)->key, ((const struct watch_object *)y)->key);
}

struct watch_object *watch_source_all(struct watch_source *s, struct arena *a, size_t type,
                                      size_t *count)
{
    struct value **roots = kube_cache_all(s->types[type]->cache, a, count);
    struct watch_object *all = ARENA_ARRAY(a, struct watch_object, *count);

    for (size_t i = 0; i < *count; i++) {
        all[i] = (struct watch_object){key_of(a, type, roots[i]), roots[i]};
        live_fit(s->live, type, roots[i]);
    }
    if (*count)
        qsort(all, *count, sizeof(*all), order_objects);
    return all;
}

str watch_source_id(const struct watch_source *s, struct arena *a, size_t type, str key)
{
    const struct kube_resource *r = s->types[type]->call->resource;
    struct identity id = {.api_version = api_version_join(a, r->group, r->version),
                          .kind = r->kind};
    str number, rest;

    str_cut(key, STR("/"), &number, &rest);
    str_cut(rest, STR("/"), &id.namespace, &id.name);
    return identity_id(a, &id);
}

/* ---- Trouble. ---- */

/* Some types, in a line. */
struct naming {
    struct buf text;
    size_t count;
    str failure;
};

static void name_type(struct naming *n, struct arena *a, const struct watch_type *t)
{
    if (n->count++ >= TROUBLE_NAMES)
        return;
    buf_fmt(&n->text, "%s%.*s", n->count > 1 ? ", " : "",
            STR_ARG(kube_group_resource(a, t->call->resource)));
    if (n->count == 1)
        n->failure = str_copy(a, t->failure.text);
}

static str named(struct naming *n)
{
    if (n->count > TROUBLE_NAMES)
        buf_fmt(&n->text, " and %zu more", n->count - TROUBLE_NAMES);
    return buf_str(&n->text);
}

void watch_source_trouble(struct watch_source *s, struct arena *a, str *lost, str *found)
{
    struct naming gone = {.text = buf_new(a, BUF_UNLIMITED)}, back = gone;
    AUTO_LOCK guard = lock_take(&s->lock);
    int64_t now = clock_mono();

    back.text = buf_new(a, BUF_UNLIMITED);
    for (size_t i = 0; i < s->type_count; i++) {
        struct watch_type *t = s->types[i];
        if (t->failing == t->reported || (t->failing && now - t->failing_since < TROUBLE_AFTER))
            continue;
        t->reported = t->failing;
        name_type(t->failing ? &gone : &back, a, t);
    }
    *lost = *found = STR_NONE;
    if (gone.count)
        *lost = str_fmt(a, "cannot watch %.*s, and try again: %.*s", STR_ARG(named(&gone)),
                        STR_ARG(gone.failure));
    if (back.count)
        *found = str_fmt(a, "watching %.*s again", STR_ARG(named(&back)));
}

/* ---- Life. ---- */

static void start_type(struct watch_source *s, size_t index)
{
    struct watch_type *t = ARENA_NEW(s->arena, struct watch_type);

    s->types[index] = t;
    *t = (struct watch_type){
        .source = s, .index = index, .call = live_call(s->live, index), .arena = arena_new()};
    /* Templates may look at anything, as when objects are listed. */
    const struct kube_cache_config config = {
        .watch = {.call = *t->call, .poll = s->poll},
        .keep_managed_fields = true,
        .keep_last_applied = true,
        .names_only = !s->whole,
        .words = s->words,
        .handler = {on_changed, on_synced, on_failed, on_answered, t}};
    t->cache = kube_cache_start(s->hub, &config);
}

void watch_source_grow(struct watch_source *s)
{
    size_t count = live_type_count(s->live);
    if (count == s->type_count)
        return;
    struct watch_type **all = ARENA_ARRAY(s->arena, struct watch_type *, count);
    if (s->type_count)
        memcpy(all, s->types, s->type_count * sizeof(*all));
    s->types = all;
    while (s->type_count < count)
        start_type(s, s->type_count++);
}

static void init_condition(pthread_cond_t *c)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(c, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct watch_source *watch_source_start(const struct watch_source_config *config)
{
    struct arena *a = arena_new();
    struct watch_source *s = ARENA_NEW(a, struct watch_source);

    *s = (struct watch_source){.arena = a,
                               .live = config->live,
                               .whole = config->whole,
                               .poll = config->poll,
                               .words = pack_words_new(),
                               .hub = kube_watches_new(live_transport(config->live)),
                               .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                               .lock = LOCK_INIT,
                               .pending = table_new()};
    init_condition(&s->room);
    watch_source_grow(s);
    return s;
}

static void let_go(struct watch_source *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->closing = true;
    pthread_cond_broadcast(&s->room);
}

static void free_pending(struct watch_source *s)
{
    AUTO_ARENA a = arena_new();
    size_t count;
    struct pending **all = watch_source_take(s, a, &count);

    for (size_t i = 0; i < count; i++)
        block_free(all[i]);
    table_free(s->pending);
}

void watch_source_stop(struct watch_source *s)
{
    if (!s)
        return;
    let_go(s);
    for (size_t i = 0; i < s->type_count; i++)
        kube_cache_stop(s->types[i]->cache);
    kube_watches_free(s->hub);
    for (size_t i = 0; i < s->type_count; i++) {
        err_clear(&s->types[i]->failure);
        arena_free(s->types[i]->arena);
    }
    free_pending(s);
    pack_words_free(s->words);
    pthread_cond_destroy(&s->room);
    if (s->fd >= 0)
        close(s->fd);
    arena_free(s->arena);
}
