/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - compares the sites of a fleet.
 *
 *     caller             next site ─► job
 *     threads            a whole comparison; findings with their digests remain
 *     caller, in order   log lines; findings that are new are kept; the job is dropped
 *
 * Each site uses one thread, which is kept busy by unpacking, or by waiting for a cluster.
 */
#include "compare/fleet/internal.h"
#include "kube/config/config.h"
#include "net/redact.h"

#include <unistd.h>

/* Clusters are mostly waited for. */
#define LIVE_THREADS 8
/* How many sites that could not be compared are reported one by one. */
#define FAILURES_SHOWN 20
/* Warnings of one site, in bytes. */
#define LINES_MAX (64 * KIB)

struct running {
    struct arena *arena;
    const struct compare *loaded;
    const struct fleet_options *options;
    struct fleet *fleet;
    struct fleet_groups *groups;
    size_t next, done, failed;
};

/* One site. It lives in its own arena. */
struct job {
    struct arena *arena;
    size_t index;
    struct fleet_site site;
    struct {
        struct fleet_finding *items;
        size_t len, cap;
    } findings;
    size_t text_bytes;
    bool verbose;
    struct buf lines; /* warnings, each ended by a newline */
};

/* ---- On the threads: one site. ---- */

static void take_line(void *ctx, char severity, str text)
{
    struct job *job = ctx;

    job->site.warnings += severity != 'I';
    if (job->verbose && severity != 'I')
        buf_fmt(&job->lines, "%.*s\n", STR_ARG(text));
}

static void add_finding(struct job *job, struct fleet_finding *f)
{
    size_t before = arena_used(job->arena);

    fleet_digest(job->arena, f);
    struct fleet_finding *kept = VEC_ADD(job->arena, &job->findings);
    fleet_finding_copy(job->arena, f, job->text_bytes < FLEET_SITE_TEXT_MAX, kept);
    job->text_bytes += arena_used(job->arena) - before;
}

/* The names of the two files precede the first hunk, and are never the same. */
static str without_files(str text)
{
    str rest = text, line;

    while (rest.len && !str_has_prefix(rest, STR("@@ ")))
        if (!str_next_line(&rest, &line))
            break;
    if (rest.len)
        return rest;
    return str_has_prefix(text, STR("Binary files ")) ? STR("Binary files differ\n") : text;
}

static void add_diffs(struct job *job, const struct results *r)
{
    for (size_t i = 0; i < r->diffs.len; i++) {
        const struct result_diff *d = &r->diffs.items[i];
        struct fleet_finding f = {.kind = FLEET_DIFFERS,
                                  .object = d->object,
                                  .template = d->template,
                                  .description = d->description,
                                  .part = d->part,
                                  .component = d->component,
                                  .text = without_files(d->text),
                                  .fields = d->fields};
        if (d->differs || d->text.len)
            add_finding(job, &f);
    }
}

static void add_issues(struct job *job, const struct results *r)
{
    bool incomplete = fleet_site_is_incomplete(&job->site);

    for (size_t i = 0; i < r->issues.len; i++) {
        const struct result_issue *issue = &r->issues.items[i];
        for (size_t k = 0; k < issue->count && !(incomplete && issue->lacks); k++) {
            struct fleet_finding f = {.kind = FLEET_MISSING,
                                      .template = issue->templates[k].path,
                                      .description = issue->templates[k].description,
                                      .part = issue->part,
                                      .component = issue->component,
                                      .message = issue->message};
            add_finding(job, &f);
        }
    }
}

static void add_unmatched(struct job *job, const struct results *r)
{
    for (size_t i = 0; i < r->unmatched.len; i++) {
        struct fleet_finding f = {.kind = FLEET_UNMATCHED, .object = r->unmatched.items[i]};
        add_finding(job, &f);
    }
}

/* Of the verdict the counts remain, and some notes. */
static void keep_verdict(struct job *job, const struct result_verdict *v)
{
    struct result_verdict *out = &job->site.verdict;

    *out = *v;
    memset(&out->rules, 0, sizeof(out->rules));
    memset(&out->notes, 0, sizeof(out->notes));
    for (size_t i = 0; i < v->notes.len && out->notes.len < FLEET_NOTES_MAX; i++)
        if (v->notes.items[i].failed)
            VEC_PUSH(job->arena, &out->notes, v->notes.items[i]);
    for (size_t i = 0; i < out->notes.len; i++) {
        struct result_note *note = &out->notes.items[i];
        note->place.file = str_copy(job->arena, note->place.file);
        note->reason = str_copy(job->arena, note->reason);
    }
}

static void keep_results(struct job *job, const struct results *r)
{
    struct fleet_site *s = &job->site;

    s->differing = r->differing;
    s->total = r->total;
    s->missing = fleet_site_is_incomplete(s) ? 0 : r->missing;
    s->not_found = r->missing - s->missing;
    s->patched = r->patched;
    s->unmatched = r->verdict.unmatched;
    add_diffs(job, r);
    add_issues(job, r);
    add_unmatched(job, r);
}

/* When nothing could be read, the first reason says more than how much there was. */
static void keep_failure(struct job *job, const struct err *e)
{
    const struct result_verdict *v = &job->site.verdict;
    size_t failed = v->failed + v->failed_objects;

    job->site.error = str_copy(job->arena, err_message(job->arena, e));
    if (!v->notes.len)
        return;
    const struct result_note *note = &v->notes.items[0];
    str place = place_text(job->arena, note->place);
    if (str_contains(note->reason, place))
        place = STR_NONE;
    job->site.error = str_fmt(job->arena, "nothing could be compared: %.*s%s%.*s", STR_ARG(place),
                              place.len ? ": " : "", STR_ARG(note->reason));
    if (failed > 1)
        job->site.error =
            str_fmt(job->arena, "%.*s, and %zu more", STR_ARG(job->site.error), failed - 1);
}

static bool work(void *ctx, void *item, struct err *e)
{
    const struct running *r = ctx;
    struct job *job = item;
    AUTO_ARENA a = arena_new();
    AUTO_ERR fault = {0};
    struct compare_options options = *r->options->compare;
    struct kube_flags flags = options.cluster ? *options.cluster : (struct kube_flags){0};
    struct results results = {0};

    (void)e;
    flags.context = job->site.context;
    options.cluster = &flags;
    options.files = (struct str_list){&job->site.source, !job->site.live, 1};
    options.recursive = options.one_of_many = true;
    options.external_diff = STR_NONE;
    options.threads = 1;
    options.log = (struct compare_log){.line = take_line, .ctx = job};
    options.progress = (struct compare_progress){0};
    bool ok = compare_run(a, r->loaded, &options, &results, &fault);
    keep_verdict(job, &results.verdict);
    if (ok)
        keep_results(job, &results);
    else
        keep_failure(job, &fault);
    return true;
}

/* ---- On the thread of the caller. ---- */

static bool produce(void *ctx, void **item, struct err *e)
{
    struct running *r = ctx;

    (void)e;
    *item = NULL;
    if (r->next == r->fleet->sites.len)
        return true;
    struct arena *a = arena_new();
    struct job *job = ARENA_NEW(a, struct job);
    job->arena = a;
    job->index = r->next++;
    job->site = r->fleet->sites.items[job->index];
    job->verbose = r->options->compare->log.verbose;
    job->lines = buf_new(a, LINES_MAX);
    *item = job;
    return true;
}

static void say(const struct running *r, str text)
{
    const struct compare_log *log = &r->options->compare->log;

    if (log->line)
        log->line(log->ctx, 'W', text);
}

static void say_lines(const struct running *r, const struct job *job)
{
    AUTO_ARENA a = arena_new();
    const struct fleet_site *s = &job->site;
    str line, rest = buf_str(&job->lines);

    while (str_next_line(&rest, &line))
        say(r, str_fmt(a, "%.*s: %.*s", STR_ARG(s->name), STR_ARG(line)));
    if (!s->error.len || r->failed >= FAILURES_SHOWN)
        return;
    say(r, str_fmt(a, "%.*s: not compared: %.*s", STR_ARG(s->name), STR_ARG(s->error)));
}

static void copy_notes(struct arena *a, struct result_verdict *v)
{
    struct result_note *notes = ARENA_ARRAY(a, struct result_note, v->notes.len);

    for (size_t i = 0; i < v->notes.len; i++) {
        notes[i] = v->notes.items[i];
        notes[i].place.file = str_copy(a, notes[i].place.file);
        notes[i].reason = str_copy(a, notes[i].reason);
    }
    v->notes.items = notes;
    v->notes.cap = v->notes.len;
}

static bool consume(void *ctx, void *item, struct err *e)
{
    struct running *r = ctx;
    struct job *job = item;
    struct fleet_site *site = &r->fleet->sites.items[job->index];
    const struct compare_progress *p = &r->options->progress;

    (void)e;
    say_lines(r, job);
    *site = job->site;
    site->error = str_copy(r->arena, job->site.error);
    r->failed += site->error.len > 0;
    copy_notes(r->arena, &site->verdict);
    for (size_t i = 0; i < job->findings.len; i++)
        fleet_groups_add(r->groups, job->index, &job->findings.items[i]);
    arena_free(job->arena);
    if (p->step)
        p->step(p->ctx, ++r->done, r->fleet->sites.len);
    return true;
}

/* ---- The whole. ---- */

static unsigned thread_count(const struct running *r)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned wanted = processors > 0 ? (unsigned)processors : 1;
    bool live = false;

    for (size_t i = 0; i < r->fleet->sites.len; i++)
        live |= r->fleet->sites.items[i].live;
    if (r->options->threads)
        wanted = r->options->threads;
    else if (live && wanted < LIVE_THREADS)
        wanted = LIVE_THREADS;
    if (wanted > FLEET_THREADS_MAX)
        wanted = FLEET_THREADS_MAX;
    return wanted < r->fleet->sites.len ? wanted : (unsigned)r->fleet->sites.len;
}

static bool run_sites(struct running *r, struct err *e)
{
    const struct pool_job job = {produce, work, consume, r};
    struct pool *pool = pool_new(thread_count(r));
    bool ok = pool_run(pool, &job, e);

    pool_free(pool);
    return ok;
}

bool fleet_run(struct arena *a, const struct compare *c, const struct fleet_options *o,
               struct fleet *fleet, struct err *e)
{
    struct running r = {.arena = a,
                        .loaded = c,
                        .options = o,
                        .fleet = fleet,
                        .groups = fleet_groups_new(a, fleet)};

    fleet->reference = redact_place(a, o->compare->reference);
    fleet->overrides = o->compare->overrides;
    (void)compare_hash(a, c, &fleet->hash);
    if (!run_sites(&r, e))
        return false;
    if (r.failed > FAILURES_SHOWN)
        say(&r, str_fmt(a, "%zu more sites could not be compared", r.failed - FAILURES_SHOWN));
    fleet_groups_finish(r.groups);
    return true;
}
