/* SPDX-License-Identifier: Apache-2.0 */
/* live.c - reads objects from a running cluster; see live_internal.h. */
#include "compare/input/live_internal.h"
#include "go/quote.h"
#include "net/redact.h"
#include "object/object.h"

/* A type, and what is asked for its objects. */
struct live_type {
    struct kube_call call;
};

struct type_list {
    struct live_type **items;
    size_t len, cap;
};

struct live {
    struct arena *arena;
    struct arena *secrets; /* of the configuration */
    struct kube_config *config;
    struct kube_transport *transport;
    struct kube_discovery *discovery;
    struct type_list types;
    struct str_list doubts; /* see live_doubt */
    bool lacks;             /* something that templates are about */
    bool collects;          /* what the server warns of */
    struct lock lock;       /* of what follows */
    struct arena *warning_arena;
    struct str_list warnings;
};

static void take_warning(void *ctx, str text);

/* ---- The cluster. ---- */

static bool connect(struct live *l, const struct kube_flags *given, struct err *e)
{
    struct kube_flags flags = *given;

    if (l->collects)
        flags.warn = (struct kube_warn){take_warning, l, given->warn.repeat};
    return kube_config_load(l->secrets, &flags, &l->config, e) &&
           kube_transport_new(l->config, STR_NONE, &l->transport, e);
}

bool live_open(struct arena *a, const struct kube_flags *flags, bool collect, struct live **out,
               struct err *e)
{
    struct live *l = ARENA_NEW(a, struct live);

    l->arena = a;
    l->collects = collect;
    l->lock = (struct lock)LOCK_INIT;
    l->warning_arena = arena_new();
    l->secrets = arena_new_secret();
    *out = l;
    return connect(l, flags, e);
}

void live_close(struct live *l)
{
    if (!l)
        return;
    kube_transport_free(l->transport);
    arena_free(l->warning_arena);
    arena_free(l->secrets);
}

bool live_discover(struct live *l, struct err *e)
{
    return kube_discover(l->transport, l->arena, NULL, &l->discovery, e) &&
           kube_discovery_complete(l->discovery, e);
}

const struct kube_discovery *live_discovery(const struct live *l)
{
    return l->discovery;
}

void live_tell_failure(struct arena *a, const struct err *fault, struct log_buffer *log)
{
    str text = str_fmt(a, "couldn't get current server API group list: %.*s", STR_ARG(fault->text));

    log_buffer_error(log, "\"Unhandled Error\" err=%.*s logger=\"UnhandledError\"",
                     STR_ARG(go_quoted(a, text)));
}

void live_tell_versions(const struct live *l, struct log_buffer *log)
{
    const struct kube_discovery *d = l->discovery;
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < 2 * d->version_count; i++) {
        const struct kube_version *v = &d->versions[i % d->version_count];
        if (!v->failure.len)
            continue;
        str name = api_version_join(a, v->group, v->version);
        str text = str_fmt(a, "couldn't get resource list for %.*s: %.*s", STR_ARG(name),
                           STR_ARG(v->failure));
        log_buffer_error(log, "\"Unhandled Error\" err=%.*s logger=\"UnhandledError\"",
                         STR_ARG(go_quoted(a, text)));
    }
}

/* One of another namespace, or of none, would be another object. */
static bool fits_namespace(const struct kube_call *c, const struct value *object, struct err *e)
{
    str name = object_name(object), namespace = object_namespace(object);

    if (!c->resource->namespaced)
        return !namespace.len || err_set(e, ERR_INVALID,
                                         "%.*s is in namespace %.*s, and these "
                                         "are in none",
                                         STR_ARG(name), STR_ARG(namespace));
    if (!namespace.len)
        return err_set(e, ERR_INVALID, "%.*s is in no namespace", STR_ARG(name));
    return !c->namespace.len || str_eq(c->namespace, namespace) ||
           err_set(e, ERR_INVALID, "%.*s is in namespace %.*s", STR_ARG(name), STR_ARG(namespace));
}

bool live_accepts(const struct live *l, size_t type, const struct value *object, struct err *e)
{
    str api = value_get_str(object, STR("apiVersion")), kind = value_get_str(object, STR("kind"));
    const struct kube_call *call = live_call(l, type);

    /* What is something else would count as an object that no template is about. */
    if (!l->config->client_go)
        return (kube_object_fits(call, object, e) && fits_namespace(call, object, e)) ||
               err_wrap(e, "the list of %.*s", STR_ARG(call->resource->name));
    if (kube_kind_exact(l->discovery, api, kind))
        return true;
    return err_set(e, ERR_NOT_FOUND,
                   "unable to recognize no matches for kind \"%.*s\" in version \"%.*s\"",
                   STR_ARG(kind), STR_ARG(api));
}

str live_name(const struct live *l, struct arena *a)
{
    str context = l->config->context;

    /* The configuration ends with the connection, the name with the report. */
    return context.len ? str_concat(a, STR("context "), context)
                       : str_copy(a, redact_place(a, l->config->server));
}

struct kube_transport *live_transport(const struct live *l)
{
    return l->transport;
}

/* ---- Types. ---- */

/* Looking for the types of some templates. */
struct choosing {
    struct live *live;
    const struct template *templates;
    size_t count;
    struct str_list unknown; /* kinds */
    struct str_list lacking; /* kind, group and version */
};

static bool has_type(const struct type_list *list, const struct kube_resource *r)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->items[i]->call.resource == r)
            return true;
    return false;
}

/*
 * Upstream: what an entry says about its own group and version decides. Classic discovery leaves it
 * out, and then only the first group with the kind is asked.
 */
static const struct kube_resource *resource_of(const struct live *l,
                                               const struct kube_resource *entry)
{
    const struct kube_discovery *d = l->discovery;

    if (!l->config->client_go)
        return entry;
    if (!entry->kind_group.len)
        return kube_kind_find(d, entry->kind, STR_NONE, STR_NONE);
    return kube_kind_find(d, entry->kind, entry->kind_group, entry->kind_version);
}

static bool states(const struct live *l, str kind, str group, str version)
{
    const struct kube_discovery *d = l->discovery;
    bool stated = l->config->client_go;

    for (size_t i = 0; i < d->resource_count; i++) {
        const struct kube_resource *r = &d->resources[i];
        if (str_eq(r->kind, kind) && str_eq(stated ? r->kind_group : r->group, group) &&
            str_eq(stated ? r->kind_version : r->version, version))
            return true;
    }
    return false;
}

static void note_lacking(struct choosing *c, str kind)
{
    struct arena *a = c->live->arena;

    for (size_t i = 0; i < c->count; i++) {
        const struct identity *id = &c->templates[i].identity;
        str group, version;
        api_version_split(id->api_version, &group, &version);
        if (!str_eq(id->kind, kind) || !group.len || states(c->live, kind, group, version))
            continue;
        str text = str_fmt(a, "%.*s.%.*s", STR_ARG(kind), STR_ARG(id->api_version));
        if (!str_list_has(&c->lacking, text))
            VEC_PUSH(a, &c->lacking, text);
    }
}

static void add_type(struct live *l, const struct kube_resource *r)
{
    struct live_type *t = ARENA_NEW(l->arena, struct live_type);

    t->call.resource = r;
    if (r->namespaced && l->config->namespace_given)
        t->call.namespace = l->config->namespace;
    VEC_PUSH(l->arena, &l->types, t);
}

static void choose_kind(struct choosing *c, str kind)
{
    const struct kube_discovery *d = c->live->discovery;
    bool known = false;

    for (size_t i = 0; i < d->resource_count; i++) {
        const struct kube_resource *entry = &d->resources[i];
        if (!str_eq(entry->kind, kind) || (entry->subresource && !c->live->config->client_go))
            continue;
        known = true;
        const struct kube_resource *r = resource_of(c->live, entry);
        if (r && !has_type(&c->live->types, r))
            add_type(c->live, r);
    }
    if (known)
        note_lacking(c, kind);
    else
        VEC_PUSH(c->live->arena, &c->unknown, kind);
}

/* ---- Doubts. ---- */

static bool is_group_of(const struct choosing *c, str group)
{
    str own, version;

    for (size_t i = 0; i < c->count; i++) {
        api_version_split(c->templates[i].identity.api_version, &own, &version);
        if (str_eq(own, group))
            return true;
    }
    return false;
}

/* Every cluster has it: a server that lists nothing of it may hide it. */
static bool has_core(const struct kube_discovery *d)
{
    for (size_t i = 0; i < d->resource_count; i++)
        if (!d->resources[i].group.len)
            return true;
    return false;
}

static bool is_about_core(const struct choosing *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (str_eq(c->templates[i].identity.api_version, STR("v1")))
            return true;
    return false;
}

static void add_doubt(struct live *l, str group, str version, str why)
{
    str api = api_version_join(l->arena, group, version);

    VEC_PUSH(l->arena, &l->doubts,
             str_fmt(l->arena, "objects of %.*s may be missing: %.*s", STR_ARG(api), STR_ARG(why)));
}

/* Kinds of other groups are not what templates are about. */
static void note_doubts(struct choosing *c)
{
    struct live *l = c->live;
    const struct kube_discovery *d = l->discovery;
    bool known = false;

    if (l->config->client_go)
        return;
    for (size_t i = 0; i < d->version_count; i++) {
        const struct kube_version *v = &d->versions[i];
        str why = v->failure.len ? v->failure : v->doubt;
        if (!why.len || !is_group_of(c, v->group))
            continue;
        add_doubt(l, v->group, v->version, why);
        known |= !v->group.len;
    }
    if (!known && !has_core(d) && is_about_core(c))
        add_doubt(l, STR_NONE, STR("v1"), STR("the server lists no kind of it"));
}

size_t live_doubt_count(const struct live *l)
{
    return l->doubts.len;
}

str live_doubt(const struct live *l, size_t i)
{
    return l->doubts.items[i];
}

/* ---- Choosing. ---- */

static int compare_strs(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

static str sorted(struct arena *a, struct str_list *list)
{
    qsort(list->items, list->len, sizeof(str), compare_strs);
    return str_join(a, list->items, list->len, STR(", "));
}

bool live_choose(struct live *l, const struct template *templates, size_t count,
                 struct log_buffer *log, struct err *e)
{
    struct choosing c = {.live = l, .templates = templates, .count = count};
    struct map *seen = map_new(l->arena);

    for (size_t i = 0; i < count; i++) {
        str kind = templates[i].identity.kind;
        if (map_has(seen, kind))
            continue;
        map_set(seen, kind, l);
        choose_kind(&c, kind);
    }
    note_doubts(&c);
    l->lacks = c.lacking.len || c.unknown.len || l->doubts.len;
    if (c.lacking.len)
        log_buffer_warn(
            log,
            "There may be an issue with the API resources exposed by the cluster. Found "
            "kind but missing group/version for %.*s ",
            STR_ARG(sorted(l->arena, &c.lacking)));
    if (!l->types.len && l->doubts.len)
        return err_set_str(e, ERR_NOT_FOUND, l->doubts.items[0]);
    if (!l->types.len)
        return err_set(e, ERR_NOT_FOUND,
                       "templates don't contain any types (kind) of resources that are supported "
                       "by the cluster");
    if (c.unknown.len)
        log_buffer_warn(
            log, "Reference Contains Templates With Types (kind) Not Supported By Cluster: %.*s",
            STR_ARG(sorted(l->arena, &c.unknown)));
    return true;
}

/* ---- Again. ---- */

static bool is_same(const struct kube_resource *r, const struct kube_resource *q)
{
    return str_eq(r->group, q->group) && str_eq(r->version, q->version) && str_eq(r->name, q->name);
}

static bool is_chosen(const struct live *l, const struct kube_resource *r)
{
    for (size_t i = 0; i < l->types.len; i++)
        if (is_same(l->types.items[i]->call.resource, r))
            return true;
    return false;
}

/* What requests need of it. */
static const struct kube_resource *copy_resource(struct arena *a, const struct kube_resource *r)
{
    struct kube_resource *copy = ARENA_NEW(a, struct kube_resource);

    *copy = (struct kube_resource){.group = str_copy(a, r->group),
                                   .version = str_copy(a, r->version),
                                   .name = str_copy(a, r->name),
                                   .kind = str_copy(a, r->kind),
                                   .namespaced = r->namespaced};
    return copy;
}

bool live_lacks(const struct live *l)
{
    return l->lacks;
}

/* The server is asked again and again: what it is still unsure of takes no more memory. */
static void keep_doubts(struct live *l, const struct str_list *now)
{
    size_t known = l->doubts.len;

    l->doubts.len = 0;
    for (size_t i = 0; i < now->len; i++) {
        bool same = i < known && str_eq(l->doubts.items[i], now->items[i]);
        str doubt = same ? l->doubts.items[i] : str_copy(l->arena, now->items[i]);
        VEC_PUSH(l->arena, &l->doubts, doubt);
    }
}

bool live_refresh(struct live *l, const struct template *templates, size_t count,
                  struct http_cancel *cancel, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct live fresh = {.arena = a, .config = l->config};
    struct log_buffer quiet = {.arena = a};
    AUTO_ERR none = {0};

    if (!kube_discover(l->transport, a, cancel, &fresh.discovery, e))
        return false;
    /* Having no types left is not a failure: what the server is unsure of still counts. */
    (void)!live_choose(&fresh, templates, count, &quiet, &none);
    l->lacks = fresh.lacks;
    keep_doubts(l, &fresh.doubts);
    for (size_t i = 0; i < fresh.types.len; i++) {
        const struct kube_resource *r = fresh.types.items[i]->call.resource;
        if (!is_chosen(l, r))
            add_type(l, copy_resource(l->arena, r));
    }
    return true;
}

/* ---- Objects. ---- */

size_t live_type_count(const struct live *l)
{
    return l->types.len;
}

const struct kube_call *live_call(const struct live *l, size_t type)
{
    return &l->types.items[type]->call;
}

struct kube_pages *live_pages(const struct live *l, size_t type)
{
    static const struct kube_list_options strict = {.limit = KUBE_PAGE},
                                          lenient = {.limit = KUBE_PAGE, .lenient = true};

    return kube_pages_new(l->transport, live_call(l, type),
                          l->config->client_go ? &lenient : &strict);
}

void live_fit(const struct live *l, size_t type, struct value *object)
{
    struct value *meta = object_meta(object);

    if (value_is(meta, VALUE_OBJECT) &&
        (!live_call(l, type)->resource->namespaced || !value_get_str(meta, STR("namespace")).len))
        value_unset(meta, STR("namespace"));
}

/* ---- Warnings. ---- */

/* From any thread. */
static void take_warning(void *ctx, str text)
{
    struct live *l = ctx;
    AUTO_LOCK guard = lock_take(&l->lock);

    if (l->warnings.len < KUBE_WARNINGS_MAX)
        VEC_PUSH(l->warning_arena, &l->warnings, str_copy(l->warning_arena, text));
}

void live_warnings(struct live *l, bool pass_on, struct log_buffer *log)
{
    AUTO_LOCK guard = lock_take(&l->lock);
    struct arena *a = l->warning_arena;

    for (size_t i = 0; i < l->warnings.len; i++) {
        str text = l->warnings.items[i];
        if (pass_on)
            log_buffer_server(log, 'S', text);
        else
            log_buffer_server(log, 'I', go_quoted(a, str_concat(a, STR("Warning: "), text)));
    }
    l->warnings = (struct str_list){0};
    arena_reset(l->warning_arena);
}
