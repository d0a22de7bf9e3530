/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_watch.c - plumb compare --watch; see compare_watch.h.
 */
#include "cli/cmd/compare_watch.h"
#include "cli/cmd/compare_cli.h"
#include "cli/metrics.h"
#include "net/http/http.h"
#include "report/changes.h"

#include <signal.h>

/* The maximum age of the metrics. */
#define PUBLISH_EVERY (5 * NS_PER_SEC)
#define INTERVAL_MAX (3600 * NS_PER_SEC)
#define POLL_MIN NS_PER_SEC
#define POLL_MAX (86400 * NS_PER_SEC)
/* How often to check for kinds that the server does not have. */
#define REFRESH (60 * NS_PER_SEC)

/* ---- The command line. ---- */

static bool check_alone(const struct compare_values *v, struct err *e)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {
        {v->all_resources, "--all-resources"},
        {v->baseline.len, "--baseline"},
        {v->explain.len, "--explain"},
        {v->filename.len, "files"},
        {v->fleet.len, "--fleet"},
        {v->generate_config.len, "-g"},
        {v->kustomize.len, "-k"},
    };

    for (size_t i = 0; i < COUNT(others); i++)
        if (others[i].given)
            return err_set(e, ERR_USAGE,
                           "--watch and %s cannot be used together: a cluster is watched, and "
                           "only changes of the verdict are written",
                           others[i].name);
    if (v->output.len && !str_eq(v->output, STR("json")))
        return err_set(e, ERR_USAGE, "--watch writes lines of text or, with -o json, of JSON");
    return true;
}

bool watch_check(const struct compare_values *v, const struct dialect *dialect, struct err *e)
{
    const struct watch_values *w = &v->watch;

    if (!w->watch && (w->metrics_addr.len || w->metrics_file.len))
        return err_set(e, ERR_USAGE, "--metrics-%s needs --watch",
                       w->metrics_addr.len ? "addr" : "file");
    if (!w->watch)
        return true;
    if (dialect != &dialect_native)
        return err_set(e, ERR_USAGE, "--watch gives plumb's answers: use it with --no-compat");
    if (w->interval < 0 || w->interval > INTERVAL_MAX)
        return err_set(e, ERR_USAGE, "--watch-interval must be from 0 to 1h");
    if (w->poll < POLL_MIN || w->poll > POLL_MAX)
        return err_set(e, ERR_USAGE, "--watch-poll must be from 1s to 24h");
    return check_alone(v, e);
}

/* ---- Signals. ---- */

/* Raised by the signals that end the run. */
static struct http_cancel *stopped;

static void stop(int number)
{
    (void)number;
    http_cancel_raise(stopped);
}

/* A second signal ends the program at once, and so does one before the first verdict. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- Output. ---- */

struct watching {
    struct call *call;
    const struct compare_values *values;
    struct compare_watch *watch;
    struct metrics *metrics;
    str hash;
    struct watch_totals totals;
    int64_t published; /* by clock_mono */
};

static bool write_change(struct watching *w, const struct watch_change *change, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, OUTPUT_MAX);
    const struct change_line line = {change, &w->totals, clock_now()};

    bool json = str_eq(w->values->output, STR("json"));

    if (!json)
        change_write_text(&text, &line);
    else if (!change_write_json(&text, &line, e))
        return false;
    if (json)
        output_add(w->call->out, buf_str(&text));
    else
        output_text(w->call->out, buf_str(&text));
    return true;
}

static void publish(struct watching *w, bool changed)
{
    int64_t now = clock_mono();

    if (!metrics_wanted(w->metrics) ||
        (!changed && w->published && now - w->published < PUBLISH_EVERY))
        return;
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, BUF_UNLIMITED);
    metrics_write(&text, &w->totals, w->hash);
    metrics_publish(w->metrics, buf_str(&text));
    w->published = now;
}

/* ---- The run. ---- */

static bool follow(struct watching *w, struct err *e)
{
    int64_t wait = metrics_wanted(w->metrics) ? PUBLISH_EVERY / 5 : 60 * NS_PER_SEC;
    struct watch_changes changes;

    while (compare_watch_next(w->watch, wait, &changes, e)) {
        compare_watch_totals(w->watch, &w->totals);
        for (size_t i = 0; i < changes.len; i++)
            if (!write_change(w, &changes.items[i], e))
                return false;
        if (changes.len && !output_finish(w->call->out, e))
            return false;
        publish(w, changes.len > 0);
    }
    if (e->kind != ERR_CANCELLED)
        return false;
    err_clear(e);
    return true;
}

static bool end(struct watching *w, struct err *e)
{
    const struct watch_totals *t = &w->totals;
    const struct watch_change change = {.kind = WATCH_END};

    compare_watch_totals(w->watch, &w->totals);
    if (!t->started)
        return err_set(e, ERR_CANCELLED, "ended before all types had been read");
    if (t->drifting || t->issues)
        w->call->status = STATUS_DIFFERENT;
    if (w->values->strict && watch_totals_state(t) == VERDICT_INCOMPLETE)
        w->call->status = STATUS_INCOMPLETE;
    publish(w, true);
    return write_change(w, &change, e) && output_finish(w->call->out, e);
}

static bool watch(struct watching *w, const struct compare *c,
                  const struct compare_options *comparison, struct err *e)
{
    const struct watch_options options = {w->values->watch.interval, REFRESH, w->values->watch.poll,
                                          stopped};

    if (!compare_watch_open(w->call->arena, c, comparison, &options, &w->watch, e))
        return false;
    catch_signals();
    bool ok = follow(w, e) && end(w, e);
    compare_watch_close(w->watch);
    return ok;
}

bool watch_execute(struct call *c, const struct compare_values *v, const struct compare_log *log,
                   struct err *e)
{
    const struct watch_values *given = &v->watch;
    struct watching w = {.call = c, .values = v};
    const struct compare_options *options = compare_options_of(c->arena, v, &dialect_native, log);
    const struct compare *compare;

    if (!watch_check(v, &dialect_native, e) || !compare_prepare(c->arena, options, &compare, e))
        return false;
    (void)compare_hash(c->arena, compare, &w.hash);
    if (!metrics_open(c->arena, given->metrics_file, given->metrics_addr, &w.metrics, e))
        return false;
    stopped = http_cancel_new();
    bool ok = watch(&w, compare, options, e);
    metrics_close(w.metrics);
    return ok;
}
