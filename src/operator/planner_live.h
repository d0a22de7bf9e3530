/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planner_live.h - a plan (planner.h) against an API server and Azure Resource Manager.
 *
 *     struct value *plan;
 *     if (!planner_live(&config, a, &plan, e)) ...
 *
 * Reads of Azure run at the same time, within its limits; what is needed of the cluster and was not
 * given is read one by one. Nothing is written to either: neither the ports nor this file know how.
 * Waits until the plan is whole, on the thread of the caller.
 */
#pragma once

#include "arm/credential/credential.h"
#include "net/http/http.h"
#include "operator/planner.h"

struct planner_live_config {
    struct operator_config operator; /* subscription and endpoint are those of the credential */
    /*
     * An object as the cluster has it now: 200, or the status of what the API server says instead,
     * 0 when it does not answer. Called once for each key. NULL: there is no cluster.
     */
    int (*fetch)(void *ctx, struct arena *a, const struct object_key *key, struct value **out);
    void *ctx;
    const struct credential_settings *credential; /* NULL: objects need one of their own */
    const struct cloud *cloud;                    /* of scoped credentials that name none */
    bool own_cloud;
    const struct http_config *http; /* to Azure; NULL: the defaults */
    str agent;
    const struct value *const *objects; /* planned for, and those that they are made from */
    size_t object_count;
};

/* The plan as planner_report has it, in a. */
MUST_CHECK bool planner_live(const struct planner_live_config *config, struct arena *a,
                             struct value **out, struct err *e);
