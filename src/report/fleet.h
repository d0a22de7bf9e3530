/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet.h - reports of what many sites have in common.
 *
 * A format sees only struct fleet. To add one: write fleet_<format>.c with one struct fleet_format,
 * list it in fleet_formats.c, and add cases to tests/golden/compare/fleet-*. All functions may be
 * called from any thread.
 */
#pragma once

#include "compare/fleet/fleet.h"
#include "report/report.h"

struct fleet_format {
    const char *name;
    const char *help; /* one line */
    /* Of the options, all means: nothing is left out of the text. */
    bool (*write)(const struct fleet *f, const struct report_options *o, struct buf *out,
                  struct err *e);
};

/* All formats that have a name, in the order in which help names them; ended by NULL. */
extern const struct fleet_format *const fleet_formats[];
/* The format for people. */
extern const struct fleet_format fleet_text;

/* The format of that name, the text for no name, or NULL. */
const struct fleet_format *fleet_format_find(str name);
