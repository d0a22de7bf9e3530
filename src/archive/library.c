/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - libarchive, loaded when it is first needed or linked in; see library.h. */
#include "archive/library.h"

#include "base/library.h"

#ifdef PLUMB_STATIC

const struct pack_lib *pack_lib_load(struct err *e)
{
    static const struct pack_lib lib = {
#define X(name) .name = name,
        PACK_FUNCTIONS(X)
#undef X
    };

    (void)e;
    return &lib;
}

#else

static const char *const names[] = {
#define X(name) #name,
    PACK_FUNCTIONS(X)
#undef X
};

static struct library library = {
    .name = &library_archive, .names = names, .count = COUNT(names), .lock = LOCK_INIT};

const struct pack_lib *pack_lib_load(struct err *e)
{
    static struct pack_lib lib;

    _Static_assert(sizeof(lib) == COUNT(names) * sizeof(void *), "a pointer per function");
    return library_load(&library, &lib, e) ? &lib : NULL;
}

#endif
