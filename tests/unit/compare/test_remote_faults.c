/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References and objects by URL, images of a registry, and comparisons of a running cluster, with
 * every fault at every request: each ends well after another attempt or in an error that says what
 * happened.
 */
#include "../test.h"

#include "compare/compare.h"
#include "compare/input/fetch_internal.h"
#include "compare/input/input_internal.h"
#include "compare/reference/root_internal.h"
#include "kube/config/config.h"
#include "support/faults.h"
#include "support/registry.h"

#include <stdlib.h>
#include <unistd.h>

#define METADATA "apiVersion: v2\nparts: []\n"
#define CHALLENGE(url) "WWW-Authenticate: Bearer realm=\"" url "/token\",service=\"s\"\r\n"

/* What is asked for, and the right answers in their order. */
struct answer {
    int status;
    str headers, body;
    enum { ANY, JSON, LIST, LAYER } kind; /* what becomes of other bodies */
};

struct world {
    struct arena *a;
    str url;
};

static bool read_root(struct arena *a, str reference, const char *want, struct err *e)
{
    struct root root;
    str file, text = STR_NONE;
    bool ok = root_open(a, reference, &root, &file, e) && root_read(a, &root, file, &text, e);

    root_close(&root);
    return ok && (str_eq(text, str_c(want)) || err_set(e, ERR_INVALID, "other bytes came"));
}

static bool read_url(const struct world *w, struct err *e)
{
    return read_root(w->a, str_fmt(w->a, "%.*s/ref/metadata.yaml", STR_ARG(w->url)), METADATA, e);
}

static bool read_objects(const struct world *w, struct err *e)
{
    str text = STR_NONE;

    if (!source_url_read(w->a, str_fmt(w->a, "%.*s/objects.yaml", STR_ARG(w->url)), true, &text, e))
        return false;
    return str_eq(text, STR(METADATA)) || err_set(e, ERR_INVALID, "other bytes came");
}

static bool pull(const struct world *w, struct err *e)
{
    str host = str_without_prefix(w->url, STR("http://"));

    host = str_without_prefix(host, STR("https://"));
    return read_root(w->a,
                     str_fmt(w->a, "container://%.*s/org/ref:1:/ref/metadata.yaml", STR_ARG(host)),
                     METADATA, e);
}

/* ---- A comparison of a cluster. ---- */

static char folder[] = "/tmp/plumb-remote-faults-XXXXXX";

static void keep_line(void *ctx, char severity, str text)
{
    buf_fmt(ctx, "%c %.*s\n", severity, STR_ARG(text));
}

/* Whether all of it could be compared; if not, the error has what was said about it. */
static bool compare_cluster(const struct world *w, struct err *e)
{
    struct buf log = buf_new(w->a, MIB);
    const struct kube_flags flags = {.server = w->url};
    const struct compare_options options = {.reference = str_c(folder),
                                            .cluster = &flags,
                                            .dialect = &dialect_native,
                                            .threads = 1,
                                            .log = {.line = keep_line, .ctx = &log}};
    const struct compare *c;
    struct results results = {0};

    if (!compare_load(w->a, &options, &c, e))
        return false;
    if (!compare_run(w->a, c, &options, &results, e))
        return err_wrap(e, "%.*s", STR_ARG(buf_str(&log)));
    return (results.total == 2 && !log.len) || err_set(e, ERR_IO, "%.*s", STR_ARG(buf_str(&log)));
}

#define MAP(name)                                                                                  \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"x\"},\"data\":{\"v\":\"1\"}}"
#define PAGE(item, next)                                                                           \
    "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\","   \
    "\"continue\":\"" next "\"},\"items\":[" item "]}"

static const char *const cluster_answers[] = {
    "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}",
    "{\"kind\":\"APIGroupList\",\"groups\":[]}",
    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":\"configmaps\","
    "\"kind\":\"ConfigMap\",\"namespaced\":true,\"verbs\":[\"list\"]}]}",
    PAGE(MAP("a"), "next"),
    PAGE(MAP("b"), ""),
};

static void put(struct arena *a, const char *name, const char *text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(str_fmt(a, "%s/%s", folder, name), str_c(text), 0600, &e), &e);
}

static void make_reference(void)
{
    AUTO_ARENA a = arena_new();

    assert_non_null(mkdtemp(folder));
    put(a, "metadata.yaml",
        "apiVersion: v2\nparts: [{name: p, components: [{name: c, allOf: [{path: a.yaml}, "
        "{path: b.yaml}]}]}]\n");
    put(a, "a.yaml",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, "
        "data: {v: \"1\"}}");
    put(a, "b.yaml",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: x}, "
        "data: {v: \"1\"}}");
}

static void drop_reference(void)
{
    static const char *const names[] = {"metadata.yaml", "a.yaml", "b.yaml"};
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(names); i++)
        unlink(str_z(a, str_fmt(a, "%s/%s", folder, names[i])));
    rmdir(folder);
}

/* ---- What operations make of faults; see support/faults.h. ---- */

enum policy { FETCHES, PULLS, ASKS };

static const enum fault_ending endings[][FAULT_CLASSES] = {
    [FETCHES] = {[FAULT_LOST] = FAULT_SUCCEEDS, [FAULT_TIME] = FAULT_SUCCEEDS},
    [PULLS] = {[FAULT_LOST] = FAULT_SUCCEEDS,
               [FAULT_TIME] = FAULT_SUCCEEDS,
               [FAULT_PATIENT] = FAULT_SUCCEEDS,
               [FAULT_REFUSES] = FAULT_SUCCEEDS},
    [ASKS] = {[FAULT_LOST] = FAULT_SUCCEEDS, [FAULT_PATIENT] = FAULT_SUCCEEDS},
};

static const struct operation {
    const char *name;
    bool (*run)(const struct world *w, struct err *e);
    enum policy policy;
    bool locked;     /* the registry wants a token */
    size_t requests; /* of which the last one is for a layer when it pulls */
} operations[] = {
    {"reference by URL", read_url, FETCHES, false, 1},
    {"objects by URL", read_objects, FETCHES, false, 1},
    {"image", pull, PULLS, false, 3},
    {"image with a token", pull, PULLS, true, 5},
    {"comparison of a cluster", compare_cluster, ASKS, false, COUNT(cluster_answers)},
};

static void make_image(struct arena *a, str out[3])
{
    struct buf tar = buf_new(a, BUF_UNLIMITED);
    char *zeros = arena_alloc(a, 200 * KIB);

    memset(zeros, 0, 200 * KIB);
    tar_add(&tar, "usr/lib/large", '0', str_of(zeros, 200 * KIB), "");
    tar_add(&tar, "ref/metadata.yaml", '0', STR(METADATA), "");
    out[2] = test_gzip(a, tar_end(&tar));
    str layer = digest_of(a, out[2]);
    out[1] = str_fmt(a, "{\"layers\":[{\"digest\":\"%.*s\"}]}", STR_ARG(layer));
    str manifest = digest_of(a, out[1]);
    out[0] = str_fmt(a, "{\"manifests\":[{\"digest\":\"%.*s\"}]}", STR_ARG(manifest));
}

/* The right answers: a file; or an index, a manifest and a layer, behind a challenge and a token.
 */
static size_t make_answers(struct arena *a, const struct operation *o, str url, struct answer *out)
{
    str parts[3];
    size_t n = 0;

    if (o->policy == FETCHES) {
        out[0] = (struct answer){200, STR("Content-Type: text/plain\r\n"), STR(METADATA), ANY};
        return 1;
    }
    for (; o->policy == ASKS && n < COUNT(cluster_answers); n++)
        out[n] = (struct answer){200, STR("Content-Type: application/json\r\n"),
                                 str_c(cluster_answers[n]), n < 3 ? JSON : LIST};
    if (o->policy == ASKS)
        return n;
    make_image(a, parts);
    if (o->locked) {
        str challenge = str_fmt(a, CHALLENGE("%.*s"), STR_ARG(url));
        out[n++] = (struct answer){401, challenge, STR("{}"), JSON};
        out[n++] = (struct answer){200, STR_NONE, STR("{\"token\":\"T\"}"), JSON};
    }
    for (size_t i = 0; i < COUNT(parts); i++)
        out[n++] = (struct answer){200, STR_NONE, parts[i], i < 2 ? JSON : LAYER};
    return n;
}

/* ---- How it ends. ---- */

static enum fault_ending expected(const struct operation *o, const struct answer *at,
                                  const struct fault *f)
{
    /* Only errors of the server itself are tried again for a file. */
    if (o->policy == FETCHES && f->status && f->class != FAULT_LATER)
        return f->status >= 500 ? FAULT_SUCCEEDS : FAULT_FAILS;
    /* Layers and lists are read as they come, and this one is cut off. */
    if ((at->kind == LAYER || at->kind == LIST) && !strcmp(f->name, "4 GB announced"))
        return FAULT_SUCCEEDS;
    return endings[o->policy][f->class];
}

static const struct {
    int status;
    const char *text, *cluster;
} statuses[] = {
    {429, "429 Too Many Requests", "too many requests"},
    {500, "500 Internal Server Error", "an error on the server"},
    {502, "502 Bad Gateway", "bad gateway"},
    {503, "503 Service Unavailable", "unable to handle the request"},
};

static bool is_told(const struct operation *o, const struct answer *at, const struct fault *f,
                    str text)
{
    bool strange = f->class == FAULT_CONTENT || f->class == FAULT_BROKEN || f->class == FAULT_LARGE;

    for (size_t i = 0; i < COUNT(statuses); i++)
        if (f->status == statuses[i].status)
            return str_contains(text,
                                str_c(o->policy == ASKS ? statuses[i].cluster : statuses[i].text));
    if (f->want && fault_is_told(f, text))
        return true;
    if (strange && at->kind == ANY)
        return str_contains(text, STR("other bytes came"));
    if (strange && at->kind == LAYER)
        return str_contains(text, STR("has another digest: it is corrupted")) ||
               str_contains(text, STR("unexpected EOF"));
    if (strange && at->kind == LIST && f->class == FAULT_LARGE)
        return str_contains(text, STR("text is larger than the limit of 1048576 bytes")) ||
               str_contains(text, STR("unexpected EOF"));
    if (f->class == FAULT_LARGE && o->policy == ASKS)
        return str_contains(text, STR("invalid character 'x'"));
    if (f->class == FAULT_CONTENT && o->policy == ASKS && str_contains(text, STR("an API server?")))
        return true;
    return f->class == FAULT_CONTENT &&
           (str_contains(text, STR("JSON")) || str_contains(text, STR("has no token")) ||
            str_contains(text, STR("invalid character")) ||
            str_contains(text, STR("names no layers")) ||
            str_contains(text, STR("where an object should be")) ||
            str_contains(text, STR("the server's response is not a list")) ||
            str_contains(text, STR("has another digest: it is corrupted")) ||
            str_contains(text, STR("asks for credentials in an unknown way")));
}

/* ---- Both. ---- */

static size_t wrong;

static void play(const struct operation *o, const struct fault *f, size_t at, bool always)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct fault_step script[16];
    struct answer answers[6];
    size_t count = 0;
    /* The address of the server is in its answers: the script is written when it is known. */
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    size_t total = make_answers(a, o, fault_server_url(s), answers);

    assert_int_equal(total, o->requests);
    memset(script, 0, sizeof(script));
    for (size_t i = 0; i < at; i++)
        script[count++] =
            fault_proper(a, answers[i].status, str_z(a, answers[i].headers), answers[i].body);
    script[count++] = fault_step_of(a, f, "{}");
    for (size_t i = at; i < total && !always; i++)
        script[count++] =
            fault_proper(a, answers[i].status, str_z(a, answers[i].headers), answers[i].body);
    for (; always && count < COUNT(script); count++)
        script[count] = script[at];
    struct world w = {a, fault_server_url(s)};
    clock_fake(10 * NS_PER_SEC);
    clock_wire_fake();
    bool ok = o->run(&w, &e);
    enum fault_ending want = always ? FAULT_FAILS : expected(o, &answers[at], f);
    bool right = ok == (want == FAULT_SUCCEEDS), told = ok || is_told(o, &answers[at], f, e.text);
    if (!right || !told)
        print_error("%s, %s at request %zu%s: %s: %.*s\n", o->name, f->name, at,
                    always ? " and ever after" : "", ok ? "succeeds" : "fails", STR_ARG(e.text));
    wrong += !right || !told;
    assert_in_range(clock_mono(), 0, 1300 * NS_PER_SEC);
    assert_in_range(fault_server_connections(s), 1, 15);
    fault_server_stop(s);
    clock_real();
}

static void each(bool always)
{
    wrong = 0;
    for (size_t i = 0; i < COUNT(operations); i++)
        for (size_t at = 0; at < operations[i].requests; at++)
            for (size_t k = 0; k < fault_count; k++)
                play(&operations[i], &faults[k], at, always);
    assert_int_equal(wrong, 0);
}

TEST(a_fault_at_any_request_is_overcome_or_told)
{
    each(false);
}

TEST(a_fault_that_stays_is_told_after_a_while)
{
    each(true);
}

static int begin(void **state)
{
    static const char *const others[] = {"REGISTRY_AUTH_FILE", "DOCKER_CONFIG", "XDG_RUNTIME_DIR",
                                         "XDG_CONFIG_HOME"};

    (void)state;
    for (size_t i = 0; i < COUNT(others); i++)
        unsetenv(others[i]);
    setenv("HOME", "/nonexistent", 1);
    unsetenv("KUBECONFIG");
    setenv("NO_PROXY", "127.0.0.1", 1);
    make_reference();
    faults_begin();
    return 0;
}

static int end(void **state)
{
    (void)state;
    drop_reference();
    faults_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_at_any_request_is_overcome_or_told),
        cmocka_unit_test(a_fault_that_stays_is_told_after_a_while),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
