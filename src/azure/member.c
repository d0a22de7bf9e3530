/* SPDX-License-Identifier: Apache-2.0 */
/*
 * member.c - members in other letters.
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
