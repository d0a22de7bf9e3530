/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.h - a reference made of captured objects.
 *
 * A config names kinds of objects; those that a must-gather folder or a cluster has of them become
 * templates of a new reference: one file per object, without what clusters add to objects, and a
 * metadata file. Files, texts and errors are those of the original's -g, to the byte.
 */
#pragma once

#include "compare/compare.h"

struct generate_options {
    str config;                       /* the config file */
    str folder;                       /* the must-gather folder; empty: the cluster is asked */
    const struct dialect *dialect;    /* natively objects are escaped in templates */
    str output;                       /* where the reference goes; empty: where the config says */
    const struct kube_flags *cluster; /* see kube/config/config.h */
    struct compare_log log;
};

/*
 * Makes the reference. What the original prints on standard output and standard error is appended
 * to out and note. On failure a part of the files may have been written. Must be called from one
 * thread.
 */
MUST_CHECK bool generate_run(struct arena *a, const struct generate_options *o, struct buf *out,
                             struct buf *note, struct err *e);
