/* SPDX-License-Identifier: Apache-2.0 */
/* vec.c - arrays that grow; see vec.h. */
#include "base/vec.h"

enum { FIRST = 8 };

void *vec_grow(struct arena *a, void *items, size_t *cap, size_t size)
{
    size_t bigger = *cap ? *cap * 2 : FIRST;

    items = arena_grow(a, items, arena_array_size(*cap, size), arena_array_size(bigger, size));
    *cap = bigger;
    return items;
}

bool str_list_has(const struct str_list *list, str text)
{
    for (size_t i = 0; i < list->len; i++)
        if (str_eq(list->items[i], text))
            return true;
    return false;
}
