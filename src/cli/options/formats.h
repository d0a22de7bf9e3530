/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formats.h - texts about report formats for options, derived from their table (report/report.h).
 *
 * One thread at a time, like options.h.
 */
#pragma once

#include "cli/options/options.h"

/* -o of compare, and -F of report: their choices and their help. */
extern const struct option_words format_words_compare, format_words_report;

enum format_set {
    FORMATS_SINGLE,      /* for one comparison */
    FORMATS_FLEET,       /* for fleets */
    FORMATS_ONLY_SINGLE, /* and not for fleets */
    FORMATS_ONLY_FLEET,  /* and not for one comparison */
};

/*
 * "a, b and c", if word is " and ". from_json: only those that can be made from a JSON report, in
 * alphabetical order. Lives as long as a.
 */
str format_list(struct arena *a, enum format_set set, bool from_json, const char *word);
