/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery_read.c - parses discovery responses, in the aggregated and in the classic form.
 *
 * Invalid groups and versions are an error, as in Go. Invalid resources (without name or kind) are
 * left out, which is noted as a doubt in their version: they come from one extension, and the
 * others should keep working.
 */
#include "kube/discovery_internal.h"
#include "object/object.h"

#include "kube/items_internal.h"

static void add_texts(struct arena *a, struct str_list *to, const struct value *list)
{
    for (size_t i = 0; i < value_len(list); i++) {
        str text = value_str(value_at(list, i));
        if (text.len)
            VEC_PUSH(a, to, str_copy(a, text));
    }
}

static bool add_version(struct discovery_build *b, struct kube_version v, struct err *e)
{
    if (b->versions.len >= KUBE_VERSIONS_MAX)
        return err_set(e, ERR_LIMIT, "the server has more than %d API versions", KUBE_VERSIONS_MAX);
    v.group = str_copy(b->arena, v.group);
    v.version = str_copy(b->arena, v.version);
    VEC_PUSH(b->arena, &b->versions, v);
    return true;
}

/* Go's decoding fails as a whole if anything is of the wrong type. */
static bool check_group(const struct value *group, const struct value *named, struct err *e)
{
    if (!value_is(group, VALUE_OBJECT))
        return err_set(e, ERR_INVALID, "a group is not an object but %s",
                       value_kind_name(group->kind));
    return kube_check_metadata(group, e) && kube_check_kind(named, STR("name"), VALUE_STRING, e) &&
           kube_check_kind(group, STR("versions"), VALUE_LIST, e);
}

static bool check_version(str group, str version, struct err *e)
{
    return version.len || err_set(e, ERR_INVALID, "a version of %.*s has no name", STR_ARG(group));
}

static bool add_resource(struct discovery_build *b, struct kube_version *v, struct kube_resource r,
                         struct err *e)
{
    struct arena *a = b->arena;

    r.subresource = str_find_char(r.name, '/') != STR_NPOS;
    if (!r.name.len || !r.kind.len) {
        if (!r.subresource)
            v->doubt = STR("the server lists a resource of it without a name or a kind");
        return true;
    }
    if (b->resources.len >= KUBE_RESOURCES_MAX)
        return err_set(e, ERR_LIMIT, "the server has more than %d resources", KUBE_RESOURCES_MAX);
    r.group = str_copy(a, v->group);
    r.version = str_copy(a, v->version);
    r.preferred = v->preferred;
    r.name = str_copy(a, r.name);
    r.singular = str_copy(a, r.singular);
    r.kind = str_copy(a, r.kind);
    r.kind_group = str_copy(a, r.kind_group);
    r.kind_version = str_copy(a, r.kind_version);
    VEC_PUSH(a, &b->resources, r);
    return true;
}

/* Otherwise its objects could be taken for those of another namespace, or of none. */
#define DOUBT_SCOPE STR("the server does not say whether a resource of it is in namespaces")

/* ---- Aggregated ----------------------------------------------------------------------------- */

static struct kube_resource entry(struct discovery_build *b, const struct value *from, str name)
{
    const struct value *kind = value_get(from, STR("responseKind"));
    struct kube_resource r = {.name = name,
                              .singular = value_get_str(from, STR("singularResource")),
                              .kind = value_get_str(kind, STR("kind")),
                              .kind_group = value_get_str(kind, STR("group")),
                              .kind_version = value_get_str(kind, STR("version"))};

    add_texts(b->arena, &r.verbs, value_get(from, STR("verbs")));
    add_texts(b->arena, &r.short_names, value_get(from, STR("shortNames")));
    add_texts(b->arena, &r.categories, value_get(from, STR("categories")));
    return r;
}

static bool add_subresources(struct discovery_build *b, struct kube_version *v,
                             const struct value *from, bool namespaced, struct err *e)
{
    const struct value *list = value_get(from, STR("subresources"));
    str parent = value_get_str(from, STR("resource"));

    for (size_t i = 0; i < value_len(list); i++) {
        const struct value *sub = value_at(list, i);
        str name = value_get_str(sub, STR("subresource"));
        struct kube_resource r =
            entry(b, sub, str_fmt(b->arena, "%.*s/%.*s", STR_ARG(parent), STR_ARG(name)));
        r.namespaced = namespaced;
        if (name.len && !add_resource(b, v, r, e))
            return false;
    }
    return true;
}

/* The kind may be omitted when there are only subresources. */
static bool add_entry(struct discovery_build *b, struct kube_version *v, const struct value *one,
                      struct err *e)
{
    struct kube_resource r = entry(b, one, value_get_str(one, STR("resource")));
    bool is_parent = r.name.len && !r.kind.len && value_len(value_get(one, STR("subresources")));

    const struct value *scope = value_get(one, STR("scope"));
    r.namespaced = str_eq(value_str(scope), STR("Namespaced"));
    if (scope && !r.namespaced && !str_eq(value_str(scope), STR("Cluster")))
        v->doubt = DOUBT_SCOPE;
    return (is_parent || add_resource(b, v, r, e)) && add_subresources(b, v, one, r.namespaced, e);
}

static bool add_aggregated_version(struct discovery_build *b, str group, const struct value *from,
                                   bool preferred, struct err *e)
{
    struct kube_version v = {
        .group = group, .version = value_get_str(from, STR("version")), .preferred = preferred};
    bool is_stale = str_eq(value_get_str(from, STR("freshness")), STR("Stale"));
    const struct value *list = value_get(from, STR("resources"));
    AUTO_ERR fault = {0};

    if (!kube_check_kind(from, STR("resources"), VALUE_LIST, &fault)) {
        v.failure = str_copy(b->arena, fault.text);
        v.error = fault.kind;
    }
    if (is_stale)
        v.doubt = STR("the API behind it does not answer the server (stale)");
    if (!check_version(group, v.version, e) || !add_version(b, v, e))
        return false;
    /* The resources of a stale version may be outdated; client-go leaves them out. */
    struct kube_version *kept = &b->versions.items[b->versions.len - 1];
    for (size_t i = 0; !is_stale && i < value_len(list); i++)
        if (!add_entry(b, kept, value_at(list, i), e))
            return false;
    return true;
}

bool discovery_add_aggregated(struct discovery_build *b, const struct value *list, struct err *e)
{
    const struct value *groups = value_get(list, STR("items"));

    for (size_t i = 0; i < value_len(groups); i++) {
        const struct value *group = value_at(groups, i);
        str name = object_name(group);
        const struct value *versions = value_get(group, STR("versions"));
        if (!check_group(group, object_meta(group), e))
            return false;
        for (size_t k = 0; k < value_len(versions); k++)
            if (!add_aggregated_version(b, name, value_at(versions, k), k == 0, e))
                return false;
    }
    return true;
}

/* ---- Classic -------------------------------------------------------------------------------- */

/* The preferred version first, then as listed. */
static bool add_group(struct discovery_build *b, const struct value *group, struct err *e)
{
    str name = value_get_str(group, STR("name"));
    str preferred = value_get_str(value_get(group, STR("preferredVersion")), STR("version"));
    const struct value *versions = value_get(group, STR("versions"));

    if (!check_group(group, group, e))
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < value_len(versions); i++) {
            struct kube_version v = {
                .group = name, .version = value_get_str(value_at(versions, i), STR("version"))};
            v.preferred = preferred.len ? str_eq(v.version, preferred) : i == 0;
            if (!check_version(name, v.version, e) ||
                (v.preferred == (pass == 0) && !add_version(b, v, e)))
                return false;
        }
    }
    return true;
}

bool discovery_add_groups(struct discovery_build *b, const struct value *answer, struct err *e)
{
    const struct value *legacy = value_get(answer, STR("versions"));
    const struct value *groups = value_get(answer, STR("groups"));

    for (size_t i = 0; i < value_len(legacy); i++) {
        struct kube_version v = {.version = value_str(value_at(legacy, i)), .preferred = i == 0};
        if (!check_version(STR("the core"), v.version, e) || !add_version(b, v, e))
            return false;
    }
    for (size_t i = 0; i < value_len(groups); i++)
        if (!add_group(b, value_at(groups, i), e))
            return false;
    return true;
}

bool discovery_add_resources(struct discovery_build *b, struct kube_version *v,
                             const struct value *list, struct err *e)
{
    const struct value *entries = value_get(list, STR("resources"));

    for (size_t i = 0; i < value_len(entries); i++) {
        const struct value *from = value_at(entries, i);
        struct kube_resource r = {.name = value_get_str(from, STR("name")),
                                  .singular = value_get_str(from, STR("singularName")),
                                  .kind = value_get_str(from, STR("kind")),
                                  .kind_group = value_get_str(from, STR("group")),
                                  .kind_version = value_get_str(from, STR("version")),
                                  .namespaced = value_is_true(value_get(from, STR("namespaced")))};
        add_texts(b->arena, &r.verbs, value_get(from, STR("verbs")));
        add_texts(b->arena, &r.short_names, value_get(from, STR("shortNames")));
        add_texts(b->arena, &r.categories, value_get(from, STR("categories")));
        if (!kube_check_kind(from, STR("namespaced"), VALUE_BOOL, NULL))
            v->doubt = DOUBT_SCOPE;
        if (!add_resource(b, v, r, e))
            return false;
    }
    return true;
}

/* ---- Result --------------------------------------------------------------------------------- */

void discovery_publish(const struct discovery_build *b, struct kube_discovery *d)
{
    d->resources = b->resources.items;
    d->resource_count = b->resources.len;
    d->versions = b->versions.items;
    d->version_count = b->versions.len;
}

bool kube_discovery_read(struct arena *a, const struct value *list, struct kube_discovery *d,
                         struct err *e)
{
    struct discovery_build b = {.arena = a};

    if (!discovery_add_aggregated(&b, list, e))
        return false;
    discovery_publish(&b, d);
    d->aggregated = true;
    return true;
}
