/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_arm_put.c - custom resources and the PUT that was recorded for them.
 *
 * One case per file: docs (the subject first, then what it refers to), secrets, config maps, and
 * the expected path, api-version and body. Names in braces stand for the recorded ones. Cases that
 * depend on what Azure already holds ("azure-state") are counted as not applicable.
 *
 * The model is the one in the program; while that has none, the folder ../shared/azure/model.
 */
#include "vectors.h"

#include "azure/convert.h"
#include "azure/manifests.h"
#include "text/json.h"

#define SUBSCRIPTION "00000000-0000-0000-0000-000000000000"

/* Opened once, kept to the end of the run. */
static struct model *open_model(struct err *e)
{
    static struct arena *arena;
    static struct model *model;

    if (model)
        return model;
    arena = arena_new();
    if (!model_open(arena, STR_NONE, &model, e))
        return NULL;
    if (model_file_count(model) == 0 && !model_open(arena, STR("../shared/azure/model"), &model, e))
        return NULL;
    return model;
}

static str replace(struct arena *a, str text, str old, str with)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str before;

    while (str_cut(text, old, &before, &text)) {
        buf_add(&b, before);
        buf_add(&b, with);
    }
    buf_add(&b, before);
    return buf_str(&b);
}

/* The case with its placeholders filled in. */
static bool fill_in(struct arena *a, const struct value *vector, struct value **out, struct err *e)
{
    const struct value *names = value_get(vector, STR("placeholders"));
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (!json_write(&b, vector, &json_exact, e))
        return false;
    str text = buf_str(&b);
    for (size_t i = 0; i < value_len(names); i++)
        text = replace(a, text, value_key(&names->items[i]), value_str(&names->items[i]));
    struct source *src = ARENA_NEW(a, struct source);
    src->text = text;
    return json_read(a, src, NULL, out, e);
}

/*
 * The recording moved the ids of references from the samples' group to one of its own, also in
 * members that are spelled ARMID; the case file names the new group only where it is spelled armId.
 */
struct moving {
    struct arena *arena;
    str group;
};

static bool move_id(void *ctx, struct value *v, size_t depth)
{
    const struct moving *m = ctx;
    str key = value_key(v);

    (void)depth;
    if (v->kind == VALUE_STRING && str_eq_fold(key, STR("armId")) && !str_eq(key, STR("armId"))) {
        str moved = replace(m->arena, value_str(v), STR("/resourceGroups/aso-sample-rg/"),
                            str_fmt(m->arena, "/resourceGroups/%.*s/", STR_ARG(m->group)));
        v->text = moved.ptr;
        v->len = (uint32_t)moved.len;
    }
    return true;
}

static void move_ids(struct arena *a, struct value *filled)
{
    struct value *docs = value_get(filled, STR("docs"));
    struct moving m = {.arena = a};

    for (size_t i = 0; i < value_len(docs); i++)
        if (str_eq(value_get_str(value_at(docs, i), STR("kind")), STR("ResourceGroup")))
            m.group = object_name(value_at(docs, i)).name;
    if (m.group.len)
        value_walk(docs, move_id, &m);
}

/* {name: {key: value}} as objects of Kubernetes. */
static void add_plain(struct arena *a, struct manifests *m, const struct value *all,
                      const char *kind, const char *data, str namespace)
{
    for (size_t i = 0; i < value_len(all); i++) {
        struct value *object = value_object(a), *meta = value_object(a);
        value_set_str(a, object, STR("apiVersion"), STR("v1"));
        value_set_str(a, object, STR("kind"), str_c(kind));
        value_set_str(a, meta, STR("name"), value_key(&all->items[i]));
        value_set_str(a, meta, STR("namespace"), namespace);
        value_set(a, object, STR("metadata"), meta);
        value_set(a, object, str_c(data), &all->items[i]);
        manifests_add(m, &(struct doc){.root = object});
    }
}

static struct manifests *gather(struct arena *a, struct model *model, const struct value *vector)
{
    struct manifests *m = manifests_new(a, model, STR(SUBSCRIPTION));
    const struct value *docs = value_get(vector, STR("docs"));
    str namespace = object_name(value_at(docs, 0)).namespace;

    for (size_t i = 0; i < value_len(docs); i++)
        manifests_add(m, &(struct doc){.root = value_at(docs, i)});
    add_plain(a, m, value_get(vector, STR("secrets")), "Secret", "stringData", namespace);
    add_plain(a, m, value_get(vector, STR("configMaps")), "ConfigMap", "data", namespace);
    return m;
}

static str shown(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct json_style sorted = {.sorted = true};

    return v && json_write(&b, v, &sorted, NULL) ? buf_str(&b) : STR_NONE;
}

static bool compare(struct arena *a, const struct arm_request *got, const struct value *expect,
                    struct buf *why)
{
    str path = value_get_str(expect, STR("path")), api = value_get_str(expect, STR("apiVersion"));
    const struct value *body = value_get(expect, STR("body"));
    bool same = true;

    if (!str_eq(got->id, path))
        same = vector_differs(why, "path", got->id, path);
    if (!str_eq(got->api_version, api))
        same = vector_differs(why, "api-version", got->api_version, api);
    if (!value_equal(got->body, body))
        same = vector_differs(why, "body", shown(a, got->body), shown(a, body));
    return same;
}

static bool run_case(struct arena *a, const struct value *vector, struct buf *why, struct err *e)
{
    struct model *model = open_model(e);
    struct value *filled;
    const struct model_resource *res;
    struct arm_request got;

    if (!model || !fill_in(a, vector, &filled, e))
        return false;
    move_ids(a, filled);
    const struct value *subject = value_at(value_get(filled, STR("docs")), 0);
    struct manifests *m = gather(a, model, filled);
    return object_resource(model, subject, &res, e) &&
           convert_to_arm(a, manifests_resolver(m), res, subject, NULL, &got, e) &&
           compare(a, &got, value_get(filled, STR("expect")), why);
}

static bool run_arm_put(struct arena *a, const struct value *vector, struct buf *why)
{
    AUTO_ERR e = {0};
    bool ok = run_case(a, vector, why, &e);

    if (e.kind != ERR_NONE)
        buf_fmt(why, "  error: %.*s\n", STR_ARG(e.text));
    return ok;
}

static bool needs_no_state(struct arena *a, const struct value *vector)
{
    const struct value *features = value_get(vector, STR("features"));

    (void)a;
    for (size_t i = 0; i < value_len(features); i++)
        if (str_eq(value_str(value_at(features, i)), STR("azure-state")))
            return false;
    return true;
}

const struct vector_kind vector_arm_put = {
    .name = "arm-put",
    .help = "custom resources and the PUT that ARM must get",
    .document = true,
    .run = run_arm_put,
    .applies = needs_no_state,
};
