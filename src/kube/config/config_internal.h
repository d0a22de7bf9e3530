/* SPDX-License-Identifier: Apache-2.0 */
/* config_internal.h - shared by the files of this folder and private to them. */
#pragma once

#include "kube/config/config.h"

/* Merged files: names to the objects under "cluster", "context" and "user". */
struct kubeconfig {
    struct map *clusters, *contexts, *users;
    str current_context;
};

/* The largest kubeconfig, certificate or token file. */
#define KUBE_FILE_MAX (16 * MIB)

/* files.c: reads and merges what the flags and the environment name. */
MUST_CHECK bool kubeconfig_load(struct arena *a, const struct kube_flags *flags,
                                struct kubeconfig *out, struct err *e);
/* shape.c: checks the types of all members, in Go's words. */
MUST_CHECK bool kubeconfig_check(const struct source *src, const struct value *root, struct err *e);
/* in_cluster.c: the service account of the pod we run in. */
bool kube_in_cluster(struct arena *a, const struct kube_flags *flags);
MUST_CHECK bool kube_in_cluster_config(struct arena *a, const struct kube_flags *flags,
                                       struct kube_config *c, struct err *e);
/* The namespace of the pod; empty when unknown. */
str kube_in_cluster_namespace(struct arena *a, const struct kube_flags *flags);
