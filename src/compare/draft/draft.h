/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft.h - drafts a reference from the objects of one or more inputs.
 *
 * Objects with the same kind, namespace and name are variants of one template. Values that are
 * equal in all of them are written literally; values that vary become expressions that take the
 * value from the object being compared; members that only some have are expected only if the object
 * has them. If each input has exactly one other object of a kind, with varying names (or
 * namespaces), these are variants of one template, too. Values of Secrets, even inside other
 * objects, are always taken from the object. Objects in all inputs are required, the rest is
 * optional.
 *
 * Comparing the inputs with the reference finds no differences. One thread at a time.
 */
#pragma once

#include "compare/compare.h"

struct draft_options {
    str folder;             /* for the reference: new or empty */
    struct str_list inputs; /* files, folders, archives, "context:NAME" for a cluster */
    struct str_list kinds;  /* Kind or apiVersion/Kind; empty: all; clusters need the latter */
    const struct kube_flags *cluster;
    struct compare_log log;
};

struct draft_report {
    size_t templates, optional;
    size_t objects;  /* read */
    size_t varying;  /* expressions in all templates */
    size_t secrets;  /* templates that leave out values of Secrets */
    size_t left_out; /* objects of other kinds */
    size_t unread;   /* documents that could not be read, or are not objects */
};
#define DRAFT_OBJECTS_MAX 200000

/* Writes the reference. On failure, some of the files may have been written. */
MUST_CHECK bool draft_run(struct arena *a, const struct draft_options *o, struct draft_report *out,
                          struct err *e);

/*
 * Appends the template of one object: all values are literal, except that those of Secrets are
 * taken from the object being compared; *secret: whether there are any.
 */
MUST_CHECK bool draft_object(struct arena *a, struct value *object, struct buf *out, bool *secret,
                             struct err *e);
