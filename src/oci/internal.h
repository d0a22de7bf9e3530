/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - one layer of an image, read in one pass from any source.
 *
 * A layer is read without knowing the others (archives may contain layers in any order, and only
 * state it at their end), and then put below those read before by image_files_lay. For this folder
 * only; one thread.
 */
#pragma once

#include "oci/oci.h"
#include "archive/library.h"
#include "base/reader.h"

/* No system supports longer paths or deeper folders. */
#define IMAGE_PATH_MAX 4096
#define IMAGE_DEPTH_MAX 255

/* ---- Archives: tar.c. ---- */

/* A tar, uncompressed or compressed in a way that images are. */
struct image_tar {
    const struct pack_lib *lib;
    struct archive *archive;
    struct reader *from;
    char *buffer;
    struct err fault; /* the error of from */
};

/* from must live as long as t, which must be closed even after a failure. */
MUST_CHECK bool image_tar_open(struct arena *a, struct image_tar *t, struct reader *from,
                               struct err *e);
/* The next member; *out is NULL at the end. */
MUST_CHECK bool image_tar_next(struct image_tar *t, struct archive_entry **out, struct err *e);
/* A piece of the member and its offset, which may be after a hole. *piece is empty at the end. */
MUST_CHECK bool image_tar_data(struct image_tar *t, str *piece, uint64_t *at, struct err *e);
void image_tar_close(struct image_tar *t);

/* Bytes in memory. */
struct image_bytes {
    struct reader reader;
    str rest;
};
struct image_bytes image_bytes_of(str bytes);

/* ---- Layers: layer.c. ---- */

enum image_entry_kind { IMAGE_FILE, IMAGE_LINK, IMAGE_FOLDER, IMAGE_WHITEOUT, IMAGE_OPAQUE };

struct image_entry {
    enum image_entry_kind kind;
    str path; /* from the root of the image, without a slash at either end */
    str text; /* the content of a file; the target of a link, from the root of the image */
};

/* In the order of the archive: if two have the same path, the last one counts. */
struct image_layer {
    struct image_entry *items;
    size_t len, cap;
};

/*
 * What all layers of an image, or of an archive of images, add up to; checked against the limits.
 */
struct image_budget {
    uint64_t unpacked;
    size_t kept, members;
};
MUST_CHECK bool image_budget_unpack(struct image_budget *b, size_t len, struct err *e);
MUST_CHECK bool image_budget_keep(struct image_budget *b, size_t len, struct err *e);

/*
 * Reads everything relevant to a folder: all entries below it, and links on the way to it. *out
 * lives as long as a.
 */
MUST_CHECK bool image_layer_read(struct arena *a, str folder, struct image_budget *b,
                                 struct reader *from, struct image_layer *out, struct err *e);

/*
 * digest.c: the same for bytes that must have a given digest, in one pass: all of them are read,
 * and used only if the digest matches. A mismatch is reported before any other error. *out lives as
 * long as f.
 */
MUST_CHECK bool image_layer_read_checked(struct image_files *f, str digest, struct reader *from,
                                         struct image_layer *out, struct err *e);

/* ---- Digests: digest.c. ---- */

/* Whether text is a valid digest, "sha256:...", and therefore safe in file names and URLs. */
bool image_digest_is(str text);
/* A digest that is computed incrementally. */
struct image_digest {
    const char *algorithm;
    struct evp_md_ctx_st *ctx;
};
/*
 * False when the algorithm is not "sha256" or "sha512". Finish it with image_digest_end or
 * image_digest_drop.
 */
bool image_digest_begin(struct image_digest *d, str algorithm);
void image_digest_add(struct image_digest *d, str bytes);
/* "sha256:...". Lives as long as a. */
str image_digest_end(struct image_digest *d, struct arena *a);
void image_digest_drop(struct image_digest *d);

/* ---- Stacking layers: layers.c. ---- */

/* Puts a layer below those added so far. It must live as long as the files. */
void image_files_lay(struct image_files *f, const struct image_layer *layer);
struct arena *image_files_arena(const struct image_files *f);
str image_files_folder(const struct image_files *f);
struct image_budget *image_files_budget(struct image_files *f);

bool image_is_below(str path, str folder);
str image_parent(str path);
