/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets.c - values that come from secrets and config maps.
 *
 * Types mark many secrets as sensitive; the overlay has the rest. If a value may be given literally
 * or come from elsewhere, there are two mutually exclusive properties: a pair.
 */
#include "azure/derive/internal.h"

bool secret_member(const struct member *m)
{
    if (facts_have(&m->facts, FACT_SECRET) || facts_have(&m->facts, FACT_SECRET_OPTIONAL))
        return true;
    return m->type->sensitive && m->type->kind == ARM_STRING && !facts_have(&m->facts, FACT_PLAIN);
}

static bool add_role(struct derive *d, const struct member *m, str type, str role,
                     struct found_list *found)
{
    struct value *prop = derive_prop(d, type);

    value_set_str(d->arena, prop, STR("role"), role);
    derive_add(d, m, m->name, prop, found);
    return true;
}

bool role_secret_map(struct derive *d, const struct member *m, struct found_list *found)
{
    return facts_have(&m->facts, FACT_SECRET_MAP) &&
           add_role(d, m, STR("#SecretMapReference"), STR("secretMap"), found);
}

bool role_config(struct derive *d, const struct member *m, struct found_list *found)
{
    return facts_have(&m->facts, FACT_CONFIG_ONLY) &&
           add_role(d, m, STR("#ConfigMapReference"), STR("configMap"), found);
}

bool role_pair(struct derive *d, const struct member *m, struct found_list *found)
{
    bool config = facts_have(&m->facts, FACT_CONFIG);

    if (!config && !facts_have(&m->facts, FACT_SECRET_OPTIONAL))
        return false;
    struct value *literal = derive_plain(d, m);
    if (!literal)
        return true;
    str pair = name_identifier(d->arena, m->name, true);
    value_set_str(d->arena, literal, STR("pair"), pair);
    derive_add(d, m, m->name, literal, found);
    struct value *source =
        derive_prop(d, config ? STR("#ConfigMapReference") : STR("#SecretReference"));
    value_set_str(d->arena, source, STR("pair"), pair);
    value_set_str(d->arena, source, STR("role"), config ? STR("configMap") : STR("secret"));
    str suffix = config ? STR("FromConfig") : STR("FromSecret");
    derive_add(d, m, str_concat(d->arena, m->name, suffix), source, found);
    return true;
}

bool role_secret(struct derive *d, const struct member *m, struct found_list *found)
{
    return secret_member(m) && add_role(d, m, STR("#SecretReference"), STR("secret"), found);
}

/* ---- Proposals. ---- */

static bool named_like_secret(str lower_name)
{
    static const str inside[] = {STR_INIT("password"), STR_INIT("token"),
                                 STR_INIT("connectionstring"), STR_INIT("secret")};
    static const str outside[] = {STR_INIT("publickey"), STR_INIT("url"), STR_INIT("uri")};
    bool found = str_has_suffix(lower_name, STR("key")) && lower_name.len > 3;

    for (size_t i = 0; i < COUNT(inside); i++)
        found = found || str_contains(lower_name, inside[i]);
    for (size_t i = 0; i < COUNT(outside); i++)
        found = found && !str_contains(lower_name, outside[i]);
    return found && !str_has_suffix(lower_name, STR("id")) &&
           !str_has_suffix(lower_name, STR("name"));
}

static const char *why_secret(struct derive *d, const struct member *m)
{
    static const enum fact_code codes[] = {FACT_SECRET, FACT_SECRET_MAP, FACT_SECRET_OPTIONAL};

    for (size_t i = 0; i < COUNT(codes); i++)
        if (overlay_elsewhere(d->group, m->holder, m->prop->name, codes[i]))
            return "a secret in other versions";
    return named_like_secret(str_lower(d->arena, m->name)) ? "named like a secret" : NULL;
}

void propose_secret(struct derive *d, const struct member *m)
{
    if (d->side != SIDE_SPEC || m->type->kind != ARM_STRING || facts_have(&m->facts, FACT_PLAIN))
        return;
    const char *why = why_secret(d, m);
    if (why)
        derive_note(d, NOTE_SECRET, m->holder, m->prop->name, why);
}
