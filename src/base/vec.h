/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vec.h - arrays that grow, in an arena.
 *
 *     VEC(str) names = {0};
 *     VEC_PUSH(a, &names, STR("x"));
 *     for (size_t i = 0; i < names.len; i++) use(names.items[i]);
 *
 * Pointers to elements are valid until the next push. One thread at a time.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t len, cap;                                                                           \
    }

/* Appends a copy of item. */
#define VEC_PUSH(a, v, item) (*VEC_ADD((a), (v)) = (item))

/* Appends a zeroed element and gives its address. */
#define VEC_ADD(a, v)                                                                              \
    ((v)->items = vec_room((a), (v)->items, (v)->len, &(v)->cap, sizeof(*(v)->items)),             \
     &(v)->items[(v)->len++])

/* Texts. */
struct str_list {
    str *items;
    size_t len, cap;
};

/* Whether text is in the list. */
bool str_list_has(const struct str_list *list, str text);

/* Implementation of the macros: items with more room. */
void *vec_grow(struct arena *a, void *items, size_t *cap, size_t size);
/* The same: items with room for one more, the new element zeroed. */
#ifdef __clang_analyzer__
void *vec_room(struct arena *a, void *items, size_t len, size_t *cap, size_t size);
#else
static inline void *vec_room(struct arena *a, void *items, size_t len, size_t *cap, size_t size)
{
    if (len == *cap)
        items = vec_grow(a, items, cap, size);
    memset((char *)items + len * size, 0, size);
    return items;
}
#endif
