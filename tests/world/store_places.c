/* SPDX-License-Identifier: Apache-2.0 */
/* store_places.c - where objects are, and what a watcher or a list knows about them. */
#include "world/store_internal.h"

/* ---- Places. ---- */

str clients_collection(struct clients *c, struct arena *a, const struct kind *kind, str namespace)
{
    str top = kind->group[0] ? str_fmt(a, "/apis/%s/v1", kind->group) : STR("/api/v1");

    (void)c;
    if (!namespace.len)
        return str_fmt(a, "%.*s/%s", STR_ARG(top), kind->plural);
    return str_fmt(a, "%.*s/namespaces/%.*s/%s", STR_ARG(top), STR_ARG(namespace), kind->plural);
}

/* The path of the object with this key. */
str clients_place(struct clients *c, struct arena *a, const struct kind *kind, str key)
{
    str namespace, name;

    if (!str_cut(key, STR("/"), &namespace, &name)) {
        name = key;
        namespace = STR_NONE;
    }
    return str_fmt(a, "%.*s/%.*s", STR_ARG(clients_collection(c, a, kind, namespace)),
                   STR_ARG(name));
}

const struct kind *clients_any_kind(struct clients *c)
{
    return &kinds[world_below(c->w, kind_count)];
}

str clients_any_key(struct clients *c, struct arena *a, const struct kind *kind)
{
    unsigned name = (unsigned)world_below(c->w, NAMES);

    if (!kind->namespaced)
        return str_fmt(a, "n%u", name);
    return str_fmt(a, "%s/n%u", world_chance(c->w, 70) ? "default" : "kube-system", name);
}

struct thing *clients_any_thing(struct clients *c)
{
    struct thing *t = c->m.things;

    for (uint64_t i = c->m.count ? world_below(c->w, c->m.count) : 0; i; i--)
        t = t->next;
    return t;
}

/* ---- Replicas. ---- */

struct known *replica_find(struct replica *r, str key)
{
    for (size_t i = 0; i < r->len; i++)
        if (str_eq(str_c(r->items[i].key), key))
            return &r->items[i];
    return NULL;
}

void replica_learn(struct replica *r, str key, uint64_t version)
{
    struct known *k = replica_find(r, key);

    if (!k)
        k = &r->items[r->len++];
    (void)snprintf(k->key, sizeof k->key, "%.*s", STR_ARG(key));
    k->version = version;
}

void replica_forget(struct replica *r, struct known *k)
{
    *k = r->items[--r->len];
}

bool replica_is_selected(const struct value *object, const char *selector)
{
    const struct value *labels = value_get(meta_of(object), STR("labels"));

    return !selector || str_eq(value_get_str(labels, STR("l")), str_c(selector));
}

struct replica replica_of_model(struct clients *c, const struct kind *kind, const char *selector)
{
    struct replica r = {0};

    for (struct thing *t = c->m.things; t; t = t->next)
        if (t->kind == kind && replica_is_selected(t->object, selector))
            replica_learn(&r, t->key, version_of(&c->m, t->object));
    return r;
}

void replica_expect(struct clients *c, struct replica *want, struct replica *got, const char *who)
{
    for (size_t i = 0; i < want->len; i++) {
        const struct known *k = replica_find(got, str_c(want->items[i].key));
        world_expect(c->w, k, "%s misses %s", who, want->items[i].key);
        world_expect(c->w, k->version == want->items[i].version,
                     "%s has version %llu of %s, not %llu", who, (unsigned long long)k->version,
                     want->items[i].key, (unsigned long long)want->items[i].version);
    }
    world_expect(c->w, want->len == got->len, "%s has %zu objects, not %zu", who, got->len,
                 want->len);
}

struct replica replica_of_items(struct clients *c, const struct kind *kind, struct arena *a)
{
    const struct value *items = value_get(c->w->client.body, STR("items"));
    struct replica r = {0};

    for (size_t i = 0; i < value_len(items); i++) {
        str key = key_of(a, kind, &items->items[i]);
        world_expect(c->w, !replica_find(&r, key), "a list has %.*s twice", STR_ARG(key));
        replica_learn(&r, key, version_of(&c->m, &items->items[i]));
    }
    return r;
}
