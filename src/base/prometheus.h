/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prometheus.h - numbers in the text format of Prometheus.
 *
 *     prom_head(out, "plumb_objects", "gauge", "Objects that exist.");
 *     prom_label(&labels, "kind", kind);
 *     prom_sample(out, "plumb_objects", buf_str(&labels), 12);
 *
 * Names and help texts must be the program's own. Label values may be untrusted: they are escaped.
 */
#pragma once

#include "base/buf.h"

/* Appends name="value", after a comma unless it is the first. */
void prom_label(struct buf *labels, const char *name, str value);

/* "# HELP" and "# TYPE". type: counter, gauge or histogram. */
void prom_head(struct buf *out, const char *name, const char *type, const char *help);
/* One line. labels is what prom_label wrote; empty: none. */
void prom_sample(struct buf *out, const char *name, str labels, double value);
/* The head, and a line without labels. */
void prom_number(struct buf *out, const char *name, const char *type, const char *help,
                 double value);

/* A histogram: buckets[i] values were at most bounds[i] and more than the bound before it. */
struct prom_histogram {
    const char *const *bounds; /* in seconds, as Go writes them */
    const uint64_t *buckets;
    size_t bucket_count; /* without the last one, which has no bound */
    uint64_t count;      /* of all */
    double sum;          /* in seconds */
};
/* All lines but the head. */
void prom_histogram(struct buf *out, const char *name, str labels, const struct prom_histogram *h);
