/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the generator share: config.c reads the config, source.c and
 * live.c find objects, write.c writes the reference, generate.c runs these in turn.
 */
#pragma once

#include "compare/generate/generate.h"
#include "compare/log_buffer_internal.h"
#include "compare/input/object_internal.h"

/* One row of the config. */
struct wanted {
    str kind, api_version, namespace;
    bool required;
    struct str_list names;
    struct objects found;
    struct str_list files; /* written for them, relative to the reference */
};

struct generate_config {
    str output;
    struct str_list omit_annotations, omit_labels;
    struct {
        struct wanted *items;
        size_t len, cap;
    } rows;
};

/* single: what follows the first document is an error. */
MUST_CHECK bool generate_config_load(struct arena *a, str path, bool single,
                                     struct generate_config *out, struct err *e);

/* Fails if it is not a folder. */
MUST_CHECK bool generate_source_check(struct arena *a, str folder, struct err *e);
/*
 * Reads the objects of a must-gather folder whose kind is in the config, each identity once, in the
 * order of the files.
 */
MUST_CHECK bool generate_source_read(struct arena *a, str folder,
                                     const struct generate_config *config, struct objects *out,
                                     struct err *e);

/* The same for an archive, as if it were unpacked: archive.c. log gets what was skipped. */
MUST_CHECK bool generate_archive_read(struct arena *a, str file,
                                      const struct generate_config *config, struct objects *out,
                                      struct log_buffer *log, struct err *e);

/* ---- What folders and archives share: source.c. ---- */

/* The folders with objects. */
enum { GENERATE_FOLDERS = 2 };
extern const char *const generate_folders[GENERATE_FOLDERS];

struct value_refs {
    const struct value **items;
    size_t len, cap;
};
/* The wanted objects of a file; none if anything is wrong with it. They live as long as a. */
struct value_refs gather_read(struct arena *a, const struct generate_config *config, str path,
                              str text);

/* Collects the first object of each identity. */
struct gather {
    struct arena *arena; /* of the objects */
    const struct generate_config *config;
    struct objects *found;
    struct map *seen;
};
struct gather gather_begin(struct arena *a, const struct generate_config *config,
                           struct objects *out);
void gather_object(struct gather *c, const struct value *v);

/* ---- Clusters. ---- */

/*
 * Reads objects from a cluster, row by row: live.c. Must be closed even after a failure. log gets
 * what client-go logs about an unreachable server, for each row; may be NULL.
 */
struct generate_live;
MUST_CHECK bool generate_live_open(struct arena *a, const struct kube_flags *flags,
                                   struct log_buffer *log, struct generate_live **out,
                                   struct err *e);
void generate_live_close(struct generate_live *g); /* g may be NULL */
MUST_CHECK bool generate_live_fill(struct generate_live *g, struct wanted *row, struct err *e);

/* Writes all files. *folder is their folder, as an absolute path. note gets notes for the user. */
MUST_CHECK bool generate_write(struct arena *a, const struct generate_options *o,
                               struct generate_config *config, str *folder, struct buf *note,
                               struct err *e);

/*
 * Appends an object as a template that renders to it: template.c. *secret: whether values of a
 * Secret were left out, which the template takes from the object being compared.
 */
MUST_CHECK bool generate_text(struct arena *a, struct value *object, struct buf *out, bool *secret,
                              struct err *e);
