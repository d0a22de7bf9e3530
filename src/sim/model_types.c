/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_types.c - types without a file, derived from the resource model. Members that only the
 * status of a type has are read-only: services nearly always return such texts and numbers, and
 * half of such lists and objects. A boolean that nobody set is mostly returned as false. Writes
 * behave as for most types of the same provider (its type named "*"); without that, types with a
 * provisioning state take some time, and others do not.
 *
 * The model is read when the first such type is used.
 */
#include "sim/internal.h"

#include "azure/model/model.h"

/* Objects inside objects; types may contain themselves. */
#define DEPTH_MAX 16

struct sim_usual {
    struct arena *arena;
    struct model *model;
    struct map *types; /* by ARM type in lower case: struct versions */
    bool read;
};

struct versions {
    const struct model_resource **items;
    size_t len, cap;
};

struct sim_usual *sim_usual_new(struct arena *a)
{
    struct sim_usual *u = ARENA_NEW(a, struct sim_usual);

    u->arena = a;
    u->types = map_new(a);
    return u;
}

void sim_usual_free(struct sim_usual *u)
{
    if (u->model)
        model_close(u->model);
}

static void read_model(struct sim_usual *u)
{
    const struct model_resource **all;
    size_t count = 0;

    u->read = true;
    if (!model_open(u->arena, STR_NONE, &u->model, NULL) ||
        !model_all(u->model, u->arena, &all, &count, NULL))
        return;
    for (size_t i = 0; i < count; i++) {
        str key = str_lower(u->arena, all[i]->arm_type);
        struct versions *v = map_get(u->types, key);
        if (!all[i]->arm_type.len)
            continue;
        if (!v) {
            v = ARENA_NEW(u->arena, struct versions);
            map_set(u->types, key, v);
        }
        VEC_PUSH(u->arena, v, all[i]);
    }
}

static const struct versions *versions_of(struct sim_call *c)
{
    struct sim_usual *u = c->sim->usual;

    if (!u->read && !c->sim->config.no_model)
        read_model(u);
    return map_get(u->types, str_lower(c->arena, c->type));
}

struct str_list sim_usual_versions(struct sim_call *c)
{
    const struct versions *v = versions_of(c);
    struct str_list names = {0};

    for (size_t i = 0; v && i < v->len; i++) {
        size_t at = 0;
        str version = v->items[i]->api_version;
        while (at < names.len && str_cmp(names.items[at], version) < 0)
            at++;
        if (at < names.len && str_eq(names.items[at], version))
            continue;
        VEC_PUSH(c->arena, &names, version);
        for (size_t k = names.len - 1; k > at; k--) {
            names.items[k] = names.items[k - 1];
            names.items[k - 1] = version;
        }
    }
    return names;
}

bool sim_usual_provider(struct sim_call *c, str provider)
{
    struct map *types = c->sim->usual->types;
    str prefix = str_lower(c->arena, str_fmt(c->arena, "%.*s/", STR_ARG(provider)));

    for (size_t i = 0; i < map_len(types); i++)
        if (str_has_prefix(map_key(types, i), prefix))
            return true;
    return false;
}

/* The requested version, or else the newest. */
static const struct model_resource *find_resource(struct sim_call *c)
{
    const struct versions *v = versions_of(c);
    const struct model_resource *best = NULL;

    for (size_t i = 0; v && i < v->len; i++) {
        if (str_eq(v->items[i]->api_version, c->api_version))
            return v->items[i];
        if (!best || str_cmp(best->api_version, v->items[i]->api_version) < 0)
            best = v->items[i];
    }
    return best;
}

/* ---- What is shown. ---------------------------------------------------------------------------
 */

/* The value of a read-only text, by the suffix of its name. */
static const struct {
    const char *ending, *value;
} texts[] = {
    {"provisioningstate", "Succeeded"},
    {"etag", "$etag"},
    {"guid", "$guid"},
    {"time", "$time"},
    {"date", "$time"},
    {"createdat", "$time"},
    {"modifiedat", "$time"},
    {"uri", "$url"},
    {"url", "$url"},
    {"endpoint", "$url"},
    {"id", "$guid"},
    {"", "$text"},
};

static const struct value *usual_text(struct sim_call *c, str name, const struct model_shape *shape)
{
    str lower = str_lower(c->arena, name);
    size_t i = 0;

    if (str_eq(lower, STR("id")))
        return value_string(c->arena, STR("$id"));
    if (str_eq(lower, STR("type")))
        return value_string(c->arena, c->type);
    if (value_len(shape->choices) && !str_eq(lower, STR("provisioningstate")))
        return &shape->choices->items[0];
    while (!str_has_suffix(lower, str_c(texts[i].ending)))
        i++;
    return value_string(c->arena, str_c(texts[i].value));
}

/* The value for a member that was not sent; NULL: none. */
static const struct value *usual_value(struct sim_call *c, str name,
                                       const struct model_shape *shape, bool read_only)
{
    if (shape->form == FORM_BOOL)
        return value_bool(c->arena, false);
    if (!read_only)
        return NULL;
    if (shape->form == FORM_STRING)
        return usual_text(c, name, shape);
    return shape->form == FORM_INT ? value_int(c->arena, 0) : NULL;
}

/* One object: as shown, and its description in the model. */
struct view {
    struct sim_call *call;
    const struct sim_resource *resource;
    size_t depth;
};

static void complete(struct view *w, struct value *v, const struct model_arm *status, size_t count,
                     const struct model_arm *spec, size_t spec_count);

static const struct model_type *type_of(const struct model_arm *m, bool element)
{
    const struct model_shape *s = m && m->prop ? m->prop->shape : NULL;

    if (s && element)
        s = s->form == FORM_LIST ? s->item : NULL;
    return s && s->form == FORM_OBJECT ? s->object : NULL;
}

static void complete_object(struct view *w, struct value *v, const struct model_type *status,
                            const struct model_type *spec)
{
    if (status && value_is(v, VALUE_OBJECT))
        complete(w, v, status->arm, status->arm_count, spec ? spec->arm : NULL,
                 spec ? spec->arm_count : 0);
}

/* Completes the inside of an existing member. */
static void complete_inside(struct view *w, struct value *v, const struct model_arm *status,
                            const struct model_arm *spec)
{
    if (w->depth == DEPTH_MAX)
        return;
    w->depth++;
    complete_object(w, v, type_of(status, false), type_of(spec, false));
    for (size_t i = 0; value_is(v, VALUE_LIST) && i < v->len; i++)
        complete_object(w, &v->items[i], type_of(status, true), type_of(spec, true));
    w->depth--;
}

static void complete_below(struct view *w, struct value *v, const struct model_arm *m,
                           const struct model_arm *spec)
{
    struct value *below = value_get(v, m->name);

    if (!below)
        below = value_set(w->call->arena, v, m->name, value_object(w->call->arena));
    if (value_is(below, VALUE_OBJECT))
        complete(w, below, m->below, m->below_count, spec ? spec->below : NULL,
                 spec ? spec->below_count : 0);
}

static void complete(struct view *w, struct value *v, const struct model_arm *status, size_t count,
                     const struct model_arm *spec, size_t spec_count)
{
    for (size_t i = 0; i < count; i++) {
        const struct model_arm *m = &status[i];
        const struct model_arm *asked = model_arm(spec, spec_count, m->name);
        struct value *there = value_get(v, m->name);
        const struct value *made;
        if (!there && str_eq(m->name, STR("properties")) && type_of(m, false))
            there = value_set(w->call->arena, v, m->name, value_object(w->call->arena));
        if (m->below_count)
            complete_below(w, v, m, asked);
        else if (there)
            complete_inside(w, there, m, asked);
        else if (m->prop && (made = usual_value(w->call, m->name, m->prop->shape, !asked)))
            value_set(w->call->arena, v, m->name, sim_made(w->call, w->resource, made, m->name));
    }
}

bool sim_usual_show(struct sim_call *c, const struct sim_resource *r, struct value *v)
{
    const struct model_resource *m = find_resource(c);
    struct view w = {.call = c, .resource = r};

    if (!m)
        return false;
    complete_object(&w, v, m->status, m->spec);
    return true;
}

/* ---- How it goes on. --------------------------------------------------------------------------
 */

/* The behaviour of most types of the same provider: its type named "*". */
static const struct sim_type *of_provider(struct sim_call *c)
{
    str provider, rest;

    str_cut(c->type, STR("/"), &provider, &rest);
    return sim_types_find(c->arena, c->sim->types, str_fmt(c->arena, "%.*s/*", STR_ARG(provider)));
}

const struct sim_type *sim_usual_type(struct sim_call *c)
{
    static struct sim_answer answers[] = {
        {.status = 201, .poller = POLLER_ASYNC, .retry_after = {10}, .retry_count = 1, .polls = 1},
        {.status = 200, .poller = POLLER_ASYNC, .retry_after = {10}, .retry_count = 1, .polls = 1},
        {.status = 202,
         .poller = POLLER_ASYNC,
         .body = BODY_EMPTY,
         .location = true,
         .retry_after = {10},
         .retry_count = 1,
         .polls = 1},
    };
    const struct model_resource *m = find_resource(c);
    const struct model_arm *properties =
        m && m->status ? model_arm(m->status->arm, m->status->arm_count, STR("properties")) : NULL;

    const struct sim_type *provider = of_provider(c);

    if (!m)
        return provider;
    struct sim_type *type = ARENA_NEW(c->arena, struct sim_type);
    *type = *provider;
    type->name = c->type;
    type->head_only = (m->operations & MODEL_HEAD) && !(m->operations & MODEL_GET);
    type->undeletable = !(m->operations & MODEL_DELETE);
    if (provider->unheard && properties &&
        model_arm(properties->below, properties->below_count, STR("provisioningState"))) {
        type->create = (struct sim_answers){&answers[0], 1, 0};
        type->update = (struct sim_answers){&answers[1], 1, 0};
        type->remove = (struct sim_answers){&answers[2], 1, 0};
    }
    return type;
}
