/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapping.c - finds resources by kind, or by what people write.
 *
 * Resources are sorted by preference, so the first match wins.
 */
#include "kube/discovery.h"

#include "object/object.h"

str kube_group_resource(struct arena *a, const struct kube_resource *r)
{
    if (!r->group.len)
        return r->name;
    return str_fmt(a, "%.*s.%.*s", STR_ARG(r->name), STR_ARG(r->group));
}

bool kube_verb_has(const struct kube_resource *r, const char *verb)
{
    return str_list_has(&r->verbs, str_c(verb));
}

const struct kube_resource *kube_kind_find(const struct kube_discovery *d, str kind, str group,
                                           str version)
{
    for (size_t i = 0; i < d->resource_count; i++) {
        const struct kube_resource *r = &d->resources[i];
        if (!r->subresource && str_eq(r->kind, kind) && (!group.len || str_eq(r->group, group)) &&
            (!version.len || str_eq(r->version, version)))
            return r;
    }
    return NULL;
}

const struct kube_resource *kube_kind_exact(const struct kube_discovery *d, str api_version,
                                            str kind)
{
    str group, version;

    api_version_split(api_version, &group, &version);
    for (size_t i = 0; i < d->resource_count; i++) {
        const struct kube_resource *r = &d->resources[i];
        if (!r->subresource && str_eq(r->kind, kind) && str_eq(r->group, group) &&
            str_eq(r->version, version))
            return r;
    }
    return NULL;
}

/* What a word may be, the most certain first: a plural, a singular, a short name. */
enum naming { NAMING_PLURAL, NAMING_SINGULAR, NAMING_SHORT, NAMINGS };

static bool is_named(const struct kube_resource *r, str word, enum naming naming)
{
    switch (naming) {
    case NAMING_PLURAL:
        return str_eq_fold(r->name, word);
    case NAMING_SINGULAR:
        return str_eq_fold(r->singular, word) || str_eq_fold(r->kind, word);
    default:
        return str_list_has(&r->short_names, word);
    }
}

static const struct kube_resource *find_word(const struct kube_discovery *d, str word, str version,
                                             str group)
{
    for (int naming = 0; word.len && naming < NAMINGS; naming++) {
        for (size_t i = 0; i < d->resource_count; i++) {
            const struct kube_resource *r = &d->resources[i];
            /* kubectl also accepts a prefix of the group. */
            if (!r->subresource && is_named(r, word, (enum naming)naming) &&
                str_has_prefix(r->group, group) && (!version.len || str_eq(r->version, version)))
                return r;
        }
    }
    return NULL;
}

const struct kube_resource *kube_resource_find(const struct kube_discovery *d, str text)
{
    str word, rest, version, group;

    if (!str_cut(text, STR("."), &word, &rest))
        return find_word(d, text, STR_NONE, STR_NONE);
    /* "deployments.v1.apps" before "deployments.apps". */
    str_cut(rest, STR("."), &version, &group);
    const struct kube_resource *r = version.len ? find_word(d, word, version, group) : NULL;
    return r ? r : find_word(d, word, STR_NONE, rest);
}
