/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - opens and closes a store, and does what is due; see store.h. */
#include "store/internal.h"

#include "text/json/json.h"
#include "object/object.h"

/* How much the collector does in one step. */
#define COLLECT_MAX 200

struct store_config store_defaults(void)
{
    return (struct store_config){
        .sync = DB_SYNC_FULL,
        .history_count = 10000,
        .history_bytes = 128 * MIB,
        .history_age = 300 * NS_PER_SEC,
    };
}

/* ---- What happens by itself. ---- */

static bool wrote_anything(struct store *s)
{
    uint64_t noted = s->db ? s->noted : s->committed;

    return s->pending.len && s->pending.items[s->pending.len - 1]->rv > noted;
}

/* Returns when to look again; *wrote: something must be written. */
static int64_t step_locked(struct store *s, bool *wrote)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    int64_t now = clock_now(), due = store_watch_step(s, now), trim = store_trim(s);
    bool more = false;

    if (now >= s->collect_after)
        more = store_collect(s, COLLECT_MAX);
    else if (s->queue)
        due = s->collect_after < due ? s->collect_after : due;
    *wrote = wrote_anything(s);
    if (*wrote)
        store_expect(s, NULL);
    if (more)
        return now;
    return trim < due ? trim : due;
}

int64_t store_step(struct store *s)
{
    bool wrote;
    int64_t due = step_locked(s, &wrote);

    if (wrote)
        store_settle(s);
    return due;
}

/* Waits until due, or until there is something new; returns whether to go on. */
static bool rest(struct store *s, int64_t due)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    int64_t wait = due == INT64_MAX ? 3600 * NS_PER_SEC : due - clock_now();

    if (!s->stop && !s->crowded && !(s->queue && clock_now() >= s->collect_after) && wait > 0)
        clock_wait(&s->tick, &s->lock.mutex, clock_mono() + wait);
    return !s->stop;
}

static void *keep_stepping(void *ctx)
{
    struct store *s = ctx;

    while (rest(s, store_step(s)))
        continue;
    return NULL;
}

/* ---- Opening. ---- */

static void create_namespace(struct store *s, const char *name)
{
    AUTO_ARENA a = arena_new();
    struct store_type *t = store_type_find(s, STR_NONE, STR("namespaces"));
    struct value *object = value_object(a), *meta;
    struct store_request r = {.store = s, .arena = a, .type = t};

    if (store_live(store_order_find(&t->objects, str_c(name))))
        return;
    value_set_str(a, object, STR("apiVersion"), STR("v1"));
    value_set_str(a, object, STR("kind"), STR("Namespace"));
    meta = object_make_meta(a, object);
    value_set_str(a, meta, STR("name"), str_c(name));
    value_set_str(a, meta, STR("uid"), store_new_uid(a));
    value_set_str(a, meta, STR("creationTimestamp"), store_time(a, clock_now()));
    t->builtin->prepare(&r, NULL, object);
    store_put(s, a, t, object);
}

static void create_namespaces(struct store *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    create_namespace(s, "default");
    create_namespace(s, "kube-system");
    if (wrote_anything(s))
        store_expect(s, NULL);
}

static struct store *new_store(const struct store_config *config)
{
    struct arena *a = arena_new();
    struct store *s = ARENA_NEW(a, struct store);

    s->arena = s->keep = a;
    s->config = *config;
    s->config.path = str_copy(a, config->path);
    s->handler = (struct handler){store_answer_call, s};
    s->lock = (struct lock)LOCK_INIT;
    s->words = pack_words_new();
    s->by_uid = table_new();
    s->owners = table_new();
    s->namespaces = table_new();
    s->regexes = store_regexes_new();
    s->waiting_end = &s->waiting;
    s->queue_end = &s->queue;
    clock_cond_init(&s->tick);
    return s;
}

static bool open_all(struct store *s, struct err *e)
{
    if (!store_types_init(s, e) || !store_persist_open(s, e))
        return false;
    s->opened = s->committed = s->noted = s->head;
    for (struct store_type *t = s->types; t; t = t->next)
        t->trimmed = s->opened;
    create_namespaces(s);
    store_settle(s);
    if (s->config.driven)
        return true;
    s->running = pthread_create(&s->thread, NULL, keep_stepping, s) == 0;
    return s->running || err_set(e, ERR_IO, "cannot start a thread");
}

bool store_open(const struct store_config *config, struct store **out, struct err *e)
{
    struct store *s = new_store(config);

    if (!open_all(s, e)) {
        store_close(s);
        return false;
    }
    *out = s;
    return true;
}

/* ---- Closing. ---- */

static void ask_to_stop(struct store *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->stop = true;
    pthread_cond_signal(&s->tick);
}

/* No client is waiting any more; only the collector's last writes may be left. */
static void drop_waiting(struct store *s)
{
    while (s->waiting) {
        struct store_waiting *next = s->waiting->next;
        assert(!s->waiting->call);
        block_free(s->waiting);
        s->waiting = next;
    }
}

void store_close(struct store *s)
{
    if (!s)
        return;
    if (s->running) {
        ask_to_stop(s);
        pthread_join(s->thread, NULL);
    }
    db_close(s->db);
    drop_waiting(s);
    store_graph_free(s);
    store_types_free(s);
    table_free(s->by_uid);
    table_free(s->owners);
    table_free(s->namespaces);
    store_regexes_free(s->regexes);
    pack_words_free(s->words);
    pthread_cond_destroy(&s->tick);
    arena_free(s->arena);
}

const struct handler *store_handler(struct store *s)
{
    return &s->handler;
}

uint64_t store_version(struct store *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return s->committed;
}

struct store_figures store_figures_locked(const struct store *s)
{
    struct store_figures f = {.version = s->committed};

    for (const struct store_type *t = s->types; t; t = t->next) {
        f.types += !t->gone;
        f.objects += t->live;
        f.history += t->history_len;
        f.watches += store_watch_count(t);
    }
    return f;
}

struct store_figures store_figures(struct store *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return store_figures_locked(s);
}
