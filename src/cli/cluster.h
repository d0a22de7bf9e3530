/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster.h - connects to a cluster, for the commands that read Azure custom resources.
 *
 *     AUTO_ARENA secrets = arena_new_secret();
 *     struct cluster cl;
 *     if (!cluster_open(c, secrets, &v->kube, &cl, e))
 *         return false;
 *     ok = cluster_name(&cl, c->args[0], &key, &resource, e) && ...
 *     cluster_close(&cl);
 *
 * One thread at a time.
 */
#pragma once

#include "cli/commands.h"
#include "cli/options/kube.h"
#include "kube/client.h"
#include "object/object.h"

struct model;

struct cluster {
    struct call *call;
    struct kube_config *config;
    struct kube_transport *transport;
    const struct kube_discovery *discovery;
    struct model *model;
    str namespace; /* from the options or the context */
};

/* Connects. Credentials live in secrets; after a failure nothing has to be closed. */
MUST_CHECK bool cluster_open(struct call *c, struct arena *secrets, const struct kube_values *v,
                             struct cluster *out, struct err *e);
void cluster_close(struct cluster *cl);
/* Parses "virtualnetwork/net", as kubectl does, in the namespace of the cluster. */
MUST_CHECK bool cluster_name(const struct cluster *cl, str text, struct object_key *key,
                             const struct kube_resource **resource, struct err *e);
/* Fails if discovery of a group was incomplete: a kind that seems unknown may have objects then. */
MUST_CHECK bool cluster_check_group(const struct kube_discovery *d, str group, struct err *e);
/*
 * Lists every object of Azure's kinds in a namespace; empty: in all namespaces. fn gets them one by
 * one; item lives only during the call.
 */
MUST_CHECK bool cluster_list(const struct cluster *cl, str namespace, kube_item_fn *fn, void *ctx,
                             struct err *e);
