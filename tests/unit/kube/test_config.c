/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig as kubectl reads it; the messages were recorded from kubectl 1.32. */
#include "../test.h"

#include "kube/config/config.h"
#include "support/certs.h"
#include "text/codec.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/plumb-kube-XXXXXX";

static str path_of(struct arena *a, const char *name)
{
    return str_fmt(a, "%s/%s", folder, name);
}

static void put(const char *name, const char *text)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    assert_ok(file_write(path_of(a, name), str_c(text), 0600, &e), &e);
}

#define KUBECONFIG                                                                                 \
    "current-context: a\n"                                                                         \
    "clusters:\n"                                                                                  \
    "- {name: c1, cluster: {server: 'https://127.0.0.1:6443/', certificate-authority: ca.pem,\n"   \
    "   tls-server-name: inner}}\n"                                                                \
    "- {name: nocafile, cluster: {server: 'https://h', certificate-authority: none.pem}}\n"        \
    "- {name: data, cluster: {server: 'https://h', certificate-authority-data: Q0E=,\n"            \
    "   proxy-url: 'socks5://p:1'}}\n"                                                             \
    "- {name: plain, cluster: {server: 'http://h:8080'}}\n"                                        \
    "- {name: bare, cluster: {server: 'h:8080'}}\n"                                                \
    "- {name: insecure, cluster: {server: 'h:8443', insecure-skip-tls-verify: true}}\n"            \
    "- {name: insecca, cluster: {server: 'https://h', insecure-skip-tls-verify: true,\n"           \
    "   certificate-authority-data: Q0E=}}\n"                                                      \
    "- {name: badproxy, cluster: {server: 'https://h', proxy-url: 'ftp://x'}}\n"                   \
    "- {name: noproxy, cluster: {server: 'https://h', proxy-url: 'u:secret@x:1'}}\n"               \
    "- {name: nourl, cluster: {server: 'https://h', proxy-url: 'secret@x:1'}}\n"                   \
    "- {name: path, cluster: {server: 'h/x'}}\n"                                                   \
    "- {name: broken, cluster: {server: 'http://u:planted/p@h/x'}}\n"                              \
    "- {name: user, cluster: {server: 'u:planted@h/x'}}\n"                                         \
    "contexts:\n"                                                                                  \
    "- {name: a, context: {cluster: c1, user: token, namespace: ns1}}\n"                           \
    "- {name: nouser, context: {cluster: c1, user: missing}}\n"                                    \
    "- {name: nocluster, context: {cluster: missing, user: token}}\n"                              \
    "users:\n"                                                                                     \
    "- {name: token, user: {token: t0ken}}\n"                                                      \
    "- {name: file, user: {tokenFile: tok}}\n"                                                     \
    "- {name: nofile, user: {tokenFile: notok}}\n"                                                 \
    "- {name: two, user: {token: t, username: uu, password: pp}}\n"                                \
    "- {name: basic, user: {username: uu, password: pp}}\n"                                        \
    "- {name: certs, user: {client-certificate: ca.pem, client-key: ca.key}}\n"                    \
    "- {name: nokey, user: {client-certificate: ca.pem}}\n"                                        \
    "- {name: gcp, user: {auth-provider: {name: gcp}}}\n"                                          \
    "- {name: oidc, user: {auth-provider: {name: oidc}}}\n"                                        \
    "- {name: foo, user: {auth-provider: {name: foo}}}\n"                                          \
    "- {name: as, user: {token: t, as: jane, as-uid: '5', as-groups: [g1, g2],\n"                  \
    "   as-user-extra: {k: [v1, v2]}}}\n"                                                          \
    "- {name: asnone, user: {token: t, as-groups: [g1]}}\n"                                        \
    "- {name: exec, user: {exec: {command: ./bin/plug, args: [x], env: [{name: NN, value: V}],\n"  \
    "   apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}}\n"                  \
    "- {name: old, user: {exec: {command: plug, apiVersion: "                                      \
    "client.authentication.k8s.io/v1beta1}}}\n"                                                    \
    "- {name: alpha, user: {exec: {command: plug, interactiveMode: Never,\n"                       \
    "   apiVersion: client.authentication.k8s.io/v1alpha1}}}\n"                                    \
    "- {name: nomode, user: {exec: {command: plug, apiVersion: "                                   \
    "client.authentication.k8s.io/v1}}}\n"                                                         \
    "- {name: badmode, user: {exec: {command: plug, interactiveMode: Sometimes,\n"                 \
    "   apiVersion: client.authentication.k8s.io/v1}}}\n"

static int set_up(void **state)
{
    AUTO_ARENA a = arena_new();
    struct test_cert ca;

    (void)state;
    assert_non_null(mkdtemp(folder));
    ca = test_ca(a, "CA");
    put("config", KUBECONFIG);
    put("ca.pem", str_z(a, ca.cert));
    put("ca.key", str_z(a, ca.key));
    put("tok", "from-file\n");
    unsetenv("KUBECONFIG");
    unsetenv("KUBERNETES_SERVICE_HOST");
    unsetenv("KUBERNETES_MASTER");
    setenv("HOME", folder, 1);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"config", "ca.pem", "ca.key", "tok",      "one",
                                        "two",    "token",  "ca.crt", "namespace"};
    AUTO_ARENA a = arena_new();

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        unlink(str_z(a, path_of(a, names[i])));
    return rmdir(folder);
}

static struct kube_flags flags_of(struct arena *a, const char *cluster, const char *user)
{
    return (struct kube_flags){
        .kubeconfig = path_of(a, "config"), .cluster = str_c(cluster), .user = str_c(user)};
}

/* Loads and expects success. */
static const struct kube_config *load(struct arena *a, const struct kube_flags *flags)
{
    AUTO_ERR e = {0};
    struct kube_config *c;

    assert_ok(kube_config_load(a, flags, &c, &e), &e);
    return c;
}

TEST(the_current_context_is_used)
{
    AUTO_ARENA a = arena_new();
    struct kube_flags flags = flags_of(a, "", "");
    const struct kube_config *c = load(a, &flags);

    assert_str(c->server, STR("https://127.0.0.1:6443"));
    assert_str(c->namespace, STR("ns1"));
    assert_false(c->namespace_given);
    assert_str(c->token, STR("t0ken"));
    assert_str(c->http.tls.server_name, STR("inner"));
    assert_true(str_has_prefix(c->http.tls.ca.text, STR("-----BEGIN CERT")));
    assert_str(c->context, STR("a"));
}

TEST(flags_win_over_files)
{
    AUTO_ARENA a = arena_new();
    struct kube_flags flags = flags_of(a, "", "");

    flags.namespace = STR("other");
    flags.token = STR("flag");
    flags.server = STR("https://other:1");
    flags.insecure_skip_tls_verify = flags.insecure_given = true;
    flags.request_timeout = STR("5");
    const struct kube_config *c = load(a, &flags);
    assert_str(c->server, STR("https://other:1"));
    assert_str(c->namespace, STR("other"));
    assert_true(c->namespace_given);
    assert_str(c->token, STR("flag"));
    assert_true(c->http.tls.insecure);
    assert_int_equal(c->http.tls.ca.text.len, 0);
    assert_int_equal(c->http.tls.server_name.len, 0);
    assert_int_equal(c->http.timeout, 5 * NS_PER_SEC);
    flags = flags_of(a, "insecure", "");
    flags.certificate_authority = path_of(a, "ca.pem");
    c = load(a, &flags);
    assert_false(c->http.tls.insecure);
    assert_true(c->http.tls.ca.text.len > 0);
}

TEST(servers_without_a_scheme_get_one)
{
    AUTO_ARENA a = arena_new();
    struct kube_flags flags = flags_of(a, "bare", "");

    assert_str(load(a, &flags)->server, STR("http://h:8080"));
    /* Credentials stay here when anyone could read them. */
    assert_int_equal(load(a, &flags)->token.len, 0);
    flags = flags_of(a, "insecure", "");
    assert_str(load(a, &flags)->server, STR("https://h:8443"));
    flags = flags_of(a, "data", "");
    assert_str(load(a, &flags)->http.proxy, STR("socks5://p:1"));
    assert_str(load(a, &flags)->http.tls.ca.text, STR("CA"));
    flags = (struct kube_flags){.kubeconfig = path_of(a, "config"), .context = STR("nocluster")};
    assert_str(load(a, &flags)->server, STR("http://localhost:8080"));
    flags.context = STR("nouser");
    assert_int_equal(load(a, &flags)->token.len, 0);
}

TEST(users_may_have_any_kind_of_credentials)
{
    AUTO_ARENA a = arena_new();
    struct kube_flags flags = flags_of(a, "", "file");
    const struct kube_config *c = load(a, &flags);

    assert_str(c->token_file, path_of(a, "tok"));
    flags = flags_of(a, "", "basic");
    assert_true(load(a, &flags)->basic);
    flags = flags_of(a, "", "certs");
    assert_str(load(a, &flags)->http.tls.cert.file, path_of(a, "ca.pem"));
    flags = flags_of(a, "", "as");
    c = load(a, &flags);
    assert_str(c->as, STR("jane"));
    assert_str(c->as_uid, STR("5"));
    assert_int_equal(c->as_groups.len, 2);
    assert_int_equal(c->as_extra_count, 1);
    assert_str(c->as_extra[0].values.items[1], STR("v2"));
    flags = flags_of(a, "", "exec");
    c = load(a, &flags);
    assert_str(c->exec->command, path_of(a, "bin/plug"));
    assert_str(c->exec->env[0].value, STR("V"));
    assert_int_equal(c->exec->interactive, KUBE_INTERACTIVE_NEVER);
    flags = flags_of(a, "", "old");
    c = load(a, &flags);
    assert_str(c->exec->command, STR("plug"));
    assert_int_equal(c->exec->interactive, KUBE_INTERACTIVE_IF_AVAILABLE);
}

/* %s stands for the folder. */
static const struct {
    const char *context, *cluster, *user, *want;
} faults[] = {
    {"nothere", "", "", "context \"nothere\" does not exist"},
    {"", "nothere", "", "cluster \"nothere\" does not exist"},
    {"", "", "nothere", "auth info \"nothere\" does not exist"},
    {"", "nocafile", "",
     "unable to read certificate-authority %s/none.pem for nocafile due to open %s/none.pem: no "
     "such file or directory"},
    {"", "", "two",
     "more than one authentication method found for two; found [token basicAuth], only one is "
     "allowed"},
    {"", "nocafile", "two",
     "Error in configuration: \n* more than one authentication method found for two; found [token "
     "basicAuth], only one is allowed\n* unable to read certificate-authority %s/none.pem for "
     "nocafile due to open %s/none.pem: no such file or directory"},
    {"", "", "nokey",
     "client-key-data or client-key must be specified for nokey to use the clientCert "
     "authentication method."},
    {"", "", "nofile", "open %s/notok: no such file or directory"},
    {"", "", "gcp",
     "The gcp auth plugin has been removed.\nPlease use the \"gke-gcloud-auth-plugin\" "
     "kubectl/client-go credential plugin instead.\nSee "
     "https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke for "
     "further details"},
    {"", "", "oidc",
     "The oidc auth provider is not supported.\nPlease use a credential plugin (users[].user.exec) "
     "that logs in with OpenID Connect instead.\nSee "
     "https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
     "#client-go-credential-plugins for further details"},
    {"", "", "foo", "no Auth Provider found for name \"foo\""},
    {"", "", "asnone",
     "requesting uid, groups or user-extra for asnone without impersonating a "
     "user"},
    {"", "", "alpha", "exec plugin: invalid apiVersion \"client.authentication.k8s.io/v1alpha1\""},
    {"", "", "nomode",
     "interactiveMode must be specified for nomode to use exec authentication plugin"},
    {"", "", "badmode", "invalid interactiveMode for badmode: \"Sometimes\""},
    {"", "insecca", "",
     "specifying a root certificates file with the insecure flag is not allowed"},
    {"", "badproxy", "",
     "invalid 'proxy-url' \"ftp://x\" for cluster \"badproxy\": unsupported scheme \"ftp\", must "
     "be "
     "http, https, or socks5"},
    {"", "noproxy", "",
     "invalid 'proxy-url' \"...@x:1\" for cluster \"noproxy\": unsupported scheme \"u\", must be "
     "http, https, or socks5"},
    {"", "nourl", "", "invalid 'proxy-url' \"...@x:1\" for cluster \"nourl\": could not parse"},
    {"", "path", "", "host must be a URL or a host:port pair: \"h/x\""},
    {"", "broken", "", "host must be a URL or a host:port pair: \"http://u:xxxxx@h/x\""},
    {"", "user", "", "host must be a URL or a host:port pair: \"u:xxxxx@h/x\""},
};

static str with_folder(struct arena *a, const char *text)
{
    struct buf b = buf_new(a, 4 * KIB);
    str rest = str_c(text), before;

    while (str_cut(rest, STR("%s"), &before, &rest))
        buf_fmt(&b, "%.*s%s", STR_ARG(before), folder);
    buf_add(&b, before);
    return buf_str(&b);
}

TEST(faults_read_as_with_kubectl)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct kube_config *c;

    for (size_t i = 0; i < COUNT(faults); i++) {
        struct kube_flags flags = flags_of(a, faults[i].cluster, faults[i].user);
        flags.context = str_c(faults[i].context);
        assert_false(kube_config_load(a, &flags, &c, &e));
        /* Names that there are follow. */
        str text, names;
        str_cut(e.text, STR("; there are: "), &text, &names);
        assert_str(text, with_folder(a, faults[i].want));
        assert_int_equal(names.len > 0, str_has_suffix(text, STR("does not exist")));
    }
}

#define LOADING "error loading config file \"%s/one\": "

static const struct {
    const char *text, *want;
    uint32_t line;
} broken[] = {
    {"kind: Pod\napiVersion: v1\n",
     LOADING "no kind \"Pod\" is registered for version \"v1\" in scheme "
             "\"k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50\"",
     1},
    {"[]\n",
     LOADING "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go "
             "value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind "
             "string \"json:\\\"kind,omitempty\\\"\" }",
     1},
    {"x: [\n", LOADING "yaml: line 1: did not find expected node content", 2},
    {"clusters: 3\n",
     LOADING "json: cannot unmarshal number into Go struct field Config.clusters of type "
             "[]v1.NamedCluster",
     1},
    {"clusters:\n- name: 1\n",
     LOADING "json: cannot unmarshal number into Go struct field NamedCluster.clusters.name of "
             "type string",
     2},
    {"clusters:\n- name: a\n  cluster: {certificate-authority-data: '!!'}\n",
     LOADING "illegal base64 data at input byte 0", 3},
    {"clusters:\n- name: a\n  cluster: {server: [1]}\n",
     LOADING "json: cannot unmarshal array into Go struct field Cluster.clusters.cluster.server of "
             "type string",
     3},
    {"users:\n- name: a\n  user: {as-groups: x}\n",
     LOADING "json: cannot unmarshal string into Go struct field AuthInfo.users.user.as-groups of "
             "type []string",
     3},
    {"users:\n- name: a\n  user: {exec: {env: [{name: 3}]}}\n",
     LOADING "json: cannot unmarshal number into Go struct field "
             "ExecEnvVar.users.user.exec.env.name of type string",
     3},
    {"users:\n- name: a\n  user: {password: y}\n",
     LOADING "json: cannot unmarshal bool into Go struct field AuthInfo.users.user.password of "
             "type string",
     3},
    {"clusters:\n- name: a\n  cluster: {insecure-skip-tls-verify: 'yes'}\n",
     LOADING "json: cannot unmarshal string into Go struct field "
             "Cluster.clusters.cluster.insecure-skip-tls-verify of type bool",
     3},
    {"users:\n- name: a\n  user: {as-user-extra: {k: v}}\n",
     LOADING "json: cannot unmarshal string into Go struct field AuthInfo.users.user.as-user-extra "
             "of type []string",
     3},
    {"users:\n- name: a\n- name: a\n",
     LOADING "error converting *[]NamedAuthInfo into *map[string]*api.AuthInfo: duplicate name "
             "\"a\" in list",
     3},
    {"users: [{name: u, user: {password: *planted}}]\n",
     LOADING "yaml: unknown anchor '***' referenced", 1},
    {"users: [{name: u, user: {token: !!int planted}}]\n",
     LOADING "yaml: cannot decode !!str `***` as a !!int", 1},
    {"current-context: nope\n",
     "Error in configuration: context was not found for specified context: nope", 0},
};

TEST(broken_files_read_as_with_kubectl_and_name_the_line)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct kube_flags flags = {.kubeconfig = path_of(a, "one")};
    struct kube_config *c;

    for (size_t i = 0; i < COUNT(broken); i++) {
        put("one", broken[i].text);
        assert_false(kube_config_load(a, &flags, &c, &e));
        assert_str(e.text, with_folder(a, broken[i].want));
        assert_int_equal(e.at.line, broken[i].line);
    }
    flags.kubeconfig = path_of(a, "missing");
    assert_false(kube_config_load(a, &flags, &c, &e));
    assert_str(e.text, with_folder(a, "stat %s/missing: no such file or directory"));
    put("one", "");
    flags.kubeconfig = path_of(a, "one");
    assert_str(load(a, &flags)->server, STR("http://localhost:8080"));
}

TEST(of_several_files_the_first_that_has_a_name_wins)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct kube_flags flags = {0};
    struct str_list contexts;

    put("one", "clusters: [{name: c, cluster: {server: 'https://one'}}]\n"
               "contexts: [{name: x, context: {cluster: c, user: u}}]\n");
    put("two", "current-context: x\nclusters: [{name: c, cluster: {server: 'https://two'}},\n"
               "  {name: d, cluster: {server: 'https://d', certificate-authority: ca.pem}}]\n"
               "contexts: [{name: w, context: {cluster: d}}]\n"
               "users: [{name: u, user: {token: two}}]\n");
    setenv("KUBECONFIG",
           str_z(a, str_fmt(a, "%s/none::%s/one:%s/two:%s/one", folder, folder, folder, folder)),
           1);
    const struct kube_config *c = load(a, &flags);
    assert_str(c->server, STR("https://one"));
    assert_str(c->token, STR("two"));
    assert_ok(kube_config_contexts(a, &flags, &contexts, &e), &e);
    assert_int_equal(contexts.len, 2);
    assert_str(contexts.items[0], STR("w"));
    put("ca.pem", "CA");
    flags.context = STR("w");
    assert_str(load(a, &flags)->http.tls.ca.text, STR("CA"));
    unsetenv("KUBECONFIG");
}

TEST(a_pod_uses_its_service_account)
{
    AUTO_ARENA a = arena_new();
    struct kube_flags flags = {.service_account = str_c(folder)};

    assert_str(load(a, &flags)->server, STR("http://localhost:8080"));
    assert_str(load(a, &flags)->namespace, STR("default"));
    put("token", "pod-token");
    put("namespace", "pod-ns\n");
    put("ca.crt", "CA");
    setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    const struct kube_config *c = load(a, &flags);
    assert_true(c->in_cluster);
    assert_str(c->server, STR("https://[fd00::1]:443"));
    assert_str(c->namespace, STR("pod-ns"));
    assert_str(c->token_file, path_of(a, "token"));
    assert_str(c->http.tls.ca.text, STR("CA"));
    flags.server = STR("https://elsewhere");
    assert_false(load(a, &flags)->in_cluster);
    unsetenv("KUBERNETES_SERVICE_HOST");
}

TEST(timeouts_are_seconds_or_durations)
{
    static const struct {
        const char *text;
        int64_t want;
    } cases[] = {{"", 0},
                 {"0", 0},
                 {"30", 30 * NS_PER_SEC},
                 {"1m30s", 90 * NS_PER_SEC},
                 {"250ms", 250 * NS_PER_MS},
                 {"abc", -1},
                 {"1x", -1}};
    AUTO_ERR e = {0};
    int64_t ns;

    for (size_t i = 0; i < COUNT(cases); i++) {
        bool ok = kube_timeout_parse(str_c(cases[i].text), &ns, &e);
        assert_int_equal(ok, cases[i].want >= 0);
        assert_true(!ok || ns == cases[i].want);
    }
    assert_str(e.text, STR("Invalid timeout value. Timeout must be a single integer in seconds, or "
                           "an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_current_context_is_used),
        cmocka_unit_test(flags_win_over_files),
        cmocka_unit_test(servers_without_a_scheme_get_one),
        cmocka_unit_test(users_may_have_any_kind_of_credentials),
        cmocka_unit_test(faults_read_as_with_kubectl),
        cmocka_unit_test(broken_files_read_as_with_kubectl_and_name_the_line),
        cmocka_unit_test(of_several_files_the_first_that_has_a_name_wins),
        cmocka_unit_test(a_pod_uses_its_service_account),
        cmocka_unit_test(timeouts_are_seconds_or_durations),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
