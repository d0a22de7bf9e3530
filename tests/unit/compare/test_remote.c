/* SPDX-License-Identifier: Apache-2.0 */
/* References and objects from web servers and clusters. */
#include "../test.h"

#include "compare/input/fetch_internal.h"
#include "compare/generate/internal.h"
#include "compare/helm/helm.h"
#include "compare/input/input_internal.h"
#include "compare/input/live_internal.h"
#include "net/server/server.h"
#include "support/fault_server.h"

#include <zlib.h>

/* ---- A web server. ---- */

struct web {
    struct arena *a;
    struct server *server;
    unsigned asked;  /* in all */
    unsigned faults; /* answers of 503 that are left */
};

static void handle_web(void *ctx, struct server_request *r)
{
    struct web *w = ctx;
    str path = server_path(r);

    w->asked++;
    if (w->faults) {
        w->faults--;
        server_reply(r, 503, STR_NONE, STR("later"));
    } else if (str_eq(path, STR("/moved/m.yaml"))) {
        server_add_header(r, STR("Location"), STR("/ref/m.yaml"));
        server_reply(r, 302, STR_NONE, STR_NONE);
    } else if (str_has_prefix(path, STR("/ref/"))) {
        server_reply(r, 200, STR_NONE, server_target(r));
    } else {
        server_reply(r, 404, STR_NONE, STR("no"));
    }
}

static void begin(struct web *w, server_handler *handle, struct err *e)
{
    const struct server_config config = {.handle = handle, .ctx = w};

    *w = (struct web){.a = arena_new()};
    assert_ok(server_start(&config, &w->server, e), e);
}

static void end(struct web *w)
{
    server_stop(w->server, 0);
    arena_free(w->a);
}

/* What is read of a name in a reference, or the error with {url} for the server. */
static str read_of(struct web *w, const char *reference, const char *name)
{
    AUTO_ERR e = {0};
    struct root root;
    str file, text = STR_NONE, url = server_url(w->server);
    bool ok = root_open(w->a, str_concat(w->a, url, str_c(reference)), &root, &file, &e) &&
              root_read(w->a, &root, *name ? str_c(name) : file, &text, &e);

    root_close(&root);
    if (ok)
        return text;
    text = str_copy(w->a, e.text);
    for (size_t at; (at = str_find(text, url)) != STR_NPOS;)
        text = str_fmt(w->a, "%.*s{url}%.*s", STR_ARG(str_slice(text, 0, at)),
                       STR_ARG(str_from(text, at + url.len)));
    return text;
}

TEST(files_of_a_reference_are_below_its_url)
{
    static const struct {
        const char *reference, *name, *want;
    } cases[] = {
        {"/ref/m.yaml", "", "/ref/m.yaml"},
        {"//ref/.//x/../m.yaml", "", "/ref/m.yaml"},
        {"/ref/m.yaml", "sub/t.yaml", "/ref/sub/t.yaml"},
        {"/ref/a/m.yaml", "../b.yaml", "/ref/b.yaml"},
        {"/ref/m.yaml", "./a b.yaml", "/ref/a%20b.yaml"},
        {"/ref/m.yaml?x=1", "", "/ref/m.yaml%3Fx=1"},
        {"/moved/m.yaml", "", "/ref/m.yaml"},
        {"/ref/m.yaml/", "", "/ref/m.yaml/m.yaml"},
        {"/ref//", "t.yaml", "/ref/t.yaml"},
        {"/m.yaml", "",
         "unable to read URL \"{url}/m.yaml\", server reported 404 Not Found, status code=404"},
    };
    AUTO_ERR e = {0};
    struct web w;

    begin(&w, handle_web, &e);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(read_of(&w, cases[i].reference, cases[i].name), str_c(cases[i].want));
    end(&w);
}

TEST(faults_of_a_server_are_retried_and_files_fetched_once)
{
    AUTO_ERR e = {0};
    struct str_list found = {0};
    struct root root;
    struct web w;
    str file, text;

    begin(&w, handle_web, &e);
    w.faults = 4;
    assert_str(read_of(&w, "/ref/m.yaml", ""), STR("/ref/m.yaml"));
    w.faults = 5;
    assert_str(read_of(&w, "/ref/m.yaml", ""),
               STR("unable to read URL \"{url}/ref/m.yaml\", server reported 503 Service "
                   "Unavailable, status code=503"));
    w.asked = 0;
    assert_ok(
        root_open(w.a, str_concat(w.a, server_url(w.server), STR("/ref/m.yaml")), &root, &file, &e),
        &e);
    assert_true(root_glob(w.a, &root, STR("t.yaml"), &found, &e) && found.len == 1);
    assert_true(root_read(w.a, &root, STR("t.yaml"), &text, &e));
    assert_int_equal(w.asked, 1);
    assert_true(root_glob(w.a, &root, STR("*.yaml"), &found, &e) && found.len == 1);
    assert_false(root_glob(w.a, &root, STR("[a"), &found, &e));
    root_close(&root);
    end(&w);
}

TEST(passwords_of_urls_are_used_and_never_shown)
{
    AUTO_ERR e = {0};
    struct root root;
    struct web w;
    str file, text;

    begin(&w, handle_web, &e);
    str host = str_from(server_url(w.server), strlen("http://"));
    str url = str_fmt(w.a, "http://user:planted-secret@%.*s", STR_ARG(host));
    assert_ok(root_open(w.a, str_concat(w.a, url, STR("/ref/m.yaml")), &root, &file, &e), &e);
    assert_str(root.folder, str_fmt(w.a, "http://user:xxxxx@%.*s/ref", STR_ARG(host)));
    assert_ok(root_read(w.a, &root, file, &text, &e), &e);
    assert_str(text, STR("/ref/m.yaml"));
    assert_false(root_read(w.a, &root, STR("../none"), &text, &e));
    assert_false(str_contains(e.text, STR("planted-secret")));
    root_close(&root);
    assert_false(source_url_read(w.a, str_concat(w.a, url, STR("/no")), true, &text, &e));
    assert_true(str_contains(e.text, STR("user:xxxxx@")));
    server_stop(w.server, 0);
    w.server = NULL;
    assert_false(source_url_read(w.a, str_concat(w.a, url, STR("/no")), true, &text, &e));
    assert_true(str_contains(e.text, STR("user:xxxxx@")));
    assert_false(str_contains(e.text, STR("planted-secret")));
    arena_free(w.a);
}

/* ---- Servers that answer something else. ---- */

/* 100 MiB of zeros, compressed. */
static str bomb(struct arena *a)
{
    enum { ROOM = 1024 * 1024, PART = 1024 * 1024 };
    char *to = arena_alloc_text(a, ROOM), *zeros = arena_alloc_text(a, PART);
    z_stream z = {.next_out = (Bytef *)to, .avail_out = ROOM};

    memset(zeros, 0, PART);
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    for (int i = 0; i < 100; i++) {
        z.next_in = (Bytef *)zeros;
        z.avail_in = PART;
        assert_int_equal(deflate(&z, i == 99 ? Z_FINISH : Z_NO_FLUSH),
                         i == 99 ? Z_STREAM_END : Z_OK);
    }
    size_t len = z.total_out;
    deflateEnd(&z);
    return str_of(to, len);
}

static void handle_odd(void *ctx, struct server_request *r)
{
    struct web *w = ctx;
    str path = server_path(r);

    if (str_has_prefix(path, STR("/html/"))) {
        server_add_header(r, STR("Content-Type"), STR("text/html"));
        server_reply(r, 200, STR_NONE,
                     STR("<!DOCTYPE html>\n<html><a href=/login>Sign in</a></html>\n"));
    } else if (str_has_prefix(path, STR("/loop/"))) {
        server_add_header(r, STR("Location"), path);
        server_reply(r, 302, STR_NONE, STR_NONE);
    } else if (str_has_prefix(path, STR("/away/"))) {
        server_add_header(r, STR("Location"), STR("file:///etc/passwd"));
        server_reply(r, 302, STR_NONE, STR_NONE);
    } else if (str_has_prefix(path, STR("/bomb/"))) {
        server_add_header(r, STR("Content-Encoding"), STR("gzip"));
        server_reply(r, 200, STR_NONE, bomb(w->a));
    } else {
        server_reply(r, 204, STR_NONE, STR_NONE);
    }
}

/* How loading a reference fails. */
static str load_fault(struct web *w, const char *path)
{
    const struct compare_options options = {
        .reference = str_concat(w->a, server_url(w->server), str_c(path)),
        .dialect = &dialect_native};
    const struct compare *c;
    AUTO_ERR e = {0};

    assert_false(compare_load(w->a, &options, &c, &e));
    return str_copy(w->a, e.text);
}

TEST(what_is_no_reference_is_refused)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        {"/html/metadata.yaml", "cannot unmarshal string"},
        {"/loop/metadata.yaml", "stopped after 10 redirects"},
        {"/away/metadata.yaml", "redirects to another protocol"},
        {"/bomb/metadata.yaml", "more than 67108864 bytes"},
        {"/empty/metadata.yaml", "status code=204"},
    };
    AUTO_ERR e = {0};
    struct web w;

    begin(&w, handle_odd, &e);
    for (size_t i = 0; i < COUNT(cases); i++) {
        str fault = load_fault(&w, cases[i].path);
        if (!str_contains(fault, str_c(cases[i].want)))
            assert_str(fault, str_c(cases[i].want));
    }
    end(&w);
}

TEST(a_server_that_drips_is_given_up)
{
    static const struct fault_step script[] = {
        {.reply = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\naaaaaaaaaaaaaaaaaaaaaaaa",
         .drip_ms = 5,
         .end = FAULT_HANG,
         .again = true}};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct http_config config = http_defaults();
    const struct fetch f = {.url = fault_server_url(s),
                            .policy = &retry_never,
                            .max = KIB,
                            .time_max = 300 * NS_PER_MS};
    struct http_client *client;
    str text;

    config.no_proxy = true;
    assert_ok(http_client_new(&config, &client, &e), &e);
    assert_false(fetch_text(client, a, &f, &text, &e));
    assert_true(str_contains(e.text, STR("deadline exceeded")));
    http_client_free(client);
    fault_server_stop(s);
}

/* The end of a connection may be that of the answer, or of whoever sends it. */
TEST(an_answer_without_an_end_is_not_taken_for_whole)
{
    static const struct fault_step script[] = {
        {.reply = "HTTP/1.1 200 OK\r\n\r\nkind: A\n", .end = FAULT_CLOSE, .again = true}};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct root root;
    str url = str_concat(a, fault_server_url(s), STR("/m.yaml")), file, text;

    assert_false(source_url_read(a, url, true, &text, &e));
    assert_true(str_contains(e.text, STR("does not say how long its answer is")));
    assert_ok(root_open(a, url, &root, &file, &e), &e);
    assert_false(root_read(a, &root, file, &text, &e));
    assert_true(str_contains(e.text, STR("does not say how long its answer is")));
    /* The original takes it. */
    root.original = true;
    assert_ok(root_read(a, &root, file, &text, &e), &e);
    assert_str(text, STR("kind: A\n"));
    assert_ok(source_url_read(a, url, false, &text, &e), &e);
    root_close(&root);
    fault_server_stop(s);
}

static void handle_chart(void *ctx, struct server_request *r)
{
    (void)ctx;
    if (str_has_suffix(server_path(r), STR("/m.yaml")))
        server_reply(r, 200, STR_NONE,
                     STR("parts: [{name: p, components: [{name: c, type: Required, "
                         "requiredTemplates: [{path: ../x.yaml}]}]}]\n"));
    else
        server_reply(r, 200, STR_NONE, STR("{apiVersion: v1, kind: A, metadata: {name: n}}\n"));
}

TEST(a_template_of_the_web_is_not_written_outside_of_a_chart)
{
    AUTO_ERR e = {0};
    struct web w;

    begin(&w, handle_chart, &e);
    const struct helm_options options = {
        .reference = str_concat(w.a, server_url(w.server), STR("/ref/m.yaml")),
        .chart = STR("/nonexistent/chart")};
    struct buf note = buf_new(w.a, BUF_UNLIMITED);
    assert_false(helm_convert(w.a, &options, &note, &e));
    assert_str(e.text, STR("template ../x.yaml would lie outside of the chart"));
    end(&w);
}

/* ---- A cluster. ---- */

static const char discovery[] =
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"%s\"},\"versions\":"
    "[{\"version\":\"v1\",\"resources\":[{\"resource\":\"things\",\"singularResource\":\"thing\","
    "\"responseKind\":{\"group\":\"%s\",\"version\":\"v1\",\"kind\":\"Thing\"},\"scope\":\"%s\","
    "\"verbs\":[\"get\",\"list\"]}]}]}]}";

static void handle_cluster(void *ctx, struct server_request *r)
{
    str path = server_path(r);
    struct arena *a = server_arena(r);
    bool core = str_eq(path, STR("/api"));
    str next = server_query(r, STR("continue"), NULL);

    (void)ctx;
    if (core || str_eq(path, STR("/apis")))
        server_reply(r, 200,
                     STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
                     str_fmt(a, discovery, core ? "" : "x.io", core ? "" : "x.io",
                             core ? "Cluster" : "Namespaced"));
    else if (str_eq(path, STR("/api/v1/things")))
        server_reply(r, 200, STR("application/json"),
                     STR("{\"kind\":\"ThingList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{"
                         "\"name\":\"c\",\"namespace\":\"odd\"}}]}"));
    else if (str_eq(path, STR("/apis/x.io/v1/things")))
        server_reply(r, 200, STR("application/json"),
                     next.len ? STR("{\"items\":[{\"kind\":\"Thing\",\"apiVersion\":\"x.io/v1\","
                                    "\"metadata\":{\"name\":\"b\",\"namespace\":\"n\"}}]}")
                              : STR("{\"metadata\":{\"continue\":\"next\"},\"items\":[{\"kind\":"
                                    "\"Thing\",\"apiVersion\":\"x.io/v1\",\"metadata\":{\"name\":"
                                    "\"a\",\"namespace\":\"n\"}}]}"));
    else
        server_reply(r, 403, STR("application/json"),
                     STR("{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Forbidden\","
                         "\"message\":\"things is forbidden\",\"code\":403}"));
}

struct seen {
    struct arena *a;
    struct buf ids;
};

static bool note_ids(struct seen *s, const struct live *l, size_t type, struct err *e)
{
    struct kube_pages *pages = live_pages(l, type);
    struct kube_page page = {0};
    bool ok = true;

    while (ok && !page.last) {
        ok = kube_pages_next(pages, s->a, &page, e);
        for (size_t i = 0; ok && i < page.len; i++) {
            live_fit(l, type, page.items[i]);
            buf_fmt(&s->ids, "%.*s ", STR_ARG(object_id(s->a, page.items[i])));
        }
    }
    kube_pages_free(pages);
    return ok;
}

static struct template make_template(const char *api_version, const char *kind)
{
    return (struct template){.identity = {.api_version = str_c(api_version), .kind = str_c(kind)}};
}

static void open_live(struct web *w, struct kube_flags *flags, struct live **l, struct err *e)
{
    setenv("HOME", "/nonexistent", 1);
    unsetenv("KUBECONFIG");
    flags->server = server_url(w->server);
    assert_ok(live_open(w->a, flags, false, l, e), e);
    assert_ok(live_discover(*l, e), e);
}

TEST(every_group_that_has_a_kind_is_listed)
{
    const struct template templates[] = {make_template("v1", "Nope"),
                                         make_template("y.io/v1", "Thing"),
                                         make_template("x.io/v1", "Thing")};
    struct kube_flags flags = {0};
    struct live *l;
    struct web w;
    AUTO_ERR e = {0};

    begin(&w, handle_cluster, &e);
    struct seen s = {w.a, buf_new(w.a, BUF_UNLIMITED)};
    struct log_buffer log = {.arena = w.a};
    open_live(&w, &flags, &l, &e);
    assert_ok(live_choose(l, templates, COUNT(templates), &log, &e), &e);
    assert_int_equal(log.lines.len, 2);
    assert_str(log.lines.items[0].text,
               STR("There may be an issue with the API resources exposed by the cluster. Found "
                   "kind but missing group/version for Thing.y.io/v1 "));
    assert_str(log.lines.items[1].text,
               STR("Reference Contains Templates With Types (kind) Not Supported By Cluster: "
                   "Nope"));
    assert_int_equal(live_type_count(l), 2);
    assert_ok(note_ids(&s, l, 0, &e) && note_ids(&s, l, 1, &e), &e);
    assert_str(buf_str(&s.ids), STR("v1_Thing_c x.io/v1_Thing_n_a x.io/v1_Thing_n_b "));
    live_close(l);
    end(&w);
}

TEST(a_cluster_without_the_kinds_or_the_rights_is_an_error)
{
    const struct template nope = make_template("v1", "Nope"), thing = make_template("v1", "Thing");
    struct kube_flags flags = {0};
    struct live *l;
    struct web w;
    AUTO_ERR e = {0};

    begin(&w, handle_cluster, &e);
    struct seen s = {w.a, buf_new(w.a, BUF_UNLIMITED)};
    struct log_buffer log = {.arena = w.a};
    open_live(&w, &flags, &l, &e);
    assert_false(live_choose(l, &nope, 1, &log, &e));
    assert_int_equal(log.lines.len, 0);
    live_close(l);
    err_clear(&e);
    flags.namespace = STR("secret");
    open_live(&w, &flags, &l, &e);
    assert_ok(live_choose(l, &thing, 1, &log, &e), &e);
    assert_int_equal(live_type_count(l), 2);
    assert_ok(note_ids(&s, l, 0, &e), &e);
    assert_false(note_ids(&s, l, 1, &e));
    assert_str(e.text, STR("things is forbidden"));
    live_close(l);
    end(&w);
}

TEST(rows_of_a_config_are_filled_from_the_cluster)
{
    static const struct {
        struct wanted row;
        size_t count;
        const char *fault;
    } cases[] = {
        {{.kind = STR_INIT("Thing"), .api_version = STR_INIT("x.io/v1")}, 2, ""},
        {{.kind = STR_INIT("Nope"), .api_version = STR_INIT("v1")},
         0,
         "failed to find API for Nope (v1): no matches for kind \"Nope\" in version \"v1\""},
        {{.kind = STR_INIT("Thing"), .api_version = STR_INIT("a/b/c")},
         0,
         "invalid apiVersion \"a/b/c\": unexpected GroupVersion string: a/b/c"},
        {{.kind = STR_INIT("Thing"),
          .api_version = STR_INIT("x.io/v1"),
          .namespace = STR_INIT("secret")},
         0,
         "failed to fetch Thing: list cluster resources: things is forbidden"},
    };
    struct kube_flags flags = {0};
    struct generate_live *g;
    struct web w;
    AUTO_ERR e = {0};

    begin(&w, handle_cluster, &e);
    flags.server = server_url(w.server);
    assert_ok(generate_live_open(w.a, &flags, NULL, &g, &e), &e);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct wanted row = cases[i].row;
        AUTO_ERR fault = {0};
        bool ok = generate_live_fill(g, &row, &fault);
        assert_int_equal(ok, !*cases[i].fault);
        assert_str(fault.text, str_c(cases[i].fault));
        assert_int_equal(row.found.len, cases[i].count);
    }
    generate_live_close(g);
    end(&w);
}

/* A server of the old kind, one group of which does not answer. */
static void handle_part(void *ctx, struct server_request *r)
{
    static const struct {
        const char *path, *body;
    } answers[] = {
        {"/api", "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}"},
        {"/apis", "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"x.io\",\"versions\":[{"
                  "\"groupVersion\":\"x.io/v1\",\"version\":\"v1\"}]}]}"},
        {"/api/v1", "{\"groupVersion\":\"v1\",\"resources\":[{\"name\":\"things\",\"kind\":"
                    "\"Thing\",\"verbs\":[\"list\"]}]}"},
        {"/api/v1/things", "{\"items\":[{\"metadata\":{\"name\":\"c\"}}]}"},
    };
    static const str odd = STR_INIT("metadata.name=a\\,b\\=c\\\\d");
    static const char silent[] = "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":404}";

    (void)ctx;
    str fields = server_query(r, STR("fieldSelector"), NULL);
    for (size_t i = 0; i < COUNT(answers); i++)
        if (str_eq(server_path(r), str_c(answers[i].path)) &&
            (!fields.len || str_eq(fields, odd))) {
            server_reply(r, 200, STR("application/json"), str_c(answers[i].body));
            return;
        }
    if (str_contains(server_path(r), STR("/namespaces/")))
        server_reply(r, 404, STR("application/json"), str_c(silent));
    else
        server_reply(r, 404, STR("text/plain"), STR("no"));
}

TEST(rows_are_filled_from_the_part_of_a_cluster_that_answers)
{
    struct wanted thing = {.kind = STR("Thing"), .api_version = STR("v1")};
    struct wanted other = {.kind = STR("Thing"), .api_version = STR("x.io/v1")};
    struct wanted any = {.kind = STR("Thing")};
    str odd = STR("a,b=c\\d");
    struct wanted named = {
        .kind = STR("Thing"), .api_version = STR("v1"), .names = {.items = &odd, .len = 1}};
    struct kube_flags flags = {0};
    struct generate_live *g;
    struct web w;
    AUTO_ERR e = {0};

    begin(&w, handle_part, &e);
    struct log_buffer log = {.arena = w.a};
    flags.server = server_url(w.server);
    assert_ok(generate_live_open(w.a, &flags, &log, &g, &e), &e);
    assert_ok(generate_live_fill(g, &thing, &e), &e);
    assert_int_equal(thing.found.len, 1);
    assert_ok(generate_live_fill(g, &any, &e), &e);
    assert_int_equal(any.found.len, 1);
    assert_ok(generate_live_fill(g, &named, &e), &e);
    assert_int_equal(named.found.len, 1);
    assert_false(generate_live_fill(g, &other, &e));
    assert_str(e.text, STR("failed to find API for Thing (x.io/v1): no matches for kind \"Thing\" "
                           "in version \"x.io/v1\""));
    assert_int_equal(log.lines.len, 0);
    generate_live_close(g);
    end(&w);
}

/* The original repeats what the server says, even where that is nothing. */
TEST(a_refusal_without_words_is_worded_only_natively)
{
    static const struct {
        bool native;
        const char *fault;
    } cases[] = {
        {false, "failed to fetch Thing: list cluster resources: "},
        {true, "failed to fetch Thing: list cluster resources: the server could not find the "
               "requested resource (get things)"},
    };
    struct kube_flags flags = {0};
    struct web w;
    AUTO_ERR begun = {0};

    begin(&w, handle_part, &begun);
    struct log_buffer log = {.arena = w.a};
    flags.server = server_url(w.server);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct wanted row = {.kind = STR("Thing"), .api_version = STR("v1"), .namespace = STR("x")};
        struct generate_live *g;
        AUTO_ERR e = {0};
        assert_ok(generate_live_open(w.a, &flags, cases[i].native ? NULL : &log, &g, &e), &e);
        assert_false(generate_live_fill(g, &row, &e));
        assert_str(e.text, str_c(cases[i].fault));
        generate_live_close(g);
    }
    end(&w);
}

static void handle_nothing(void *ctx, struct server_request *r)
{
    (void)ctx;
    server_reply(r, 403, STR("text/plain"), STR("go away"));
}

TEST(a_cluster_that_cannot_be_asked_is_logged_for_every_row)
{
    struct wanted row = {.kind = STR("Thing"), .api_version = STR("v1")};
    struct kube_flags flags = {0};
    struct generate_live *g;
    struct web w;

    AUTO_ERR begun = {0};
    begin(&w, handle_nothing, &begun);
    struct log_buffer log = {.arena = w.a};
    flags.server = server_url(w.server);
    assert_ok(generate_live_open(w.a, &flags, &log, &g, &begun), &begun);
    for (size_t i = 1; i <= 2; i++) {
        AUTO_ERR e = {0};
        assert_false(generate_live_fill(g, &row, &e));
        assert_str(e.text, STR("failed to find API for Thing (v1): go away"));
        assert_int_equal(log.lines.len, i);
        assert_int_equal(log.lines.items[i - 1].severity, 'E');
        assert_str(log.lines.items[i - 1].text,
                   STR("\"Unhandled Error\" err=\"couldn't get current server API group list: go "
                       "away\" logger=\"UnhandledError\""));
    }
    generate_live_close(g);
    end(&w);
}

RUN_TESTS(cmocka_unit_test(files_of_a_reference_are_below_its_url),
          cmocka_unit_test(faults_of_a_server_are_retried_and_files_fetched_once),
          cmocka_unit_test(passwords_of_urls_are_used_and_never_shown),
          cmocka_unit_test(what_is_no_reference_is_refused),
          cmocka_unit_test(a_server_that_drips_is_given_up),
          cmocka_unit_test(an_answer_without_an_end_is_not_taken_for_whole),
          cmocka_unit_test(a_template_of_the_web_is_not_written_outside_of_a_chart),
          cmocka_unit_test(every_group_that_has_a_kind_is_listed),
          cmocka_unit_test(a_cluster_without_the_kinds_or_the_rights_is_an_error),
          cmocka_unit_test(rows_of_a_config_are_filled_from_the_cluster),
          cmocka_unit_test(rows_are_filled_from_the_part_of_a_cluster_that_answers),
          cmocka_unit_test(a_refusal_without_words_is_worded_only_natively),
          cmocka_unit_test(a_cluster_that_cannot_be_asked_is_logged_for_every_row))
