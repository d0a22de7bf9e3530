/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.c - rejects unknown api-versions. A type whose file lists its versions accepts no others;
 * a strict simulator also accepts only those of the resource model, and rejects providers and types
 * that are in neither files nor model. For groups and locations only the date matters.
 */
#include "sim/internal.h"

#include <string.h>

static str last_provider(const struct sim_call *c)
{
    return c->id.block_count ? c->id.blocks[c->id.block_count - 1].provider : STR_NONE;
}

/* The type without its provider, as in errors. */
static str short_type(const struct sim_call *c)
{
    return str_from(c->type, str_find_char(c->type, '/') + 1);
}

bool sim_is_listed(const struct str_list *names, str name)
{
    for (size_t i = 0; i < names->len; i++)
        if (str_eq_fold(names->items[i], name))
            return true;
    return false;
}

/* PUTs are checked by the type of their target, everything else by what exists. */
static bool refuse_version(struct sim_call *c, const struct str_list *versions)
{
    bool writes = strcmp(c->kind, "write") == 0;
    str list = str_join(c->arena, versions->items, versions->len, writes ? STR(", ") : STR(","));
    str location = value_get_str(c->body, STR("location"));

    if (writes)
        sim_refuse(c, 400, "NoRegisteredProviderFound",
                   "No registered resource provider found for location '%.*s' and API version "
                   "'%.*s' for type '%.*s'. The supported api-versions are '%.*s'. The supported "
                   "locations are 'westus2, westus3, eastus, westeurope'.",
                   STR_ARG(location), STR_ARG(c->api_version), STR_ARG(short_type(c)),
                   STR_ARG(list));
    else
        sim_refuse(c, 400, "InvalidResourceType",
                   "The resource type '%.*s' could not be found in the namespace '%.*s' for api "
                   "version '%.*s'. The supported api-versions are '%.*s'.",
                   STR_ARG(short_type(c)), STR_ARG(last_provider(c)), STR_ARG(c->api_version),
                   STR_ARG(list));
    return false;
}

static bool refuse_type(struct sim_call *c)
{
    str provider = last_provider(c);

    if (!sim_usual_provider(c, provider) && !sim_types_provider(c->arena, c->sim->types, provider))
        sim_refuse(c, 404, "InvalidResourceNamespace", "The resource namespace '%.*s' is invalid.",
                   STR_ARG(provider));
    else
        sim_refuse(c, 404, "InvalidResourceType",
                   "The resource type '%.*s' could not be found in the namespace '%.*s' for api "
                   "version '%.*s'.",
                   STR_ARG(short_type(c)), STR_ARG(provider), STR_ARG(c->api_version));
    return false;
}

bool sim_version_known(struct sim_call *c)
{
    struct str_list versions = c->behaviour->versions;
    bool from_file = versions.len > 0;

    if (!c->id.block_count || (!from_file && !c->sim->config.strict))
        return true;
    if (!from_file)
        versions = sim_usual_versions(c);
    if (sim_is_listed(&versions, c->api_version))
        return true;
    if (versions.len)
        return refuse_version(c, &versions);
    return !sim_types_find(c->arena, c->sim->types, c->type)->unheard || refuse_type(c);
}
