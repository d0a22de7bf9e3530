/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of this folder.
 */
#pragma once

#include "azure/model/model.h"
#include "value/source.h"

/* A model file: its name is known from the beginning, its contents are read on demand. */
struct model_file {
    str group, version; /* network, v20250301 */
    str path;           /* path of a file in a folder; empty: embedded */
    str packed;         /* embedded: the packed bytes */
    size_t size;        /* unpacked */
    str kinds; /* embedded: "Kind Kind* ...", with a star for those stored in this version */
    /* Set after reading. */
    bool loaded;
    struct model_resource *resources; /* sorted by kind */
    size_t resource_count;
};

/* Fills f->resources from the text of a file; everything lives in a, and so must the text. */
MUST_CHECK bool model_file_read(struct arena *a, struct model_file *f, const struct source *src,
                                struct err *e);
/* The embedded files: an array that lives in a. */
MUST_CHECK bool model_packed_files(struct arena *a, struct model_file **out, size_t *count,
                                   struct err *e);
/* The text of an embedded file. */
MUST_CHECK bool model_unpack(struct arena *a, const struct model_file *f, str *out, struct err *e);
/* Builds the ARM side of a type whose properties are complete; marks those that share a path. */
void model_index_arm(struct arena *a, struct model_type *t, struct model_prop *props);
