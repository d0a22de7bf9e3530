/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft.h - a first reference, made of the objects of one or several inputs.
 *
 * Objects of the same kind, namespace and name are variants of one template. What is the same in
 * all of them is written as it is; what varies becomes an expression that takes the value from the
 * object that is compared; a member that only some have is only expected where the object has it.
 * Where each input has exactly one more object of a kind and the names (or namespaces) vary, these
 * are variants of one template too. Values of Secrets, those within other objects included, are
 * always taken from the object. What all inputs have is required, the rest is optional.
 *
 * Comparing the inputs with the reference finds no difference. One thread at a time.
 */
#pragma once

#include "compare/compare.h"

struct draft_options {
    str folder;             /* where the reference goes: new, or empty */
    struct str_list inputs; /* files, folders, archives, "context:NAME" for a cluster */
    struct str_list kinds;  /* Kind or apiVersion/Kind; empty: all; clusters need the latter */
    const struct kube_flags *cluster;
    struct compare_log log;
};

struct draft_report {
    size_t templates, optional;
    size_t objects;  /* that were read */
    size_t varying;  /* expressions in all templates */
    size_t secrets;  /* templates that take values from Secrets */
    size_t left_out; /* objects of other kinds */
    size_t unread;   /* documents that could not be read, or are not objects */
};
#define DRAFT_OBJECTS_MAX 200000

/* Makes the reference. On failure a part of the files may have been written. */
MUST_CHECK bool draft_run(struct arena *a, const struct draft_options *o, struct draft_report *out,
                          struct err *e);

/*
 * Appends the template of one object: as it is, except that values of Secrets in it are taken from
 * the object that is compared; *secret: whether there are some.
 */
MUST_CHECK bool draft_object(struct arena *a, struct value *object, struct buf *out, bool *secret,
                             struct err *e);
