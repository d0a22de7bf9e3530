/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.h - makes a reference from captured objects.
 *
 * A config names kinds of objects. The objects of these kinds in a must-gather folder or a cluster
 * become templates of a new reference: one file per object, without what clusters add to objects,
 * and a metadata file. Files, texts and errors are byte for byte those of the original's -g.
 */
#pragma once

#include "compare/compare.h"

struct generate_options {
    str config;                       /* the config file */
    str folder;                       /* the must-gather folder; empty: use the cluster */
    const struct dialect *dialect;    /* plumb's own escapes objects in templates */
    str output;                       /* the folder for the reference; empty: as in the config */
    const struct kube_flags *cluster; /* see kube/config/config.h */
    struct compare_log log;
};

/*
 * Writes the reference. What the original prints on standard output and standard error is appended
 * to out and note. On failure, some of the files may have been written. One thread at a time.
 */
MUST_CHECK bool generate_run(struct arena *a, const struct generate_options *o, struct buf *out,
                             struct buf *note, struct err *e);
