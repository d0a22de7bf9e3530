/* SPDX-License-Identifier: Apache-2.0 */
/*
 * install.h - puts CustomResourceDefinitions into a cluster.
 *
 * Missing definitions are created, and those installed by another version of plumb (label
 * app.kubernetes.io/name) are replaced. Everything else is left alone: definitions of the reference
 * operator are used as they are. Waits for answers, so it must not run on the operator's thread.
 */
#pragma once

#include "azure/model/model.h"
#include "kube/transport.h"

struct install_config {
    struct kube_transport *transport;
    const struct model *model;      /* its files are re-read, and freed at the end */
    const struct model_kind *kinds; /* the wanted ones, sorted by group and kind */
    size_t count;
    struct http_cancel *cancel; /* may be NULL */
    /*
     * Called right before each write, which is tried once; false stops with ERR_CANCELLED. NULL:
     * there is no other writer.
     */
    bool (*leads)(void *ctx);
    void *ctx;
};

struct install_stats {
    size_t created, replaced, kept;
};

/* Stops at the first failure; the error names the definition. */
MUST_CHECK bool install_definitions(const struct install_config *config, struct install_stats *out,
                                    struct err *e);
