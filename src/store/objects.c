/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.c - versions: putting, publishing, undoing, forgetting; see README.md.
 *
 * The newest version of an entry owns the previous one, and so on, as long as these can still be
 * requested. The history of a type lists the same versions by number.
 */
#include "store/internal.h"
#include "object/object.h"

/* ---- One version. ---------------------------------------------------------------------------- */

struct store_version *store_version_ref(struct store_version *v)
{
    atomic_fetch_add(&v->refs, 1);
    return v;
}

void store_version_drop(struct store_version *v)
{
    while (v && atomic_fetch_sub(&v->refs, 1) == 1) {
        struct store_version *prev = v->prev;
        block_free(v);
        v = prev;
    }
}

struct value *store_version_tree(struct arena *a, struct store *s, const struct store_version *v)
{
    return value_unpack(a, s->words, str_of(v->bytes, v->len));
}

static struct store_version *new_version(struct store *s, const struct value *tree)
{
    AUTO_ARENA a = arena_new();
    struct buf packed = buf_new(a, BUF_UNLIMITED);

    value_pack(s->words, tree, &packed);
    struct store_version *v = block_new(sizeof *v + packed.len);
    *v = (struct store_version){.refs = 1, .at = clock_now(), .len = (uint32_t)packed.len};
    memcpy(v->bytes, packed.data, packed.len);
    return v;
}

struct store_version *store_state_at(const struct store_entry *n, uint64_t rv)
{
    struct store_version *v = n->newest;

    while (v && v->rv > rv)
        v = v->prev;
    return v;
}

struct store_version *store_live(const struct store_entry *n)
{
    return n && n->newest && !n->newest->deleted ? n->newest : NULL;
}

/* ---- History. -------------------------------------------------------------------------------- */

static void history_push(struct store_type *t, struct store_version *v)
{
    if (t->history_start + t->history_len == t->history_cap) {
        size_t cap = t->history_len * 2 + 16;
        struct store_version **grown = block_new(cap * sizeof *grown);
        if (t->history_len)
            memcpy(grown, t->history + t->history_start, t->history_len * sizeof *grown);
        block_free(t->history);
        t->history = grown;
        t->history_start = 0;
        t->history_cap = cap;
    }
    t->history[t->history_start + t->history_len++] = v;
    t->history_bytes += v->len;
}

size_t store_history_after(const struct store_type *t, uint64_t rv)
{
    size_t low = 0, high = t->history_len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->history[t->history_start + middle]->rv <= rv)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void drop_entry(struct store_entry *n)
{
    assert(!n->queued && !n->owners && !n->uid[0]);
    store_version_drop(n->newest);
    store_order_remove(&n->type->objects, n);
}

/* Drops the oldest version of t, and the state before it. */
static void forget_oldest(struct store_type *t)
{
    struct store_version *v = t->history[t->history_start];
    struct store_version *prev = v->prev;

    t->history_start++;
    t->history_len--;
    t->history_bytes -= v->len;
    t->trimmed = v->rv;
    v->prev = NULL;
    store_version_drop(prev);
    if (v->deleted && v->entry->newest == v)
        drop_entry(v->entry);
}

static bool is_crowded(const struct store *s, const struct store_type *t)
{
    return t->history_len > s->config.history_count || t->history_bytes > s->config.history_bytes;
}

static int64_t trim_type(struct store *s, struct store_type *t, int64_t now)
{
    while (t->history_len) {
        const struct store_version *oldest = t->history[t->history_start];
        if (oldest->rv > s->committed)
            break;
        if (!is_crowded(s, t) && oldest->at + s->config.history_age > now)
            return oldest->at + s->config.history_age;
        forget_oldest(t);
    }
    return INT64_MAX;
}

int64_t store_trim(struct store *s)
{
    int64_t now = clock_now(), due = INT64_MAX;

    s->crowded = false;
    for (struct store_type *t = s->types; t; t = t->next) {
        int64_t at = trim_type(s, t, now);
        due = at < due ? at : due;
    }
    return due;
}

/* ---- Putting. -------------------------------------------------------------------------------- */

static void follow(struct store *s, struct store_entry *n, const struct value *tree)
{
    store_graph_follow(s, n, tree);
    if (n->type->builtin && str_eq(n->type->plural, STR("customresourcedefinitions")))
        store_crd_follow(s, n, tree);
}

/* Adds a version to its entry, which is created if needed. */
static void link_version(struct store_type *t, struct store_version *v, const struct value *tree)
{
    AUTO_ARENA a = arena_new();
    const struct value *meta = object_meta(tree);
    str namespace = t->namespaced ? value_get_str(meta, STR("namespace")) : STR_NONE;
    str name = value_get_str(meta, STR("name"));
    struct store_entry *n = store_order_find(&t->objects, object_path(a, namespace, name));

    if (!n) {
        n = store_order_add(&t->objects, namespace, name);
        n->type = t;
    }
    t->live += (size_t)!v->deleted - (size_t)(store_live(n) != NULL);
    v->entry = n;
    v->prev = n->newest;
    n->newest = v;
}

static void add_version(struct store *s, struct arena *a, struct store_type *t, struct value *tree,
                        bool deleted)
{
    value_set_str(a, object_make_meta(a, tree), STR("resourceVersion"),
                  str_fmt(a, "%llu", (unsigned long long)++s->head));
    struct store_version *v = new_version(s, tree);
    v->rv = s->head;
    v->deleted = deleted;
    v->shape = store_type_shape(s, t)->serial;
    link_version(t, v, tree);
    history_push(t, v);
    VEC_PUSH(s->keep, &s->pending, v);
    follow(s, v->entry, deleted ? NULL : tree);
}

void store_put(struct store *s, struct arena *a, struct store_type *t, struct value *tree)
{
    add_version(s, a, t, tree, false);
}

void store_drop(struct store *s, struct store_entry *n)
{
    AUTO_ARENA a = arena_new();

    add_version(s, a, n->type, store_version_tree(a, s, n->newest), true);
}

void store_load(struct store *s, struct store_type *t, const struct value *tree, uint64_t rv)
{
    struct store_version *v = new_version(s, tree);

    v->rv = rv;
    link_version(t, v, tree);
    follow(s, v->entry, tree);
    store_queue(s, v->entry);
}

/* ---- Disk. ----------------------------------------------------------------------------------- */

void store_expect(struct store *s, struct handler_call *call)
{
    struct store_waiting *w = block_new(sizeof *w);

    *w = (struct store_waiting){.rv = s->head, .call = call};
    for (size_t i = 0; s->db && i < s->pending.len; i++)
        if (s->pending.items[i]->rv > s->noted) {
            s->batch = store_persist_put(s, s->pending.items[i]);
            s->noted = s->pending.items[i]->rv;
        }
    w->batch = s->batch;
    *s->waiting_end = w;
    s->waiting_end = &w->next;
}

/* Everything up to rv is on disk: makes it visible to readers. */
static void publish(struct store *s, uint64_t rv)
{
    size_t n = 0;

    while (n < s->pending.len && s->pending.items[n]->rv <= rv)
        n++;
    s->committed = rv;
    for (size_t i = 0; i < n; i++) {
        struct store_type *t = s->pending.items[i]->entry->type;
        store_watch_wake(t);
        s->crowded |= is_crowded(s, t);
    }
    if (s->crowded)
        pthread_cond_signal(&s->tick);
    for (size_t i = n; i < s->pending.len; i++)
        s->pending.items[i - n] = s->pending.items[i];
    s->pending.len -= n;
}

static void undo(struct store *s, struct store_version *v)
{
    AUTO_ARENA a = arena_new();
    struct store_entry *n = v->entry;
    struct store_type *t = n->type;

    assert(n->newest == v && t->history[t->history_start + t->history_len - 1] == v);
    t->history_len--;
    t->history_bytes -= v->len;
    n->newest = v->prev;
    v->prev = NULL;
    bool was_live = !v->deleted, is_live = store_live(n) != NULL;
    store_version_drop(v);
    t->live += (size_t)is_live - (size_t)was_live;
    follow(s, n, is_live ? store_version_tree(a, s, n->newest) : NULL);
    if (is_live)
        store_queue(s, n);
    else if (!n->newest)
        drop_entry(n);
}

/* Undoes everything that is not on disk. */
static void roll_back(struct store *s)
{
    while (s->pending.len)
        undo(s, s->pending.items[--s->pending.len]);
    s->head = s->noted = s->committed;
}

/* Takes the writes that wait for batches up to this one; *rv becomes their last version. */
static struct store_waiting *take_waiting(struct store *s, uint64_t batch, uint64_t *rv)
{
    struct store_waiting *first = s->waiting, **end = &s->waiting;

    while (*end && (*end)->batch <= batch) {
        *rv = (*end)->rv;
        end = &(*end)->next;
    }
    s->waiting = *end;
    *end = NULL;
    if (!s->waiting)
        s->waiting_end = &s->waiting;
    return first == s->waiting ? NULL : first;
}

static void fail(struct handler_call *c, const struct err *failure)
{
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);
    str message = str_fmt(c->arena, "Internal error occurred: %.*s", STR_ARG(failure->text));

    store_write_json(&b, store_status(c->arena, 500, "InternalError", message));
    c->status = 500;
    c->reply = buf_str(&b);
}

static struct store_waiting *take_outcome(struct store *s, uint64_t batch,
                                          const struct err *failure)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    uint64_t rv = s->committed;
    struct store_waiting *done = take_waiting(s, failure ? UINT64_MAX : batch, &rv);

    if (!failure) {
        publish(s, rv);
        return done;
    }
    for (struct store_waiting *w = done; w; w = w->next)
        if (w->call)
            fail(w->call, failure);
    roll_back(s);
    s->collect_after = clock_now() + NS_PER_SEC;
    db_resume(s->db);
    return done;
}

void store_written(void *ctx, uint64_t batch, const struct err *failure)
{
    for (struct store_waiting *w = take_outcome(ctx, batch, failure), *next; w; w = next) {
        next = w->next;
        if (w->call)
            w->call->done(w->call);
        block_free(w);
    }
}

void store_settle(struct store *s)
{
    if (s->db)
        db_seal(s->db);
    else
        store_written(s, UINT64_MAX, NULL);
}
