/* SPDX-License-Identifier: Apache-2.0 */
/*
 * install.h - puts CustomResourceDefinitions into a cluster.
 *
 * A definition that is missing is created; one of plumb's (label app.kubernetes.io/name) from
 * another version of it is replaced; everything else is left alone: definitions of the reference
 * operator are used as they are. Waits for answers: not for the thread of the operator.
 */
#pragma once

#include "azure/model/model.h"
#include "kube/transport.h"

struct install_config {
    struct kube_transport *transport;
    const struct model *model;      /* its files are read again, and freed at the end */
    const struct model_kind *kinds; /* those that are wanted, sorted by group and kind */
    size_t count;
    struct http_cancel *cancel; /* may be NULL */
    /*
     * Asked right before each write, which is tried once; false ends it all with ERR_CANCELLED.
     * NULL: there is no other writer.
     */
    bool (*leads)(void *ctx);
    void *ctx;
};

struct install_stats {
    size_t created, replaced, kept;
};

/* Stops at the first failure, which names the definition. */
MUST_CHECK bool install_definitions(const struct install_config *config, struct install_stats *out,
                                    struct err *e);
