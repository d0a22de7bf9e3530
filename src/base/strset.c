/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strset.c - which texts have been seen; see strset.h.
 *
 * A table of slots, at most two thirds of them taken. A slot is a piece of the hash and the address
 * of a record plus 1, where an address is the number of a block and an offset in it:
 *
 *     slot:    | hash: 24 bits | block: 20 bits | offset: 20 bits |
 *     record:  | length: 4 bytes | extra | text |
 *
 * A text that does not fit into a common block has one of its own.
 */
#include "base/strset.h"

#include "base/vec.h"

enum { OFFSET_BITS = 20, ADDRESS_BITS = 40, SLOTS_FIRST = 64 };
#define BLOCK ((size_t)1 << OFFSET_BITS)
#define BLOCK_FIRST (16 * KIB)
#define ADDRESS_MASK (((uint64_t)1 << ADDRESS_BITS) - 1)

struct strset {
    struct arena *texts;
    struct arena *table; /* of slots only: replaced when they grow */
    uint64_t *slots;
    size_t slot_count, len, extra;
    VEC(char *) blocks;
    size_t used, room; /* of the last block */
};

struct strset *strset_new(struct arena *a, size_t extra)
{
    struct strset *s = ARENA_NEW(a, struct strset);

    s->texts = a;
    s->extra = extra;
    s->table = arena_new();
    s->slot_count = SLOTS_FIRST;
    s->slots = ARENA_ARRAY(s->table, uint64_t, SLOTS_FIRST);
    return s;
}

void strset_free(struct strset *s)
{
    if (s)
        arena_free(s->table);
}

size_t strset_len(const struct strset *s)
{
    return s->len;
}

static str record_at(const struct strset *s, uint64_t slot)
{
    uint64_t address = (slot & ADDRESS_MASK) - 1;
    const char *record = s->blocks.items[address >> OFFSET_BITS] + (address & (BLOCK - 1));
    uint32_t len;

    memcpy(&len, record, sizeof(len));
    return (str){record + sizeof(len) + s->extra, len};
}

/* The slot of text, or the free one where it would go. */
static size_t find(const struct strset *s, str text, uint64_t hash)
{
    size_t mask = s->slot_count - 1, at = hash & mask;

    for (uint64_t slot; (slot = s->slots[at]); at = (at + 1) & mask)
        if (slot >> ADDRESS_BITS == hash >> ADDRESS_BITS && str_eq(record_at(s, slot), text))
            break;
    return at;
}

bool strset_has(const struct strset *s, str text)
{
    return s->slots[find(s, text, str_hash(text))] != 0;
}

static void grow(struct strset *s)
{
    struct arena *old_table = s->table;
    const uint64_t *old = s->slots;
    size_t old_count = s->slot_count;

    s->table = arena_new();
    s->slot_count *= 2;
    s->slots = ARENA_ARRAY(s->table, uint64_t, s->slot_count);
    for (size_t i = 0; i < old_count; i++) {
        size_t at = old[i] ? str_hash(record_at(s, old[i])) & (s->slot_count - 1) : 0;
        while (old[i] && s->slots[at])
            at = (at + 1) & (s->slot_count - 1);
        if (old[i])
            s->slots[at] = old[i];
    }
    arena_free(old_table);
}

/* Blocks grow with the set; a larger record has one that fits it. */
static void add_block(struct strset *s, size_t size)
{
    size_t room = s->blocks.len < BLOCK / BLOCK_FIRST ? BLOCK_FIRST : BLOCK;
    char *block = arena_alloc_text(s->texts, size > room ? size : room);

    VEC_PUSH(s->texts, &s->blocks, block);
    s->room = size > room ? size : room;
    s->used = 0;
}

/* Stores a record and returns its address plus 1. */
static uint64_t store(struct strset *s, str text)
{
    uint32_t len = (uint32_t)text.len;
    size_t head = sizeof(len) + s->extra, size = head + text.len;

    assert(text.len <= UINT32_MAX);
    if (size > s->room - s->used)
        add_block(s, size);
    assert(s->blocks.len <= (size_t)1 << (ADDRESS_BITS - OFFSET_BITS));
    char *record = s->blocks.items[s->blocks.len - 1] + s->used;
    uint64_t address = (uint64_t)(s->blocks.len - 1) << OFFSET_BITS | s->used;
    memset(record, 0, head);
    memcpy(record, &len, sizeof(len));
    if (len)
        memcpy(record + head, text.ptr, len);
    s->used += size;
    return address + 1;
}

bool strset_add(struct strset *s, str text, str *kept)
{
    uint64_t hash = str_hash(text);
    size_t at = find(s, text, hash);
    bool added = !s->slots[at];

    if (added) {
        if (3 * (s->len + 1) > 2 * s->slot_count) {
            grow(s);
            at = find(s, text, hash);
        }
        s->slots[at] = hash >> ADDRESS_BITS << ADDRESS_BITS | store(s, text);
        s->len++;
    }
    if (kept)
        *kept = record_at(s, s->slots[at]);
    return added;
}
