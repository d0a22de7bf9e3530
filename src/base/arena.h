/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory that belongs to a lifetime.
 *
 * A function that allocates takes the arena as its first parameter. Nothing is freed individually:
 * the owner of the lifetime frees, resets or rewinds the arena. Running out of memory ends the
 * program, so callers need not check; limit sizes from untrusted input before allocating.
 *
 *     AUTO_ARENA a = arena_new();
 *     struct thing *t = ARENA_NEW(a, struct thing);
 *
 * An arena is used by one thread at a time. What lives in it may be read by many, once published.
 */
#pragma once

#include "base/attr.h"

/* Open only so that arena_used can be inline: templates call it at every step. */
struct arena {
    struct arena_chunk *chunks; /* newest first */
    char *at, *end;             /* free part of the newest small chunk */
    size_t used, held, next_size;
    bool secret;
};

/* A place in an arena to go back to. Open only so that it can be passed by value. */
struct arena_mark {
    struct arena_chunk *chunk;
    char *at;
    size_t used;
};

struct arena *arena_new(void);
/* As arena_new, for tokens, keys and Secret data: memory is wiped before it is freed. */
struct arena *arena_new_secret(void);
void arena_free(struct arena *a);
/* Drops everything and keeps some memory for the next round. */
void arena_reset(struct arena *a);

/* Zeroed memory, aligned for any type. size may be 0. */
void *arena_alloc(struct arena *a, size_t size) __attribute__((malloc, returns_nonnull));
/* The slow path of arena_alloc_raw. */
void *arena_alloc_slow(struct arena *a, size_t size) __attribute__((malloc, returns_nonnull));

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* gcc defines this itself, clang does not */
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
#define ARENA_WATCHED true
#else
#define ARENA_WATCHED false
#endif

#define ARENA_ALIGN 16
/* Blocks up to this size never get a chunk of their own. */
#define ARENA_SMALL (64 * KIB)

/* Whether arena_alloc_raw would return without calling anything, for fast paths. */
static inline bool arena_is_ready(const struct arena *a, size_t size)
{
    size_t pad = -(uintptr_t)a->at & (ARENA_ALIGN - 1);

    return !ARENA_WATCHED && size <= ARENA_SMALL && pad + size < (size_t)(a->end - a->at);
}

/*
 * As arena_alloc, but the contents are undefined. Inline, because nothing else is called as often.
 */
__attribute__((malloc, returns_nonnull)) static inline void *arena_alloc_raw(struct arena *a,
                                                                             size_t size)
{
    size_t pad = -(uintptr_t)a->at & (ARENA_ALIGN - 1);

    if (!arena_is_ready(a, size))
        return arena_alloc_slow(a, size);
    char *p = a->at + pad;
    a->used += pad + size;
    a->at = p + size;
    return p;
}
/* Contents undefined, not aligned: for text. */
char *arena_alloc_text(struct arena *a, size_t size) __attribute__((malloc, returns_nonnull));
/*
 * Grows the block p from old to size bytes: in place when it is the last block or a large one, else
 * in a new block. p may be NULL when old is 0. p must be aligned (not from arena_alloc_text).
 */
void *arena_grow(struct arena *a, void *p, size_t old, size_t size)
    __attribute__((returns_nonnull));

/*
 * The rewind frees everything allocated after the mark. Marks nest like brackets. Between the two,
 * blocks from before the mark must not grow (a buf or vec in the same arena, say): the grown block
 * would be freed too.
 */
struct arena_mark arena_mark(struct arena *a);
void arena_rewind(struct arena *a, struct arena_mark m);

/* Bytes handed out since creation or reset; rewinding lowers it. For budgets and benchmarks. */
static inline size_t arena_used(const struct arena *a)
{
    return a->used;
}
/* Bytes taken from the system, for benchmarks. */
size_t arena_held(const struct arena *a);

/* The exit status when there is no memory or no randomness: "trouble", as in diff. */
#define FATAL_STATUS 2
/* Prints a message and ends the program at once, without a core file. */
NORETURN void out_of_memory(size_t size);

/* Zeroed here, where the compiler knows the size: it takes a few stores. */
#define ARENA_NEW(a, type) ((type *)memset(arena_alloc_raw((a), sizeof(type)), 0, sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), arena_array_size((n), sizeof(type))))

/* n * size; an overflow ends the program, as running out of memory does. */
static inline size_t arena_array_size(size_t n, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(n, size, &total))
        out_of_memory(SIZE_MAX);
    return total;
}

static inline void arena_cleanup(struct arena **a)
{
    arena_free(*a);
}
#define AUTO_ARENA CLEANUP(arena_cleanup) struct arena *
