/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helm.h - a Helm chart made of a reference.
 *
 * Each template of the reference becomes a template of the chart, and values.yaml gets a place for
 * every field that it reads. The files and the errors are those of the original's helm-convert, to
 * the byte.
 */
#pragma once

#include "compare/compare.h"

struct helm_options {
    str reference;   /* the metadata file */
    str chart;       /* the folder of the chart; its last element is the name */
    str defaults;    /* a folder with objects that have default values, or empty */
    str values;      /* a values file whose content goes over what is found, or empty */
    str description; /* of the chart */
    str version;
    bool outside_links; /* of the reference are followed */
    struct compare_log log;
};

/*
 * Writes the chart. What the original prints on standard error while it works is appended to note,
 * also when the work fails. Called from one thread.
 */
MUST_CHECK bool helm_convert(struct arena *a, const struct helm_options *o, struct buf *note,
                             struct err *e);
