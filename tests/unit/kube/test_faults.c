/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every operation of the client, with every fault at every one of its requests: each ends well
 * after another attempt or in an error that says what happened, within its limits. Watches are in
 * test_watch_faults.c.
 *
 * To add an operation: a function and a line in operations[], with the proper answers to its
 * requests in their order. To add a fault: a line in support/faults.c.
 */
#include "../test.h"

#include "kube/lease.h"
#include "support/certs.h"
#include "support/events_wait.h"
#include "support/faults.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- What is asked for ---------------------------------------------------------------------- */

struct world {
    struct arena *a;
    struct kube_transport *transport;
};

static const struct kube_resource widgets = {.group = STR_INIT("example.com"),
                                             .version = STR_INIT("v1"),
                                             .name = STR_INIT("widgets"),
                                             .kind = STR_INIT("Widget"),
                                             .namespaced = true};
static const struct kube_call one = {
    .resource = &widgets, .namespace = STR_INIT("x"), .name = STR_INIT("w")};
static const struct kube_call all = {.resource = &widgets, .namespace = STR_INIT("x")};
static const struct kube_write_options as_us = {.field_manager = STR_INIT("test")};

static bool discover(const struct world *w, struct err *e)
{
    struct kube_discovery *d;

    return kube_discover(w->transport, w->a, NULL, &d, e) && kube_discovery_complete(d, e);
}

static bool get(const struct world *w, struct err *e)
{
    struct value *v;

    return kube_get(w->transport, w->a, &one, &v, e);
}

static bool count_item(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    (void)a;
    (void)item;
    (void)e;
    ++*(size_t *)ctx;
    return true;
}

static bool list(const struct world *w, struct err *e)
{
    const struct kube_list_options o = {.limit = 2};
    size_t count = 0;

    if (!kube_list(w->transport, &all, &o, count_item, &count, w->a, NULL, e))
        return false;
    assert_int_equal(count, 5);
    return true;
}

static bool read_pages(const struct world *w, struct err *e)
{
    const struct kube_list_options o = {.limit = 2};
    struct kube_pages *pages = kube_pages_new(w->transport, &all, &o);
    struct kube_page page = {0};
    size_t count = 0;
    bool ok = true;

    while (ok && !page.last) {
        page = (struct kube_page){0};
        ok = kube_pages_next(pages, w->a, &page, e);
        count += page.len;
    }
    kube_pages_free(pages);
    assert_true(!ok || count == 5);
    return ok;
}

static struct value *object(struct arena *a)
{
    struct value *v = value_object(a);
    struct value *meta = value_set(a, v, STR("metadata"), value_object(a));

    value_set_str(a, v, STR("apiVersion"), STR("example.com/v1"));
    value_set_str(a, v, STR("kind"), STR("Widget"));
    value_set_str(a, meta, STR("name"), STR("w"));
    value_set_str(a, meta, STR("namespace"), STR("x"));
    return v;
}

static bool create(const struct world *w, struct err *e)
{
    struct value *v;

    return kube_create(w->transport, w->a, &all, object(w->a), NULL, &v, e);
}

static bool update(const struct world *w, struct err *e)
{
    struct value *v;

    return kube_update(w->transport, w->a, &one, object(w->a), NULL, &v, e);
}

static bool update_status(const struct world *w, struct err *e)
{
    struct kube_call status = one;
    struct value *v;

    status.subresource = STR("status");
    return kube_update(w->transport, w->a, &status, object(w->a), NULL, &v, e);
}

static bool patch_as(const struct world *w, enum kube_patch_type type, struct err *e)
{
    struct value *v, *body = type == KUBE_JSON_PATCH ? value_list(w->a) : object(w->a);

    return kube_patch(w->transport, w->a, &one, type, body, &as_us, &v, e);
}

static bool patch_merge(const struct world *w, struct err *e)
{
    return patch_as(w, KUBE_MERGE_PATCH, e);
}

static bool patch_json(const struct world *w, struct err *e)
{
    return patch_as(w, KUBE_JSON_PATCH, e);
}

static bool apply(const struct world *w, struct err *e)
{
    return patch_as(w, KUBE_APPLY_PATCH, e);
}

static bool delete (const struct world *w, struct err *e)
{
    struct value *v;

    return kube_delete(w->transport, w->a, &one, NULL, &v, e);
}

/* The same twice: one is created and then counted. */
static bool tell(const struct world *w, struct err *e)
{
    const struct event event = {
        .about = object(w->a), .reason = STR("Synced"), .message = STR("all is well")};
    struct events *ev = events_new(STR("test"), STR("here"));
    bool ok = events_wait_send(ev, w->transport, &event, e) &&
              events_wait_send(ev, w->transport, &event, e);

    events_free(ev);
    return ok;
}

/* Acquires a lease, and renews it. A step that fails leaves nobody leading who should not. */
static bool lead(const struct world *w, struct err *e)
{
    const struct lease_config config = {
        .namespace = STR("x"), .name = STR("l"), .identity = STR("me"), .keep = true};
    struct lease *l;

    if (!lease_new(w->transport, &config, &l, e))
        return false;
    for (int i = 0; i < 2 && e->kind == ERR_NONE; i++) {
        lease_step(l, e);
        assert_true(lease_held(l) || e->kind != ERR_NONE);
    }
    clock_advance(config.deadline ? config.deadline : 10 * NS_PER_SEC);
    assert_false(lease_held(l));
    lease_free(l);
    return e->kind == ERR_NONE;
}

#define WIDGET                                                                                     \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"}}"
#define LEASE                                                                                      \
    "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"me\","                          \
    "\"leaseDurationSeconds\":15}}"
#define EVENT "{\"kind\":\"Event\",\"metadata\":{\"name\":\"w.1\",\"namespace\":\"x\"}}"
#define PAGE(items, next)                                                                          \
    "{\"items\":[" items "],\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"" next "\"}}"
#define GROUPS(items) "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[" items "]}"

struct answer {
    int status; /* 0: no more */
    const char *body;
    const char *type; /* NULL: application/json */
};

#define AGGREGATED "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

/* What an operation makes of faults; see support/faults.h. */
enum manner { READS, WRITES, STREAMS, IMPATIENT };

static const struct operation {
    const char *name;
    bool (*run)(const struct world *w, struct err *e);
    enum manner manner;
    bool plugin; /* the token is that of a plugin */
    struct answer answers[4];
} operations[] = {
    {"discovery", discover, READS,
     .answers = {{200, "{\"kind\":\"APIVersions\",\"versions\":[]}", NULL},
                 {200,
                  "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"example.com\","
                  "\"versions\":[{\"groupVersion\":\"example.com/v1\",\"version\":\"v1\"}]}]}",
                  NULL},
                 {200,
                  "{\"kind\":\"APIResourceList\",\"groupVersion\":\"example.com/v1\","
                  "\"resources\":[]}",
                  NULL}}},
    {"aggregated discovery", discover, READS,
     .answers = {{200, GROUPS(""), AGGREGATED},
                 {200,
                  GROUPS("{\"metadata\":{\"name\":\"example.com\"},\"versions\":["
                         "{\"version\":\"v1\",\"resources\":[]}]}"),
                  AGGREGATED}}},
    {"get", get, READS, .answers = {{200, WIDGET, NULL}}},
    {"list", list, STREAMS,
     .answers = {{200, PAGE(WIDGET "," WIDGET, "a"), NULL},
                 {200, PAGE(WIDGET "," WIDGET, "b"), NULL},
                 {200, PAGE(WIDGET, ""), NULL}}},
    {"pages", read_pages, STREAMS,
     .answers = {{200, PAGE(WIDGET "," WIDGET, "a"), NULL},
                 {200, PAGE(WIDGET "," WIDGET, "b"), NULL},
                 {200, PAGE(WIDGET, ""), NULL}}},
    {"create", create, WRITES, .answers = {{201, WIDGET, NULL}}},
    {"update", update, WRITES, .answers = {{200, WIDGET, NULL}}},
    {"update of the status", update_status, WRITES, .answers = {{200, WIDGET, NULL}}},
    {"merge patch", patch_merge, WRITES, .answers = {{200, WIDGET, NULL}}},
    {"JSON patch", patch_json, WRITES, .answers = {{200, WIDGET, NULL}}},
    {"apply", apply, WRITES, .answers = {{200, WIDGET, NULL}}},
    {"delete", delete, WRITES,
     .answers = {{200, "{\"kind\":\"Status\",\"status\":\"Success\"}", NULL}}},
    {"events", tell, WRITES, .answers = {{201, EVENT, NULL}, {200, EVENT, NULL}}},
    {"lease", lead, IMPATIENT,
     .answers = {{404, "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"code\":404}", NULL},
                 {201, LEASE, NULL},
                 {200, LEASE, NULL}}},
    {"refused token", get, READS, .plugin = true,
     .answers = {{401, "no", NULL}, {200, WIDGET, NULL}}},
};

/* ---- How it ends ---------------------------------------------------------------------------- */

static const enum fault_ending endings[][FAULT_CLASSES] = {
    [READS] = {[FAULT_LOST] = FAULT_SUCCEEDS, [FAULT_PATIENT] = FAULT_SUCCEEDS},
    [WRITES] = {[FAULT_PATIENT] = FAULT_SUCCEEDS},
    [STREAMS] = {[FAULT_LOST] = FAULT_SUCCEEDS, [FAULT_PATIENT] = FAULT_SUCCEEDS},
    /* One that steps again by itself gives up at once. */
    [IMPATIENT] = {0},
};

/* Words for what the server refuses, and for answers that cannot be read. */
static const struct {
    int status;
    const char *fault, *want;
} words[] = {
    {429, NULL, "too many requests"},
    {500, NULL, "an error on the server"},
    {502, NULL, "bad gateway"},
    {503, NULL, "unable to handle the request"},
    {0, "a page for people", "the answer is \"text/html\": is this the address of an API server?"},
    {0, "an empty answer", "unexpected end of JSON input"},
    {0, "half an object", "unexpected end of JSON input"},
    {0, "a list of nothing", "the server sent list where an object should be"},
    {0, "binary", "the answer is \"application/vnd.kubernetes.protobuf\""},
};

static bool is_told(const struct fault *f, str text)
{
    if (f->want)
        return fault_is_told(f, text);
    for (size_t i = 0; i < COUNT(words); i++)
        if (f->status ? words[i].status == f->status
                      : words[i].fault && !strcmp(words[i].fault, f->name))
            return str_contains(text, str_c(words[i].want));
    return false;
}

/* Lists are read as they come, whatever length they announce, and have words of their own. */
static const struct {
    const char *fault, *want;
} list_words[] = {
    {"4 GB announced", "unexpected EOF"},
    {"a bomb", "what is around its objects: text is larger than the limit of 1048576 bytes"},
    {"a list of nothing", "the server's response is not a list: it has no \"items\""},
};

static bool is_expected_text(const struct operation *o, const struct fault *f, str text)
{
    for (size_t i = 0; o->manner == STREAMS && i < COUNT(list_words); i++)
        if (!strcmp(list_words[i].fault, f->name))
            return str_contains(text, str_c(list_words[i].want));
    return is_told(f, text);
}

static size_t answers_of(const struct operation *o)
{
    size_t count = 0;

    while (count < COUNT(o->answers) && o->answers[count].status)
        count++;
    return count;
}

static enum fault_ending expected(const struct operation *o, const struct fault *f, size_t at)
{
    /* This one is cut off. */
    if (o->manner == STREAMS && !strcmp(f->name, "4 GB announced"))
        return FAULT_SUCCEEDS;
    if (o->manner == WRITES && f->uncertain)
        return FAULT_EITHER;
    /* A leader that cannot renew at once looks who leads. */
    if (o->manner == IMPATIENT && at + 1 == answers_of(o))
        return FAULT_SUCCEEDS;
    return endings[o->manner][f->class];
}

/* ---- Both ----------------------------------------------------------------------------------- */

static char folder[] = "/tmp/plumb-faults-XXXXXX";

static void make_plugin(void)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    assert_non_null(mkdtemp(folder));
    assert_ok(file_write(str_fmt(a, "%s/plugin", folder),
                         STR("#!/bin/sh\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\","
                             "\"kind\":\"ExecCredential\",\"status\":{\"token\":\"t\"}}'\n"),
                         0755, &e),
              &e);
}

static void drop_plugin(void)
{
    AUTO_ARENA a = arena_new();

    unlink(str_z(a, str_fmt(a, "%s/plugin", folder)));
    rmdir(folder);
}

struct outcome {
    bool ok;
    struct err e;
    int64_t waited;
    size_t connections;
};

/* Ten seconds of silence, by a clock that only faults move. */
static struct kube_config config_for(struct arena *a, const struct fault_server *s, bool plugin)
{
    struct kube_config c = {.server = fault_server_url(s), .http = http_defaults()};

    c.http.no_proxy = true;
    c.http.body_max = MIB;
    c.http.idle_timeout = 10 * NS_PER_SEC;
    if (plugin) {
        struct kube_exec *x = ARENA_NEW(a, struct kube_exec);
        x->command = str_fmt(a, "%s/plugin", folder);
        x->api_version = STR("client.authentication.k8s.io/v1");
        c.exec = x;
    }
    return c;
}

static struct outcome play(const struct operation *o, const struct fault_step *script, size_t count)
{
    AUTO_ARENA a = arena_new();
    struct fault_server *s = fault_server_start(script, count, NULL);
    const struct kube_config config = config_for(a, s, o->plugin);
    struct world w = {.a = a};
    struct outcome out = {0};

    assert_ok(kube_transport_new(&config, STR("test"), &w.transport, &out.e), &out.e);
    clock_fake(10 * NS_PER_SEC);
    clock_wire_fake();
    out.ok = o->run(&w, &out.e);
    out.waited = clock_mono() - 10 * NS_PER_SEC;
    out.connections = fault_server_connections(s);
    kube_transport_free(w.transport);
    fault_server_stop(s);
    return out;
}

static struct fault_step proper(struct arena *a, const struct answer *answer)
{
    str headers =
        str_fmt(a, "Content-Type: %s\r\n", answer->type ? answer->type : "application/json");

    return fault_proper(a, answer->status, str_z(a, headers), str_c(answer->body));
}

/* All that is wrong is shown before the test fails. */
static size_t wrong;

static void check(const struct operation *o, const struct fault *f, size_t at,
                  struct outcome *outcome, enum fault_ending want, bool always)
{
    bool right = want == FAULT_EITHER || outcome->ok == (want == FAULT_SUCCEEDS);
    bool told = outcome->ok || is_expected_text(o, f, outcome->e.text);

    if (!right || !told)
        print_error("%s, %s at request %zu%s: %s: %.*s\n", o->name, f->name, at,
                    always ? " and ever after" : "", outcome->ok ? "succeeds" : "fails",
                    STR_ARG(outcome->e.text));
    wrong += !right || !told;
    assert_true(outcome->ok || outcome->e.kind != ERR_NONE);
    /* Ten attempts of two minutes at most, and those of all pages. */
    assert_in_range(outcome->waited, 0, 1300 * NS_PER_SEC);
    assert_in_range(outcome->connections, 1, 13);
    err_clear(&outcome->e);
}

/* The fault once, or for ever, and then answers as they should be. */
static void try(const struct operation *o, const struct fault *f, size_t at, bool always)
{
    AUTO_ARENA a = arena_new();
    size_t answers = answers_of(o), count = 0;
    struct fault_step script[16];

    for (size_t i = 0; i < at; i++)
        script[count++] = proper(a, &o->answers[i]);
    script[count] = fault_step_of(a, f, o->answers[at].body);
    script[count++].again = always;
    for (size_t i = at; i < answers && !always; i++)
        script[count++] = proper(a, &o->answers[i]);
    script[count - 1].again |= o->manner == IMPATIENT;
    struct outcome outcome = play(o, script, count);
    check(o, f, at, &outcome, always ? FAULT_FAILS : expected(o, f, at), always);
}

static void each(bool always)
{
    wrong = 0;
    for (size_t i = 0; i < COUNT(operations); i++)
        for (size_t at = 0; at < answers_of(&operations[i]); at++)
            for (size_t k = 0; k < fault_count; k++)
                try(&operations[i], &faults[k], at, always);
    clock_real();
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

/* A connection that is used again was not being made when the answer stalled. */
TEST(a_stalled_answer_on_a_kept_connection_is_called_so)
{
    static const struct {
        struct fault_step second;
        const char *want;
    } stalls[] = {
        {{.reply = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", .end = FAULT_HANG},
         "the answer of the server stalled: Get "},
        {{.end = FAULT_HANG}, "(Client.Timeout exceeded while awaiting headers)"},
    };

    for (size_t i = 0; i < COUNT(stalls); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct fault_step step = stalls[i].second;
        step.first_reply = str_z(a, str_fmt(a, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s",
                                            strlen(WIDGET), WIDGET));
        step.again = true;
        struct fault_server *s = fault_server_start(&step, 1, NULL);
        struct kube_config config = config_for(a, s, false);
        config.http.idle_timeout = 24 * 3600 * NS_PER_SEC;
        const struct kube_call call = {.resource = &widgets,
                                       .namespace = STR("x"),
                                       .name = STR("w"),
                                       .timeout = 60 * NS_PER_SEC,
                                       .retry = &retry_never};
        struct world w = {.a = a};
        struct value *v;
        assert_ok(kube_transport_new(&config, STR("test"), &w.transport, &e), &e);
        clock_fake(0);
        clock_wire_fake();
        assert_ok(kube_get(w.transport, a, &call, &v, &e), &e);
        assert_false(kube_get(w.transport, a, &call, &v, &e));
        if (!str_contains(e.text, str_c(stalls[i].want)))
            print_error("%.*s\n", STR_ARG(e.text));
        assert_true(str_contains(e.text, str_c(stalls[i].want)));
        assert_false(str_contains(e.text, STR("dial tcp")));
        clock_real();
        kube_transport_free(w.transport);
        fault_server_stop(s);
    }
}

/* ---- No server, no trust -------------------------------------------------------------------- */

TEST(nobody_listens)
{
    static const struct fault_step script[] = {{.end = FAULT_CLOSE}};

    for (size_t i = 0; i < COUNT(operations); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
        struct kube_config config = config_for(a, s, operations[i].plugin);
        struct world w = {.a = a};
        config.server = str_copy(a, config.server);
        fault_server_stop(s);
        assert_ok(kube_transport_new(&config, STR("test"), &w.transport, &e), &e);
        clock_fake(0);
        assert_false(operations[i].run(&w, &e));
        assert_true(str_has_suffix(e.text, STR(": connect: connection refused")));
        clock_real();
        kube_transport_free(w.transport);
    }
}

TEST(an_expired_certificate_is_not_trusted)
{
    AUTO_ARENA a = arena_new();
    struct test_cert ca = test_ca(a, "test CA");
    struct test_cert leaf = test_leaf(a, &ca, "server", "IP:127.0.0.1", -7200, -3600);
    const struct fault_tls tls = {leaf.cert, leaf.key, STR_NONE};
    static const struct fault_step script[] = {{.end = FAULT_CLOSE, .again = true}};

    for (size_t i = 0; i < COUNT(operations); i++) {
        AUTO_ERR e = {0};
        struct fault_server *s = fault_server_start(script, COUNT(script), &tls);
        struct kube_config config = config_for(a, s, operations[i].plugin);
        struct world w = {.a = a};
        config.http.tls.ca.text = ca.cert;
        assert_ok(kube_transport_new(&config, STR("test"), &w.transport, &e), &e);
        clock_fake(0);
        assert_false(operations[i].run(&w, &e));
        assert_true(str_contains(e.text, STR("certificate has expired")));
        assert_in_range(fault_server_connections(s), 1, 2);
        clock_real();
        kube_transport_free(w.transport);
        fault_server_stop(s);
    }
}

/* ---- Lists without an end ------------------------------------------------------------------- */

TEST(a_list_of_empty_pages_ends)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct fault_step script[101];

    for (size_t i = 0; i < COUNT(script); i++) {
        str body = str_fmt(a, "{\"items\":[],\"metadata\":{\"continue\":\"%zu\"}}", i);
        script[i] = fault_proper(a, 200, "Content-Type: application/json\r\n", body);
    }
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    const struct kube_config config = config_for(a, s, false);
    struct world w = {.a = a};
    assert_ok(kube_transport_new(&config, STR("test"), &w.transport, &e), &e);
    assert_false(list(&w, &e));
    assert_str(e.text, STR("the list of widgets: the server's list does not advance: 100 pages "
                           "without objects"));
    kube_transport_free(w.transport);
    fault_server_stop(s);
}

/* ---- Plugins -------------------------------------------------------------------------------- */

static const struct {
    const char *script, *want;
} plugins[] = {
    {"exit 3", "failed with exit code 3"},
    {"exec sleep 60", "it has not ended within 0.2 seconds"},
    {"exec yes 2>/dev/null", "larger than the limit of 1048576 bytes"},
    {"echo '{'", "decoding stdout"},
    {"echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\"}'",
     "didn't return a status"},
    {"kill -9 $$", "failed with exit code -1"},
};

TEST(a_plugin_that_fails_says_so)
{
    static const struct fault_step script[] = {{.end = FAULT_CLOSE, .again = true}};

    for (size_t i = 0; i < COUNT(plugins); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
        struct kube_config config = config_for(a, s, true);
        struct kube_exec x = *config.exec;
        str args[] = {STR("-c"), str_c(plugins[i].script)};
        struct world w = {.a = a};
        x.command = STR("/bin/sh");
        x.args = (struct str_list){args, 2, 2};
        x.patience = str_has_prefix(args[1], STR("exec sleep")) ? 200 * NS_PER_MS : 0;
        config.exec = &x;
        assert_ok(kube_transport_new(&config, STR("test"), &w.transport, &e), &e);
        assert_false(get(&w, &e));
        if (!str_contains(e.text, str_c(plugins[i].want)))
            print_error("%s: %.*s\n", plugins[i].script, STR_ARG(e.text));
        assert_true(str_contains(e.text, str_c(plugins[i].want)));
        assert_true(str_has_prefix(e.text, STR("getting credentials: ")));
        assert_int_equal(fault_server_connections(s), 0);
        kube_transport_free(w.transport);
        fault_server_stop(s);
    }
}

static int begin(void **state)
{
    (void)state;
    faults_begin();
    make_plugin();
    return 0;
}

static int end(void **state)
{
    (void)state;
    drop_plugin();
    faults_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_at_any_request_is_overcome_or_told),
        cmocka_unit_test(a_fault_that_stays_is_told_after_a_while),
        cmocka_unit_test(a_stalled_answer_on_a_kept_connection_is_called_so),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(an_expired_certificate_is_not_trusted),
        cmocka_unit_test(a_list_of_empty_pages_ends),
        cmocka_unit_test(a_plugin_that_fails_says_so),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
