/* SPDX-License-Identifier: Apache-2.0 */
/* store_writes.c - clients that write. */
#include "world/store_internal.h"

#include "text/json/json.h"

static void write_owner(struct clients *c, struct buf *b, const struct kind *kind, str namespace)
{
    const struct thing *owner = clients_any_thing(c);

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

/*
 * Remembers an owner if a reference to it shows that it is gone: only gadgets, which have no
 * namespace.
 */
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

/* Writes the members of an object that a client decides. */
static void write_content(struct clients *c, struct buf *b, const struct kind *kind)
{
    unsigned size = (unsigned)world_below(c->w, 4);

    if (kind->group[0])
        buf_fmt(b, "\"spec\":{\"size\":%u}", size);
    else
        buf_fmt(b, "\"data\":{\"size\":\"%u\"}", size);
}

/* Handles an unexpected answer, which is allowed if the disk is in trouble. */
bool clients_failed(struct clients *c)
{
    return c->w->client.status == 500;
}

int clients_ask(struct clients *c, const char *method, str target, str body)
{
    AUTO_ARENA a = arena_new();
    int status = local_ask(&c->w->client, method, str_z(a, target), str_z(a, body));

    world_note(c->w, "%s %.*s %.*s: %d", method, STR_ARG(target), STR_ARG(str_slice(body, 0, 100)),
               status);
    return status;
}

void clients_create(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    const struct kind *kind = clients_any_kind(c);
    str key = clients_any_key(c, a, kind), namespace, name;
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
    int status = clients_ask(c, "POST", clients_collection(c, a, kind, namespace), buf_str(&b));
    struct answered by = {kind, key, status == 201 ? c->w->client.body : NULL};
    if (!clients_failed(c))
        world_expect(c->w, status == (exists ? 409 : 201), "create was answered by %d", status);
    if (by.object)
        world_expect(c->w,
                     !kind->counts ||
                         str_eq(local_text(&c->w->client, "metadata.generation"), STR("1")),
                     "a new object has generation %.*s",
                     STR_ARG(local_text(&c->w->client, "metadata.generation")));
    by.object = by.object ? value_copy(a, by.object) : NULL;
    audit_changes(c, &by);
}

static int64_t generation_of(const struct value *object)
{
    int64_t n = 0;

    return value_to_i64(value_get(meta_of(object), STR("generation")), &n) ? n : 0;
}

/* Checks that an update does not change what it must not, and that the generation is correct. */
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

/* Ends an update or patch of t that was answered with status. */
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
    audit_changes(c, &by);
}

void clients_update(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    struct thing *t = clients_any_thing(c);
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
    int status = clients_ask(c, "PUT", clients_place(c, a, t->kind, t->key), buf_str(&b));
    if (!clients_failed(c))
        world_expect(c->w, status == (stale ? 409 : 200), "update was answered by %d: %.*s", status,
                     STR_ARG(c->w->client.text));
    updated(c, t, status);
}

void clients_patch(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    struct thing *t = clients_any_thing(c);
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
    int status = clients_ask(c, "PATCH", clients_place(c, a, t->kind, t->key), buf_str(&b));
    c->w->client.type = STR_NONE;
    if (!clients_failed(c))
        world_expect(c->w, status == 200, "patch was answered by %d: %.*s", status,
                     STR_ARG(c->w->client.text));
    updated(c, t, status);
}

/* Adds or removes the clients' own finalizer; removing the last one completes a deletion. */
void clients_toggle_hold(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    struct thing *t = clients_any_thing(c);
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
    int status = clients_ask(c, "PATCH", clients_place(c, a, t->kind, t->key), buf_str(&b));
    c->w->client.type = STR_NONE;
    bool forbidden = !held && is_deleting(t->object);
    if (!clients_failed(c))
        world_expect(c->w, status == (forbidden ? 422 : 200), "finalizers: %d %.*s", status,
                     STR_ARG(c->w->client.text));
    if (status == 200 && held && first && is_deleting(t->object))
        remember_owner(c, t);
    updated(c, t, status);
}

void clients_write_status(struct clients *c)
{
    AUTO_ARENA a = arena_new();
    struct thing *t = clients_any_thing(c);

    if (!t || !str_eq(str_c(t->kind->plural), STR("widgets")))
        return;
    c->w->client.type = STR("application/merge-patch+json");
    str target = str_concat(a, clients_place(c, a, t->kind, t->key), STR("/status"));
    str body = str_fmt(a, "{\"status\":{\"seen\":%u},\"spec\":{\"size\":77}}",
                       (unsigned)world_below(c->w, 3));
    int status = clients_ask(c, "PATCH", target, body);
    c->w->client.type = STR_NONE;
    if (!clients_failed(c))
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

void clients_delete(struct clients *c)
{
    static const char *const policies[] = {"", "Background", "Foreground", "Orphan"};
    AUTO_ARENA a = arena_new();
    struct thing *t = clients_any_thing(c);
    str policy = str_c(policies[world_below(c->w, COUNT(policies))]);
    bool wrong = world_chance(c->w, 10);
    struct buf b = buf_new(a, KIB);

    if (!t)
        return;
    buf_fmt(&b, "{\"preconditions\":{\"uid\":\"%.*s\"}%s%.*s%s}",
            STR_ARG(wrong ? STR("another") : uid_of(t->object)),
            policy.len ? ",\"propagationPolicy\":\"" : "", STR_ARG(policy), policy.len ? "\"" : "");
    int status = clients_ask(c, "DELETE", clients_place(c, a, t->kind, t->key), buf_str(&b));
    struct answered by = {t->kind, str_copy(a, t->key), NULL};
    if (!clients_failed(c))
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
    audit_changes(c, &by);
}
