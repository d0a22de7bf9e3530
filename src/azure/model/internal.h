/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the model share.
 */
#pragma once

#include "azure/model/model.h"
#include "value/source.h"

/* A model file: known by name from the beginning, read when asked for. */
struct model_file {
    str group, version; /* network, v20250301 */
    str path;           /* in a folder; empty: in the program */
    str packed;         /* embedded: the packed bytes */
    size_t size;        /* unpacked */
    str kinds; /* in the program: "Kind Kind* ...", the star for those stored in this version */
    /* After reading. */
    bool loaded;
    struct model_resource *resources; /* sorted by kind */
    size_t resource_count;
};

/* Fills f->resources from the text of a file; everything lives in a, which must keep the text. */
MUST_CHECK bool model_file_read(struct arena *a, struct model_file *f, const struct source *src,
                                struct err *e);
/* The files in the program: an array that lives in a. */
MUST_CHECK bool model_packed_files(struct arena *a, struct model_file **out, size_t *count,
                                   struct err *e);
/* The text of a file in the program. */
MUST_CHECK bool model_unpack(struct arena *a, const struct model_file *f, str *out, struct err *e);
/* The ARM side of a type whose properties are complete; marks those that share a place. */
void model_index_arm(struct arena *a, struct model_type *t, struct model_prop *props);
