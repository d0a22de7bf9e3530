/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_github.c - a fleet as annotations of a GitHub workflow: the rarest findings, sites that
 * could not be compared, and a notice with the totals. GitHub shows ten of each kind per step.
 */
#include "report/fleet_internal.h"

#define ANNOTATIONS_MAX 10
#define FIELDS_SHOWN 5

static void add_error(struct buf *out, str title, str text)
{
    buf_add(out, STR("::error title="));
    github_property(out, title);
    buf_add(out, STR("::"));
    github_data(out, text);
    buf_char(out, '\n');
}

bool fleet_write_github(const struct fleet *f, const struct report_options *o, struct buf *out,
                        struct err *e)
{
    AUTO_ARENA a = arena_new();
    size_t found = 0;

    (void)o;
    (void)e;
    for (size_t i = 0; i < f->sites.len; i++)
        if (f->sites.items[i].error.len && found++ < ANNOTATIONS_MAX)
            add_error(out, str_fmt(a, "%.*s was not compared", STR_ARG(f->sites.items[i].name)),
                      f->sites.items[i].error);
    for (size_t i = 0; i < f->findings.len; i++) {
        const struct fleet_finding *x = &f->findings.items[i];
        if (x->kind == FLEET_UNMATCHED || found++ >= ANNOTATIONS_MAX)
            continue;
        str subject = fleet_subject(a, x), who = fleet_who(a, f, x, false);
        add_error(out, str_fmt(a, "%.*s: %.*s", STR_ARG(who), STR_ARG(subject)),
                  fleet_what(a, x, FIELDS_SHOWN));
    }
    buf_add(out, STR("::notice title=plumb compare::"));
    github_data(out, fleet_headline(a, f));
    if (found > ANNOTATIONS_MAX)
        buf_fmt(out, " (%d of %zu findings shown)", ANNOTATIONS_MAX, found);
    buf_char(out, '\n');
    return true;
}
