/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omit_internal.h - reads the lists of fields that are not compared, and removes these fields. For
 * this folder only.
 */
#pragma once

#include "base/base.h"
#include "value/path.h"

struct log_buffer;

struct omit_path {
    struct path path; /* keys only */
    bool prefix;      /* the last key matches all keys that start with it */
    str list, text;   /* its list in fieldsToOmit, and its text there */
    uint32_t pos;     /* of the entry in the metadata file, as in struct value */
};

struct omit_list {
    const struct omit_path **items;
    size_t len, cap;
};

#define OMIT_BUILT_IN "cluster-compare-built-in"

/* Removes the fields in the list, and mappings that become empty. */
void omit_fields(struct arena *a, struct value *object, const struct omit_list *list);
/* The same, and reports what each entry removed; removed is valid only during the call. */
typedef void omit_reporter(void *ctx, const struct omit_path *entry, const struct path *removed);
void omit_fields_reporting(struct arena *a, struct value *object, const struct omit_list *list,
                           omit_reporter *report, void *ctx);

/* The lists of fieldsToOmit while they are being read. */
struct omit_reading {
    struct arena *arena;
    const struct value *items; /* all lists */
    struct err *errors;        /* faults are joined here */
    size_t steps;              /* entries of all lists so far, included ones counted each time */
    size_t faults;             /* the number of faults in errors */
    struct map *open;          /* names of lists that are being expanded; NULL: none yet */
    struct map *expanded;      /* lists without faults, by name: which part of which list */
};
/*
 * How many entries all lists may expand to: lists that include others twice would otherwise double
 * with every level. Messages about cycles count too: 8 bytes as an entry.
 */
#define OMIT_ENTRIES_MAX 1000000
/* How many entries the lists that templates name in fieldsToOmitRefs may have together. */
#define OMIT_REFS_MAX ((size_t)10 * OMIT_ENTRIES_MAX)
#define OMIT_REFS_TEXT                                                                             \
    "the lists that fieldsToOmitRefs of all templates name have more than %zu entries"

/* Adds the built-in list, in the form of the metadata file, to fieldsToOmit.items. */
struct value *omit_built_in(struct arena *a);
/* Reads one pathToKey. */
MUST_CHECK bool omit_path_read(struct arena *a, str text, bool prefix, struct omit_path **out,
                               struct err *e);
/*
 * The first step of both versions: adds fieldsToOmit to doc if it is missing, with the built-in
 * list and the default. Returns the items.
 */
struct value *omit_prepare(struct arena *a, struct value *doc, struct log_buffer *log);
/* Reads pathToKey and isPrefix of an entry and appends it to out. */
MUST_CHECK bool omit_entry_read(struct arena *a, str list, const struct value *entry,
                                struct omit_list *out, struct err *e);
