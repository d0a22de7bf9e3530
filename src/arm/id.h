/* SPDX-License-Identifier: Apache-2.0 */
/*
 * id.h - the ids of Azure Resource Manager.
 *
 *   /subscriptions/S                                            a subscription
 *   /subscriptions/S/resourceGroups/G                           a resource group
 *   /subscriptions/S/resourceGroups/G/providers/NS/t1/n1/t2/n2  a resource, here a child
 *   /subscriptions/S/providers/NS/t/n                           a resource of the subscription
 *   /providers/NS/t/n                                           a resource of the tenant
 *   <any of these>/providers/NS/t/n                             an extension of it
 *
 * Ids, types and providers are case-insensitive; their spelling is preserved. All functions are
 * pure and may be called from any thread. Results live as long as a, and point into the texts they
 * were made from.
 */
#pragma once

#include "base/base.h"

/* Limits of an id: its length in bytes, and how many pairs of type and name it may have. */
#define ARM_ID_MAX (8 * KIB)

struct arm_pair {
    str type, name;
};

/* What follows one "/providers/NS": a resource, or an extension of what precedes it. */
struct arm_block {
    str provider;
    const struct arm_pair *pairs;
    size_t count;
};

struct arm_id {
    str subscription, group; /* empty when there is none */
    const struct arm_block *blocks;
    size_t block_count;
};

/* Whether s can be a segment of an id, and has no special meaning to anything that reads it. */
bool arm_id_is_segment(str s);
/* Reads an id. A slash at its end is fine. Errors say which part is wrong. */
MUST_CHECK bool arm_id_parse(struct arena *a, str text, struct arm_id *out, struct err *e);
/* Whether text is an id. */
bool arm_id_is(str text);
/* The id in its usual spelling: subscriptions, resourceGroups, providers. */
str arm_id_print(struct arena *a, const struct arm_id *id);
/* Whether two texts are the same id. */
bool arm_id_equal(str x, str y);
/*
 * The type of what the id names: "Microsoft.Network/virtualNetworks/subnets". Groups are of type
 * Microsoft.Resources/resourceGroups, subscriptions of type Microsoft.Resources/subscriptions.
 */
str arm_id_type(struct arena *a, const struct arm_id *id);
/* The last name in it. */
str arm_id_name(const struct arm_id *id);
/*
 * What contains it: the parent of a child, the target of an extension, the group of a resource.
 * False when there is none.
 */
bool arm_id_parent(struct arena *a, const struct arm_id *id, struct arm_id *out);

/* ---- Building. ------------------------------------------------------------------------------- */

str arm_id_of_group(struct arena *a, str subscription, str name);
/* An extension of any resource. type has one part after its provider. */
str arm_id_of_extension(struct arena *a, str target, str type, str name);
/*
 * A resource in a group, below another resource, or (base empty) in the tenant. The names belong to
 * the last parts of type: parts that base already has are not repeated. base is copied verbatim;
 * the rest is spelled as in type, even where that differs from base.
 */
MUST_CHECK bool arm_id_of_resource(struct arena *a, str base, str type, const str *names,
                                   size_t count, str *out, struct err *e);

/*
 * Whether the id text may own resources whose owner is of type expected. The error names both
 * types.
 */
MUST_CHECK bool arm_id_check_type(struct arena *a, str text, str expected, struct err *e);
