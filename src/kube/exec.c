/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c - credential plugins; see exec_internal.h. */
#include "kube/exec_internal.h"

#include "go/time.h"
#include "base/process.h"
#include "text/codec.h"
#include "text/json/json.h"
#include "text/yaml/yaml.h"

#include <unistd.h>

#define INSTALL_HELP                                                                               \
    "\n\nIt looks like you are trying to use a client-go credential plugin that is not "           \
    "installed.\n\nTo learn more about this feature, consult the documentation available at:\n"    \
    "      https://kubernetes.io/docs/reference/access-authn-authz/authentication/"                \
    "#client-go-credential-plugins"

extern char **environ;

/* ---- Input ---------------------------------------------------------------------------------- */

static void set_true(struct arena *a, struct value *v, const char *key, bool is_set)
{
    if (is_set)
        value_set_bool(a, v, str_c(key), true);
}

static void set_text(struct arena *a, struct value *v, const char *key, str text)
{
    if (text.len)
        value_set_str(a, v, str_c(key), text);
}

static struct value *cluster_info(struct arena *a, const struct kube_config *c)
{
    struct value *v = value_object(a);
    const struct http_tls *tls = &c->http.tls;

    value_set_str(a, v, STR("server"), c->server);
    set_text(a, v, "tls-server-name", tls->server_name);
    set_true(a, v, "insecure-skip-tls-verify", tls->insecure);
    if (tls->ca.text.len)
        set_text(a, v, "certificate-authority-data", base64_encode(a, tls->ca.text));
    set_text(a, v, "proxy-url", c->http.proxy);
    set_true(a, v, "disable-compression", c->http.no_compression);
    value_set(a, v, STR("config"),
              c->exec->cluster_config ? c->exec->cluster_config : value_null(a));
    return v;
}

static str exec_info(struct arena *a, const struct kube_config *c, bool interactive)
{
    struct value *root = value_object(a), *spec = value_object(a);
    struct buf b = buf_new(a, BUF_UNLIMITED);

    value_set_str(a, root, STR("kind"), STR("ExecCredential"));
    value_set_str(a, root, STR("apiVersion"), c->exec->api_version);
    if (c->exec->provide_cluster_info)
        value_set(a, spec, STR("cluster"), cluster_info(a, c));
    value_set_bool(a, spec, STR("interactive"), interactive);
    value_set(a, root, STR("spec"), spec);
    return json_write(&b, root, &json_exact, NULL) ? buf_str(&b) : STR_NONE;
}

/* Our environment, then the plugin's own: the last of two entries with the same name wins. */
static char **make_environment(struct arena *a, const struct kube_config *c, bool interactive)
{
    VEC(char *) env = {0};
    const struct kube_exec *x = c->exec;
    str info = exec_info(a, c, interactive);

    for (char **at = environ; *at; at++) {
        str name, value;
        bool replaced = false;
        str_cut(str_c(*at), STR("="), &name, &value);
        for (size_t i = 0; i < x->env_count; i++)
            replaced |= str_eq(x->env[i].name, name);
        if (!replaced && !str_eq(name, STR("KUBERNETES_EXEC_INFO")))
            VEC_PUSH(a, &env, *at);
    }
    for (size_t i = 0; i < x->env_count; i++)
        VEC_PUSH(
            a, &env,
            str_z(a, str_fmt(a, "%.*s=%.*s", STR_ARG(x->env[i].name), STR_ARG(x->env[i].value))));
    VEC_PUSH(a, &env, str_z(a, str_concat(a, STR("KUBERNETES_EXEC_INFO="), info)));
    VEC_PUSH(a, &env, NULL);
    return env.items;
}

static const char *const *make_arguments(struct arena *a, const struct kube_exec *x)
{
    VEC(const char *) argv = {0};

    VEC_PUSH(a, &argv, str_z(a, x->command));
    for (size_t i = 0; i < x->args.len; i++)
        VEC_PUSH(a, &argv, str_z(a, x->args.items[i]));
    VEC_PUSH(a, &argv, NULL);
    return argv.items;
}

/* ---- Output --------------------------------------------------------------------------------- */

static bool parse_time(struct arena *a, str text, int64_t *out, struct err *e)
{
    struct gotime t;

    if (!gotime_parse(a, STR(GOTIME_RFC3339), text, NULL, &t, e))
        return err_wrap(e, "decoding stdout");
    if (t.sec > INT64_MAX / NS_PER_SEC - 1 || t.sec < 1) {
        *out = t.sec < 1 ? 1 : INT64_MAX;
        return true;
    }
    *out = t.sec * NS_PER_SEC + t.nsec;
    return true;
}

static bool check_version(const struct value *root, str wanted, struct err *e)
{
    str kind = value_get_str(root, STR("kind")), version = value_get_str(root, STR("apiVersion"));

    if (kind.len && !str_eq(kind, STR("ExecCredential")))
        return err_set(e, ERR_INVALID,
                       "decoding stdout: no kind \"%.*s\" is registered for version \"%.*s\"",
                       STR_ARG(kind), STR_ARG(version));
    if (!version.len)
        version = STR("client.authentication.k8s.io/__internal");
    if (!str_eq(version, wanted))
        return err_set(e, ERR_INVALID,
                       "exec plugin is configured to use API version %.*s, plugin returned version "
                       "%.*s",
                       STR_ARG(wanted), STR_ARG(version));
    return true;
}

static bool check_status(const struct value *status, const struct kube_credential *c, struct err *e)
{
    if (!value_is(status, VALUE_OBJECT))
        return err_set(e, ERR_INVALID, "exec plugin didn't return a status field");
    if (!c->token.len && !c->cert.len && !c->key.len)
        return err_set(e, ERR_INVALID, "exec plugin didn't return a token or cert/key pair");
    if (!c->cert.len != !c->key.len)
        return err_set(e, ERR_INVALID, "exec plugin returned only certificate or key, not both");
    return true;
}

bool kube_exec_parse(struct arena *a, str api_version, str text, struct kube_credential *out,
                     struct err *e)
{
    const struct read_options options = {.quotes = QUOTE_NEVER};
    struct source src;
    struct value *root;
    const struct value *status;
    str expires;

    *out = (struct kube_credential){0};
    if (!yaml_source(a, STR_NONE, text, &src, e) || !yaml_read(a, &src, &options, &root, e))
        return err_wrap(e, "decoding stdout");
    if (!value_is(root, VALUE_OBJECT) && !value_is(root, VALUE_NULL))
        return err_set(e, ERR_INVALID, "decoding stdout: the plugin's output is not an object");
    status = value_get(root, STR("status"));
    out->token = value_get_str(status, STR("token"));
    out->cert = value_get_str(status, STR("clientCertificateData"));
    out->key = value_get_str(status, STR("clientKeyData"));
    expires = value_get_str(status, STR("expirationTimestamp"));
    if (!check_version(root, api_version, e))
        return false;
    if (expires.len && !parse_time(a, expires, &out->expires, e))
        return false;
    return check_status(status, out, e);
}

/* ---- Running it ----------------------------------------------------------------------------- */

static bool may_ask(const struct kube_exec *x, bool *interactive, struct err *e)
{
    *interactive = x->interactive != KUBE_INTERACTIVE_NEVER && isatty(STDIN_FILENO);
    if (x->interactive == KUBE_INTERACTIVE_ALWAYS && !*interactive)
        return err_set(e, ERR_INVALID,
                       "exec plugin cannot support interactive mode: standard "
                       "input is not a terminal");
    return true;
}

static bool fail_missing(const struct kube_exec *x, struct err *e)
{
    return err_set(e, ERR_NOT_FOUND, "exec: executable %.*s not found" INSTALL_HELP "%s%.*s",
                   STR_ARG(x->command), x->install_hint.len ? "\n\n" : "",
                   STR_ARG(x->install_hint));
}

static bool run(struct arena *a, const struct kube_config *c, const struct http_cancel *cancel,
                str *text, struct err *e)
{
    const struct kube_exec *x = c->exec;
    struct process p = {.argv = make_arguments(a, x),
                        .output_max = KUBE_EXEC_OUTPUT_MAX,
                        .cancel_fd = cancel ? http_cancel_fd(cancel) : 0};
    int status;

    if (!may_ask(x, &p.with_input, e))
        return false;
    /* At a terminal, the user may take any time. */
    p.timeout = p.with_input ? 0 : x->patience ? x->patience : KUBE_EXEC_PATIENCE;
    p.env = make_environment(a, c, p.with_input);
    if (!process_run_as(a, &p, text, &status, e)) {
        if (e && e->kind == ERR_NOT_FOUND)
            return fail_missing(x, e);
        return err_wrap(e, "exec: %.*s", STR_ARG(x->command));
    }
    if (status != 0)
        return err_set(e, ERR_DENIED, "exec: executable %.*s failed with exit code %d",
                       STR_ARG(x->command), status);
    return true;
}

bool kube_exec_run(struct arena *a, const struct kube_config *c, const struct http_cancel *cancel,
                   struct kube_credential *out, struct err *e)
{
    AUTO_ERR own = {0};
    str text;

    e = e ? e : &own;
    if (!run(a, c, cancel, &text, e) || !kube_exec_parse(a, c->exec->api_version, text, out, e))
        return err_wrap(e, "getting credentials");
    return true;
}
