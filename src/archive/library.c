/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - libarchive, loaded when it is first needed; see library.h. */
#include "archive/library.h"

#include "base/lock.h"

#include <dlfcn.h>

#define LIBRARY "libarchive.so.13"

static const char *const names[] = {
#define X(name) #name,
    PACK_FUNCTIONS(X)
#undef X
};

/* Sites of a fleet are read on several threads. */
static struct lock loading = LOCK_INIT;

const struct pack_lib *pack_lib_load(struct err *e)
{
    static struct pack_lib lib;
    static bool loaded;
    void *handle;
    AUTO_LOCK guard = lock_take(&loading);

    if (loaded)
        return &lib;
    handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        if (why && !strstr(why, "No such file"))
            err_set(e, ERR_IO, "reading archives needs a library: %s", why);
        else
            err_set(e, ERR_NOT_FOUND, "reading archives needs " LIBRARY ", which is not installed");
        return NULL;
    }
    _Static_assert(sizeof(lib) == COUNT(names) * sizeof(void *), "a pointer per function");
    for (size_t i = 0; i < COUNT(names); i++) {
        void *function = dlsym(handle, names[i]);
        if (!function) {
            err_set(e, ERR_NOT_FOUND, LIBRARY " is too old: it has no %s", names[i]);
            return NULL;
        }
        memcpy((char *)&lib + i * sizeof(void *), &function, sizeof(function));
    }
    loaded = true;
    return &lib;
}
