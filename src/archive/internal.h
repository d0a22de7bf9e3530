/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of this folder: archive.c reads archives, gzip.c unpacks them,
 * zip.c checks the directories of zips and the bytes around them, xz.c the memory that xz takes,
 * name.c recognizes archives by name and magic bytes, locale.c lets libarchive convert names.
 */
#pragma once

#include "archive/archive.h"

/*
 * Whether the name is that of a single compressed document; *inner is the name without the suffix.
 */
bool pack_is_single(str name, str *inner);
/* Whether the name is that of an archive, or of a compressed document. */
bool pack_is_name(str name);
/* By the first bytes. */
bool pack_is_compressed(str start);
bool pack_is_zip(str start);
/* Why a member of that name is not read; empty if it is. */
str pack_name_fault(str name);

/*
 * locale.c: libarchive is only called between enter and leave, which are for the calling thread.
 * Lives as long as a, and until it is freed.
 */
struct pack_locale;
struct pack_locale *pack_locale_new(struct arena *a);
void pack_locale_enter(struct pack_locale *l);
void pack_locale_leave(struct pack_locale *l);
void pack_locale_free(struct pack_locale *l);

/*
 * zip.c: for a zip that can be read in any order. Fails when there are bytes before or after it, as
 * in two concatenated zips (only the last one would be read), and when its directory does not match
 * its members: when it omits one, lists one twice or under another name. The position of from
 * afterwards is undefined.
 */
MUST_CHECK bool zip_check(struct reader *from, struct err *e);

/*
 * The same for a zip that can only be read in order: call zip_count with the names and sizes of its
 * members, then zip_take with all bytes after the last member. Positions cannot be checked; only
 * the names and sizes of documents and archives must be the same, in any order.
 */
struct zip_order {
    struct buf entry;          /* the current directory entry, as far as it has been read */
    size_t skip;               /* how many more bytes of the last entry to skip, after its name */
    uint64_t members, entries; /* hash sums of their names */
    /* The same of their names and sizes, unless some size is not known. */
    uint64_t members_sized, entries_sized;
    bool unsized;
    uint64_t outside; /* bytes that are not in any entry */
};
void zip_count(struct zip_order *z, str name, uint64_t size);
void zip_take(struct zip_order *z, char byte);
MUST_CHECK bool zip_check_order(const struct zip_order *z, struct err *e);

/*
 * Unpacks gzip of one or more members: the reader fails when a checksum or length is wrong, when
 * the input is truncated, and when something else follows. start is the beginning of the input,
 * which has been read already.
 */
struct gzip;
#define GZIP_START_MAX (16 * KIB)
bool gzip_is(str start);
struct gzip *gzip_new(struct reader *from, str start);
struct reader *gzip_reader(struct gzip *g);
/* How many packed bytes have been read. */
uint64_t gzip_taken(const struct gzip *g);
void gzip_free(struct gzip *g);

/*
 * xz.c: fails when a block of xz needs more than PACK_WINDOW_MAX bytes. Call xz_begin, then xz_take
 * with all bytes in order, before the library gets them.
 */
struct xz {
    int state;
    uint8_t bytes[1024]; /* of the current part, as far as it has been read */
    size_t have, need;
    uint64_t skip;   /* how many bytes come before the next part */
    uint64_t packed; /* bytes of the current block, or of the index */
    uint8_t check;   /* the kind of the checksums */
    bool counted;    /* the number of records of the index has been read */
    uint64_t numbers;
};
bool xz_is(str start);
void xz_begin(struct xz *x);
MUST_CHECK bool xz_take(struct xz *x, str bytes, struct err *e);
