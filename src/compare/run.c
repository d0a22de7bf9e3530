/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - compares all objects, on the threads of the pool.
 *
 * Documents are read, compared and dropped again, a few at a time:
 *
 *     caller: feed_next ─► job       threads: document_read, object_add, compare_object
 *     caller, in order: errors, duplicates, results; the arena of the job is used again
 *
 * The original reads everything first, and a fault in the input ends it before it reports anything
 * about an object. So messages of comparisons wait until the input is known to be valid
 * (run.later), and otherwise their results are dropped.
 *
 * If a template may look up objects, or if comparing starts a program, which cannot be undone,
 * objects are kept and compared only when all have been read.
 */
#include "compare/run_internal.h"
#include "compare/input/input_internal.h"
#include "compare/reference/templates_internal.h"

/* Documents and objects that one thread takes at a time: enough that handing over costs little. */
#define BATCH 16
/* The same in bytes of text. */
#define BATCH_BYTES (32 * KIB)
/* Arenas that wait for another job. */
#define SPARE_MAX 64

/* Warnings about duplicates: must-gathers hold many objects twice. */
#define DUPLICATES_SHOWN 20

/* One document, and what became of it. */
struct unit {
    struct document doc;
    size_t stream;
    bool is_read; /* in is complete */
    struct input in;
    struct outcome *outcomes; /* one per object */
};

/* Its arena lives until nothing that was read into it is under way any more. */
struct job {
    struct arena *arena;
    struct job *owner; /* of the trees of its objects, or NULL */
    size_t users;
    size_t count;
    struct unit units[BATCH];
};

/* The objects of a large document are dealt out to several jobs. */
struct dealing {
    struct job *owner;
    size_t stream;
    struct objects rest;
};

struct running {
    struct run *run;
    struct feed *feed;
    struct owners *owners;
    struct strset *seen; /* ids of objects; of duplicates that are kept, with their places */
    struct input_errors errors;
    size_t object_count;
    size_t failed_stream;        /* whose rest is not wanted, or 0 */
    struct log_buffer loading;   /* lines about objects that were read */
    struct log_buffer owning;    /* about owner references that were passed over */
    struct log_buffer referring; /* and about subjects, and about what they refer to */
    struct dealing dealing;
    size_t next, compared; /* of the objects that are kept */
    VEC(struct arena *) spare;
    VEC(struct arena *) kept; /* what kept objects live in */
};

/* ---- Jobs. ---- */

static struct job *job_new(struct running *r)
{
    struct arena *a = r->spare.len ? r->spare.items[--r->spare.len] : arena_new();
    struct job *job = ARENA_NEW(a, struct job);

    job->arena = a;
    job->users = 1;
    return job;
}

/* A job lives in its own arena. */
static void job_release(struct running *r, struct job *job)
{
    struct arena *a = job->arena;

    if (--job->users)
        return;
    if (job->owner)
        job_release(r, job->owner);
    if (r->spare.len == SPARE_MAX) {
        arena_free(a);
        return;
    }
    arena_reset(a);
    VEC_PUSH(r->run->arena, &r->spare, a);
}

static void free_arenas(struct running *r)
{
    for (size_t i = 0; i < r->spare.len; i++)
        arena_free(r->spare.items[i]);
    for (size_t i = 0; i < r->kept.len; i++)
        arena_free(r->kept.items[i]);
}

/* ---- Producing. ---- */

static struct unit *unit_add(const struct running *r, struct job *job)
{
    struct unit *u = &job->units[job->count++];

    u->in.arena = job->arena;
    u->in.dialect = r->run->options->dialect;
    u->in.log.arena = job->arena;
    return u;
}

/* The next objects of those that are dealt out. */
static void deal(struct running *r, struct job *job)
{
    struct dealing *d = &r->dealing;
    struct unit *u = unit_add(r, job);
    size_t count = d->rest.len < BATCH ? d->rest.len : BATCH;

    u->stream = d->stream;
    u->is_read = true;
    u->in.objects = (struct objects){d->rest.items, count, 0};
    d->rest.items += count;
    d->rest.len -= count;
    job->owner = d->owner;
    d->owner->users++;
    if (!d->rest.len)
        job_release(r, d->owner);
}

static void read_unit(struct unit *u)
{
    u->is_read = true;
    document_read(&u->in, &u->doc);
    if (!u->doc.failed && u->doc.root->kind != VALUE_NULL)
        object_add(&u->in, &u->doc);
}

/* A document that is large may hold many objects: it is read here, for all threads. */
static void deal_out(struct running *r, struct job *job, struct unit *u)
{
    read_unit(u);
    if (u->in.objects.len <= BATCH)
        return;
    r->dealing = (struct dealing){job, u->stream, u->in.objects};
    job->users++;
    u->in.objects = (struct objects){0};
}

static void fill(struct running *r, struct job *job)
{
    size_t bytes = 0;

    while (job->count < BATCH && bytes < BATCH_BYTES && !r->dealing.rest.len) {
        struct unit *u = unit_add(r, job);
        if (!feed_next(r->feed, &u->in, &u->doc, &u->stream)) {
            /* The end of an archive may still have something to say. */
            u->is_read = true;
            u->stream = SIZE_MAX;
            job->count -= !u->in.faults.len && !u->in.members_ignored;
            return;
        }
        size_t len = u->doc.source ? u->doc.source->text.len : 0;
        bytes += len;
        if (len > BATCH_BYTES && !r->run->keeps_objects)
            deal_out(r, job, u);
    }
}

static bool produce(void *ctx, void **item, struct err *e)
{
    struct running *r = ctx;
    struct job *job = job_new(r);

    (void)e;
    if (r->dealing.rest.len)
        deal(r, job);
    else
        fill(r, job);
    *item = job->count ? job : NULL;
    if (!job->count)
        job_release(r, job);
    return true;
}

static bool produce_kept(void *ctx, void **item, struct err *e)
{
    struct running *r = ctx;
    struct objects *all = &r->run->objects;
    size_t left = all->len - r->next;

    (void)e;
    *item = NULL;
    if (!left)
        return true;
    struct job *job = job_new(r);
    struct unit *u = unit_add(r, job);
    u->in.objects = (struct objects){all->items + r->next, left < BATCH ? left : BATCH, 0};
    r->next += u->in.objects.len;
    *item = job;
    return true;
}

/* ---- Working. ---- */

static void work_unit(const struct running *r, struct arena *a, struct unit *u)
{
    const struct run *run = r->run;

    if (!u->is_read)
        read_unit(u);
    u->outcomes = ARENA_ARRAY(a, struct outcome, u->in.objects.len);
    for (size_t i = 0; i < u->in.objects.len; i++) {
        struct outcome *out = &u->outcomes[i];
        out->refers.owners = (struct log_buffer){.arena = a, .verbose = run->options->log.verbose};
        out->refers.subjects = out->refers.owners;
        owners_note(a, r->owners, &u->in.objects.items[i], &out->refers);
        if (!run->keeps_objects)
            compare_object(a, run, &u->in.objects.items[i], out);
    }
}

static bool work(void *ctx, void *item, struct err *e)
{
    struct job *job = item;

    (void)e;
    for (size_t i = 0; i < job->count; i++)
        work_unit(ctx, job->arena, &job->units[i]);
    return true;
}

static bool work_kept(void *ctx, void *item, struct err *e)
{
    const struct running *r = ctx;
    struct job *job = item;
    struct unit *u = &job->units[0];

    (void)e;
    u->outcomes = ARENA_ARRAY(job->arena, struct outcome, u->in.objects.len);
    for (size_t i = 0; i < u->in.objects.len; i++)
        compare_object(job->arena, r->run, &u->in.objects.items[i], &u->outcomes[i]);
    return true;
}

/* ---- Consuming. ---- */

static void warn_duplicate(struct running *r, const struct object *o, struct result_place first)
{
    struct arena *a = r->run->arena;
    size_t count = ++r->run->verdict.duplicates;

    if (count <= DUPLICATES_SHOWN && !o->place.file.len)
        log_buffer_warn(&r->loading, "the cluster has %.*s twice; both are compared",
                        STR_ARG(o->id));
    else if (count <= DUPLICATES_SHOWN)
        log_buffer_warn(&r->loading, "%.*s: %.*s is also in %.*s; both are compared",
                        STR_ARG(place_text(a, o->place)), STR_ARG(o->id),
                        STR_ARG(place_text(a, first)));
}

/*
 * Upstream: the first object of an identity counts, others are passed over. False when the object
 * is not wanted.
 */
static bool is_wanted(struct running *r, struct object *o)
{
    struct result_place first = o->place;
    str id;

    o->duplicate = !strset_add(r->seen, o->id, &id);
    if (!r->run->options->dialect->keep_duplicates)
        return !o->duplicate;
    char *extra = (char *)id.ptr - sizeof(first);
    if (!o->duplicate) {
        memcpy(extra, &first, sizeof(first));
        return true;
    }
    memcpy(&first, extra, sizeof(first));
    warn_duplicate(r, o, first);
    return true;
}

static void take_object(struct running *r, struct object *o, struct outcome *out)
{
    struct run *run = r->run;

    if (!is_wanted(r, o))
        return;
    r->object_count++;
    log_buffer_info(&r->loading, "Loading object %.*s", STR_ARG(o->id));
    log_buffer_move(&r->owning, &out->refers.owners);
    log_buffer_move(&r->referring, &out->refers.subjects);
    owners_take(out->refers.items, out->refers.len);
    if (!run->keeps_objects) {
        run_add(run, out);
        return;
    }
    o->index = run->objects.len;
    VEC_PUSH(run->arena, &run->objects, *o);
}

static void take_fault(struct running *r, const struct input_fault *fault)
{
    struct run *run = r->run;
    struct result_note note = fault->note;

    if (!run->options->dialect->isolated_faults) {
        VEC_PUSH(run->arena, &r->errors.items, str_copy(run->arena, fault->text));
        return;
    }
    run->verdict.failed += fault->loss == LOSS_DOCUMENT;
    run->verdict.skipped += fault->loss == LOSS_SKIPPED;
    run->verdict.failed_objects += fault->loss == LOSS_OBJECT;
    if (run->verdict.notes.len < RESULT_NOTES_MAX) {
        note.reason = str_copy(run->arena, note.reason);
        note.place.file = str_copy(run->arena, note.place.file);
    }
    verdict_note(run->arena, &run->verdict, &run->log, &note);
}

/* What was found while reading; objects apart. */
static void take_input(struct running *r, struct input *in)
{
    r->run->verdict.documents += in->documents;
    r->run->verdict.members_ignored += in->members_ignored;
    log_buffer_move(&r->run->log, &in->log);
    for (size_t i = 0; i < in->faults.len; i++)
        take_fault(r, &in->faults.items[i]);
}

/* Upstream: nothing more is read from a file in which a document is broken. */
static void take_unit(struct running *r, struct unit *u)
{
    if (u->stream == r->failed_stream)
        return;
    take_input(r, &u->in);
    for (size_t i = 0; i < u->in.objects.len; i++)
        take_object(r, &u->in.objects.items[i], &u->outcomes[i]);
    if (u->doc.failed && !u->in.dialect->isolated_faults) {
        r->failed_stream = u->stream;
        feed_skip(r->feed, u->stream);
    }
}

/* done of total, which is 0 while unknown. */
static void show_progress(const struct running *r, size_t done, size_t total)
{
    const struct compare_progress *p = &r->run->options->progress;

    if (p->step)
        p->step(p->ctx, done, total);
}

static bool consume(void *ctx, void *item, struct err *e)
{
    struct running *r = ctx;
    struct job *job = item;

    (void)e;
    for (size_t i = 0; i < job->count; i++)
        take_unit(r, &job->units[i]);
    show_progress(r, r->object_count, 0);
    if (r->run->keeps_objects)
        VEC_PUSH(r->run->arena, &r->kept, job->arena);
    else
        job_release(r, job);
    return true;
}

static bool consume_kept(void *ctx, void *item, struct err *e)
{
    struct running *r = ctx;
    struct job *job = item;

    (void)e;
    for (size_t i = 0; i < job->units[0].in.objects.len; i++)
        run_add(r->run, &job->units[0].outcomes[i]);
    r->compared += job->units[0].in.objects.len;
    show_progress(r, r->compared, r->run->objects.len);
    log_buffer_flush(&r->run->later, &r->run->options->log);
    job_release(r, job);
    return true;
}

/* ---- The whole. ---- */

static void count_references(struct running *r)
{
    struct run *run = r->run;

    owners_find(r->owners, &r->referring, &run->results->reference_only);
    for (size_t i = 0; i < run->results->reference_only.len; i++)
        run_count(run, run->results->reference_only.items[i]);
}

/* What the input was like, before anything about comparisons. */
static bool report_input(struct running *r, struct err *e)
{
    struct run *run = r->run;
    const struct result_verdict *v = &run->verdict;
    const struct compare_log *log = &run->options->log;

    if (!feed_report(run, &r->errors, e))
        return false;
    if (run->options->dialect->isolated_faults && !r->object_count &&
        (v->failed || v->failed_objects))
        return err_set(e, ERR_INVALID,
                       "nothing could be compared: of %zu documents %zu failed and %zu have no "
                       "object",
                       v->documents, v->failed, v->documents - v->failed);
    if (v->duplicates > DUPLICATES_SHOWN)
        log_buffer_warn(&r->loading, "%zu more objects are there twice or more often",
                        v->duplicates - DUPLICATES_SHOWN);
    count_references(r);
    log_buffer_flush(&run->log, log);
    log_buffer_flush(&r->loading, log);
    log_buffer_flush(&r->owning, log);
    log_buffer_flush(&r->referring, log);
    log_buffer_flush(&run->later, log);
    return true;
}

static bool run_on(struct running *r, struct pool *pool, struct err *e)
{
    const struct pool_job reading = {produce, work, consume, r};
    const struct pool_job comparing = {produce_kept, work_kept, consume_kept, r};

    if (!pool_run(pool, &reading, e) || !report_input(r, e))
        return false;
    if (!r->run->keeps_objects)
        return true;
    if (compare_reach(r->run->compare).looks_up)
        compare_index(r->run->arena, r->run);
    return pool_run(pool, &comparing, e);
}

/* Reads all objects and compares them, in order. */
static bool run_all(struct run *run, struct err *e)
{
    const struct compare_options *o = run->options;
    const struct reach reach = compare_reach(run->compare);
    struct log_buffer lines = {.arena = run->arena, .verbose = o->log.verbose};
    struct running r = {.run = run, .loading = lines, .owning = lines, .referring = lines};
    struct input sources = {.arena = run->arena, .dialect = o->dialect, .log = lines};

    if (!feed_open(run, &sources, &r.feed, e))
        return false;
    take_input(&r, &sources);
    run->keeps_objects = o->external_diff.len || reach.looks_up;
    run->in_turn = !o->dialect->isolated_candidates && reach.looks_up && reach.changes;
    r.owners = owners_new(run->arena, &run->compare->reference);
    r.seen = strset_new(run->arena, o->dialect->keep_duplicates ? sizeof(struct result_place) : 0);
    /* Other programs write to the terminal themselves: one at a time keeps their order. */
    struct pool *pool = pool_new(o->external_diff.len || run->in_turn ? 1 : o->threads);
    bool ok = run_on(&r, pool, e);
    run->extent = feed_extent(r.feed);
    pool_free(pool);
    strset_free(r.seen);
    feed_close(r.feed);
    free_arenas(&r);
    return ok;
}

struct run run_begin(struct arena *a, const struct compare *c,
                     const struct compare_options *options)
{
    return (struct run){.arena = a,
                        .compare = c,
                        .options = options,
                        .diff = {options->external_diff, options->temp, options->dialect},
                        .log = {.arena = a, .verbose = options->log.verbose},
                        .matches = map_new(a),
                        .tally = {.arena = a},
                        .later = {.arena = a, .verbose = options->log.verbose}};
}

bool compare_run(struct arena *a, const struct compare *c, const struct compare_options *options,
                 struct results *out, struct err *e)
{
    struct run r = run_begin(a, c, options);

    r.results = out;
    *out = (struct results){.overrides = options->overrides};
    for (size_t i = 0; i < c->overrides.len; i++)
        run_add_patch(&r, override_write(a, &c->overrides.items[i]));
    bool ok = run_all(&r, e) && run_conclude(&r, e);
    log_buffer_flush(&r.log, &options->log);
    run_finish(&r);
    err_clear(&r.errors);
    return ok;
}
