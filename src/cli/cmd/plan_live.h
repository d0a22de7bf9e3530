/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_live.h - plumb plan against Azure: what plan.c and plan_live.c share.
 */
#pragma once

#include "azure/manifests.h"
#include "cli/commands.h"
#include "cli/options/kube.h"

struct plan_values {
    struct kube_values kube;
    struct str_list files, scopes;
    str azure, model, namespace, output, policy, rules, subscription;
    bool all, offline, no_cluster, recursive, strict;
};

/*
 * Plans for the objects of m, or if there are none for those of the cluster, and prints the plan.
 */
MUST_CHECK bool plan_live(struct call *c, struct manifests *m, struct model *model, struct err *e);
