/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.c - clouds, and how a credential is chosen from a set of keys.
 */
#include "arm/credential/credential.h"

#include "text/json/json.h"

#define TOKEN_FILE "/var/run/secrets/tokens/azure-identity"
#define METADATA "http://169.254.169.254"
#define TENANTS_MAX 32
#define IDENTITY_FILE_MAX (1 * MIB)

static const struct {
    const char *name;
    struct cloud cloud;
} clouds[] = {
    {"china",
     {STR_INIT("https://management.chinacloudapi.cn"),
      STR_INIT("https://management.core.chinacloudapi.cn"),
      STR_INIT("https://login.chinacloudapi.cn/")}},
    {"public",
     {STR_INIT("https://management.azure.com"), STR_INIT("https://management.core.windows.net/"),
      STR_INIT("https://login.microsoftonline.com/")}},
    {"usgovernment",
     {STR_INIT("https://management.usgovcloudapi.net"),
      STR_INIT("https://management.core.usgovcloudapi.net"),
      STR_INIT("https://login.microsoftonline.us/")}},
};

const struct cloud *cloud_find(str name)
{
    for (size_t i = 0; i < COUNT(clouds); i++)
        if (str_eq_fold(name, str_c(clouds[i].name)))
            return &clouds[i].cloud;
    return NULL;
}

str cloud_scope(struct arena *a, const struct cloud *c)
{
    return str_concat(a, c->audience, STR("/.default"));
}

/* ---- Keys. ---- */

struct chooser {
    struct arena *a;
    const struct credential_keys *keys;
    const struct credential_options *options;
    struct credential_settings *out;
    VEC(str) missing;
};

static bool has(struct chooser *c, const char *key, str *value)
{
    str text = STR_NONE;
    bool found = c->keys->get(c->keys->ctx, key, &text);

    *value = str_copy(c->a, text);
    return found && (c->options->scoped || text.len);
}

static void need(struct chooser *c, const char *key, str *value)
{
    if (!has(c, key, value))
        VEC_PUSH(c->a, &c->missing, str_c(key));
    *value = str_trim(*value);
}

static bool check_missing(struct chooser *c, struct err *e)
{
    if (!c->missing.len)
        return true;
    return err_set(e, ERR_INVALID, "%.*s lacks %.*s", STR_ARG(c->options->origin),
                   STR_ARG(str_join(c->a, c->missing.items, c->missing.len, STR(", "))));
}

/* ---- Endpoints. ---- */

static const char *const cloud_keys[] = {"AZURE_RESOURCE_MANAGER_ENDPOINT",
                                         "AZURE_RESOURCE_MANAGER_AUDIENCE", "AZURE_AUTHORITY_HOST"};

static bool is_url(str text)
{
    return str_has_prefix(text, STR("https://")) || str_has_prefix(text, STR("http://"));
}

static bool check_triple(struct chooser *c, size_t found, struct err *e)
{
    if (!c->options->scoped)
        return true;
    if (found && !c->options->own_cloud)
        return err_set(e, ERR_DENIED,
                       "%.*s names Azure endpoints of its own, which is not allowed; remove them "
                       "or set ALLOW_MULTI_ENV_MANAGEMENT=true for the operator",
                       STR_ARG(c->options->origin));
    if (found && found != COUNT(cloud_keys))
        return err_set(e, ERR_INVALID, "%.*s must have all of %s, %s and %s, or none of them",
                       STR_ARG(c->options->origin), cloud_keys[0], cloud_keys[1], cloud_keys[2]);
    return true;
}

static bool choose_cloud(struct chooser *c, struct err *e)
{
    const struct credential_options *o = c->options;
    struct cloud *cloud = &c->out->cloud;
    str *const parts[] = {&cloud->endpoint, &cloud->audience, &cloud->authority};
    size_t found = 0;

    *cloud = o->cloud ? *o->cloud : *cloud_find(STR("public"));
    for (size_t i = 0; i < COUNT(cloud_keys); i++) {
        str value;
        if (!has(c, cloud_keys[i], &value))
            continue;
        found++;
        *parts[i] = str_trim(value);
        if (parts[i] != &cloud->audience && !is_url(*parts[i]))
            return err_set(e, ERR_INVALID, "%.*s: %s must begin with https://", STR_ARG(o->origin),
                           cloud_keys[i]);
    }
    cloud->endpoint = str_without_suffix(cloud->endpoint, STR("/"));
    if (!str_has_suffix(cloud->authority, STR("/")))
        cloud->authority = str_concat(c->a, cloud->authority, STR("/"));
    return check_triple(c, found, e);
}

static bool choose_tenants(struct chooser *c, struct err *e)
{
    VEC(str) tenants = {0};
    str rest, one;

    if (!has(c, "AZURE_ADDITIONAL_TENANTS", &rest))
        return true;
    while (rest.len) {
        str_cut(rest, STR(","), &one, &rest);
        one = str_trim(one);
        if (one.len)
            VEC_PUSH(c->a, &tenants, one);
        if (tenants.len > TENANTS_MAX)
            return err_set(e, ERR_LIMIT, "%.*s: AZURE_ADDITIONAL_TENANTS has more than %d",
                           STR_ARG(c->options->origin), TENANTS_MAX);
    }
    c->out->tenants = tenants.items;
    c->out->tenant_count = tenants.len;
    return true;
}

/* ---- Kinds. ---- */

/*
 * Reports a problem with the file. The author of the Secret may have pasted the credentials
 * themselves, or the path of a file that they must not see: neither is quoted.
 */
static bool bad_identity_file(struct chooser *c, const char *why, struct err *e)
{
    if (!c->options->scoped)
        return err_wrap(e, "%.*s: AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS",
                        STR_ARG(c->options->origin));
    if (e)
        err_clear(e);
    return err_set(e, ERR_INVALID,
                   "%.*s: AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS must be the path of a file with "
                   "credentials: %s",
                   STR_ARG(c->options->origin), why);
}

/* A file with an identity's certificate in base64; for Azure's own services. */
static bool choose_identity_file(struct chooser *c, str path, struct err *e)
{
    struct credential_settings *s = c->out;
    struct source src = {.file = path};
    struct value *root;
    str text;

    /* The path may come from a user of a namespace: a device or a pipe would keep us waiting. */
    if (file_kind(path) == FILE_OTHER || file_kind(path) == FILE_FOLDER)
        return err_set(e, ERR_INVALID,
                       "%.*s: AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS is not a regular file",
                       STR_ARG(c->options->origin));
    if (!file_read_max(c->a, path, IDENTITY_FILE_MAX, &text, e))
        return bad_identity_file(
            c, file_kind(path) == FILE_MISSING ? "no such file" : "it cannot be read", e);
    src.text = text;
    if (!json_read(c->a, &src, NULL, &root, e))
        return bad_identity_file(c, "it is not JSON", e);
    s->kind = CREDENTIAL_CERTIFICATE;
    s->certificate = value_get_str(root, STR("client_secret"));
    s->client = value_get_str(root, STR("client_id"));
    s->tenant = value_get_str(root, STR("tenant_id"));
    s->send_chain = true;
    s->tenant_count = 0;
    if (value_get_str(root, STR("authentication_endpoint")).len)
        s->cloud.authority = str_concat(
            c->a, str_without_suffix(value_get_str(root, STR("authentication_endpoint")), STR("/")),
            STR("/"));
    if (!s->certificate.len || !s->client.len || !s->tenant.len || !is_url(s->cloud.authority))
        return err_set(e, ERR_INVALID,
                       "%.*s must have client_id, tenant_id and client_secret (a certificate)",
                       STR_ARG(path)) ||
               bad_identity_file(c, "client_id, tenant_id or client_secret is missing", e);
    return true;
}

static void choose_certificate(struct chooser *c, str certificate)
{
    str chain;

    c->out->kind = CREDENTIAL_CERTIFICATE;
    c->out->certificate = certificate;
    has(c, "AZURE_CLIENT_CERTIFICATE_PASSWORD", &c->out->password);
    c->out->send_chain = has(c, "AZURE_CLIENT_SEND_CERTIFICATE_CHAIN", &chain) &&
                         (str_eq_fold(chain, STR("true")) || str_eq(chain, STR("1")));
}

static bool choose_secret(struct chooser *c, str secret, struct err *e)
{
    c->out->kind = CREDENTIAL_SECRET;
    c->out->secret = secret;
    if (secret.len)
        return true;
    return err_set(e, ERR_INVALID,
                   "%.*s: AZURE_CLIENT_SECRET is there but empty; give it a value, or remove the "
                   "key to use another kind of credential",
                   STR_ARG(c->options->origin));
}

static bool choose_mode(struct chooser *c, struct err *e)
{
    str mode;

    has(c, "AUTH_MODE", &mode);
    if (str_eq(mode, STR("podidentity"))) {
        c->out->kind = CREDENTIAL_MANAGED;
        c->out->tenant_count = 0;
        return true;
    }
    c->out->kind = CREDENTIAL_WORKLOAD;
    if (!mode.len || str_eq(mode, STR("workloadidentity")))
        return true;
    return err_set(e, ERR_INVALID,
                   "%.*s: AUTH_MODE is \"%.*s\"; it must be podidentity or workloadidentity",
                   STR_ARG(c->options->origin), STR_ARG(mode));
}

static bool select_scoped(struct chooser *c, struct err *e)
{
    struct credential_settings *s = c->out;
    str value;

    need(c, "AZURE_SUBSCRIPTION_ID", &s->subscription);
    need(c, "AZURE_TENANT_ID", &s->tenant);
    need(c, "AZURE_CLIENT_ID", &s->client);
    if (!check_missing(c, e))
        return false;
    if (has(c, "AZURE_CLIENT_SECRET", &value))
        return choose_secret(c, value, e);
    if (has(c, "AZURE_CLIENT_CERTIFICATE", &value)) {
        choose_certificate(c, value);
        return true;
    }
    if (has(c, "AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS", &value))
        return choose_identity_file(c, value, e);
    return choose_mode(c, e);
}

/* The last resort: a client secret if it is complete, else the machine's identity. */
static bool select_chain(struct chooser *c, struct err *e)
{
    struct credential_settings *s = c->out;
    str secret;

    if (!has(c, "AZURE_CLIENT_SECRET", &secret)) {
        has(c, "AZURE_CLIENT_ID", &s->client);
        has(c, "AZURE_TENANT_ID", &s->tenant);
        s->kind = CREDENTIAL_MANAGED;
        s->tenant_count = 0;
        return true;
    }
    need(c, "AZURE_TENANT_ID", &s->tenant);
    need(c, "AZURE_CLIENT_ID", &s->client);
    return check_missing(c, e) && choose_secret(c, secret, e);
}

static bool select_global(struct chooser *c, struct err *e)
{
    struct credential_settings *s = c->out;
    str value, certificate;
    bool workload = has(c, "USE_WORKLOAD_IDENTITY_AUTH", &value) && str_eq(value, STR("true"));
    bool with_certificate = has(c, "AZURE_CLIENT_CERTIFICATE", &certificate);

    if (!has(c, "AZURE_SUBSCRIPTION_ID", &s->subscription))
        return err_set(e, ERR_NOT_FOUND,
                       "%.*s has no credential (AZURE_SUBSCRIPTION_ID is not set); use one of the "
                       "namespace (secret aso-credential) or of the resource (credential-from)",
                       STR_ARG(c->options->origin));
    if (!workload && !with_certificate) {
        if (has(c, "AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS", &value))
            return choose_identity_file(c, value, e);
        return select_chain(c, e);
    }
    need(c, "AZURE_TENANT_ID", &s->tenant);
    need(c, "AZURE_CLIENT_ID", &s->client);
    s->kind = CREDENTIAL_WORKLOAD;
    if (!workload)
        choose_certificate(c, certificate);
    return check_missing(c, e);
}

bool credential_select(struct arena *a, const struct credential_keys *keys,
                       const struct credential_options *options, struct credential_settings *out,
                       struct err *e)
{
    struct chooser c = {.a = a, .keys = keys, .options = options, .out = out};
    str file;

    *out = (struct credential_settings){.metadata = STR(METADATA), .token_file = STR(TOKEN_FILE)};
    if (!options->scoped && has(&c, "AZURE_FEDERATED_TOKEN_FILE", &file))
        out->token_file = file;
    return choose_cloud(&c, e) && choose_tenants(&c, e) &&
           (options->scoped ? select_scoped(&c, e) : select_global(&c, e));
}
