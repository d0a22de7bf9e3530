/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_shape.c - the types of a kubeconfig's members.
 *
 * client-go decodes into structs, and users see its complaints, so the shapes carry the names that
 * Go has for them. Members that are not listed are ignored, as there. To add a member: a line in
 * its shape, alphabetically.
 */
#include "kube/config_internal.h"
#include "text/codec.h"

enum member_type {
    TYPE_BOOL,
    TYPE_BYTES,
    TYPE_LISTS,
    TYPE_OBJECT,
    TYPE_OBJECTS,
    TYPE_STR,
    TYPE_STRS
};

struct shape;
struct member {
    const char *name;
    enum member_type type;
    const struct shape *shape; /* of an object, or of the objects in a list */
    const char *go_type;       /* when it follows from nothing else */
};
struct shape {
    const char *name;
    const struct member *members;
    size_t count;
};

static const struct member env_members[] = {{"name", TYPE_STR, NULL, NULL},
                                            {"value", TYPE_STR, NULL, NULL}};
static const struct shape env_shape = {"ExecEnvVar", env_members, COUNT(env_members)};

static const struct member exec_members[] = {
    {"apiVersion", TYPE_STR, NULL, NULL},
    {"args", TYPE_STRS, NULL, NULL},
    {"command", TYPE_STR, NULL, NULL},
    {"env", TYPE_OBJECTS, &env_shape, "[]v1.ExecEnvVar"},
    {"installHint", TYPE_STR, NULL, NULL},
    {"interactiveMode", TYPE_STR, NULL, "v1.ExecInteractiveMode"},
    {"provideClusterInfo", TYPE_BOOL, NULL, NULL},
};
static const struct shape exec_shape = {"ExecConfig", exec_members, COUNT(exec_members)};

static const struct member provider_members[] = {{"name", TYPE_STR, NULL, NULL}};
static const struct shape provider_shape = {"AuthProviderConfig", provider_members,
                                            COUNT(provider_members)};

static const struct member user_members[] = {
    {"as", TYPE_STR, NULL, NULL},
    {"as-groups", TYPE_STRS, NULL, NULL},
    {"as-uid", TYPE_STR, NULL, NULL},
    {"as-user-extra", TYPE_LISTS, NULL, NULL},
    {"auth-provider", TYPE_OBJECT, &provider_shape, "v1.AuthProviderConfig"},
    {"client-certificate", TYPE_STR, NULL, NULL},
    {"client-certificate-data", TYPE_BYTES, NULL, NULL},
    {"client-key", TYPE_STR, NULL, NULL},
    {"client-key-data", TYPE_BYTES, NULL, NULL},
    {"exec", TYPE_OBJECT, &exec_shape, "v1.ExecConfig"},
    {"password", TYPE_STR, NULL, NULL},
    {"token", TYPE_STR, NULL, NULL},
    {"tokenFile", TYPE_STR, NULL, NULL},
    {"username", TYPE_STR, NULL, NULL},
};
static const struct shape user_shape = {"AuthInfo", user_members, COUNT(user_members)};

static const struct member cluster_members[] = {
    {"certificate-authority", TYPE_STR, NULL, NULL},
    {"certificate-authority-data", TYPE_BYTES, NULL, NULL},
    {"disable-compression", TYPE_BOOL, NULL, NULL},
    {"insecure-skip-tls-verify", TYPE_BOOL, NULL, NULL},
    {"proxy-url", TYPE_STR, NULL, NULL},
    {"server", TYPE_STR, NULL, NULL},
    {"tls-server-name", TYPE_STR, NULL, NULL},
};
static const struct shape cluster_shape = {"Cluster", cluster_members, COUNT(cluster_members)};

static const struct member context_members[] = {
    {"cluster", TYPE_STR, NULL, NULL},
    {"namespace", TYPE_STR, NULL, NULL},
    {"user", TYPE_STR, NULL, NULL},
};
static const struct shape context_shape = {"Context", context_members, COUNT(context_members)};

static const struct member named_cluster_members[] = {
    {"cluster", TYPE_OBJECT, &cluster_shape, "v1.Cluster"}, {"name", TYPE_STR, NULL, NULL}};
static const struct shape named_cluster_shape = {"NamedCluster", named_cluster_members,
                                                 COUNT(named_cluster_members)};

static const struct member named_context_members[] = {
    {"context", TYPE_OBJECT, &context_shape, "v1.Context"}, {"name", TYPE_STR, NULL, NULL}};
static const struct shape named_context_shape = {"NamedContext", named_context_members,
                                                 COUNT(named_context_members)};

static const struct member named_user_members[] = {
    {"name", TYPE_STR, NULL, NULL}, {"user", TYPE_OBJECT, &user_shape, "v1.AuthInfo"}};
static const struct shape named_user_shape = {"NamedAuthInfo", named_user_members,
                                              COUNT(named_user_members)};

static const struct member config_members[] = {
    {"clusters", TYPE_OBJECTS, &named_cluster_shape, "[]v1.NamedCluster"},
    {"contexts", TYPE_OBJECTS, &named_context_shape, "[]v1.NamedContext"},
    {"current-context", TYPE_STR, NULL, NULL},
    {"users", TYPE_OBJECTS, &named_user_shape, "[]v1.NamedAuthInfo"},
};
static const struct shape config_shape = {"Config", config_members, COUNT(config_members)};

/* Where we are, for messages: the struct and the names on the way. */
struct place {
    const struct source *src;
    struct buf *path;
    struct err *e;
};

static const char *go_kind(const struct value *v)
{
    static const char *const names[] = {
        [VALUE_NULL] = "null",     [VALUE_BOOL] = "bool",     [VALUE_INT] = "number",
        [VALUE_FLOAT] = "number",  [VALUE_STRING] = "string", [VALUE_LIST] = "array",
        [VALUE_OBJECT] = "object",
    };

    return names[v->kind];
}

static bool fail_type(struct place *p, const struct value *v, const struct shape *shape,
                      const char *go_type)
{
    str path = buf_str(p->path);

    return source_err(p->e, p->src, v,
                      "json: cannot unmarshal %s into Go struct field %s.%.*s of type %s",
                      go_kind(v), shape->name, STR_ARG(path), go_type);
}

static bool check_strings(struct place *p, const struct value *list, const struct shape *shape)
{
    if (list->kind == VALUE_NULL)
        return true;
    if (list->kind != VALUE_LIST)
        return fail_type(p, list, shape, "[]string");
    for (size_t i = 0; i < list->len; i++)
        if (list->items[i].kind != VALUE_STRING && list->items[i].kind != VALUE_NULL)
            return fail_type(p, &list->items[i], shape, "string");
    return true;
}

static bool check_lists(struct place *p, const struct value *map, const struct shape *shape)
{
    if (map->kind != VALUE_OBJECT)
        return fail_type(p, map, shape, "map[string][]string");
    for (size_t i = 0; i < map->len; i++)
        if (!check_strings(p, &map->items[i], shape))
            return false;
    return true;
}

static bool check_bytes(struct place *p, const struct value *v, const struct shape *shape)
{
    AUTO_ARENA a = arena_new_secret();
    size_t bad;
    str bytes;

    if (v->kind != VALUE_STRING)
        return fail_type(p, v, shape, "[]uint8");
    if (!base64_decode(a, value_str(v), &bytes, &bad))
        return source_err(p->e, p->src, v, "illegal base64 data at input byte %zu", bad);
    return true;
}

static bool check_object(struct place *p, const struct value *v, const struct shape *shape);

static bool check_objects(struct place *p, const struct value *list, const struct member *m,
                          const struct shape *in)
{
    if (list->kind != VALUE_LIST)
        return fail_type(p, list, in, m->go_type);
    for (size_t i = 0; i < list->len; i++) {
        const struct value *item = &list->items[i];
        if (item->kind == VALUE_NULL)
            continue;
        if (item->kind != VALUE_OBJECT)
            return fail_type(p, item, in, m->go_type + 2);
        if (!check_object(p, item, m->shape))
            return false;
    }
    return true;
}

static bool check_member(struct place *p, const struct value *v, const struct member *m,
                         const struct shape *in)
{
    if (v->kind == VALUE_NULL)
        return true;
    switch (m->type) {
    case TYPE_BOOL:
        return v->kind == VALUE_BOOL || fail_type(p, v, in, "bool");
    case TYPE_BYTES:
        return check_bytes(p, v, in);
    case TYPE_LISTS:
        return check_lists(p, v, in);
    case TYPE_OBJECT:
        if (v->kind != VALUE_OBJECT)
            return fail_type(p, v, in, m->go_type);
        return check_object(p, v, m->shape);
    case TYPE_OBJECTS:
        return check_objects(p, v, m, in);
    case TYPE_STR:
        return v->kind == VALUE_STRING || fail_type(p, v, in, m->go_type ? m->go_type : "string");
    case TYPE_STRS:
        return check_strings(p, v, in);
    }
    return true;
}

/* In the order of the text, as Go decodes. */
static bool check_object(struct place *p, const struct value *v, const struct shape *shape)
{
    size_t before = p->path->len;
    bool ok = true;

    for (size_t i = 0; ok && i < v->len; i++)
        for (size_t k = 0; ok && k < shape->count; k++) {
            const struct member *m = &shape->members[k];
            if (!str_eq(value_key(&v->items[i]), str_c(m->name)))
                continue;
            buf_fmt(p->path, "%s%s", before ? "." : "", m->name);
            ok = check_member(p, &v->items[i], m, shape);
            buf_truncate(p->path, before);
        }
    return ok;
}

static bool check_kind(const struct source *src, const struct value *root, struct err *e)
{
    str kind = value_get_str(root, STR("kind")), version = value_get_str(root, STR("apiVersion"));

    kind = kind.len ? kind : STR("Config");
    version = version.len ? version : STR("v1");
    if (str_eq(kind, STR("Config")) && str_eq(version, STR("v1")))
        return true;
    return source_err(e, src, root,
                      "no kind \"%.*s\" is registered for version \"%.*s\" in scheme "
                      "\"k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50\"",
                      STR_ARG(kind), STR_ARG(version));
}

bool kubeconfig_check(const struct source *src, const struct value *root, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf path = buf_new(a, KIB);
    struct place p = {src, &path, e};

    if (root->kind == VALUE_NULL)
        return true;
    if (root->kind != VALUE_OBJECT)
        return source_err(e, src, root,
                          "couldn't get version/kind; json parse error: json: cannot unmarshal %s "
                          "into Go value of type struct { APIVersion string "
                          "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                          "\"json:\\\"kind,omitempty\\\"\" }",
                          go_kind(root));
    return check_kind(src, root, e) && check_object(&p, root, &config_shape);
}
