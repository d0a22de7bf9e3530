/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_drift.c - change detection with the recorded cases of arm-put (see cases.c), which the
 * simulator returns like the recorded Azure: with defaults, in a different case or order, without
 * secrets and so on.
 *
 * There is a day without a write; then somebody changes members of resources in the portal, both
 * set ones and those left to Azure.
 */
#include "world/behaviours.h"

#include "azure/resolve.h"
#include "text/json/json.h"
#include "value/path.h"

#include <stdio.h>

#define DAY (24 * WORLD_HOUR)
#define A_PERIOD (STAGE_PERIOD + STAGE_PERIOD / 4 + 3 * WORLD_MINUTE)
/* The longest operation of recorded types. */
#define OPERATION (60 * WORLD_MINUTE)
/* Everything is Ready, and its records are final. */
#define SETTLED (120 * WORLD_MINUTE)

static struct stage stage;

/* A resource of a set, and how Azure shows it. */
struct resource {
    const struct value *object; /* from the cache; lives until time passes */
    str id, version;
    const struct value *sent, *found;
};

static const struct value *read_json(struct stage *s, str text)
{
    struct source *src = ARENA_NEW(s->w->arena, struct source);
    struct value *v = NULL;

    src->text = text;
    return json_read(s->w->arena, src, NULL, &v, NULL) ? v : NULL;
}

/* False: it cannot be changed behind our back, or cannot be read. */
static bool look_at(struct stage *s, const struct value *object, struct resource *out)
{
    const struct model_resource *res;

    *out = (struct resource){.object = cases_newest(s, object)};
    if (!cases_is_ours(object) || !out->object ||
        !object_resource(s->model, out->object, &res, NULL))
        return false;
    out->id = str_copy(s->w->arena, object_annotation(out->object, STR(ANNOTATION_RESOURCE_ID)));
    out->version = res->api_version;
    for (size_t i = s->sent.len; i > 0 && !out->sent; i--)
        if (str_eq_fold(s->sent.items[i - 1].id, out->id))
            out->sent = read_json(s, s->sent.items[i - 1].body);
    struct sim_response r = stage_azure(s, "GET", out->id, out->version, STR_NONE);
    out->found = r.status == 200 ? read_json(s, r.body) : NULL;
    return out->sent && out->found;
}

/* One change of a member, by somebody in the portal. */
struct change {
    str at; /* dotted */
    const struct value *before;
    str value;
};

static str changed(struct arena *a, const struct value *v)
{
    switch ((enum value_kind)v->kind) {
    case VALUE_BOOL:
        return value_is_true(v) ? STR("false") : STR("true");
    case VALUE_INT:
        return STR("4242");
    default:
        return str_fmt(a, "\"%.*s-changed\"", STR_ARG(value_text(v)));
    }
}

static bool is_simple(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < ' ' || str_find_char(STR("\"\\.[]"), text.ptr[i]) != STR_NPOS)
            return false;
    return text.len > 0;
}

/* Collects members that were sent, are shown as sent, and have a dotted path. */
static void collect_set(struct stage *s, const struct value *sent, const struct value *found,
                        str at, struct str_list *out)
{
    for (size_t i = 0; i < value_len(sent) && value_is(sent, VALUE_OBJECT); i++) {
        const struct value *v = &sent->items[i], *now = value_get(found, value_key(v));
        str path = at.len ? str_fmt(s->w->arena, "%.*s.%.*s", STR_ARG(at), STR_ARG(value_key(v)))
                          : value_key(v);
        if (!now || !is_simple(value_key(v)) || str_eq(path, STR("name")) ||
            str_eq(path, STR("id")))
            continue;
        if (value_is(v, VALUE_OBJECT))
            collect_set(s, v, now, path, out);
        else if (!value_is_container(v) && v->kind != VALUE_NULL && v->kind != VALUE_FLOAT &&
                 value_equal(v, now) && (v->kind != VALUE_STRING || is_simple(value_str(v))))
            VEC_PUSH(s->w->arena, out, path);
    }
}

static const struct value *at_path(struct stage *s, const struct value *v, str dotted)
{
    struct path path;

    return path_parse_dotted(s->w->arena, dotted, &path, NULL) ? path_resolve(&path, v) : NULL;
}

/* Collects what Azure has filled in, according to the record. */
static void collect_unset(struct stage *s, const struct resource *r, struct str_list *out)
{
    const struct value *known =
        at_path(s, r->object, STR("status.operatorStatus.knownDifferences"));

    for (size_t i = 0; i < value_len(known); i++) {
        const struct value *k = value_at(known, i), *found = value_get(k, STR("found"));
        str path = value_get_str(k, STR("path"));
        const struct value *now = at_path(s, r->found, path);
        if (str_eq(value_get_str(k, STR("cause")), STR("defaulted")) && found && now &&
            str_find_char(path, '[') == STR_NPOS && str_find_char(path, '"') == STR_NPOS &&
            !value_is_container(now) && now->kind != VALUE_NULL && now->kind != VALUE_FLOAT &&
            now->len + 1 > 1 && (now->kind != VALUE_STRING || is_simple(value_str(now))))
            VEC_PUSH(s->w->arena, out, str_copy(s->w->arena, path));
    }
}

static bool choose(struct stage *s, const struct resource *r, bool unset, struct change *out)
{
    struct str_list all = {0};

    if (unset)
        collect_unset(s, r, &all);
    else
        collect_set(s, r->sent, r->found, STR_NONE, &all);
    if (!all.len)
        return false;
    out->at = all.items[world_below(s->w, all.len)];
    out->before = at_path(s, r->found, out->at);
    out->value = changed(s->w->arena, out->before);
    return true;
}

/* Carried values have the canonical spelling: a SKU in lower case. */
static bool is_alike(const struct value *x, const struct value *y)
{
    return x && (value_equal(x, y) || str_eq_fold(value_str(x), value_str(y)));
}

/* A change under way. */
struct correction {
    const struct value *object;
    struct resource resource;
    struct change change;
    unsigned before; /* PUTs of the resource */
    unsigned most;   /* how many may follow */
    bool seen;       /* within a period */
};

/* Somebody changes the object. False: there is nothing like this to change. */
static bool inject(struct stage *s, const struct value *object, bool unset, struct correction *out)
{
    struct resource *r = &out->resource;

    *out = (struct correction){.object = object, .most = unset && s->options.keeps ? 2 : 1};
    if (!look_at(s, object, r) || !choose(s, r, unset, &out->change))
        return false;
    out->before = stage_puts(s, r->id);
    stage_change(s, str_z(s->w->arena, r->id), str_z(s->w->arena, out->change.at),
                 str_z(s->w->arena, out->change.value));
    return true;
}

static unsigned came(struct stage *s, const struct correction *c)
{
    return stage_puts(s, c->resource.id) - c->before;
}

/* What is wrong with the correction, or NULL. */
static const char *fault_of(struct stage *s, const struct correction *c)
{
    struct resource now;

    if (!c->seen)
        return "not seen within a period";
    if (came(s, c) > c->most)
        return "too many PUTs";
    if (!look_at(s, c->object, &now) ||
        !is_alike(at_path(s, now.found, c->change.at), c->change.before))
        return "not corrected";
    return NULL;
}

struct corrections {
    VEC(struct correction) items;
};

/* Prints all faults; the last one ends the run. */
static void expect_faultless(struct stage *s, const struct corrections *all)
{
    char last[300] = "";

    for (size_t i = 0; i < all->items.len; i++) {
        const struct correction *c = &all->items.items[i];
        const char *fault = fault_of(s, c);
        if (!fault)
            continue;
        if (*last)
            printf("%s\n", last);
        (void)snprintf(last, sizeof(last), "%.*s of %.*s: %s (%u PUTs)", STR_ARG(c->change.at),
                       STR_ARG(c->resource.id), fault, came(s, c));
    }
    world_expect(s->w, !*last, "%s", last);
}

/* Each is noticed within a period and corrected with at most this many PUTs, and nothing else is
 * written. */
static void expect_corrected(struct stage *s, struct corrections *all)
{
    unsigned writes = s->arm_writes - s->refused, sum = 0;

    stage_run(s, A_PERIOD);
    for (size_t i = 0; i < all->items.len; i++)
        all->items.items[i].seen = came(s, &all->items.items[i]) > 0;
    stage_run(s, OPERATION);
    expect_faultless(s, all);
    for (size_t i = 0; i < all->items.len; i++)
        sum += came(s, &all->items.items[i]);
    world_expect(s->w, s->arm_writes - s->refused == writes + sum, "%u PUTs of others, one of %.*s",
                 s->arm_writes - s->refused - writes - sum,
                 STR_ARG(s->sent.items[s->sent.len - 1].id));
}

/* One object of each set at a time, since sets do not affect each other. */
static size_t correct_each(struct stage *s, const struct case_set *sets, size_t count)
{
    size_t most = 0, corrected = 0;

    for (size_t i = 0; i < count; i++)
        most = sets[i].objects.len > most ? sets[i].objects.len : most;
    for (size_t i = 0; i < 2 * most; i++) {
        struct corrections all = {0};
        for (size_t k = 0; k < count; k++) {
            struct correction c;
            if (i / 2 < sets[k].objects.len && inject(s, sets[k].objects.items[i / 2], i % 2, &c))
                VEC_PUSH(s->w->arena, &all.items, c);
        }
        if (all.items.len)
            expect_corrected(s, &all);
        corrected += all.items.len;
    }
    return corrected;
}

static void expect_a_quiet_day(struct stage *s)
{
    size_t from = s->sent.len;
    unsigned writes = s->arm_writes;

    stage_run(s, DAY);
    for (size_t i = from; i < s->sent.len && scenario_scale > 1; i++)
        printf("written: %.*s %.*s\n", STR_ARG(s->sent.items[i].id),
               STR_ARG(s->sent.items[i].body));
    world_expect(s->w, s->arm_writes == writes, "%u writes without a reason",
                 s->arm_writes - writes);
}

/* One case at a time. */
void cases_drift(struct world *w)
{
    bool keeps = world_chance(w, 50);
    struct case_set set;

    if (!cases_open(&stage, w, &(struct stage_options){.keeps = keeps}, 1, &set))
        return;
    stage_run(&stage, SETTLED);
    cases_expect_ready(&stage, &set);
    expect_a_quiet_day(&stage);
    (void)correct_each(&stage, &set, 1);
    stage_close(&stage);
}

/* ---- All types at once. ---------------------------------------------------------------------- */

#define RESOURCES (scenario_scale > 1 ? 2000u : 12u)

/* Every case in turn until there are enough resources. */
static size_t open_apart(struct stage *s, struct world *w, bool keeps, struct case_set **out)
{
    struct str_list list = cases_files(w);
    size_t count = 0, resources = 0, first = scenario_scale > 1 ? 0 : world_below(w, 1000);
    VEC(struct case_set) sets = {0};

    if (!list.len)
        return 0;
    stage_open(s, w, &(struct stage_options){.keeps = keeps});
    for (size_t i = 0; resources < RESOURCES; i++) {
        struct case_set set;
        if (!cases_add_apart(s, list.items[(first + i) % list.len], i, &set))
            continue;
        for (size_t k = 0; k < set.objects.len; k++)
            resources += cases_is_ours(set.objects.items[k]);
        VEC_PUSH(w->arena, &sets, set);
        count++;
    }
    *out = sets.items;
    return count;
}

static void run_day(struct world *w, bool keeps)
{
    struct case_set *sets = NULL;
    size_t count = open_apart(&stage, w, keeps, &sets);

    if (!count)
        return;
    stage_run(&stage, SETTLED);
    for (size_t i = 0; i < count; i++)
        cases_expect_ready(&stage, &sets[i]);
    expect_a_quiet_day(&stage);
    size_t corrected = correct_each(&stage, sets, count);
    if (scenario_scale > 1)
        printf("%zu resources of %zu kinds: a day without a write, %zu changes corrected\n",
               value_len(stage_resources(&stage)), stage.kinds.len, corrected);
    stage_close(&stage);
}

void cases_drift_day(struct world *w)
{
    run_day(w, false);
}

/* The same if a PUT keeps what it omits. */
void cases_drift_day_kept(struct world *w)
{
    run_day(w, true);
}
