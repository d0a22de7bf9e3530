/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery.c - what is served: /version, health, and the lists of groups and resources.
 */
#include "store/internal.h"

#include "base/prometheus.h"
#include "object/object.h"

/* The Kubernetes version whose behaviour is implemented. */
#define KUBERNETES_MAJOR "1"
#define KUBERNETES_MINOR "32"

static bool answer_text(struct store_request *r, const char *text)
{
    http_header_set(r->arena, &r->call->reply_headers, STR("Content-Type"), STR("text/plain"));
    r->call->status = 200;
    r->call->reply = str_c(text);
    return true;
}

static bool answer_version(struct store_request *r)
{
    struct arena *a = r->arena;
    struct value *v = value_object(a);

    value_set_str(a, v, STR("major"), STR(KUBERNETES_MAJOR));
    value_set_str(a, v, STR("minor"), STR(KUBERNETES_MINOR));
    value_set_str(a, v, STR("gitVersion"),
                  STR("v" KUBERNETES_MAJOR "." KUBERNETES_MINOR ".0+plumb-" PLUMB_VERSION));
    value_set_str(a, v, STR("platform"), STR("linux/amd64"));
    return store_answer(r, 200, v);
}

static bool answer_metrics(struct store_request *r)
{
    struct buf b = buf_new(r->arena, 64 * KIB);
    struct store_figures f = store_figures_locked(r->store);

    prom_number(&b, "plumb_store_history_versions", "gauge",
                "Versions that watches can go back to.", (double)f.history);
    prom_number(&b, "plumb_store_objects", "gauge", "Objects that exist.", (double)f.objects);
    prom_number(&b, "plumb_store_types", "gauge", "Types that are served.", (double)f.types);
    prom_number(&b, "plumb_store_version", "counter", "The last resourceVersion on disk.",
                (double)f.version);
    prom_number(&b, "plumb_store_watches", "gauge", "Open watches.", (double)f.watches);
    http_header_set(r->arena, &r->call->reply_headers, STR("Content-Type"),
                    STR("text/plain; version=0.0.4; charset=utf-8"));
    r->call->status = 200;
    r->call->reply = buf_str(&b);
    return true;
}

static struct value *new_list(struct arena *a, const char *kind, const char *api)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("kind"), str_c(kind));
    if (api)
        value_set_str(a, v, STR("apiVersion"), str_c(api));
    return v;
}

static struct value *verbs(struct arena *a, bool status)
{
    static const char *const all[] = {"create", "delete", "deletecollection", "get",
                                      "list",   "patch",  "update",           "watch"};
    struct value *list = value_list(a);

    for (size_t i = 0; i < COUNT(all); i++)
        if (!status || str_eq(str_c(all[i]), STR("get")) || str_eq(str_c(all[i]), STR("patch")) ||
            str_eq(str_c(all[i]), STR("update")))
            value_add(a, list, value_string(a, str_c(all[i])));
    return list;
}

static void set_list(struct arena *a, struct value *v, const char *key, const struct value *list)
{
    if (value_len(list))
        value_set(a, v, str_c(key), value_copy(a, list));
}

static void add_resource(struct arena *a, struct value *list, const struct store_type *t,
                         const struct store_shape *shape, bool status)
{
    struct value *v = value_object(a);
    const struct value *names = shape->names;

    value_set_str(a, v, STR("name"),
                  status ? str_concat(a, t->plural, STR("/status")) : str_copy(a, t->plural));
    value_set_str(a, v, STR("singularName"),
                  status ? STR_NONE : str_copy(a, value_get_str(names, STR("singular"))));
    value_set_bool(a, v, STR("namespaced"), t->namespaced);
    value_set_str(a, v, STR("kind"), str_copy(a, t->kind));
    value_set(a, v, STR("verbs"), verbs(a, status));
    if (!status) {
        set_list(a, v, "shortNames", value_get(names, STR("shortNames")));
        set_list(a, v, "categories", value_get(names, STR("categories")));
    }
    value_add(a, list, v);
}

/* /api/v1 and /apis/GROUP/VERSION */
static bool answer_resources(struct store_request *r, str group, str version)
{
    struct arena *a = r->arena;
    struct value *v = new_list(a, "APIResourceList", "v1"), *list = value_list(a);

    value_set_str(a, v, STR("groupVersion"), api_version_join(a, group, version));
    for (struct store_type *t = r->store->types; t; t = t->next) {
        if (t->gone || !str_eq(t->group, group))
            continue;
        const struct store_shape *shape = store_type_shape(r->store, t);
        const struct store_shape_version *as = store_shape_version(shape, version);
        if (!as || !as->served)
            continue;
        add_resource(a, list, t, shape, false);
        if (as->has_status)
            add_resource(a, list, t, shape, true);
    }
    if (!list->len)
        return false;
    value_set(a, v, STR("resources"), list);
    return store_answer(r, 200, v);
}

/* ---- Versions of a group, the best first. ---- */

/* "v2beta1": major 2, stage 1 (alpha 0, none 2), minor 1. False: not a Kubernetes version name. */
static bool read_version(str text, uint64_t *major, int *stage, uint64_t *minor)
{
    static const char *const words[] = {"alpha", "beta"};
    str digits = str_from(text, 1), rest;

    *stage = 2;
    *minor = 0;
    if (!str_has_prefix(text, STR("v")))
        return false;
    for (int i = 0; i < 2; i++)
        if (str_cut(digits, str_c(words[i]), &digits, &rest)) {
            *stage = i;
            if (!str_to_u64(rest, minor) || !*minor)
                return false;
        }
    return str_to_u64(digits, major) && *major;
}

/* Whether x is preferred: stable versions first, then later ones; other names last, alphabetically.
 * */
static bool is_better(str x, str y)
{
    uint64_t major[2] = {0}, minor[2] = {0};
    int stage[2] = {0};
    bool first = read_version(x, &major[0], &stage[0], &minor[0]);
    bool second = read_version(y, &major[1], &stage[1], &minor[1]);

    if (first != second)
        return first;
    if (!first)
        return str_cmp(x, y) < 0;
    if (stage[0] != stage[1])
        return stage[0] > stage[1];
    return major[0] != major[1] ? major[0] > major[1] : minor[0] > minor[1];
}

static void add_version(struct arena *a, struct str_list *list, str version)
{
    size_t at = list->len;

    if (str_list_has(list, version))
        return;
    VEC_PUSH(a, list, version);
    for (; at && is_better(version, list->items[at - 1]); at--)
        list->items[at] = list->items[at - 1];
    list->items[at] = str_copy(a, version);
}

static struct str_list versions_of(struct store_request *r, str group)
{
    struct str_list list = {0};

    for (struct store_type *t = r->store->types; t; t = t->next) {
        const struct store_shape *shape;

        if (t->gone || !str_eq(t->group, group))
            continue;
        shape = store_type_shape(r->store, t);
        for (size_t i = 0; i < shape->count; i++)
            if (shape->versions[i].served)
                add_version(r->arena, &list, shape->versions[i].name);
    }
    return list;
}

/* The groups, the unnamed one first. */
static struct str_list groups_of(struct store_request *r)
{
    struct str_list list = {0};

    for (struct store_type *t = r->store->types; t; t = t->next)
        if (!t->gone && !str_list_has(&list, t->group))
            VEC_PUSH(r->arena, &list, t->group);
    return list;
}

static struct value *group_of(struct store_request *r, str group)
{
    struct arena *a = r->arena;
    struct value *v = value_object(a), *list = value_list(a);
    struct str_list versions = versions_of(r, group);

    value_set_str(a, v, STR("name"), str_copy(a, group));
    for (size_t i = 0; i < versions.len; i++) {
        struct value *one = value_object(a);
        value_set_str(a, one, STR("groupVersion"), api_version_join(a, group, versions.items[i]));
        value_set_str(a, one, STR("version"), versions.items[i]);
        value_add(a, list, one);
    }
    value_set(a, v, STR("versions"), list);
    if (list->len)
        value_set(a, v, STR("preferredVersion"), &list->items[0]);
    return v;
}

/* ---- Aggregated discovery (apidiscovery.k8s.io). ---- */

static struct value *response_kind(struct arena *a, const struct store_type *t, str version)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("group"), t->group);
    value_set_str(a, v, STR("version"), version);
    value_set_str(a, v, STR("kind"), t->kind);
    return v;
}

static struct value *subresource(struct arena *a, const struct store_type *t, str version)
{
    struct value *v = value_object(a), *list = value_list(a);

    value_set_str(a, v, STR("subresource"), STR("status"));
    value_set(a, v, STR("responseKind"), response_kind(a, t, version));
    value_set(a, v, STR("verbs"), verbs(a, true));
    value_add(a, list, v);
    return list;
}

static struct value *discovered(struct arena *a, const struct store_type *t,
                                const struct store_shape *shape,
                                const struct store_shape_version *as)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("resource"), t->plural);
    value_set(a, v, STR("responseKind"), response_kind(a, t, str_copy(a, as->name)));
    value_set_str(a, v, STR("scope"), t->namespaced ? STR("Namespaced") : STR("Cluster"));
    value_set_str(a, v, STR("singularResource"),
                  str_copy(a, value_get_str(shape->names, STR("singular"))));
    value_set(a, v, STR("verbs"), verbs(a, false));
    set_list(a, v, "shortNames", value_get(shape->names, STR("shortNames")));
    set_list(a, v, "categories", value_get(shape->names, STR("categories")));
    if (as->has_status)
        value_set(a, v, STR("subresources"), subresource(a, t, str_copy(a, as->name)));
    return v;
}

static struct value *discovered_version(struct store_request *r, str group, str version)
{
    struct arena *a = r->arena;
    struct value *v = value_object(a), *list = value_list(a);

    for (struct store_type *t = r->store->types; t; t = t->next) {
        const struct store_shape *shape;
        const struct store_shape_version *as;

        if (t->gone || !str_eq(t->group, group))
            continue;
        shape = store_type_shape(r->store, t);
        as = store_shape_version(shape, version);
        if (as && as->served)
            value_add(a, list, discovered(a, t, shape, as));
    }
    value_set_str(a, v, STR("version"), version);
    value_set(a, v, STR("resources"), list);
    value_set_str(a, v, STR("freshness"), STR("Current"));
    return v;
}

static struct value *discovered_group(struct store_request *r, str group)
{
    struct arena *a = r->arena;
    struct value *v = value_object(a), *meta = value_object(a), *list = value_list(a);
    struct str_list versions = versions_of(r, group);

    if (group.len)
        value_set_str(a, meta, STR("name"), group);
    value_set(a, meta, STR("creationTimestamp"), value_null(a));
    object_set_meta(a, v, meta);
    for (size_t i = 0; i < versions.len; i++)
        value_add(a, list, discovered_version(r, group, versions.items[i]));
    value_set(a, v, STR("versions"), list);
    return v;
}

/* The version in which the client wants aggregated discovery; empty: it does not. */
static str wants_aggregated(const struct store_request *r)
{
    str accept = handler_header(r->call, STR("Accept")), one;

    while (accept.len) {
        str_cut(accept, STR(","), &one, &accept);
        if (!str_contains(one, STR("as=APIGroupDiscoveryList")))
            return STR_NONE;
        if (str_contains(one, STR("v=v2")))
            return str_contains(one, STR("v=v2beta1")) ? STR("v2beta1") : STR("v2");
    }
    return STR_NONE;
}

/* /api has the unnamed group, /apis all others. */
static bool answer_aggregated(struct store_request *r, str version, bool core)
{
    struct arena *a = r->arena;
    struct value *v = value_object(a), *items = value_list(a);
    struct str_list groups = groups_of(r);

    value_set_str(a, v, STR("kind"), STR("APIGroupDiscoveryList"));
    value_set_str(a, v, STR("apiVersion"), str_concat(a, STR("apidiscovery.k8s.io/"), version));
    object_make_meta(a, v);
    for (size_t i = 0; i < groups.len; i++)
        if (core == !groups.items[i].len)
            value_add(a, items, discovered_group(r, groups.items[i]));
    value_set(a, v, STR("items"), items);
    http_header_set(a, &r->call->reply_headers, STR("Content-Type"),
                    str_fmt(a,
                            "application/json;g=apidiscovery.k8s.io;v=%.*s;"
                            "as=APIGroupDiscoveryList",
                            STR_ARG(version)));
    return store_answer(r, 200, v);
}

/* ---- The lists. ---- */

/* /apis */
static bool answer_groups(struct store_request *r)
{
    struct arena *a = r->arena;
    struct value *v = new_list(a, "APIGroupList", "v1"), *list = value_list(a);
    struct str_list groups = groups_of(r);
    str version = wants_aggregated(r);

    if (version.len)
        return answer_aggregated(r, version, false);
    for (size_t i = 0; i < groups.len; i++)
        if (groups.items[i].len)
            value_add(a, list, group_of(r, groups.items[i]));
    value_set(a, v, STR("groups"), list);
    return store_answer(r, 200, v);
}

/* /api */
static bool answer_core(struct store_request *r)
{
    struct arena *a = r->arena;
    struct value *v = new_list(a, "APIVersions", NULL), *versions = value_list(a);
    str version = wants_aggregated(r);

    if (version.len)
        return answer_aggregated(r, version, true);
    value_add(a, versions, value_string(a, STR("v1")));
    value_set(a, v, STR("versions"), versions);
    value_set(a, v, STR("serverAddressByClientCIDRs"), value_list(a));
    return store_answer(r, 200, v);
}

/* /apis/GROUP */
static bool answer_group(struct store_request *r, str group)
{
    struct value *v = group_of(r, group);

    if (!value_len(value_get(v, STR("versions"))))
        return false;
    value_set_str(r->arena, v, STR("kind"), STR("APIGroup"));
    value_set_str(r->arena, v, STR("apiVersion"), STR("v1"));
    return store_answer(r, 200, v);
}

bool store_do_other(struct store_request *r)
{
    AUTO_LOCK guard = lock_take(&r->store->lock);
    str path = r->call->path, group, version;

    if (!str_eq(r->call->method, STR("GET")))
        return false;
    if (str_eq(path, STR("/healthz")) || str_eq(path, STR("/livez")) ||
        str_eq(path, STR("/readyz")))
        return answer_text(r, "ok");
    if (str_eq(path, STR("/metrics")))
        return answer_metrics(r);
    if (str_has_prefix(path, STR("/openapi/")))
        return store_do_openapi(r, str_from(path, 9));
    if (str_eq(path, STR("/version")) || str_eq(path, STR("/version/")))
        return answer_version(r);
    if (str_eq(path, STR("/api")) || str_eq(path, STR("/api/")))
        return answer_core(r);
    if (str_eq(path, STR("/api/v1")) || str_eq(path, STR("/api/v1/")))
        return answer_resources(r, STR_NONE, STR("v1"));
    if (str_eq(path, STR("/apis")) || str_eq(path, STR("/apis/")))
        return answer_groups(r);
    if (str_has_prefix(path, STR("/apis/")))
        path = str_without_suffix(str_from(path, 6), STR("/"));
    else
        return false;
    return str_cut(path, STR("/"), &group, &version) ? answer_resources(r, group, version)
                                                     : answer_group(r, group);
}
