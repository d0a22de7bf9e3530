/* SPDX-License-Identifier: Apache-2.0 */
/* find.c - finds resources by id; the errors for missing ones are those of the recordings. */
#include "sim/internal.h"

#define GROUP_TYPE "Microsoft.Resources/resourceGroups"

struct sim_resource *sim_find(struct sim_call *c, str id)
{
    struct sim_resource *r = sim_store_find(c->arena, c->sim->store, id);

    return r && sim_settle(c, r, false) ? r : NULL;
}

static struct sim_resource *refuse_group(struct sim_call *c)
{
    sim_refuse(c, 404, "ResourceGroupNotFound", "Resource group '%.*s' could not be found.",
               STR_ARG(c->id.group));
    return NULL;
}

/* Whether the group in the path exists, if it has one. */
static bool group_is_there(struct sim_call *c)
{
    return !c->id.group.len ||
           sim_find(c, arm_id_of_group(c->arena, c->id.subscription, c->id.group));
}

/* Microsoft.Network/virtualNetworks/v/subnets/s: types and names in turn, as in errors. */
static str long_name(struct sim_call *c, const struct arm_id *id)
{
    const struct arm_block *block = &id->blocks[id->block_count - 1];
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);

    buf_add(&b, block->provider);
    for (size_t i = 0; i < block->count; i++)
        buf_fmt(&b, "/%.*s/%.*s", STR_ARG(block->pairs[i].type), STR_ARG(block->pairs[i].name));
    return buf_str(&b);
}

static struct sim_resource *refuse_parent(struct sim_call *c, const struct arm_id *parent)
{
    bool read = str_eq(c->q->method, STR("GET")) || str_eq(c->q->method, STR("HEAD"));
    bool removes = str_eq(c->q->method, STR("DELETE"));

    sim_refuse(c, 404, "ParentResourceNotFound",
               "Failed to perform '%s' on resource(s) of type '%.*s', because the parent resource "
               "'%.*s' could not be found.",
               read      ? "read"
               : removes ? "delete"
                         : "write",
               STR_ARG(c->type), STR_ARG(arm_id_print(c->arena, parent)));
    return NULL;
}

static struct sim_resource *refuse_missing(struct sim_call *c)
{
    str name = c->id.block_count ? long_name(c, &c->id) : c->name;

    if (c->behaviour->missing.status)
        sim_refuse_as(c, &c->behaviour->missing, STR_NONE);
    else if (c->id.group.len)
        sim_refuse(c, 404, "ResourceNotFound",
                   "The Resource '%.*s' under resource group '%.*s' was not found. For more "
                   "details please go to https://aka.ms/ARMResourceNotFoundFix",
                   STR_ARG(name), STR_ARG(c->id.group));
    else
        sim_refuse(c, 404, "ResourceNotFound", "The Resource '%.*s' was not found.", STR_ARG(name));
    return NULL;
}

/* Whether it is a part of a service that always exists: blobServices/default, locations/westus2. */
static bool is_implicit(const struct arm_id *id)
{
    const struct arm_block *b = &id->blocks[id->block_count - 1];
    str name = arm_id_name(id);

    return (b->count && str_eq_fold(b->pairs[b->count - 1].type, STR("locations"))) ||
           str_eq_fold(name, STR("default")) || str_eq_fold(name, STR("current"));
}

/* Whether the path is below another resource, which is then parent. */
static bool is_nested(struct sim_call *c, struct arm_id *parent)
{
    return arm_id_parent(c->arena, &c->id, parent) && parent->block_count;
}

struct sim_resource *sim_need(struct sim_call *c)
{
    struct arm_id parent;
    str id = arm_id_print(c->arena, &c->id);
    struct sim_resource *r;

    if (!group_is_there(c))
        return refuse_group(c);
    r = sim_find(c, id);
    if (r && r->body.len)
        return r;
    if (is_nested(c, &parent) && !is_implicit(&parent) &&
        !sim_find(c, arm_id_print(c->arena, &parent)))
        return refuse_parent(c, &parent);
    return refuse_missing(c);
}

static struct sim_resource *scope_of(struct sim_call *c, str id, str type,
                                     struct sim_resource *parent)
{
    struct sim_resource *r = sim_find(c, id);

    return r ? r : sim_store_add(c->arena, c->sim->store, parent, id, type);
}

static struct sim_resource *subscription_of(struct sim_call *c)
{
    struct sim_resource *root = sim_store_root(c->sim->store);

    if (!c->id.subscription.len)
        return root;
    return scope_of(c, str_fmt(c->arena, "/subscriptions/%.*s", STR_ARG(c->id.subscription)),
                    STR("Microsoft.Resources/subscriptions"), root);
}

/* Built-in parts of a service are created when something is put below them. */
static struct sim_resource *implicit_parent(struct sim_call *c, const struct arm_id *parent)
{
    struct arm_id above;
    struct sim_resource *r;

    if (!is_implicit(parent) || !arm_id_parent(c->arena, parent, &above))
        return NULL;
    r = sim_find(c, arm_id_print(c->arena, &above));
    return r ? sim_store_add(c->arena, c->sim->store, r, arm_id_print(c->arena, parent),
                             arm_id_type(c->arena, parent))
             : NULL;
}

struct sim_resource *sim_need_parent(struct sim_call *c)
{
    bool is_group = str_eq_fold(c->type, STR(GROUP_TYPE));
    struct sim_resource *r;
    struct arm_id parent;

    if (!is_group && !group_is_there(c))
        return refuse_group(c);
    if (is_group || !arm_id_parent(c->arena, &c->id, &parent))
        return subscription_of(c);
    r = sim_find(c, arm_id_print(c->arena, &parent));
    if (r)
        return r;
    if (!parent.block_count)
        return subscription_of(c);
    r = implicit_parent(c, &parent);
    return r ? r : refuse_parent(c, &parent);
}
