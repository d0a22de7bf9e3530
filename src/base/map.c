/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - open addressing over an array of entries in insertion order.
 *
 * slots holds entry numbers plus one; 0 is free. At most half of the slots are in use.
 */
#include "base/map.h"

#include <assert.h>

#include "base/hash.h"
#include "base/vec.h"

struct entry {
    str key;
    void *value;
    uint64_t hash;
};

struct map {
    struct arena *arena;
    VEC(struct entry) entries;
    uint32_t *slots;
    size_t slot_count; /* a power of two */
};

enum { FIRST_SLOTS = 16 };

struct map *map_new(struct arena *a)
{
    struct map *m = ARENA_NEW(a, struct map);

    m->arena = a;
    return m;
}

/* The slot with key, or the free one where it would go. */
ALWAYS_INLINE size_t find_slot(const struct map *m, str key, uint64_t hash)
{
    size_t mask = m->slot_count - 1, at = hash & mask;

    for (; m->slots[at]; at = (at + 1) & mask) {
        const struct entry *entry = &m->entries.items[m->slots[at] - 1];
        if (entry->hash == hash && entry->key.len == key.len &&
            hot_same(entry->key.ptr, key.ptr, key.len))
            break;
    }
    return at;
}

static void grow(struct map *m, size_t slot_count)
{
    m->slots = ARENA_ARRAY(m->arena, uint32_t, slot_count);
    m->slot_count = slot_count;
    assert(m->entries.items || !m->entries.len);
    for (size_t i = 0; i < m->entries.len; i++) {
        const struct entry *entry = &m->entries.items[i];
        m->slots[find_slot(m, entry->key, entry->hash)] = (uint32_t)(i + 1);
    }
}

ALWAYS_INLINE struct entry *find_hashed(const struct map *m, str key, uint64_t hash)
{
    if (!m->entries.len)
        return NULL;
    uint32_t number = m->slots[find_slot(m, key, hash)];
    return number ? &m->entries.items[number - 1] : NULL;
}

ALWAYS_INLINE struct entry *find(const struct map *m, str key)
{
    return m->entries.len ? find_hashed(m, key, hash_text(key)) : NULL;
}

void *map_get(const struct map *m, str key)
{
    const struct entry *entry = find(m, key);

    return entry ? entry->value : NULL;
}

void *map_get_hashed(const struct map *m, str key, uint64_t hash)
{
    const struct entry *entry = find_hashed(m, key, hash);

    return entry ? entry->value : NULL;
}

bool map_has(const struct map *m, str key)
{
    return find(m, key) != NULL;
}

static void *set_hashed(struct map *m, str key, uint64_t hash, void *value)
{
    if (m->entries.len * 2 >= m->slot_count)
        grow(m, m->slot_count ? m->slot_count * 2 : FIRST_SLOTS);
    size_t slot = find_slot(m, key, hash);
    if (m->slots[slot]) {
        struct entry *entry = &m->entries.items[m->slots[slot] - 1];
        void *before = entry->value;
        entry->value = value;
        return before;
    }
    VEC_PUSH(m->arena, &m->entries, ((struct entry){.key = key, .value = value, .hash = hash}));
    m->slots[slot] = (uint32_t)m->entries.len;
    return NULL;
}

void *map_set(struct map *m, str key, void *value)
{
    return set_hashed(m, key, hash_text(key), value);
}

void *map_set_entry(struct map *m, const struct map *from, size_t i)
{
    const struct entry *entry = &from->entries.items[i];

    assert(i < from->entries.len);
    return set_hashed(m, entry->key, entry->hash, entry->value);
}

void map_reserve(struct map *m, size_t more)
{
    size_t len = m->entries.len + more, slot_count = m->slot_count ? m->slot_count : FIRST_SLOTS;

    while (slot_count < len * 2)
        slot_count *= 2;
    if (slot_count > m->slot_count)
        grow(m, slot_count);
    if (len > m->entries.cap) {
        m->entries.items = arena_grow(m->arena, m->entries.items,
                                      m->entries.cap * sizeof(struct entry),
                                      arena_array_size(len, sizeof(struct entry)));
        m->entries.cap = len;
    }
}

/* The slot that holds this entry number. */
static size_t slot_of(const struct map *m, size_t number)
{
    size_t mask = m->slot_count - 1, at = m->entries.items[number].hash & mask;

    while (m->slots[at] != number + 1)
        at = (at + 1) & mask;
    return at;
}

/* Frees a slot. Those after it move up unless that would put them before their home slot. */
static void free_slot(struct map *m, size_t free)
{
    size_t mask = m->slot_count - 1;

    for (size_t at = (free + 1) & mask; m->slots[at]; at = (at + 1) & mask) {
        size_t home = m->entries.items[m->slots[at] - 1].hash & mask;
        if (((at - home) & mask) < ((at - free) & mask))
            continue;
        m->slots[free] = m->slots[at];
        free = at;
    }
    m->slots[free] = 0;
}

bool map_remove(struct map *m, str key)
{
    struct entry *entry = find(m, key);

    if (!entry)
        return false;
    size_t number = (size_t)(entry - m->entries.items), last = m->entries.len - 1;
    free_slot(m, slot_of(m, number));
    if (number != last) {
        m->slots[slot_of(m, last)] = (uint32_t)(number + 1);
        *entry = m->entries.items[last];
    }
    m->entries.len--;
    return true;
}

size_t map_len(const struct map *m)
{
    return m->entries.len;
}

str map_key(const struct map *m, size_t i)
{
    assert(i < m->entries.len);
    return m->entries.items[i].key;
}

void *map_at(const struct map *m, size_t i)
{
    assert(i < m->entries.len);
    return m->entries.items[i].value;
}
