/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - watches: cursors into the history of a type.
 *
 * A watch holds a version number and, at first, its initial states; nothing is ever pushed to it.
 * Its reader pulls, and gets the versions after the cursor that are on disk. A watch that falls
 * behind the history gets a 410 and ends.
 */
#include "store/internal.h"

#include "text/json/json.h"
#include "object/object.h"

/* How often a watch gets a bookmark if it wants any. */
#define BOOKMARK_EVERY (60 * NS_PER_SEC)
/* How many versions are taken at once. */
#define TAKE_MAX 64
/* The life of a watch without a timeout, in seconds: this long, up to twice. */
#define LIFE_MIN INT64_C(1800)

struct store_watch {
    struct handler_stream stream;
    void (*wake)(void *ctx); /* called under the lock of the store */
    void *wake_ctx;
    struct store_watch *next, **back; /* of the type */
    struct store_request request;     /* how objects are shown; its arena is the one of each pull */
    struct store_selector *selector;
    struct arena *arena; /* for the selector, if any */
    uint64_t cursor;     /* everything up to this version was seen */
    VEC(struct store_version *) initial;
    size_t initial_at;
    struct arena *initial_arena; /* until all of them are written */
    bool initial_end;            /* a bookmark must mark the end of the initial events */
    bool bookmarks, ended;
    int64_t deadline;
    /* Set by readers, read by steps. */
    _Atomic int64_t bookmark_at;
    _Atomic bool bookmark_due;
};

/* ---- Events. ---- */

static void write_event(struct buf *out, const char *type, const struct value *object)
{
    buf_fmt(out, "{\"type\":\"%s\",\"object\":", type);
    store_write_json(out, object);
    buf_add(out, STR("}\n"));
}

static void write_bookmark(struct store_watch *w, struct buf *out, struct arena *a, bool end)
{
    struct value *v = value_object(a), *meta = value_object(a), *notes = value_object(a);
    bool whole = w->request.view != STORE_METADATA;

    value_set_str(a, v, STR("kind"), whole ? w->request.type->kind : STR("PartialObjectMetadata"));
    value_set_str(a, v, STR("apiVersion"),
                  whole ? api_version_join(a, w->request.type->group, w->request.version)
                        : STR("meta.k8s.io/v1"));
    value_set_str(a, meta, STR("resourceVersion"),
                  str_fmt(a, "%llu", (unsigned long long)w->cursor));
    value_set(a, meta, STR("creationTimestamp"), value_null(a));
    if (end) {
        value_set_str(a, notes, STR("k8s.io/initial-events-end"), STR("true"));
        value_set(a, meta, STR("annotations"), notes);
    }
    object_set_meta(a, v, meta);
    write_event(out, "BOOKMARK", v);
    w->bookmark_due = false;
    w->bookmark_at = clock_now() + BOOKMARK_EVERY;
}

static void write_expired(struct buf *out, struct arena *a, uint64_t asked, uint64_t oldest)
{
    str message = str_fmt(a, "too old resource version: %llu (%llu)", (unsigned long long)asked,
                          (unsigned long long)oldest);

    write_event(out, "ERROR", store_status(a, 410, "Expired", message));
}

/* One version and the previous state, referenced by the pull. */
struct step {
    struct store_version *now, *before;
};

/* Whether the watch selects this state; tree becomes the object. */
static bool is_watched(struct store_watch *w, const struct store_version *v, struct value **tree)
{
    *tree = NULL;
    if (!v)
        return false;
    *tree = store_version_tree(w->request.arena, w->request.store, v);
    return store_selector_fits(w->selector, *tree);
}

static void show_event(struct store_watch *w, struct buf *out, const char *type, struct value *tree,
                       uint64_t shape)
{
    write_event(out, type, store_show(&w->request, tree, shape));
}

/* Writes a change as it appears to a client that only sees selected objects. */
static void write_step(struct store_watch *w, struct buf *out, const struct step *s)
{
    struct value *now, *before;
    bool was = s->before && !s->before->deleted && is_watched(w, s->before, &before);
    bool is = is_watched(w, s->now, &now) && !s->now->deleted;

    if (s->now->deleted && was)
        show_event(w, out, "DELETED", now, s->now->shape);
    else if (is)
        show_event(w, out, was ? "MODIFIED" : "ADDED", now, s->now->shape);
    else if (was) {
        value_set_str(w->request.arena, object_make_meta(w->request.arena, before),
                      STR("resourceVersion"), object_meta_str(now, STR("resourceVersion")));
        show_event(w, out, "DELETED", before, s->before->shape);
    }
}

/* ---- Taking from the history. ---- */

struct taken {
    struct step steps[TAKE_MAX];
    size_t count;
    bool expired, gone, over;
    uint64_t oldest;
    struct store_shape *shape;
};

static bool is_here(const struct store_watch *w, const struct store_version *v)
{
    return !w->request.namespace.len || str_eq(v->entry->namespace, w->request.namespace);
}

/* Takes the next versions and moves the cursor past them. */
static void take(struct store_watch *w, struct taken *t)
{
    struct store *s = w->request.store;
    AUTO_LOCK guard = lock_take(&s->lock);
    struct store_type *type = w->request.type;

    t->gone = type->gone;
    t->over = clock_now() >= w->deadline;
    t->oldest = type->trimmed;
    t->expired = w->cursor < type->trimmed;
    if (t->expired || w->initial_at < w->initial.len || w->initial_end) {
        t->shape = t->gone ? NULL : store_shape_ref(store_type_shape(s, type));
        return;
    }
    for (size_t i = store_history_after(type, w->cursor);
         i < type->history_len && t->count < TAKE_MAX; i++) {
        struct store_version *v = type->history[type->history_start + i];

        if (v->rv > s->committed)
            break;
        w->cursor = v->rv;
        if (is_here(w, v))
            t->steps[t->count++] =
                (struct step){store_version_ref(v), v->prev ? store_version_ref(v->prev) : NULL};
    }
    if (t->count < TAKE_MAX)
        w->cursor = s->committed > w->cursor ? s->committed : w->cursor;
    t->shape = t->gone ? NULL : store_shape_ref(store_type_shape(s, type));
}

/* Uses the current shape of the definition; a version that is no longer served ends the watch. */
static bool use_shape(struct store_watch *w, struct store_shape *shape)
{
    const struct store_shape_version *as = shape ? store_shape_version(shape, w->request.version)
                                                 : NULL;

    w->request.shape = shape;
    w->request.as = as;
    return as && as->served;
}

static void drop_initial(struct store_watch *w)
{
    while (w->initial_at < w->initial.len)
        store_version_drop(w->initial.items[w->initial_at++]);
    arena_free(w->initial_arena);
    w->initial_arena = NULL;
    w->initial.len = w->initial_at = 0;
}

static void write_initial(struct store_watch *w, struct buf *out, size_t enough)
{
    while (w->initial_at < w->initial.len && out->len < enough) {
        struct store_version *v = w->initial.items[w->initial_at++];
        struct value *tree;

        if (is_watched(w, v, &tree))
            show_event(w, out, "ADDED", tree, v->shape);
        store_version_drop(v);
    }
    if (w->initial_at == w->initial.len)
        drop_initial(w);
    if (w->initial_at == w->initial.len && w->initial_end) {
        write_bookmark(w, out, w->request.arena, true);
        w->initial_end = false;
    }
}

static void drop_taken(struct taken *t)
{
    for (size_t i = 0; i < t->count; i++) {
        store_version_drop(t->steps[i].now);
        store_version_drop(t->steps[i].before);
    }
    store_shape_drop(t->shape);
}

/* Writes what was taken; returns how to go on. */
static enum handler_pull write_taken(struct store_watch *w, struct taken *t, struct buf *out,
                                     size_t enough)
{
    bool usable = use_shape(w, t->shape);

    if (t->expired) {
        write_expired(out, w->request.arena, w->cursor, t->oldest);
        w->ended = true;
        return HANDLER_PULL_MORE;
    }
    if (!usable)
        return HANDLER_PULL_END;
    if (w->initial_at < w->initial.len || w->initial_end) {
        write_initial(w, out, enough);
        return HANDLER_PULL_MORE;
    }
    for (size_t i = 0; i < t->count; i++)
        write_step(w, out, &t->steps[i]);
    if (t->count)
        return HANDLER_PULL_MORE;
    if (w->bookmarks && (w->bookmark_due || t->over)) {
        write_bookmark(w, out, w->request.arena, false);
        w->ended = t->over;
        return HANDLER_PULL_MORE;
    }
    return t->over ? HANDLER_PULL_END : HANDLER_PULL_WAIT;
}

static enum handler_pull pull(struct handler_stream *stream, struct buf *out, size_t enough)
{
    struct store_watch *w = (struct store_watch *)stream;
    enum handler_pull next = HANDLER_PULL_MORE;
    size_t begin = out->len;

    if (w->ended)
        return HANDLER_PULL_END;
    while (next == HANDLER_PULL_MORE && out->len < begin + enough && !w->ended) {
        AUTO_ARENA a = arena_new();
        struct taken t = {0};

        w->request.arena = a;
        w->request.steps_left = STORE_TABLE_STEPS_MAX;
        take(w, &t);
        next = write_taken(w, &t, out, begin + enough);
        drop_taken(&t);
    }
    /* What was written is sent first; the next pull returns how to go on. */
    return out->len > begin ? HANDLER_PULL_MORE : next;
}

/* ---- Life. ---- */

static void unlink_watch(struct store_watch *w)
{
    AUTO_LOCK guard = lock_take(&w->request.store->lock);

    *w->back = w->next;
    if (w->next)
        w->next->back = w->back;
}

static void free_watch(struct store_watch *w)
{
    drop_initial(w);
    arena_free(w->arena);
    block_free(w);
}

static void close_watch(struct handler_stream *stream)
{
    struct store_watch *w = (struct store_watch *)stream;

    unlink_watch(w);
    free_watch(w);
}

static void attach(struct handler_stream *stream, void (*wake)(void *ctx), void *ctx)
{
    struct store_watch *w = (struct store_watch *)stream;
    AUTO_LOCK guard = lock_take(&w->request.store->lock);

    w->wake = wake;
    w->wake_ctx = ctx;
}

static const struct handler_stream_kind watch_kind = {attach, pull, close_watch};

static void wake_watch(struct store_watch *w)
{
    if (w->wake)
        w->wake(w->wake_ctx);
}

void store_watch_wake(struct store_type *t)
{
    for (struct store_watch *w = t->watches; w; w = w->next)
        wake_watch(w);
}

size_t store_watch_count(const struct store_type *t)
{
    size_t n = 0;

    for (const struct store_watch *w = t->watches; w; w = w->next)
        n++;
    return n;
}

uint64_t store_watch_latest(const struct store_type *t)
{
    uint64_t latest = 0;

    for (const struct store_watch *w = t->watches; w; w = w->next)
        latest = w->cursor > latest ? w->cursor : latest;
    return latest;
}

static int64_t step_watch(struct store_watch *w, int64_t now)
{
    if (w->bookmarks && !w->bookmark_due && now >= w->bookmark_at) {
        w->bookmark_due = true;
        wake_watch(w);
    }
    if (now >= w->deadline) {
        wake_watch(w);
        return INT64_MAX;
    }
    if (w->bookmarks && !w->bookmark_due && w->bookmark_at < w->deadline)
        return w->bookmark_at;
    return w->deadline;
}

int64_t store_watch_step(struct store *s, int64_t now)
{
    int64_t due = INT64_MAX;

    for (struct store_type *t = s->types; t; t = t->next)
        for (struct store_watch *w = t->watches; w; w = w->next) {
            int64_t at = step_watch(w, now);
            due = at < due ? at : due;
        }
    return due;
}

/* ---- Beginning. ---- */

static str put_text(char **at, str text)
{
    str copy = str_of(*at, text.len);

    if (text.len)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copy;
}

/*
 * The request of a watch outlives its call, so its texts are copied to memory after the watch.
 * There may be thousands that are idle for hours, so they should be small.
 */
static struct store_watch *new_watch(const struct store_request *r)
{
    str namespace = r->type->namespaced ? r->namespace : STR_NONE;
    struct store_watch *w = block_new(sizeof *w + r->include.len + r->version.len + namespace.len);
    char *at = (char *)w + sizeof *w;

    *w = (struct store_watch){
        .stream.kind = &watch_kind,
        .request = {.store = r->store, .type = r->type, .view = r->view},
    };
    w->request.include = put_text(&at, r->include);
    w->request.version = put_text(&at, r->version);
    w->request.namespace = put_text(&at, namespace);
    return w;
}

static bool begin_at(struct store_request *r, struct store_watch *w)
{
    struct store *s = r->store;
    str text = handler_query(r->call, STR("resourceVersion"));
    bool asks = store_query_is_true(r, "sendInitialEvents");
    uint64_t rv = 0;

    if (text.len && !str_to_u64(text, &rv))
        return store_fault(r, 400, "BadRequest", "Invalid value: \"%.*s\": invalid resourceVersion",
                           STR_ARG(text));
    if (asks && !str_eq(handler_query(r->call, STR("resourceVersionMatch")), STR("NotOlderThan")))
        return store_fault(r, 422, "Invalid",
                           "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: "
                           "Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
                           "NotOlderThan");
    if (rv > s->committed)
        return store_fault(r, 504, "Timeout", "Too large resource version: %llu, current: %llu",
                           (unsigned long long)rv, (unsigned long long)s->committed);
    w->initial_end = asks && w->bookmarks;
    w->cursor = rv;
    /* sendInitialEvents=false starts with new changes. */
    bool refuses = handler_has_query(r->call, STR("sendInitialEvents")) && !asks;
    if (!rv && refuses)
        w->cursor = s->committed;
    if (!asks && (rv || refuses))
        return true;
    w->cursor = s->committed;
    w->initial_arena = arena_new();
    for (struct store_entry *n = r->type->objects.first[0]; n; n = n->next[0]) {
        struct store_version *v = store_state_at(n, s->committed);
        if (v && !v->deleted &&
            (!w->request.namespace.len || str_eq(n->namespace, w->request.namespace)))
            VEC_PUSH(w->initial_arena, &w->initial, store_version_ref(v));
    }
    return true;
}

static bool read_times(struct store_request *r, struct store_watch *w)
{
    str text = handler_query(r->call, STR("timeoutSeconds"));
    uint64_t seconds = 0;

    if (text.len && !str_to_u64(text, &seconds))
        return store_fault(r, 400, "BadRequest", "invalid timeoutSeconds \"%.*s\"", STR_ARG(text));
    if (!seconds)
        seconds = (uint64_t)LIFE_MIN + random_below((uint64_t)LIFE_MIN);
    if (seconds > 1000000)
        seconds = 1000000;
    w->bookmarks = store_query_is_true(r, "allowWatchBookmarks");
    w->bookmark_at = clock_now() + BOOKMARK_EVERY;
    w->deadline = clock_now() + (int64_t)seconds * NS_PER_SEC;
    return true;
}

static bool begin(struct store_request *r, struct store_watch *w)
{
    AUTO_LOCK guard = lock_take(&r->store->lock);

    if (!store_selector_read(r, handler_query(r->call, STR("labelSelector")),
                             handler_query(r->call, STR("fieldSelector")), &w->selector) ||
        !read_times(r, w) || !begin_at(r, w))
        return false;
    if (w->selector) {
        w->arena = arena_new();
        w->selector = store_selector_copy(w->arena, w->selector);
    }
    w->next = r->type->watches;
    w->back = &r->type->watches;
    if (w->next)
        w->next->back = &w->next;
    r->type->watches = w;
    pthread_cond_signal(&r->store->tick);
    return true;
}

void store_do_watch(struct store_request *r)
{
    struct store_watch *w = new_watch(r);

    if (!begin(r, w)) {
        free_watch(w);
        return;
    }
    r->call->status = 200;
    r->call->stream = &w->stream;
}
