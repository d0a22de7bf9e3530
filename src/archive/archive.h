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
 * never read, only reported; names that are absolute or contain ".." neither, and documents that
 * have one are reported as failed. Of the archive only the names of documents of a tar are kept,
 * for links (PACK_LINKED_MAX): memory does not depend on its size otherwise, and PACK_* limit what
 * a small one may expand to.
 *
 * libarchive does the work; it is loaded when the first archive is opened (library.h). One thread
 * at a time.
 */
#pragma once

#include "base/reader.h"

/* Archives within archives. */
#define PACK_DEPTH_MAX 5
#define PACK_MEMBERS_MAX 10000000
/* One member. */
#define PACK_MEMBER_MAX (4 * GIB)
/* What is unpacked may be that many times larger than the archive, once it is more than FREE. */
#define PACK_RATIO_MAX 200
#define PACK_RATIO_FREE (100 * MIB)
/* What is passed over, or kept by the library, on the way to the next member. */
#define PACK_HEADER_MAX (16 * MIB)
/* A larger directory of a zip is not kept: its members are taken as they come. */
#define PACK_DIRECTORY_MAX (8 * MIB)
/* Of such a zip: what is looked at behind its members. */
#define PACK_LONG_DIRECTORY_MAX (1 * GIB)
#define PACK_NAME_MAX 4096
/* Documents of a tar that links are checked against; behind more of them, any link is believed. */
#define PACK_LINKED_MAX 1000000

struct pack;

enum pack_use {
    PACK_FOR_DOCUMENTS, /* those of the archive and of archives in it */
    PACK_AS_FOLDER,     /* every member, as if it were unpacked: archives in it are only files */
};

enum pack_kind {
    PACK_DOCUMENTS, /* reader gives its bytes, until the next call */
    PACK_IGNORED,   /* reason says why */
    PACK_FAILED,    /* the same */
    PACK_FOLDER,    /* only with PACK_AS_FOLDER */
    PACK_OTHER,     /* the same: no document */
};

struct pack_member {
    enum pack_kind kind;
    str name;   /* the archive, "!", the member; of an archive that fails only its own */
    str path;   /* the member alone; empty when it is the archive or a compressed document */
    str reason; /* may be empty if ignored on purpose */
    struct reader *reader;
};

/* Whether something is an archive, by its first bytes (512 are enough) or by its name. */
bool pack_is(str name, str start);
/* Never fails: what is wrong is the first member. reader must live as long; p lives as long as a.
 */
struct pack *pack_open(struct arena *a, str name, struct reader *reader, enum pack_use use);
/* False at the end. Texts live as long as a. */
bool pack_next(struct pack *p, struct arena *a, struct pack_member *out);
/* Members so far, whatever they are; p may be NULL. */
size_t pack_members(const struct pack *p);
void pack_close(struct pack *p);
/* Whether that is the name of an archive; *stem is the name without the endings. */
bool pack_is_named(str name, str *stem);
/* Whether a file of that name holds documents: .json, .yaml, .yml. */
bool pack_takes(str name);
