/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.c - the types of a kubeconfig's members.
 *
 * client-go decodes into structs, and users see its errors, so the schemas contain the names of its
 * Go types. Members that are not listed are ignored, as in client-go. To add a member: a line in
 * its schema, alphabetically.
 */
#include "kube/config/config_internal.h"

#include "go/decode.h"
#include "text/codec.h"

static bool check_base64(str text, struct err *e)
{
    AUTO_ARENA a = arena_new_secret();
    size_t bad;
    str bytes;

    return base64_decode(a, text, &bytes, &bad) ||
           err_set(e, ERR_INVALID, "illegal base64 data at input byte %zu", bad);
}

static const struct schema bytes = {.kind = SCHEMA_STRING, .go = "[]uint8", .check = check_base64};
static const struct schema mode = {.kind = SCHEMA_STRING, .go = "v1.ExecInteractiveMode"};
static const struct schema extra = {
    .kind = SCHEMA_MAP, .go = "map[string][]string", .item = &schema_strings};

static const struct schema env = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.ExecEnvVar",
    .fields =
        (const struct schema_field[]){
            {"name", &schema_string, NULL},
            {"value", &schema_string, NULL},
            {0},
        },
};
static const struct schema envs = {.kind = SCHEMA_LIST, .go = "[]v1.ExecEnvVar", .item = &env};

static const struct schema exec = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.ExecConfig",
    .fields =
        (const struct schema_field[]){
            {"apiVersion", &schema_string, NULL},
            {"args", &schema_strings, NULL},
            {"command", &schema_string, NULL},
            {"env", &envs, NULL},
            {"installHint", &schema_string, NULL},
            {"interactiveMode", &mode, NULL},
            {"provideClusterInfo", &schema_bool, NULL},
            {0},
        },
};

static const struct schema provider = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.AuthProviderConfig",
    .fields =
        (const struct schema_field[]){
            {"name", &schema_string, NULL},
            {0},
        },
};

static const struct schema user = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.AuthInfo",
    .fields =
        (const struct schema_field[]){
            {"as", &schema_string, NULL},
            {"as-groups", &schema_strings, NULL},
            {"as-uid", &schema_string, NULL},
            {"as-user-extra", &extra, NULL},
            {"auth-provider", &provider, NULL},
            {"client-certificate", &schema_string, NULL},
            {"client-certificate-data", &bytes, NULL},
            {"client-key", &schema_string, NULL},
            {"client-key-data", &bytes, NULL},
            {"exec", &exec, NULL},
            {"password", &schema_string, NULL},
            {"token", &schema_string, NULL},
            {"tokenFile", &schema_string, NULL},
            {"username", &schema_string, NULL},
            {0},
        },
};

static const struct schema cluster = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.Cluster",
    .fields =
        (const struct schema_field[]){
            {"certificate-authority", &schema_string, NULL},
            {"certificate-authority-data", &bytes, NULL},
            {"disable-compression", &schema_bool, NULL},
            {"insecure-skip-tls-verify", &schema_bool, NULL},
            {"proxy-url", &schema_string, NULL},
            {"server", &schema_string, NULL},
            {"tls-server-name", &schema_string, NULL},
            {0},
        },
};

static const struct schema context = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.Context",
    .fields =
        (const struct schema_field[]){
            {"cluster", &schema_string, NULL},
            {"namespace", &schema_string, NULL},
            {"user", &schema_string, NULL},
            {0},
        },
};

static const struct schema named_cluster = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.NamedCluster",
    .fields =
        (const struct schema_field[]){
            {"cluster", &cluster, NULL},
            {"name", &schema_string, NULL},
            {0},
        },
};
static const struct schema clusters = {
    .kind = SCHEMA_LIST, .go = "[]v1.NamedCluster", .item = &named_cluster};

static const struct schema named_context = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.NamedContext",
    .fields =
        (const struct schema_field[]){
            {"context", &context, NULL},
            {"name", &schema_string, NULL},
            {0},
        },
};
static const struct schema contexts = {
    .kind = SCHEMA_LIST, .go = "[]v1.NamedContext", .item = &named_context};

static const struct schema named_user = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.NamedAuthInfo",
    .fields =
        (const struct schema_field[]){
            {"name", &schema_string, NULL},
            {"user", &user, NULL},
            {0},
        },
};
static const struct schema users = {
    .kind = SCHEMA_LIST, .go = "[]v1.NamedAuthInfo", .item = &named_user};

static const struct schema config = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.Config",
    .fields =
        (const struct schema_field[]){
            {"clusters", &clusters, NULL},
            {"contexts", &contexts, NULL},
            {"current-context", &schema_string, NULL},
            {"users", &users, NULL},
            {0},
        },
};

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
    if (root->kind == VALUE_NULL)
        return true;
    if (root->kind != VALUE_OBJECT)
        return source_err(e, src, root,
                          "couldn't get version/kind; json parse error: json: cannot unmarshal %s "
                          "into Go value of type struct { APIVersion string "
                          "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                          "\"json:\\\"kind,omitempty\\\"\" }",
                          json_kind(root));
    return check_kind(src, root, e) && schema_check(src, &config, root, e);
}
