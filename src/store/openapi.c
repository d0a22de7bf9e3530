/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi.c - OpenAPI version 3, as far as kubectl asks: a document for each group and version.
 *
 * kubectl uses it for the parameters of PATCH (whether the server validates fields and supports dry
 * runs), for the patches that a type accepts, and for the schemas that "explain" shows. Schemas are
 * those of the definitions, with what Kubernetes adds to each. Version 2 has no types: kubectl
 * still requests it for lists, in protobuf, and leaves the validation of types that are not in it
 * to the server.
 *
 *   /openapi/v2                              a document without types
 *   /openapi/v3                              the list of documents
 *   /openapi/v3/apis/example.com/v1          one of them
 */
#include "store/internal.h"

#include "text/json/json.h"

#define OBJECT_META "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

/* What each object has in its metadata. */
static const char object_meta_schema[] =
    "{\"type\":\"object\",\"description\":\"Metadata that every object has.\",\"properties\":{"
    "\"annotations\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
    "\"creationTimestamp\":{\"type\":\"string\",\"format\":\"date-time\"},"
    "\"deletionGracePeriodSeconds\":{\"type\":\"integer\",\"format\":\"int64\"},"
    "\"deletionTimestamp\":{\"type\":\"string\",\"format\":\"date-time\"},"
    "\"finalizers\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
    "\"x-kubernetes-list-type\":\"set\",\"x-kubernetes-patch-strategy\":\"merge\"},"
    "\"generateName\":{\"type\":\"string\"},"
    "\"generation\":{\"type\":\"integer\",\"format\":\"int64\"},"
    "\"labels\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
    "\"managedFields\":{\"type\":\"array\",\"items\":{\"type\":\"object\"},"
    "\"x-kubernetes-list-type\":\"atomic\"},"
    "\"name\":{\"type\":\"string\"},\"namespace\":{\"type\":\"string\"},"
    "\"ownerReferences\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":["
    "\"apiVersion\",\"kind\",\"name\",\"uid\"],\"properties\":{\"apiVersion\":{\"type\":"
    "\"string\"},\"blockOwnerDeletion\":{\"type\":\"boolean\"},\"controller\":{\"type\":"
    "\"boolean\"},\"kind\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"},\"uid\":{\"type\":"
    "\"string\"}}},\"x-kubernetes-list-map-keys\":[\"uid\"],\"x-kubernetes-list-type\":\"map\","
    "\"x-kubernetes-patch-merge-key\":\"uid\",\"x-kubernetes-patch-strategy\":\"merge\"},"
    "\"resourceVersion\":{\"type\":\"string\"},\"selfLink\":{\"type\":\"string\"},"
    "\"uid\":{\"type\":\"string\"}}}";

/* ---- Pieces. ---- */

static struct value *child(struct arena *a, struct value *v, const char *key)
{
    return value_set(a, v, str_c(key), value_object(a));
}

static void set_kind(struct arena *a, struct value *v, const struct store_type *t, str version)
{
    value_set_str(a, v, STR("group"), t->group);
    value_set_str(a, v, STR("version"), version);
    value_set_str(a, v, STR("kind"), t->kind);
}

/* "com.example.v1.Widget": the group backwards, as Kubernetes names schemas. */
static str schema_name(struct arena *a, const struct store_type *t, str version)
{
    str rest = t->group, part, name = STR_NONE;

    while (rest.len) {
        str_cut(rest, STR("."), &part, &rest);
        name = name.len ? str_fmt(a, "%.*s.%.*s", STR_ARG(part), STR_ARG(name)) : part;
    }
    return str_fmt(a, "%.*s.%.*s.%.*s", STR_ARG(name.len ? name : STR("io.k8s.api.core")),
                   STR_ARG(version), STR_ARG(t->kind));
}

static struct value *text_type(struct arena *a)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("type"), STR("string"));
    return v;
}

static void add_parameter(struct arena *a, struct value *list, const char *name, const char *where)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("name"), str_c(name));
    value_set_str(a, v, STR("in"), str_c(where));
    if (str_eq(str_c(where), STR("path")))
        value_set_bool(a, v, STR("required"), true);
    value_set(a, v, STR("schema"), text_type(a));
    value_add(a, list, v);
}

/* ---- Operations. ---- */

struct describing {
    struct arena *arena;
    const struct store_type *type;
    str version;
    str schema; /* "#/components/schemas/com.example.v1.Widget" */
};

static struct value *content(struct describing *d, const char *media)
{
    struct arena *a = d->arena;
    struct value *all = value_object(a), *schema = child(a, child(a, all, media), "schema");

    value_set_str(a, schema, STR("$ref"), d->schema);
    return all;
}

static void set_response(struct describing *d, struct value *operation)
{
    struct value *ok = child(d->arena, child(d->arena, operation, "responses"), "200");

    value_set_str(d->arena, ok, STR("description"), STR("OK"));
    value_set(d->arena, ok, STR("content"), content(d, "application/json"));
}

/* The patches that a type accepts: kubectl looks for others than these two here. */
static struct value *patch_content(struct arena *a)
{
    static const char *const media[] = {"application/json-patch+json",
                                        "application/merge-patch+json"};
    struct value *all = value_object(a);

    for (size_t i = 0; i < COUNT(media); i++)
        value_set_str(a, child(a, child(a, all, media[i]), "schema"), STR("type"), STR("object"));
    return all;
}

static void add_operation(struct describing *d, struct value *path, const char *method,
                          const char *action)
{
    static const char *const of_writes[] = {"dryRun", "fieldManager", "fieldValidation"};
    struct arena *a = d->arena;
    struct value *v = child(a, path, method), *parameters = value_list(a);
    bool writes = !str_eq(str_c(method), STR("get")), patches = str_eq(str_c(method), STR("patch"));

    for (size_t i = 0; writes && i < COUNT(of_writes); i++)
        add_parameter(a, parameters, of_writes[i], "query");
    value_set_str(a, v, STR("operationId"),
                  str_fmt(a, "%s-%.*s", action, STR_ARG(schema_name(a, d->type, d->version))));
    value_set(a, v, STR("parameters"), parameters);
    if (writes && !str_eq(str_c(method), STR("delete")))
        value_set(a, child(a, v, "requestBody"), STR("content"),
                  patches ? patch_content(a) : content(d, "application/json"));
    set_response(d, v);
    value_set_str(a, v, STR("x-kubernetes-action"), str_c(action));
    set_kind(a, child(a, v, "x-kubernetes-group-version-kind"), d->type, d->version);
}

static struct value *add_path(struct describing *d, struct value *paths, str path, bool named)
{
    struct arena *a = d->arena;
    struct value *v = value_set(a, paths, path, value_object(a)), *list = value_list(a);

    if (d->type->namespaced)
        add_parameter(a, list, "namespace", "path");
    if (named)
        add_parameter(a, list, "name", "path");
    value_set(a, v, STR("parameters"), list);
    return v;
}

static void add_paths(struct describing *d, struct value *paths)
{
    static const struct {
        const char *method, *action;
    } one[] = {{"get", "get"}, {"put", "put"}, {"patch", "patch"}, {"delete", "delete"}};
    struct arena *a = d->arena;
    const struct store_type *t = d->type;
    str base = t->group.len ? str_fmt(a, "/apis/%.*s/%.*s", STR_ARG(t->group), STR_ARG(d->version))
                            : str_fmt(a, "/api/%.*s", STR_ARG(d->version));
    str all = str_fmt(a, "%.*s%s/%.*s", STR_ARG(base),
                      t->namespaced ? "/namespaces/{namespace}" : "", STR_ARG(t->plural));
    struct value *path = add_path(d, paths, all, false);

    add_operation(d, path, "get", "list");
    add_operation(d, path, "post", "post");
    path = add_path(d, paths, str_concat(a, all, STR("/{name}")), true);
    for (size_t i = 0; i < COUNT(one); i++)
        add_operation(d, path, one[i].method, one[i].action);
}

/* ---- Schemas. ---- */

/* The schema of the definition, with what every object has. */
static struct value *schema_of(struct arena *a, const struct store_type *t,
                               const struct store_shape_version *as)
{
    struct value *v = value_clone(a, as->schema), *kinds = value_list(a), *kind = value_object(a);
    struct value *properties = value_get(v, STR("properties"));

    properties = properties ? value_clone(a, properties) : value_object(a);
    value_set_str(a, v, STR("type"), STR("object"));
    value_set(a, properties, STR("apiVersion"), text_type(a));
    value_set(a, properties, STR("kind"), text_type(a));
    value_set_str(a, child(a, properties, "metadata"), STR("$ref"),
                  STR("#/components/schemas/" OBJECT_META));
    value_set(a, v, STR("properties"), properties);
    set_kind(a, kind, t, as->name);
    value_add(a, kinds, kind);
    value_set(a, v, STR("x-kubernetes-group-version-kind"), kinds);
    return v;
}

static struct value *meta_schema(struct arena *a)
{
    const struct source src = {.text = str_c(object_meta_schema)};
    struct value *v = NULL;

    if (!json_read(a, &src, NULL, &v, NULL))
        assert(!"a constant");
    return v;
}

/* ---- Documents. ---- */

static bool answer_document(struct store_request *r, str group, str version)
{
    struct arena *a = r->arena;
    struct value *v = value_object(a), *info, *paths, *schemas;
    bool found = false;

    value_set_str(a, v, STR("openapi"), STR("3.0.0"));
    info = child(a, v, "info");
    value_set_str(a, info, STR("title"), STR("Kubernetes"));
    value_set_str(a, info, STR("version"), STR("plumb-" PLUMB_VERSION));
    paths = child(a, v, "paths");
    schemas = child(a, child(a, v, "components"), "schemas");
    value_set(a, schemas, STR(OBJECT_META), meta_schema(a));
    for (struct store_type *t = r->store->types; t; t = t->next) {
        const struct store_shape_version *as;
        struct describing d = {.arena = a, .type = t, .version = version};

        if (t->gone || !str_eq(t->group, group))
            continue;
        as = store_shape_version(store_type_shape(r->store, t), version);
        if (!as || !as->served)
            continue;
        found = true;
        str name = schema_name(a, t, version);
        d.schema = str_concat(a, STR("#/components/schemas/"), name);
        add_paths(&d, paths);
        value_set(a, schemas, name, schema_of(a, t, as));
    }
    return found && store_answer(r, 200, v);
}

/* Clients cache a document as long as its URL is the same, so the URL includes its state. */
static void add_document(struct store_request *r, struct value *paths, const struct store_type *t,
                         const struct store_shape *shape, str version)
{
    struct arena *a = r->arena;
    str path = t->group.len ? str_fmt(a, "apis/%.*s/%.*s", STR_ARG(t->group), STR_ARG(version))
                            : str_fmt(a, "api/%.*s", STR_ARG(version));
    const struct value *there = value_get(paths, path);
    uint64_t serial = shape->serial;

    if (there) {
        str before, hash;
        uint64_t other = 0;
        str_cut(value_get_str(there, STR("serverRelativeURL")), STR("?hash="), &before, &hash);
        serial = str_to_u64(hash, &other) && other > serial ? other : serial;
    }
    struct value *v = value_set(a, paths, path, value_object(a));
    value_set_str(
        a, v, STR("serverRelativeURL"),
        str_fmt(a, "/openapi/v3/%.*s?hash=%llu", STR_ARG(path), (unsigned long long)serial));
}

static bool answer_list(struct store_request *r)
{
    struct value *v = value_object(r->arena), *paths = child(r->arena, v, "paths");

    for (struct store_type *t = r->store->types; t; t = t->next) {
        const struct store_shape *shape = t->gone ? NULL : store_type_shape(r->store, t);

        for (size_t i = 0; shape && i < shape->count; i++)
            if (shape->versions[i].served)
                add_document(r, paths, t, shape, str_copy(r->arena, shape->versions[i].name));
    }
    return store_answer(r, 200, v);
}

/* swagger "2.0", info.title "Kubernetes", info.version "plumb". */
static const char v2_protobuf[] = "\x0a\x03"
                                  "2.0\x12\x13\x0a\x0a"
                                  "Kubernetes\x12\x05"
                                  "plumb";

static bool answer_v2(struct store_request *r)
{
    bool protobuf = str_contains(handler_header(r->call, STR("Accept")), STR("+protobuf"));

    if (protobuf)
        http_header_set(r->arena, &r->call->reply_headers, STR("Content-Type"),
                        STR("application/com.github.proto-openapi.spec.v2.v1.0+protobuf"));
    r->call->status = 200;
    r->call->reply = protobuf ? str_of(v2_protobuf, sizeof(v2_protobuf) - 1)
                              : STR("{\"swagger\":\"2.0\",\"info\":{\"title\":\"Kubernetes\","
                                    "\"version\":\"plumb\"},\"paths\":{}}\n");
    return true;
}

bool store_do_openapi(struct store_request *r, str path)
{
    str group, version;

    path = str_without_suffix(path, STR("/"));
    if (str_eq(path, STR("v2")))
        return answer_v2(r);
    if (str_eq(path, STR("v3")))
        return answer_list(r);
    if (str_eq(path, STR("v3/api/v1")))
        return answer_document(r, STR_NONE, STR("v1"));
    if (!str_has_prefix(path, STR("v3/apis/")))
        return false;
    path = str_from(path, 8);
    return str_cut(path, STR("/"), &group, &version) && answer_document(r, group, version);
}
