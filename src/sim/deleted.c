/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deleted.c - soft delete: vaults and some others are listed among the deleted ones of their
 * location or subscription, until they are recovered by a PUT or purged.
 *
 *     GET  /subscriptions/S/providers/Microsoft.KeyVault/deletedVaults
 *     GET  /subscriptions/S/providers/Microsoft.KeyVault/locations/L/deletedVaults[/NAME]
 *     POST /subscriptions/S/providers/Microsoft.KeyVault/locations/L/deletedVaults/NAME/purge
 */
#include "sim/internal.h"

/* How long they are kept. */
#define KEPT_DAYS 90

static str location_of(struct sim_call *c, const struct sim_resource *r)
{
    str location = value_get_str(sim_parse(c->arena, r->body), STR("location"));

    return location.len ? location : STR("westus2");
}

/* Whether r is one of a provider's deleted resources, in this subscription and collection. */
static bool is_kept_as(struct sim_call *c, const struct sim_resource *r, str provider, str kept_as)
{
    const struct sim_type *type = sim_types_find(c->arena, c->sim->types, r->type);
    struct arm_id id;

    return type->soft_delete.len && str_eq_fold(type->soft_delete, kept_as) &&
           str_eq_fold(str_slice(r->type, 0, str_find_char(r->type, '/')), provider) &&
           arm_id_parse(c->arena, r->id, &id, NULL) &&
           str_eq_fold(id.subscription, c->id.subscription);
}

static struct value *show(struct sim_call *c, const struct sim_resource *r, str provider,
                          str kept_as)
{
    struct arena *a = c->arena;
    struct value *v = value_object(a), *body = sim_parse(a, r->body);
    str name = str_from(r->id, str_rfind_char(r->id, '/') + 1), location = location_of(c, r);

    value_set_str(a, v, STR("id"),
                  str_fmt(a, "/subscriptions/%.*s/providers/%.*s/locations/%.*s/%.*s/%.*s",
                          STR_ARG(c->id.subscription), STR_ARG(provider), STR_ARG(location),
                          STR_ARG(kept_as), STR_ARG(name)));
    value_set_str(a, v, STR("name"), name);
    value_set_str(a, v, STR("type"), str_fmt(a, "%.*s/%.*s", STR_ARG(provider), STR_ARG(kept_as)));
    struct value *properties = value_set(a, v, STR("properties"), value_object(a));
    value_set_str(a, properties, STR("vaultId"), r->id);
    value_set_str(a, properties, STR("location"), location);
    value_set(a, properties, STR("tags"),
              value_get(body, STR("tags")) ? value_get(body, STR("tags")) : value_object(a));
    value_set_str(a, properties, STR("deletionDate"), sim_stamp(a, (int64_t)r->writes));
    value_set_str(a, properties, STR("scheduledPurgeDate"),
                  sim_stamp(a, (int64_t)r->writes + KEPT_DAYS * INT64_C(86400) * NS_PER_SEC));
    return v;
}

/* The time of deletion is stored in place of the number of writes. */
void sim_soft_delete(struct sim_call *c, struct sim_resource *r)
{
    const struct sim_type *type = sim_types_find(c->arena, c->sim->types, r->type);
    struct sim_store *deleted = c->sim->deleted;
    struct sim_resource *kept;

    for (struct sim_resource *child = r->first; child; child = child->next)
        sim_soft_delete(c, child);
    if (!type->soft_delete.len || !r->body.len)
        return;
    kept = sim_store_find(c->arena, deleted, r->id);
    if (!kept)
        kept = sim_store_add(c->arena, deleted, sim_store_root(deleted), r->id, r->type);
    sim_keep(&kept->body, r->body);
    sim_keep(&kept->api_version, r->api_version);
    kept->writes = (uint64_t)sim_now(c->sim);
    sim_store_changed(deleted, kept);
}

/* ---- One of them. ------------------------------------------------------------------------------
 */

/* The type and name in a path to a deleted resource, or NULL. */
static const struct arm_pair *named_pair(const struct sim_call *c)
{
    const struct arm_block *b = c->id.blocks;

    return c->id.block_count == 1 && !c->id.group.len && b->count == 2 &&
                   str_eq_fold(b->pairs[0].type, STR("locations"))
               ? &b->pairs[1]
               : NULL;
}

static struct sim_resource *find_deleted(struct sim_call *c, const struct arm_pair *pair)
{
    for (struct sim_resource *r = sim_store_root(c->sim->deleted)->first; r; r = r->next) {
        str name = str_from(r->id, str_rfind_char(r->id, '/') + 1);
        if (str_eq_fold(name, pair->name) && is_kept_as(c, r, c->id.blocks[0].provider, pair->type))
            return r;
    }
    return NULL;
}

/* Purging takes a while, but the name is free at once. */
static void purge(struct sim_call *c, struct sim_resource *r)
{
    static const struct sim_answer answer = {.status = 202,
                                             .poller = POLLER_LOCATION,
                                             .body = BODY_EMPTY,
                                             .retry_after = {15},
                                             .retry_count = 1,
                                             .polls = 1};
    struct sim_operation *o;

    sim_store_remove(c->sim->deleted, r);
    o = sim_operation_start(c, NULL, &answer, true, false);
    sim_reply(c, 202, NULL);
    sim_operation_headers(c, o);
}

bool sim_deleted(struct sim_call *c, str action)
{
    const struct arm_pair *pair = named_pair(c);
    struct sim_resource *r = pair ? find_deleted(c, pair) : NULL;

    if (!r)
        return false;
    if (str_eq_fold(action, STR("purge")))
        purge(c, r);
    else
        sim_reply(c, 200, show(c, r, c->id.blocks[0].provider, pair->type));
    return true;
}

/* ---- All of them. ------------------------------------------------------------------------------
 */

/* Takes the next two segments of a path; false if the first one is not word. */
static bool next_pair(str *path, str word, str *name)
{
    str got;

    str_cut(*path, STR("/"), &got, path);
    str_cut(*path, STR("/"), name, path);
    return str_eq_fold(got, word);
}

bool sim_list_deleted(struct sim_call *c)
{
    str path = str_trim_set(c->q->path, STR("/")), provider, location = STR_NONE, rest;
    struct value *v = value_object(c->arena), *list;

    if (!next_pair(&path, STR("subscriptions"), &c->id.subscription) ||
        !next_pair(&path, STR("providers"), &provider))
        return false;
    rest = path;
    if (next_pair(&rest, STR("locations"), &location))
        path = rest;
    else
        location = STR_NONE;
    if (!path.len || str_contains(path, STR("/")) ||
        !sim_types_keep(c->arena, c->sim->types, provider, path))
        return false;
    list = value_set(c->arena, v, STR("value"), value_list(c->arena));
    for (struct sim_resource *r = sim_store_root(c->sim->deleted)->first; r; r = r->next)
        if (is_kept_as(c, r, provider, path) &&
            (!location.len || str_eq_fold(location, location_of(c, r))))
            value_add(c->arena, list, show(c, r, provider, path));
    sim_reply(c, 200, v);
    return true;
}
