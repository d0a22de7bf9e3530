/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared.c - expressions that are compiled once per process.
 *
 * Templates and references use few patterns, each for many objects. The number and size of shared
 * patterns are limited; others are compiled every time.
 */
#include "regex/internal.h"

#include "base/lock.h"

#define PATTERNS_MAX 256
#define COMPILED_MAX (16 * KIB)

static struct {
    struct lock lock;
    struct map *patterns; /* pattern to struct regex; NULL until used */
    struct arena *arena;
} shared = {.lock = LOCK_INIT};

/* A copy of the shared expression, so that it can have its own limit; NULL when there is none. */
static struct regex *find(struct arena *a, str pattern)
{
    AUTO_LOCK guard = lock_take(&shared.lock);
    const struct regex *found = shared.patterns ? map_get(shared.patterns, pattern) : NULL;
    struct regex *re = found ? arena_alloc_raw(a, sizeof(*re)) : NULL;

    if (re)
        *re = *found;
    return re;
}

static void share(str pattern)
{
    AUTO_LOCK guard = lock_take(&shared.lock);
    struct regex *re;

    if (!shared.patterns) {
        shared.arena = arena_new();
        shared.patterns = map_new(shared.arena);
    }
    if (map_len(shared.patterns) < PATTERNS_MAX && !map_has(shared.patterns, pattern) &&
        regex_compile(shared.arena, pattern, &re, NULL))
        map_set(shared.patterns, re->pattern, re);
}

bool regex_compile_shared(struct arena *a, str pattern, struct regex **out, struct err *e)
{
    size_t before = arena_used(a);

    if ((*out = find(a, pattern)))
        return true;
    if (!regex_compile(a, pattern, out, e))
        return false;
    if (arena_used(a) - before <= COMPILED_MAX)
        share(pattern);
    return true;
}
