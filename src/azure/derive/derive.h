/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derive.h - the resource model from published types and the overlay.
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
    str types;         /* folder of type files */
    str overlay;       /* folder of overlay files, or one file */
    const str *groups; /* only these; none: all */
    size_t group_count;
    str version; /* only this one; unused facts are then not detected */
    bool notes;  /* keep each note, not only their number */
};

/* What the derivation reports besides the models. */
enum note_kind {
    NOTE_DROPPED,   /* left out, with the rule that says so */
    NOTE_CHANGED,   /* kept in a simpler form: a pattern without its look-around, a mixed union */
    NOTE_UNKNOWN,   /* a construct that is not known here */
    NOTE_REFERENCE, /* looks like an ARM id, and the overlay does not say so */
    NOTE_SECRET,    /* looks like a secret, and neither types nor overlay say so */
    NOTE_IDENTITY,  /* an array of objects, and nothing obvious tells its elements apart */
    NOTE_NO_TYPE,   /* a kind without an ARM type: written by hand */
    NOTE_KINDS,
};
/* "dropped", "changed", ... */
const char *note_name(enum note_kind kind);

struct derive_note {
    enum note_kind kind;
    enum side side;
    str group, version, resource; /* resource: the kind in whose tree it was met first */
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

/* The same from what is already read. */
MUST_CHECK bool derive_with(struct arena *a, const struct overlay *overlay,
                            struct type_folder *types, const struct derive_options *options,
                            struct derive_result *out, struct err *e);

/* Appends a model as a file has it: one line per resource and type, names sorted. */
MUST_CHECK bool derive_write(struct buf *out, const struct value *model, struct err *e);
/* Appends one line per note. */
void derive_write_notes(struct buf *out, const struct derive_result *r);
