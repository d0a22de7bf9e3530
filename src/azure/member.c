/* SPDX-License-Identifier: Apache-2.0 */
/*
 * member.c - members of objects, and the properties they set; see member.h.
 */
#include "azure/member.h"

const struct value *member_fold(const struct value *object, str name)
{
    const struct value *exact = value_get(object, name);

    for (size_t i = 0; !exact && i < value_len(object); i++)
        if (object->kind == VALUE_OBJECT && str_eq_fold(value_key(&object->items[i]), name))
            exact = &object->items[i];
    return exact;
}

str member_fold_str(const struct value *object, str name)
{
    return value_str(member_fold(object, name));
}

/* Unset, or an empty collection, which the original treats the same way. */
static bool is_unset(const struct model_prop *p, const struct value *v)
{
    bool collection = p->shape->form == FORM_LIST || p->shape->form == FORM_MAP;

    return !v || v->kind == VALUE_NULL || (collection && value_is_container(v) && v->len == 0);
}

/* If two properties with the same ARM path are set, the one that is not preferred gives way. */
static bool gives_way(const struct model_type *t, const struct model_prop *p,
                      const struct value *from)
{
    const struct model_arm *members = t->arm;
    size_t count = t->arm_count;
    const struct model_arm *m = NULL;

    for (size_t i = 0; i < p->arm_len; i++) {
        m = model_arm(members, count, p->arm[i]);
        if (!m)
            return false;
        members = m->below;
        count = m->below_count;
    }
    return m && m->prop && m->prop != p && !is_unset(m->prop, value_get(from, m->prop->name));
}

/* The property that a member sets; a case-insensitive match counts only without an exact one. */
static const struct model_prop *named_prop(const struct model_type *t, const struct value *from,
                                           const struct value *member)
{
    const struct model_prop *p = model_prop(t, value_key(member));

    for (size_t i = 0; !p && i < t->prop_count; i++)
        if (str_eq_fold(t->props[i].name, value_key(member)))
            return value_get(from, t->props[i].name) ? NULL : &t->props[i];
    return p;
}

const struct model_prop *member_prop(const struct model_type *t, const struct value *object,
                                     const struct value *member)
{
    const struct model_prop *p = named_prop(t, object, member);

    return !p || is_unset(p, member) || (p->shared && gives_way(t, p, object)) ? NULL : p;
}
