/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of this folder: archive.c reads archives, gzip.c unpacks them,
 * zip.c looks at what zips are surrounded by, name.c recognizes them by name and magic bytes.
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
 * zip.c: fails when something comes before or behind a zip that can be read in any order, as when
 * two were put behind each other: only the last one is read then. Leaves from anywhere.
 */
MUST_CHECK bool zip_check_around(struct reader *from, struct err *e);

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
