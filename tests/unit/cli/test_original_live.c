/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Under the original's name, with servers that reject, answer something else or break off: the
 * errors are client-go's.
 */
#include "../test.h"

#include "base/process.h"
#include "support/faults.h"

#include <unistd.h>

static char folder[] = "/tmp/plumb-original-live-XXXXXX";
static struct arena *arena;

#define STATUS(code, reason)                                                                       \
    "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"own words\",\"reason\":\"" reason   \
    "\",\"code\":" #code "}"
#define LIST(items)                                                                                \
    "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[" items "]}"
#define OBJECT                                                                                     \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":"    \
    "\"x\"}}"

/* Proper answers before the one that counts. */
static const char *const proper[] = {
    "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}",
    "{\"kind\":\"APIGroupList\",\"groups\":[]}",
    ("{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":"
     "\"configmaps\","
     "\"kind\":\"ConfigMap\",\"namespaced\":true,\"verbs\":[\"list\"]}]}"),
};
enum { API, GROUPS, VERSION, OBJECTS };

static const struct {
    int at, status;
    const char *headers, *body;
    int exit;
    const char *want;
    unsigned times; /* that want is in the output */
} cases[] = {
    {API, 401, "", STATUS(401, "Unauthorized"), 2,
     "error: failed to get clusters resource types: the server has asked for the client to provide "
     "credentials\n",
     1},
    {API, 403, "", STATUS(403, "Forbidden"), 2,
     "error: failed to get clusters resource types: unknown\n", 1},
    {GROUPS, 500, "", STATUS(500, "InternalError"), 2,
     "types: an error on the server (\"unknown\") has prevented the request from succeeding\n", 1},
    {VERSION, 403, "", STATUS(403, "Forbidden"), 2,
     "\"Unhandled Error\" err=\"couldn't get resource list for v1: own words\" "
     "logger=\"UnhandledError\"\n",
     2},
    {OBJECTS, 400, "", STATUS(400, "BadRequest"), 2,
     "resources: Unable to list \"/v1, Resource=configmaps\": own words\n", 1},
    {OBJECTS, 404, "", "", 2,
     "Unable to list \"/v1, Resource=configmaps\": the server could not find the requested "
     "resource (get configmaps)\n",
     1},
    {OBJECTS, 403, "", STATUS(403, "Forbidden"), 2, "fetch resources: own words\n", 1},
    {OBJECTS, 200, "", "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{}}", 1,
     "CRs in reference missing from the cluster: 1\n", 1},
    {OBJECTS, 200, "", OBJECT, 0, "CRs with diffs: 0/1\n", 1},
    {OBJECTS, 200, "", LIST("null"), 1, "CRs in reference missing from the cluster: 1\n", 1},
    {OBJECTS, 200, "",
     LIST(OBJECT ",{\"kind\":\"Widget\",\"apiVersion\":\"x.io/v1\",\"metadata\":{\"name\":\"w\"}}"),
     2, "resources: unable to recognize no matches for kind \"Widget\" in version \"x.io/v1\"\n",
     1},
    {OBJECTS, 200, "Warning: 299 - \"old\"\r\n", LIST(OBJECT), 0, "\"Warning: old\"\n", 1},
};

static void put(const char *name, const char *text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(str_fmt(arena, "%s/%s", folder, name), str_c(text), 0644, &e), &e);
}

static str compare(const char *reference, const char *more, int *status)
{
    AUTO_ERR e = {0};
    str out, script = str_fmt(arena,
                              "export HOME=%s KUBECONFIG= LD_PRELOAD=; cd %s; "
                              "exec ./kubectl-cluster_compare -r %s %s 2>&1",
                              folder, folder, reference, more);
    const char *const argv[] = {"sh", "-c", str_z(arena, script), NULL};
    const struct process p = {.argv = argv, .timeout = 120 * NS_PER_SEC};

    assert_ok(process_run_as(arena, &p, &out, status, &e), &e);
    return out;
}

static unsigned count_of(str text, str part)
{
    unsigned count = 0;

    for (size_t at; (at = str_find(text, part)) != STR_NPOS; count++)
        text = str_from(text, at + part.len);
    return count;
}

TEST(servers_are_taken_as_client_go_takes_them)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fault_step script[COUNT(proper) + 1];
        int at = cases[i].at, status = -1;
        for (int k = 0; k < at; k++)
            script[k] =
                fault_proper(arena, 200, "Content-Type: application/json\r\n", str_c(proper[k]));
        script[at] = fault_proper(
            arena, cases[i].status,
            str_z(arena, str_fmt(arena, "%sContent-Type: application/json\r\n", cases[i].headers)),
            str_c(cases[i].body));
        script[at].again = true;
        struct fault_server *s = fault_server_start(script, (size_t)at + 1, NULL);
        str more = str_fmt(arena, "--server %.*s", STR_ARG(fault_server_url(s)));
        str out = compare("metadata.yaml", str_z(arena, more), &status);
        fault_server_stop(s);
        if (status != cases[i].exit || count_of(out, str_c(cases[i].want)) != cases[i].times)
            fail_msg("case %zu: %d, %.*s", i, status, STR_ARG(out));
    }
}

/* ---- References on the web. ---- */

static const struct {
    const char *reply, *want;
} pages[] = {
    {"HTTP/1.1 418 Short and stout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
     "server reported 418 Short and stout, status code=418\n"},
    {"HTTP/1.1 404 \r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
     "server reported 404 , status code=404\n"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nConnection: close\r\n\r\nparts",
     "error: Reference config file not found. error: unexpected EOF\n"},
};

TEST(references_on_the_web_fail_in_the_words_of_the_original)
{
    for (size_t i = 0; i < COUNT(pages); i++) {
        const struct fault_step step = {.reply = pages[i].reply, .again = true};
        struct fault_server *s = fault_server_start(&step, 1, NULL);
        str url = str_fmt(arena, "%.*s/a/metadata.yaml", STR_ARG(fault_server_url(s)));
        int status = -1;
        str out = compare(str_z(arena, url), "-f cm.yaml", &status);
        fault_server_stop(s);
        assert_int_equal(status, 2);
        if (!str_contains(out, str_c(pages[i].want)))
            fail_msg("case %zu: %.*s", i, STR_ARG(out));
    }
}

TEST(a_client_certificate_is_not_looked_at_without_tls)
{
    const struct fault_step step = {.reply = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n"
                                             "Content-Length: 0\r\n\r\n",
                                    .again = true};
    struct fault_server *s = fault_server_start(&step, 1, NULL);
    int status = -1;

    put("config", str_z(arena, str_fmt(arena,
                                       "{clusters: [{name: c, cluster: {server: '%.*s'}}], users: "
                                       "[{name: u, user: {client-certificate-data: bm8=, "
                                       "client-key-data: bm8=}}], contexts: [{name: x, context: "
                                       "{cluster: c, user: u}}], current-context: x}",
                                       STR_ARG(fault_server_url(s)))));
    str out = compare("metadata.yaml", "--kubeconfig config", &status);
    fault_server_stop(s);
    if (!str_contains(out, STR("resource types: unknown")))
        fail_msg("%.*s", STR_ARG(out));
}

static int set_up(void **state)
{
    AUTO_ERR e = {0};
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self));

    (void)state;
    arena = arena_new();
    assert_non_null(mkdtemp(folder));
    assert_true(len > 0);
    str build = str_of(self, (size_t)len);
    for (int i = 0; i < 3; i++)
        build = str_slice(build, 0, str_rfind_char(build, '/'));
    str plumb = str_fmt(arena, "%.*s/plumb", STR_ARG(build));
    assert_int_equal(symlink(str_z(arena, plumb),
                             str_z(arena, str_fmt(arena, "%s/kubectl-cluster_compare", folder))),
                     0);
    put("metadata.yaml",
        "apiVersion: v2\nparts: [{name: p, components: [{name: c, allOf: [{path: cm.yaml}]}]}]\n");
    put("cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: x}\n");
    (void)e;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"kubectl-cluster_compare", "metadata.yaml", "cm.yaml",
                                        "config"};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        unlink(str_z(arena, str_fmt(arena, "%s/%s", folder, names[i])));
    rmdir(folder);
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_are_taken_as_client_go_takes_them),
        cmocka_unit_test(references_on_the_web_fail_in_the_words_of_the_original),
        cmocka_unit_test(a_client_certificate_is_not_looked_at_without_tls),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
