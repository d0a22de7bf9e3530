/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comparison with a live cluster, from the outside, while the server misbehaves at one of its
 * requests: with every fault at every request it ends in little time and memory, either as if
 * nothing had happened or with a status above 1 and a message that names the cause.
 * tests/unit/compare/test_remote_faults.c tests the same from the inside, also with permanent
 * faults, and without waiting.
 *
 * Time is real here. Many comparisons wait side by side, and those that must succeed have no limits
 * that a busy machine could reach.
 */
#include "../test.h"

#include "base/process.h"
#include "support/certs.h"
#include "support/faults.h"

#include <stdatomic.h>
#include <unistd.h>
#include <zlib.h>

#define HEAD_OK "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
#define STATUS(line) "HTTP/1.1 " line "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

static char folder[] = "/tmp/plumb-live-faults-XXXXXX";
static struct arena *arena;
static str plumb;

/* What a comparison asks for, and the proper answers. */
static const char *const answers[] = {
    "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}",
    "{\"kind\":\"APIGroupList\",\"groups\":[]}",
    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":\"configmaps\","
    "\"kind\":\"ConfigMap\",\"namespaced\":true,\"verbs\":[\"list\"]}]}",
    "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},"
    "\"items\":[{\"metadata\":{\"name\":\"wanted\",\"namespace\":\"default\"},\"data\":{"
    "\"colour\":\"green\"}}]}",
};

/* Beside those of support/faults.h. */
static const struct fault more_faults[] = {
    {.name = "403",
     .class = FAULT_REFUSES,
     .step = {.reply = STATUS("403 Forbidden")},
     .status = 403},
    {.name = "a large bomb", .class = FAULT_LARGE, .want = " bytes"},
};
/* The reply of the last of them. */
static str large_bomb;

/* ---- How faults end. ---- */

/* Words for what the server refuses, and for answers that cannot be read. */
static const struct {
    int status;
    const char *fault, *text, *list; /* list: of objects; NULL: the same */
} words[] = {
    {403, NULL, "unknown", NULL},
    {429, NULL, "too many requests", NULL},
    {500, NULL, "an error on the server", NULL},
    {502, NULL, "bad gateway", NULL},
    {503, NULL, "unable to handle the request", NULL},
    {0, "a page for people", "\"text/html\": is this the address of an API server?", NULL},
    {0, "an empty answer", "unexpected end of JSON input", NULL},
    {0, "half an object", "unexpected end of JSON input", NULL},
    {0, "a list of nothing", "the server sent list where an object should be",
     "the server's response is not a list: it has no \"items\""},
    {0, "binary", "\"application/vnd.kubernetes.protobuf\": is this the address of an API server?",
     NULL},
    {0, "a bomb", "invalid character 'x'", "text is larger than the limit of 1048576 bytes"},
};

static bool is_list(size_t at)
{
    return at == COUNT(answers) - 1;
}

static bool is_told(const struct fault *f, size_t at, str text)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (f->status ? words[i].status == f->status
                      : words[i].fault && !strcmp(words[i].fault, f->name))
            return str_contains(
                text, str_c(is_list(at) && words[i].list ? words[i].list : words[i].text));
    return fault_is_told(f, text);
}

/*
 * A connection that is lost once, or a server that asks for some patience, is no reason to fail. A
 * list has no limit: if it announces 4 GB, nothing but its early end is wrong.
 */
static bool is_outlived(const struct fault *f, size_t at)
{
    return f->class == FAULT_LOST || f->class == FAULT_PATIENT ||
           (is_list(at) && !strcmp(f->name, "4 GB announced"));
}

static void put(const char *name, const char *text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(str_fmt(arena, "%s/%s", folder, name), str_c(text), 0644, &e), &e);
}

/* 200 MB of nothing, in gzip. */
static str make_bomb(void)
{
    static unsigned char zeros[MIB];
    struct buf out = buf_new(arena, 4 * MIB);
    unsigned char piece[64 * KIB];
    z_stream z = {0};

    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    for (int i = 0; i <= 200; i++) {
        z.next_in = zeros;
        z.avail_in = i < 200 ? sizeof(zeros) : 0;
        do {
            z.next_out = piece;
            z.avail_out = sizeof(piece);
            deflate(&z, i < 200 ? Z_NO_FLUSH : Z_FINISH);
            buf_add(&out, str_of((const char *)piece, sizeof(piece) - z.avail_out));
        } while (!z.avail_out);
    }
    deflateEnd(&z);
    struct buf reply = buf_new(arena, 4 * MIB);
    buf_fmt(&reply, HEAD_OK "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", out.len);
    buf_add(&reply, buf_str(&out));
    return buf_str(&reply);
}

/* Sanitizers reserve more than any limit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT ""
#define SIDE_BY_SIDE 24
#else
/* Threads reserve stacks and heaps, one for each processor. */
#define LIMIT "ulimit -v $((500000 + 100000 * $(nproc))); "
#define SIDE_BY_SIDE 32
#endif

/* What it prints, both streams, and how it ends; -1: it does not. */
static str compare(struct arena *a, str server, const char *more, int *status)
{
    AUTO_ERR e = {0};
    str out, script = str_fmt(a,
                              "export HOME=%s KUBECONFIG= LD_PRELOAD=; cd %s; " LIMIT
                              "exec '%.*s' compare -r metadata.yaml --server %.*s %s 2>&1",
                              folder, folder, STR_ARG(plumb), STR_ARG(server), more);
    const char *const argv[] = {"sh", "-c", str_z(a, script), NULL};
    const struct process p = {.argv = argv, .timeout = 120 * NS_PER_SEC};

    if (process_run_as(a, &p, &out, status, &e))
        return out;
    *status = -1;
    return str_copy(a, e.text);
}

static struct fault_step proper_step(struct arena *a, const char *body)
{
    return fault_proper(a, 200, "Content-Type: application/json\r\n", str_c(body));
}

static struct fault_step faulty_step(struct arena *a, const struct fault *f, size_t at)
{
    if (f == &more_faults[1])
        return (struct fault_step){.reply = large_bomb.ptr, .reply_len = large_bomb.len};
    return fault_step_of(a, f, answers[at]);
}

/* Request number at fails, once. */
static str play(struct arena *a, const struct fault *f, size_t at, int *status)
{
    struct fault_step script[2 * COUNT(answers)];
    size_t count = 0;

    for (size_t i = 0; i < at; i++)
        script[count++] = proper_step(a, answers[i]);
    script[count++] = faulty_step(a, f, at);
    for (size_t i = at; i < COUNT(answers); i++)
        script[count++] = proper_step(a, answers[i]);
    struct fault_server *s = fault_server_start(script, count, NULL);
    str out = compare(a, fault_server_url(s), f->class == FAULT_TIME ? "--request-timeout=1s" : "",
                      status);
    fault_server_stop(s);
    return out;
}

/* ---- All of them, side by side. ---- */

struct trials {
    _Atomic size_t next, wrong;
};

static const struct fault *fault_number(size_t i)
{
    return i < fault_count ? &faults[i] : &more_faults[i - fault_count];
}

static bool try(size_t number)
{
    AUTO_ARENA a = arena_new();
    const struct fault *f = fault_number(number / COUNT(answers));
    size_t at = number % COUNT(answers);
    int status = -1;
    str out = play(a, f, at, &status);
    bool right = is_outlived(f, at) ? status == 0 : status >= 2 && is_told(f, at, out);
    /* An answer has no lines that anybody could look at. */
    right = right && !str_contains(out, STR("plumb: 1:"));

    if (!right)
        print_error("%s at request %zu: %d, %.*s\n", f->name, at, status, STR_ARG(out));
    return right;
}

static void *work(void *ctx)
{
    struct trials *t = ctx;
    size_t count = (fault_count + COUNT(more_faults)) * COUNT(answers);

    for (size_t i; (i = t->next++) < count;)
        if (!try(i))
            t->wrong++;
    return NULL;
}

TEST(a_comparison_ends_well_with_every_fault_at_every_request)
{
    pthread_t threads[SIDE_BY_SIDE];
    struct trials trials = {0};

    large_bomb = make_bomb();
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &trials), 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(trials.wrong, 0);
}

/* ---- Answers that are whole, and wrong. ---- */

#define TWO_TYPES                                                                                  \
    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":"              \
    "\"configmaps\",\"kind\":\"ConfigMap\",\"namespaced\":true,\"verbs\":[\"list\"]},{\"name\":"   \
    "\"services\",\"kind\":\"Service\",\"namespaced\":true,\"verbs\":[\"list\"]}]}"

/* The second list. All of it is told in tests/unit/kube/test_client.c. */
static const struct {
    const char *body, *want;
} malformed[] = {
    {"{\"items\":\"none\"}", "the list of services: \"items\" is not a list but a string"},
    {"{\"items\":[],\"metadata\":{\"continue\":1}}", "\"continue\" is not a string but an integer"},
    {"{\"items\":[],\"items\":[{\"metadata\":{\"name\":\"s\"}}]}", "duplicate key \"items\""},
    {"{\"items\":[{\"metadata\":{\"name\":\"\xff\"}}]}", "UTF-8"},
    {"{\"items\":[{}{}]}", "there is no comma between two objects"},
};

/* Under the original's name they are what they say, and nothing is missed. */
static const struct {
    const char *body, *want;
} strange[] = {
    {"{\"items\":[{}]}", "the list of services: an object has no name"},
    {"{\"items\":[{\"metadata\":{\"name\":\"\"}}]}", "the list of services: an object has no name"},
    {"{\"items\":[{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"s\"}}]}",
     "the list of services: s is a ConfigMap of v1"},
    {"{\"items\":[{\"apiVersion\":\"x.io/v1\",\"metadata\":{\"name\":\"s\"}}]}",
     "the list of services: s is a Service of x.io/v1"},
    {"{\"items\":[{\"metadata\":{\"name\":\"s\"}}],\"metadata\":{}}",
     "the list of services: s is in no namespace"},
    {"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[],\"metadata\":{}}",
     "the server's response is a PodList of v1"},
    {"{\"kind\":\"Status\",\"items\":[]}", "the server's response is not a list but a Status"},
    {"{\"kind\":\"Table\",\"rows\":[],\"items\":[]}",
     "the server's response is not a list but a Table"},
};

TEST(objects_that_were_not_asked_for_make_the_comparison_incomplete)
{
    for (size_t i = 0; i < COUNT(strange); i++) {
        int status = 0;
        const struct fault_step script[] = {
            proper_step(arena, answers[0]), proper_step(arena, answers[1]),
            proper_step(arena, TWO_TYPES), proper_step(arena, answers[3]),
            proper_step(arena, strange[i].body)};
        struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
        str out = compare(arena, fault_server_url(s), "-r two.yaml --strict", &status);
        fault_server_stop(s);
        assert_int_equal(status, 3);
        assert_true(str_contains(out, str_c(strange[i].want)));
    }
}

TEST(a_malformed_list_makes_the_comparison_incomplete)
{
    for (size_t i = 0; i < COUNT(malformed) * 2; i++) {
        bool original = i % 2;
        int status = 0;
        const struct fault_step script[] = {
            proper_step(arena, answers[0]), proper_step(arena, answers[1]),
            proper_step(arena, TWO_TYPES), proper_step(arena, answers[3]),
            proper_step(arena, malformed[i / 2].body)};
        struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
        str out = compare(arena, fault_server_url(s),
                          original ? "-r two.yaml --compat" : "-r two.yaml --strict", &status);
        fault_server_stop(s);
        assert_int_equal(status, original ? 2 : 3);
        assert_true(str_contains(out, str_c(malformed[i / 2].want)));
        assert_true(original || str_contains(out, STR("incomplete: 1 document failed")));
    }
}

TEST(a_part_of_a_list_is_an_error)
{
    const struct fault_step script[] = {
        proper_step(arena, answers[0]), proper_step(arena, answers[1]),
        proper_step(arena, answers[2]),
        fault_proper(arena, 200,
                     "Content-Type: application/json\r\nContent-Range: bytes 0-199/400\r\n",
                     str_c(answers[3]))};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    int status = -1;
    str out = compare(arena, fault_server_url(s), "", &status);

    fault_server_stop(s);
    assert_int_equal(status, 2);
    assert_true(str_contains(out, STR("the server sent only a part of it (Content-Range)")));
}

/* ---- Types that the server does not tell all of. ---- */

#define GROUP_OF(resources)                                                                        \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"x.io\"},"            \
    "\"versions\":[{\"version\":\"v1\"," resources "}]}]}"
#define CORE_TYPES                                                                                 \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{},\"versions\":[{\"version\":"  \
    "\"v1\",\"resources\":[{\"resource\":\"configmaps\",\"scope\":\"Namespaced\","                 \
    "\"responseKind\":"                                                                            \
    "{\"version\":\"v1\",\"kind\":\"ConfigMap\"},\"verbs\":[\"list\"]}]}]}]}"

/* The kind of a template is not served, which is fine, unless the server is not sure of it. */
static const struct {
    const char *groups, *reference, *want;
    int status;
} doubts[] = {
    {GROUP_OF("\"resources\":[]"), "other.yaml", "Verdict: complete", 0},
    {GROUP_OF("\"freshness\":\"Stale\""), "other.yaml",
     "objects of x.io/v1 may be missing: the API behind it does not answer the server (stale)", 3},
    {GROUP_OF("\"resources\":[{\"resource\":\"widgets\"}]"), "other.yaml",
     "objects of x.io/v1 may be missing: the server lists a resource of it without a name or a "
     "kind",
     3},
    {GROUP_OF("\"resources\":[{\"resource\":\"things\",\"scope\":\"some\",\"responseKind\":{"
              "\"kind\":\"Thing\"}}]"),
     "other.yaml", "the server does not say whether a resource of it is in namespaces", 3},
    {GROUP_OF("\"freshness\":\"Stale\""), "metadata.yaml", "Verdict: complete", 0},
};

/* Every cluster serves the core group: without it, a server hides it or has extensions only. */
TEST(a_server_without_the_core_group_makes_the_comparison_incomplete)
{
    static const struct {
        int status;
        const char *core, *reference, *want;
        int exit;
    } cases[] = {
        {404, "", "other.yaml", "objects of v1 may be missing: the server lists no kind of it", 3},
        {200, "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}", "other.yaml",
         "objects of v1 may be missing: the server lists no kind of it", 3},
        {404, "", "widget.yaml", "Verdict: complete", 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct fault_step script[] = {
            fault_proper(arena, cases[i].status, "Content-Type: application/json\r\n",
                         str_c(cases[i].core)),
            proper_step(arena,
                        GROUP_OF("\"resources\":[{\"resource\":\"widgets\",\"responseKind\":{"
                                 "\"group\":\"x.io\",\"version\":\"v1\",\"kind\":\"Widget\"},"
                                 "\"scope\":\"Cluster\",\"verbs\":[\"list\"]}]")),
            proper_step(arena, "{\"items\":[{\"apiVersion\":\"x.io/v1\",\"kind\":\"Widget\","
                               "\"metadata\":{\"name\":\"w\"},\"spec\":{\"open\":true}}],"
                               "\"metadata\":{}}")};
        struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
        int status = -1;
        str more = str_fmt(arena, "-r %s --strict", cases[i].reference);
        str out = compare(arena, fault_server_url(s), str_z(arena, more), &status);
        fault_server_stop(s);
        if (status != cases[i].exit || !str_contains(out, str_c(cases[i].want)))
            fail_msg("case %zu: %d, %.*s", i, status, STR_ARG(out));
    }
}

TEST(a_type_that_the_server_is_not_sure_of_makes_the_comparison_incomplete)
{
    for (size_t i = 0; i < COUNT(doubts); i++) {
        int status = -1;
        const struct fault_step script[] = {proper_step(arena, CORE_TYPES),
                                            proper_step(arena, doubts[i].groups),
                                            proper_step(arena, answers[3])};
        struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
        str more = str_fmt(arena, "-r %s --strict", doubts[i].reference);
        str out = compare(arena, fault_server_url(s), str_z(arena, more), &status);
        fault_server_stop(s);
        assert_int_equal(status, doubts[i].status);
        assert_true(str_contains(out, str_c(doubts[i].want)));
    }
}

/* An extension may serve kinds of another group. */
TEST(objects_are_of_the_group_that_their_type_states)
{
    const struct fault_step script[] = {
        proper_step(arena, CORE_TYPES),
        proper_step(arena, GROUP_OF("\"resources\":[{\"resource\":\"widgets\",\"responseKind\":{"
                                    "\"group\":\"y.io\",\"version\":\"v2\",\"kind\":\"Widget\"},"
                                    "\"scope\":\"Cluster\",\"verbs\":[\"list\"]}]")),
        proper_step(arena, answers[3]),
        proper_step(arena, "{\"items\":[{\"apiVersion\":\"y.io/v2\",\"kind\":\"Widget\","
                           "\"metadata\":{\"name\":\"w\"}}],\"metadata\":{}}")};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    int status = -1;
    str out = compare(arena, fault_server_url(s), "-r other.yaml --strict", &status);

    fault_server_stop(s);
    assert_int_equal(status, 0);
    assert_true(str_contains(out, STR("Verdict: complete")));
}

#define WIDGETS                                                                                    \
    "{\"resources\":[{\"name\":\"widgets\",\"kind\":\"Widget\",\"namespaced\":false,\"verbs\":"    \
    "[\"list\"]}]}"

/* Classic discovery does not say of which group a kind is. */
TEST(a_kind_that_two_groups_have_is_asked_of_both)
{
    const struct fault_step script[] = {
        proper_step(arena, "{\"versions\":[]}"),
        proper_step(arena, "{\"groups\":[{\"name\":\"a.io\",\"versions\":[{\"version\":\"v1\"}]},{"
                           "\"name\":\"x.io\",\"versions\":[{\"version\":\"v1\"}]}]}"),
        proper_step(arena, WIDGETS),
        proper_step(arena, WIDGETS),
        proper_step(arena, "{\"items\":[],\"metadata\":{}}"),
        proper_step(arena, "{\"items\":[{\"metadata\":{\"name\":\"w\"},\"spec\":{\"open\":false}}],"
                           "\"metadata\":{}}")};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    int status = -1;
    str out = compare(arena, fault_server_url(s), "-r widget.yaml", &status);

    fault_server_stop(s);
    assert_int_equal(status, 1);
    assert_true(str_contains(out, STR("spec.open: false, expected true")));
    assert_false(str_contains(out, STR("missing group/version")));
}

/* Objects of a cluster have no place that could be named. */
TEST(an_object_that_a_list_has_twice_is_named)
{
#define WANTED                                                                                     \
    "{\"metadata\":{\"name\":\"wanted\",\"namespace\":\"default\"},\"data\":{\"colour\":"          \
    "\"green\"}}"
    const struct fault_step script[] = {
        proper_step(arena, answers[0]), proper_step(arena, answers[1]),
        proper_step(arena, answers[2]),
        proper_step(arena, "{\"items\":[" WANTED "," WANTED "],\"metadata\":{}}")};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    int status = -1;
    str out = compare(arena, fault_server_url(s), "", &status);

    fault_server_stop(s);
    assert_int_equal(status, 0);
    assert_true(str_contains(out, STR("the cluster has v1_ConfigMap_default_wanted twice; both are "
                                      "compared")));
}

#define AZURE_GROUPS(resources)                                                                    \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":"                      \
    "\"resources.azure.com\"},\"versions\":[{\"version\":\"v1api20200601\"," resources "}]}]}"
#define AZURE_TYPES                                                                                \
    AZURE_GROUPS("\"resources\":[{\"resource\":\"resourcegroups\",\"scope\":\"Namespaced\","       \
                 "\"responseKind\":{\"group\":\"resources.azure.com\",\"version\":"                \
                 "\"v1api20200601\",\"kind\":\"ResourceGroup\"},\"verbs\":[\"list\"]}]")

/* What plan prints of a server, both streams. */
static str plan(const struct fault_step *script, size_t count, const char *more, int *status)
{
    AUTO_ERR e = {0};
    struct fault_server *s = fault_server_start(script, count, NULL);
    str out, command = str_fmt(arena,
                               "export HOME=%s KUBECONFIG=; cd %s; exec '%.*s' plan --server %.*s "
                               "%s 2>&1",
                               folder, folder, STR_ARG(plumb), STR_ARG(fault_server_url(s)), more);
    const char *const argv[] = {"sh", "-c", str_z(arena, command), NULL};
    const struct process p = {.argv = argv, .timeout = 120 * NS_PER_SEC};

    assert_ok(process_run_as(arena, &p, &out, status, &e), &e);
    fault_server_stop(s);
    return out;
}

/* Nothing to do is only what all objects say. */
TEST(a_plan_for_objects_that_are_not_known_fails)
{
    static const struct {
        const char *groups, *list, *want;
    } cases[] = {
        {AZURE_GROUPS("\"freshness\":\"Stale\""), "",
         "objects of resources.azure.com/v1api20200601 may be missing: "},
        {AZURE_TYPES,
         "{\"items\":[{\"apiVersion\":\"x/v1\",\"kind\":\"Other\",\"metadata\":{\"name\":\"a\","
         "\"namespace\":\"n\"}}],\"metadata\":{}}",
         "the list of resourcegroups: a is a Other of x/v1"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fault_step lists = proper_step(arena, cases[i].list);
        lists.again = true;
        const struct fault_step script[] = {
            proper_step(arena, "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}"),
            proper_step(arena, cases[i].groups), lists};
        int status = -1;
        str out = plan(script, COUNT(script), "--all", &status);
        if (!str_contains(out, str_c(cases[i].want)))
            fail_msg("%.*s", STR_ARG(out));
        assert_int_equal(status, 2);
    }
}

#define GROUP_NAMED(name)                                                                          \
    "{\"apiVersion\":\"resources.azure.com/v1api20200601\",\"kind\":\"ResourceGroup\","            \
    "\"metadata\":{\"name\":\"" name "\",\"namespace\":\"default\"}}"

/* An object that may exist must not be planned for creation. */
TEST(a_plan_for_files_fails_when_it_is_not_known_what_is_there)
{
    static const struct {
        const char *groups;
        int status;
        const char *body, *want;
    } cases[] = {
        {AZURE_TYPES, 403, "", "ResourceGroup default/app: unknown (get resourcegroups"},
        {AZURE_TYPES, 500, "", "ResourceGroup default/app: an error on the server"},
        {AZURE_TYPES, 403, "{\"kind\":\"Status\",\"code\":200,\"message\":\"no\"}",
         "ResourceGroup default/app: no"},
        {AZURE_TYPES, 200, "{\"metadata\":", "ResourceGroup default/app: "},
        {AZURE_TYPES, 200, GROUP_NAMED("other"), "response is another object: other"},
        {AZURE_GROUPS("\"freshness\":\"Stale\""), 404, "",
         "objects of resources.azure.com/v1api20200601 may be missing: "},
        /* Azure is what fails then: there is none. */
        {AZURE_TYPES, 404, "", "blocked ResourceGroup default/app"},
        {AZURE_TYPES, 200, GROUP_NAMED("app"), "blocked ResourceGroup default/app"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fault_step object = fault_proper(
            arena, cases[i].status, "Content-Type: application/json\r\n", str_c(cases[i].body));
        struct fault_step gone = fault_proper(arena, 404, "", STR_NONE);
        gone.again = true;
        const struct fault_step script[] = {
            proper_step(arena, "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}"),
            proper_step(arena, cases[i].groups), object, gone};
        int status = -1;
        str out = plan(script, COUNT(script), "-f group.yaml --azure-endpoint=http://127.0.0.1:1",
                       &status);
        if (!str_contains(out, str_c(cases[i].want)))
            fail_msg("%zu: %.*s", i, STR_ARG(out));
        assert_int_equal(status, 2);
    }
}

TEST(an_expired_certificate_ends_it)
{
    struct test_cert ca = test_ca(arena, "test CA");
    struct test_cert leaf = test_leaf(arena, &ca, "server", "IP:127.0.0.1", -7200, -3600);
    const struct fault_tls tls = {leaf.cert, leaf.key, STR_NONE};
    static const struct fault_step script[] = {{.end = FAULT_CLOSE, .again = true}};
    struct fault_server *s = fault_server_start(script, COUNT(script), &tls);
    int status = 0;

    put("ca.crt", str_z(arena, ca.cert));
    str out = compare(arena, fault_server_url(s), "--certificate-authority=ca.crt", &status);
    fault_server_stop(s);
    assert_int_equal(status, 2);
    assert_true(str_contains(out, STR("certificate has expired")));
}

static int begin(void **state)
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

    (void)state;
    arena = arena_new();
    faults_begin();
    assert_true(len > 0);
    plumb = str_fmt(arena, "%.*s/../../plumb", (int)str_rfind_char(str_of(self, (size_t)len), '/'),
                    self);
    assert_non_null(mkdtemp(folder));
    put("metadata.yaml", "parts: [{name: p, components: [{name: c, type: Required, "
                         "requiredTemplates: [{path: a.yaml}]}]}]");
    put("a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: wanted, namespace: default}, "
                  "data: {colour: green}}");
    put("two.yaml", "parts: [{name: p, components: [{name: c, type: Optional, optionalTemplates: "
                    "[{path: a.yaml}, {path: b.yaml}]}]}]");
    put("other.yaml", "parts: [{name: p, components: [{name: c, type: Optional, optionalTemplates: "
                      "[{path: a.yaml}, {path: w.yaml}]}]}]");
    put("widget.yaml", "parts: [{name: p, components: [{name: c, type: Optional, "
                       "optionalTemplates: [{path: w.yaml}]}]}]");
    put("w.yaml", "{apiVersion: x.io/v1, kind: Widget, metadata: {name: w}, spec: {open: true}}");
    put("group.yaml", "{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, "
                      "metadata: {name: app, namespace: default}, spec: {location: westus2}}");
    put("b.yaml", "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}}");
    return 0;
}

static int end(void **state)
{
    static const char *const files[] = {"metadata.yaml", "two.yaml",   "other.yaml",
                                        "widget.yaml",   "a.yaml",     "b.yaml",
                                        "w.yaml",        "group.yaml", "ca.crt"};

    (void)state;
    for (size_t i = 0; i < COUNT(files); i++)
        unlink(str_z(arena, str_fmt(arena, "%s/%s", folder, files[i])));
    rmdir(folder);
    faults_end();
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comparison_ends_well_with_every_fault_at_every_request),
        cmocka_unit_test(a_malformed_list_makes_the_comparison_incomplete),
        cmocka_unit_test(objects_that_were_not_asked_for_make_the_comparison_incomplete),
        cmocka_unit_test(a_server_without_the_core_group_makes_the_comparison_incomplete),
        cmocka_unit_test(a_part_of_a_list_is_an_error),
        cmocka_unit_test(a_type_that_the_server_is_not_sure_of_makes_the_comparison_incomplete),
        cmocka_unit_test(objects_are_of_the_group_that_their_type_states),
        cmocka_unit_test(a_kind_that_two_groups_have_is_asked_of_both),
        cmocka_unit_test(an_object_that_a_list_has_twice_is_named),
        cmocka_unit_test(a_plan_for_objects_that_are_not_known_fails),
        cmocka_unit_test(a_plan_for_files_fails_when_it_is_not_known_what_is_there),
        cmocka_unit_test(an_expired_certificate_ends_it),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
