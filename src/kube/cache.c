/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c - the copy of the objects: updated by the watch, read by callers; see cache.h.
 *
 * The lock is held only for single steps; handlers are called without it, on the only thread that
 * changes anything.
 */
#include "kube/cache.h"
#include "object/names.h"
#include "object/object.h"

#include <string.h>
#include <time.h>

#define BYTES_MAX ((size_t)4 * GIB)

/* An object: one block with the key followed by the packed object. Guarded by the cache's lock. */
struct cache_entry {
    struct table_node node;   /* key: "namespace/name" */
    uint64_t version;         /* 0: not a number */
    struct cache_entry *next; /* in the list of entries about to be removed */
    uint32_t round;           /* the number of the last list that contained it, or preceded it */
    uint32_t key_len, packed_len;
    char data[];
};

struct kube_before {
    const struct kube_cache *cache;
    const struct cache_entry *entry;
};

struct kube_cache {
    struct lock lock;
    pthread_cond_t changed;
    struct arena *arena;
    struct kube_cache_config config;
    struct kube_watch *watch;
    struct pack_words *words;
    struct table *entries;
    size_t bytes;
    uint64_t changes, ignored;
    uint32_t round;
    bool synced, full_told;
    struct err last; /* the last failure, until synced */
};

static inline str entry_packed(const struct cache_entry *e)
{
    return str_of(e->data + e->key_len, e->packed_len);
}

/* ---- Objects -------------------------------------------------------------------------------- */

static void trim(const struct kube_cache *c, struct arena *a, struct value *object)
{
    if (c->config.trim)
        c->config.trim(c->config.handler.ctx, a, object);
    struct value *meta = object_meta(object);
    if (!c->config.keep_managed_fields && value_is(meta, VALUE_OBJECT))
        value_unset(meta, STR("managedFields"));
    struct value *notes = value_get(meta, STR("annotations"));
    if (!c->config.keep_last_applied && value_is(notes, VALUE_OBJECT) &&
        value_unset(notes, STR(ANNOTATION_LAST_APPLIED)) && !value_len(notes))
        value_unset(meta, STR("annotations"));
}

/* The part of an object that the cache keeps. */
static struct value *kept(const struct kube_cache *c, struct arena *a, struct value *object)
{
    static const char *const members[] = {"namespace", "name", "resourceVersion"};
    struct value *v, *meta;

    if (!c->config.names_only)
        return object;
    v = value_object(a);
    meta = object_make_meta(a, v);
    for (size_t i = 0; i < COUNT(members); i++)
        if (object_meta_str(object, str_c(members[i])).len)
            value_set_str(a, meta, str_c(members[i]), object_meta_str(object, str_c(members[i])));
    if (!object_version(object)) {
        struct buf whole = buf_new(a, BUF_UNLIMITED);
        value_pack(c->words, object, &whole);
        value_set_str(a, v, STR("digest"),
                      str_fmt(a, "%llx", (unsigned long long)str_hash(buf_str(&whole))));
    }
    return v;
}

static struct cache_entry *entry_new(str key, str packed)
{
    struct cache_entry *e = block_new(sizeof(*e) + key.len + packed.len);

    *e = (struct cache_entry){.key_len = (uint32_t)key.len, .packed_len = (uint32_t)packed.len};
    memcpy(e->data, key.ptr, key.len);
    memcpy(e->data + key.len, packed.ptr, packed.len);
    return e;
}

static size_t entry_bytes(const struct cache_entry *e)
{
    return sizeof(*e) + e->key_len + e->packed_len;
}

/* Removes an entry, but does not free its block. */
static void detach(struct kube_cache *c, struct cache_entry *e)
{
    c->bytes -= entry_bytes(e);
    table_drop(c->entries, &e->node);
}

static void attach(struct kube_cache *c, struct cache_entry *e)
{
    table_add(c->entries, &e->node, str_of(e->data, e->key_len));
    c->bytes += entry_bytes(e);
}

/* ---- Changes -------------------------------------------------------------------------------- */

static void tell(const struct kube_cache *c, struct arena *a, const struct cache_entry *old,
                 const struct value *after)
{
    const struct kube_cache_handler *h = &c->config.handler;

    const struct kube_before before = {c, old};

    if (h->changed)
        h->changed(h->ctx, a, old ? &before : NULL, after);
}

void kube_before_names(const struct kube_before *b, str *namespace, str *name)
{
    *name = str_of(b->entry->data, b->entry->key_len);
    *namespace = STR_NONE;
    if (str_find_char(*name, '/') != STR_NPOS)
        str_cut(*name, STR("/"), namespace, name);
}

const struct value *kube_before_object(const struct kube_before *b, struct arena *a)
{
    return value_unpack(a, b->cache->words, entry_packed(b->entry));
}

static void tell_full(struct kube_cache *c)
{
    const struct kube_cache_handler *h = &c->config.handler;
    AUTO_ERR e = {0};

    if (c->full_told)
        return;
    c->full_told = true;
    err_set(&e, ERR_LIMIT, "the cache of %.*s is full: more than %zu bytes",
            STR_ARG(c->config.watch.call.resource->name), c->config.bytes_max);
    if (h->failed)
        h->failed(h->ctx, &e, 0);
}

/*
 * Whether the object is not newer. If a version is missing or not a number, only the objects
 * themselves can be compared.
 */
static bool is_known(const struct cache_entry *old, const struct cache_entry *fresh)
{
    if (!old)
        return false;
    if (old->version && fresh->version)
        return fresh->version <= old->version;
    return str_eq(entry_packed(old), entry_packed(fresh));
}

enum put_result { PUT_DONE, PUT_IGNORED, PUT_FULL };

/*
 * *old is the entry that was replaced and now belongs to the caller; fresh belongs to the cache if
 * the result is DONE.
 */
static enum put_result replace(struct kube_cache *c, struct cache_entry *fresh,
                               struct cache_entry **old)
{
    AUTO_LOCK guard = lock_take(&c->lock);

    *old = (struct cache_entry *)table_find(c->entries, str_of(fresh->data, fresh->key_len));
    fresh->round = c->round;
    if (is_known(*old, fresh)) {
        (*old)->round = c->round;
        c->ignored++;
        return PUT_IGNORED;
    }
    if (!*old && c->bytes + entry_bytes(fresh) > c->config.bytes_max)
        return PUT_FULL;
    if (*old)
        detach(c, *old);
    attach(c, fresh);
    c->changes++;
    return PUT_DONE;
}

static void put(struct kube_cache *c, struct arena *a, str key, struct value *object)
{
    struct buf packed = buf_new(a, BUF_UNLIMITED);
    struct cache_entry *old;

    trim(c, a, object);
    value_pack(c->words, kept(c, a, object), &packed);
    struct cache_entry *fresh = entry_new(key, buf_str(&packed));
    fresh->version = object_version(object);
    enum put_result result = replace(c, fresh, &old);
    if (result != PUT_DONE) {
        block_free(fresh);
        if (result == PUT_FULL)
            tell_full(c);
        return;
    }
    tell(c, a, old, object);
    block_free(old);
}

static struct cache_entry *take(struct kube_cache *c, str key, uint64_t version)
{
    AUTO_LOCK guard = lock_take(&c->lock);
    struct cache_entry *old = (struct cache_entry *)table_find(c->entries, key);

    if (!old || (old->version && version && version < old->version)) {
        c->ignored++;
        return NULL;
    }
    detach(c, old);
    c->changes++;
    return old;
}

static void on_event(void *ctx, struct arena *a, enum kube_event type, struct value *object)
{
    struct kube_cache *c = ctx;
    str key = object_path(a, object_namespace(object), object_name(object));

    if (!key.len)
        return;
    if (type != KUBE_DELETED) {
        put(c, a, key, object);
        return;
    }
    struct cache_entry *old = take(c, key, object_version(object));
    if (old)
        tell(c, a, old, NULL);
    block_free(old);
}

static void on_begin(void *ctx)
{
    struct kube_cache *c = ctx;
    AUTO_LOCK guard = lock_take(&c->lock);

    c->round++;
}

/* Detaches all entries that were not in the list. */
static struct cache_entry *take_missing(struct kube_cache *c)
{
    AUTO_LOCK guard = lock_take(&c->lock);
    struct table_at at = {0};
    struct table_node *node;
    struct cache_entry *missing = NULL;

    while ((node = table_each(c->entries, &at))) {
        struct cache_entry *e = (struct cache_entry *)node;
        if (e->round == c->round)
            continue;
        detach(c, e);
        e->next = missing;
        missing = e;
        c->changes++;
    }
    return missing;
}

static void mark_synced(struct kube_cache *c)
{
    AUTO_LOCK guard = lock_take(&c->lock);

    c->synced = true;
    err_clear(&c->last);
    pthread_cond_broadcast(&c->changed);
}

static void on_synced(void *ctx)
{
    struct kube_cache *c = ctx;
    AUTO_ARENA a = arena_new();

    for (struct cache_entry *e = take_missing(c), *next; e; e = next) {
        next = e->next;
        tell(c, a, e, NULL);
        block_free(e);
        arena_reset(a);
    }
    mark_synced(c);
    if (c->config.handler.synced)
        c->config.handler.synced(c->config.handler.ctx);
}

static void on_failed(void *ctx, const struct err *e, int64_t wait)
{
    struct kube_cache *c = ctx;
    const struct kube_cache_handler *h = &c->config.handler;

    {
        AUTO_LOCK guard = lock_take(&c->lock);
        if (!c->synced)
            err_copy(&c->last, e);
    }
    if (h->failed)
        h->failed(h->ctx, e, wait);
}

static void on_answered(void *ctx)
{
    const struct kube_cache *c = ctx;

    if (c->config.handler.answered)
        c->config.handler.answered(c->config.handler.ctx);
}

/* ---- Reading -------------------------------------------------------------------------------- */

bool kube_cache_synced(struct kube_cache *c)
{
    AUTO_LOCK guard = lock_take(&c->lock);

    return c->synced;
}

bool kube_cache_wait(struct kube_cache *c, int64_t ns, struct err *e)
{
    AUTO_LOCK guard = lock_take(&c->lock);
    int64_t due = clock_mono() + ns;
    const struct timespec until = {.tv_sec = due / NS_PER_SEC, .tv_nsec = due % NS_PER_SEC};

    while (!c->synced)
        if (pthread_cond_timedwait(&c->changed, &c->lock.mutex, &until))
            break;
    if (c->synced)
        return true;
    if (c->last.kind != ERR_NONE)
        return err_copy(e, &c->last);
    return err_set(e, ERR_IO, "timed out waiting for the list of %.*s",
                   STR_ARG(c->config.watch.call.resource->name));
}

struct value *kube_cache_get(struct kube_cache *c, struct arena *a, str namespace, str name)
{
    str key = object_path(a, namespace, name);
    AUTO_LOCK guard = lock_take(&c->lock);
    const struct cache_entry *e = (const struct cache_entry *)table_find(c->entries, key);

    return e ? value_unpack(a, c->words, entry_packed(e)) : NULL;
}

struct value **kube_cache_all(struct kube_cache *c, struct arena *a, size_t *count)
{
    AUTO_LOCK guard = lock_take(&c->lock);
    struct value **all = ARENA_ARRAY(a, struct value *, table_len(c->entries));
    struct table_at at = {0};
    const struct table_node *node;

    *count = 0;
    while ((node = table_each(c->entries, &at)))
        all[(*count)++] = value_unpack(a, c->words, entry_packed((const struct cache_entry *)node));
    return all;
}

static str *all_keys(struct kube_cache *c, struct arena *a, size_t *count)
{
    AUTO_LOCK guard = lock_take(&c->lock);
    str *keys = ARENA_ARRAY(a, str, table_len(c->entries));
    struct table_at at = {0};
    const struct table_node *node;

    *count = 0;
    while ((node = table_each(c->entries, &at)))
        keys[(*count)++] = str_copy(a, node->key);
    return keys;
}

void kube_cache_each(struct kube_cache *c,
                     bool (*each)(void *ctx, struct arena *a, struct value *object), void *ctx)
{
    AUTO_ARENA keys_arena = arena_new();
    AUTO_ARENA a = arena_new();
    size_t count;
    const str *keys = all_keys(c, keys_arena, &count);

    for (size_t i = 0; i < count; i++) {
        struct value *object = kube_cache_get(c, a, STR_NONE, keys[i]);
        if (object && !each(ctx, a, object))
            return;
        arena_reset(a);
    }
}

void kube_cache_stats(struct kube_cache *c, struct kube_cache_stats *out)
{
    AUTO_LOCK guard = lock_take(&c->lock);

    *out = (struct kube_cache_stats){.objects = table_len(c->entries),
                                     .bytes = c->bytes,
                                     .changes = c->changes,
                                     .ignored = c->ignored};
    if (c->words != c->config.words)
        out->bytes += pack_words_bytes(c->words);
}

/* ---- Life ----------------------------------------------------------------------------------- */

struct kube_cache *kube_cache_new(const struct kube_cache_config *config)
{
    struct arena *a = arena_new();
    struct kube_cache *c = ARENA_NEW(a, struct kube_cache);

    c->arena = a;
    c->config = *config;
    if (!c->config.bytes_max)
        c->config.bytes_max = BYTES_MAX;
    c->lock = (struct lock)LOCK_INIT;
    c->words = config->words ? config->words : pack_words_new();
    c->entries = table_new();
    clock_cond_init(&c->changed);
    return c;
}

struct kube_watch_handler kube_cache_feed(struct kube_cache *c)
{
    return (struct kube_watch_handler){.begin = on_begin,
                                       .event = on_event,
                                       .synced = on_synced,
                                       .failed = on_failed,
                                       .answered = on_answered,
                                       .ctx = c};
}

struct kube_cache *kube_cache_start(struct kube_watches *hub,
                                    const struct kube_cache_config *config)
{
    struct kube_cache *c = kube_cache_new(config);
    struct kube_watch_config watch = config->watch;

    watch.handler = kube_cache_feed(c);
    c->watch = kube_watch_start(hub, &watch);
    return c;
}

void kube_cache_stop(struct kube_cache *c)
{
    struct table_at at = {0};
    struct table_node *node;

    if (!c)
        return;
    kube_watch_stop(c->watch);
    while ((node = table_each(c->entries, &at))) {
        table_drop(c->entries, node);
        block_free(node);
    }
    table_free(c->entries);
    if (c->words != c->config.words)
        pack_words_free(c->words);
    pthread_cond_destroy(&c->changed);
    err_clear(&c->last);
    arena_free(c->arena);
}
