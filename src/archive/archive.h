/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.h - reads archives as streams, member by member, without unpacking to disk.
 *
 *     struct pack *p = pack_open(a, STR("mg.tar.gz"), &reader, PACK_FOR_DOCUMENTS);
 *     while (pack_next(p, scratch, &member)) ... member.reader ...
 *     pack_close(p);
 *
 * Supports tar and zip, and a tar or a single document compressed with gzip, zstd, xz or bzip2.
 * Multi-member compressed files and concatenated tars are read to the end. Only members named like
 * documents are returned (pack_takes), and nested archives are read too. Links and devices are
 * never read, only reported. Nor are members whose name is absolute or contains ".."; documents
 * with such a name are reported as failed. Memory does not depend on the size of the archive,
 * except that hashes of the names of documents in a tar are kept to check links
 * (PACK_LINKED_MAX). PACK_* limit what a small archive may expand to.
 *
 * libarchive does the work; it is loaded when the first archive is opened (library.h). One thread
 * at a time.
 */
#pragma once

#include "base/reader.h"

/* How deep archives may be nested. */
#define PACK_DEPTH_MAX 5
#define PACK_MEMBERS_MAX 10000000
/* The largest member. */
#define PACK_MEMBER_MAX (4 * GIB)
/* Beyond FREE bytes, the unpacked data may be at most this many times as large as the archive. */
#define PACK_RATIO_MAX 200
#define PACK_RATIO_FREE (100 * MIB)
/* How much may be skipped, or kept by the library, on the way to the next member. */
#define PACK_HEADER_MAX (16 * MIB)
/* A zip with a larger directory is read in order, without keeping the directory. */
#define PACK_DIRECTORY_MAX (8 * MIB)
/* For such a zip: how much is checked after its last member. */
#define PACK_LONG_DIRECTORY_MAX (1 * GIB)
#define PACK_NAME_MAX 4096
/*
 * How much memory unpacking may take per level of nesting: the dictionary of xz, and the unpacked
 * size of a member of a zip that is packed by LZMA or XZ.
 */
#define PACK_WINDOW_MAX (128 * MIB)
/* How many documents of a tar are remembered to check links; beyond that, links are not checked. */
#define PACK_LINKED_MAX 1000000

struct pack;

enum pack_use {
    PACK_FOR_DOCUMENTS, /* documents of the archive and of archives in it */
    PACK_AS_FOLDER,     /* every member, as if it were unpacked: archives in it are only files */
};

enum pack_kind {
    PACK_DOCUMENTS, /* reader returns its bytes, until the next call */
    PACK_IGNORED,   /* see reason */
    PACK_FAILED,    /* the same */
    PACK_FOLDER,    /* only with PACK_AS_FOLDER */
    PACK_OTHER,     /* the same: not a document */
};

struct pack_member {
    enum pack_kind kind;
    str name;   /* the archive, "!", the member; only the archive if that itself fails */
    str path;   /* the member alone; empty when it is the archive or a compressed document */
    str reason; /* may be empty if ignored on purpose */
    struct reader *reader;
};

/* Whether something is an archive, by its first bytes (512 are enough) or by its name. */
bool pack_is(str name, str start);
/*
 * Never fails: an error is returned as the first member. reader must live as long as the result,
 * which lives as long as a.
 */
struct pack *pack_open(struct arena *a, str name, struct reader *reader, enum pack_use use);
/* False at the end. Texts live as long as a. */
bool pack_next(struct pack *p, struct arena *a, struct pack_member *out);
/* The number of members so far, of any kind; p may be NULL. */
size_t pack_members(const struct pack *p);
void pack_close(struct pack *p);
/* Whether name is that of an archive; *stem is the name without its suffixes. */
bool pack_is_named(str name, str *stem);
/* Whether a file of that name contains documents: .json, .yaml, .yml. */
bool pack_takes(str name);
