/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every operation of the client, with every fault at every one of its requests: each ends well
 * after another attempt or in an error that says what happened, within its limits.
 *
 * To add an operation: a function and a line in operations[], with the proper answers to its
 * requests in their order. To add a fault: a line in faults[].
 */
#include "../test.h"

#include "kube/lease.h"
#include "kube/watch.h"
#include "support/certs.h"
#include "support/fault_server.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

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

static struct value *object(struct arena *a)
{
    struct value *v = value_object(a);
    struct value *meta = value_set(a, v, STR("metadata"), value_object(a));

    value_set_str(a, meta, STR("name"), STR("w"));
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

static bool patch(const struct world *w, struct err *e)
{
    struct value *v;

    return kube_patch(w->transport, w->a, &one, KUBE_PATCH_MERGE, object(w->a), NULL, &v, e);
}

static bool delete (const struct world *w, struct err *e)
{
    struct value *v;

    return kube_delete(w->transport, w->a, &one, NULL, &v, e);
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
#define PAGE(items, next)                                                                          \
    "{\"items\":[" items "],\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"" next "\"}}"

struct answer {
    int status; /* 0: no more */
    const char *body;
};

static const struct operation {
    const char *name;
    bool (*run)(const struct world *w, struct err *e);
    bool reads;     /* may be sent again */
    bool streamed;  /* the answer is used as it comes in */
    bool impatient; /* asks again by itself, later */
    bool plugin;    /* the token is that of a plugin */
    struct answer answers[4];
} operations[] = {
    {"discovery", discover, .reads = true,
     .answers = {{200, "{\"kind\":\"APIVersions\",\"versions\":[]}"},
                 {200,
                  "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"example.com\","
                  "\"versions\":[{\"groupVersion\":\"example.com/v1\",\"version\":\"v1\"}]}]}"},
                 {200, "{\"kind\":\"APIResourceList\",\"groupVersion\":\"example.com/v1\","
                       "\"resources\":[]}"}}},
    {"get", get, .reads = true, .answers = {{200, WIDGET}}},
    {"list", list, .reads = true, .streamed = true,
     .answers = {{200, PAGE(WIDGET "," WIDGET, "a")},
                 {200, PAGE(WIDGET "," WIDGET, "b")},
                 {200, PAGE(WIDGET, "")}}},
    {"create", create, .answers = {{201, WIDGET}}},
    {"update", update, .answers = {{200, WIDGET}}},
    {"patch", patch, .answers = {{200, WIDGET}}},
    {"delete", delete, .answers = {{200, "{\"kind\":\"Status\",\"status\":\"Success\"}"}}},
    {"lease", lead, .impatient = true,
     .answers = {{404, "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"code\":404}"},
                 {201, LEASE},
                 {200, LEASE}}},
    {"refused token", get, .reads = true, .plugin = true, .answers = {{401, "no"}, {200, WIDGET}}},
};

/* ---- What goes wrong ------------------------------------------------------------------------ */

#define HEAD_OK "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
#define STATUS(line) "HTTP/1.1 " line "\r\nConnection: close\r\nContent-Length: 0\r\n"
#define TEXT(type, len, body)                                                                      \
    "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\nConnection: close\r\nContent-Length: " len       \
    "\r\n\r\n" body

/* How an operation ends when the fault happens once, and all is well after it. */
enum ending { FAILS, SUCCEEDS, EITHER };

enum packed { PLAIN, BOMB, CUT };

#define FAULT(fault, on_reads, on_writes, text, ...)                                               \
    .name = fault, .reads = on_reads, .writes = on_writes, .want = text, .step = {__VA_ARGS__}
#define RESET .end = FAULT_RESET
#define CUT_OFF(text) .reply = HEAD_OK text
#define CHUNKS "Transfer-Encoding: chunked\r\n\r\n"
#define LENGTH_99 "Content-Length: 99\r\n\r\n"
#define BUSY STATUS("429 Too Many Requests")

static const struct fault {
    const char *name;
    struct fault_step step;
    enum ending reads, writes;
    enum ending streamed; /* when reads is FAILS */
    const char *want;     /* in the text of the error; NULL: whatever */
    enum packed packed;   /* the reply is made of this */
    bool takes_time;
} faults[] = {
    {FAULT("reset before the request", SUCCEEDS, EITHER, NULL, .before_request = true, RESET)},
    {FAULT("reset in the request", SUCCEEDS, FAILS, "reset", .read_only = 10, RESET)},
    {FAULT("reset after the request", SUCCEEDS, FAILS, "reset", RESET)},
    {FAULT("closed after the request", SUCCEEDS, FAILS, "EOF", .end = FAULT_CLOSE)},
    {FAULT("closed in the status line", SUCCEEDS, FAILS, NULL, .reply = "HTTP/1.1 2")},
    {FAULT("closed in the head", SUCCEEDS, FAILS, NULL, CUT_OFF("X-Y"))},
    {FAULT("reset in the head", SUCCEEDS, FAILS, NULL, CUT_OFF("X-Y"), RESET)},
    {FAULT("closed behind the head", SUCCEEDS, FAILS, NULL, CUT_OFF(LENGTH_99))},
    {FAULT("half a body", SUCCEEDS, FAILS, "EOF", CUT_OFF(LENGTH_99 "{\"ite"))},
    {FAULT("half a body and a reset", SUCCEEDS, FAILS, NULL, CUT_OFF(LENGTH_99 "{\"ite"), RESET)},
    {FAULT("half a chunk", SUCCEEDS, FAILS, NULL, CUT_OFF(CHUNKS "10\r\n{\"ite"))},
    {FAULT("no last chunk", SUCCEEDS, FAILS, NULL, CUT_OFF(CHUNKS "5\r\n{\"ite\r\n"))},
    {FAULT("a chunk that is no number", SUCCEEDS, FAILS, NULL, CUT_OFF(CHUNKS "zz\r\n{}"))},
    {FAULT("a chunk larger than the world", SUCCEEDS, FAILS, NULL,
           CUT_OFF(CHUNKS "ffffffffffffffffff\r\n{}"))},
    {FAULT("429 with seconds", SUCCEEDS, SUCCEEDS, NULL, .reply = BUSY "Retry-After: 2\r\n\r\n")},
    {FAULT("429 with a date", SUCCEEDS, SUCCEEDS, NULL,
           .reply = BUSY "Retry-After: Thu, 01 Jan 1970 00:00:20 GMT\r\n\r\n")},
    {FAULT("429 for an hour", FAILS, FAILS, "too many requests",
           .reply = BUSY "Retry-After: 3600\r\n\r\n")},
    {FAULT("429 without a word", FAILS, FAILS, "too many requests", .reply = BUSY "\r\n")},
    {FAULT("429 with nonsense", FAILS, FAILS, "too many requests",
           .reply = BUSY "Retry-After: soon\r\n\r\n")},
    {FAULT("500", FAILS, FAILS, "server", .reply = STATUS("500 Internal Server Error") "\r\n")},
    {FAULT("502 of a proxy", FAILS, FAILS, "bad gateway",
           .reply = "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n"
                    "Content-Length: 11\r\n\r\nbad gateway")},
    {FAULT("503", FAILS, FAILS, "unable to handle",
           .reply = STATUS("503 Service Unavailable") "\r\n")},
    {FAULT("503 with seconds", SUCCEEDS, SUCCEEDS, NULL,
           .reply = STATUS("503 Service Unavailable") "Retry-After: 1\r\n\r\n")},
    {FAULT("a page for people", FAILS, FAILS, "text/html",
           .reply = TEXT("text/html", "22", "<html>log in</html>..."))},
    {FAULT("an empty answer", FAILS, FAILS, "JSON", .reply = TEXT("application/json", "0", ""))},
    {FAULT("half an object", FAILS, FAILS, "JSON",
           .reply = TEXT("application/json", "5", "{\"ite"))},
    {FAULT("a list of nothing", FAILS, FAILS, NULL, .reply = TEXT("application/json", "2", "[]"))},
    {FAULT("binary", FAILS, FAILS, "application/vnd.kubernetes.protobuf",
           .reply = TEXT("application/vnd.kubernetes.protobuf", "4", "k8s\1"))},
    {FAULT("4 GB announced", FAILS, FAILS, "more than 1048576 bytes",
           CUT_OFF("Content-Length: 4294967296\r\n\r\n{")),
     .streamed = SUCCEEDS},
    {FAULT("a compression that nobody asked for", FAILS, FAILS, "\"br\"",
           CUT_OFF("Content-Encoding: br\r\nContent-Length: 4\r\n\r\nabcd"))},
    {FAULT("gzip that is none", FAILS, FAILS, "gzip",
           CUT_OFF("Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"))},
    {FAULT("a bomb", FAILS, FAILS, "bytes", 0), .packed = BOMB},
    {FAULT("gzip that ends early", FAILS, FAILS, "gzip: unexpected EOF", 0), .packed = CUT},
    {FAULT("no HTTP", FAILS, FAILS, NULL, .reply = "SSH-2.0-OpenSSH_9.2\r\n")},
    {FAULT("silence", FAILS, FAILS, NULL, .end = FAULT_HANG), .takes_time = true},
    {FAULT("silence in the body", FAILS, FAILS, NULL, CUT_OFF(LENGTH_99 "{"), .end = FAULT_HANG),
     .takes_time = true},
    {FAULT("a drip", FAILS, FAILS, NULL, CUT_OFF(LENGTH_99 WIDGET WIDGET), .drip_ms = 10),
     .takes_time = true},
};

static str packed(struct arena *a, str text)
{
    size_t room = text.len + 1024;
    unsigned char *out = arena_alloc(a, room);
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)text.ptr,
                  .avail_in = (uInt)text.len,
                  .next_out = out,
                  .avail_out = (uInt)room};

    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return str_of((const char *)out, z.total_out);
}

/* Four megabytes of nothing; packed once, because that takes longer than all the rest. */
static str bomb;

static void make_bomb(struct arena *a)
{
    char *nothing = arena_alloc(a, 4 * MIB);

    memset(nothing, 'x', 4 * MIB);
    bomb = packed(a, str_of(nothing, 4 * MIB));
}

/* The step of a fault, with what must be made on the spot. */
static struct fault_step step_of(struct arena *a, const struct fault *f, const char *proper)
{
    struct fault_step step = f->step;
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str body;

    if (f->packed == PLAIN)
        return step;
    body = f->packed == BOMB ? bomb : packed(a, str_c(proper));
    if (f->packed == CUT)
        body.len -= 9;
    buf_fmt(&b, HEAD_OK "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", body.len);
    buf_add(&b, body);
    step.reply = b.data;
    step.reply_len = b.len;
    return step;
}

static struct fault_step proper_step(struct arena *a, const struct answer *answer)
{
    str head = str_fmt(a,
                       "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nConnection: close\r\n"
                       "Content-Length: %zu\r\n\r\n%s",
                       answer->status, strlen(answer->body), answer->body);

    return (struct fault_step){.reply = head.ptr, .reply_len = head.len};
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

static struct kube_config config_for(struct arena *a, const struct fault_server *s, bool impatient,
                                     bool plugin)
{
    struct kube_config c = {.server = fault_server_url(s), .http = http_defaults()};

    c.http.no_proxy = true;
    c.http.body_max = MIB;
    c.http.timeout = impatient ? 150 * NS_PER_MS : 60 * NS_PER_SEC;
    c.http.idle_timeout = impatient ? 80 * NS_PER_MS : 30 * NS_PER_SEC;
    if (plugin) {
        struct kube_exec *x = ARENA_NEW(a, struct kube_exec);
        x->command = str_fmt(a, "%s/plugin", folder);
        x->api_version = STR("client.authentication.k8s.io/v1");
        c.exec = x;
    }
    return c;
}

static struct outcome play(const struct operation *o, const struct fault_step *script, size_t count,
                           bool impatient)
{
    AUTO_ARENA a = arena_new();
    struct fault_server *s = fault_server_start(script, count, NULL);
    const struct kube_config config = config_for(a, s, impatient, o->plugin);
    struct world w = {.a = a};
    struct outcome out = {0};

    assert_ok(kube_transport_new(&config, STR("test"), &w.transport, &out.e), &out.e);
    clock_fake(10 * NS_PER_SEC);
    out.ok = o->run(&w, &out.e);
    out.waited = clock_mono() - 10 * NS_PER_SEC;
    out.connections = fault_server_connections(s);
    kube_transport_free(w.transport);
    fault_server_stop(s);
    return out;
}

static size_t answers_of(const struct operation *o)
{
    size_t count = 0;

    while (count < COUNT(o->answers) && o->answers[count].status)
        count++;
    return count;
}

static enum ending expected(const struct operation *o, const struct fault *f)
{
    /* One that steps again by itself gives up at once. */
    if (o->impatient)
        return FAILS;
    if (o->streamed && f->reads == FAILS)
        return f->streamed;
    return o->reads ? f->reads : f->writes;
}

/* Who asks on its own tells of its last request, which may be another one. */
static void check(const struct operation *o, const struct fault *f, size_t at,
                  struct outcome *outcome, enum ending want, bool always)
{
    bool right = want == EITHER || outcome->ok == (want == SUCCEEDS);
    bool clear = outcome->ok || (outcome->e.kind != ERR_NONE && outcome->e.text.len > 8 &&
                                 !str_eq(outcome->e.text, STR("unknown")));
    bool named = outcome->ok || want == EITHER || !f->want || o->impatient ||
                 str_contains(outcome->e.text, str_c(f->want)) || (o->streamed && f->streamed);

    if (!right || !clear || !named)
        print_error("%s, %s at request %zu%s: %s: %.*s\n", o->name, f->name, at,
                    always ? " and ever after" : "", outcome->ok ? "succeeds" : "fails",
                    STR_ARG(outcome->e.text));
    assert_true(right);
    assert_true(clear);
    assert_true(named);
    /* Ten attempts of two minutes at most, and those of all pages. */
    assert_in_range(outcome->waited, 0, 1300 * NS_PER_SEC);
    assert_in_range(outcome->connections, 1, 13);
    err_clear(&outcome->e);
}

/* The fault, and then answers as they should be. */
static void once(const struct operation *o, const struct fault *f, size_t at)
{
    AUTO_ARENA a = arena_new();
    size_t answers = answers_of(o), count = 0;
    struct fault_step script[16];

    for (size_t i = 0; i < at; i++)
        script[count++] = proper_step(a, &o->answers[i]);
    script[count++] = step_of(a, f, o->answers[at].body);
    for (size_t i = at; i < answers; i++)
        script[count++] = proper_step(a, &o->answers[i]);
    struct outcome outcome = play(o, script, count, f->takes_time);
    check(o, f, at, &outcome, expected(o, f), false);
}

static void for_ever(const struct operation *o, const struct fault *f, size_t at)
{
    AUTO_ARENA a = arena_new();
    size_t count = 0;
    struct fault_step script[16];

    for (size_t i = 0; i < at; i++)
        script[count++] = proper_step(a, &o->answers[i]);
    script[count] = step_of(a, f, o->answers[at].body);
    script[count++].again = true;
    struct outcome outcome = play(o, script, count, f->takes_time);
    check(o, f, at, &outcome, FAILS, true);
}

/* Under valgrind, which is slow, only some cases are tried. */
static size_t stride(void)
{
    const char *loaded = getenv("LD_PRELOAD");

    return loaded && strstr(loaded, "vgpreload") ? 11 : 1;
}

static void each(void (*play_it)(const struct operation *o, const struct fault *f, size_t at),
                 bool with_slow)
{
    size_t step = stride(), count = 0;

    random_fake(1);
    for (size_t i = 0; i < COUNT(operations); i++)
        for (size_t at = 0; at < answers_of(&operations[i]); at++)
            for (size_t k = 0; k < COUNT(faults); k++)
                if ((with_slow || !faults[k].takes_time) && count++ % step == 0)
                    play_it(&operations[i], &faults[k], at);
    clock_real();
    random_real();
}

TEST(a_fault_at_any_request_is_overcome_or_told)
{
    each(once, true);
}

TEST(a_fault_that_stays_is_told_after_a_while)
{
    each(for_ever, false);
}

/* ---- No server, no trust -------------------------------------------------------------------- */

TEST(nobody_listens)
{
    static const struct fault_step script[] = {{.end = FAULT_CLOSE}};

    for (size_t i = 0; i < COUNT(operations); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
        struct kube_config config = config_for(a, s, false, operations[i].plugin);
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
        struct kube_config config = config_for(a, s, false, operations[i].plugin);
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
        struct kube_config config = config_for(a, s, false, true);
        struct kube_exec x = *config.exec;
        str args[] = {STR("-c"), str_c(plugins[i].script)};
        struct world w = {.a = a};
        x.command = STR("/bin/sh");
        x.args = (struct kube_list){args, 2, 2};
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

/* ---- Watches -------------------------------------------------------------------------------- */

#define EVENT(name, version)                                                                       \
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"" name                               \
    "\",\"resourceVersion\":\"" version "\"}}}\n"

/* The requests of a watch in their order; the last one tells that all is over. */
static const struct answer watch_answers[] = {
    {200, PAGE(WIDGET, "next")},
    {200, PAGE(WIDGET, "")},
    {200, EVENT("c", "8")},
    {200, EVENT("d", "9")},
};

struct seen {
    struct lock lock;
    unsigned failures;
    bool done, vague;
};

static void on_event(void *ctx, struct arena *a, enum kube_event type, struct value *v)
{
    struct seen *s = ctx;
    AUTO_LOCK guard = lock_take(&s->lock);

    (void)a;
    (void)type;
    s->done |= str_eq(value_get_str(value_get(v, STR("metadata")), STR("name")), STR("d"));
}

static void on_failed(void *ctx, const struct err *e, int64_t wait)
{
    struct seen *s = ctx;
    AUTO_LOCK guard = lock_take(&s->lock);

    s->failures++;
    s->vague |= e->text.len < 9 || wait <= 0;
}

static bool is_done(struct seen *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return s->done;
}

static void watch_through(const struct fault_step *script, size_t count, const char *name,
                          size_t at, bool impatient)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct seen seen = {.lock = LOCK_INIT};
    struct fault_server *s = fault_server_start(script, count, NULL);
    const struct kube_config config = config_for(a, s, impatient, false);
    struct kube_transport *t;

    assert_ok(kube_transport_new(&config, STR("test"), &t, &e), &e);
    struct kube_watches *hub = kube_watches_new(t);
    const struct kube_watch_config watch = {
        .call = all,
        .lists_only = true,
        .pause = NS_PER_MS,
        .pause_max = 4 * NS_PER_MS,
        .length = NS_PER_SEC,
        .grace = NS_PER_SEC / 4,
        .handler = {.event = on_event, .failed = on_failed, .ctx = &seen}};
    struct kube_watch *w = kube_watch_start(hub, &watch);
    for (int i = 0; i < 60000 && !is_done(&seen); i++)
        usleep(1000);
    kube_watch_stop(w);
    kube_watches_free(hub);
    kube_transport_free(t);
    fault_server_stop(s);
    /* Who waits for a moment only may have to ask more often on a busy machine. */
    const unsigned failures_max = impatient ? 100 : 8;
    if (!seen.done || seen.vague || seen.failures > failures_max)
        print_error("%s at request %zu: done %d, %u failures\n", name, at, seen.done,
                    seen.failures);
    assert_true(seen.done);
    assert_false(seen.vague);
    assert_in_range(seen.failures, 0, failures_max);
}

TEST(a_watch_goes_on_after_any_fault)
{
    for (size_t at = 0; at < COUNT(watch_answers); at++)
        for (size_t k = at % stride(); k < COUNT(faults); k += stride()) {
            AUTO_ARENA a = arena_new();
            struct fault_step script[8];
            size_t count = 0;
            bool hangs = faults[k].takes_time && at >= 2;
            /* Watches have time, and servers may ask for more, which is real here. */
            if (hangs || strstr(faults[k].name, "hour") ||
                (at && strstr(faults[k].name, "with seconds")))
                continue;
            for (size_t i = 0; i < at; i++)
                script[count++] = proper_step(a, &watch_answers[i]);
            script[count++] = step_of(a, &faults[k], watch_answers[at].body);
            for (size_t i = at; i < COUNT(watch_answers); i++)
                script[count++] = proper_step(a, &watch_answers[i]);
            script[count - 1].again = true;
            watch_through(script, count, faults[k].name, at, faults[k].takes_time);
        }
}

/* Neither events nor an end come, and nobody closes anything: there may be nobody any more. */
TEST(a_watch_without_an_end_is_given_up)
{
    AUTO_ARENA a = arena_new();
    struct fault_step script[] = {
        proper_step(a, &watch_answers[0]),
        proper_step(a, &watch_answers[1]),
        {.reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .end = FAULT_HANG},
        {.reply = "HTTP/1.1 200 OK\r\n", .end = FAULT_HANG},
        proper_step(a, &watch_answers[3]),
    };

    script[COUNT(script) - 1].again = true;
    watch_through(script, COUNT(script), "a server that is gone", 2, false);
}

static int begin(void **state)
{
    *state = arena_new();
    make_bomb(*state);
    make_plugin();
    return 0;
}

static int end(void **state)
{
    drop_plugin();
    arena_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_at_any_request_is_overcome_or_told),
        cmocka_unit_test(a_fault_that_stays_is_told_after_a_while),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(an_expired_certificate_is_not_trusted),
        cmocka_unit_test(a_plugin_that_fails_says_so),
        cmocka_unit_test(a_watch_goes_on_after_any_fault),
        cmocka_unit_test(a_watch_without_an_end_is_given_up),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
