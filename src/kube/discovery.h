/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery.h - what an API server serves: groups, versions, resources and their kinds.
 *
 *     struct kube_discovery *d;
 *     if (!kube_discover(transport, a, NULL, &d, e))
 *         return false;
 *     const struct kube_resource *r = kube_kind_find(d, STR("Deployment"), STR("apps"), STR_NONE);
 *
 * One request each for /api and /apis where the server has aggregated discovery (v2, v2beta1); else
 * one more per group and version. A part that fails does not hide the rest: it is listed among the
 * versions with the reason, and kube_discovery_complete turns it into an error, in client-go's
 * words, for callers that want all or nothing. A discovery never changes and may be read from any
 * thread; it lives as long as a. Nothing is cached on disk.
 */
#pragma once

#include "kube/transport.h"
#include "value/value.h"

/*
 * One resource in one version, as client.h needs it. A caller that knows what it wants fills in
 * group, version, name, kind and namespaced itself, and needs no discovery.
 */
struct kube_resource {
    str group, version; /* "apps", "v1"; the group of pods is empty */
    str name;           /* the plural, "deployments"; subresources: "deployments/scale" */
    str singular;       /* "deployment"; empty if the server does not say */
    str kind;
    /*
     * The group and version of the kind as stated by the entry: always in aggregated discovery
     * (they differ for some subresources), rarely in the classic one.
     */
    str kind_group, kind_version;
    bool namespaced;
    bool preferred;   /* in the version that its group prefers */
    bool subresource; /* its name has a slash */
    struct str_list verbs, short_names, categories;
};

struct kube_version {
    str group, version;
    bool preferred; /* the one its group prefers */
    /*
     * Why there may be more resources than are known, as a message: an aggregated API that did not
     * respond to the server is stale, and entries without name or kind are left out. Empty: all are
     * known.
     */
    str doubt;
    str failure;         /* why its resources are unknown; empty: they are known */
    enum err_kind error; /* the kind of the failure */
};

/* In the order of preference: groups as the server lists them, the preferred version first. */
struct kube_discovery {
    struct kube_resource *resources;
    size_t resource_count;
    struct kube_version *versions;
    size_t version_count;
    bool aggregated;
};

/* The most that one server may have; beyond that, ERR_LIMIT. */
#define KUBE_RESOURCES_MAX 100000
#define KUBE_VERSIONS_MAX 10000

/*
 * Fails only when /api or /apis cannot be read, or their groups and versions make no sense. cancel
 * may be NULL.
 */
MUST_CHECK bool kube_discover(struct kube_transport *t, struct arena *a, struct http_cancel *cancel,
                              struct kube_discovery **out, struct err *e);
/*
 * False when the resources of some version could not be fetched: "unable to retrieve the complete
 * list of server APIs: GROUP/VERSION: why, ...". Doubts do not count, just as stale versions do not
 * in client-go's cached discovery.
 */
MUST_CHECK bool kube_discovery_complete(const struct kube_discovery *d, struct err *e);

/* "deployments.apps", "pods". Lives as long as a. */
str kube_group_resource(struct arena *a, const struct kube_resource *r);

bool kube_verb_has(const struct kube_resource *r, const char *verb);

/*
 * The first resource of that kind in the order of preference, or NULL; subresources are ignored. An
 * empty group or version matches any; that includes the core group, whose kinds are found first
 * because servers list it first.
 */
const struct kube_resource *kube_kind_find(const struct kube_discovery *d, str kind, str group,
                                           str version);
/* Exactly this group, version and kind, or NULL. For objects: apiVersion and kind. */
const struct kube_resource *kube_kind_exact(const struct kube_discovery *d, str api_version,
                                            str kind);
/*
 * What people write on command lines: "pods", "pod", "po", "Pod", "deployments.apps",
 * "deployments.v1.apps". NULL when there is none.
 */
const struct kube_resource *kube_resource_find(const struct kube_discovery *d, str text);

/*
 * ---- For tests and fuzzing: reading responses without a server. ----
 *
 * Reads an APIGroupDiscoveryList, of either version, into d, which begins as {0}.
 */
MUST_CHECK bool kube_discovery_read(struct arena *a, const struct value *list,
                                    struct kube_discovery *d, struct err *e);
