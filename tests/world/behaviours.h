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

/* How many of each to make, depending on --scale. */
unsigned many_accounts(void);
unsigned many_tables(void);
/* Applies an object under another name, and in another group unless NULL. */
void many_apply(struct stage *s, const char *text, const char *name, unsigned i, const char *group);
/*
 * Opens a stage with accounts many0... and tables with the same numbers, in a few groups, all
 * Ready. Returns their total number.
 */
unsigned many_open(struct stage *s, struct world *w, const struct stage_options *options,
                   const char *types);
/* The id of an object, in whichever group it is. */
const char *many_id(struct stage *s, const char *kind, const char *name);

/* ---- plan.c ---- */

/* Makes a plan for these objects, only with reads. */
struct value *plan_make(struct stage *s, const struct value *const *all, size_t count);
/* Checks that every first PUT was sent byte for byte as planned; returns how many there were. */
size_t plan_compare(struct stage *s, const struct value *plan, size_t *unplanned);

/* ---- cases.c ---- */

/* The files of the recorded cases of arm-put; reads one of them. */
struct str_list cases_files(struct world *w);
bool cases_read(struct world *w, str file, struct arm_case *out);

/* Objects that are applied together. */
struct case_set {
    VEC(const struct value *) objects;
    struct map *seen; /* identities: cases share documents */
};

/* Opens a stage and applies this many cases; a single one is chosen by the seed. False: there are
 * none, or they could not be applied, and the stage is closed. */
bool cases_open(struct stage *s, struct world *w, const struct stage_options *options, size_t count,
                struct case_set *set);
/* Adds a case in its own namespace and groups. False: it could not be applied. */
bool cases_add_apart(struct stage *s, str file, size_t number, struct case_set *set);
/* Whether it is an Azure resource. */
bool cases_is_ours(const struct value *object);
/* The object as it is in the cache; lives until time passes. */
const struct value *cases_newest(struct stage *s, const struct value *object);
void cases_expect_ready(struct stage *s, const struct case_set *set);
