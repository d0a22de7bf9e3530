/* SPDX-License-Identifier: Apache-2.0 */
/* test_watch.c - lists on a snapshot, pages, watches. */
#include "stage.h"

static void create(struct stage *s, const char *name, const char *label)
{
    AUTO_ARENA a = arena_new();
    str body =
        str_fmt(a, WIDGET("\"name\":\"%s\",\"labels\":{\"l\":\"%s\"}", "\"size\":1"), name, label);

    ASSERT_ASK(s, "POST", WIDGETS, str_z(a, body), 201);
}

static void patch(struct stage *s, const char *name, const char *body)
{
    s->c.type = STR("application/merge-patch+json");
    assert_int_equal(local_askf(&s->c, "PATCH", body, WIDGETS "/%s", name), 200);
    s->c.type = STR_NONE;
}

/* "a,b" */
static str names(const struct local *c, struct arena *a)
{
    const struct value *items = value_get(c->body, STR("items"));
    struct buf b = buf_new(a, KIB);

    for (size_t i = 0; i < value_len(items); i++)
        buf_fmt(&b, "%s%.*s", i ? "," : "",
                STR_ARG(value_get_str(value_get(&items->items[i], STR("metadata")), STR("name"))));
    return buf_str(&b);
}

static const struct {
    const char *query, *names;
} selections[] = {
    {"", "a,b,c"},
    {"?labelSelector=l%3Dx", "a,c"},
    {"?labelSelector=l!%3Dx", "b"},
    {"?labelSelector=l%20in%20(x,y)", "a,b,c"},
    {"?labelSelector=l%20notin%20(x)", "b"},
    {"?labelSelector=l,l%3Dy", "b"},
    {"?labelSelector=!l", ""},
    {"?fieldSelector=metadata.name%3Db", "b"},
    {"?fieldSelector=metadata.name!%3Db", "a,c"},
    {"?resourceVersion=0", "a,b,c"},
};

TEST(lists_are_sorted_and_selected)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    create(&s, "c", "x");
    create(&s, "a", "x");
    create(&s, "b", "y");
    for (size_t i = 0; i < COUNT(selections); i++) {
        assert_int_equal(local_askf(&s.c, "GET", "", WIDGETS "%s", selections[i].query), 200);
        assert_str(names(&s.c, a), str_c(selections[i].names));
    }
    ASSERT_ASK(&s, "GET", "/apis/example.com/v1/widgets", "", 200);
    assert_str(local_text(&s.c, "kind"), STR("WidgetList"));
    assert_str(names(&s.c, a), STR("a,b,c"));
    stage_end(&s);
}

TEST(pages_are_of_one_snapshot_until_it_is_too_old)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    create(&s, "a", "x");
    create(&s, "b", "x");
    create(&s, "d", "x");
    ASSERT_ASK(&s, "GET", WIDGETS "?limit=1", "", 200);
    assert_str(local_text(&s.c, "metadata.remainingItemCount"), STR("2"));
    str token = str_copy(a, local_text(&s.c, "metadata.continue"));
    str version = str_copy(a, local_text(&s.c, "metadata.resourceVersion"));
    ASSERT_ASK(&s, "DELETE", WIDGETS "/b", "", 200);
    create(&s, "c", "x");
    patch(&s, "d", "{\"spec\":{\"size\":7}}");
    assert_int_equal(local_askf(&s.c, "GET", "", WIDGETS "?limit=5&continue=%.*s", STR_ARG(token)),
                     200);
    assert_str(names(&s.c, a), STR("b,d"));
    assert_str(local_text(&s.c, "items.1.spec.size"), STR("1"));
    assert_str(local_text(&s.c, "metadata.resourceVersion"), version);
    assert_int_equal(local_askf(&s.c, "GET", "",
                                WIDGETS "?resourceVersionMatch=Exact&resourceVersion=%.*s",
                                STR_ARG(version)),
                     200);
    assert_str(names(&s.c, a), STR("a,b,d"));
    clock_advance(600 * NS_PER_SEC);
    stage_settle(&s);
    assert_int_equal(local_askf(&s.c, "GET", "", WIDGETS "?limit=5&continue=%.*s", STR_ARG(token)),
                     410);
    token = str_copy(a, local_text(&s.c, "metadata.continue"));
    assert_int_equal(local_askf(&s.c, "GET", "", WIDGETS "?limit=5&continue=%.*s", STR_ARG(token)),
                     200);
    assert_str(names(&s.c, a), STR("c,d"));
    stage_end(&s);
}

/* "ADDED a 5" or "" */
static str event(struct local_watch *w, struct arena *a)
{
    const struct value *e = local_watch_next(w), *object = value_get(e, STR("object"));
    const struct value *meta = value_get(object, STR("metadata"));

    if (!e)
        return STR_NONE;
    return str_fmt(a, "%.*s %.*s%.*s", STR_ARG(value_get_str(e, STR("type"))),
                   STR_ARG(value_get_str(meta, STR("name"))),
                   STR_ARG(value_get_str(object, STR("message"))));
}

TEST(a_watch_sees_every_change_once_and_in_order)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    create(&s, "a", "x");
    struct local_watch *all = local_watch(&s.c, WIDGETS "?watch=true");
    struct local_watch *some = local_watch(&s.c, WIDGETS "?watch=1&labelSelector=l%3Dy");
    assert_str(event(all, a), STR("ADDED a"));
    assert_str(event(all, a), STR_NONE);
    create(&s, "b", "x");
    patch(&s, "a", "{\"metadata\":{\"labels\":{\"l\":\"y\"}}}");
    patch(&s, "a", "{\"spec\":{\"size\":2}}");
    patch(&s, "a", "{\"metadata\":{\"labels\":{\"l\":\"z\"}}}");
    ASSERT_ASK(&s, "DELETE", WIDGETS "/a", "", 200);
    assert_true(local_watch_wakes(all) > 0);
    assert_str(event(all, a), STR("ADDED b"));
    assert_str(event(all, a), STR("MODIFIED a"));
    assert_str(event(all, a), STR("MODIFIED a"));
    assert_str(event(all, a), STR("MODIFIED a"));
    assert_str(event(all, a), STR("DELETED a"));
    assert_str(event(all, a), STR_NONE);
    assert_str(event(some, a), STR("ADDED a"));
    assert_str(event(some, a), STR("MODIFIED a"));
    assert_str(event(some, a), STR("DELETED a"));
    assert_str(event(some, a), STR_NONE);
    local_watch_close(all);
    local_watch_close(some);
    stage_end(&s);
}

TEST(a_watch_goes_on_from_any_kept_version_and_ends_with_410_before_it)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    create(&s, "a", "x");
    str version = str_copy(a, local_text(&s.c, "metadata.resourceVersion"));
    create(&s, "b", "x");
    str target = str_fmt(a, WIDGETS "?watch=true&resourceVersion=%.*s", STR_ARG(version));
    struct local_watch *w = local_watch(&s.c, str_z(a, target));
    assert_str(event(w, a), STR("ADDED b"));
    local_watch_close(w);
    clock_advance(600 * NS_PER_SEC);
    stage_settle(&s);
    w = local_watch(&s.c, str_z(a, target));
    assert_true(str_has_prefix(event(w, a), STR("ERROR too old resource version")));
    assert_str(event(w, a), STR_NONE);
    assert_true(local_watch_ended(w));
    local_watch_close(w);
    stage_end(&s);
}

TEST(options_are_true_unless_they_say_no)
{
    static const struct {
        const char *value;
        bool watches;
    } cases[] = {{"true", true},   {"1", true},      {"TRUE", true}, {"t", true},
                 {"false", false}, {"False", false}, {"0", false},   {"", false}};
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    create(&s, "a", "x");
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(
            local_askf(&s.c, "GET", "", WIDGETS "?resourceVersion=1&watch=%s", cases[i].value),
            200);
        assert_str(local_text(&s.c, "kind"), cases[i].watches ? STR_NONE : STR("WidgetList"));
    }
    stage_end(&s);
}

TEST(initial_events_end_with_a_bookmark_and_time_ends_the_watch)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    create(&s, "a", "x");
    struct local_watch *w = local_watch(
        &s.c, WIDGETS "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                      "allowWatchBookmarks=true&timeoutSeconds=90");
    assert_str(event(w, a), STR("ADDED a"));
    const struct value *mark = local_watch_next(w);
    assert_str(value_get_str(mark, STR("type")), STR("BOOKMARK"));
    const struct value *notes =
        value_get(value_get(value_get(mark, STR("object")), STR("metadata")), STR("annotations"));
    assert_str(value_get_str(notes, STR("k8s.io/initial-events-end")), STR("true"));
    assert_str(event(w, a), STR_NONE);
    clock_advance(61 * NS_PER_SEC);
    stage_settle(&s);
    assert_str(event(w, a), STR("BOOKMARK "));
    assert_str(event(w, a), STR_NONE);
    clock_advance(30 * NS_PER_SEC);
    stage_settle(&s);
    assert_str(event(w, a), STR("BOOKMARK "));
    assert_str(event(w, a), STR_NONE);
    assert_true(local_watch_ended(w));
    local_watch_close(w);
    stage_end(&s);
}

RUN_TESTS(cmocka_unit_test(lists_are_sorted_and_selected),
          cmocka_unit_test(pages_are_of_one_snapshot_until_it_is_too_old),
          cmocka_unit_test(a_watch_sees_every_change_once_and_in_order),
          cmocka_unit_test(a_watch_goes_on_from_any_kept_version_and_ends_with_410_before_it),
          cmocka_unit_test(options_are_true_unless_they_say_no),
          cmocka_unit_test(initial_events_end_with_a_bookmark_and_time_ends_the_watch))
