/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - decides when a watched cluster is compared; see watch.h.
 *
 *     opened ──all types read──► started: problems are reported
 *     something changes ──interval──► compared ──the verdict changes──► reported
 *
 * Before the start everything is compared as it arrives, so that memory holds little of it. After
 * it, what arrives waits for the interval, or until there is a lot of it. If templates look up
 * objects, one change may mean comparing all objects: then each comparison is followed by a rest of
 * a few times its duration.
 */
#include "compare/watch/internal.h"
#include "net/http/http.h"

#include <poll.h>

/* How long the start waits for types that fail but may recover. */
#define START_WAIT (30 * NS_PER_SEC)
/* A rest is so many times as long as the comparison of all objects before it. */
#define REST_FACTOR 4
/* The longest wait without a check: trouble is reported by then. */
#define LOOK_EVERY NS_PER_SEC

static void log_line(const struct compare_watch *w, char severity, str text)
{
    const struct compare_log *log = &w->run.options->log;

    if (text.len && log->line)
        log->line(log->ctx, severity, text);
}

static void log_trouble(struct compare_watch *w)
{
    AUTO_ARENA a = arena_new();
    struct log_buffer warnings = {.arena = a};
    str lost, found;

    watch_source_trouble(w->source, a, &lost, &found);
    log_line(w, 'W', lost);
    log_line(w, 'I', found);
    live_warnings(w->live, true, &warnings);
    log_buffer_flush(&warnings, &w->run.options->log);
}

/* ---- When. ---- */

/* Whether the start waits for no type any more. */
static bool is_settled(const struct compare_watch *w, const struct watch_look *look)
{
    return look->settled || clock_mono() - w->opened >= START_WAIT;
}

/* When what has come in is to be compared. Lookups need all types. */
static int64_t due_at(const struct compare_watch *w, const struct watch_look *look)
{
    bool early = w->state.early != NULL;

    if (!look->waiting || (early && w->whole && !is_settled(w, look)))
        return INT64_MAX;
    int64_t due = early || look->hurry ? 0 : look->since + w->options->interval;
    return due > w->rested ? due : w->rested;
}

static bool compare_now(struct compare_watch *w, struct err *e)
{
    int64_t from = clock_mono();

    if (!watch_compare(w, e))
        return false;
    int64_t now = clock_mono();
    w->rested = w->whole ? now + REST_FACTOR * (now - from) : 0;
    return true;
}

/* A definition that is installed later brings a kind that templates are about. */
static void look_for_kinds(struct compare_watch *w)
{
    const struct reference *r = &w->compare->reference;
    int64_t now = clock_mono();
    AUTO_ERR e = {0};

    if (w->state.early || !live_lacks(w->live) || now - w->asked < w->options->refresh)
        return;
    w->asked = now;
    /* One that cannot be read is failing, which is reported elsewhere. */
    if (live_refresh(w->live, r->templates.items, r->templates.len, w->options->cancel, &e))
        watch_source_grow(w->source);
}

/* One step: compares what is due, and reports the start. */
static bool step(struct compare_watch *w, struct watch_look *look, struct err *e)
{
    watch_source_look(w->source, look);
    if (due_at(w, look) <= clock_mono()) {
        if (!compare_now(w, e))
            return false;
        watch_source_look(w->source, look);
    }
    if (!look->failing && !look->waiting && !live_doubt_count(w->live))
        w->synced = clock_now();
    if (w->state.early && is_settled(w, look) && !look->waiting) {
        watch_state_issues(&w->state);
        watch_state_start(&w->state);
    }
    look_for_kinds(w);
    log_trouble(w);
    return true;
}

static void sleep_until(struct compare_watch *w, int64_t due)
{
    struct pollfd fds[] = {
        {.fd = watch_source_fd(w->source), .events = POLLIN},
        {.fd = w->options->cancel ? http_cancel_fd(w->options->cancel) : -1, .events = POLLIN}};
    int64_t left = due - clock_mono();

    if (left > LOOK_EVERY)
        left = LOOK_EVERY;
    if (left > 0)
        (void)poll(fds, COUNT(fds), (int)(left / NS_PER_MS) + 1);
}

/*
 * While something waits for the interval, more changes do not wake it up: only time counts,
 * and what asks for hurry is seen within a moment.
 */
static void sleep_gathering(struct compare_watch *w, int64_t due)
{
    struct pollfd fd = {.fd = w->options->cancel ? http_cancel_fd(w->options->cancel) : -1,
                        .events = POLLIN};
    int64_t left = due - clock_mono(), moment = 50 * NS_PER_MS;

    left = left > moment ? moment : left;
    if (left > 0)
        (void)poll(&fd, 1, (int)(left / NS_PER_MS) + 1);
}

bool compare_watch_next(struct compare_watch *w, int64_t wait, struct watch_changes *out,
                        struct err *e)
{
    int64_t deadline = clock_mono() + wait;
    struct watch_look look;

    watch_state_reset(&w->state);
    *out = (struct watch_changes){0};
    for (;;) {
        if (http_cancel_raised(w->options->cancel))
            return err_set(e, ERR_CANCELLED, "the watch was ended");
        if (!step(w, &look, e))
            return false;
        if (w->state.changes.len || clock_mono() >= deadline)
            break;
        int64_t due = due_at(w, &look);
        if (due < INT64_MAX)
            sleep_gathering(w, due < deadline ? due : deadline);
        else
            sleep_until(w, deadline);
    }
    *out = w->state.changes;
    return true;
}

enum verdict_state watch_totals_state(const struct watch_totals *t)
{
    const struct result_verdict verdict = {.complete = t->matched && !t->failed && !t->failing,
                                           .unmatched = t->unmatched};

    return verdict_state(&verdict);
}

void compare_watch_totals(struct compare_watch *w, struct watch_totals *out)
{
    const struct watch_state *s = &w->state;
    struct watch_look look;

    watch_source_look(w->source, &look);
    size_t judged = s->matched + s->failed;
    *out = (struct watch_totals){.templates = s->templates,
                                 .template_count = w->compare->reference.templates.len,
                                 .types = live_type_count(w->live) + live_doubt_count(w->live),
                                 .failing = look.failing + live_doubt_count(w->live),
                                 .objects = look.objects,
                                 .matched = s->matched,
                                 .drifting = s->drifting,
                                 .failed = s->failed,
                                 .unmatched = look.objects > judged ? look.objects - judged : 0,
                                 .missing = s->issues.missing,
                                 .issues = s->issues.components,
                                 .synced = w->synced,
                                 .events = look.events,
                                 .errors = look.errors,
                                 .compared = s->compared,
                                 .started = !s->early};
    memcpy(out->changes, s->reported, sizeof(out->changes));
}

/* ---- Life. ---- */

static bool open_watch(struct compare_watch *w, struct err *e)
{
    struct run *r = &w->run;
    bool ok = live_begin(r, &w->live, e);

    for (size_t i = 0; ok && i < live_doubt_count(w->live); i++)
        log_buffer_warn(&r->log, "%.*s", STR_ARG(live_doubt(w->live, i)));
    log_buffer_flush(&r->log, &r->options->log);
    if (!ok)
        return false;
    w->whole = r->keeps_objects = compare_reach(w->compare).looks_up;
    w->opened = w->asked = clock_mono();
    w->pool = pool_new(r->options->threads);
    watch_state_open(&w->state, r->arena, w->compare);
    w->source =
        watch_source_start(&(struct watch_source_config){w->live, w->whole, w->options->poll});
    return true;
}

bool compare_watch_open(struct arena *a, const struct compare *c,
                        const struct compare_options *comparison,
                        const struct watch_options *options, struct compare_watch **out,
                        struct err *e)
{
    struct compare_watch *w = ARENA_NEW(a, struct compare_watch);

    w->compare = c;
    w->run = run_begin(a, c, comparison);
    w->options = options;
    *out = NULL;
    if (!open_watch(w, e)) {
        live_close(w->live);
        return false;
    }
    *out = w;
    return true;
}

void compare_watch_close(struct compare_watch *w)
{
    if (!w)
        return;
    watch_source_stop(w->source);
    watch_state_close(&w->state);
    pool_free(w->pool);
    live_close(w->live);
}
