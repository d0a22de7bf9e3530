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

/* Implementation of the macros: items with room for one more, the new element zeroed. */
void *vec_room(struct arena *a, void *items, size_t len, size_t *cap, size_t size);
