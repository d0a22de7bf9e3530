/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials for registries: files of docker and podman, and credential helpers. */
#include "../test.h"

#include "../../support/registry.h"
#include "oci/oci.h"
#include "compare/reference/root_internal.h"

#include <sys/stat.h>
#include <unistd.h>

/* A home of our own, with programs on the PATH. */
struct home {
    struct registry g;
    char folder[64];
    char *path; /* of the environment */
};

static void write_file(struct home *h, const char *name, unsigned mode, str text)
{
    AUTO_ERR e = {0};
    str path = str_fmt(h->g.a, "%s/%s", h->folder, name);
    size_t slash = str_rfind_char(path, '/');

    assert_ok(file_make_folder(str_slice(path, 0, slash), &e), &e);
    assert_ok(file_write(path, text, mode, &e), &e);
}

static void begin(struct home *h)
{
    static const char *const variables[] = {"REGISTRY_AUTH_FILE", "DOCKER_CONFIG",
                                            "XDG_CONFIG_HOME"};
    struct buf tar;

    registry_begin(&h->g);
    snprintf(h->folder, sizeof(h->folder), "/tmp/plumb-login-XXXXXX");
    assert_non_null(mkdtemp(h->folder));
    for (size_t i = 0; i < COUNT(variables); i++)
        unsetenv(variables[i]);
    setenv("HOME", h->folder, 1);
    setenv("XDG_RUNTIME_DIR", str_z(h->g.a, str_fmt(h->g.a, "%s/run", h->folder)), 1);
    h->path = str_z(h->g.a, str_c(getenv("PATH")));
    setenv("PATH", str_z(h->g.a, str_fmt(h->g.a, "%s/bin:%s", h->folder, h->path)), 1);
    tar = buf_new(h->g.a, BUF_UNLIMITED);
    tar_add(&tar, "m.yaml", '0', STR("yes\n"), "");
    const str layer = registry_add_blob(&h->g, tar_end(&tar));
    registry_tag(&h->g, STR("1"), registry_manifest(&h->g, &layer, 1));
}

static void end(struct home *h)
{
    setenv("PATH", h->path, 1);
    assert_int_equal(system(str_z(h->g.a, str_fmt(h->g.a, "rm -rf %s", h->folder))), 0);
    registry_end(&h->g);
}

/* The file's text with {registry} replaced. */
static void write_config(struct home *h, const char *name, const char *text)
{
    str rest = str_c(text), before, out = STR_NONE;

    while (str_cut(rest, STR("{registry}"), &before, &rest))
        out = str_fmt(h->g.a, "%.*s%.*s127.0.0.1:%u", STR_ARG(out), STR_ARG(before),
                      registry_port(&h->g));
    write_file(h, name, 0600, str_concat(h->g.a, out, before));
}

static void write_helper(struct home *h, const char *name, const char *text)
{
    write_file(h, str_z(h->g.a, str_fmt(h->g.a, "bin/docker-credential-%s", name)), 0700,
               str_fmt(h->g.a, "#!/bin/sh\nread server\n%s\n", text));
}

static str pull(struct home *h, enum registry_auth auth)
{
    AUTO_ERR e = {0};
    struct root root;
    str file, text = STR_NONE;
    str reference =
        str_fmt(h->g.a, "container://127.0.0.1:%u/org/ref:1:/m.yaml", registry_port(&h->g));

    h->g.auth = auth;
    bool ok = root_open(h->g.a, reference, &root, &file, &e) &&
              root_read(h->g.a, &root, file, &text, &e);
    root_close(&root);
    return ok ? text : str_copy(h->g.a, e.text);
}

static void assert_pull(struct home *h, enum registry_auth auth, const char *with)
{
    str got = pull(h, auth);

    if (!str_contains(got, str_c(with)))
        assert_str(got, str_c(with));
}

#define RIGHT "\"auth\":\"dTpw\"" /* u:p */
#define WRONG "\"auth\":\"dTpx\"" /* u:q */

TEST(credentials_are_where_docker_and_podman_keep_them)
{
    static const struct {
        const char *file, *text;
        bool right;
    } cases[] = {
        {".docker/config.json", "{\"auths\":{\"{registry}\":{" RIGHT "}}}", true},
        {".docker/config.json", "{\"auths\":{\"http://{registry}/v1/\":{" RIGHT "}}}", true},
        {".docker/config.json", "{\"auths\":{\"{registry}/other\":{" RIGHT "}}}", false},
        {".docker/config.json", "{\"auths\":{\"{registry}\":{}}}", false},
        {".docker/config.json", "{}", false},
        {".config/containers/auth.json", "{\"auths\":{\"{registry}\":{" RIGHT "}}}", true},
        {"run/containers/auth.json", "{\"auths\":{\"{registry}\":{" RIGHT "}}}", true},
        {"run/containers/auth.json",
         "{\"auths\":{\"{registry}\":{" WRONG "},\"{registry}/org\":{" RIGHT "}}}", true},
        {"run/containers/auth.json",
         "{\"auths\":{\"{registry}/org\":{" WRONG "},\"{registry}/org/ref\":{" RIGHT "}}}", true},
        {"run/containers/auth.json",
         "{\"auths\":{\"{registry}\":{\"username\":\"u\",\"password\":\"p\"}}}", true},
        /* u:p with a NUL, as old versions wrote it. */
        {"run/containers/auth.json", "{\"auths\":{\"{registry}\":{\"auth\":\"dTpwAA==\"}}}", true},
        {"run/containers/auth.json", "{\"auths\":{\"{registry}\":{\"auth\":\"!\"}}}", false},
    };
    struct home h;

    begin(&h);
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_config(&h, cases[i].file, cases[i].text);
        assert_pull(&h, REGISTRY_BASIC, cases[i].right ? "yes\n" : "log in with docker login");
        assert_pull(&h, REGISTRY_BEARER, cases[i].right ? "yes\n" : "no token from ");
        unlink(str_z(h.g.a, str_fmt(h.g.a, "%s/%s", h.folder, cases[i].file)));
    }
    end(&h);
}

TEST(the_first_file_that_knows_the_registry_counts)
{
    struct home h;

    begin(&h);
    write_config(&h, ".docker/config.json", "{\"auths\":{\"{registry}\":{" RIGHT "}}}");
    write_config(&h, "run/containers/auth.json", "{\"auths\":{\"elsewhere\":{" WRONG "}}}");
    assert_pull(&h, REGISTRY_BASIC, "yes\n");
    write_config(&h, "run/containers/auth.json", "{\"auths\":{\"{registry}\":{" WRONG "}}}");
    assert_pull(&h, REGISTRY_BASIC, "401 Unauthorized; log in with docker login");
    /* A file that the environment names is the only one. */
    write_config(&h, "named.json", "{\"auths\":{\"{registry}\":{" RIGHT "}}}");
    setenv("REGISTRY_AUTH_FILE", str_z(h.g.a, str_fmt(h.g.a, "%s/named.json", h.folder)), 1);
    assert_pull(&h, REGISTRY_BASIC, "yes\n");
    write_config(&h, "named.json", "{}");
    assert_pull(&h, REGISTRY_BASIC, "the registry wants a user and a password");
    write_config(&h, "named.json", "{");
    assert_pull(&h, REGISTRY_BASIC, "named.json");
    setenv("REGISTRY_AUTH_FILE", "/nonexistent/auth.json", 1);
    assert_pull(&h, REGISTRY_BASIC,
                "REGISTRY_AUTH_FILE: open /nonexistent/auth.json: no such file or directory");
    /* Nobody looks for credentials that nobody asks for. */
    assert_pull(&h, REGISTRY_OPEN, "yes\n");
    unsetenv("REGISTRY_AUTH_FILE");
    end(&h);
}

#define ANSWER(user, secret)                                                                       \
    "echo '{\"ServerURL\":\"x\",\"Username\":\"" user "\",\"Secret\":\"" secret "\"}'"

TEST(programs_that_keep_credentials_are_asked)
{
    static const struct {
        const char *config, *own, *all, *want;
    } cases[] = {
        {"{\"credHelpers\":{\"{registry}\":\"own\"}}", ANSWER("u", "p"), "exit 1", "yes\n"},
        {"{\"credsStore\":\"all\"}", "exit 1", ANSWER("u", "p"), "yes\n"},
        {"{\"credsStore\":\"all\",\"credHelpers\":{\"{registry}\":\"own\"}}", ANSWER("u", "p"),
         ANSWER("u", "q"), "yes\n"},
        /* For this registry there is none: the file itself has it. */
        {"{\"credsStore\":\"all\",\"credHelpers\":{\"{registry}\":\"\"},"
         "\"auths\":{\"{registry}\":{" RIGHT "}}}",
         "exit 1", ANSWER("u", "q"), "yes\n"},
        {"{\"credsStore\":\"all\",\"auths\":{\"{registry}\":{" RIGHT "}}}", "",
         "echo credentials not found in native keychain; exit 1", "yes\n"},
        {"{\"credsStore\":\"all\"}", "", "echo credentials not found in native keychain; exit 1",
         "the registry wants a user and a password"},
        {"{\"credsStore\":\"all\"}", "", "echo the keyring is locked; exit 3",
         "docker-credential-all failed with status 3: the keyring is locked"},
        {"{\"credsStore\":\"all\"}", "", "echo '{\"Username\":\"u\"}'",
         "docker-credential-all: what it printed has no Username or no Secret"},
        {"{\"credsStore\":\"all\"}", "", "echo p",
         "docker-credential-all: its output is not a JSON document"},
        {"{\"credsStore\":\"all\"}", "", "yes | head -c 2000000",
         "docker-credential-all cannot be asked for credentials: docker-credential-all is larger "
         "than the limit"},
        {"{\"credsStore\":\"none\"}", "", "",
         "docker-credential-none cannot be asked for credentials: no such file or directory"},
        {"{\"credsStore\":\"../all\"}", "", "",
         "docker-credential-../all is not a valid program name"},
    };
    struct home h;

    begin(&h);
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_config(&h, ".docker/config.json", cases[i].config);
        write_helper(&h, "own", cases[i].own);
        write_helper(&h, "all", cases[i].all);
        assert_pull(&h, REGISTRY_BASIC, cases[i].want);
    }
    /* They are told for whom. */
    write_config(&h, ".docker/config.json", "{\"credsStore\":\"all\"}");
    write_helper(
        &h, "all",
        str_z(h.g.a, str_fmt(h.g.a, "test \"$1 $server\" = 'get 127.0.0.1:%u' && " ANSWER("u", "p"),
                             registry_port(&h.g))));
    assert_pull(&h, REGISTRY_BASIC, "yes\n");
    end(&h);
}

TEST(an_identity_token_is_exchanged)
{
    struct home h;

    begin(&h);
    write_config(&h, ".docker/config.json", "{\"credsStore\":\"all\"}");
    write_helper(&h, "all", ANSWER("<token>", "I"));
    assert_pull(&h, REGISTRY_BEARER, "yes\n");
    assert_int_equal(h.g.exchanged, 1);
    assert_pull(&h, REGISTRY_BASIC, "and what is kept is a token");
    write_config(&h, ".docker/config.json",
                 "{\"auths\":{\"{registry}\":{" WRONG ",\"identitytoken\":\"I\"}}}");
    assert_pull(&h, REGISTRY_BOTH, "yes\n");
    assert_int_equal(h.g.exchanged, 2);
    write_helper(&h, "all", ANSWER("<token>", "X"));
    write_config(&h, ".docker/config.json", "{\"credsStore\":\"all\"}");
    assert_pull(&h, REGISTRY_BEARER, "no token from ");
    end(&h);
}

/* One challenge and one token for all requests of an image. */
TEST(a_token_is_fetched_once)
{
    struct home h;

    begin(&h);
    write_config(&h, ".docker/config.json", "{\"auths\":{\"{registry}\":{" RIGHT "}}}");
    assert_pull(&h, REGISTRY_BEARER, "yes\n");
    assert_int_equal(h.g.asked, 1);
    assert_int_equal(h.g.refused, 1);
    end(&h);
}

RUN_TESTS(cmocka_unit_test(credentials_are_where_docker_and_podman_keep_them),
          cmocka_unit_test(the_first_file_that_knows_the_registry_counts),
          cmocka_unit_test(programs_that_keep_credentials_are_asked),
          cmocka_unit_test(an_identity_token_is_exchanged),
          cmocka_unit_test(a_token_is_fetched_once))
