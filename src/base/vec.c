/* SPDX-License-Identifier: Apache-2.0 */
/* vec.c - arrays that grow; see vec.h. */
#include "base/vec.h"

enum { FIRST = 8 };

void *vec_room(struct arena *a, void *items, size_t len, size_t *cap, size_t size)
{
    if (len == *cap) {
        size_t bigger = *cap ? *cap * 2 : FIRST;
        items = arena_grow(a, items, arena_array_size(*cap, size), arena_array_size(bigger, size));
        *cap = bigger;
    }
    memset((char *)items + len * size, 0, size);
    return items;
}
