/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - results to bytes.
 *
 * A format sees only struct results. To add one: write <format>.c with one struct report_format,
 * list it in formats.c, and add cases to tests/golden/compare/. Option checking, help and
 * completion come from the table. All functions may be called from any thread.
 */
#pragma once

#include "compare/compare.h"

/* What a report may depend on besides the results. */
struct report_options {
    bool all;    /* objects without differences are shown too, where that is a choice */
    int64_t now; /* as clock_now */
    bool colour; /* the text format: with the colours of a terminal */
    /* The text of other people's objects goes to a terminal: control characters are escaped. */
    bool terminal;
    const struct compare_log *log; /* for what cannot be shown; NULL: not reported */
};

struct report_format {
    const char *name;
    const char *help; /* one line */
    bool (*write)(const struct results *r, const struct report_options *o, struct buf *out,
                  struct err *e);
};

/* All formats that have a name, in the order in which help names them; ended by NULL. */
extern const struct report_format *const report_formats[];
/* The format for people. */
extern const struct report_format report_text;

/* The format of that name, or NULL. */
const struct report_format *report_find(str name);

/* Whether the original has the format too. */
bool report_is_original(const struct report_format *format);

/* Whether the format has explanations in it. */
bool report_explains(const struct report_format *format);
/* Appends the explanations for people, for use beside other formats; nothing when there are none.
 */
void report_explain_text(struct buf *out, const struct results *r);
