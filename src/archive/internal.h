/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of this folder: archive.c reads archives, gzip.c unpacks them,
 * zip.c checks what surrounds zips, and their directories, name.c recognizes them by name and magic
 * bytes.
 */
#pragma once

#include "archive/archive.h"

/* Whether the name is that of a single document that was compressed; *inner is without the suffix.
 */
bool pack_is_single(str name, str *inner);
/* Whether the name is that of an archive, or of a compressed document. */
bool pack_is_name(str name);
/* By the first bytes. */
bool pack_is_compressed(str start);
bool pack_is_zip(str start);
/* Why a member of that name is not read; empty when nothing speaks against it. */
str pack_name_fault(str name);

/*
 * zip.c: for a zip that can be read in any order. Fails when something comes before or behind it,
 * as when two were put behind each other (only the last one is read then), and when its directory
 * does not fit its members: one that it leaves out, has twice or calls by another name. Leaves from
 * anywhere.
 */
MUST_CHECK bool zip_check(struct reader *from, struct err *e);

/*
 * The same for a zip that can only be read in order: the names of its members, and then all bytes
 * behind the last of them. Which members are meant is not known, nor where they are; names of
 * documents and archives have to be the same, however they are ordered.
 */
struct zip_order {
    struct buf entry;          /* of the directory, as far as it is there */
    size_t skip;               /* bytes that follow the name of an entry */
    uint64_t members, entries; /* sums of their names */
    uint64_t outside;          /* bytes that are in no entry */
};
void zip_count(struct zip_order *z, str name);
void zip_take(struct zip_order *z, char byte);
MUST_CHECK bool zip_check_order(const struct zip_order *z, struct err *e);

/*
 * gzip, in one or more pieces, unpacked: its reader fails when a checksum or a length is wrong,
 * when it is truncated, and when something else follows. start is what was already read of from.
 */
struct gzip;
#define GZIP_START_MAX (16 * KIB)
bool gzip_is(str start);
struct gzip *gzip_new(struct reader *from, str start);
struct reader *gzip_reader(struct gzip *g);
/* The packed bytes so far. */
uint64_t gzip_taken(const struct gzip *g);
void gzip_free(struct gzip *g);
