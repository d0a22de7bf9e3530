/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h - shared libraries that are loaded when they are first needed.
 *
 * A library with many dependencies slows down every start of the program, even runs that never call
 * it. To use one lazily, keep a struct of pointers to its functions, in the order of names:
 *
 *     #define FOO_FUNCTIONS(X) X(foo_open) X(foo_close)
 *     static const char *const names[] = {
 *     #define X(name) #name,
 *         FOO_FUNCTIONS(X)
 *     };
 *     static struct library library = {.name = &library_foo, .names = names,
 *                                      .count = COUNT(names), .lock = LOCK_INIT};
 *     if (!library_load(&library, &foo, e)) ...
 */
#pragma once

#include "base/err.h"
#include "base/lock.h"

struct library_name {
    const char *file;    /* with the number of its interface: libfoo.so.1 */
    const char *package; /* of Debian, which holds it */
    const char *use;     /* what needs it, for messages: "reading foos" */
};

/* All of plumb's, ended by NULL: packages depend on them. To add one: library.c. */
extern const struct library_name *const library_names[];
extern const struct library_name library_archive, library_curl, library_gnutls, library_microhttpd;

struct library {
    const struct library_name *name;
    const char *const *names;
    size_t count;
    struct lock lock;
    bool loaded;
};

/*
 * Fills functions, an array or struct of count pointers, unless that has been done. It stays
 * loaded. Fails when it is not installed or lacks a function. From any thread.
 */
MUST_CHECK bool library_load(struct library *l, void *functions, struct err *e);
