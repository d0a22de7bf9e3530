/* SPDX-License-Identifier: Apache-2.0 */
/* stage_cluster.c - definitions, objects, and the operator's cache. */
#include "world/stage_internal.h"

#include "azure/crd.h"
#include "azure/resolve.h"
#include "text/json/json.h"

/* ---- The cache. ------------------------------------------------------------------------------ */

struct news {
    struct stage_piece piece;
    struct stage *s;
    struct value *object;
    bool gone;
};

static void arrive(void *ctx)
{
    AUTO_ARENA a = arena_new();
    struct news *n = ctx, *old;
    struct stage *s = n->s;
    struct object_key key = object_key_of(n->object);
    str text = object_key_text(a, &key);

    old = map_get(s->cached, text);
    if (n->gone) {
        map_remove(s->cache, text);
        map_remove(s->cached, text);
    } else {
        text = old ? text : str_copy(s->w->arena, text);
        map_set(s->cache, text, n->object);
        map_set(s->cached, text, n);
    }
    operator_changed(s->operator, & key);
    stage_step(s);
    if (s->lost) {
        operator_changed(s->lost, &key);
        stage_step_lost(s);
    }
    if (old)
        stage_piece_free(&old->piece);
    if (n->gone)
        stage_piece_free(&n->piece);
}

static void take_event(struct stage *s, struct stage_kind *kind, const struct value *event_)
{
    if (str_eq(value_get_str(event_, STR("type")), STR("BOOKMARK")))
        return;
    struct news *n = stage_piece_new(s, sizeof *n);
    n->s = s;
    n->object = value_copy(n->piece.arena, value_get(event_, STR("object")));
    n->gone = str_eq(value_get_str(event_, STR("type")), STR("DELETED"));
    stage_know(s, n->object, n->gone);
    if (kind->metadata_only) {
        value_unset(n->object, STR("data"));
        value_unset(n->object, STR("stringData"));
    }
    int64_t at = world_now(s->w) + stage_latency(s);
    if (stage_happens(s, s->options.faults.late))
        at += (int64_t)world_below(s->w, 30) * NS_PER_SEC;
    kind->told = at > kind->told ? at : kind->told;
    /* A missed event: a later list shows the result. */
    if (stage_happens(s, s->options.faults.missed))
        kind->told += 60 * NS_PER_SEC;
    world_after(s->w, kind->told - world_now(s->w), arrive, n);
}

void stage_look(void *ctx)
{
    struct stage *s = ctx;
    const struct value *event_;

    for (size_t i = 0; i < s->kinds.len; i++) {
        while ((event_ = local_watch_next(s->kinds.items[i]->watch)))
            take_event(s, s->kinds.items[i], event_);
        world_expect(s->w, !local_watch_ended(s->kinds.items[i]->watch), "a watch ended");
    }
}

/* ---- The cluster. ---------------------------------------------------------------------------- */

static str print(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    return json_write(&b, v, &json_exact, NULL) ? buf_str(&b) : STR_NONE;
}

static void begin_watch(struct stage *s, struct stage_kind *kind)
{
    AUTO_ARENA a = arena_new();
    str path = kind->group.len ? str_fmt(a, "/apis/%.*s/%.*s/%.*s", STR_ARG(kind->group),
                                         STR_ARG(kind->version), STR_ARG(kind->plural))
                               : str_fmt(a, "/api/v1/%.*s", STR_ARG(kind->plural));

    kind->s = s;
    kind->watch =
        local_watch(&s->w->client,
                    str_z(a, str_fmt(a, "%.*s?watch=true&timeoutSeconds=8640000", STR_ARG(path))));
    world_expect(s->w, kind->watch, "no watch: %.*s", STR_ARG(s->w->client.text));
    VEC_PUSH(s->w->arena, &s->kinds, kind);
}

void stage_add_core(struct stage *s, const char *kind, const char *plural, bool global)
{
    struct stage_kind *k = ARENA_NEW(s->w->arena, struct stage_kind);

    *k = (struct stage_kind){.kind = str_c(kind),
                             .plural = str_c(plural),
                             .global = global,
                             .metadata_only = str_eq(str_c(kind), STR("Secret"))};
    begin_watch(s, k);
}

/* Adds members that only stored objects of the reference operator have. */
static void add_stored_members(struct arena *a, struct value *version)
{
    struct value *schema = value_get(value_get(version, STR("schema")), STR("openAPIV3Schema"));
    struct value *spec = value_get(value_get(schema, STR("properties")), STR("spec"));
    struct value *members = value_get(spec, STR("properties"));

    value_set(a, members, STR("originalVersion"), stage_parse(a, "{'type':'string'}"));
    value_set(a, members, STR("$propertyBag"),
              stage_parse(a, "{'type':'object','additionalProperties':{'type':'string'}}"));
    (void)value_unset(spec, STR("required"));
}

/* Adds a separate storage version, which nobody applies. */
static void add_twin(struct arena *a, struct value *definition)
{
    struct value *versions = value_get(value_get(definition, STR("spec")), STR("versions"));
    struct value *twin = NULL;

    for (size_t i = 0; i < value_len(versions); i++) {
        struct value *v = &versions->items[i];
        if (!value_is_true(value_get(v, STR("storage"))))
            continue;
        twin = value_clone(a, v);
        value_set_bool(a, v, STR("storage"), false);
        value_set_str(a, twin, STR("name"),
                      str_concat(a, value_get_str(v, STR("name")), STR("storage")));
        add_stored_members(a, twin);
    }
    value_add(a, versions, twin);
    object_set_label(a, definition, STR("app.kubernetes.io/name"), STR("azure-service-operator"));
}

/* Removes operatorStatus, as in the reference operator's definitions. */
static void forget_place(struct value *definition)
{
    struct value *versions = value_get(value_get(definition, STR("spec")), STR("versions"));

    for (size_t i = 0; i < value_len(versions); i++) {
        struct value *schema =
            value_get(value_get(&versions->items[i], STR("schema")), STR("openAPIV3Schema"));
        struct value *status = value_get(value_get(schema, STR("properties")), STR("status"));
        (void)value_unset(value_get(status, STR("properties")), STR("operatorStatus"));
    }
}

static void define(struct stage *s, const struct model_resource *hub)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct model_resource **versions;
    size_t count;

    world_expect(s->w, model_versions(s->model, a, hub->group, hub->kind, &versions, &count, &e),
                 "no versions: %.*s", STR_ARG(e.text));
    struct value *built =
        value_clone(a, crd_build(a, (const struct model_resource *const *)versions, count,
                                 &(struct crd_options){0}));
    if (s->options.foreign)
        forget_place(built);
    if (s->options.twins)
        add_twin(a, built);
    str definition = print(a, built);
    world_expect(s->w,
                 local_ask(&s->w->client, "POST",
                           "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                           str_z(a, definition)) == 201,
                 "a definition was refused: %.*s", STR_ARG(s->w->client.text));
}

static struct stage_kind *find_kind(struct stage *s, str kind)
{
    for (size_t i = 0; i < s->kinds.len; i++)
        if (str_eq(s->kinds.items[i]->kind, kind))
            return s->kinds.items[i];
    return NULL;
}

static struct stage_kind *kind_of(struct stage *s, str group, str kind)
{
    struct stage_kind *k;
    const struct model_resource *hub;
    AUTO_ERR e = {0};

    for (size_t i = 0; i < s->kinds.len; i++)
        if (str_eq(s->kinds.items[i]->kind, kind) && str_eq(s->kinds.items[i]->group, group))
            return s->kinds.items[i];
    world_expect(s->w, model_find_hub(s->model, group, kind, &hub, &e), "%.*s", STR_ARG(e.text));
    define(s, hub);
    k = ARENA_NEW(s->w->arena, struct stage_kind);
    *k = (struct stage_kind){
        .group = hub->group, .version = hub->version, .kind = hub->kind, .plural = hub->plural};
    if (s->options.twins)
        k->version = str_concat(s->w->arena, hub->version, STR("storage"));
    begin_watch(s, k);
    return k;
}

/* The path of a collection, in the version of the object. */
static str collection(struct stage *s, struct arena *a, const struct value *object)
{
    struct object_key key = object_key_of(object);
    struct stage_kind *k = kind_of(s, key.group, key.kind);
    str api = value_get_str(object, STR("apiVersion")), group, version;
    str namespace = key.namespace.len ? key.namespace : STR("default");

    api_version_split(api, &group, &version);
    k->applied = str_copy(s->w->arena, version);
    if (k->global)
        return str_fmt(a, "/api/%.*s/%.*s", STR_ARG(api), STR_ARG(k->plural));
    return str_fmt(a, "/%s/%.*s/namespaces/%.*s/%.*s", key.group.len ? "apis" : "api", STR_ARG(api),
                   STR_ARG(namespace), STR_ARG(k->plural));
}

int stage_apply(struct stage *s, const struct value *object)
{
    AUTO_ARENA a = arena_new();
    str path = collection(s, a, object);

    world_note(s->w, "apply %.*s %.*s", STR_ARG(value_get_str(object, STR("kind"))),
               STR_ARG(object_name(object)));
    return local_ask(&s->w->client, "POST", str_z(a, path), str_z(a, print(a, object)));
}

void stage_apply_text(struct stage *s, const char *text)
{
    AUTO_ARENA a = arena_new();
    struct value *object = stage_parse(a, text);

    world_expect(s->w, object, "not JSON: %s", text);
    world_expect(s->w, stage_apply(s, object) == 201, "refused: %.*s", STR_ARG(s->w->client.text));
}

static str path_of(struct stage *s, struct arena *a, const char *kind, const char *name)
{
    struct stage_kind *k = find_kind(s, str_c(kind));

    world_expect(s->w, k, "nobody has defined %s", kind);
    if (k->global)
        return str_fmt(a, "/api/v1/%.*s/%s", STR_ARG(k->plural), name);
    if (!k->group.len)
        return str_fmt(a, "/api/v1/namespaces/default/%.*s/%s", STR_ARG(k->plural), name);
    return str_fmt(a, "/apis/%.*s/%.*s/namespaces/default/%.*s/%s", STR_ARG(k->group),
                   STR_ARG(k->applied), STR_ARG(k->plural), name);
}

void stage_patch(struct stage *s, const char *kind, const char *name, const char *patch)
{
    AUTO_ARENA a = arena_new();
    str path = path_of(s, a, kind, name);
    struct value *v = stage_parse(a, patch);

    world_note(s->w, "patch %s %s", kind, name);
    world_expect(s->w, v, "not JSON: %s", patch);
    s->w->client.type = STR("application/merge-patch+json");
    int status = local_ask(&s->w->client, "PATCH", str_z(a, path), str_z(a, print(a, v)));
    s->w->client.type = STR_NONE;
    world_expect(s->w, status == 200, "the patch was refused: %.*s", STR_ARG(s->w->client.text));
}

static void delete_with(struct stage *s, const char *kind, const char *name, const char *options)
{
    AUTO_ARENA a = arena_new();
    str path = path_of(s, a, kind, name);

    world_note(s->w, "delete %s %s", kind, name);
    world_expect(s->w, local_ask(&s->w->client, "DELETE", str_z(a, path), options) == 200,
                 "the deletion was refused: %.*s", STR_ARG(s->w->client.text));
}

void stage_delete(struct stage *s, const char *kind, const char *name)
{
    delete_with(s, kind, name, "");
}

void stage_delete_foreground(struct stage *s, const char *kind, const char *name)
{
    delete_with(s, kind, name, "{\"propagationPolicy\":\"Foreground\"}");
}

const struct value *stage_get(struct stage *s, const char *kind, const char *name)
{
    AUTO_ARENA a = arena_new();

    return local_ask(&s->w->client, "GET", str_z(a, path_of(s, a, kind, name)), "") == 200
               ? s->w->client.body
               : NULL;
}

struct condition stage_condition(struct stage *s, const char *kind, const char *name)
{
    const struct value *object = stage_get(s, kind, name);
    struct condition ready = {0};

    world_expect(s->w, object, "%s %s is not there", kind, name);
    (void)condition_get(value_get(object, STR("status")), STR("Ready"), &ready);
    return ready;
}

void stage_expect_ready(struct stage *s, const char *kind, const char *name)
{
    struct condition ready = stage_condition(s, kind, name);
    const struct value *object = s->w->client.body;

    world_expect(s->w,
                 str_eq(ready.status, STR("True")) && str_eq(ready.reason, STR("Succeeded")) &&
                     ready.generation == object_generation(object),
                 "%s %s is not Ready: %.*s %.*s", kind, name, STR_ARG(ready.reason),
                 STR_ARG(ready.message));
    world_expect(s->w, !object_annotation(object, STR(ANNOTATION_POLL_TOKEN)).len,
                 "%s %s still has a poll token", kind, name);
}

void stage_expect(struct stage *s, const char *kind, const char *name, const char *reason,
                  const char *message)
{
    struct condition ready = stage_condition(s, kind, name);

    world_expect(s->w,
                 str_eq(ready.reason, str_c(reason)) &&
                     (!message || str_contains(ready.message, str_c(message))),
                 "%s %s should be %s (%s), not %.*s (%.*s)", kind, name, reason,
                 message ? message : "", STR_ARG(ready.reason), STR_ARG(ready.message));
}
