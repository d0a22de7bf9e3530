/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derive.h - derives the resource model from published types and the overlay.
 *
 *     types.json (what ARM accepts and returns)  +  overlay (what rules cannot know)
 *             -> one model per group and version (docs/design/azure-model.md)
 *
 * Everything happens in memory: nothing is written, so that the caller decides what to do with
 * models and notes. The same input gives the same models, byte for byte. One thread at a time.
 */
#pragma once

#include "azure/derive/overlay.h"
#include "azure/derive/types.h"

struct derive_options {
    str types;         /* folder with type files */
    str overlay;       /* folder with overlay files, or one file */
    const str *groups; /* only these; none: all */
    size_t group_count;
    str version; /* only this one; unused facts are then not detected */
    bool notes;  /* keep all notes, not only their number */
};

/* What is reported besides the models. */
enum note_kind {
    NOTE_DROPPED,   /* left out, with the rule that says so */
    NOTE_CHANGED,   /* kept in a simpler form: a pattern without its look-around, a mixed union */
    NOTE_UNKNOWN,   /* an unknown construct */
    NOTE_REFERENCE, /* looks like an ARM id, but is not in the overlay */
    NOTE_SECRET,    /* looks like a secret, but neither types nor overlay say so */
    NOTE_IDENTITY,  /* an array of objects without an obvious identity */
    NOTE_NO_TYPE,   /* a kind without an ARM type: written by hand */
    NOTE_KINDS,
};
/* "dropped", "changed", ... */
const char *note_name(enum note_kind kind);

struct derive_note {
    enum note_kind kind;
    enum side side;
    str group, version, resource; /* resource: the kind where it was found first */
    str type, prop;               /* names in the type file */
    const char *why;
};

struct derived_model {
    str group; /* without ".azure.com" */
    str version;
    const struct value *root; /* as in a model file */
    size_t resources;
    bool by_hand;
};

struct derive_result {
    VEC(struct derived_model) models; /* sorted by group and version */
    VEC(struct derive_note) notes;
    size_t counts[NOTE_KINDS];
    VEC(struct unused_fact) unused;
    size_t kinds, resources, files;
};

/* Derives all models. They live as long as a. */
MUST_CHECK bool derive_models(struct arena *a, const struct derive_options *options,
                              struct derive_result *out, struct err *e);

/* The same from types and an overlay that have been read already. */
MUST_CHECK bool derive_with(struct arena *a, const struct overlay *overlay,
                            struct type_folder *types, const struct derive_options *options,
                            struct derive_result *out, struct err *e);

/* Appends a model in the format of a file: one line per resource and type, names sorted. */
MUST_CHECK bool derive_write(struct buf *out, const struct value *model, struct err *e);
/* Appends one line per note. */
void derive_write_notes(struct buf *out, const struct derive_result *r);
