/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_internal.h - shared by the files about discovery. For this folder only. */
#pragma once

#include "kube/discovery.h"

/* A discovery under construction. */
struct discovery_build {
    struct arena *arena;
    VEC(struct kube_resource) resources;
    VEC(struct kube_version) versions;
};

/* ---- discovery_read.c ---- */
/* Adds the contents of an APIGroupDiscoveryList, of either version. */
MUST_CHECK bool discovery_add_aggregated(struct discovery_build *b, const struct value *list,
                                         struct err *e);
/* Adds the versions of an APIVersions (of /api) or an APIGroupList (of /apis). */
MUST_CHECK bool discovery_add_groups(struct discovery_build *b, const struct value *answer,
                                     struct err *e);
/* Adds the resources of one version, from an APIResourceList. */
MUST_CHECK bool discovery_add_resources(struct discovery_build *b, struct kube_version *v,
                                        const struct value *list, struct err *e);
void discovery_publish(const struct discovery_build *b, struct kube_discovery *d);
