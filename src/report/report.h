/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - writes results in all report formats.
 *
 * A format sees only struct results, or struct fleet for the results of many sites. To add one:
 * write <format>.c with one struct report_format, declare it in internal.h, list it in formats.c,
 * and add cases to tests/golden/compare/. Option checks, help and completion are derived from the
 * table. All functions may be called from any thread.
 */
#pragma once

#include "compare/compare.h"

struct fleet;

/* What a report may depend on besides the results. */
struct report_options {
    bool all;    /* also show objects without differences, if the format has the choice */
    int64_t now; /* as clock_now */
    bool colour; /* the text format: with terminal colours */
    /* The output goes to a terminal: control characters in foreign text are escaped. */
    bool terminal;
    const struct compare_log *log; /* for warnings about what cannot be shown; NULL: none */
};

typedef bool report_writer(const struct results *r, const struct report_options *o, struct buf *out,
                           struct err *e);
/* Here the option all means that nothing is left out of the text. */
typedef bool fleet_writer(const struct fleet *f, const struct report_options *o, struct buf *out,
                          struct err *e);

struct report_format {
    const char *name;
    const char *help; /* one line */
    /*
     * The suffixes of its files, separated by spaces, the usual one first. NULL: it cannot be made
     * from a JSON report.
     */
    const char *endings;
    bool original;             /* kube-compare has it too */
    bool explains;             /* it includes explanations */
    report_writer *write;      /* NULL: only for fleets */
    fleet_writer *write_fleet; /* NULL: not for fleets */
};

/* All formats in the order of the help text, NULL-terminated. */
extern const struct report_format *const report_formats[];
/* The format for people. */
extern const struct report_format report_text;

/* The format of that name, for one comparison or for a fleet, or NULL. */
const struct report_format *report_find(str name, bool fleet);
/* The format that fits this file name, or NULL. */
const struct report_format *report_find_file(str file);
/* Appends the explanations for people, if any; for use with other formats. */
void report_explain_text(struct buf *out, const struct results *r);
