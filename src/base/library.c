/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - shared libraries that are loaded when they are first needed; see library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

const struct library_name library_archive = {"libarchive.so.13", "libarchive13",
                                             "reading archives"};
const struct library_name library_curl = {"libcurl.so.4", "libcurl4", "a request over HTTP"};
const struct library_name library_gnutls = {"libgnutls.so.30", "libgnutls30", "serving HTTPS"};
const struct library_name library_microhttpd = {"libmicrohttpd.so.12", "libmicrohttpd12",
                                                "serving HTTP"};
const struct library_name library_sqlite = {"libsqlite3.so.0", "libsqlite3-0",
                                            "keeping state in a file"};

const struct library_name *const library_names[] = {
    &library_archive, &library_curl, &library_gnutls, &library_microhttpd, &library_sqlite, NULL};

static bool fail_to_open(const struct library_name *l, struct err *e)
{
    const char *why = dlerror();

    if (why && !strstr(why, "No such file"))
        return err_set(e, ERR_IO, "%s needs a library: %s", l->use, why);
    return err_set(e, ERR_NOT_FOUND, "%s needs %s, which is not installed: install the package %s",
                   l->use, l->file, l->package);
}

bool library_load(struct library *l, void *functions, struct err *e)
{
    AUTO_LOCK guard = lock_take(&l->lock);
    void *handle;

    if (l->loaded)
        return true;
    handle = dlopen(l->name->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return fail_to_open(l->name, e);
    for (size_t i = 0; i < l->count; i++) {
        void *function = dlsym(handle, l->names[i]);
        if (!function)
            return err_set(e, ERR_NOT_FOUND, "%s is too old: it has no %s", l->name->file,
                           l->names[i]);
        memcpy((char *)functions + i * sizeof(function), &function, sizeof(function));
    }
    l->loaded = true;
    return true;
}
