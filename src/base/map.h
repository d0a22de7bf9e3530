/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.h - text to pointer, in insertion order.
 *
 *     struct map *m = map_new(a);
 *     map_set(m, STR("x"), thing);
 *     struct thing *t = map_get(m, STR("x"));
 *     for (size_t i = 0; i < map_len(m); i++) use(map_key(m, i), map_at(m, i));
 *
 * Keys are not copied: they must live as long as the map, which lives as long as its arena. One
 * thread at a time; concurrent readers are fine as long as there is no writer.
 */
#pragma once

#include "base/str.h"

struct map;

struct map *map_new(struct arena *a);
/* NULL when there is none. */
void *map_get(const struct map *m, str key);
/* As map_get, for a key whose str_hash is known. */
void *map_get_hashed(const struct map *m, str key, uint64_t hash);
bool map_has(const struct map *m, str key);
/*
 * Adds a key, or replaces its value, keeping its place in the order. Returns the old value, or
 * NULL.
 */
void *map_set(struct map *m, str key, void *value);
/* As map_set, with the entry i of another map, whose hash is known. */
void *map_set_entry(struct map *m, const struct map *from, size_t i);
/* Makes room for so many more entries at once. */
void map_reserve(struct map *m, size_t more);
/* Removes in constant time: the last entry takes the place in the order. False when absent. */
bool map_remove(struct map *m, str key);
size_t map_len(const struct map *m);
str map_key(const struct map *m, size_t i);
void *map_at(const struct map *m, size_t i);
