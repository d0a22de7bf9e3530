/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.h - an operator that runs: against an API server and Azure Resource Manager.
 *
 *     if (!live_start(&config, &l, e)) ...
 *     live_run(l, cancel);               until cancel is raised
 *     live_stop(l);
 *
 * All state of the operator belongs to the thread of live_run: it starts and stops watches as kinds
 * come and go, creates the operator once this process holds the lease and has read all objects,
 * steps it, and drops it when the lease is lost. Requests run on a constant number
 * of threads beside it (README.md lists them). A write is sent only while the lease is held.
 */
#pragma once

#include "arm/arm.h"
#include "kube/transport.h"
#include "operator/operator.h"

struct live;
struct model_kind;

struct live_config {
    struct operator_config operator;              /* subscription and endpoint are not used */
    struct kube_transport *transport;             /* of the API server */
    const struct credential_settings *credential; /* of the operator itself; NULL: none */
    const struct cloud *cloud;          /* of scoped credentials that name none; NULL: public */
    bool own_cloud;                     /* these may name one of their own */
    const struct http_config *http;     /* to Azure; NULL: the defaults */
    const struct budget_limits *limits; /* NULL: those that Azure publishes */
    str agent;                          /* added to the User-Agent; may be empty */
    const str *namespaces;              /* only objects in these; none: in all */
    size_t namespace_count;
    /* Kinds whose definitions are put into the cluster while leading; see install.h. */
    const struct model_kind *install;
    size_t install_count;
    /* The ConfigMap that operator.rules were read from, which is followed; empty: none. */
    str rules_map, rules_version;
    str keep;     /* the file that decisions are kept in (replay.h); empty: they are not */
    bool observe; /* nothing is written, neither to objects nor to Azure */
    /* The lease; an empty name: none is needed. */
    str lease_name, lease_namespace;
    str identity; /* of this process, unlike all others */
};

/* Texts are copied; what is pointed to must outlive l. */
MUST_CHECK bool live_start(const struct live_config *config, struct live **out, struct err *e);
/* Runs until cancel is raised; then the lease is given back. */
void live_run(struct live *l, struct http_cancel *cancel);
/* After live_run has returned. l may be NULL. */
void live_stop(struct live *l);

/* ---- Any thread. ---- */

/* Whether everything has been read, so that it leads or could. */
bool live_ready(struct live *l);
/* Whether it leads. */
bool live_leads(struct live *l);
/* Appends metrics in the text format of Prometheus. */
void live_metrics(struct live *l, struct buf *out);
