/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helm.h - makes a Helm chart from a reference.
 *
 * Each template of the reference becomes a template of the chart, and values.yaml gets an entry for
 * every field that it reads. Files and errors are byte for byte those of the original's
 * helm-convert.
 */
#pragma once

#include "compare/compare.h"

struct helm_options {
    str reference;   /* the metadata file */
    str chart;       /* the folder of the chart; its last element is the name */
    str defaults;    /* a folder with objects that have default values, or empty */
    str values;      /* a values file that overrides the values found, or empty */
    str description; /* of the chart */
    str version;
    bool outside_links; /* follow links that lead out of the reference */
    struct compare_log log;
};

/*
 * Writes the chart. What the original prints on standard error meanwhile is appended to note, even
 * on failure. One thread at a time.
 */
MUST_CHECK bool helm_convert(struct arena *a, const struct helm_options *o, struct buf *note,
                             struct err *e);
