/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials on their way to a server: tokens, passwords, plugins, impersonation. */
#include "../test.h"

#include "kube/exec_internal.h"
#include "kube/transport.h"
#include "net/server/server.h"
#include "support/certs.h"
#include "support/fault_server.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/plumb-transport-XXXXXX";

static str path_of(struct arena *a, const char *name)
{
    return str_fmt(a, "%s/%s", folder, name);
}

static void put(const char *name, str text, unsigned mode)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    assert_ok(file_write(path_of(a, name), text, mode, &e), &e);
}

/* Answers 401 to "Bearer bad", and tells what it was shown. */
static void handle(void *ctx, struct server_request *r)
{
    static const char *const shown[] = {"Impersonate-User", "Impersonate-Uid", "Impersonate-Group",
                                        "Impersonate-Extra-a%2Fb"};
    struct buf b = buf_new(server_arena(r), 4 * KIB);
    str authorization = server_header(r, STR("Authorization"));

    (void)ctx;
    if (str_eq(authorization, STR("Bearer bad"))) {
        server_reply(r, 401, STR_NONE, STR("no"));
        return;
    }
    buf_fmt(&b, "%.*s %.*s %.*s", STR_ARG(server_target(r)), STR_ARG(authorization),
            STR_ARG(server_header(r, STR("Accept"))));
    for (size_t i = 0; i < COUNT(shown); i++)
        if (server_header(r, str_c(shown[i])).len)
            buf_fmt(&b, " %.*s", STR_ARG(server_header(r, str_c(shown[i]))));
    server_reply(r, 200, STR_NONE, buf_str(&b));
}

struct fixture {
    struct arena *a;
    struct server *server;
    struct kube_config config;
    struct kube_transport *transport;
    struct err e;
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){.a = arena_new()};
    const struct server_config server = {.handle = handle};

    assert_ok(server_start(&server, &f->server, &f->e), &f->e);
    f->config.server = str_concat(f->a, server_url(f->server), STR("/prefix"));
    f->config.http = http_defaults();
    f->config.http.timeout = 20 * NS_PER_SEC;
}

static void open_transport(struct fixture *f)
{
    assert_ok(kube_transport_new(&f->config, STR("test"), &f->transport, &f->e), &f->e);
}

static void end(struct fixture *f)
{
    kube_transport_free(f->transport);
    server_stop(f->server, 0);
    err_clear(&f->e);
    arena_free(f->a);
}

static str get(struct fixture *f)
{
    struct http_response response;
    const struct http_request r = {.url = STR("/api?x=1")};

    if (!kube_send(f->transport, f->a, &r, &retry_never, &response, &f->e))
        return f->e.text;
    return response.body;
}

TEST(tokens_passwords_and_impersonation_are_sent)
{
    struct fixture f;
    struct kube_extra extra = {.key = STR("a/b")};

    begin(&f);
    f.config.token = STR("tok");
    open_transport(&f);
    assert_str(get(&f), STR("/prefix/api?x=1 Bearer tok application/json"));
    kube_transport_free(f.transport);
    f.config.token = STR_NONE;
    f.config.basic = true;
    f.config.username = STR("user");
    f.config.password = STR("pass");
    f.config.as = STR("jane");
    f.config.as_uid = STR("7");
    VEC_PUSH(f.a, &f.config.as_groups, STR("g"));
    VEC_PUSH(f.a, &extra.values, STR("v"));
    f.config.as_extra = &extra;
    f.config.as_extra_count = 1;
    open_transport(&f);
    assert_str(get(&f), STR("/prefix/api?x=1 Basic dXNlcjpwYXNz application/json jane 7 g v"));
    end(&f);
}

TEST(token_files_are_read_again)
{
    struct fixture f;

    begin(&f);
    clock_fake(1000 * NS_PER_SEC);
    put("tok", STR("one\n"), 0600);
    f.config.token_file = path_of(f.a, "tok");
    open_transport(&f);
    assert_str(get(&f), STR("/prefix/api?x=1 Bearer one application/json"));
    put("tok", STR("two\n"), 0600);
    assert_str(get(&f), STR("/prefix/api?x=1 Bearer one application/json"));
    clock_advance(61 * NS_PER_SEC);
    assert_str(get(&f), STR("/prefix/api?x=1 Bearer two application/json"));
    put("tok", STR("  "), 0600);
    clock_advance(61 * NS_PER_SEC);
    assert_true(str_contains(get(&f), STR("read empty token from file")));
    clock_real();
    end(&f);
}

#define V1 "client.authentication.k8s.io/v1"
#define CREDENTIAL "\"apiVersion\":\"" V1 "\",\"kind\":\"ExecCredential\""

/* The plugin notes what it was told and prints the file "answer". */
static struct kube_exec plugin_of(struct fixture *f)
{
    static const char script[] = "#!/bin/sh\n"
                                 "echo \"$KUBERNETES_EXEC_INFO $NAME $1\" >>\"$DIR/log\"\n"
                                 "cat \"$DIR/answer\"\n"
                                 "exit ${CODE:-0}\n";
    struct kube_exec x = {.command = path_of(f->a, "plugin"),
                          .api_version = STR(V1),
                          .interactive = KUBE_INTERACTIVE_NEVER,
                          .env_count = 3};

    x.env = ARENA_ARRAY(f->a, struct http_header, x.env_count);
    x.env[0] = (struct http_header){STR("DIR"), str_c(folder)};
    x.env[1] = (struct http_header){STR("NAME"), STR("value")};
    x.env[2] = (struct http_header){STR("CODE"), STR("0")};
    VEC_PUSH(f->a, &x.args, STR("arg"));
    put("plugin", str_c(script), 0700);
    put("log", STR_NONE, 0600);
    return x;
}

static size_t plugin_runs(struct arena *a)
{
    str text, line;
    size_t n = 0;

    assert_true(file_read(a, path_of(a, "log"), &text, NULL));
    while (str_next_line(&text, &line))
        n++;
    return n;
}

TEST(what_a_plugin_gives_is_kept_until_it_expires_or_is_refused)
{
    struct fixture f;

    begin(&f);
    struct kube_exec x = plugin_of(&f);
    f.config.exec = &x;
    clock_fake(INT64_C(1000000000) * NS_PER_SEC); /* 2001-09-09T01:46:40Z */
    put("answer",
        STR("{" CREDENTIAL
            ",\"status\":{\"token\":\"t1\",\"expirationTimestamp\":\"2001-09-09T01:47:40Z\"}}"),
        0600);
    open_transport(&f);
    assert_str(get(&f), STR("/prefix/api?x=1 Bearer t1 application/json"));
    put("answer", STR("{" CREDENTIAL ",\"status\":{\"token\":\"bad\"}}"), 0600);
    assert_str(get(&f), STR("/prefix/api?x=1 Bearer t1 application/json"));
    assert_int_equal(plugin_runs(f.a), 1);
    clock_advance(60 * NS_PER_SEC);
    assert_str(get(&f), STR("no"));
    assert_int_equal(plugin_runs(f.a), 3);
    put("answer", STR("{" CREDENTIAL ",\"status\":{\"token\":\"t3\"}}"), 0600);
    assert_str(get(&f), STR("/prefix/api?x=1 Bearer t3 application/json"));
    clock_real();
    end(&f);
}

TEST(a_plugin_is_told_about_the_cluster_when_it_wants)
{
    struct fixture f;
    str log;

    begin(&f);
    struct kube_exec x = plugin_of(&f);
    x.provide_cluster_info = true;
    f.config.exec = &x;
    f.config.http.tls.ca.text = STR_NONE;
    f.config.http.tls.insecure = true;
    f.config.server = STR("https://h:1");
    put("answer", STR("{}"), 0600);
    open_transport(&f);
    assert_str(get(&f), STR("getting credentials: exec plugin is configured to use API version " V1
                            ", plugin returned version client.authentication.k8s.io/__internal"));
    assert_true(file_read(f.a, path_of(f.a, "log"), &log, NULL));
    assert_str(log, STR("{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                        "\",\"spec\":{\"cluster\":{\"server\":\"https://h:1\",\"insecure-skip-tls-"
                        "verify\":true,\"config\":null},\"interactive\":false}} value arg\n"));
    end(&f);
}

TEST(plugins_that_fail_say_why)
{
    struct fixture f;

    begin(&f);
    struct kube_exec x = plugin_of(&f);
    f.config.exec = &x;
    put("answer", STR("{}"), 0600);
    x.env[2].value = STR("3");
    open_transport(&f);
    assert_str(get(&f), str_fmt(f.a,
                                "getting credentials: exec: executable %s/plugin failed with "
                                "exit code 3",
                                folder));
    x.command = STR("no-such-plugin");
    x.install_hint = STR("install it\nlike this");
    assert_str(
        get(&f),
        STR("getting credentials: exec: executable no-such-plugin not found\n\nIt looks like "
            "you are trying to use a client-go credential plugin that is not installed.\n\n"
            "To learn more about this feature, consult the documentation available at:\n"
            "      https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
            "#client-go-credential-plugins\n\ninstall it\nlike this"));
    x.interactive = KUBE_INTERACTIVE_ALWAYS;
    if (!isatty(STDIN_FILENO))
        assert_str(get(&f), STR("getting credentials: exec plugin cannot support interactive mode: "
                                "standard input is not a terminal"));
    end(&f);
}

static const struct {
    const char *text, *want;
} answers[] = {
    {"{" CREDENTIAL "}", "exec plugin didn't return a status field"},
    {"{" CREDENTIAL ",\"status\":{}}", "exec plugin didn't return a token or cert/key pair"},
    {"{" CREDENTIAL ",\"status\":{\"clientKeyData\":\"x\"}}",
     "exec plugin returned only certificate or key, not both"},
    {"{" CREDENTIAL ",\"status\":{\"token\":\"x\",\"expirationTimestamp\":\"bad\"}}",
     "decoding stdout: parsing time \"bad\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"bad\" "
     "as \"2006\""},
    {"{\"apiVersion\":\"" V1 "beta1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"x\"}}",
     "exec plugin is configured to use API version " V1 ", plugin returned version " V1 "beta1"},
    {"{\"status\":{\"token\": *planted}}",
     "decoding stdout: yaml: unknown anchor '***' referenced"},
    {"not json", "decoding stdout: the plugin's output is not an object"},
    {"{\"kind\":\"Pod\"}", "decoding stdout: no kind \"Pod\" is registered for version \"\""},
};

TEST(what_plugins_print_is_checked)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct kube_credential c;

    for (size_t i = 0; i < COUNT(answers); i++) {
        assert_false(kube_exec_parse(a, STR(V1), str_c(answers[i].text), &c, &e));
        assert_str(e.text, str_c(answers[i].want));
    }
}

/* The server wants a client certificate, which only the plugin has. */
TEST(a_plugin_may_give_a_certificate)
{
    static const struct fault_step script[] = {
        {.reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", .again = true}};
    struct fixture f;
    struct buf answer;

    begin(&f);
    struct test_cert ca = test_ca(f.a, "CA");
    struct test_cert leaf = test_leaf(f.a, &ca, "server", "IP:127.0.0.1", -60, 3600);
    struct test_cert own = test_leaf(f.a, &ca, "client", NULL, -60, 3600);
    const struct fault_tls tls = {leaf.cert, leaf.key, ca.cert};
    struct fault_server *s = fault_server_start(script, COUNT(script), &tls);
    struct kube_exec x = plugin_of(&f);
    answer = buf_new(f.a, 64 * KIB);
    buf_add(&answer, STR("apiVersion: " V1 "\nkind: ExecCredential\nstatus:\n"));
    buf_add(&answer, STR("  clientCertificateData: |\n"));
    for (str rest = own.cert, line; str_next_line(&rest, &line);)
        buf_fmt(&answer, "    %.*s\n", STR_ARG(line));
    buf_add(&answer, STR("  clientKeyData: |\n"));
    for (str rest = own.key, line; str_next_line(&rest, &line);)
        buf_fmt(&answer, "    %.*s\n", STR_ARG(line));
    put("answer", buf_str(&answer), 0600);
    f.config.exec = &x;
    f.config.server = fault_server_url(s);
    f.config.http.tls.ca.text = ca.cert;
    open_transport(&f);
    assert_str(get(&f), STR("ok"));
    put("answer",
        STR("{" CREDENTIAL
            ",\"status\":{\"clientCertificateData\":\"x\",\"clientKeyData\":\"y\"}}"),
        0600);
    kube_transport_free(f.transport);
    open_transport(&f);
    assert_str(get(&f),
               STR("getting credentials: failed parsing client key/certificate: tls: failed "
                   "to find any PEM data in certificate input"));
    end(&f);
    fault_server_stop(s);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"tok", "plugin", "log", "answer"};
    AUTO_ARENA a = arena_new();

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        unlink(str_z(a, path_of(a, names[i])));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_passwords_and_impersonation_are_sent),
        cmocka_unit_test(token_files_are_read_again),
        cmocka_unit_test(what_a_plugin_gives_is_kept_until_it_expires_or_is_refused),
        cmocka_unit_test(a_plugin_is_told_about_the_cluster_when_it_wants),
        cmocka_unit_test(plugins_that_fail_say_why),
        cmocka_unit_test(what_plugins_print_is_checked),
        cmocka_unit_test(a_plugin_may_give_a_certificate),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
