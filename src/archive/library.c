/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - libarchive, loaded when it is first needed or linked in; see library.h. */
#include "archive/library.h"

#include "base/library.h"

LIBRARY_LOADER(pack_lib_load, pack_lib, library_archive, PACK_FUNCTIONS)
