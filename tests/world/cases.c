/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.c - the recorded cases of arm-put as sets of objects.
 *
 * Each set is applied at once, in random order: every object becomes Ready, in the order of its
 * owners and references, with one PUT, and none is rejected because something is missing. Deleting
 * the group removes everything. The cases are in the folder PLUMB_CASES, or in the one beside this
 * tree; without any there is nothing to do.
 */
#include "world/behaviours.h"

#include "azure/needs.h"
#include "azure/resolve.h"
#include "base/file.h"
#include "text/json/json.h"

#include <stdlib.h>

/* The most objects of one run. */
#define TOGETHER 30

static struct stage stage;

struct str_list cases_files(struct world *w)
{
    struct str_list list = {0};
    const char *folder = getenv("PLUMB_CASES");
    str *names;
    size_t count;
    str path = folder ? str_c(folder) : STR("../shared/corpus/arm-put");

    if (!file_list(w->arena, path, &names, &count, NULL))
        return list;
    for (size_t i = 0; i < count; i++)
        if (str_has_suffix(names[i], STR(".json")))
            VEC_PUSH(w->arena, &list, file_join(w->arena, path, names[i]));
    return list;
}

bool cases_read(struct world *w, str file, struct arm_case *out)
{
    struct source *src = ARENA_NEW(w->arena, struct source);
    struct value *vector;

    return file_read(w->arena, file, &src->text, NULL) &&
           json_read(w->arena, src, NULL, &vector, NULL) &&
           arm_case_read(w->arena, vector, out, NULL);
}

/* ---- What is in Azure already. --------------------------------------------------------------- */

static void put_group(struct stage *s, str id)
{
    str rest = str_without_prefix(id, STR("/subscriptions/" STAGE_SUBSCRIPTION "/resourceGroups/"));
    str name, below;

    if (rest.len == id.len)
        return;
    str_cut(rest, STR("/"), &name, &below);
    str group = str_fmt(s->w->arena, "/subscriptions/" STAGE_SUBSCRIPTION "/resourceGroups/%.*s",
                        STR_ARG(name));
    if (stage_azure(s, "GET", group, STR("2020-06-01"), STR_NONE).status == 404)
        stage_azure(s, "PUT", group, STR("2020-06-01"), STR("{\"location\":\"westus2\"}"));
}

/* Sets owners by id. */
static bool put_owner(void *ctx, struct value *v, size_t depth)
{
    struct stage *s = ctx;

    (void)depth;
    if (str_eq(value_key(v), STR("owner")) && value_get_str(v, STR("armId")).len) {
        str id = value_get_str(v, STR("armId"));
        put_group(s, id);
        stage_azure(s, "PUT", id, STR("2023-01-01"), STR("{\"location\":\"westus2\"}"));
    }
    return true;
}

/* ---- One set. -------------------------------------------------------------------------------- */

/* Nobody would apply two objects for one group in two namespaces. */
static bool shares_group(const struct case_set *set, const struct arm_case *c)
{
    for (size_t i = 0; i < c->docs; i++)
        for (size_t k = 0; k < set->objects.len; k++) {
            struct object_key x = object_key_of(c->objects.items[i]);
            struct object_key y = object_key_of(set->objects.items[k]);
            if (str_eq(x.kind, STR("ResourceGroup")) && str_eq(y.kind, STR("ResourceGroup")) &&
                str_eq(x.name, y.name) && !str_eq(x.namespace, y.namespace))
                return true;
        }
    return false;
}

static void add_case(struct stage *s, struct case_set *set, const struct arm_case *c)
{
    if (shares_group(set, c))
        return;
    for (size_t i = 0; i < c->objects.len; i++) {
        struct object_key key = object_key_of(c->objects.items[i]);
        str text = object_key_text(s->w->arena, &key);
        if (map_has(set->seen, text))
            continue;
        map_set(set->seen, text, c->objects.items[i]);
        VEC_PUSH(s->w->arena, &set->objects, c->objects.items[i]);
        value_walk(c->objects.items[i], put_owner, s);
    }
}

static void make_namespace(struct stage *s, str name)
{
    AUTO_ARENA a = arena_new();

    if (!name.len || str_eq(name, STR("default")))
        return;
    str text = str_fmt(a, "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'%.*s'}}",
                       STR_ARG(name));
    (void)stage_apply(s, stage_parse(a, str_z(a, text)));
}

/* ---- What documents need, and no case has. ---- */

/*
 * Whether a Secret or ConfigMap is written by some document of the set; expressions are not
 * evaluated.
 */
static bool is_exported(struct stage *s, const struct case_set *set, const struct need *wanted)
{
    for (size_t i = 0; i < set->objects.len; i++) {
        const struct model_resource *res;
        struct needs needs = {0};
        if (!object_resource(s->model, set->objects.items[i], &res, NULL))
            continue;
        needs_of(s->w->arena, res, set->objects.items[i], &needs);
        for (size_t k = 0; k < needs.len; k++)
            if (need_is_export(&needs.items[k]) &&
                !str_contains(needs.items[k].path, STR("Expressions")) &&
                str_eq(needs.items[k].object.name, wanted->object.name))
                return true;
    }
    return false;
}

/*
 * Whether a Secret or ConfigMap of a case is written by one of its own documents, where the
 * recording had it from.
 */
static bool is_written(struct stage *s, const struct case_set *set, const struct value *object)
{
    struct object_key key = object_key_of(object);

    return !key.group.len && is_exported(s, set, &(struct need){.object = key});
}

static void add_value(struct stage *s, struct case_set *set, const struct need *n)
{
    struct arena *a = s->w->arena;
    bool secret = n->kind != NEED_CONFIG_MAP;
    str namespace = n->object.namespace.len ? n->object.namespace : STR("default");
    struct object_key key = {.kind = secret ? STR("Secret") : STR("ConfigMap"),
                             .namespace = n->object.namespace,
                             .name = n->object.name};
    str text = object_key_text(a, &key), member = secret ? STR("stringData") : STR("data");
    struct value *object = map_get(set->seen, text);

    if (!object) {
        object = stage_parse(
            a, str_z(a, str_fmt(a,
                                "{'apiVersion':'v1','kind':'%.*s','metadata':{'name':'%.*s',"
                                "'namespace':'%.*s'},'%.*s':{}}",
                                STR_ARG(key.kind), STR_ARG(key.name), STR_ARG(namespace),
                                STR_ARG(member))));
        map_set(set->seen, text, object);
        VEC_PUSH(a, &set->objects, object);
    }
    if (n->key.len && !value_get(value_get(object, member), n->key))
        value_set_str(a, value_get(object, member), n->key, STR("cGx1bWI="));
}

static void add_values(struct stage *s, struct case_set *set)
{
    for (size_t i = 0, count = set->objects.len; i < count; i++) {
        const struct model_resource *res;
        struct needs needs = {0};
        if (!object_resource(s->model, set->objects.items[i], &res, NULL))
            continue;
        needs_of(s->w->arena, res, set->objects.items[i], &needs);
        for (size_t k = 0; k < needs.len; k++) {
            const struct need *n = &needs.items[k];
            if ((n->kind == NEED_SECRET || n->kind == NEED_SECRET_MAP ||
                 n->kind == NEED_CONFIG_MAP) &&
                !is_exported(s, set, n))
                add_value(s, set, n);
        }
    }
}

bool cases_is_ours(const struct value *object)
{
    return object_key_of(object).group.len > 0;
}

static bool apply_set(struct stage *s, struct case_set *set)
{
    for (size_t i = 0; i < set->objects.len; i++) {
        size_t k = i + world_below(s->w, set->objects.len - i);
        const struct value *object = set->objects.items[k];
        set->objects.items[k] = set->objects.items[i];
        set->objects.items[i] = object;
        if (is_written(s, set, object))
            continue;
        make_namespace(s, object_key_of(object).namespace);
        int status = stage_apply(s, object);
        /*
         * Two samples spell a member in a different case than the schema, but the API server is
         * strict.
         */
        if (status == 422)
            return false;
        world_expect(s->w, status == 201, "%.*s was refused: %.*s", STR_ARG(object_name(object)),
                     STR_ARG(s->w->client.text));
    }
    return true;
}

const struct value *cases_newest(struct stage *s, const struct value *object)
{
    struct object_key key = object_key_of(object);

    if (!key.namespace.len)
        key.namespace = STR("default");
    return map_get(s->cache, object_key_text(s->w->arena, &key));
}

void cases_expect_ready(struct stage *s, const struct case_set *set)
{
    for (size_t i = 0; i < set->objects.len; i++) {
        const struct value *object = set->objects.items[i], *now;
        struct condition ready = {0};

        if (!cases_is_ours(object))
            continue;
        now = cases_newest(s, object);
        (void)condition_get(value_get(now, STR("status")), STR("Ready"), &ready);
        world_expect(s->w, str_eq(ready.status, STR("True")), "%.*s %.*s is not Ready: %.*s %.*s",
                     STR_ARG(object_key_of(object).kind), STR_ARG(object_name(object)),
                     STR_ARG(ready.reason), STR_ARG(ready.message));
    }
}

static void expect_one_put(struct stage *s)
{
    for (size_t i = 0; i < s->order.len; i++)
        world_expect(s->w, stage_puts(s, s->order.items[i]) == 1, "%u PUTs of %.*s",
                     stage_puts(s, s->order.items[i]), STR_ARG(s->order.items[i]));
    world_expect(s->w, !s->refused, "%u writes were refused", s->refused);
}

static void delete_groups(struct stage *s, const struct case_set *set)
{
    AUTO_ARENA a = arena_new();
    bool any = false;

    for (size_t i = 0; i < set->objects.len; i++) {
        const struct value *object = set->objects.items[i];
        if (!str_eq(object_key_of(object).kind, STR("ResourceGroup")))
            continue;
        any = true;
        str namespace = object_namespace(object).len ? object_namespace(object) : STR("default");
        world_expect(s->w,
                     local_askf(&s->w->client, "DELETE", "",
                                "/apis/resources.azure.com/v1api20200601/namespaces/%.*s/"
                                "resourcegroups/%.*s",
                                STR_ARG(namespace), STR_ARG(object_name(object))) == 200,
                     "the deletion was refused");
    }
    if (!any)
        return;
    stage_run(s, 300 * WORLD_MINUTE);
    for (size_t i = 0; i < set->objects.len; i++) {
        const struct value *object = set->objects.items[i];
        if (cases_is_ours(object) && cases_newest(s, object) &&
            object_owner_count(cases_newest(s, object)))
            world_fail(s->w, "%.*s %.*s is left", STR_ARG(object_key_of(object).kind),
                       STR_ARG(object_name(object)));
    }
}

bool cases_open(struct stage *s, struct world *w, const struct stage_options *options, size_t count,
                struct case_set *set)
{
    struct str_list list = cases_files(w);
    struct arm_case c;

    if (!list.len)
        return false;
    *set = (struct case_set){.seen = map_new(w->arena)};
    stage_open(s, w, options);
    for (size_t i = 0; i < count; i++) {
        str file = list.items[count == 1 ? (w->seed - 1) % list.len : world_below(w, list.len)];
        world_note(w, "case %.*s", STR_ARG(file));
        world_expect(w, cases_read(w, file, &c), "%.*s cannot be read", STR_ARG(file));
        add_case(s, set, &c);
    }
    add_values(s, set);
    if (apply_set(s, set))
        return true;
    stage_close(s);
    return false;
}

/* ---- Many sets side by side. ----------------------------------------------------------------- */

/* Moves a case to its own namespace and groups. */
static void move_apart(struct stage *s, const struct arm_case *c, size_t number)
{
    struct arena *a = s->w->arena;

    for (size_t i = 0; i < c->objects.len; i++) {
        struct value *object = c->objects.items[i];
        str name = object_name(object);
        value_set_str(a, value_get(object, STR("metadata")), STR("namespace"),
                      str_fmt(a, "case%zu", number));
        if (str_eq(object_key_of(object).kind, STR("ResourceGroup")))
            value_set_str(a, value_get(object, STR("spec")), STR("azureName"),
                          str_fmt(a, "%.*s-%zu", STR_ARG(name), number));
    }
}

bool cases_add_apart(struct stage *s, str file, size_t number, struct case_set *set)
{
    struct arm_case c;

    world_expect(s->w, cases_read(s->w, file, &c), "%.*s cannot be read", STR_ARG(file));
    *set = (struct case_set){.seen = map_new(s->w->arena)};
    move_apart(s, &c, number);
    add_case(s, set, &c);
    add_values(s, set);
    return apply_set(s, set);
}

/* ---- Runs. ----------------------------------------------------------------------------------- */

static void run_set(struct world *w, size_t count, const struct stage_faults *faults)
{
    static const struct stage_faults none;
    bool calm = !memcmp(faults, &none, sizeof none);
    struct case_set set;

    if (!cases_open(&stage, w, &(struct stage_options){.faults = *faults}, count, &set))
        return;
    stage_run(&stage, 11 * WORLD_MINUTE);
    if (calm)
        expect_one_put(&stage);
    stage_run(&stage, 60 * WORLD_MINUTE);
    if (!calm) {
        stage_calm(&stage);
        stage_run(&stage, 60 * WORLD_MINUTE);
    }
    cases_expect_ready(&stage, &set);
    stage_check_end(&stage);
    delete_groups(&stage, &set);
    stage_close(&stage);
}

void cases_alone(struct world *w)
{
    run_set(w, 1, &(struct stage_faults){0});
}

void cases_together(struct world *w)
{
    run_set(w, TOGETHER, &(struct stage_faults){0});
}

void cases_faults(struct world *w)
{
    run_set(w, 1,
            &(struct stage_faults){.lost_request = 3,
                                   .lost_answer = 3,
                                   .twice = 5,
                                   .late = 10,
                                   .missed = 2,
                                   .refused = 10,
                                   .crashes = (unsigned)world_below(w, 5),
                                   .leases = (unsigned)world_below(w, 3),
                                   .takeovers = (unsigned)world_below(w, 4),
                                   .held = 3,
                                   .jumps = (unsigned)world_below(w, 3),
                                   .throttled = (unsigned)world_below(w, 3)});
}

/* ---- Without a writer. ----------------------------------------------------------------------- */

static struct value *plan_set(struct stage *s, const struct case_set *set)
{
    const struct value **all = ARENA_ARRAY(s->w->arena, const struct value *, set->objects.len + 1);
    size_t count = 0;

    for (size_t i = 0; i < set->objects.len; i++)
        if (cases_newest(s, set->objects.items[i]))
            all[count++] = value_copy(s->w->arena, cases_newest(s, set->objects.items[i]));
    return plan_make(s, all, count);
}

/* Planning and observing write nothing, neither to Azure nor to the cluster. */
void cases_observed(struct world *w)
{
    struct case_set set;

    if (!cases_open(&stage, w, &(struct stage_options){.observe = true}, 1, &set))
        return;
    size_t before = value_len(stage_resources(&stage));
    stage_run(&stage, 5 * WORLD_MINUTE);
    (void)plan_set(&stage, &set);
    stage_run(&stage, 4 * STAGE_PERIOD);
    world_expect(w, stage.arm_writes + stage.kube_writes + stage.status_writes == 0,
                 "an observer writes");
    world_expect(w, value_len(stage_resources(&stage)) == before, "something was made in Azure");
    stage_close(&stage);
}

/* What is planned for a set that does not exist yet is sent byte for byte. */
void cases_planned(struct world *w)
{
    size_t unplanned;
    struct case_set set;

    if (!cases_open(&stage, w, &(struct stage_options){0}, 1, &set))
        return;
    stage.leads = false;
    stage_run(&stage, WORLD_MINUTE);
    const struct value *plan = plan_set(&stage, &set);
    stage.leads = true;
    stage_restart(&stage, NULL);
    stage_run(&stage, 71 * WORLD_MINUTE);
    size_t compared = plan_compare(&stage, plan, &unplanned);
    world_expect(w, compared, "nothing was planned, and %zu PUTs came", unplanned);
    stage_close(&stage);
}
