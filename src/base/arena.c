/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.c - chunks from malloc, handed out by moving a pointer.
 *
 * Small blocks come from a current chunk. The first is one of those that malloc keeps at hand, as
 * many arenas live for a moment and need no more; then each is twice as large as the last, up to
 * CHUNK_MAX. A block larger than a quarter of that gets a chunk of its own, which arena_grow can
 * enlarge with realloc: that is how large buffers grow without leaving their old copies behind.
 *
 *   chunks:  current -> older -> ... -> first     (one list, newest first)
 *
 * Under AddressSanitizer the unused part of a chunk is poisoned and blocks are kept apart, so that
 * overruns between blocks of one arena are found too.
 */
#include "base/arena.h"

#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
enum { GAP = 16 };
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
enum { GAP = 0 };
#endif

#define CHUNK_QUICK (1 * KIB - sizeof(struct arena_chunk)) /* glibc's tcache ends at 1032 bytes */
#define CHUNK_FIRST (4 * KIB)
#define CHUNK_MAX (1 * MIB)
#define LARGE (CHUNK_MAX / 4)
/* If a round fits in a chunk of this size, the next round gets all of its memory in one chunk. */
#define ROUND_KEPT (64 * KIB)

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* of data */
    size_t used; /* bytes the arena had handed out before this chunk, for rewinding */
    bool large;  /* holds a single block */
    _Alignas(ARENA_ALIGN) char data[];
};

/* Does not call abort(): a core file would contain every secret in memory. Allocates nothing. */
NORETURN void out_of_memory(size_t size)
{
    char line[64];
    int len = snprintf(line, sizeof(line), "plumb: out of memory (%zu bytes)\n", size);

    (void)!write(STDERR_FILENO, line, (size_t)len);
    _exit(FATAL_STATUS);
}

static struct arena_chunk *chunk_add(struct arena *a, size_t size, bool large)
{
    struct arena_chunk *c;

    if (size > SIZE_MAX / 2 || !(c = malloc(sizeof(*c) + size)))
        out_of_memory(size);
    *c = (struct arena_chunk){.next = a->chunks, .size = size, .used = a->used, .large = large};
    a->chunks = c;
    a->held += sizeof(*c) + size;
    return c;
}

/* Memory that was not handed out is clean already: whoever takes it back wipes it. */
static void wipe(const struct arena *a, struct arena_chunk *c)
{
    bool filling = !c->large && a->end == c->data + c->size;

    explicit_bzero(c->data, filling ? (size_t)(a->at - c->data) : c->size);
}

static void chunk_drop(struct arena *a)
{
    struct arena_chunk *c = a->chunks;

    a->chunks = c->next;
    a->held -= sizeof(*c) + c->size;
    UNPOISON(c->data, c->size);
    if (a->secret)
        wipe(a, c);
    free(c);
}

static void use_chunk(struct arena *a, struct arena_chunk *c)
{
    a->at = c->data;
    a->end = c->data + c->size;
    POISON(c->data, c->size);
}

struct arena *arena_new(void)
{
    struct arena *a = malloc(sizeof(*a)); /* calloc does not use the thread's free list */

    if (!a)
        out_of_memory(sizeof(*a));
    *a = (struct arena){.next_size = CHUNK_QUICK};
    return a;
}

struct arena *arena_new_secret(void)
{
    struct arena *a = arena_new();

    a->secret = true;
    return a;
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    while (a->chunks)
        chunk_drop(a);
    free(a);
}

/* How large a chunk must be to hold a round of about this many bytes. */
static size_t chunk_for(size_t used)
{
    size_t size = CHUNK_FIRST;

    while (size < CHUNK_MAX && size < used + used / 8)
        size *= 2;
    return size;
}

/*
 * Keeps a chunk, since the next round will be much like this one. If a small round needed several,
 * none of them is large enough, and the next chunk is sized for the whole round. Sizes do not keep
 * doubling from round to round: every arena would end up with a megabyte.
 */
void arena_reset(struct arena *a)
{
    bool several = a->chunks && (a->chunks->next || a->chunks->large);

    if (several) {
        a->next_size = chunk_for(a->used);
        while (a->chunks && (a->chunks->next || a->chunks->large || a->next_size <= ROUND_KEPT))
            chunk_drop(a);
    }
    a->used = 0;
    if (a->secret && a->chunks) {
        UNPOISON(a->chunks->data, a->chunks->size);
        wipe(a, a->chunks);
    }
    a->at = a->end = NULL;
    if (!a->chunks)
        return;
    use_chunk(a, a->chunks);
}

static void *alloc_large(struct arena *a, size_t size)
{
    struct arena_chunk *c = chunk_add(a, size, true);

    a->used += size;
    return c->data;
}

static __attribute__((noinline)) void *alloc_from_new_chunk(struct arena *a, size_t size)
{
    if (size > LARGE)
        return alloc_large(a, size);
    if (a->next_size == CHUNK_QUICK && a->next_size < size + GAP)
        a->next_size = CHUNK_FIRST;
    while (a->next_size < size + GAP)
        a->next_size *= 2;
    use_chunk(a, chunk_add(a, a->next_size, false));
    if (a->next_size < CHUNK_MAX)
        a->next_size = a->next_size == CHUNK_QUICK ? CHUNK_FIRST : a->next_size * 2;
    char *p = a->at;
    UNPOISON(p, size);
    a->at += size + GAP;
    a->used += size;
    return p;
}

static inline void *alloc_aligned(struct arena *a, size_t size, size_t align)
{
    size_t pad = -(uintptr_t)a->at & (align - 1);

    if (UNLIKELY(size > LARGE || !a->at || pad + size + GAP > (size_t)(a->end - a->at)))
        return alloc_from_new_chunk(a, size);
    char *p = a->at + pad;
    UNPOISON(p, size);
    a->used += pad + size;
    a->at = p + size + GAP;
    return p;
}

void *arena_alloc_slow(struct arena *a, size_t size)
{
    return alloc_aligned(a, size, ARENA_ALIGN);
}

void *arena_alloc(struct arena *a, size_t size)
{
    return memset(arena_alloc_raw(a, size), 0, size);
}

char *arena_alloc_text(struct arena *a, size_t size)
{
    return alloc_aligned(a, size, 1);
}

static struct arena_chunk *large_chunk_of(struct arena *a, void *p)
{
    struct arena_chunk *c = a->chunks;

    return c && c->large && c->data == p ? c : NULL;
}

/* realloc may leave a copy behind, which must not happen to a secret. */
static struct arena_chunk *move_secret(struct arena_chunk *c, size_t size)
{
    struct arena_chunk *bigger = malloc(sizeof(*c) + size);

    if (!bigger)
        out_of_memory(size);
    memcpy(bigger, c, sizeof(*c) + c->size);
    explicit_bzero(c->data, c->size);
    free(c);
    return bigger;
}

static void *grow_large(struct arena *a, struct arena_chunk *c, size_t size)
{
    a->held += size - c->size;
    a->used += size - c->size;
    c = a->secret ? move_secret(c, size) : realloc(c, sizeof(*c) + size);
    if (!c)
        out_of_memory(size);
    c->size = size;
    a->chunks = c;
    return c->data;
}

static __attribute__((noinline)) void *grow_block(struct arena *a, void *p, size_t old, size_t size)
{
    struct arena_chunk *large = large_chunk_of(a, p);

    if (size <= old)
        return p;
    if (large && size < SIZE_MAX / 2)
        return grow_large(a, large, size);
    if ((char *)p + old + GAP == a->at && size - old <= (size_t)(a->end - a->at)) {
        UNPOISON(p, size);
        a->at += size - old;
        a->used += size - old;
        return p;
    }
    return memcpy(arena_alloc_raw(a, size), p, old);
}

void *arena_grow(struct arena *a, void *p, size_t old, size_t size)
{
    return p ? grow_block(a, p, old, size) : arena_alloc_raw(a, size);
}

struct arena_mark arena_mark(struct arena *a)
{
    return (struct arena_mark){.chunk = a->chunks, .at = a->at, .used = a->used};
}

void arena_rewind(struct arena *a, struct arena_mark m)
{
    struct arena_chunk *small;

    while (a->chunks != m.chunk) {
        assert(a->chunks); /* otherwise a block older than the mark has grown since */
        chunk_drop(a);
    }
    for (small = a->chunks; small && small->large;)
        small = small->next;
    a->at = m.at;
    a->end = small ? small->data + small->size : NULL;
    a->used = m.used;
    if (!small)
        return;
    if (a->secret) {
        UNPOISON(a->at, a->end - a->at);
        explicit_bzero(a->at, (size_t)(a->end - a->at));
    }
    POISON(a->at, (size_t)(a->end - a->at));
}

size_t arena_held(const struct arena *a)
{
    return a->held;
}
