/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.h - the output of a continuous comparison: a line per change of the verdict, and the
 * current verdict for Prometheus. Any thread.
 */
#pragma once

#include "compare/watch/watch.h"

/* One change, with what its line needs. */
struct change_line {
    const struct watch_change *change;
    const struct watch_totals *totals; /* shown with the start and the end */
    int64_t now;                       /* as clock_now */
};

/* Appends "2026-03-05T07:08:09.123Z drift    ID (TEMPLATE): FIELDS" and a newline. */
void change_write_text(struct buf *out, const struct change_line *line);
/* The same as JSON on one line. */
MUST_CHECK bool change_write_json(struct buf *out, const struct change_line *line, struct err *e);

/* Appends the totals in the text format of Prometheus. hash is that of the reference. */
void metrics_write(struct buf *out, const struct watch_totals *totals, str hash);
