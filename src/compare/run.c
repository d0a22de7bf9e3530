/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - all objects through the comparison, on the threads of the pool.
 *
 * Documents are read, compared and dropped again, a few at a time:
 *
 *     caller: feed_next ─► job       threads: document_read, object_add, compare_object
 *     caller, in order: errors, duplicates, results; the arena of the job is used again
 *
 * The original reads everything first, and a fault in the input ends it before it says anything
 * about an object. So what comparisons say waits until the input is known to be good (run.later),
 * and their results are dropped otherwise.
 *
 * Objects are kept, and compared when all have been read, when a template may look others up or
 * when comparing starts a program, which cannot be taken back.
 */
#include "compare/internal.h"

/* Documents and objects that one thread takes at a time: enough that handing over costs little. */
#define BATCH 16
/* The same in bytes of text. */
#define BATCH_BYTES (32 * KIB)
/* Arenas that wait for another job. */
#define SPARE_MAX 64

/* One document, and what became of it. */
struct unit {
    struct document doc;
    size_t stream;
    bool is_read; /* objects and errors are there */
    struct objects objects;
    struct input_errors errors;
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
    struct compare *compare;
    struct feed *feed;
    struct owners *owners;
    struct strset *seen;
    struct input_errors errors;
    size_t failed_stream;     /* whose rest is not wanted, or 0 */
    struct journal loading;   /* lines about objects that were read */
    struct journal referring; /* and about what they refer to */
    struct dealing dealing;
    size_t next; /* of the objects that are kept */
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

static void job_release(struct running *r, struct job *job)
{
    if (--job->users)
        return;
    if (job->owner)
        job_release(r, job->owner);
    if (r->spare.len == SPARE_MAX) {
        arena_free(job->arena);
        return;
    }
    arena_reset(job->arena);
    VEC_PUSH(r->compare->arena, &r->spare, job->arena);
}

static void free_arenas(struct running *r)
{
    for (size_t i = 0; i < r->spare.len; i++)
        arena_free(r->spare.items[i]);
    for (size_t i = 0; i < r->kept.len; i++)
        arena_free(r->kept.items[i]);
}

/* ---- Producing. ---- */

/* The next objects of those that are dealt out. */
static void deal(struct running *r, struct job *job)
{
    struct dealing *d = &r->dealing;
    struct unit *u = &job->units[job->count++];
    size_t count = d->rest.len < BATCH ? d->rest.len : BATCH;

    u->stream = d->stream;
    u->is_read = true;
    u->objects = (struct objects){d->rest.items, count, 0};
    d->rest.items += count;
    d->rest.len -= count;
    job->owner = d->owner;
    d->owner->users++;
    if (!d->rest.len)
        job_release(r, d->owner);
}

static void read_unit(struct arena *a, struct unit *u)
{
    u->is_read = true;
    document_read(a, &u->doc);
    if (u->doc.fault.len)
        VEC_PUSH(a, &u->errors.items, u->doc.fault);
    else if (u->doc.root->kind != VALUE_NULL)
        object_add(a, &u->doc, &u->objects, &u->errors);
}

/* A document that is large may hold many objects: it is read here, for all threads. */
static void deal_out(struct running *r, struct job *job, struct unit *u)
{
    read_unit(job->arena, u);
    if (u->objects.len <= BATCH)
        return;
    r->dealing = (struct dealing){job, u->stream, u->objects};
    job->users++;
    u->objects = (struct objects){0};
}

static void fill(struct running *r, struct job *job)
{
    size_t bytes = 0;

    while (job->count < BATCH && bytes < BATCH_BYTES && !r->dealing.rest.len) {
        struct unit *u = &job->units[job->count];
        if (!feed_next(r->feed, job->arena, &u->doc, &u->stream))
            return;
        job->count++;
        size_t len = u->doc.source ? u->doc.source->text.len : 0;
        bytes += len;
        if (len > BATCH_BYTES && !r->compare->keeps_objects)
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
    struct objects *all = &r->compare->objects;
    size_t left = all->len - r->next;

    (void)e;
    *item = NULL;
    if (!left)
        return true;
    struct job *job = job_new(r);
    struct unit *u = &job->units[job->count++];
    u->is_read = true;
    u->objects = (struct objects){all->items + r->next, left < BATCH ? left : BATCH, 0};
    r->next += u->objects.len;
    *item = job;
    return true;
}

/* ---- Working. ---- */

static void work_unit(const struct running *r, struct arena *a, struct unit *u)
{
    const struct compare *c = r->compare;

    if (!u->is_read)
        read_unit(a, u);
    u->outcomes = ARENA_ARRAY(a, struct outcome, u->objects.len);
    for (size_t i = 0; i < u->objects.len; i++) {
        struct outcome *out = &u->outcomes[i];
        out->refers.journal = (struct journal){.arena = a, .verbose = c->options->log.verbose};
        owners_note(a, r->owners, &u->objects.items[i], &out->refers);
        if (!c->keeps_objects)
            compare_object(a, c, &u->objects.items[i], out);
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
    u->outcomes = ARENA_ARRAY(job->arena, struct outcome, u->objects.len);
    for (size_t i = 0; i < u->objects.len; i++)
        compare_object(job->arena, r->compare, &u->objects.items[i], &u->outcomes[i]);
    return true;
}

/* ---- Consuming. ---- */

/* Upstream: the first object of an identity counts, others are passed over. */
static void take_object(struct running *r, const struct object *o, struct outcome *out)
{
    struct compare *c = r->compare;
    str id;

    if (!strset_add(r->seen, o->id, &id))
        return;
    journal_info(&r->loading, "Loading object %.*s", STR_ARG(id));
    journal_move(&r->referring, &out->refers.journal);
    owners_take(&out->refers);
    if (!c->keeps_objects) {
        run_add(r->run, out);
        return;
    }
    VEC_PUSH(c->arena, &c->objects, *o);
    c->objects.items[c->objects.len - 1].index = c->objects.len - 1;
}

/* Upstream: nothing more is read from a file in which a document is broken. */
static void take_unit(struct running *r, struct unit *u)
{
    struct arena *a = r->compare->arena;

    if (u->stream == r->failed_stream)
        return;
    for (size_t i = 0; i < u->errors.items.len; i++)
        VEC_PUSH(a, &r->errors.items, str_copy(a, u->errors.items.items[i]));
    for (size_t i = 0; i < u->objects.len; i++)
        take_object(r, &u->objects.items[i], &u->outcomes[i]);
    if (u->doc.fault.len) {
        r->failed_stream = u->stream;
        feed_skip(r->feed, u->stream);
    }
}

static bool consume(void *ctx, void *item, struct err *e)
{
    struct running *r = ctx;
    struct job *job = item;

    (void)e;
    for (size_t i = 0; i < job->count; i++)
        take_unit(r, &job->units[i]);
    if (r->compare->keeps_objects)
        VEC_PUSH(r->compare->arena, &r->kept, job->arena);
    else
        job_release(r, job);
    return true;
}

static bool consume_kept(void *ctx, void *item, struct err *e)
{
    struct running *r = ctx;
    struct job *job = item;

    (void)e;
    for (size_t i = 0; i < job->units[0].objects.len; i++)
        run_add(r->run, &job->units[0].outcomes[i]);
    journal_flush(&r->run->later, &r->compare->options->log);
    job_release(r, job);
    return true;
}

/* ---- Lookups. ---- */

static bool looks_up(const struct compare *c)
{
    for (size_t i = 0; i < c->reference.templates.len; i++)
        if (c->reference.templates.items[i].looks_up)
            return true;
    for (size_t i = 0; i < c->overrides.len; i++)
        if (str_eq(c->overrides.items[i].type, STR("go-template")))
            return true;
    return false;
}

/* Earlier objects are seen without what their comparison omits: both forms are kept. */
static void prepare_lookups(struct compare *c)
{
    c->by_kind = map_new(c->arena);
    for (size_t i = 0; i < c->objects.len; i++) {
        struct object *o = &c->objects.items[i];
        struct index_list *list = map_get(c->by_kind, o->identity.kind);
        if (!list) {
            list = ARENA_NEW(c->arena, struct index_list);
            map_set(c->by_kind, o->identity.kind, list);
        }
        VEC_PUSH(c->arena, list, i);
        compare_reduce(c->arena, c, o);
    }
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
    struct compare *c = r->compare;
    const struct compare_log *log = &c->options->log;

    if (!feed_report(c->arena, &r->errors, &c->journal, e))
        return false;
    count_references(r);
    journal_flush(&c->journal, log);
    journal_flush(&r->loading, log);
    journal_flush(&r->referring, log);
    journal_flush(&r->run->later, log);
    return true;
}

static bool run_on(struct running *r, struct pool *pool, struct err *e)
{
    const struct pool_job reading = {produce, work, consume, r};
    const struct pool_job comparing = {produce_kept, work_kept, consume_kept, r};

    if (!pool_run(pool, &reading, e) || !report_input(r, e))
        return false;
    if (!r->compare->keeps_objects)
        return true;
    if (looks_up(r->compare))
        prepare_lookups(r->compare);
    return pool_run(pool, &comparing, e);
}

bool run_all(struct run *run, struct err *e)
{
    struct compare *c = run->compare;
    const struct compare_options *o = c->options;
    struct journal lines = {.arena = c->arena, .verbose = o->log.verbose};
    struct running r = {.run = run, .compare = c, .loading = lines, .referring = lines};

    if (!feed_open(c->arena, o, &r.feed, e))
        return false;
    c->keeps_objects = o->external_diff.len || looks_up(c);
    r.owners = owners_new(c->arena, &c->reference);
    r.seen = strset_new(c->arena);
    /* Other programs write to the terminal themselves: one at a time keeps their order. */
    struct pool *pool = pool_new(o->external_diff.len ? 1 : o->threads);
    bool ok = run_on(&r, pool, e);
    pool_free(pool);
    strset_free(r.seen);
    feed_close(r.feed);
    free_arenas(&r);
    return ok;
}
