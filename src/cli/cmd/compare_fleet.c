/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_fleet.c - plumb compare --fleet: checks options, compares sites, and writes the report.
 */
#include "cli/cmd/compare_fleet.h"
#include "cli/input.h"
#include "cli/options/formats.h"
#include "compare/fleet/fleet.h"
#include "report/report.h"
#include "report/fleet_baseline.h"

/* ---- What goes together. ---- */

/* Options that make no sense with --fleet, and what to do instead. */
static const struct {
    const char *name, *advice;
} refused[] = {
    {"cluster", "each context has its own"},
    {"compat", "the original knows no fleets"},
    {"context", "name contexts with --fleet contexts:NAME"},
    {"explain", "compare one site alone with --explain"},
    {"filename", "--fleet names what is compared"},
    {"generate-config", "a reference is made from one site"},
    {"generate-override-for", "overrides are made from one site"},
    {"kustomize", "--fleet names what is compared"},
    {"metrics-addr", "it is for --watch"},
    {"metrics-file", "it is for --watch"},
    {"output-dir", "a reference is made from one site"},
    {"override-reason", "overrides are made from one site"},
    {"server", "each context has its own"},
    {"watch", "one cluster is watched; repeat the fleet with --baseline to hear what is new"},
    {"watch-interval", "it is for --watch"},
    {"watch-poll", "it is for --watch"},
};

static bool check_options(const struct options *given, struct err *e)
{
    for (size_t i = 0; i < COUNT(refused); i++)
        if (options_given(given, str_c(refused[i].name)))
            return err_set(e, ERR_USAGE, "--%s cannot be used with --fleet: %s", refused[i].name,
                           refused[i].advice);
    return true;
}

static const struct report_format *format_of(const struct compare_values *v)
{
    return v->output.len ? report_find(v->output, true) : &report_text;
}

static bool check_values(struct arena *a, const struct compare_values *v, struct err *e)
{
    if (!v->reference.len)
        return err_set(e, ERR_USAGE,
                       "a fleet needs a reference: name it with -r, or as the first word");
    if (v->filename.len)
        return err_set(e, ERR_USAGE,
                       "%.*s cannot be used with --fleet, which names what is compared; several "
                       "sites are separated by commas",
                       STR_ARG(v->filename.items[0]));
    if (v->concurrency < 0 || v->concurrency > FLEET_THREADS_MAX)
        return err_set(e, ERR_USAGE, "--concurrency must be from 0 to %d with --fleet",
                       FLEET_THREADS_MAX);
    if (!format_of(v))
        return err_set(e, ERR_USAGE, "-o %.*s is not for fleets: %.*s are", STR_ARG(v->output),
                       STR_ARG(format_list(a, FORMATS_FLEET, false, " and ")));
    return true;
}

/* ---- The run. ---- */

/* It is unknown whether that is drift, so it is not a success. */
static bool lacks(const struct fleet *f)
{
    for (size_t i = 0; i < f->sites.len; i++)
        if (f->sites.items[i].not_found)
            return true;
    return false;
}

static enum exit_status status_of(const struct compare_values *v, const struct fleet *f)
{
    if (f->failed)
        return STATUS_TROUBLE;
    if (v->strict && f->states[VERDICT_INCOMPLETE])
        return STATUS_INCOMPLETE;
    /* With an earlier report, only what is new counts. */
    bool drift = f->baseline.file.len ? f->baseline.fresh > 0 : f->drifting || lacks(f);
    return drift ? STATUS_DIFFERENT : STATUS_FINE;
}

static bool find_sites(struct arena *a, const struct fleet_options *o, struct fleet *fleet,
                       struct err *e)
{
    const struct compare_log *log = &o->compare->log;
    str warning = STR_NONE;

    if (!fleet_sites_find(a, o, fleet, &warning, e))
        return false;
    if (warning.len && log->line)
        log->line(log->ctx, 'W', warning);
    return true;
}

bool fleet_execute(struct arena *a, const struct compare_values *v, const struct options *given,
                   const struct compare_log *log, struct buf *out, enum exit_status *status,
                   struct err *e)
{
    const struct report_options report = {
        .all = v->verbose, .now = clock_now(), .colour = v->colour, .terminal = v->terminal};
    struct fleet_earlier *earlier = NULL;
    struct fleet fleet = {0};
    const struct compare *c;

    if (!check_options(given, e) || !check_values(a, v, e) ||
        (v->baseline.len && !fleet_baseline_read(a, input_path(v->baseline), &earlier, e)))
        return false;
    const struct compare_options *options = compare_options_of(a, v, &dialect_native, log);
    const struct fleet_options sites = {.compare = options,
                                        .sites = v->fleet,
                                        .threads = (unsigned)v->concurrency,
                                        .progress = v->progress};
    if (!find_sites(a, &sites, &fleet, e))
        return false;
    if (!compare_load(a, options, &c, e))
        return compare_fail_reference(a, options, e);
    if (!fleet_run(a, c, &sites, &fleet, e))
        return false;
    if (earlier)
        fleet_baseline_apply(a, earlier, &fleet);
    *status = status_of(v, &fleet);
    return format_of(v)->write_fleet(&fleet, &report, out, e);
}
