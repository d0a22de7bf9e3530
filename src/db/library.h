/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h - SQLite, loaded with the first database.
 *
 * Binding its 1,600 symbols would take a million instructions at every start, and most runs keep no
 * state in a file; make static links it in. To use another function: add a line to
 * SQLITE_FUNCTIONS.
 */
#pragma once

#include "base/base.h"

#include <sqlite3.h>

#define SQLITE_FUNCTIONS(X)                                                                        \
    X(sqlite3_bind_int64)                                                                          \
    X(sqlite3_bind_text64)                                                                         \
    X(sqlite3_clear_bindings)                                                                      \
    X(sqlite3_close)                                                                               \
    X(sqlite3_column_bytes)                                                                        \
    X(sqlite3_column_int64)                                                                        \
    X(sqlite3_column_text)                                                                         \
    X(sqlite3_errcode)                                                                             \
    X(sqlite3_errmsg)                                                                              \
    X(sqlite3_exec)                                                                                \
    X(sqlite3_finalize)                                                                            \
    X(sqlite3_get_autocommit)                                                                      \
    X(sqlite3_open_v2)                                                                             \
    X(sqlite3_prepare_v2)                                                                          \
    X(sqlite3_prepare_v3)                                                                          \
    X(sqlite3_reset)                                                                               \
    X(sqlite3_step)

struct sqlite_lib {
#define X(name) __typeof__ (&(name))(name);
    SQLITE_FUNCTIONS(X)
#undef X
};

/* NULL, with e filled, when it is not installed. May be called from any thread. */
const struct sqlite_lib *sqlite_lib_load(struct err *e);
