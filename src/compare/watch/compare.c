/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - compares what has arrived, on the threads of the pool.
 *
 * Without lookups an object is compared on its own: unpacked, compared, dropped. With lookups all
 * objects are unpacked in the order in which a cluster is listed, as in compare_run; those are
 * compared that have changed, or whose template or override may look at one that has.
 */
#include "compare/watch/internal.h"

/* Objects that one thread takes at a time. */
#define BATCH 16

/* One object. */
struct task {
    str key;
    size_t type;
    const struct pending *pending; /* NULL: the object is one of those that are kept */
    struct object object;
    struct outcome outcome;
};

struct batch {
    struct arena *arena;
    struct task *tasks;
    size_t count;
};

struct comparing {
    struct compare_watch *watch;
    VEC(struct task) tasks;
    size_t next;
};

/* ---- The pool. ---- */

static bool produce(void *ctx, void **item, struct err *e)
{
    struct comparing *c = ctx;
    size_t left = c->tasks.len - c->next;

    (void)e;
    *item = NULL;
    if (!left)
        return true;
    struct arena *a = arena_new();
    struct batch *b = ARENA_NEW(a, struct batch);
    *b = (struct batch){a, c->tasks.items + c->next, left < BATCH ? left : BATCH};
    c->next += b->count;
    *item = b;
    return true;
}

static void compare_task(const struct compare_watch *w, struct arena *a, struct task *t)
{
    struct outcome *out = &t->outcome;
    AUTO_ERR e = {0};

    if (t->pending) {
        t->object.root = watch_source_object(w->source, a, t->pending);
        t->object.identity = identity_of(t->object.root);
        t->object.id = identity_id(a, &t->object.identity);
    }
    out->object = &t->object;
    out->id = t->object.id;
    if (!live_accepts(w->live, t->type, t->object.root, &e)) {
        out->kind = OUTCOME_FAILED;
        out->error = str_copy(a, e.text);
        return;
    }
    out->refers.owners = out->refers.subjects = (struct log_buffer){.arena = a};
    owners_note(a, w->state.owners, &t->object, &out->refers);
    compare_object(a, &w->run, &t->object, out);
}

static bool work(void *ctx, void *item, struct err *e)
{
    const struct comparing *c = ctx;
    struct batch *b = item;

    (void)e;
    for (size_t i = 0; i < b->count; i++)
        if (!b->tasks[i].pending || !b->tasks[i].pending->gone)
            compare_task(c->watch, b->arena, &b->tasks[i]);
    return true;
}

/* What comparisons warn of is worth a line when they change something, not each time. */
static void take_task(struct compare_watch *w, struct arena *a, struct task *t)
{
    if (t->pending && t->pending->gone) {
        watch_state_remove(&w->state, t->key, watch_source_id(w->source, a, t->type, t->key));
        return;
    }
    if (watch_state_apply(&w->state, t->key, &t->outcome))
        log_buffer_flush(&t->outcome.log, &w->run.options->log);
}

static bool consume(void *ctx, void *item, struct err *e)
{
    struct comparing *c = ctx;
    struct batch *b = item;

    (void)e;
    for (size_t i = 0; i < b->count; i++)
        take_task(c->watch, b->arena, &b->tasks[i]);
    arena_free(b->arena);
    return true;
}

static bool run(struct comparing *c, struct err *e)
{
    const struct pool_job job = {produce, work, consume, c};

    return pool_run(c->watch->pool, &job, e);
}

/* ---- Without lookups. ---- */

static bool compare_pending(struct compare_watch *w, struct arena *a, struct pending *const *all,
                            size_t count, struct err *e)
{
    struct comparing c = {.watch = w};

    for (size_t i = 0; i < count; i++)
        VEC_PUSH(a, &c.tasks,
                 ((struct task){.key = str_of(all[i]->data, all[i]->key_len),
                                .type = all[i]->type,
                                .pending = all[i]}));
    return run(&c, e);
}

/* ---- With lookups. ---- */

/* The objects of all types become those of the comparison; *keys has their keys. */
static void gather(struct compare_watch *w, struct arena *a, struct str_list *keys)
{
    struct run *r = &w->run;

    r->objects = (struct objects){0};
    for (size_t type = 0; type < live_type_count(w->live); type++) {
        size_t count;
        const struct watch_object *all = watch_source_all(w->source, a, type, &count);
        for (size_t i = 0; i < count; i++) {
            struct object *o = VEC_ADD(a, &r->objects);
            o->root = all[i].root;
            o->identity = identity_of(o->root);
            o->id = identity_id(a, &o->identity);
            o->index = r->objects.len - 1;
            VEC_PUSH(a, keys, all[i].key);
        }
    }
    compare_index(a, r);
}

/* Whether what an object is compared with may depend on other objects. */
static bool looks_around(const struct compare *c, const struct object *o)
{
    const size_t *found;
    size_t count;

    if (!c->templates->find(c->templates, o, &found, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (c->reference.templates.items[found[i]].looks_up)
            return true;
    if (!c->override_finder || !c->override_finder->find(c->override_finder, o, &found, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (str_eq(c->overrides.items[found[i]].type, STR("go-template")))
            return true;
    return false;
}

/* Keys begin with it; see source.c. */
static size_t type_of(str key)
{
    str number, rest;
    uint64_t type = 0;

    str_cut(key, STR("/"), &number, &rest);
    bool ok = str_to_u64(number, &type);
    assert(ok);
    (void)ok;
    return (size_t)type;
}

static void remove_gone(struct compare_watch *w, struct arena *a, struct pending *const *all,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        str key = str_of(all[i]->data, all[i]->key_len);
        if (all[i]->gone)
            watch_state_remove(&w->state, key, watch_source_id(w->source, a, all[i]->type, key));
    }
}

static bool compare_whole(struct compare_watch *w, struct arena *a, struct pending *const *all,
                          size_t count, struct err *e)
{
    struct run *r = &w->run;
    struct comparing work_of = {.watch = w};
    struct map *changed = map_new(a);
    struct str_list keys = {0};

    remove_gone(w, a, all, count);
    for (size_t i = 0; i < count; i++)
        map_set(changed, str_of(all[i]->data, all[i]->key_len), all[i]);
    gather(w, a, &keys);
    for (size_t i = 0; i < keys.len; i++)
        if (map_has(changed, keys.items[i]) || looks_around(w->compare, &r->objects.items[i]))
            VEC_PUSH(a, &work_of.tasks,
                     ((struct task){.key = keys.items[i],
                                    .type = type_of(keys.items[i]),
                                    .object = r->objects.items[i]}));
    bool ok = run(&work_of, e);
    r->objects = (struct objects){0};
    r->by_kind = NULL;
    return ok;
}

/* ---- Both. ---- */

bool watch_compare(struct compare_watch *w, struct err *e)
{
    AUTO_ARENA a = arena_new();
    size_t count;
    struct pending **all = watch_source_take(w->source, a, &count);
    bool ok = w->whole ? compare_whole(w, a, all, count, e) : compare_pending(w, a, all, count, e);

    for (size_t i = 0; i < count; i++)
        block_free(all[i]);
    watch_state_issues(&w->state);
    return ok;
}
