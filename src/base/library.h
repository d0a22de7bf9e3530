/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h - shared libraries that are loaded when they are first needed.
 *
 * A library with many dependencies slows down every start of the program, even runs that never call
 * it. To use one lazily, keep a struct of pointers to its functions, and define what loads it:
 *
 *     #define FOO_FUNCTIONS(X) X(foo_open) X(foo_close)
 *     struct foo_lib {
 *     #define X(name) __typeof__(&name) name;
 *         FOO_FUNCTIONS(X)
 *     #undef X
 *     };
 *     LIBRARY_LOADER(foo_lib_load, foo_lib, library_foo, FOO_FUNCTIONS)
 *
 *     const struct foo_lib *foo = foo_lib_load(e);
 */
#pragma once

#include "base/err.h"
#include "base/lock.h"

struct library_name {
    const char *file;    /* with its ABI version: libfoo.so.1 */
    const char *package; /* the Debian package that contains it */
    const char *use;     /* what needs it, for messages: "reading foos" */
};

/* All that plumb uses, terminated by NULL: packages depend on them. To add one: library.c. */
extern const struct library_name *const library_names[];
extern const struct library_name library_archive, library_curl, library_gnutls, library_microhttpd,
    library_sqlite;

struct library {
    const struct library_name *name;
    const char *const *names;
    size_t count;
    struct lock lock;
    bool loaded;
};

/*
 * Fills functions, an array or struct of count pointers, unless that has been done already. The
 * library stays loaded. Fails when it is not installed or lacks a function. May be called from any
 * thread.
 */
MUST_CHECK bool library_load(struct library *l, void *functions, struct err *e);

/* Defines const struct TAG *LOAD(struct err *e), which is NULL when that fails. */
#ifdef PLUMB_STATIC /* the static build: the libraries are linked in */
#define LIBRARY_LOADER(load, tag, which, functions)                                                \
    const struct tag *load(struct err *e)                                                          \
    {                                                                                              \
        static const struct tag lib = {functions(LIBRARY_LINKED)};                                 \
                                                                                                   \
        (void)e;                                                                                   \
        return &lib;                                                                               \
    }
#define LIBRARY_LINKED(name) .name = name,
#else
#define LIBRARY_LOADER(load, tag, which, functions)                                                \
    const struct tag *load(struct err *e)                                                          \
    {                                                                                              \
        static const char *const names[] = {functions(LIBRARY_NAMED)};                             \
        static struct library library = {                                                          \
            .name = &(which), .names = names, .count = COUNT(names), .lock = LOCK_INIT};           \
        static struct tag lib;                                                                     \
                                                                                                   \
        _Static_assert(sizeof lib == sizeof names, "a pointer per function");                      \
        return library_load(&library, &lib, e) ? &lib : NULL;                                      \
    }
#define LIBRARY_NAMED(name) #name,
#endif
