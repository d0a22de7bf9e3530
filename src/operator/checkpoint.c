/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint.c - when each object was last found healthy; see checkpoint.h. */
#include "operator/checkpoint.h"

#include "base/map.h"
#include "text/codec.h"

#define MINUTE (60 * NS_PER_SEC)
#define KEPT_MINUTES (INT64_C(7) * 24 * 60)
#define RECORD 12 /* eight bytes of hash, four of minutes, little-endian */

struct entry {
    char hash[8];
    uint32_t minute; /* since 1970 */
};

struct checkpoint {
    struct arena *arena;
    struct map *entries; /* by the eight bytes */
};

struct checkpoint *checkpoint_new(void)
{
    struct arena *a = arena_new();
    struct checkpoint *c = ARENA_NEW(a, struct checkpoint);

    *c = (struct checkpoint){a, map_new(a)};
    return c;
}

void checkpoint_free(struct checkpoint *c)
{
    if (c)
        arena_free(c->arena);
}

/* FNV-1a: the same in every process, and a few collisions in a million objects do not matter. */
static void hash_key(const struct object_key *key, char out[8])
{
    AUTO_ARENA a = arena_new();
    str text = object_key_text(a, key);
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < text.len; i++)
        h = (h ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001b3);
    for (int i = 0; i < 8; i++)
        out[i] = (char)(h >> (8 * i));
}

static void set(struct checkpoint *c, const char hash[8], uint32_t minute)
{
    struct entry *e = map_get(c->entries, str_of(hash, 8));

    if (!e) {
        if (map_len(c->entries) >= CHECKPOINT_MAX)
            return;
        e = ARENA_NEW(c->arena, struct entry);
        memcpy(e->hash, hash, 8);
        map_set(c->entries, str_of(e->hash, 8), e);
    }
    if (minute > e->minute)
        e->minute = minute;
}

void checkpoint_note(struct checkpoint *c, const struct object_key *key, int64_t now)
{
    char hash[8];

    hash_key(key, hash);
    set(c, hash, (uint32_t)(now / MINUTE));
}

int64_t checkpoint_age(const struct checkpoint *c, const struct object_key *key, int64_t now)
{
    char hash[8];

    hash_key(key, hash);
    const struct entry *e = map_get(c->entries, str_of(hash, 8));
    if (!e)
        return -1;
    int64_t age = now - (int64_t)e->minute * MINUTE;
    return age > 0 ? age : 0;
}

str checkpoint_write(const struct checkpoint *c, struct arena *a, int64_t now)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < map_len(c->entries); i++) {
        const struct entry *e = map_at(c->entries, i);
        if ((int64_t)e->minute + KEPT_MINUTES < now / MINUTE)
            continue;
        buf_add(&b, str_of(e->hash, 8));
        for (int j = 0; j < 4; j++)
            buf_char(&b, (char)(e->minute >> (8 * j)));
    }
    return base64_encode(a, buf_str(&b));
}

void checkpoint_read(struct checkpoint *c, str text)
{
    AUTO_ARENA a = arena_new();
    size_t bad;
    str bytes;

    if (!base64_decode(a, text, &bytes, &bad) || bytes.len % RECORD)
        return;
    for (size_t at = 0; at < bytes.len; at += RECORD) {
        const unsigned char *m = (const unsigned char *)bytes.ptr + at + 8;
        set(c, bytes.ptr + at,
            m[0] | (uint32_t)m[1] << 8 | (uint32_t)m[2] << 16 | (uint32_t)m[3] << 24);
    }
}
