/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refs.c - properties that contain ARM ids, and those that look as if they did.
 *
 * Which ones do is stated in the overlay: neither types nor names are conclusive. Anything
 * suggested by a name, a description, or another version of the same property is noted as a
 * proposal. The rules and how often they are right: docs/design/azure-model.md.
 */
#include "azure/derive/internal.h"

static const struct {
    enum fact_code code;
    str role, type;
    bool beside; /* the literal stays */
} kinds[] = {
    {FACT_REF, STR_INIT("ref"), STR_INIT("#ResourceReference"), false},
    {FACT_REF_WELL_KNOWN, STR_INIT("wellknown"), STR_INIT("#WellKnownResourceReference"), false},
    {FACT_REF_BESIDE, STR_INIT("ref"), STR_INIT("#ResourceReference"), true},
};

static void add_literal(struct derive *d, const struct member *m, struct found_list *found)
{
    struct value *prop = derive_plain(d, m);

    if (prop)
        derive_add(d, m, m->name, prop, found);
}

bool role_reference(struct derive *d, const struct member *m, struct found_list *found)
{
    bool many = m->type->kind == ARM_ARRAY;

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!facts_have(&m->facts, kinds[i].code))
            continue;
        if (kinds[i].beside)
            add_literal(d, m, found);
        str type = many ? str_concat(d->arena, STR("[]"), kinds[i].type) : kinds[i].type;
        struct value *prop = derive_prop(d, type);
        value_set_str(d->arena, prop, STR("role"), kinds[i].role);
        derive_add(d, m, name_reference(d->arena, m->name, many), prop, found);
        return true;
    }
    return false;
}

/* A map keyed by ARM ids becomes a list of references; the values of the map are set by ARM. */
bool role_identities(struct derive *d, const struct member *m, struct found_list *found)
{
    static const str name = STR_INIT("userAssignedIdentities");

    if (!str_eq(m->name, name) || m->type->kind != ARM_OBJECT || m->type->prop_count ||
        m->type->item == ARM_NO_TYPE || facts_have(&m->facts, FACT_PLAIN))
        return false;
    struct value *key = derive_prop(d, STR("#ResourceReference"));
    value_set(d->arena, key, STR("a"), value_null(d->arena));
    value_set_str(d->arena, key, STR("role"), STR("uaiKey"));
    struct value *props = value_object(d->arena), *type = value_object(d->arena);
    value_set(d->arena, props, STR("reference"), key);
    value_set(d->arena, type, STR("props"), props);
    str element = derive_put(d, d->types, STR("UserAssignedIdentityDetails"), type);
    struct value *prop = derive_prop(d, str_concat(d->arena, STR("[]@"), element));
    value_set_str(d->arena, prop, STR("role"), STR("uai"));
    derive_add(d, m, name, prop, found);
    return true;
}

/* ---- Proposals. ---- */

static bool is_text(const struct derive *d, const struct arm_type *t)
{
    if (t->kind == ARM_ARRAY)
        t = arm_type_at(d->file, t->item);
    return t->kind == ARM_STRING;
}

/* Stems that usually name things without an ARM id. */
static const str trap_stems[] = {
    STR_INIT("tenant"),        STR_INIT("client"),    STR_INIT("subscription"),
    STR_INIT("group"),         STR_INIT("principal"), STR_INIT("application"),
    STR_INIT("certificate"),   STR_INIT("secret"),    STR_INIT("version"),
    STR_INIT("user"),          STR_INIT("key"),       STR_INIT("endpoint"),
    STR_INIT("connection"),    STR_INIT("image"),     STR_INIT("server"),
    STR_INIT("configuration"),
};

/* Whether what precedes "Id" is the singular of a segment of some ARM type. */
static bool stem_is_segment(const struct derive *d, str lower_name)
{
    str stem = str_without_suffix(str_without_suffix(lower_name, STR("s")), STR("id"));

    if (stem.len < 5 || stem.len + 2 > lower_name.len)
        return false;
    for (size_t i = 0; i < COUNT(trap_stems); i++)
        if (str_eq(trap_stems[i], stem))
            return false;
    return map_has(d->world->segments, stem);
}

static bool description_says_id(struct arena *a, str description)
{
    str text = str_lower(a, description);

    return (str_contains(text, STR("/subscriptions/")) &&
            str_contains(text, STR("/resourcegroups/"))) ||
           str_contains(text, STR("arm id")) || str_contains(text, STR("resource id"));
}

static const char *why_reference(struct derive *d, const struct member *m)
{
    str name = str_lower(d->arena, m->name);

    for (size_t i = 0; i < COUNT(kinds); i++)
        if (overlay_elsewhere(d->group, m->holder, m->prop->name, kinds[i].code))
            return "a reference in other versions";
    if (m->prop->description.len && description_says_id(d->arena, m->prop->description))
        return "the description speaks of an ARM id";
    if (str_eq(name, STR("id")) || str_contains(name, STR("resourceid")) ||
        str_contains(name, STR("armid")))
        return "named like an ARM id";
    return stem_is_segment(d, name) ? "named after a type of resource" : NULL;
}

void propose_reference(struct derive *d, const struct member *m)
{
    if (d->side != SIDE_SPEC || !is_text(d, m->type) || facts_have(&m->facts, FACT_PLAIN))
        return;
    const char *why = why_reference(d, m);
    if (why)
        derive_note(d, NOTE_REFERENCE, m->holder, m->prop->name, why);
}
