/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operating.h - a running operator, for the commands that have one.
 *
 *     if (!operating_settings(c->arena, transport, STR_NONE, &o.settings, e)) ...
 *     if (!operating_start(&o, e)) ...
 *     stop_wait();
 *     operating_stop(&o);
 *
 * The operator runs on threads of its own from operating_start to operating_stop.
 */
#pragma once

#include "arm/rules/kind.h"
#include "kube/config/config.h"
#include "operator/live.h"
#include "operator/settings.h"

struct operating {
    /* Set by the command. */
    struct kube_transport *transport;
    struct settings settings;
    struct live_config config; /* what neither settings nor this struct say */
    str health, metrics;       /* addresses; empty or "0": none */
    /* The rest is operating.c's own. */
    struct live *live;
    struct server *servers[2];
    struct http_cancel *cancel;
    pthread_t thread;
};

/*
 * The settings of the environment and of the Secret of that name in the operator's own namespace
 * (empty: no Secret is looked at; a missing one is not an error). a should be a secret arena.
 */
MUST_CHECK bool operating_settings(struct arena *a, struct kube_transport *t, str namespace,
                                   str secret, struct settings *out, struct err *e);
/*
 * The rules of kinds in a folder, or in a ConfigMap, "configmap/NAME", of the operator's namespace.
 * Live as long as a. A ConfigMap is followed from then on.
 */
MUST_CHECK bool operating_rules(struct arena *a, struct kube_transport *t, str namespace, str from,
                                struct live_config *out, struct err *e);
MUST_CHECK bool operating_start(struct operating *o, struct err *e);
void operating_stop(struct operating *o);
/* Of a simulated Azure at this URL, which believes everybody. Texts live as long as a and url. */
struct credential_settings operating_simulated(struct arena *a, str url, str subscription);
/* The namespace that the operator works in: as an option says, POD_NAMESPACE, or the cluster's. */
str operating_namespace(str option, const struct kube_config *cluster);
#define OPERATING_NAMESPACE "azureserviceoperator-system"
/* "host_1a2b3c4d": unlike all other processes. */
str operating_identity(struct arena *a);
