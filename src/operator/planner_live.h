/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planner_live.h - plans (planner.h) against an API server and Azure Resource Manager.
 *
 *     struct value *plan;
 *     if (!planner_live(&config, a, &plan, e)) ...
 *
 * Reads of Azure run concurrently, within its limits; cluster objects that are needed but were not
 * given are read one by one. Nothing is written to either: neither the ports nor this file can.
 * Waits on the caller's thread until the plan is complete.
 */
#pragma once

#include "arm/credential/credential.h"
#include "net/http/http.h"
#include "operator/planner.h"

struct planner_live_config {
    struct operator_config operator; /* subscription and endpoint are those of the credential */
    /*
     * Reads an object from the cluster: 200, or the API server's status, 0 if it does not answer.
     * Called once for each key. NULL: there is no cluster.
     */
    int (*fetch)(void *ctx, struct arena *a, const struct object_key *key, struct value **out);
    void *ctx;
    const struct credential_settings *credential; /* NULL: objects need their own */
    const struct cloud *cloud;                    /* for scoped credentials that name none */
    bool own_cloud;
    const struct http_config *http; /* to Azure; NULL: the defaults */
    str agent;
    /*
     * Called from another thread while Azure's responses take long: first after ten seconds, then
     * every half minute. NULL: nobody wants to know.
     */
    void (*waits)(void *ctx, str why);
    const struct value *const *objects; /* to plan for, and those that they are made from */
    size_t object_count;
};

/* The plan, as from planner_report, in a. */
MUST_CHECK bool planner_live(const struct planner_live_config *config, struct arena *a,
                             struct value **out, struct err *e);
