/* SPDX-License-Identifier: Apache-2.0 */
/* targets.c - compares types of reference targets with those in the model. */
#include "azure/targets.h"

#include "arm/id.h"

/* Longer text would not help anybody. */
#define DOUBTS_MAX (4 * KIB)

/* spec.subnets[0].routeTable.reference is subnets.routeTable.reference in the facts. */
static str fact_path(struct arena *a, str path)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    str rest = str_without_prefix(path, STR("spec."));
    bool inside = false;

    for (size_t i = 0; i < rest.len; i++) {
        inside = inside || rest.ptr[i] == '[';
        if (!inside)
            buf_char(&out, rest.ptr[i]);
        inside = inside && rest.ptr[i] != ']';
    }
    return buf_str(&out);
}

/* The type that the reference points to; empty if unknown. */
static str target_type(struct arena *a, struct model *m, const struct reference *ref)
{
    const struct model_resource *target;
    struct arm_id id;
    str text = ref->id;

    if (ref->form == REFERENCE_OBJECT)
        return model_find_hub(m, ref->group, ref->kind, &target, NULL) ? target->arm_type
                                                                       : STR_NONE;
    /* Subscription and group do not matter for the type. */
    if (ref->form == REFERENCE_AZURE &&
        !reference_azure_id(a, ref, STR("s"), STR("g"), &text, NULL))
        return STR_NONE;
    return arm_id_parse(a, text, &id, NULL) ? arm_id_type(a, &id) : STR_NONE;
}

static bool is_known(const struct value *types, str type)
{
    for (size_t i = 0; i < value_len(types); i++) {
        str known = value_str(&types->items[i]);
        if (str_eq(known, STR("*")) || str_eq_fold(known, type))
            return true;
    }
    return false;
}

str target_doubt(struct arena *a, struct model *m, const struct model_resource *res,
                 const struct need *need)
{
    struct buf out = buf_new(a, DOUBTS_MAX);
    const struct value *types;
    str type;

    if (need->kind != NEED_REFERENCE || !res->targets ||
        !value_len(types = value_get(res->targets, fact_path(a, need->path))))
        return STR_NONE;
    type = target_type(a, m, &need->reference);
    if (!type.len || is_known(types, type))
        return STR_NONE;
    buf_fmt(&out, "%.*s points to a resource of type %.*s, and is known to be used for ",
            STR_ARG(need->path), STR_ARG(type));
    for (size_t i = 0; i < value_len(types); i++)
        buf_fmt(&out, "%s%.*s", i ? ", " : "", STR_ARG(value_str(&types->items[i])));
    return buf_str(&out);
}

str target_doubts(struct arena *a, struct model *m, const struct model_resource *res,
                  const struct needs *needs)
{
    struct buf out = buf_new(a, DOUBTS_MAX);

    for (size_t i = 0; i < needs->len; i++) {
        str doubt = target_doubt(a, m, res, &needs->items[i]);
        if (doubt.len)
            buf_fmt(&out, "%s%.*s", out.len ? "; " : "", STR_ARG(doubt));
    }
    return buf_str(&out);
}
