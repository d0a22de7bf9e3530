/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - prevents a path from causing a PUT in every period.
 *
 * Each corrective PUT is counted for the paths and the pairs of values that caused it. After the
 * same pair at a path twice, or any values there three times, no more PUTs are caused: a policy,
 * another tool or the service itself must be restoring the value. A new payload resets the counts.
 */
#include "operator/detect/internal.h"

/* The most entries; the oldest ones are dropped. */
#define GUARD_MAX 64
#define SAME_PAIR 2
#define SAME_PATH 3

static const struct value *kept_form(struct detect *d, const struct deviation *f,
                                     const struct value *v)
{
    return f->hidden ? hidden_form(d, v) : shorten(d, v);
}

static bool is_pair(struct detect *d, const struct guard_entry *g, const struct deviation *f)
{
    return str_eq(g->path, f->path) && value_equal(g->wanted, kept_form(d, f, f->before)) &&
           value_equal(g->found, kept_form(d, f, f->found));
}

bool guard_holds(struct detect *d, const struct guard *g, const struct deviation *f)
{
    unsigned here = 0;

    for (size_t i = 0; i < g->count; i++) {
        if (!str_eq(g->items[i].path, f->path))
            continue;
        here += g->items[i].puts;
        if (g->items[i].puts >= SAME_PAIR && is_pair(d, &g->items[i], f))
            return true;
    }
    return here >= SAME_PATH;
}

bool guard_knows(const struct guard *g, const struct deviations *f)
{
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = 0; !f->items[i].wanted && k < g->count; k++)
            if (str_eq(g->items[k].path, f->items[i].path))
                return true;
    return false;
}

static struct guard_entry *entry_for(struct detect *d, struct guard *g, const struct deviation *f)
{
    for (size_t i = 0; i < g->count; i++)
        if (is_pair(d, &g->items[i], f))
            return &g->items[i];
    if (g->count == GUARD_MAX) {
        memmove(g->items, g->items + 1, (GUARD_MAX - 1) * sizeof(*g->items));
        g->count--;
    }
    struct guard_entry *e = &g->items[g->count++];
    *e = (struct guard_entry){
        .path = f->path, .wanted = kept_form(d, f, f->before), .found = kept_form(d, f, f->found)};
    return e;
}

void guard_count(struct detect *d, struct guard *g, const struct deviations *f)
{
    struct guard_entry *room = ARENA_ARRAY(d->arena, struct guard_entry, GUARD_MAX);

    for (size_t i = 0; i < g->count; i++)
        room[i] = g->items[i];
    g->items = room;
    for (size_t i = 0; i < f->count; i++)
        entry_for(d, g, &f->items[i])->puts++;
}

struct deviations guard_filter(struct detect *d, const struct guard *g, struct deviations *f)
{
    struct deviations held = {.items = ARENA_ARRAY(d->arena, struct deviation, f->count + 1)};
    size_t kept = 0;

    for (size_t i = 0; i < f->count; i++) {
        if (guard_holds(d, g, &f->items[i]))
            held.items[held.count++] = f->items[i];
        else
            f->items[kept++] = f->items[i];
    }
    f->count = kept;
    return held;
}

static bool is_among(const struct deviations *f, str path)
{
    for (size_t i = 0; i < f->count; i++)
        if (str_eq(f->items[i].path, path))
            return true;
    return false;
}

struct deviations guard_stuck(struct detect *d, const struct guard *g,
                              const struct deviations *held, const struct value *wanted,
                              const struct value *found)
{
    struct deviations out = {
        .items = ARENA_ARRAY(d->arena, struct deviation, held->count + g->count + 1)};

    for (size_t i = 0; i < held->count; i++)
        out.items[out.count++] = held->items[i];

    for (size_t i = 0; i < g->count; i++) {
        const struct guard_entry *e = &g->items[i];
        struct path path;
        if (e->puts < SAME_PAIR || is_among(held, e->path) ||
            !path_parse_dotted(d->arena, e->path, &path, NULL))
            continue;
        struct deviation f = {.path = e->path,
                              .kind = DIFFERENCE_CHANGED,
                              .wanted = path_resolve(&path, wanted),
                              .before = e->wanted,
                              .found = path_resolve(&path, found)};
        f.hidden = is_hidden(d, &path, !f.found);
        if (value_equal(e->found, kept_form(d, &f, f.found)))
            out.items[out.count++] = f;
    }
    return out;
}

struct value *guard_write(struct arena *a, const struct guard *g)
{
    struct value *list = value_list(a);

    for (size_t i = 0; i < g->count; i++) {
        const struct guard_entry *e = &g->items[i];
        struct value *v = value_object(a);
        value_set_str(a, v, STR("path"), e->path);
        if (e->wanted)
            value_set(a, v, STR("wanted"), e->wanted);
        if (e->found)
            value_set(a, v, STR("found"), e->found);
        value_set_int(a, v, STR("puts"), e->puts);
        value_add(a, list, v);
    }
    return list;
}

void guard_read(struct arena *a, const struct value *v, struct guard *out)
{
    *out = (struct guard){.items = ARENA_ARRAY(a, struct guard_entry, GUARD_MAX)};
    for (size_t i = 0; i < value_len(v) && out->count < GUARD_MAX; i++) {
        const struct value *one = value_at(v, i);
        int64_t puts = 0;
        str path = value_get_str(one, STR("path"));
        if (!path.len || !value_to_i64(value_get(one, STR("puts")), &puts) || puts < 1)
            continue;
        out->items[out->count++] =
            (struct guard_entry){.path = path,
                                 .wanted = value_get(one, STR("wanted")),
                                 .found = value_get(one, STR("found")),
                                 .puts = puts > SAME_PATH ? SAME_PATH : (unsigned)puts};
    }
}
