/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - turns merged kubeconfig files and flags into a connection; see config.h.
 *
 * The steps and their order are those of client-go, because users see which error is found first:
 * choose context, cluster and user; apply the flags; check everything and collect the errors; then
 * build the connection.
 */
#include "kube/config/config.h"

#include "base/near.h"
#include "base/quote.h"
#include "go/time.h"
#include "kube/config/config_internal.h"
#include "net/proxy.h"
#include "text/codec.h"
#include "text/url.h"

/* What was chosen: the cluster and the user, overridden by flags. */
struct choice {
    struct arena *a;
    const struct kube_flags *flags;
    str context_name, cluster_name, user_name;
    const struct value *context, *cluster, *user; /* as in the files; may be NULL */

    str server, tls_server_name, proxy, ca_file, ca_data;
    bool insecure, disable_compression;

    str token, token_file, username, password;
    str cert_file, cert_data, key_file, key_data;
    str as, as_uid;
    struct str_list as_groups;
    const struct value *as_extra, *exec;
    str auth_provider;

    VEC(str) faults;
};

/* ---- Choosing ------------------------------------------------------------------------------- */

/* How many names are listed when one is wrong. */
enum { NAMES_SHOWN = 10 };

/* "; did you mean X?", and the available names. */
static str other_names(struct arena *a, const struct map *from, str wrong)
{
    struct buf near = buf_new(a, BUF_UNLIMITED), all = buf_new(a, BUF_UNLIMITED);
    size_t least = near_max(wrong) + 1, count = map_len(from);

    for (size_t i = 0; i < count; i++) {
        str name = quote_line(a, map_key(from, i));
        size_t distance = str_distance(wrong, map_key(from, i));
        if (i < NAMES_SHOWN)
            buf_fmt(&all, "%s%.*s", i ? ", " : "", STR_ARG(name));
        if (distance >= least)
            continue;
        least = distance;
        buf_truncate(&near, 0);
        buf_fmt(&near, "; did you mean \"%.*s\"?", STR_ARG(name));
    }
    if (count > NAMES_SHOWN)
        buf_fmt(&all, " and %zu more", count - NAMES_SHOWN);
    return str_fmt(a, "%.*s%s%.*s", STR_ARG(buf_str(&near)),
                   !count     ? "; the kubeconfig has none"
                   : near.len ? " There are: "
                              : "; there are: ",
                   STR_ARG(buf_str(&all)));
}

static bool pick(const struct choice *c, const struct map *from, str flag, str usual,
                 const char *what, str *name, const struct value **out, struct err *e)
{
    AUTO_ARENA a = arena_new();

    *name = flag.len ? flag : usual;
    *out = map_get(from, *name);
    if (!flag.len || *out)
        return true;
    return err_set(e, ERR_NOT_FOUND, "%s \"%.*s\" does not exist%.*s", what, STR_ARG(flag),
                   STR_ARG(c->flags->client_go ? STR_NONE : other_names(a, from, flag)));
}

static bool choose(struct choice *c, const struct kubeconfig *k, struct err *e)
{
    const struct kube_flags *f = c->flags;

    if (!pick(c, k->contexts, f->context, k->current_context, "context", &c->context_name,
              &c->context, e))
        return false;
    if (c->context_name.len && !c->context)
        return err_set(e, ERR_NOT_FOUND,
                       "%s configuration: context was not found for specified context: %.*s",
                       f->client_go ? "invalid" : "Error in", STR_ARG(c->context_name));
    return pick(c, k->users, f->user, value_get_str(c->context, STR("user")), "auth info",
                &c->user_name, &c->user, e) &&
           pick(c, k->clusters, f->cluster, value_get_str(c->context, STR("cluster")), "cluster",
                &c->cluster_name, &c->cluster, e);
}

/* ---- Flags over files ----------------------------------------------------------------------- */

static str or_usual(str flag, const struct value *v, const char *key)
{
    return flag.len ? flag : value_get_str(v, str_c(key));
}

static bool is_true(const struct value *object, const char *key)
{
    const struct value *v = value_get(object, str_c(key));

    return value_is(v, VALUE_BOOL) && v->truth;
}

/* Checked when the file was read, so decoding cannot fail. */
static str decoded(struct arena *a, const struct value *object, const char *key)
{
    size_t bad;
    str text = value_get_str(object, str_c(key)), bytes;

    return base64_decode(a, text, &bytes, &bad) ? bytes : STR_NONE;
}

static void merge_cluster(struct choice *c)
{
    const struct kube_flags *f = c->flags;

    c->server = or_usual(f->server, c->cluster, "server");
    c->proxy = value_get_str(c->cluster, STR("proxy-url"));
    c->disable_compression = f->disable_compression || is_true(c->cluster, "disable-compression");
    /* A different server has a different name: the one in the file does not apply. */
    c->tls_server_name = f->tls_server_name.len || f->server.len
                             ? f->tls_server_name
                             : value_get_str(c->cluster, STR("tls-server-name"));
    /* Either flag replaces everything about whom to trust. */
    if (f->insecure_skip_tls_verify || f->certificate_authority.len) {
        c->insecure = f->insecure_skip_tls_verify;
        c->ca_file = f->certificate_authority;
        return;
    }
    c->insecure = !f->insecure_given && is_true(c->cluster, "insecure-skip-tls-verify");
    c->ca_file = value_get_str(c->cluster, STR("certificate-authority"));
    c->ca_data = decoded(c->a, c->cluster, "certificate-authority-data");
}

static void read_list(struct arena *a, const struct value *list, struct str_list *out)
{
    for (size_t i = 0; i < value_len(list); i++)
        VEC_PUSH(a, out, value_str(&list->items[i]));
}

static void merge_impersonation(struct choice *c)
{
    const struct kube_flags *f = c->flags;

    c->as = or_usual(f->as, c->user, "as");
    c->as_uid = or_usual(f->as_uid, c->user, "as-uid");
    c->as_groups = f->as_groups;
    if (!c->as_groups.len)
        read_list(c->a, value_get(c->user, STR("as-groups")), &c->as_groups);
    c->as_extra = value_get(c->user, STR("as-user-extra"));
}

static void merge_user(struct choice *c)
{
    const struct kube_flags *f = c->flags;

    c->token = or_usual(f->token, c->user, "token");
    c->token_file = f->token.len ? STR_NONE : value_get_str(c->user, STR("tokenFile"));
    c->username = or_usual(f->username, c->user, "username");
    c->password = or_usual(f->password, c->user, "password");
    c->cert_file = or_usual(f->client_certificate, c->user, "client-certificate");
    c->cert_data = decoded(c->a, c->user, "client-certificate-data");
    c->key_file = or_usual(f->client_key, c->user, "client-key");
    c->key_data = decoded(c->a, c->user, "client-key-data");
    c->exec = value_get(c->user, STR("exec"));
    c->exec = value_is(c->exec, VALUE_OBJECT) ? c->exec : NULL;
    c->auth_provider = value_get_str(value_get(c->user, STR("auth-provider")), STR("name"));
    merge_impersonation(c);
}

/* ---- Checking ------------------------------------------------------------------------------- */

static void fault(struct choice *c, const char *format, ...) FORMAT(2, 3);
static void fault(struct choice *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    VEC_PUSH(c->a, &c->faults, str_vfmt(c->a, format, args));
    va_end(args);
}

static void check_readable(struct choice *c, str file, const char *what, str of)
{
    AUTO_ERR e = {0};
    str text;

    if (file.len && !file_read_max(c->a, file, KUBE_FILE_MAX, &text, &e))
        fault(c, "unable to read %s %.*s for %.*s due to %.*s", what, STR_ARG(file), STR_ARG(of),
              STR_ARG(e.text));
}

static void check_certificate(struct choice *c)
{
    str user = c->user_name;

    if (!c->cert_file.len && !c->cert_data.len)
        return;
    if (c->cert_file.len && c->cert_data.len)
        fault(c,
              "client-cert-data and client-cert are both specified for %.*s. client-cert-data will "
              "override.",
              STR_ARG(user));
    if (c->key_file.len && c->key_data.len)
        fault(c,
              "client-key-data and client-key are both specified for %.*s; client-key-data will "
              "override",
              STR_ARG(user));
    if (!c->key_file.len && !c->key_data.len)
        fault(c,
              "client-key-data or client-key must be specified for %.*s to use the clientCert "
              "authentication method.",
              STR_ARG(user));
    check_readable(c, c->cert_file, "client-cert", user);
    check_readable(c, c->key_file, "client-key", user);
}

static const char *const interactive_names[] = {
    [KUBE_INTERACTIVE_IF_AVAILABLE] = "IfAvailable",
    [KUBE_INTERACTIVE_NEVER] = "Never",
    [KUBE_INTERACTIVE_ALWAYS] = "Always",
};

static bool find_interactive(str name, enum kube_interactive *out)
{
    for (size_t i = 0; i < COUNT(interactive_names); i++)
        if (str_eq(name, str_c(interactive_names[i]))) {
            *out = (enum kube_interactive)i;
            return true;
        }
    return false;
}

/* It may be omitted in v1beta1. */
static str interactive_mode(const struct choice *c)
{
    str mode = value_get_str(c->exec, STR("interactiveMode"));
    str version = value_get_str(c->exec, STR("apiVersion"));

    return !mode.len && str_has_suffix(version, STR("/v1beta1")) ? STR("IfAvailable") : mode;
}

static void check_exec(struct choice *c)
{
    static const char *const needed[] = {"command", "apiVersion"};
    const struct value *env = value_get(c->exec, STR("env"));
    str user = c->user_name, mode = interactive_mode(c);
    enum kube_interactive known;

    if (c->auth_provider.len)
        fault(c, "authProvider cannot be provided in combination with an exec plugin for %.*s",
              STR_ARG(user));
    for (size_t i = 0; i < COUNT(needed); i++)
        if (!value_get_str(c->exec, str_c(needed[i])).len)
            fault(c, "%s must be specified for %.*s to use exec authentication plugin", needed[i],
                  STR_ARG(user));
    for (size_t i = 0; i < value_len(env); i++)
        if (!value_get_str(value_at(env, i), STR("name")).len)
            fault(c,
                  "env variable name must be specified for %.*s to use exec authentication plugin",
                  STR_ARG(user));
    if (!mode.len)
        fault(c, "interactiveMode must be specified for %.*s to use exec authentication plugin",
              STR_ARG(user));
    else if (!find_interactive(mode, &known))
        fault(c, "invalid interactiveMode for %.*s: \"%.*s\"", STR_ARG(user), STR_ARG(mode));
}

static void check_user(struct choice *c)
{
    bool has_basic = c->username.len || c->password.len;

    check_certificate(c);
    if (c->exec)
        check_exec(c);
    if (c->token.len && has_basic)
        fault(c,
              "more than one authentication method found for %.*s; found [token basicAuth], only "
              "one is allowed",
              STR_ARG(c->user_name));
    if (!c->as.len && (c->as_uid.len || c->as_groups.len || value_len(c->as_extra)))
        fault(c, "requesting uid, groups or user-extra for %.*s without impersonating a user",
              STR_ARG(c->user_name));
}

static const char *proxy_fault(struct arena *a, str proxy, str *scheme)
{
    AUTO_ERR e = {0};
    struct url u;

    if (!url_parse(a, proxy, &u, &e) && str_find_char(proxy, '@') != STR_NPOS)
        return "could not parse"; /* the error quotes a password */
    if (e.kind)
        return str_z(a, str_fmt(a, "could not parse: %.*s", STR_ARG(e.text)));
    *scheme = u.scheme;
    if (str_eq(u.scheme, STR("http")) || str_eq(u.scheme, STR("https")) ||
        str_eq(u.scheme, STR("socks5")))
        return NULL;
    return str_z(a, str_fmt(a, "unsupported scheme \"%.*s\", must be http, https, or socks5",
                            STR_ARG(u.scheme)));
}

static void check_cluster(struct choice *c)
{
    str scheme;
    const char *why = c->proxy.len ? proxy_fault(c->a, c->proxy, &scheme) : NULL;

    if (why)
        fault(c, "invalid 'proxy-url' \"%.*s\" for cluster \"%.*s\": %s",
              STR_ARG(proxy_shown(c->a, c->proxy)), STR_ARG(c->cluster_name), why);
    if (c->ca_file.len && c->ca_data.len)
        fault(c,
              "certificate-authority-data and certificate-authority are both specified for %.*s. "
              "certificate-authority-data will override.",
              STR_ARG(c->cluster_name));
    check_readable(c, c->ca_file, "certificate-authority", c->cluster_name);
}

/* All errors in one line. */
static bool join_faults(const struct choice *c, struct err *e)
{
    bool one = c->faults.len == 1;
    str all = str_join(c->a, c->faults.items, c->faults.len, STR(", "));

    return err_set(e, ERR_INVALID, "invalid configuration: %s%.*s%s", one ? "" : "[", STR_ARG(all),
                   one ? "" : "]");
}

/* A single error is returned as is, several have a line each. */
static bool report_faults(const struct choice *c, struct err *e)
{
    struct buf b = buf_new(c->a, BUF_UNLIMITED);

    if (!c->faults.len)
        return true;
    if (c->flags->client_go)
        return join_faults(c, e);
    if (c->faults.len == 1)
        return err_set_str(e, ERR_INVALID, c->faults.items[0]);
    buf_add(&b, STR("Error in configuration: "));
    for (size_t i = 0; i < c->faults.len; i++)
        buf_fmt(&b, "\n* %.*s", STR_ARG(c->faults.items[i]));
    return err_set_str(e, ERR_INVALID, buf_str(&b));
}

/* ---- Building ------------------------------------------------------------------------------- */

/* "host:port" alone means HTTPS if any TLS option is set, else HTTP. */
static bool complete_server(const struct choice *c, str *out, struct err *e)
{
    bool tls = c->insecure || c->ca_file.len || c->ca_data.len || c->cert_file.len ||
               c->cert_data.len;
    const str scheme = tls ? STR("https://") : STR("http://");
    struct url u;

    if (!url_parse(c->a, c->server, &u, NULL) || !u.scheme.len || !u.host.len) {
        str server = str_concat(c->a, scheme, c->server);
        if (!url_parse(c->a, server, &u, e))
            return false;
        if (u.path.len && !str_eq(u.path, STR("/")))
            return err_set(e, ERR_INVALID, "host must be a URL or a host:port pair: \"%.*s\"",
                           STR_ARG(str_from(url_shown(c->a, server), scheme.len)));
    }
    u.query = u.fragment = STR_NONE;
    *out = str_without_suffix(url_text(c->a, &u), STR("/"));
    return true;
}

static bool build_tls(const struct choice *c, str server, struct http_tls *tls, struct err *e)
{
    if (c->insecure && (c->ca_file.len || c->ca_data.len))
        return err_set(e, ERR_INVALID,
                       "specifying a root certificates file with the insecure flag is not allowed");
    tls->insecure = c->insecure;
    tls->server_name = c->tls_server_name;
    /* Certificate files are read for each connection, since they may be renewed. */
    tls->ca = (struct http_pem){c->ca_data, c->ca_data.len ? STR_NONE : c->ca_file};
    if (!c->ca_data.len && c->ca_file.len &&
        !file_read_max(c->a, c->ca_file, KUBE_FILE_MAX, &tls->ca.text, e))
        return false;
    if (!tls->ca.text.len && c->ca_file.len)
        return err_set(e, ERR_INVALID,
                       "unable to load root certificates: unable to parse bytes as PEM block");
    /* Without TLS, client certificates are ignored, as in client-go. */
    if (!str_has_prefix(server, STR("https:")))
        return true;
    tls->cert = (struct http_pem){c->cert_data, c->cert_data.len ? STR_NONE : c->cert_file};
    tls->key = (struct http_pem){c->key_data, c->key_data.len ? STR_NONE : c->key_file};
    return true;
}

/* Providers that kubectl itself has dropped, and its messages about them. */
static bool refuse_provider(str name, struct err *e)
{
    static const struct {
        const char *name, *text;
    } removed[] = {
        {"azure", "The azure auth plugin has been removed.\nPlease use the "
                  "https://github.com/Azure/kubelogin kubectl/client-go credential plugin "
                  "instead.\nSee https://kubernetes.io/docs/reference/access-authn-authz/"
                  "authentication/#client-go-credential-plugins for further details"},
        {"gcp", "The gcp auth plugin has been removed.\nPlease use the "
                "\"gke-gcloud-auth-plugin\" kubectl/client-go credential plugin instead.\nSee "
                "https://cloud.google.com/blog/products/containers-kubernetes/"
                "kubectl-auth-changes-in-gke for further details"},
        {"oidc", "The oidc auth provider is not supported.\nPlease use a credential plugin "
                 "(users[].user.exec) that logs in with OpenID Connect instead.\nSee "
                 "https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
                 "#client-go-credential-plugins for further details"},
    };

    for (size_t i = 0; i < COUNT(removed); i++)
        if (str_eq(name, str_c(removed[i].name)))
            return err_set(e, ERR_INVALID, "%s", removed[i].text);
    return err_set(e, ERR_INVALID, "no Auth Provider found for name \"%.*s\"", STR_ARG(name));
}

static void read_env(struct arena *a, const struct value *list, struct kube_exec *x)
{
    x->env_count = value_len(list);
    x->env = ARENA_ARRAY(a, struct http_header, x->env_count);
    for (size_t i = 0; i < x->env_count; i++)
        x->env[i] = (struct http_header){value_get_str(value_at(list, i), STR("name")),
                                         value_get_str(value_at(list, i), STR("value"))};
}

/* The cluster's configuration for plugins, from its extensions. */
static const struct value *plugin_extension(const struct value *cluster)
{
    const struct value *list = value_get(cluster, STR("extensions"));

    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq(value_get_str(value_at(list, i), STR("name")),
                   STR("client.authentication.k8s.io/exec")))
            return value_get(value_at(list, i), STR("extension"));
    return NULL;
}

static bool build_exec(const struct choice *c, struct kube_config *out, struct err *e)
{
    struct kube_exec *x = ARENA_NEW(c->a, struct kube_exec);

    x->command = value_get_str(c->exec, STR("command"));
    x->api_version = value_get_str(c->exec, STR("apiVersion"));
    x->install_hint = value_get_str(c->exec, STR("installHint"));
    x->provide_cluster_info = is_true(c->exec, "provideClusterInfo");
    x->cluster_config = plugin_extension(c->cluster);
    read_list(c->a, value_get(c->exec, STR("args")), &x->args);
    read_env(c->a, value_get(c->exec, STR("env")), x);
    out->exec = x;
    if (!str_eq(x->api_version, STR("client.authentication.k8s.io/v1")) &&
        !str_eq(x->api_version, STR("client.authentication.k8s.io/v1beta1")))
        return err_set(e, ERR_INVALID, "exec plugin: invalid apiVersion \"%.*s\"",
                       STR_ARG(x->api_version));
    return find_interactive(interactive_mode(c), &x->interactive);
}

/* --as-user-extra takes key=value, while the file has a list of values for each key. */
static bool build_extra(struct choice *c, struct kube_config *out, struct err *e)
{
    VEC(struct kube_extra) all = {0};

    for (size_t i = 0; i < value_len(c->as_extra); i++) {
        struct kube_extra *x = VEC_ADD(c->a, &all);
        x->key = value_key(&c->as_extra->items[i]);
        read_list(c->a, &c->as_extra->items[i], &x->values);
    }
    for (size_t i = 0; i < c->flags->as_user_extra.len; i++) {
        struct kube_extra *x = VEC_ADD(c->a, &all);
        str value;
        if (!str_cut(c->flags->as_user_extra.items[i], STR("="), &x->key, &value))
            return err_set(e, ERR_USAGE, "--as-user-extra needs key=value, not \"%.*s\"",
                           STR_ARG(x->key));
        VEC_PUSH(c->a, &x->values, value);
    }
    out->as_extra = all.items;
    out->as_extra_count = all.len;
    return true;
}

/* Credentials from files are never sent over an unencrypted connection, as in kubectl. */
static bool build_user(struct choice *c, struct kube_config *out, struct err *e)
{
    out->as = c->as;
    out->as_uid = c->as_uid;
    out->as_groups = c->as_groups;
    if (!build_extra(c, out, e))
        return false;
    if (c->auth_provider.len)
        return refuse_provider(c->auth_provider, e);
    if (!str_has_prefix(out->server, STR("https:")))
        return true;
    out->token = c->token;
    out->token_file = c->token_file;
    out->username = c->username;
    out->password = c->password;
    out->basic = c->username.len || c->password.len;
    if (c->token_file.len && !c->token.len &&
        !file_read_max(c->a, c->token_file, KUBE_FILE_MAX, &out->token, e))
        return false;
    return !c->exec || build_exec(c, out, e);
}

static void build_namespace(const struct choice *c, struct kube_config *out)
{
    str own = value_get_str(c->context, STR("namespace"));

    out->namespace_given = c->flags->namespace.len > 0;
    out->namespace = out->namespace_given ? c->flags->namespace : own;
    if (!out->namespace.len && kube_in_cluster(c->a, c->flags))
        out->namespace = kube_in_cluster_namespace(c->a, c->flags);
    if (!out->namespace.len)
        out->namespace = STR("default");
}

bool kube_timeout_parse(str text, int64_t *ns, struct err *e)
{
    int64_t seconds;

    *ns = 0;
    if (!text.len)
        return true;
    if (str_to_i64(text, &seconds) && seconds >= 0 && seconds <= INT64_MAX / NS_PER_SEC) {
        *ns = seconds * NS_PER_SEC;
        return true;
    }
    if (duration_parse(text, ns, NULL))
        return true;
    return err_set(e, ERR_USAGE,
                   "Invalid timeout value. Timeout must be a single integer in seconds, or an "
                   "integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)");
}

static bool build(struct choice *c, struct kube_config *out, struct err *e)
{
    str master = str_c(getenv("KUBERNETES_MASTER"));
    bool nothing = !c->server.len;

    out->http = http_defaults();
    out->http.no_compression = c->disable_compression;
    out->http.proxy = c->proxy;
    out->context = c->context_name;
    out->cluster = c->cluster ? c->cluster_name : STR_NONE;
    out->user = c->user ? c->user_name : STR_NONE;
    build_namespace(c, out);
    if (!kube_timeout_parse(c->flags->request_timeout, &out->http.timeout, e))
        return false;
    if (nothing && kube_in_cluster(c->a, c->flags))
        return kube_in_cluster_config(c->a, c->flags, out, e);
    if (nothing)
        c->server = master.len ? master : STR("http://localhost:8080");
    return complete_server(c, &out->server, e) && build_tls(c, out->server, &out->http.tls, e) &&
           build_user(c, out, e);
}

bool kube_config_load(struct arena *a, const struct kube_flags *flags, struct kube_config **out,
                      struct err *e)
{
    struct choice c = {.a = a, .flags = flags};
    struct kubeconfig k;

    *out = ARENA_NEW(a, struct kube_config);
    (*out)->warn = flags->warn;
    (*out)->client_go = flags->client_go;
    if (!kubeconfig_load(a, flags, &k, e) || !choose(&c, &k, e))
        return false;
    merge_cluster(&c);
    merge_user(&c);
    check_user(&c);
    check_cluster(&c);
    return report_faults(&c, e) && build(&c, *out, e);
}
