/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operating.h - a running operator, for the commands that have one.
 *
 *     if (!operating_settings(c->arena, transport, STR_NONE, &o.settings, e)) ...
 *     if (!operating_start(&o, e)) ...
 *     stop_wait();
 *     operating_stop(&o);
 *
 * The operator runs on its own threads from operating_start to operating_stop.
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
    struct live_config config; /* whatever neither settings nor this struct set */
    str health, metrics;       /* addresses; empty or "0": none */
    /* The rest is private to operating.c. */
    struct live *live;
    struct server *servers[2];
    struct http_cancel *cancel;
    pthread_t thread;
};

/*
 * Reads the settings from the environment and from the Secret of that name in the operator's own
 * namespace (empty: no Secret; a missing one is not an error). a should be a secret arena.
 */
MUST_CHECK bool operating_settings(struct arena *a, struct kube_transport *t, str namespace,
                                   str secret, struct settings *out, struct err *e);
/*
 * Reads the rules of kinds from a folder, or from a ConfigMap ("configmap/NAME") in the operator's
 * namespace, which is watched from then on. They live as long as a.
 */
MUST_CHECK bool operating_rules(struct arena *a, struct kube_transport *t, str namespace, str from,
                                struct live_config *out, struct err *e);
MUST_CHECK bool operating_start(struct operating *o, struct err *e);
void operating_stop(struct operating *o);
/*
 * Credentials for a simulated Azure at this URL, which accepts any. Texts live as long as a and
 * url.
 */
struct credential_settings operating_simulated(struct arena *a, str url, str subscription);
/* The namespace that the operator runs in: the option, POD_NAMESPACE, or the cluster's. */
str operating_namespace(str option, const struct kube_config *cluster);
#define OPERATING_NAMESPACE "azureserviceoperator-system"
/* "host_1a2b3c4d": unique for each process. */
str operating_identity(struct arena *a);
