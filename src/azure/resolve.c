/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.c - computes ids from chains of owners.
 *
 * An id is a base and names below it. The base is what ends the chain: a resource group, an
 * explicit id, an extension's target, or the tenant. Provider and types come from the object
 * itself, not from its owners: the two may be spelled differently.
 */
#include "azure/resolve.h"

#include "arm/id.h"

/* ---- Objects. -------------------------------------------------------------------------------- */

bool object_resource(struct model *m, const struct value *object, const struct model_resource **out,
                     struct err *e)
{
    str group, version;

    api_version_split(value_get_str(object, STR("apiVersion")), &group, &version);
    version = str_without_suffix(version, STR("storage"));
    return model_find(m, group, version, value_get_str(object, STR("kind")), out, e);
}

struct reference_rule owner_rule(const struct model_resource *res)
{
    return (struct reference_rule){
        .builtin = res->owner_form, .group = res->owner_group, .kind = res->owner_kind};
}

/* ---- Places. --------------------------------------------------------------------------------- */

struct place {
    str base;              /* an id, or empty for the tenant */
    str names[OWNERS_MAX]; /* below it */
    size_t count;
};

struct chain {
    struct arena *arena;
    const struct resolver *r;
    size_t depth;
    struct err *e;
};

static bool find_place(struct chain *c, const struct model_resource *res,
                       const struct value *object, const struct source *src, struct place *out);
static bool id_of(struct chain *c, const struct model_resource *res, const struct value *object,
                  const struct source *src, str *out);

static bool read_owner(const struct model_resource *res, const struct value *object,
                       const struct source *src, struct reference *out, struct err *e)
{
    const struct value *spec = value_get(object, STR("spec"));
    const struct value *owner = value_get(spec, STR("owner"));
    struct reference_rule rule = owner_rule(res);

    if (!owner || owner->kind == VALUE_NULL)
        return source_err(e, src ? src : &(struct source){0}, spec ? spec : object,
                          "spec.owner is missing%s%.*s", rule.kind.len ? ": name the " : "",
                          STR_ARG(rule.kind));
    return reference_read(owner, &rule, src, out, e) || err_wrap(e, "spec.owner");
}

/* The owner's id if it is explicit; its type is checked. */
static bool given_owner(struct chain *c, const struct model_resource *res,
                        const struct reference *ref, str *out)
{
    const struct model_resource *owner;

    if (ref->form == REFERENCE_AZURE) {
        if (!reference_azure_id(c->arena, ref, c->r->subscription, STR_NONE, out, c->e))
            return false;
    } else {
        *out = ref->id;
    }
    if (!res->owner_kind.len)
        return true;
    if (!model_find_hub(c->r->model, res->owner_group, res->owner_kind, &owner, c->e))
        return false;
    return arm_id_check_type(c->arena, *out, owner->arm_type, c->e);
}

/* The owner as an object. False with ERR_NOT_FOUND when it is missing. */
static bool owner_object(struct chain *c, const struct value *object, const struct reference *ref,
                         const struct value **out, const struct model_resource **res)
{
    const struct object_key name = reference_key(ref, object_namespace(object));
    AUTO_ERR unknown = {0};

    if (!c->r->object(c->r->ctx, c->arena, &name, out, c->e))
        return false;
    if (object_resource(c->r->model, *out, res, &unknown))
        return true;
    return model_find_hub(c->r->model, ref->group, ref->kind, res, c->e);
}

/* Replaces a missing owner with a placeholder, if the resolver can. */
static bool missing_owner(struct chain *c, const struct value *object, const struct reference *ref,
                          str *out)
{
    const struct object_key name = reference_key(ref, object_namespace(object));

    if (!c->r->missing || (c->e && c->e->kind != ERR_NOT_FOUND))
        return false;
    err_clear(c->e);
    return c->r->missing(c->r->ctx, c->arena, &name, out, c->e);
}

static bool deeper(struct chain *c)
{
    return ++c->depth < OWNERS_MAX ||
           err_set(c->e, ERR_INVALID, "the owners form a circle, or more than %d of them a chain",
                   OWNERS_MAX);
}

/* The id of the owner as a whole, for extensions. */
static bool owner_id(struct chain *c, const struct value *object, const struct reference *ref,
                     const struct model_resource *res, str *out)
{
    const struct value *owner;
    const struct model_resource *owner_res;

    if (ref->form != REFERENCE_OBJECT)
        return given_owner(c, res, ref, out);
    if (!owner_object(c, object, ref, &owner, &owner_res))
        return missing_owner(c, object, ref, out);
    *out = object_annotation(owner, STR(ANNOTATION_CHILD_ID));
    return out->len || (deeper(c) && id_of(c, owner_res, owner, NULL, out));
}

/* The place of a resource in a group: in the group itself, or below its owner. */
static bool place_below_owner(struct chain *c, const struct value *object,
                              const struct reference *ref, const struct model_resource *res,
                              struct place *out)
{
    const struct value *owner;
    const struct model_resource *owner_res;

    if (ref->form != REFERENCE_OBJECT)
        return given_owner(c, res, ref, &out->base);
    if (!owner_object(c, object, ref, &owner, &owner_res))
        return missing_owner(c, object, ref, &out->base);
    return deeper(c) && find_place(c, owner_res, owner, NULL, out);
}

static bool add_name(struct chain *c, const struct model_resource *res, const struct value *object,
                     struct place *out)
{
    return resolve_name(c->arena, c->r, res, object, &out->names[out->count++], c->e);
}

/*
 * A group that was claimed with another credential is in another subscription. Resources in it must
 * not end up in a group of the same name in our own subscription.
 */
static bool is_own_group(struct chain *c, const struct value *group)
{
    str claimed = object_annotation(group, STR(ANNOTATION_RESOURCE_ID));
    struct arm_id id;

    if (!c->depth || c->r->compute || !arm_id_parse(c->arena, claimed, &id, NULL) ||
        !id.subscription.len || str_eq_fold(id.subscription, c->r->subscription))
        return true;
    return err_set(c->e, ERR_INVALID,
                   "resource group %.*s is in subscription %.*s, but the credential is for %.*s: "
                   "use a credential of the same subscription for both",
                   STR_ARG(object_name(group)), STR_ARG(id.subscription),
                   STR_ARG(c->r->subscription));
}

static bool find_place(struct chain *c, const struct model_resource *res,
                       const struct value *object, const struct source *src, struct place *out)
{
    struct reference ref = {0};
    str name;

    switch (res->scope) {
    case SCOPE_TENANT:
        return add_name(c, res, object, out);
    case SCOPE_SUBSCRIPTION:
        if (!is_own_group(c, object) || !resolve_name(c->arena, c->r, res, object, &name, c->e))
            return false;
        out->base = arm_id_of_group(c->arena, c->r->subscription, name);
        return true;
    case SCOPE_EXTENSION:
        if (!read_owner(res, object, src, &ref, c->e) ||
            !owner_id(c, object, &ref, res, &out->base) ||
            !resolve_name(c->arena, c->r, res, object, &name, c->e))
            return false;
        out->base = arm_id_of_extension(c->arena, out->base, res->arm_type, name);
        return true;
    case SCOPE_RESOURCE_GROUP:
        return read_owner(res, object, src, &ref, c->e) &&
               place_below_owner(c, object, &ref, res, out) && add_name(c, res, object, out);
    default:
        return err_set(c->e, ERR_INVALID, "kind %.*s of %.*s is not an Azure resource",
                       STR_ARG(res->kind), STR_ARG(res->group));
    }
}

static bool id_of(struct chain *c, const struct model_resource *res, const struct value *object,
                  const struct source *src, str *out)
{
    struct place p = {0};

    if (!find_place(c, res, object, src, &p))
        return false;
    if (p.count == 0) {
        *out = p.base;
        return true;
    }
    return arm_id_of_resource(c->arena, p.base, res->arm_type, p.names, p.count, out, c->e);
}

bool resolve_id(struct arena *a, const struct resolver *r, const struct model_resource *res,
                const struct value *object, const struct source *src, str *out, struct err *e)
{
    struct chain c = {.arena = a, .r = r, .e = e};

    return id_of(&c, res, object, src, out);
}

/* ---- References. ----------------------------------------------------------------------------- */

static bool reference_to_object(struct arena *a, const struct resolver *r,
                                const struct value *object, const struct reference *ref, str *out,
                                struct err *e)
{
    struct chain c = {.arena = a, .r = r, .e = e};
    const struct value *target;
    const struct model_resource *res;

    if (!owner_object(&c, object, ref, &target, &res))
        return missing_owner(&c, object, ref, out);
    *out = object_annotation(target, STR(ANNOTATION_RESOURCE_ID));
    if (out->len)
        return true;
    if (!r->compute)
        return err_set(e, ERR_NOT_FOUND, "%.*s %.*s has no ARM id yet", STR_ARG(ref->kind),
                       STR_ARG(ref->name));
    return id_of(&c, res, target, NULL, out);
}

static bool reference_in_azure(struct arena *a, const struct resolver *r,
                               const struct reference *ref, str holder_id, str *out, struct err *e)
{
    struct arm_id holder = {0};

    if (holder_id.len && !arm_id_parse(a, holder_id, &holder, e))
        return false;
    str sub = holder.subscription.len ? holder.subscription : r->subscription;
    return reference_azure_id(a, ref, sub, holder.group, out, e);
}

bool resolve_reference(struct arena *a, const struct resolver *r, const struct value *object,
                       const struct reference *ref, str holder_id, str *out, struct err *e)
{
    switch (ref->form) {
    case REFERENCE_ID:
        *out = ref->id;
        return true;
    case REFERENCE_WELL_KNOWN:
        *out = ref->well_known;
        return true;
    case REFERENCE_AZURE:
        return reference_in_azure(a, r, ref, holder_id, out, e);
    default:
        return reference_to_object(a, r, object, ref, out, e);
    }
}
