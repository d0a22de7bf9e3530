/* SPDX-License-Identifier: Apache-2.0 */
/*
 * swept.c - the cost of looks: many resources of many types, and children, with lists.
 *
 * With --scale 10 it is 10,000 resources of 40 types in 50 groups. The types are those of recorded
 * cases that need nothing but a group.
 */
#include "world/behaviours.h"

#include "azure/needs.h"
#include "azure/resolve.h"

#include <stdio.h>

#define PERIODS 4
#define CHILDREN 10

static struct stage stage;

static unsigned types(void)
{
    return scenario_scale > 1 ? 40 : 3;
}

static unsigned groups(void)
{
    return scenario_scale > 1 ? 50 : 5;
}

/* How many of each type. */
static unsigned each(void)
{
    return scenario_scale > 1 ? 25 * scenario_scale : 40;
}

/* Whether the object needs only its group, by name. Its exports are removed later. */
static bool stands_alone(struct stage *s, const struct value *object)
{
    const struct model_resource *res;
    struct needs needs = {0};
    bool owned = false;

    if (!object_resource(s->model, object, &res, NULL))
        return false;
    needs_of(s->w->arena, res, object, &needs);
    for (size_t i = 0; i < needs.len; i++) {
        const struct need *n = &needs.items[i];
        if (need_is_export(n))
            continue;
        if (n->kind != NEED_OWNER || !str_eq(n->object.kind, STR("ResourceGroup")))
            return false;
        owned = true;
    }
    return owned;
}

struct kinds {
    VEC(const struct value *) items; /* one object of each */
};

/* Takes one object of each new kind. */
static void choose_from(struct stage *s, const struct arm_case *c, struct map *seen,
                        struct kinds *out)
{
    for (size_t i = 0; i < c->docs && out->items.len < types(); i++) {
        const struct value *object = c->objects.items[i];
        struct object_key key = object_key_of(object);
        str kind = str_fmt(s->w->arena, "%.*s/%.*s", STR_ARG(key.group), STR_ARG(key.kind));
        if (map_has(seen, kind) || !stands_alone(s, object))
            continue;
        map_set(seen, kind, s);
        VEC_PUSH(s->w->arena, &out->items, object);
    }
}

static void choose_kinds(struct stage *s, struct kinds *out)
{
    struct str_list files = cases_files(s->w);
    struct map *seen = map_new(s->w->arena);
    struct arm_case c;

    for (size_t i = 0; i < files.len && out->items.len < types(); i++)
        if (cases_read(s->w, files.items[i], &c))
            choose_from(s, &c, seen, out);
}

static void apply_kind(struct stage *s, const struct value *like, unsigned kind)
{
    for (unsigned i = 0; i < each(); i++) {
        AUTO_ARENA a = arena_new();
        struct value *one = value_clone(a, like);
        struct value *meta = value_get(one, STR("metadata")), *spec = value_get(one, STR("spec"));
        value_set_str(a, meta, STR("name"), str_fmt(a, "x%uy%u", kind, i));
        value_unset(meta, STR("namespace"));
        value_unset(spec, STR("azureName"));
        value_unset(spec, STR("operatorSpec"));
        value_set_str(a, value_get(spec, STR("owner")), STR("name"),
                      str_fmt(a, "rg%u", i % groups()));
        world_expect(s->w, stage_apply(s, one) == 201, "refused: %.*s", STR_ARG(s->w->client.text));
    }
}

static void apply_networks(struct stage *s, unsigned networks)
{
    for (unsigned i = 0; i < networks; i++) {
        AUTO_ARENA a = arena_new();
        const char *name = str_z(a, str_fmt(a, "net%u", i));
        many_apply(s, NETWORK("net", "", ""), "net", i, str_z(a, str_fmt(a, "rg%u", i % groups())));
        for (unsigned k = 0; k < CHILDREN; k++)
            many_apply(s, SUBNET("sub", "net", ",'addressPrefix':'10.1.0.0/16'"), "sub",
                       i * CHILDREN + k, name);
    }
}

static void expect_all_ready(struct stage *s)
{
    for (size_t i = 0; i < map_len(s->cache); i++) {
        const struct value *object = map_at(s->cache, i);
        struct condition ready = {0};
        if (!object_key_of(object).group.len)
            continue;
        (void)condition_get(value_get(object, STR("status")), STR("Ready"), &ready);
        world_expect(s->w, str_eq(ready.status, STR("True")), "%.*s %.*s is not Ready: %.*s",
                     STR_ARG(object_key_of(object).kind), STR_ARG(object_name(object)),
                     STR_ARG(ready.message));
    }
}

/* Requests per resource and period, none of which may be a write. */
static double measure(struct stage *s, unsigned count)
{
    stage_run(s, 120 * WORLD_MINUTE);
    expect_all_ready(s);
    unsigned writes = s->arm_writes, reads = s->arm_reads;
    stage_run(s, PERIODS * STAGE_PERIOD);
    world_expect(s->w, s->arm_writes == writes, "%u writes without a reason",
                 s->arm_writes - writes);
    return (double)(s->arm_reads - reads) / count / PERIODS;
}

static void open(struct stage *s, struct world *w)
{
    stage_open(s, w, &(struct stage_options){0});
    for (unsigned i = 0; i < groups(); i++)
        many_apply(s, GROUP("rg", ""), "rg", i, NULL);
}

void drift_swept_types(struct world *w)
{
    struct stage *s = &stage;
    struct kinds kinds = {0};

    open(s, w);
    choose_kinds(s, &kinds);
    for (unsigned i = 0; i < kinds.items.len; i++)
        apply_kind(s, kinds.items.items[i], i);
    if (kinds.items.len) {
        unsigned count = (unsigned)kinds.items.len * each() + groups();
        double cost = measure(s, count);
        if (scenario_scale > 1)
            printf("%u resources of %zu types in %u groups: %.3f requests per resource and "
                   "period\n",
                   count, kinds.items.len, groups(), cost);
        world_expect(w, kinds.items.len == types(), "only %zu types", kinds.items.len);
        world_expect(w, cost <= 0.1, "%.3f requests per resource and period", cost);
    }
    stage_close(s);
}

/* The same with a third of children, ten in each parent. */
void drift_swept_children(struct world *w)
{
    struct stage *s = &stage;
    struct kinds kinds = {0};
    unsigned networks = types() * each() / 3 / CHILDREN + 1;

    open(s, w);
    choose_kinds(s, &kinds);
    for (unsigned i = 0; i < kinds.items.len * 2 / 3; i++)
        apply_kind(s, kinds.items.items[i], i);
    apply_networks(s, networks);
    unsigned count = (unsigned)(kinds.items.len * 2 / 3) * each() + groups() +
                     networks * (1 + CHILDREN);
    double cost = measure(s, count);
    if (scenario_scale > 1)
        printf("%u resources, %u of them children: %.3f requests per resource and period\n", count,
               networks * CHILDREN, cost);
    world_expect(w, cost <= 0.3, "%.3f requests per resource and period", cost);
    stage_close(s);
}
