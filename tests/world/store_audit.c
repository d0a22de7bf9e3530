/* SPDX-License-Identifier: Apache-2.0 */
/* store_audit.c - checks the store's events against the answers to clients. */
#include "world/store_internal.h"

void audit_open(struct clients *c)
{
    AUTO_ARENA a = arena_new();

    c->first = c->m.version;
    c->times.len = 0;
    for (size_t i = 0; i < kind_count; i++) {
        str target = str_fmt(a, "%.*s?watch=true&timeoutSeconds=1000000&resourceVersion=%llu",
                             STR_ARG(clients_collection(c, a, &kinds[i], STR_NONE)),
                             (unsigned long long)c->m.version);
        c->audit[i] = local_watch(&c->w->client, str_z(a, target));
        world_expect(c->w, c->audit[i], "the auditor cannot watch: %.*s",
                     STR_ARG(c->w->client.text));
    }
}

void audit_close(struct clients *c)
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

/* Collects all events since the last time, in order. */
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

/* by is NULL after a step of the collector; otherwise there may be at most one change. */
void audit_changes(struct clients *c, const struct answered *by)
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

/* Checks that a list of every type is what the model has. */
void audit_lists(struct clients *c)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < kind_count; i++) {
        str target = clients_collection(c, a, &kinds[i], STR_NONE);
        world_expect(c->w, local_ask(&c->w->client, "GET", str_z(a, target), "") == 200,
                     "a list failed: %.*s", STR_ARG(c->w->client.text));
        struct replica want = replica_of_model(c, &kinds[i], NULL),
                       got = replica_of_items(c, &kinds[i], a);
        replica_expect(c, &want, &got, "a list");
        const struct value *items = value_get(c->w->client.body, STR("items"));
        for (size_t k = 0; k < value_len(items); k++) {
            struct thing *t = model_thing(&c->m, &kinds[i], key_of(a, &kinds[i], &items->items[k]));
            world_expect(c->w, value_equal(t->object, &items->items[k]),
                         "a list has another state of %.*s", STR_ARG(t->key));
        }
    }
}
