/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - results to bytes.
 *
 * A format sees only struct results, or struct fleet for what many sites have in common. To add
 * one: write <format>.c with one struct report_format, declare it in internal.h, list it in
 * formats.c, and add cases to tests/golden/compare/. Option checking, help and completion come from
 * the table. All functions may be called from any thread.
 */
#pragma once

#include "compare/compare.h"

struct fleet;

/* What a report may depend on besides the results. */
struct report_options {
    bool all;    /* objects without differences are shown too, where that is a choice */
    int64_t now; /* as clock_now */
    bool colour; /* the text format: with the colours of a terminal */
    /* The text of other people's objects goes to a terminal: control characters are escaped. */
    bool terminal;
    const struct compare_log *log; /* for what cannot be shown; NULL: not reported */
};

typedef bool report_writer(const struct results *r, const struct report_options *o, struct buf *out,
                           struct err *e);
/* Of the options, all means: nothing is left out of the text. */
typedef bool fleet_writer(const struct fleet *f, const struct report_options *o, struct buf *out,
                          struct err *e);

struct report_format {
    const char *name;
    const char *help; /* one line */
    /*
     * How names of its files end, separated by blanks, the usual one first. NULL: it cannot be made
     * of a JSON report.
     */
    const char *endings;
    bool original;             /* kube-compare has it too */
    bool explains;             /* explanations are in it */
    report_writer *write;      /* NULL: only for fleets */
    fleet_writer *write_fleet; /* NULL: not for fleets */
};

/* All formats, in the order in which help names them; ended by NULL. */
extern const struct report_format *const report_formats[];
/* The format for people. */
extern const struct report_format report_text;

/* The format of that name, for one comparison or for a fleet; NULL: there is none. */
const struct report_format *report_find(str name, bool fleet);
/* The format of files of that name, or NULL. */
const struct report_format *report_find_file(str file);
/* Appends the explanations for people, for use beside other formats; nothing when there are none.
 */
void report_explain_text(struct buf *out, const struct results *r);
