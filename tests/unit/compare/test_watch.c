/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of a running cluster: page by page, and continuously. */
#include "../test.h"

#include "compare/watch/watch.h"
#include "kube/config/config.h"
#include "net/http/http.h"
#include "support/api_server.h"

#include <stdlib.h>
#include <unistd.h>

#define METADATA                                                                                   \
    "apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    allOf:\n"                  \
    "    - path: a.yaml\n    - path: b.yaml\n"
#define HEAD(name)                                                                                 \
    "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: " name "\n  namespace: x\n"

static const char plain_a[] = HEAD("a") "spec:\n  size: 1\n";
static const char plain_b[] = HEAD("b") "spec:\n  size: {{ .spec.size }}\n";
/* What a should be is what b is. */
static const char looking_a[] =
    HEAD("a") "spec:\n{{- $b := lookupCR \"example.com/v1\" \"Widget\" \"x\" \"b\" }}\n"
              "  size: {{ with $b }}{{ .spec.size }}{{ else }}0{{ end }}\n";

struct fixture {
    struct arena *a;
    struct api_server *api;
    char folder[32];
    struct kube_flags flags;
    struct compare_options options;
    struct watch_options watch_options;
    const struct compare *compare;
    struct compare_watch *watch;
    struct buf log;
    struct err e;
};

static void keep_line(void *ctx, char severity, str text)
{
    struct fixture *f = ctx;

    buf_fmt(&f->log, "%c %.*s\n", severity, STR_ARG(text));
}

static void put_file(struct fixture *f, const char *name, const char *text)
{
    assert_ok(file_write(str_fmt(f->a, "%s/%s", f->folder, name), str_c(text), 0600, &f->e), &f->e);
}

static void begin(struct fixture *f, const char *a_yaml)
{
    *f = (struct fixture){.a = arena_new(), .api = api_start()};
    f->log = buf_new(f->a, 1 * MIB);
    memcpy(f->folder, "/tmp/plumb-watch-XXXXXX", 24);
    assert_non_null(mkdtemp(f->folder));
    put_file(f, "metadata.yaml", METADATA);
    put_file(f, "a.yaml", a_yaml);
    put_file(f, "b.yaml", plain_b);
    setenv("HOME", "/nonexistent", 1);
    unsetenv("KUBECONFIG");
    f->flags.server = api_url(f->api);
    f->options = (struct compare_options){.reference = str_c(f->folder),
                                          .cluster = &f->flags,
                                          .dialect = &dialect_native,
                                          .threads = 2,
                                          .log = {.line = keep_line, .ctx = f}};
    f->watch_options =
        (struct watch_options){.interval = 20 * NS_PER_MS, .refresh = 3600 * NS_PER_SEC};
    assert_ok(compare_load(f->a, &f->options, &f->compare, &f->e), &f->e);
}

static void end(struct fixture *f)
{
    static const char *const names[] = {"metadata.yaml", "a.yaml", "b.yaml"};

    compare_watch_close(f->watch);
    for (size_t i = 0; i < COUNT(names); i++)
        unlink(str_z(f->a, str_fmt(f->a, "%s/%s", f->folder, names[i])));
    rmdir(f->folder);
    api_stop(f->api);
    err_clear(&f->e);
    arena_free(f->a);
}

static void open_watch(struct fixture *f)
{
    assert_ok(
        compare_watch_open(f->a, f->compare, &f->options, &f->watch_options, &f->watch, &f->e),
        &f->e);
}

static void add_change(struct buf *out, const struct watch_change *c)
{
    buf_fmt(out, "%s", watch_kind_name(c->kind));
    if (c->object.len)
        buf_fmt(out, " %.*s", STR_ARG(str_from(c->object, str_rfind_char(c->object, '_') + 1)));
    else if (c->template.len)
        buf_fmt(out, " %.*s", STR_ARG(c->template));
    for (size_t i = 0; i < c->fields.len; i++)
        buf_fmt(out, " %.*s=%.*s", STR_ARG(c->fields.items[i].path),
                STR_ARG(value_text(c->fields.items[i].actual)));
    buf_add(out, c->gone ? STR(" gone|") : STR("|"));
}

/* The next changes, count of them unless that takes too long. */
static str next(struct fixture *f, size_t count)
{
    struct buf out = buf_new(f->a, 64 * KIB);
    struct watch_changes changes;
    int64_t deadline = clock_mono() + 60 * NS_PER_SEC;

    while (count && clock_mono() < deadline) {
        assert_ok(compare_watch_next(f->watch, 100 * NS_PER_MS, &changes, &f->e), &f->e);
        for (size_t i = 0; i < changes.len; i++)
            add_change(&out, &changes.items[i]);
        count -= changes.len < count ? changes.len : count;
    }
    return buf_str(&out);
}

static struct watch_totals totals(struct fixture *f)
{
    struct watch_totals t;

    compare_watch_totals(f->watch, &t);
    return t;
}

static enum verdict_state completeness(struct fixture *f)
{
    const struct watch_totals t = totals(f);

    return watch_totals_state(&t);
}

/* Until all types are watched. */
static void await_types(struct fixture *f)
{
    struct watch_changes changes;

    for (int i = 0; i < 600 && totals(f).failing; i++)
        assert_ok(compare_watch_next(f->watch, 100 * NS_PER_MS, &changes, &f->e), &f->e);
    assert_int_equal(totals(f).failing, 0);
}

/* ---- Watching. ---- */

TEST(changes_of_the_verdict_are_told)
{
    struct fixture f;

    begin(&f, plain_a);
    api_put(f.api, "x", "a", "\"spec\":{\"size\":2}");
    open_watch(&f);
    assert_str(next(&f, 3), STR("start|drift a spec.size=2|missing b.yaml|"));
    api_put(f.api, "x", "a", "\"spec\":{\"size\":3}");
    assert_str(next(&f, 1), STR("changed a spec.size=3|"));
    api_put(f.api, "x", "b", "\"spec\":{\"size\":3}");
    assert_str(next(&f, 1), STR("present b.yaml|"));
    api_put(f.api, "x", "a", "\"spec\":{\"size\":1}");
    assert_str(next(&f, 1), STR("fixed a|"));
    assert_int_equal(totals(&f).drifting, 0);
    assert_int_equal(totals(&f).issues, 0);
    assert_int_equal(totals(&f).matched, 2);
    assert_int_equal(completeness(&f), VERDICT_COMPLETE);
    api_put(f.api, "x", "a", "\"spec\":{\"size\":1,\"more\":true}");
    assert_str(next(&f, 1), STR("drift a spec.more=|"));
    assert_int_equal(totals(&f).templates[0].drifting, 1);
    api_delete(f.api, "x", "a");
    assert_str(next(&f, 2), STR("fixed a gone|missing a.yaml|"));
    assert_true(totals(&f).templates[0].missing);
    assert_false(totals(&f).templates[1].missing);
    assert_int_equal(totals(&f).missing, 1);
    assert_int_equal(totals(&f).objects, 1);
    assert_int_equal(totals(&f).changes[WATCH_DRIFT], 2);
    assert_true(totals(&f).synced > 0);
    end(&f);
}

/* Waits until that many events have come in and have been compared. */
static void settle(struct fixture *f, uint64_t events)
{
    for (int i = 0; i < 6000 && totals(f).events < events; i++)
        clock_sleep(10 * NS_PER_MS);
    assert_int_equal(totals(f).events, events);
    struct watch_changes none;
    for (int i = 0; i < 3; i++) {
        assert_ok(compare_watch_next(f->watch, 100 * NS_PER_MS, &none, &f->e), &f->e);
        assert_int_equal(none.len, 0);
    }
}

TEST(changes_of_objects_alone_are_not)
{
    struct fixture f;

    begin(&f, plain_a);
    api_put(f.api, "x", "a", "\"spec\":{\"size\":2}");
    api_put(f.api, "x", "b", "\"spec\":{\"size\":2}");
    api_put(f.api, "x", "other", "\"spec\":{\"size\":2}");
    open_watch(&f);
    assert_str(next(&f, 2), STR("start|drift a spec.size=2|"));
    api_put(f.api, "x", "a", "\"spec\":{\"size\":2}");
    api_put(f.api, "x", "b", "\"spec\":{\"size\":7}");
    api_put(f.api, "x", "other", "\"spec\":{\"size\":7}");
    api_delete(f.api, "x", "other");
    settle(&f, 7);
    assert_int_equal(totals(&f).compared, 4);
    end(&f);
}

TEST(a_storm_of_events_costs_few_comparisons)
{
    struct fixture f;

    begin(&f, plain_a);
    f.watch_options.interval = 300 * NS_PER_MS;
    api_put(f.api, "x", "a", "\"spec\":{\"size\":1}");
    api_put(f.api, "x", "b", "\"spec\":{\"size\":1}");
    open_watch(&f);
    assert_str(next(&f, 1), STR("start|"));
    for (int i = 0; i < 300; i++)
        api_put(f.api, "x", "b", str_z(f.a, str_fmt(f.a, "\"spec\":{\"size\":%d}", i)));
    settle(&f, 302);
    assert_true(totals(&f).compared < 50);
    end(&f);
}

TEST(what_others_look_up_is_compared_again)
{
    struct fixture f;

    begin(&f, looking_a);
    api_put(f.api, "x", "a", "\"spec\":{\"size\":1}");
    api_put(f.api, "x", "b", "\"spec\":{\"size\":1}");
    open_watch(&f);
    assert_str(next(&f, 1), STR("start|"));
    api_put(f.api, "x", "b", "\"spec\":{\"size\":2}");
    assert_str(next(&f, 1), STR("drift a spec.size=1|"));
    api_put(f.api, "x", "a", "\"spec\":{\"size\":2}");
    assert_str(next(&f, 1), STR("fixed a|"));
    api_delete(f.api, "x", "b");
    assert_str(next(&f, 2), STR("drift a spec.size=2|missing b.yaml|"));
    end(&f);
}

TEST(a_server_that_has_forgotten_is_listed_again)
{
    struct fixture f;

    begin(&f, plain_a);
    api_put(f.api, "x", "a", "\"spec\":{\"size\":1}");
    api_put(f.api, "x", "b", "\"spec\":{\"size\":1}");
    open_watch(&f);
    assert_str(next(&f, 1), STR("start|"));
    /* While nobody watches, a changes and b goes; and the server no longer knows since when. */
    api_end_watches(f.api, true);
    api_put(f.api, "x", "a", "\"spec\":{\"size\":5}");
    api_delete(f.api, "x", "b");
    api_compact(f.api);
    assert_str(next(&f, 2), STR("drift a spec.size=5|missing b.yaml|"));
    end(&f);
}

#define FORBIDDEN                                                                                  \
    "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Forbidden\",\"code\":403,"           \
    "\"message\":\"widgets is forbidden\"}"

TEST(a_type_that_is_refused_does_not_hold_up_the_start)
{
    struct fixture f;

    begin(&f, plain_a);
    api_answer_always(f.api, "/apis/example.com/v1/widgets", 403, "application/json", FORBIDDEN);
    api_put(f.api, "x", "a", "\"spec\":{\"size\":1}");
    api_put(f.api, "x", "unknown", "\"spec\":{}");
    open_watch(&f);
    assert_str(next(&f, 3), STR("start|missing a.yaml|missing b.yaml|"));
    assert_int_equal(totals(&f).failing, 1);
    assert_int_equal(completeness(&f), VERDICT_INCOMPLETE);
    assert_true(totals(&f).errors > 0);
    api_answer_no_more(f.api);
    assert_str(next(&f, 1), STR("present a.yaml|"));
    assert_int_equal(totals(&f).failing, 0);
    assert_int_equal(totals(&f).unmatched, 1);
    assert_int_equal(completeness(&f), VERDICT_COMPLETE);
    end(&f);
}

/* The copy that is right is newer, and would hide the one that drifts. */
TEST(an_object_that_a_list_has_twice_makes_the_type_fail)
{
    struct fixture f;

    begin(&f, plain_a);
    api_put(f.api, "x", "a", "\"spec\":{\"size\":1}");
    api_answer_always(
        f.api, "/apis/example.com/v1/widgets?limit", 200, "application/json",
        "{\"metadata\":{\"resourceVersion\":\"101\"},\"items\":["
        "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":"
        "\"a\",\"namespace\":\"x\",\"resourceVersion\":\"7\"},\"spec\":{\"size\":2}},"
        "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":"
        "\"a\",\"namespace\":\"x\",\"resourceVersion\":\"8\"},\"spec\":{\"size\":1}}]}");
    open_watch(&f);
    next(&f, 1);
    assert_int_equal(totals(&f).failing, 1);
    assert_int_equal(completeness(&f), VERDICT_INCOMPLETE);
    api_answer_no_more(f.api);
    await_types(&f);
    assert_int_equal(completeness(&f), VERDICT_COMPLETE);
    end(&f);
}

/* It would be another object, and nothing would say so. */
TEST(an_object_without_the_namespace_that_it_must_have_fails)
{
    struct fixture f;

    begin(&f, plain_a);
    api_put(f.api, "", "a", "\"spec\":{\"size\":1}");
    open_watch(&f);
    next(&f, 4);
    assert_int_equal(totals(&f).failed, 1);
    assert_int_equal(completeness(&f), VERDICT_INCOMPLETE);
    end(&f);
}

TEST(a_type_that_cannot_be_watched_is_polled)
{
    struct fixture f;

    begin(&f, plain_a);
    f.watch_options.poll = 20 * NS_PER_MS;
    api_unwatchable(f.api, true);
    api_put(f.api, "x", "a", "\"spec\":{\"size\":1}");
    api_put(f.api, "x", "b", "\"spec\":{\"size\":1}");
    open_watch(&f);
    assert_str(next(&f, 1), STR("start|"));
    api_put(f.api, "x", "a", "\"spec\":{\"size\":2}");
    assert_str(next(&f, 1), STR("drift a spec.size=2|"));
    api_delete(f.api, "x", "b");
    assert_str(next(&f, 1), STR("missing b.yaml|"));
    assert_int_equal(totals(&f).failing, 0);
    assert_int_equal(totals(&f).errors, 0);
    end(&f);
}

TEST(a_kind_that_comes_later_is_watched_too)
{
    static const char none[] = "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{"
                               "\"name\":\"other.io\"},\"versions\":[{\"version\":\"v1\","
                               "\"resources\":[{\"resource\":\"things\",\"responseKind\":{"
                               "\"group\":\"other.io\",\"version\":\"v1\",\"kind\":\"Widget\"},"
                               "\"scope\":\"Namespaced\",\"verbs\":[\"list\"]}]}]}]}";
    struct fixture f;

    begin(&f, plain_a);
    f.watch_options.refresh = 50 * NS_PER_MS;
    api_answer_always(f.api, "/apis?", 200,
                      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", none);
    api_put(f.api, "x", "a", "\"spec\":{\"size\":1}");
    open_watch(&f);
    assert_str(next(&f, 3), STR("start|missing a.yaml|missing b.yaml|"));
    api_answer_no_more(f.api);
    assert_str(next(&f, 1), STR("present a.yaml|"));
    assert_int_equal(totals(&f).types, 2);
    end(&f);
}

/* Of other.io there is a type as before, or none; of example.com the server is not sure, or is. */
#define GROUPS_OF(things, freshness)                                                               \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"other.io\"},"        \
    "\"versions\":[{\"version\":\"v1\",\"resources\":[" things "]}]},{\"metadata\":{\"name\":"     \
    "\"example.com\"},\"versions\":[{\"version\":\"v1\",\"resources\":[]" freshness "}]}]}"
#define THINGS                                                                                     \
    "{\"resource\":\"things\",\"responseKind\":{\"group\":\"other.io\",\"version\":\"v1\","        \
    "\"kind\":"                                                                                    \
    "\"Widget\"},\"scope\":\"Namespaced\",\"verbs\":[\"list\"]}"
#define STALE ",\"freshness\":\"Stale\""

/* Also when no type is left that templates are about. */
TEST(what_the_server_is_not_sure_of_changes)
{
    static const struct {
        const char *first, *then;
        bool doubt; /* at first; then the other way round */
    } cases[] = {
        {GROUPS_OF(THINGS, STALE), GROUPS_OF("", ""), true},
        {GROUPS_OF(THINGS, ""), GROUPS_OF("", STALE), false},
        {GROUPS_OF(THINGS, ""), GROUPS_OF(THINGS, STALE), false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        static const char type[] =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        struct watch_changes changes;
        struct fixture f;
        begin(&f, plain_a);
        f.watch_options.refresh = 50 * NS_PER_MS;
        api_answer(f.api, "/apis?", 200, type, cases[i].first);
        api_answer_always(f.api, "/apis?", 200, type, cases[i].then);
        open_watch(&f);
        assert_int_equal(str_contains(buf_str(&f.log), STR("may be missing")), cases[i].doubt);
        bool changed = false;
        for (int n = 0; n < 600 && !changed; n++) {
            assert_ok(compare_watch_next(f.watch, 100 * NS_PER_MS, &changes, &f.e), &f.e);
            const struct watch_totals t = totals(&f);
            changed = t.started && (t.failing == 0) == cases[i].doubt;
        }
        assert_true(changed);
        end(&f);
    }
}

TEST(a_watch_ends_when_it_is_told_to)
{
    struct fixture f;
    struct watch_changes changes;

    begin(&f, plain_a);
    f.watch_options.cancel = http_cancel_new();
    open_watch(&f);
    assert_str(next(&f, 3), STR("start|missing a.yaml|missing b.yaml|"));
    http_cancel_raise(f.watch_options.cancel);
    assert_false(compare_watch_next(f.watch, 60 * NS_PER_SEC, &changes, &f.e));
    assert_int_equal(f.e.kind, ERR_CANCELLED);
    compare_watch_close(f.watch);
    f.watch = NULL;
    http_cancel_free(f.watch_options.cancel);
    end(&f);
}

TEST(a_cluster_that_is_not_there_is_an_error)
{
    struct fixture f;

    begin(&f, plain_a);
    f.flags.server = STR("http://127.0.0.1:1");
    assert_false(compare_watch_open(f.a, f.compare, &f.options, &f.watch_options, &f.watch, &f.e));
    assert_true(str_contains(f.e.text, STR("connection refused")));
    end(&f);
}

/* ---- Once, page by page. ---- */

#define MANY 1200

static void fill(struct fixture *f)
{
    for (int i = 0; i < MANY; i++)
        api_put(f->api, "x", str_z(f->a, str_fmt(f->a, "w%04d", i)), "\"spec\":{\"size\":1}");
}

static size_t count_lines(str text, const char *part)
{
    size_t n = 0;
    str line;

    while (str_next_line(&text, &line))
        n += str_contains(line, str_c(part));
    return n;
}

TEST(a_long_list_is_compared_page_by_page)
{
    struct fixture f;
    struct results results;

    begin(&f, plain_a);
    fill(&f);
    api_warn(f.api, "299 - \"old\"");
    f.options.all = true;
    assert_ok(compare_run(f.a, f.compare, &f.options, &results, &f.e), &f.e);
    assert_int_equal(results.unmatched.len, MANY);
    assert_int_equal(results.verdict.documents, MANY);
    assert_int_equal(count_lines(api_requests(f.api, f.a, false), "limit=500"), 3);
    /* What servers warn of is said once, however many answers have it. */
    assert_int_equal(count_lines(buf_str(&f.log), "S old"), 1);
    end(&f);
}

TEST(a_list_that_begins_anew_has_no_object_twice)
{
    struct fixture f;
    struct results results;

    begin(&f, plain_a);
    fill(&f);
    api_answer(f.api, "/apis/example.com/v1/widgets?continue", 410, "application/json",
               "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"old\"}");
    assert_ok(compare_run(f.a, f.compare, &f.options, &results, &f.e), &f.e);
    assert_int_equal(results.verdict.documents, MANY);
    assert_int_equal(results.verdict.duplicates, 0);
    end(&f);
}

RUN_TESTS(cmocka_unit_test(changes_of_the_verdict_are_told),
          cmocka_unit_test(changes_of_objects_alone_are_not),
          cmocka_unit_test(a_storm_of_events_costs_few_comparisons),
          cmocka_unit_test(what_others_look_up_is_compared_again),
          cmocka_unit_test(a_server_that_has_forgotten_is_listed_again),
          cmocka_unit_test(a_type_that_is_refused_does_not_hold_up_the_start),
          cmocka_unit_test(an_object_that_a_list_has_twice_makes_the_type_fail),
          cmocka_unit_test(an_object_without_the_namespace_that_it_must_have_fails),
          cmocka_unit_test(a_type_that_cannot_be_watched_is_polled),
          cmocka_unit_test(a_kind_that_comes_later_is_watched_too),
          cmocka_unit_test(what_the_server_is_not_sure_of_changes),
          cmocka_unit_test(a_watch_ends_when_it_is_told_to),
          cmocka_unit_test(a_cluster_that_is_not_there_is_an_error),
          cmocka_unit_test(a_long_list_is_compared_page_by_page),
          cmocka_unit_test(a_list_that_begins_anew_has_no_object_twice))
