/* SPDX-License-Identifier: Apache-2.0 */
/* arm_case.c - reads the cases of arm-put. */
#include "support/arm_case.h"

#include "text/json/json.h"

#define SUBSCRIPTION "00000000-0000-0000-0000-000000000000"

/* Opened once and kept until the end of the run. */
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
 * The recording moved the ids of references from the samples' group to its own, even in members
 * that are spelled ARMID; the case file has the new group only in those spelled armId.
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
            m.group = object_key_of(value_at(docs, i)).name;
    if (m.group.len)
        value_walk(docs, move_id, &m);
}

void arm_case_add(struct arena *a, struct arm_case *c, bool secret, str name,
                  const struct value *values)
{
    struct value *object = value_object(a), *meta = value_object(a);

    value_set_str(a, object, STR("apiVersion"), STR("v1"));
    value_set_str(a, object, STR("kind"), secret ? STR("Secret") : STR("ConfigMap"));
    value_set_str(a, meta, STR("name"), name);
    value_set_str(a, meta, STR("namespace"), object_namespace(c->objects.items[0]));
    value_set(a, object, STR("metadata"), meta);
    value_set(a, object, secret ? STR("stringData") : STR("data"), values);
    VEC_PUSH(a, &c->objects, object);
}

bool arm_case_read(struct arena *a, const struct value *vector, struct arm_case *out, struct err *e)
{
    *out = (struct arm_case){.model = open_model(e)};
    if (!out->model || !fill_in(a, vector, &out->filled, e))
        return false;
    move_ids(a, out->filled);
    const struct value *docs = value_get(out->filled, STR("docs"));
    if (!value_len(docs))
        return err_set(e, ERR_INVALID, "a case has documents");
    const struct value *secrets = value_get(out->filled, STR("secrets"));
    const struct value *configs = value_get(out->filled, STR("configMaps"));
    out->docs = value_len(docs);
    for (size_t i = 0; i < value_len(docs); i++)
        VEC_PUSH(a, &out->objects, value_at(docs, i));
    for (size_t i = 0; i < value_len(secrets); i++)
        arm_case_add(a, out, true, value_key(&secrets->items[i]), &secrets->items[i]);
    for (size_t i = 0; i < value_len(configs); i++)
        arm_case_add(a, out, false, value_key(&configs->items[i]), &configs->items[i]);
    return true;
}

struct manifests *arm_case_manifests(struct arena *a, const struct arm_case *c, size_t without)
{
    struct manifests *m = manifests_new(a, c->model, STR(SUBSCRIPTION));

    for (size_t i = 0; i < c->objects.len; i++)
        if (i != without)
            manifests_add(m, &(struct doc){.root = c->objects.items[i]});
    return m;
}

bool arm_case_has_state(const struct value *vector)
{
    const struct value *features = value_get(vector, STR("features"));

    for (size_t i = 0; i < value_len(features); i++)
        if (str_eq(value_str(value_at(features, i)), STR("azure-state")))
            return true;
    return false;
}
