/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keyvault_vault.c - creates a vault whose name is still taken by a deleted one.
 *
 * Deleted vaults are kept for some time and block their name. createMode says what to do then:
 * recover it (createOrRecover) or purge it first (purgeThenCreate). Azure supports neither: it gets
 * "recover" or "default", depending on the deleted vaults. The kind's rule sends "default" for
 * both, so this hook only handles the case that there is a deleted vault.
 */
#include "operator/ext/ext_all.h"

#include "arm/id.h"

#define API_VERSION STR("2024-11-01")
#define PURGE_WAIT (10 * NS_PER_SEC)

/* "West US 2" is westus2. */
static str plain_location(struct arena *a, str location)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < location.len; i++)
        if (location.ptr[i] != ' ')
            buf_char(&b, location.ptr[i]);
    return str_lower(a, buf_str(&b));
}

/* The id of the deleted vault of the same name, if there is one. */
static bool deleted_id(const struct ext_input *in, str *out)
{
    str location = value_get_str(value_get(in->object, STR("spec")), STR("location"));
    struct arm_id id;

    location = plain_location(in->arena, location);
    if (!arm_id_is_segment(location) || !arm_id_parse(in->arena, in->id, &id, NULL))
        return false;
    *out = str_fmt(in->arena,
                   "/subscriptions/%.*s/providers/Microsoft.KeyVault/locations/%.*s/"
                   "deletedVaults/%.*s",
                   STR_ARG(id.subscription), STR_ARG(location), STR_ARG(arm_id_name(&id)));
    return true;
}

static struct decision recover(const struct ext_input *in, const struct value *deleted,
                               struct decision next)
{
    str old = value_get_str(value_get(deleted, STR("properties")), STR("vaultId"));
    struct arm_id id, old_id;

    if (arm_id_parse(in->arena, old, &old_id, NULL) && arm_id_parse(in->arena, in->id, &id, NULL) &&
        !str_eq_fold(old_id.group, id.group)) {
        struct decision block = decision_block(str_fmt(
            in->arena,
            "the deleted vault %.*s was in resource group %.*s and can be recovered only there",
            STR_ARG(arm_id_name(&id)), STR_ARG(old_id.group)));
        block.severity = STR("Error");
        return block;
    }
    struct value *payload = value_clone(in->arena, next.value);
    struct value *properties = value_get(payload, STR("properties"));
    if (value_is(properties, VALUE_OBJECT))
        value_set_str(in->arena, properties, STR("createMode"), STR("recover"));
    return decision_go(payload);
}

/* Purges it, then looks again: questions 1 and 2. Azure returns 409 while a purge is under way. */
static struct decision purge(const struct ext_input *in, str id, struct decision next)
{
    const struct arm_answer *purged = ext_answer(in, 1), *left = ext_answer(in, 2);

    if (!purged)
        return decision_ask("POST", ext_path(in->arena, id, STR("purge"), API_VERSION), NULL);
    if ((purged->http < 200 || purged->http > 299) && purged->http != 409 && purged->http != 404)
        return decision_refused(in, "purging the deleted vault", purged);
    if (!left)
        return decision_ask("GET", ext_path(in->arena, id, STR_NONE, API_VERSION), NULL);
    if (left->http == 404)
        return next;
    struct decision wait = decision_block(STR("the deleted vault of this name is being purged"));
    wait.severity = STR("Info");
    wait.reason = STR("Reconciling");
    wait.retry = PURGE_WAIT;
    return wait;
}

static struct decision create_mode(const struct ext_input *in, struct decision next)
{
    const struct value *properties =
        value_get(value_get(in->object, STR("spec")), STR("properties"));
    str mode = value_get_str(properties, STR("createMode")), id;
    const struct arm_answer *found = ext_answer(in, 0);
    bool recovers = str_eq(mode, STR("createOrRecover"));

    if (next.kind != DECISION_GO || in->body ||
        (!recovers && !str_eq(mode, STR("purgeThenCreate"))))
        return next;
    if (!deleted_id(in, &id))
        return decision_block(
            str_fmt(in->arena, "createMode %.*s needs spec.location", STR_ARG(mode)));
    if (!found)
        return decision_ask("GET", ext_path(in->arena, id, STR_NONE, API_VERSION), NULL);
    if (found->http == 200)
        return recovers ? recover(in, ext_body(in, found), next) : purge(in, id, next);
    if (recovers && found->http != 404)
        return decision_refused(in, "looking for a deleted vault", found);
    return next;
}

const struct azure_ext ext_keyvault_vault = {
    .kind = "keyvault.azure.com/Vault",
    .payload = create_mode,
};
