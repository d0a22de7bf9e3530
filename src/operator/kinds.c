/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.c - a cache for each of Azure's kinds in the cluster; see kinds.h.
 *
 * The cache of definitions keeps only what matters here: group, names, scope, the storage version,
 * whether it is established, and the label that identifies its owner. A change marks k as dirty and
 * wakes the thread that owns k, which compares the caches that should exist with those that do; a
 * watch handler could do neither.
 */
#include "operator/kinds.h"

#include "azure/applied.h"
#include "base/log.h"
#include "base/map.h"
#include "kube/cache.h"
#include "object/condition.h"

#include <stdatomic.h>

/* How long a server that has a new definition may not serve its kind yet. */
#define ESTABLISHING (30 * NS_PER_SEC)

/* A kind that is watched: a cache for each namespace, or one for all of them. */
struct watched {
    struct arena *arena; /* of this */
    struct kinds *kinds;
    struct kube_resource resource;
    str text; /* "group/kind" */
    struct kube_cache **caches;
    struct watched *next; /* its replacement, in the new storage version */
    bool own;             /* the definition is plumb's */
    int64_t since;        /* when it was started, by clock_mono */
    bool wanted;          /* while definitions are compared */
};

struct kinds {
    struct arena *arena;
    struct kinds_config config;
    struct kube_cache *definitions;
    struct pack_words *words;
    struct map *watched; /* "group/kind" to struct watched */
    atomic_bool dirty;
    _Atomic uint64_t failures;
};

static const struct kube_resource definitions = {.group = STR_INIT("apiextensions.k8s.io"),
                                                 .version = STR_INIT("v1"),
                                                 .name = STR_INIT("customresourcedefinitions"),
                                                 .kind = STR_INIT("CustomResourceDefinition")};

/* Watched by their metadata. Kinds of the core group are in every cluster. */
static const struct kube_resource cores[] = {
    {.version = STR_INIT("v1"),
     .name = STR_INIT("configmaps"),
     .kind = STR_INIT("ConfigMap"),
     .namespaced = true},
    {.version = STR_INIT("v1"), .name = STR_INIT("namespaces"), .kind = STR_INIT("Namespace")},
    {.version = STR_INIT("v1"),
     .name = STR_INIT("secrets"),
     .kind = STR_INIT("Secret"),
     .namespaced = true},
};

/* ---- Caches. --------------------------------------------------------------------------------- */

static void tell(const struct watched *w, str namespace, str name)
{
    const struct object_key key = {
        .group = w->resource.group, .kind = w->resource.kind, .namespace = namespace, .name = name};

    w->kinds->config.changed(w->kinds->config.ctx, &key);
}

static void on_change(void *ctx, struct arena *a, const struct kube_before *before,
                      const struct value *after)
{
    str namespace, name;

    (void)a;
    if (after) {
        tell(ctx, object_namespace(after), object_name(after));
        return;
    }
    kube_before_names(before, &namespace, &name);
    tell(ctx, namespace, name);
}

static void on_synced(void *ctx)
{
    struct watched *w = ctx;

    w->kinds->config.wake(w->kinds->config.ctx);
}

/* Servers take a moment until they serve what they have established. */
static bool is_early(const struct watched *w, const struct err *e)
{
    return e->kind == ERR_NOT_FOUND && clock_mono() - w->since < ESTABLISHING;
}

static void on_failure(void *ctx, const struct err *e, int64_t wait)
{
    struct watched *w = ctx;

    if (is_early(w, e)) {
        LOG_DEBUG("kind is not served yet", LOG_STR("resource", w->resource.name));
        return;
    }
    atomic_fetch_add(&w->kinds->failures, 1);
    LOG_WARN("watch failed", LOG_STR("resource", w->resource.name), LOG_STR("error", e->text),
             LOG_INT("retryAfterMs", wait / NS_PER_MS));
}

/* Keeps only identity and users' metadata of Secrets, ConfigMaps and Namespaces. */
static void trim_core(void *ctx, struct arena *a, struct value *object)
{
    static const char *const kept[] = {"annotations", "deletionTimestamp", "labels", "name",
                                       "namespace",   "resourceVersion",   "uid",    NULL};
    struct value *meta = object_meta(object);
    size_t i = 0;

    (void)ctx;
    (void)a;
    while (i < value_len(meta)) {
        str key = value_key(&meta->items[i]);
        bool keep = false;
        for (size_t j = 0; kept[j]; j++)
            keep = keep || str_eq(key, str_c(kept[j]));
        if (keep)
            i++;
        else
            (void)value_unset(meta, key);
    }
}

static void trim_object(void *ctx, struct arena *a, struct value *object)
{
    struct watched *w = ctx;

    applied_trim(a, w->kinds->config.model, object);
}

static struct kube_cache *start_cache(struct watched *w, str namespace, bool core)
{
    struct kube_cache_config config = {
        .watch = {.call = {.resource = &w->resource,
                           .namespace = namespace,
                           .metadata_only = core}},
        .keep_managed_fields = !core, /* they show the version that was applied */
        .keep_last_applied = !core,
        .trim = core ? trim_core : trim_object,
        .words = w->kinds->words,
        .handler = {.changed = on_change, .synced = on_synced, .failed = on_failure, .ctx = w}};

    return kube_cache_start(w->kinds->config.hub, &config);
}

static size_t cache_count(const struct watched *w)
{
    size_t n = w->kinds->config.namespace_count;

    return n && w->resource.namespaced ? n : 1;
}

static struct watched *make(struct kinds *k, const struct kube_resource *r, bool core)
{
    struct arena *a = arena_new();
    struct watched *w = ARENA_NEW(a, struct watched);

    *w = (struct watched){
        .arena = a, .kinds = k, .wanted = true, .resource = *r, .since = clock_mono()};
    w->resource.group = str_copy(a, r->group);
    w->resource.version = str_copy(a, r->version);
    w->resource.name = str_copy(a, r->name);
    w->resource.kind = str_copy(a, r->kind);
    w->text = str_fmt(a, "%.*s/%.*s", STR_ARG(r->group), STR_ARG(r->kind));
    w->caches = ARENA_ARRAY(a, struct kube_cache *, cache_count(w));
    for (size_t i = 0; i < cache_count(w); i++)
        w->caches[i] = start_cache(
            w, k->config.namespace_count && r->namespaced ? k->config.namespaces[i] : STR_NONE,
            core);
    LOG_DEBUG("watch started", LOG_STR("kind", w->text), LOG_STR("version", w->resource.version));
    return w;
}

static struct watched *start(struct kinds *k, const struct kube_resource *r, bool core)
{
    struct watched *w = make(k, r, core);

    map_set(k->watched, w->text, w);
    return w;
}

static bool is_synced(const struct watched *w)
{
    for (size_t i = 0; i < cache_count(w); i++)
        if (!kube_cache_synced(w->caches[i]))
            return false;
    return true;
}

static bool tell_gone(void *ctx, struct arena *a, struct value *object)
{
    (void)a;
    tell(ctx, object_namespace(object), object_name(object));
    return true;
}

static void end(struct watched *w)
{
    if (w->next)
        end(w->next);
    for (size_t i = 0; i < cache_count(w); i++)
        kube_cache_stop(w->caches[i]);
    LOG_DEBUG("watch stopped", LOG_STR("kind", w->text), LOG_STR("version", w->resource.version));
    arena_free(w->arena);
}

static void tell_all(struct watched *w)
{
    for (size_t i = 0; i < cache_count(w); i++)
        kube_cache_each(w->caches[i], tell_gone, w);
}

/* Its objects are no longer found; whatever remembers them is notified. */
static void stop(struct kinds *k, struct watched *w)
{
    map_remove(k->watched, w->text);
    tell_all(w);
    end(w);
}

/*
 * The kind's storage version has changed. Until everything is read in the new one, objects are
 * found in the old cache: owners that are missing for a moment would be taken for deleted.
 */
static void renew(struct watched *w, const struct kube_resource *r)
{
    if (w->next && str_eq(w->next->resource.version, r->version))
        return;
    if (w->next)
        end(w->next);
    w->next = make(w->kinds, r, false);
}

static void hand_over(struct kinds *k, struct watched *w)
{
    struct watched *next = w->next;

    next->own = w->own;
    w->next = NULL;
    map_remove(k->watched, w->text);
    map_set(k->watched, next->text, next);
    tell_all(next);
    tell_all(w); /* including those that are gone */
    end(w);
}

/* ---- Definitions. ---------------------------------------------------------------------------- */

static bool is_established(const struct value *definition)
{
    struct condition c;

    return condition_get(value_get(definition, STR("status")), STR("Established"), &c) &&
           str_eq(c.status, STR("True"));
}

/* Leaves {metadata: {name, resourceVersion}, spec: {group, names, scope, stored, established}}. */
static void trim_definition(void *ctx, struct arena *a, struct value *object)
{
    struct value *spec = value_get(object, STR("spec")), *small = value_object(a);
    const struct value *versions = value_get(spec, STR("versions"));
    str stored = STR_NONE;

    for (size_t i = 0; i < value_len(versions); i++)
        if (value_is_true(value_get(value_at(versions, i), STR("storage"))))
            stored = value_get_str(value_at(versions, i), STR("name"));
    value_set_str(a, small, STR("group"), value_get_str(spec, STR("group")));
    value_set_str(a, small, STR("scope"), value_get_str(spec, STR("scope")));
    value_set_str(a, small, STR("kind"), value_get_str(value_get(spec, STR("names")), STR("kind")));
    value_set_str(a, small, STR("plural"),
                  value_get_str(value_get(spec, STR("names")), STR("plural")));
    value_set_str(a, small, STR("stored"), stored);
    value_set_bool(a, small, STR("established"), is_established(object));
    value_set(a, object, STR("spec"), small);
    (void)value_unset(object, STR("status"));
    trim_core(ctx, a, object);
}

static void on_definition(void *ctx, struct arena *a, const struct kube_before *before,
                          const struct value *after)
{
    struct kinds *k = ctx;

    (void)a;
    (void)before;
    (void)after;
    atomic_store(&k->dirty, true);
    k->config.wake(k->config.ctx);
}

static void on_definitions(void *ctx)
{
    on_definition(ctx, NULL, NULL, NULL);
}

static void on_definitions_failure(void *ctx, const struct err *e, int64_t wait)
{
    struct kinds *k = ctx;

    atomic_fetch_add(&k->failures, 1);
    LOG_WARN("watch failed", LOG_STR("resource", definitions.name), LOG_STR("error", e->text),
             LOG_INT("retryAfterMs", wait / NS_PER_MS));
}

/* Notes that a definition's kind is wanted, in its storage version. */
static bool want(void *ctx, struct arena *a, struct value *object)
{
    struct kinds *k = ctx;
    const struct value *spec = value_get(object, STR("spec"));
    const struct kube_resource r = {
        .group = value_get_str(spec, STR("group")),
        .version = value_get_str(spec, STR("stored")),
        .name = value_get_str(spec, STR("plural")),
        .kind = value_get_str(spec, STR("kind")),
        .namespaced = str_eq(value_get_str(spec, STR("scope")), STR("Namespaced"))};
    str text = str_fmt(a, "%.*s/%.*s", STR_ARG(r.group), STR_ARG(r.kind));
    struct watched *w = map_get(k->watched, text);

    /* Its model is not read before there are objects of it. */
    if (!r.version.len || !model_has_kind(k->config.model, r.group, r.kind))
        return true;
    bool own = str_eq(object_label(object, STR("app.kubernetes.io/name")), STR("plumb"));
    if (w && str_eq(w->resource.version, r.version) && str_eq(w->resource.name, r.name)) {
        if (w->next)
            end(w->next);
        w->next = NULL;
    } else if (w) {
        renew(w, &r);
    } else if (value_is_true(value_get(spec, STR("established")))) {
        w = start(k, &r, false);
    } else {
        return true; /* its objects cannot be listed yet; the definition will change */
    }
    w->wanted = true;
    w->own = own;
    return true;
}

/* A removed entry is replaced with the last one, so iterate from the end. */
static void hand_all_over(struct kinds *k)
{
    for (size_t i = map_len(k->watched); i-- > 0;) {
        struct watched *w = map_at(k->watched, i);
        if (w->next && is_synced(w->next))
            hand_over(k, w);
    }
}

void kinds_step(struct kinds *k)
{
    hand_all_over(k);
    if (!atomic_exchange(&k->dirty, false))
        return;
    for (size_t i = 0; i < map_len(k->watched); i++) {
        struct watched *w = map_at(k->watched, i);
        w->wanted = !w->resource.group.len;
    }
    kube_cache_each(k->definitions, want, k);
    /* A removed entry is replaced with the last one. */
    for (size_t i = map_len(k->watched); i-- > 0;) {
        struct watched *w = map_at(k->watched, i);
        if (!w->wanted)
            stop(k, w);
    }
}

/* ---- All of it. ------------------------------------------------------------------------------ */

struct kinds *kinds_new(const struct kinds_config *config)
{
    struct arena *a = arena_new();
    struct kinds *k = ARENA_NEW(a, struct kinds);
    str *namespaces = ARENA_ARRAY(a, str, config->namespace_count + 1);

    *k = (struct kinds){
        .arena = a, .config = *config, .watched = map_new(a), .words = pack_words_new()};
    for (size_t i = 0; i < config->namespace_count; i++)
        namespaces[i] = str_copy(a, config->namespaces[i]);
    k->config.namespaces = namespaces;
    for (size_t i = 0; i < COUNT(cores); i++)
        (void)start(k, &cores[i], true);
    k->definitions = kube_cache_start(
        config->hub, &(struct kube_cache_config){.watch = {.call = {.resource = &definitions}},
                                                 .trim = trim_definition,
                                                 .handler = {.changed = on_definition,
                                                             .synced = on_definitions,
                                                             .failed = on_definitions_failure,
                                                             .ctx = k}});
    return k;
}

void kinds_free(struct kinds *k)
{
    kube_cache_stop(k->definitions);
    while (map_len(k->watched))
        stop(k, map_at(k->watched, map_len(k->watched) - 1));
    pack_words_free(k->words);
    arena_free(k->arena);
}

bool kinds_synced(struct kinds *k)
{
    if (!kube_cache_synced(k->definitions) || atomic_load(&k->dirty))
        return false;
    for (size_t i = 0; i < map_len(k->watched); i++)
        if (!is_synced(map_at(k->watched, i)))
            return false;
    return true;
}

static struct kube_cache *cache_of(const struct watched *w, str namespace)
{
    const struct kinds_config *c = &w->kinds->config;

    if (!c->namespace_count || !w->resource.namespaced)
        return w->caches[0];
    for (size_t i = 0; i < c->namespace_count; i++)
        if (str_eq(c->namespaces[i], namespace))
            return w->caches[i];
    return NULL;
}

const struct value *kinds_find(struct kinds *k, struct arena *a, const struct object_key *key)
{
    str text = str_fmt(a, "%.*s/%.*s", STR_ARG(key->group), STR_ARG(key->kind));
    const struct watched *w = map_get(k->watched, text);
    struct kube_cache *c = w ? cache_of(w, key->namespace) : NULL;
    struct value *object = c ? kube_cache_get(c, a, key->namespace, key->name) : NULL;

    /* Lists of metadata name neither. */
    if (object && !key->group.len) {
        value_set_str(a, object, STR("apiVersion"), STR("v1"));
        value_set_str(a, object, STR("kind"), w->resource.kind);
    }
    return object;
}

bool kinds_is_own(struct kinds *k, const struct object_key *key)
{
    AUTO_ARENA a = arena_new();
    const struct watched *w =
        map_get(k->watched, str_fmt(a, "%.*s/%.*s", STR_ARG(key->group), STR_ARG(key->kind)));

    return w && w->own;
}

struct walk {
    const struct watched *watched;
    void (*fn)(void *ctx, const struct object_key *key);
    void *ctx;
};

static bool visit(void *ctx, struct arena *a, struct value *object)
{
    struct walk *walk = ctx;
    const struct object_key key = {.group = walk->watched->resource.group,
                                   .kind = walk->watched->resource.kind,
                                   .namespace = object_namespace(object),
                                   .name = object_name(object)};

    (void)a;
    walk->fn(walk->ctx, &key);
    return true;
}

void kinds_each(struct kinds *k, void (*fn)(void *ctx, const struct object_key *key), void *ctx)
{
    for (size_t i = 0; i < map_len(k->watched); i++) {
        struct walk walk = {map_at(k->watched, i), fn, ctx};
        for (size_t j = 0; walk.watched->resource.group.len && j < cache_count(walk.watched); j++)
            kube_cache_each(walk.watched->caches[j], visit, &walk);
    }
}

struct kinds_stats kinds_stats(struct kinds *k)
{
    struct kinds_stats out = {.failures = atomic_load(&k->failures)};
    struct kube_cache_stats one;

    for (size_t i = 0; i < map_len(k->watched); i++) {
        const struct watched *w = map_at(k->watched, i);
        out.kinds += w->resource.group.len > 0;
        for (size_t j = 0; j < cache_count(w); j++) {
            kube_cache_stats(w->caches[j], &one);
            out.objects += w->resource.group.len ? one.objects : 0;
            out.bytes += one.bytes;
        }
    }
    return out;
}
