/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - SQLite, loaded with the first database or linked in; see library.h. */
#include "db/library.h"

#include "base/library.h"

LIBRARY_LOADER(sqlite_lib_load, sqlite_lib, library_sqlite, SQLITE_FUNCTIONS)
