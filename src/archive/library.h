/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h - libarchive, loaded when it is first needed.
 *
 * It depends on thirteen other libraries, which would add 2 ms to every start of the program, even
 * without an archive; make static links it in. To use another function: add a line to
 * PACK_FUNCTIONS.
 */
#pragma once

#include "base/base.h"

#include <archive.h>
#include <archive_entry.h>

#define PACK_FUNCTIONS(X)                                                                          \
    X(archive_read_new)                                                                            \
    X(archive_read_free)                                                                           \
    X(archive_read_support_filter_bzip2)                                                           \
    X(archive_read_support_filter_gzip)                                                            \
    X(archive_read_support_filter_xz)                                                              \
    X(archive_read_support_filter_zstd)                                                            \
    X(archive_read_support_format_raw)                                                             \
    X(archive_read_support_format_tar)                                                             \
    X(archive_read_support_format_zip)                                                             \
    X(archive_read_set_format_option)                                                              \
    X(archive_read_set_callback_data)                                                              \
    X(archive_read_set_read_callback)                                                              \
    X(archive_read_set_seek_callback)                                                              \
    X(archive_read_open1)                                                                          \
    X(archive_read_open_memory)                                                                    \
    X(archive_read_next_header)                                                                    \
    X(archive_read_data_block)                                                                     \
    X(archive_filter_bytes)                                                                        \
    X(archive_filter_count)                                                                        \
    X(archive_errno)                                                                               \
    X(archive_format)                                                                              \
    X(archive_format_name)                                                                         \
    X(archive_error_string)                                                                        \
    X(archive_set_error)                                                                           \
    X(archive_entry_filetype)                                                                      \
    X(archive_entry_symlink)                                                                       \
    X(archive_entry_hardlink)                                                                      \
    X(archive_entry_pathname)                                                                      \
    X(archive_entry_pathname_utf8)                                                                 \
    X(archive_entry_size)

struct pack_lib {
#define X(name) __typeof__ (&(name))(name);
    PACK_FUNCTIONS(X)
#undef X
};

/* NULL, with e filled, when it is not installed. May be called from any thread. */
const struct pack_lib *pack_lib_load(struct err *e);
