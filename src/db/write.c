/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - changes gather in the open batch; the writer takes it and writes it as one
 * transaction; see db.h.
 */
#include "db/internal.h"

/* ---- Gathering. ------------------------------------------------------------------------------ */

static const struct db_value *copy_values(struct arena *a, const struct db_value *values,
                                          size_t count)
{
    struct db_value *copy = ARENA_ARRAY(a, struct db_value, count);

    for (size_t i = 0; i < count; i++) {
        copy[i] = values[i];
        copy[i].text = str_copy(a, values[i].text);
    }
    return copy;
}

struct db_batch *db_batch_new(uint64_t number)
{
    struct arena *a = arena_new();
    struct db_batch *b = ARENA_NEW(a, struct db_batch);

    b->arena = a;
    b->number = number;
    return b;
}

uint64_t db_change(struct db *d, unsigned statement, const struct db_value *values, size_t count)
{
    AUTO_LOCK guard = lock_take(&d->lock);
    struct db_batch *b = d->open;

    struct db_change change = {statement, copy_values(b->arena, values, count), count};
    VEC_PUSH(b->arena, &b->changes, change);
    return b->number;
}

/* ---- Writing. -------------------------------------------------------------------------------- */

static bool run(struct db *d, const struct db_change *c)
{
    sqlite3_stmt *s = d->statements[c->statement];

    for (size_t i = 0; i < c->count; i++) {
        const struct db_value *v = &c->values[i];

        if (v->kind == DB_KIND_INT)
            d->lib->sqlite3_bind_int64(s, (int)i + 1, v->number);
        else
            d->lib->sqlite3_bind_text64(s, (int)i + 1, v->text.len ? v->text.ptr : "", v->text.len,
                                        SQLITE_STATIC, SQLITE_UTF8);
    }
    bool ok = d->lib->sqlite3_step(s) == SQLITE_DONE;
    /* Also unbinds the texts, which live only as long as the batch. */
    d->lib->sqlite3_reset(s);
    d->lib->sqlite3_clear_bindings(s);
    return ok;
}

/* Writes all kept batches in one transaction. */
static bool write_kept(struct db *d, struct err *e)
{
    bool ok = d->lib->sqlite3_exec(d->sqlite, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;

    for (const struct db_batch *b = d->kept; b; b = b->next)
        for (size_t i = 0; ok && i < b->changes.len; i++)
            ok = run(d, &b->changes.items[i]);
    ok = ok && d->lib->sqlite3_exec(d->sqlite, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (!ok)
        db_fail(d, e);
    if (!ok && !d->lib->sqlite3_get_autocommit(d->sqlite))
        (void)d->lib->sqlite3_exec(d->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

static void drop_kept(struct db *d)
{
    while (d->kept) {
        struct db_batch *b = d->kept;
        d->kept = b->next;
        arena_free(b->arena);
    }
}

/* Appends the open batch to those to be written; returns its number. Call with the lock held. */
static uint64_t take_open(struct db *d)
{
    struct db_batch **end = &d->kept;

    while (*end)
        end = &(*end)->next;
    *end = d->open;
    d->open = db_batch_new((*end)->number + 1);
    d->sealed = false;
    return (*end)->number;
}

/* Whether an earlier batch was lost; e is then the reason. */
static bool follows_hole(struct db *d, struct err *e)
{
    AUTO_LOCK guard = lock_take(&d->lock);

    if (!d->broken || d->config.keep)
        return false;
    err_copy(e, &d->why);
    return true;
}

static void note_outcome(struct db *d, uint64_t number, const struct err *failure)
{
    AUTO_LOCK guard = lock_take(&d->lock);

    d->tried = number;
    if (!failure && d->broken)
        d->lost_first = d->broken = 0;
    if (failure && !d->broken) {
        d->broken = true;
        d->lost_first = d->kept->number;
        d->lost_last = UINT64_MAX;
    }
    if (failure) {
        err_clear(&d->why);
        err_copy(&d->why, failure);
    }
    pthread_cond_broadcast(&d->done);
}

static void write_and_report(struct db *d, uint64_t number)
{
    AUTO_ERR e = {0};
    bool ok = !follows_hole(d, &e) && write_kept(d, &e);

    note_outcome(d, number, ok ? NULL : &e);
    if (ok || !d->config.keep)
        drop_kept(d);
    if (d->config.written)
        d->config.written(d->config.ctx, number, ok ? NULL : &e);
}

/* Waits for a sealed batch; false when stopped. */
static bool next_batch(struct db *d, uint64_t *number)
{
    AUTO_LOCK guard = lock_take(&d->lock);

    while (!d->sealed && !d->stop)
        pthread_cond_wait(&d->work, &d->lock.mutex);
    if (d->stop && !d->open->changes.len)
        return false;
    *number = take_open(d);
    return true;
}

static void *write_all(void *ctx)
{
    struct db *d = ctx;
    uint64_t number;

    while (next_batch(d, &number))
        write_and_report(d, number);
    return NULL;
}

/* Wakes the writer, or, in driven mode, takes the open batch for the caller to write. */
static bool seal(struct db *d, bool even_empty, uint64_t *number)
{
    AUTO_LOCK guard = lock_take(&d->lock);

    *number = d->open->number;
    if (!d->open->changes.len && !even_empty)
        return false;
    d->sealed = true;
    if (d->config.driven)
        take_open(d);
    else
        pthread_cond_signal(&d->work);
    return d->config.driven;
}

void db_seal(struct db *d)
{
    uint64_t number;

    if (seal(d, false, &number))
        write_and_report(d, number);
}

/* ---- Waiting and going on. ------------------------------------------------------------------- */

bool db_wait(struct db *d, uint64_t number, struct err *e)
{
    if (!number)
        return true;
    AUTO_LOCK guard = lock_take(&d->lock);
    while (d->tried < number)
        pthread_cond_wait(&d->done, &d->lock.mutex);
    if (!d->lost_first || number < d->lost_first || number > d->lost_last)
        return true;
    return err_copy(e, &d->why);
}

void db_resume(struct db *d)
{
    AUTO_LOCK guard = lock_take(&d->lock);

    if (!d->broken)
        return;
    d->tried = d->lost_last = d->open->number;
    arena_free(d->open->arena);
    d->open = db_batch_new(d->tried + 1);
    d->sealed = d->broken = false;
    pthread_cond_broadcast(&d->done);
}

static bool is_broken(struct db *d)
{
    AUTO_LOCK guard = lock_take(&d->lock);

    return d->broken;
}

bool db_ready(struct db *d, struct err *e)
{
    uint64_t number;

    if (!is_broken(d))
        return true;
    if (seal(d, true, &number))
        write_and_report(d, number);
    return db_wait(d, number, e);
}

/* ---- The thread. ----------------------------------------------------------------------------- */

bool db_writer_start(struct db *d, struct err *e)
{
    d->running = !d->config.driven && pthread_create(&d->thread, NULL, write_all, d) == 0;
    return d->config.driven || d->running || err_set(e, ERR_IO, "cannot start a thread");
}

static void ask_to_stop(struct db *d)
{
    AUTO_LOCK guard = lock_take(&d->lock);

    d->stop = true;
    pthread_cond_signal(&d->work);
}

/* What still cannot be written is lost; it was never acknowledged. */
void db_writer_stop(struct db *d)
{
    if (d->running) {
        ask_to_stop(d);
        pthread_join(d->thread, NULL);
    } else if (d->sqlite && d->config.driven) {
        db_seal(d);
    }
    if (d->kept)
        (void)write_kept(d, NULL);
    drop_kept(d);
    arena_free(d->open->arena);
}
