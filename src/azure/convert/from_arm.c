/* SPDX-License-Identifier: Apache-2.0 */
/*
 * from_arm.c - converts an ARM body to a status or a spec.
 *
 * The body is walked once, by the ARM side of the types (struct model_arm). Anything that does not
 * fit is silently left out: Azure returns more than it documents, which must not cause failures.
 */
#include "azure/convert/convert.h"

#include "arm/id.h"
#include "azure/member.h"

struct receiving {
    struct arena *arena;
    bool spec; /* otherwise the status */
};

static void take_object(const struct receiving *r, const struct model_type *t,
                        const struct value *arm, struct value *to);
static bool take(const struct receiving *r, const struct model_shape *shape,
                 const struct value *from, struct value *to);

/* ---- Scalars. -------------------------------------------------------------------------------- */

/* Whether a value has the expected form. */
static bool fits(enum model_form form, const struct value *v)
{
    switch (form) {
    case FORM_STRING:
        return v->kind == VALUE_STRING;
    case FORM_INT:
    case FORM_FLOAT:
        return value_is_number(v);
    case FORM_BOOL:
        return v->kind == VALUE_BOOL;
    case FORM_JSON:
        return true;
    case FORM_LIST:
        return v->kind == VALUE_LIST;
    default:
        return v->kind == VALUE_OBJECT;
    }
}

/* Takes a value of an enum, in its usual spelling. */
static void take_choice(const struct value *choices, const struct value *from, struct value *to)
{
    *to = *from;
    for (size_t i = 0; i < value_len(choices); i++)
        if (str_eq_fold(value_str(&choices->items[i]), value_str(from))) {
            to->text = choices->items[i].text;
            return;
        }
}

/* ---- References. ----------------------------------------------------------------------------- */

static bool take_reference(const struct receiving *r, const struct model_shape *shape,
                           const struct value *from, struct value *to)
{
    bool well_known = shape->builtin == BUILTIN_WELL_KNOWN_REFERENCE;
    struct value *out;

    if (from->kind != VALUE_STRING)
        return false;
    out = value_object(r->arena);
    if (well_known && !arm_id_is(value_str(from)))
        value_set_str(r->arena, out, STR("wellKnownName"), value_str(from));
    else
        value_set_str(r->arena, out, STR("armId"), value_str(from));
    *to = *out;
    return true;
}

static bool take_builtin(const struct receiving *r, const struct model_shape *shape,
                         const struct value *from, struct value *to)
{
    switch (shape->builtin) {
    case BUILTIN_RESOURCE_REFERENCE:
    case BUILTIN_WELL_KNOWN_REFERENCE:
    case BUILTIN_KNOWN_REFERENCE:
        return take_reference(r, shape, from, to);
    default:
        return false; /* secrets and config maps: only the user knows where they are */
    }
}

/* Converts a map by id to a list of identities. */
static bool take_identities(const struct receiving *r, const struct model_prop *p,
                            const struct value *from, struct value *to)
{
    const struct model_type *t = p->shape->form == FORM_LIST ? p->shape->item->object : NULL;
    const struct model_prop *key = t ? model_prop_of_role(t, ROLE_IDENTITY) : NULL;
    struct value *out = value_list(r->arena);

    if (!key || from->kind != VALUE_OBJECT)
        return false;
    for (size_t i = 0; i < from->len; i++) {
        struct value *item = value_object(r->arena), *ref = value_object(r->arena);
        value_set_str(r->arena, ref, STR("armId"), value_key(&from->items[i]));
        value_set(r->arena, item, key->name, ref);
        if (from->items[i].kind == VALUE_OBJECT)
            take_object(r, t, &from->items[i], item);
        value_add(r->arena, out, item);
    }
    *to = *out;
    return true;
}

/* ---- Collections and objects. ---------------------------------------------------------------- */

static bool take_items(const struct receiving *r, const struct model_shape *shape,
                       const struct value *from, struct value *to)
{
    bool list = shape->form == FORM_LIST;
    struct value *out = list ? value_list(r->arena) : value_object(r->arena);

    for (size_t i = 0; i < from->len; i++) {
        struct value made = {0};
        if (!take(r, shape->item, &from->items[i], &made))
            continue;
        if (list)
            value_add(r->arena, out, &made);
        else
            value_set(r->arena, out, value_key(&from->items[i]), &made);
    }
    *to = *out;
    return true;
}

/* Whether values of this type can be copied: no objects, no enums in a different case. */
static bool is_plain(const struct receiving *r, const struct model_shape *shape)
{
    return shape->form == FORM_JSON ||
           (shape->form < FORM_LIST && !(r->spec && shape->choices && shape->form == FORM_STRING));
}

/* Converts a value. False when it does not fit. */
static bool take(const struct receiving *r, const struct model_shape *shape,
                 const struct value *from, struct value *to)
{
    if (from->kind == VALUE_NULL && shape->form != FORM_JSON)
        return false;
    if (shape->form == FORM_BUILTIN)
        return take_builtin(r, shape, from, to);
    if (!fits(shape->form, from))
        return false;
    if (is_plain(r, shape)) {
        *to = *from;
    } else if (shape->form == FORM_OBJECT) {
        struct value *out = value_object(r->arena);
        take_object(r, shape->object, from, out);
        *to = *out;
    } else if (shape->form < FORM_LIST) {
        take_choice(shape->choices, from, to);
    } else {
        return take_items(r, shape, from, to);
    }
    return true;
}

static bool is_empty_collection(const struct model_prop *p, const struct value *v)
{
    return (p->shape->form == FORM_LIST || p->shape->form == FORM_MAP) && value_is_container(v) &&
           v->len == 0;
}

/* Whether there is already a value from a member spelled exactly as in the model, which wins. */
static bool is_double(const struct value *to, const struct model_arm *m, const struct value *from)
{
    return value_get(to, m->prop->name) && !str_eq(value_key(from), m->name);
}

static void take_prop(const struct receiving *r, const struct model_arm *m,
                      const struct value *from, struct value *to)
{
    const struct model_prop *p = m->prop;
    struct value made = {0};

    if (from->kind == VALUE_NULL || is_double(to, m, from))
        return;
    bool ok = p->role == ROLE_IDENTITIES && r->spec ? take_identities(r, p, from, &made)
                                                    : take(r, p->shape, from, &made);
    if (ok && !(r->spec && is_empty_collection(p, &made)))
        value_set(r->arena, to, p->name, &made);
}

static void take_members(const struct receiving *r, const struct model_arm *members, size_t count,
                         const struct value *arm, struct value *to)
{
    for (size_t i = 0; i < arm->len; i++) {
        const struct value *v = &arm->items[i];
        const struct model_arm *m = model_arm(members, count, value_key(v));
        if (m && m->prop)
            take_prop(r, m, v, to);
        if (m && m->below && v->kind == VALUE_OBJECT)
            take_members(r, m->below, m->below_count, v, to);
    }
}

static void take_object(const struct receiving *r, const struct model_type *t,
                        const struct value *arm, struct value *to)
{
    if (t->discriminator.len) {
        const struct model_prop *p = model_variant(t, member_fold_str(arm, t->discriminator));
        if (p && p->shape->form == FORM_OBJECT) {
            struct value *variant = value_object(r->arena);
            take_object(r, p->shape->object, arm, variant);
            value_set(r->arena, to, p->name, variant);
        }
    }
    take_members(r, t->arm, t->arm_count, arm, to);
}

struct value *convert_to_status(struct arena *a, const struct model_resource *res,
                                const struct value *arm)
{
    struct receiving r = {.arena = a};
    struct value *out = value_object(a);

    if (value_is(arm, VALUE_OBJECT))
        take_object(&r, res->status, arm, out);
    return out;
}

struct value *convert_to_spec(struct arena *a, const struct model_resource *res,
                              const struct value *arm)
{
    struct receiving r = {.arena = a, .spec = true};
    struct value *out = value_object(a);

    if (value_is(arm, VALUE_OBJECT))
        take_object(&r, res->spec, arm, out);
    return out;
}
