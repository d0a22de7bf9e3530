/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - random clients against the store, and a model that explains everything they see.
 *
 * After every step an auditor looks at what the store announces: each change has the next version,
 * is the one that a client was answered or one that the garbage collector had to make, and nothing
 * is missing or told twice. Watchers that disconnect and come back, lists in pages, crashes, lost
 * power in the middle of a write and full disks are among the steps.
 */
#include "world/model.h"
#include "world/scenarios.h"

#include "text/json/json.h"

#define STEPS 2000
#define WATCHERS 3
#define NAMES 5
#define PAST 8

/* What a watcher or a list knows of an object. */
struct known {
    char key[64];
    uint64_t version;
};
struct replica {
    struct known items[64];
    size_t len;
};

struct watcher {
    const struct kind *kind;
    const char *selector; /* a value of the label l, or NULL */
    struct local_watch *stream;
    bool listed;
    uint64_t version; /* the last one that was seen */
    struct replica replica;
};

struct pager {
    const struct kind *kind;
    bool under_way;
    char token[200];
    uint64_t version;
    struct replica expected, got;
};

/* An owner that is gone, to be named by somebody who does not know. */
struct past {
    char text[200];
};

struct clients {
    struct world *w;
    struct model m;
    struct local_watch *audit[8];
    struct watcher watchers[WATCHERS];
    struct pager pager;
    struct past past[PAST];
    size_t past_count;
    VEC(int64_t) times; /* when version first + i was written */
    uint64_t first;     /* the first version of this life of the store */
    bool unsure;        /* the power failed in the middle: the last write may be there */
};

/* ---- Places. ---- */

static str collection(struct clients *c, struct arena *a, const struct kind *kind, str namespace)
{
    str top = kind->group[0] ? str_fmt(a, "/apis/%s/v1", kind->group) : STR("/api/v1");

    (void)c;
    if (!namespace.len)
        return str_fmt(a, "%.*s/%s", STR_ARG(top), kind->plural);
    return str_fmt(a, "%.*s/namespaces/%.*s/%s", STR_ARG(top), STR_ARG(namespace), kind->plural);
}

/* Where an object of that key is. */
static str place(struct clients *c, struct arena *a, const struct kind *kind, str key)
{
    str namespace, name;

    if (!str_cut(key, STR("/"), &namespace, &name)) {
        name = key;
        namespace = STR_NONE;
    }
    return str_fmt(a, "%.*s/%.*s", STR_ARG(collection(c, a, kind, namespace)), STR_ARG(name));
}

static const struct kind *any_kind(struct clients *c)
{
    return &kinds[world_below(c->w, kind_count)];
}

static str any_key(struct clients *c, struct arena *a, const struct kind *kind)
{
    unsigned name = (unsigned)world_below(c->w, NAMES);

    if (!kind->namespaced)
        return str_fmt(a, "n%u", name);
    return str_fmt(a, "%s/n%u", world_chance(c->w, 70) ? "default" : "kube-system", name);
}

static struct thing *any_thing(struct clients *c)
{
    struct thing *t = c->m.things;

    for (uint64_t i = c->m.count ? world_below(c->w, c->m.count) : 0; i; i--)
        t = t->next;
    return t;
}

/* ---- Replicas. ---- */

static struct known *find_known(struct replica *r, str key)
{
    for (size_t i = 0; i < r->len; i++)
        if (str_eq(str_c(r->items[i].key), key))
            return &r->items[i];
    return NULL;
}

static void learn(struct replica *r, str key, uint64_t version)
{
    struct known *k = find_known(r, key);

    if (!k)
        k = &r->items[r->len++];
    (void)snprintf(k->key, sizeof k->key, "%.*s", STR_ARG(key));
    k->version = version;
}

static void forget(struct replica *r, struct known *k)
{
    *k = r->items[--r->len];
}

static bool is_selected(const struct value *object, const char *selector)
{
    const struct value *labels = value_get(meta_of(object), STR("labels"));

    return !selector || str_eq(value_get_str(labels, STR("l")), str_c(selector));
}

static struct replica of_model(struct clients *c, const struct kind *kind, const char *selector)
{
    struct replica r = {0};

    for (struct thing *t = c->m.things; t; t = t->next)
        if (t->kind == kind && is_selected(t->object, selector))
            learn(&r, t->key, version_of(&c->m, t->object));
    return r;
}

static void expect_same(struct clients *c, struct replica *want, struct replica *got,
                        const char *who)
{
    for (size_t i = 0; i < want->len; i++) {
        const struct known *k = find_known(got, str_c(want->items[i].key));
        world_expect(c->w, k, "%s misses %s", who, want->items[i].key);
        world_expect(c->w, k->version == want->items[i].version,
                     "%s has version %llu of %s, not %llu", who, (unsigned long long)k->version,
                     want->items[i].key, (unsigned long long)want->items[i].version);
    }
    world_expect(c->w, want->len == got->len, "%s has %zu objects, not %zu", who, got->len,
                 want->len);
}

static struct replica of_items(struct clients *c, const struct kind *kind, struct arena *a)
{
    const struct value *items = value_get(c->w->client.body, STR("items"));
    struct replica r = {0};

    for (size_t i = 0; i < value_len(items); i++) {
        str key = key_of(a, kind, &items->items[i]);
        world_expect(c->w, !find_known(&r, key), "a list has %.*s twice", STR_ARG(key));
        learn(&r, key, version_of(&c->m, &items->items[i]));
    }
    return r;
}

/* ---- The auditor. ---- */

static void audit_open(struct clients *c)
{
    AUTO_ARENA a = arena_new();

    c->first = c->m.version;
    c->times.len = 0;
    for (size_t i = 0; i < kind_count; i++) {
        str target = str_fmt(a, "%.*s?watch=true&timeoutSeconds=1000000&resourceVersion=%llu",
                             STR_ARG(collection(c, a, &kinds[i], STR_NONE)),
                             (unsigned long long)c->m.version);
        c->audit[i] = local_watch(&c->w->client, str_z(a, target));
        world_expect(c->w, c->audit[i], "the auditor cannot watch: %.*s",
                     STR_ARG(c->w->client.text));
    }
}

static void audit_close(struct clients *c)
{
    for (size_t i = 0; i < kind_count; i++) {
        local_watch_close(c->audit[i]);
        c->audit[i] = NULL;
    }
}

struct announced {
    const struct kind *kind;
    str type;
    const struct value *object;
    uint64_t version;
};

struct announcements {
    VEC(struct announced) list;
};

static int by_version(const void *x, const void *y)
{
    const struct announced *p = x, *q = y;

    return p->version < q->version ? -1 : p->version > q->version;
}

/* Everything that was announced since the last time, in order. */
static void gather(struct clients *c, struct arena *a, struct announcements *out)
{
    const struct value *event;

    for (size_t i = 0; i < kind_count; i++)
        while ((event = local_watch_next(c->audit[i]))) {
            event = value_copy(a, event);
            struct announced one = {&kinds[i], value_get_str(event, STR("type")),
                                    value_get(event, STR("object")), 0};
            world_expect(c->w, !str_eq(one.type, STR("ERROR")), "the auditor's watch broke");
            one.version = version_of(&c->m, one.object);
            VEC_PUSH(a, &out->list, one);
        }
    if (out->list.len)
        qsort(out->list.items, out->list.len, sizeof(struct announced), by_version);
}

/* What a call was answered, to be found among the announcements: an object, or that it is gone. */
struct answered {
    const struct kind *kind;
    str key;
    const struct value *object; /* NULL: gone */
};

static struct value *without_version(struct arena *a, const struct value *object)
{
    struct value *copy = value_copy(a, object);

    value_unset(value_get(copy, STR("metadata")), STR("resourceVersion"));
    return copy;
}

static void check_type(struct clients *c, const struct announced *one, const struct thing *before)
{
    const char *want = before ? "MODIFIED" : "ADDED";

    if (str_eq(one->type, STR("DELETED")))
        world_expect(c->w, before, "something that was not there is announced as deleted");
    else
        world_expect(c->w, str_eq(one->type, str_c(want)), "%.*s is announced, not %s",
                     STR_ARG(one->type), want);
}

static void check_announced(struct clients *c, const struct announced *one,
                            const struct answered *by)
{
    AUTO_ARENA a = arena_new();
    str key = key_of(a, one->kind, one->object);
    struct thing *before = model_thing(&c->m, one->kind, key);
    bool gone = str_eq(one->type, STR("DELETED"));

    world_note(c->w, "   %llu %.*s %s %.*s", (unsigned long long)one->version, STR_ARG(one->type),
               one->kind->plural, STR_ARG(key));
    check_type(c, one, before);
    if (by && by->kind == one->kind && str_eq(by->key, key)) {
        if (by->object)
            world_expect(c->w, value_equal(by->object, one->object),
                         "%.*s is announced in another state than it was answered", STR_ARG(key));
        else
            world_expect(c->w,
                         gone && value_equal(without_version(a, before->object),
                                             without_version(a, one->object)),
                         "the last state of %.*s is not the one before its deletion", STR_ARG(key));
    } else {
        world_expect(c->w, before, "nobody has created %.*s", STR_ARG(key));
        model_explain(&c->m, before, gone ? NULL : one->object);
    }
    if (gone)
        model_drop(&c->m, before);
    else
        model_put(&c->m, one->kind, one->object);
}

/* by is NULL after a step of the collector; otherwise at most one change may be announced. */
static void audit(struct clients *c, const struct answered *by)
{
    AUTO_ARENA a = arena_new();
    struct announcements all = {0};

    gather(c, a, &all);
    world_expect(c->w, !by || all.list.len <= 1, "one call made %zu changes", all.list.len);
    for (size_t i = 0; i < all.list.len; i++) {
        world_expect(c->w, all.list.items[i].version == c->m.version + 1,
                     "version %llu is announced after %llu",
                     (unsigned long long)all.list.items[i].version,
                     (unsigned long long)c->m.version);
        c->m.version++;
        VEC_PUSH(c->w->arena, &c->times, world_now(c->w));
        check_announced(c, &all.list.items[i], by);
    }
    world_expect(c->w, store_version(c->w->store) == c->m.version,
                 "the store is at version %llu, announced were %llu",
                 (unsigned long long)store_version(c->w->store), (unsigned long long)c->m.version);
}

/* Every type, read as a whole, is what the model has. */
static void check_lists(struct clients *c)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < kind_count; i++) {
        str target = collection(c, a, &kinds[i], STR_NONE);
        world_expect(c->w, local_ask(&c->w->client, "GET", str_z(a, target), "") == 200,
                     "a list failed: %.*s", STR_ARG(c->w->client.text));
        struct replica want = of_model(c, &kinds[i], NULL), got = of_items(c, &kinds[i], a);
        expect_same(c, &want, &got, "a list");
        const struct value *items = value_get(c->w->client.body, STR("items"));
        for (size_t k = 0; k < value_len(items); k++) {
            struct thing *t = model_thing(&c->m, &kinds[i], key_of(a, &kinds[i], &items->items[k]));
            world_expect(c->w, value_equal(t->object, &items->items[k]),
                         "a list has another state of %.*s", STR_ARG(t->key));
        }
    }
}

/* ---- Writing. ---- */

static void write_owner(struct clients *c, struct buf *b, const struct kind *kind, str namespace)
{
    const struct thing *owner = any_thing(c);

    if (world_chance(c->w, 15) && c->past_count) {
        buf_fmt(b, ",\"ownerReferences\":[%s]", c->past[world_below(c->w, c->past_count)].text);
        return;
    }
    if (!owner || (owner->kind->namespaced && !kind->namespaced) ||
        (owner->kind->namespaced &&
         !str_eq(value_get_str(meta_of(owner->object), STR("namespace")), namespace)))
        return;
    buf_fmt(b,
            ",\"ownerReferences\":[{\"apiVersion\":\"%s%sv1\",\"kind\":\"%s\",\"name\":\"%.*s\","
            "\"uid\":\"%.*s\"%s}]",
            owner->kind->group, owner->kind->group[0] ? "/" : "", owner->kind->name,
            STR_ARG(value_get_str(meta_of(owner->object), STR("name"))),
            STR_ARG(uid_of(owner->object)),
            world_chance(c->w, 50) ? ",\"blockOwnerDeletion\":true" : "");
}

/* Owners that cannot be told to be gone are left out: gadgets have no namespace. */
static void remember_owner(struct clients *c, const struct thing *t)
{
    struct past *p = &c->past[c->past_count < PAST ? c->past_count++ : world_below(c->w, PAST)];

    if (t->kind->namespaced) {
        c->past_count -= p == &c->past[c->past_count - 1];
        return;
    }
    (void)snprintf(p->text, sizeof p->text,
                   "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Gadget\",\"name\":\"%.*s\","
                   "\"uid\":\"%.*s\"}",
                   STR_ARG(t->key), STR_ARG(uid_of(t->object)));
}

static const char *any_label(struct clients *c)
{
    static const char *const labels[] = {"x", "y", "z"};

    return labels[world_below(c->w, COUNT(labels))];
}

/* The members of an object that a client decides. */
static void write_content(struct clients *c, struct buf *b, const struct kind *kind)
{
    unsigned size = (unsigned)world_below(c->w, 4);

    if (kind->group[0])
        buf_fmt(b, "\"spec\":{\"size\":%u}", size);
    else
        buf_fmt(b, "\"data\":{\"size\":\"%u\"}", size);
}

/* An answer that is not the one to expect; a disk in trouble excuses it. */
static bool failed(struct clients *c)
{
    return c->w->client.status == 500;
}

static int ask(struct clients *c, const char *method, str target, str body)
{
    AUTO_ARENA a = arena_new();
    int status = local_ask(&c->w->client, method, str_z(a, target), str_z(a, body));

    world_note(c->w, "%s %.*s %.*s: %d", method, STR_ARG(target), STR_ARG(str_slice(body, 0, 100)),
               status);
    return status;
}

static void create(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    const struct kind *kind = any_kind(c);
    str key = any_key(c, a, kind), namespace, name;
    struct buf b = buf_new(a, 4 * KIB);

    if (!str_cut(key, STR("/"), &namespace, &name)) {
        name = key;
        namespace = STR_NONE;
    }
    buf_fmt(&b,
            "{\"apiVersion\":\"%s%sv1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%.*s\","
            "\"labels\":{\"l\":\"%s\"}",
            kind->group, kind->group[0] ? "/" : "", kind->name, STR_ARG(name), any_label(c));
    if (world_chance(c->w, 45))
        write_owner(c, &b, kind, namespace);
    if (world_chance(c->w, 10))
        buf_add(&b, STR(",\"finalizers\":[\"x/hold\"]"));
    buf_add(&b, STR("},"));
    write_content(c, &b, kind);
    buf_add(&b, STR("}"));
    bool exists = model_thing(&c->m, kind, key);
    int status = ask(c, "POST", collection(c, a, kind, namespace), buf_str(&b));
    struct answered by = {kind, key, status == 201 ? c->w->client.body : NULL};
    if (!failed(c))
        world_expect(c->w, status == (exists ? 409 : 201), "create was answered by %d", status);
    if (by.object)
        world_expect(c->w,
                     !kind->counts ||
                         str_eq(local_text(&c->w->client, "metadata.generation"), STR("1")),
                     "a new object has generation %.*s",
                     STR_ARG(local_text(&c->w->client, "metadata.generation")));
    by.object = by.object ? value_copy(a, by.object) : NULL;
    audit(c, &by);
}

static int64_t generation_of(const struct value *object)
{
    int64_t n = 0;

    return value_to_i64(value_get(meta_of(object), STR("generation")), &n) ? n : 0;
}

/* What an update may not change, and the generation, which must follow the rest. */
static void check_update(struct clients *c, const struct thing *t, const struct value *after)
{
    static const char *const kept[] = {"uid", "creationTimestamp", "name", "namespace",
                                       "deletionTimestamp"};
    const char *member = t->kind->group[0] ? "spec" : "data";
    bool changed =
        !value_equal(value_get(t->object, str_c(member)), value_get(after, str_c(member)));

    for (size_t i = 0; i < COUNT(kept); i++)
        world_expect(c->w,
                     value_equal(value_get(meta_of(t->object), str_c(kept[i])),
                                 value_get(meta_of(after), str_c(kept[i]))),
                     "an update changed %s of %.*s", kept[i], STR_ARG(t->key));
    if (t->kind->counts)
        world_expect(c->w, generation_of(after) == generation_of(t->object) + changed,
                     "the generation of %.*s went from %lld to %lld", STR_ARG(t->key),
                     (long long)generation_of(t->object), (long long)generation_of(after));
}

/* Ends an update or patch of t that was answered by status. */
static void updated(struct clients *c, const struct thing *t, int status)
{
    AUTO_ARENA a = arena_new();
    struct answered by = {t->kind, str_copy(a, t->key), NULL};

    if (status == 200) {
        by.object = value_copy(a, c->w->client.body);
        check_update(c, t, by.object);
        if (is_deleting(by.object) && !value_len(value_get(meta_of(by.object), STR("finalizers"))))
            by.object = NULL;
        else if (!value_equal(by.object, t->object)) {
            world_expect(c->w, version_of(&c->m, by.object) == c->m.version + 1,
                         "an update got version %llu after %llu",
                         (unsigned long long)version_of(&c->m, by.object),
                         (unsigned long long)c->m.version);
        }
    }
    audit(c, &by);
}

static void update(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    struct thing *t = any_thing(c);
    bool stale = world_chance(c->w, 20);
    struct buf b = buf_new(a, BUF_UNLIMITED), content = buf_new(a, KIB);
    struct value *more;

    if (!t)
        return;
    struct value *object = value_copy(a, t->object);
    buf_char(&content, '{');
    write_content(c, &content, t->kind);
    buf_char(&content, '}');
    const struct source src = {.text = buf_str(&content)};
    world_expect(c->w, json_read(a, &src, NULL, &more, NULL), "content is not JSON");
    value_set(a, object, value_key(&more->items[0]), &more->items[0]);
    if (stale)
        value_set_str(a, value_get(object, STR("metadata")), STR("resourceVersion"),
                      str_fmt(a, "%llu", (unsigned long long)(version_of(&c->m, t->object) - 1)));
    if (!json_write(&b, object, &json_exact, NULL))
        world_fail(c->w, "an object cannot be written");
    int status = ask(c, "PUT", place(c, a, t->kind, t->key), buf_str(&b));
    if (!failed(c))
        world_expect(c->w, status == (stale ? 409 : 200), "update was answered by %d: %.*s", status,
                     STR_ARG(c->w->client.text));
    updated(c, t, status);
}

static void patch(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    struct thing *t = any_thing(c);
    struct buf b = buf_new(a, 4 * KIB);
    bool json = world_chance(c->w, 25);

    if (!t)
        return;
    if (json)
        buf_fmt(&b, "[{\"op\":\"add\",\"path\":\"/metadata/labels/l\",\"value\":\"%s\"}]",
                any_label(c));
    else if (world_chance(c->w, 40))
        buf_fmt(&b, "{\"metadata\":{\"labels\":{\"l\":\"%s\"}}}", any_label(c));
    else {
        buf_char(&b, '{');
        write_content(c, &b, t->kind);
        buf_char(&b, '}');
    }
    c->w->client.type = json ? STR("application/json-patch+json")
                             : STR("application/merge-patch+json");
    int status = ask(c, "PATCH", place(c, a, t->kind, t->key), buf_str(&b));
    c->w->client.type = STR_NONE;
    if (!failed(c))
        world_expect(c->w, status == 200, "patch was answered by %d: %.*s", status,
                     STR_ARG(c->w->client.text));
    updated(c, t, status);
}

/* Adds or removes the clients' own finalizer; the last one to go completes a deletion. */
static void toggle_hold(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    struct thing *t = any_thing(c);
    struct buf b = buf_new(a, KIB);
    bool held, first = true;

    if (!t)
        return;
    held = has_finalizer(t->object, "x/hold");
    const struct value *list = value_get(meta_of(t->object), STR("finalizers"));
    buf_add(&b, STR("{\"metadata\":{\"finalizers\":["));
    for (size_t i = 0; i < value_len(list); i++)
        if (!str_eq(value_str(&list->items[i]), STR("x/hold"))) {
            buf_fmt(&b, "%s\"%.*s\"", first ? "" : ",", STR_ARG(value_str(&list->items[i])));
            first = false;
        }
    if (!held)
        buf_fmt(&b, "%s\"x/hold\"", first ? "" : ",");
    buf_add(&b, STR("]}}"));
    c->w->client.type = STR("application/merge-patch+json");
    int status = ask(c, "PATCH", place(c, a, t->kind, t->key), buf_str(&b));
    c->w->client.type = STR_NONE;
    bool forbidden = !held && is_deleting(t->object);
    if (!failed(c))
        world_expect(c->w, status == (forbidden ? 422 : 200), "finalizers: %d %.*s", status,
                     STR_ARG(c->w->client.text));
    if (status == 200 && held && first && is_deleting(t->object))
        remember_owner(c, t);
    updated(c, t, status);
}

static void write_status(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    struct thing *t = any_thing(c);

    if (!t || !str_eq(str_c(t->kind->plural), STR("widgets")))
        return;
    c->w->client.type = STR("application/merge-patch+json");
    str target = str_concat(a, place(c, a, t->kind, t->key), STR("/status"));
    str body = str_fmt(a, "{\"status\":{\"seen\":%u},\"spec\":{\"size\":77}}",
                       (unsigned)world_below(c->w, 3));
    int status = ask(c, "PATCH", target, body);
    c->w->client.type = STR_NONE;
    if (!failed(c))
        world_expect(c->w, status == 200, "status was answered by %d", status);
    updated(c, t, status);
}

/* Whether a deletion with this policy completes at once. */
static bool goes_at_once(const struct thing *t, str policy)
{
    if (has_finalizer(t->object, "x/hold"))
        return false;
    if (!policy.len)
        return !has_finalizer(t->object, "orphan") &&
               !has_finalizer(t->object, "foregroundDeletion");
    return str_eq(policy, STR("Background"));
}

static void check_marked(struct clients *c, const struct thing *t, const struct value *after)
{
    bool first = !is_deleting(t->object);

    world_expect(c->w, is_deleting(after), "a deletion left no mark");
    if (t->kind->counts)
        world_expect(c->w, generation_of(after) == generation_of(t->object) + first,
                     "the generation of %.*s went from %lld to %lld by a deletion", STR_ARG(t->key),
                     (long long)generation_of(t->object), (long long)generation_of(after));
}

static void delete (struct clients *c)
{
    static const char *const policies[] = {"", "Background", "Foreground", "Orphan"};
    AUTO_ARENA a = arena_new();
    struct thing *t = any_thing(c);
    str policy = str_c(policies[world_below(c->w, COUNT(policies))]);
    bool wrong = world_chance(c->w, 10);
    struct buf b = buf_new(a, KIB);

    if (!t)
        return;
    buf_fmt(&b, "{\"preconditions\":{\"uid\":\"%.*s\"}%s%.*s%s}",
            STR_ARG(wrong ? STR("another") : uid_of(t->object)),
            policy.len ? ",\"propagationPolicy\":\"" : "", STR_ARG(policy), policy.len ? "\"" : "");
    int status = ask(c, "DELETE", place(c, a, t->kind, t->key), buf_str(&b));
    struct answered by = {t->kind, str_copy(a, t->key), NULL};
    if (!failed(c))
        world_expect(c->w, status == (wrong ? 409 : 200), "delete was answered by %d", status);
    if (status == 200) {
        bool gone = !str_eq(local_text(&c->w->client, "kind"), str_c(t->kind->name));
        world_expect(c->w, gone == goes_at_once(t, policy), "%.*s %s at once", STR_ARG(t->key),
                     gone ? "went" : "did not go");
        if (gone)
            remember_owner(c, t);
        else
            check_marked(c, t, by.object = value_copy(a, c->w->client.body));
    }
    audit(c, &by);
}

/* ---- Reading. ---- */

static void get(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    const struct kind *kind = any_kind(c);
    str key = any_key(c, a, kind);
    const struct thing *t = model_thing(&c->m, kind, key);
    int status = ask(c, "GET", place(c, a, kind, key), STR_NONE);

    world_expect(c->w, status == (t ? 200 : 404), "get was answered by %d", status);
    if (t)
        world_expect(c->w, value_equal(c->w->client.body, t->object),
                     "get shows another state of %.*s", STR_ARG(key));
}

/* Whether what came after a version may have been forgotten, and with it this version. */
static bool may_be_forgotten(struct clients *c, uint64_t version)
{
    if (version < c->first || c->m.version - version >= c->w->config.history_count)
        return true;
    return version < c->m.version &&
           world_now(c->w) - c->times.items[version - c->first] >= c->w->config.history_age;
}

static void end_pages(struct clients *c)
{
    struct pager *p = &c->pager;

    p->under_way = false;
    expect_same(c, &p->expected, &p->got, "a list in pages");
}

static void next_page(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    struct pager *p = &c->pager;
    unsigned limit = 1 + (unsigned)world_below(c->w, 4);

    if (!p->under_way) {
        *p = (struct pager){.kind = any_kind(c), .under_way = true};
        p->expected = of_model(c, p->kind, NULL);
        p->version = c->m.version;
    }
    str target = str_fmt(a, "%.*s?limit=%u%s%s", STR_ARG(collection(c, a, p->kind, STR_NONE)),
                         limit, p->token[0] ? "&continue=" : "", p->token);
    int status = ask(c, "GET", target, STR_NONE);
    if (status == 410) {
        world_expect(c->w, p->token[0] && may_be_forgotten(c, p->version),
                     "a page is expired though its version is kept");
        p->under_way = false;
        return;
    }
    world_expect(c->w, status == 200, "a page was answered by %d: %.*s", status,
                 STR_ARG(c->w->client.text));
    struct replica page = of_items(c, p->kind, a);
    for (size_t i = 0; i < page.len; i++) {
        world_expect(c->w, !find_known(&p->got, str_c(page.items[i].key)), "two pages have %s",
                     page.items[i].key);
        learn(&p->got, str_c(page.items[i].key), page.items[i].version);
    }
    str token = local_text(&c->w->client, "metadata.continue");
    (void)snprintf(p->token, sizeof p->token, "%.*s", STR_ARG(token));
    if (!token.len)
        end_pages(c);
}

/* ---- Watchers. ---- */

static void watcher_list(struct clients *c, struct watcher *v)
{
    AUTO_ARENA a = arena_new();
    str target = str_fmt(a, "%.*s%s%s", STR_ARG(collection(c, a, v->kind, STR_NONE)),
                         v->selector ? "?labelSelector=l%3D" : "", v->selector ? v->selector : "");

    world_expect(c->w, ask(c, "GET", target, STR_NONE) == 200, "a watcher cannot list");
    v->replica = of_items(c, v->kind, a);
    world_expect(c->w,
                 str_to_u64(local_text(&c->w->client, "metadata.resourceVersion"), &v->version),
                 "a list without a version");
    struct replica want = of_model(c, v->kind, v->selector);
    expect_same(c, &want, &v->replica, "a selected list");
    v->listed = true;
}

static void watcher_open(struct clients *c, struct watcher *v)
{
    AUTO_ARENA a = arena_new();
    str target = str_fmt(a, "%.*s?watch=true&allowWatchBookmarks=true&resourceVersion=%llu%s%s",
                         STR_ARG(collection(c, a, v->kind, STR_NONE)),
                         (unsigned long long)v->version, v->selector ? "&labelSelector=l%3D" : "",
                         v->selector ? v->selector : "");

    world_note(c->w, "watch %.*s", STR_ARG(target));
    v->stream = local_watch(&c->w->client, str_z(a, target));
    world_expect(c->w, v->stream, "a watcher cannot watch: %.*s", STR_ARG(c->w->client.text));
}

static void watcher_close(struct watcher *v)
{
    local_watch_close(v->stream);
    v->stream = NULL;
}

static void watcher_expired(struct clients *c, struct watcher *v)
{
    world_expect(c->w, may_be_forgotten(c, v->version),
                 "a watch is expired though its version is kept");
    watcher_close(v);
    v->listed = false;
}

static void apply_event(struct clients *c, struct watcher *v, str type, const struct value *object)
{
    AUTO_ARENA a = arena_new();
    uint64_t version = version_of(&c->m, object);
    bool mark = str_eq(type, STR("BOOKMARK"));

    world_expect(c->w, version > v->version || (mark && version == v->version),
                 "a watch goes from version %llu to %llu", (unsigned long long)v->version,
                 (unsigned long long)version);
    v->version = version;
    if (mark)
        return;
    str key = key_of(a, v->kind, object);
    struct known *k = find_known(&v->replica, key);
    world_expect(c->w, (k != NULL) != str_eq(type, STR("ADDED")), "a watch has %.*s of %.*s",
                 STR_ARG(type), STR_ARG(key));
    if (str_eq(type, STR("DELETED")))
        forget(&v->replica, k);
    else
        learn(&v->replica, key, version);
}

/* Takes up to max events. */
static void watcher_pull(struct clients *c, struct watcher *v, size_t max)
{
    const struct value *event;

    for (size_t i = 0; i < max && v->stream && (event = local_watch_next(v->stream)); i++) {
        str type = value_get_str(event, STR("type"));
        if (str_eq(type, STR("ERROR")))
            watcher_expired(c, v);
        else
            apply_event(c, v, type, value_get(event, STR("object")));
    }
    if (v->stream && local_watch_ended(v->stream))
        watcher_close(v);
}

static void watcher_step(struct clients *c)
{
    struct watcher *v = &c->watchers[world_below(c->w, WATCHERS)];

    if (!v->listed)
        watcher_list(c, v);
    else if (!v->stream)
        watcher_open(c, v);
    else if (world_chance(c->w, 10))
        watcher_close(v);
    else
        watcher_pull(c, v, world_below(c->w, 8));
}

/* Whoever watches, and has taken everything, knows everything. */
static void check_watchers(struct clients *c)
{
    for (size_t i = 0; i < WATCHERS; i++) {
        struct watcher *v = &c->watchers[i];
        watcher_pull(c, v, SIZE_MAX);
        if (!v->stream)
            continue;
        struct replica want = of_model(c, v->kind, v->selector);
        expect_same(c, &want, &v->replica, "a watcher");
    }
}

/* ---- Time and trouble. ---- */

static void look(void *ctx)
{
    audit(ctx, NULL);
}

static void step(struct clients *c)
{
    store_step(c->w->store);
    audit(c, NULL);
}

static void quiet(struct clients *c)
{
    world_note(c->w, "quiet");
    world_run(c->w, world_now(c->w) + 2 * NS_PER_SEC);
    model_check_collected(&c->m);
    check_lists(c);
    check_watchers(c);
}

static void pass_time(struct clients *c)
{
    world_note(c->w, "time passes");
    world_run(c->w, world_now(c->w) + (int64_t)world_below(c->w, 400) * NS_PER_SEC);
}

static void close_streams(struct clients *c)
{
    audit_close(c);
    for (size_t i = 0; i < WATCHERS; i++)
        watcher_close(&c->watchers[i]);
}

/* After the power failed in the middle of a write, that one object may be as before or after. */
static void adopt_unsure(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    uint64_t version = store_version(c->w->store);
    size_t changed = 0;

    world_expect(c->w, version == c->m.version || version == c->m.version + 1,
                 "after a crash the store is at version %llu, not %llu",
                 (unsigned long long)version, (unsigned long long)c->m.version);
    for (size_t i = 0; i < kind_count; i++) {
        str target = collection(c, a, &kinds[i], STR_NONE);
        world_expect(c->w, local_ask(&c->w->client, "GET", str_z(a, target), "") == 200,
                     "no list after a crash");
        const struct value *items = value_copy(a, value_get(c->w->client.body, STR("items")));
        struct replica got = of_items(c, &kinds[i], a);
        for (struct thing *t = c->m.things, *next; t; t = next) {
            next = t->next;
            if (t->kind == &kinds[i] && !find_known(&got, t->key)) {
                changed++;
                model_drop(&c->m, t);
            }
        }
        for (size_t k = 0; k < value_len(items); k++) {
            const struct thing *t =
                model_thing(&c->m, &kinds[i], key_of(a, &kinds[i], &items->items[k]));
            if (t && value_equal(t->object, &items->items[k]))
                continue;
            changed++;
            model_put(&c->m, &kinds[i], &items->items[k]);
        }
    }
    world_expect(c->w, changed == version - c->m.version, "a crash changed %zu objects", changed);
    c->m.version = version;
}

static void crash(struct clients *c)
{
    close_streams(c);
    world_crash(c->w);
    if (c->unsure)
        adopt_unsure(c);
    c->unsure = false;
    world_expect(c->w, store_version(c->w->store) == c->m.version,
                 "after a crash the store is at version %llu, not %llu",
                 (unsigned long long)store_version(c->w->store), (unsigned long long)c->m.version);
    audit_open(c);
    check_lists(c);
}

static void any_write(struct clients *c)
{
    static void (*const writes[])(struct clients *) = {create, update, patch, delete, toggle_hold};

    writes[world_below(c->w, COUNT(writes))](c);
}

/* The power fails in the middle of a write: whoever asked gets an error, or was just in time. */
static void crash_in_write(struct clients *c)
{
    unsigned after = 1 + (unsigned)world_below(c->w, 6);

    world_note(c->w, "the power will fail after %u writes", after);
    disk_lose_power_after(c->w->disk, after);
    any_write(c);
    c->unsure = failed(c);
    crash(c);
}

static void disk_trouble(struct clients *c)
{
    bool full = world_chance(c->w, 50);

    world_note(c->w, full ? "the disk is full" : "the disk is read-only");
    (full ? disk_fill : disk_protect)(c->w->disk, true);
    for (uint64_t n = world_below(c->w, 4); n; n--)
        any_write(c);
    step(c);
    get(c);
    (full ? disk_fill : disk_protect)(c->w->disk, false);
}

/* ---- The run. ---- */

static const struct {
    void (*act)(struct clients *c);
    unsigned weight;
} acts[] = {
    {create, 260}, {update, 130},   {patch, 130},    {toggle_hold, 90},   {write_status, 40},
    {delete, 150}, {get, 50},       {next_page, 70}, {watcher_step, 200}, {step, 120},
    {quiet, 25},   {pass_time, 12}, {crash, 4},      {crash_in_write, 5}, {disk_trouble, 5},
};

static void act(struct clients *c)
{
    uint64_t total = 0, at;
    size_t i = 0;

    for (size_t k = 0; k < COUNT(acts); k++)
        total += acts[k].weight;
    for (at = world_below(c->w, total); at >= acts[i].weight; i++)
        at -= acts[i].weight;
    acts[i].act(c);
}

static void define(struct clients *c, const char *plural, const char *kind, const char *scope,
                   const char *more)
{
    AUTO_ARENA a = arena_new();
    str body = str_fmt(a,
                       "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":"
                       "\"CustomResourceDefinition\",\"metadata\":{\"name\":\"%s.example.com\"},"
                       "\"spec\":{\"group\":\"example.com\",\"scope\":\"%s\",\"names\":{\"plural\":"
                       "\"%s\",\"kind\":\"%s\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
                       "\"storage\":true%s,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
                       "\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"size\":{"
                       "\"type\":\"integer\"}}},\"status\":{\"type\":\"object\","
                       "\"x-kubernetes-preserve-unknown-fields\":true}}}}}]}}",
                       plural, scope, plural, kind, more);

    world_expect(
        c->w,
        ask(c, "POST", STR("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"), body) == 201,
        "a definition was refused: %.*s", STR_ARG(c->w->client.text));
}

void store_clients(struct world *w)
{
    /* Static: what it holds is read after a longjmp. */
    static struct clients c;
    static const char *const selectors[WATCHERS] = {NULL, "x", "y"};

    c = (struct clients){.w = w};
    c.m.world = w;
    w->config.history_count = 20 + world_below(w, 200);
    world_open(w);
    define(&c, "gadgets", "Gadget", "Cluster", "");
    define(&c, "widgets", "Widget", "Namespaced", ",\"subresources\":{\"status\":{}}");
    c.m.version = store_version(w->store);
    for (size_t i = 0; i < WATCHERS; i++)
        c.watchers[i] = (struct watcher){.kind = any_kind(&c), .selector = selectors[i]};
    audit_open(&c);
    w->look = look;
    w->look_ctx = &c;
    for (int i = 0; i < STEPS; i++)
        act(&c);
    quiet(&c);
    close_streams(&c);
    AUTO_ERR e = {0};
    world_expect(w, store_check(w->store, &e), "the store is not whole: %.*s", STR_ARG(e.text));
    model_clear(&c.m);
}
