/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - SQLite, loaded with the first database or linked in; see library.h. */
#include "db/library.h"

#include "base/library.h"

#ifdef PLUMB_STATIC

const struct sqlite_lib *sqlite_lib_load(struct err *e)
{
    static const struct sqlite_lib lib = {
#define X(name) .name = name,
        SQLITE_FUNCTIONS(X)
#undef X
    };

    (void)e;
    return &lib;
}

#else

static const char *const names[] = {
#define X(name) #name,
    SQLITE_FUNCTIONS(X)
#undef X
};

static struct library library = {
    .name = &library_sqlite, .names = names, .count = COUNT(names), .lock = LOCK_INIT};

const struct sqlite_lib *sqlite_lib_load(struct err *e)
{
    static struct sqlite_lib lib;

    _Static_assert(sizeof(lib) == COUNT(names) * sizeof(void *), "a pointer per function");
    return library_load(&library, &lib, e) ? &lib : NULL;
}

#endif
