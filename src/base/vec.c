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
