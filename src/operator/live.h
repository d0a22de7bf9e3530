/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.h - runs an operator against an API server and Azure Resource Manager.
 *
 *     if (!live_start(&config, &l, e)) ...
 *     live_run(l, cancel);               until cancel is raised
 *     live_stop(l);
 *
 * All state of the operator belongs to the thread of live_run: it starts and stops watches as kinds
 * come and go, creates the operator once this process holds the lease and has read all objects,
 * steps it, and drops it when the lease is lost. Requests run on a fixed number of other threads
 * (README.md lists them). Writes are sent only while the lease is held.
 */
#pragma once

#include "arm/arm.h"
#include "kube/transport.h"
#include "operator/operator.h"

struct live;
struct model_kind;

struct live_config {
    struct operator_config operator;              /* subscription and endpoint are unused */
    struct kube_transport *transport;             /* of the API server */
    const struct credential_settings *credential; /* the operator's own; NULL: none */
    const struct cloud *cloud;          /* for scoped credentials that name none; NULL: public */
    bool own_cloud;                     /* scoped credentials may name a cloud */
    const struct http_config *http;     /* to Azure; NULL: the defaults */
    const struct budget_limits *limits; /* NULL: the published ones */
    str agent;                          /* added to the User-Agent; may be empty */
    const str *namespaces;              /* only objects in these; none: all namespaces */
    size_t namespace_count;
    /* Kinds whose definitions are installed into the cluster while leading; see install.h. */
    const struct model_kind *install;
    size_t install_count;
    /* The ConfigMap that operator.rules were read from, which is watched; empty: none. */
    str rules_map, rules_version;
    str keep;     /* the file to record decisions in (replay.h); empty: none */
    bool observe; /* nothing is written, neither to objects nor to Azure */
    /* The lease; with an empty name none is needed. */
    str lease_name, lease_namespace;
    str identity; /* of this process; must be unique */
};

/* Texts are copied; what is pointed to must outlive l. */
MUST_CHECK bool live_start(const struct live_config *config, struct live **out, struct err *e);
/* Runs until cancel is raised, then releases the lease. */
void live_run(struct live *l, struct http_cancel *cancel);
/* After live_run has returned. l may be NULL. */
void live_stop(struct live *l);

/* ---- Any thread. ---- */

/* Whether everything has been read, so that it leads or could lead. */
bool live_ready(struct live *l);
/* Whether it leads. */
bool live_leads(struct live *l);
/* Appends metrics in the text format of Prometheus. */
void live_metrics(struct live *l, struct buf *out);
