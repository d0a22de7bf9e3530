/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behaviours.h - objects that several scenarios use, as text.
 */
#pragma once

#include "support/arm_case.h"
#include "world/scenarios.h"
#include "world/stage.h"

#define OBJECT(api, kind, name, more, spec)                                                        \
    "{'apiVersion':'" api "','kind':'" kind "','metadata':{'name':'" name "'" more                 \
    "},'spec':{" spec "}}"
#define GROUP(name, more)                                                                          \
    OBJECT("resources.azure.com/v1api20200601", "ResourceGroup", name, more, "'location':'westus2'")
#define ACCOUNT(name, more)                                                                        \
    OBJECT("storage.azure.com/v20230101", "StorageAccount", name, more,                            \
           "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'accessTier':"   \
           "'Hot','owner':{'name':'rg'}")
#define ACCOUNT_ID(name) STAGE_GROUP "/providers/Microsoft.Storage/storageAccounts/" name
#define NETWORK(name, more, spec)                                                                  \
    OBJECT("network.azure.com/v20250301", "VirtualNetwork", name, more,                            \
           "'location':'westus2','owner':{'name':'rg'},'addressSpace':{'addressPrefixes':["        \
           "'10.0.0.0/8']}" spec)
#define NETWORK_ID(name) STAGE_GROUP "/providers/Microsoft.Network/virtualNetworks/" name
#define SUBNET(name, network, spec)                                                                \
    OBJECT("network.azure.com/v20250301", "VirtualNetworksSubnet", name, "",                       \
           "'owner':{'name':'" network "'}" spec)
#define ROUTES(name)                                                                               \
    OBJECT("network.azure.com/v20250301", "RouteTable", name, "",                                  \
           "'location':'westus2','owner':{'name':'rg'}")
#define POLICY(value) ",'annotations':{'" ANNOTATION_POLICY "':'" value "'}"
#define ANNOTATE(name, value) "{'metadata':{'annotations':{'" name "':" value "}}}"

/* ---- many.c ---- */

/* How many there are of each, by --scale. */
unsigned many_accounts(void);
unsigned many_tables(void);
/* An object with another name, and in another group if there is one. */
void many_apply(struct stage *s, const char *text, const char *name, unsigned i, const char *group);
/* Accounts many0..., then tables in the same numbers, in a few groups, Ready. How many in all. */
unsigned many_open(struct stage *s, struct world *w, const struct stage_options *options,
                   const char *types);
/* The id of an object, wherever it is. */
const char *many_id(struct stage *s, const char *kind, const char *name);

/* ---- plan.c ---- */

/* What is planned for these objects, by reads alone. */
struct value *plan_make(struct stage *s, const struct value *const *all, size_t count);
/* Every first PUT that was planned must be sent as planned, to the byte; answers how many were. */
size_t plan_compare(struct stage *s, const struct value *plan, size_t *unplanned);

/* ---- cases.c ---- */

/* The recorded cases of arm-put: their files, and one of them. */
struct str_list cases_files(struct world *w);
bool cases_read(struct world *w, str file, struct arm_case *out);

/* Objects that are applied together. */
struct case_set {
    VEC(const struct value *) objects;
    struct map *seen; /* identities: cases share documents */
};

/* A stage with so many cases applied, one by its seed; false: there are none, or nobody could apply
 * them, and the stage is closed. */
bool cases_open(struct stage *s, struct world *w, const struct stage_options *options, size_t count,
                struct case_set *set);
/* One more case in a namespace and in groups of its own. False: nobody could apply it. */
bool cases_add_apart(struct stage *s, str file, size_t number, struct case_set *set);
/* Whether it is a resource of Azure. */
bool cases_is_ours(const struct value *object);
/* As it is in the cache; lives until time passes. */
const struct value *cases_newest(struct stage *s, const struct value *object);
void cases_expect_ready(struct stage *s, const struct case_set *set);
