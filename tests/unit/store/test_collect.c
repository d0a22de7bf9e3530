/* SPDX-License-Identifier: Apache-2.0 */
/* test_collect.c - deletion: finalizers, owners, namespaces, definitions. */
#include "stage.h"

#include <time.h>

static str uid_of(struct stage *s, struct arena *a, const char *target)
{
    ASSERT_ASK(s, "GET", target, "", 200);
    return str_copy(a, local_text(&s->c, "metadata.uid"));
}

/* A widget that is owned by the object at target; more are further members of the reference. */
static void own(struct stage *s, const char *name, const char *kind, const char *owner, str uid,
                const char *more)
{
    AUTO_ARENA a = arena_new();
    str body = str_fmt(a,
                       WIDGET("\"name\":\"%s\",\"ownerReferences\":[{\"apiVersion\":"
                              "\"example.com/v1\",\"kind\":\"%s\",\"name\":\"%s\",\"uid\":"
                              "\"%.*s\"%s}]",
                              "\"size\":1"),
                       name, kind, owner, STR_ARG(uid), more);

    ASSERT_ASK(s, "POST", WIDGETS, str_z(a, body), 201);
}

static void gadget(struct stage *s, const char *name)
{
    AUTO_ARENA a = arena_new();

    ASSERT_ASK(s, "POST", GADGETS, str_z(a, str_fmt(a, GADGET("\"name\":\"%s\""), name)), 201);
}

static void widget(struct stage *s, const char *name)
{
    AUTO_ARENA a = arena_new();
    str body = str_fmt(a, WIDGET("\"name\":\"%s\"", "\"size\":1"), name);

    ASSERT_ASK(s, "POST", WIDGETS, str_z(a, body), 201);
}

static void merge(struct stage *s, const char *target, const char *patch, int status)
{
    s->c.type = STR("application/merge-patch+json");
    ASSERT_ASK(s, "PATCH", target, patch, status);
    s->c.type = STR_NONE;
}

TEST(finalizers_keep_an_object_until_the_last_is_removed)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", WIDGETS,
               WIDGET("\"name\":\"a\",\"finalizers\":[\"x/one\",\"x/two\"]", "\"size\":1"), 201);
    ASSERT_ASK(&s, "DELETE", WIDGETS "/a", "", 200);
    assert_str(local_text(&s.c, "kind"), STR("Widget"));
    assert_str(local_text(&s.c, "metadata.generation"), STR("2"));
    assert_true(local_text(&s.c, "metadata.deletionTimestamp").len > 0);
    ASSERT_ASK(&s, "DELETE", WIDGETS "/a", "", 200);
    assert_str(local_text(&s.c, "metadata.generation"), STR("2"));
    merge(&s, WIDGETS "/a", "{\"metadata\":{\"finalizers\":[\"x/one\",\"x/three\"]}}", 422);
    assert_str(local_text(&s.c, "message"),
               STR("Widget.example.com \"a\" is invalid: metadata.finalizers: Forbidden: no new "
                   "finalizers can be added if the object is being deleted, found new finalizers "
                   "[]string{\"x/three\"}"));
    merge(&s, WIDGETS "/a", "{\"metadata\":{\"finalizers\":[\"x/one\"]}}", 200);
    merge(&s, WIDGETS "/a", "{\"metadata\":{\"finalizers\":null}}", 200);
    ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 404);
    ASSERT_ASK(&s, "DELETE", WIDGETS "/a", "", 404);
    stage_end(&s);
}

TEST(an_owner_that_is_deleted_and_made_again_is_another_one)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    gadget(&s, "o");
    own(&s, "d", "Gadget", "o", uid_of(&s, a, GADGETS "/o"), "");
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", WIDGETS "/d", "", 200);
    ASSERT_ASK(&s, "DELETE", GADGETS "/o", "", 200);
    assert_str(local_text(&s.c, "status"), STR("Success"));
    gadget(&s, "o");
    ASSERT_ASK(&s, "GET", WIDGETS "/d", "", 200);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", WIDGETS "/d", "", 404);
    ASSERT_ASK(&s, "GET", GADGETS "/o", "", 200);
    stage_end(&s);
}

TEST(an_object_with_an_owner_left_loses_only_the_reference)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    gadget(&s, "o");
    gadget(&s, "p");
    str o = uid_of(&s, a, GADGETS "/o"), p = uid_of(&s, a, GADGETS "/p");
    own(&s, "d", "Gadget", "o", o,
        str_z(a, str_fmt(a,
                         "},{\"apiVersion\":\"example.com/v1\",\"kind\":\"Gadget\",\"name\":\"p\","
                         "\"uid\":\"%.*s\"",
                         STR_ARG(p))));
    ASSERT_ASK(&s, "DELETE", GADGETS "/o", "", 200);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", WIDGETS "/d", "", 200);
    assert_str(local_text(&s.c, "metadata.ownerReferences.0.uid"), p);
    assert_str(local_text(&s.c, "metadata.ownerReferences.1.uid"), STR_NONE);
    ASSERT_ASK(&s, "DELETE", GADGETS "/p", "", 200);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", WIDGETS "/d", "", 404);
    stage_end(&s);
}

TEST(foreground_waits_for_dependents_that_block)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    gadget(&s, "o");
    str uid = uid_of(&s, a, GADGETS "/o");
    own(&s, "blocks", "Gadget", "o", uid, ",\"blockOwnerDeletion\":true");
    own(&s, "held", "Gadget", "o", uid, ",\"blockOwnerDeletion\":true");
    own(&s, "free", "Gadget", "o", uid, "");
    merge(&s, WIDGETS "/held", "{\"metadata\":{\"finalizers\":[\"x/y\"]}}", 200);
    ASSERT_ASK(&s, "DELETE", GADGETS "/o?propagationPolicy=Foreground", "", 200);
    assert_str(local_text(&s.c, "metadata.finalizers.0"), STR("foregroundDeletion"));
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", GADGETS "/o", "", 200);
    ASSERT_ASK(&s, "GET", WIDGETS "/blocks", "", 404);
    ASSERT_ASK(&s, "GET", WIDGETS "/held", "", 200);
    merge(&s, WIDGETS "/held", "{\"metadata\":{\"finalizers\":null}}", 200);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", GADGETS "/o", "", 404);
    ASSERT_ASK(&s, "GET", WIDGETS "/free", "", 404);
    stage_end(&s);
}

TEST(orphaned_dependents_stay_without_their_owner)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    gadget(&s, "o");
    own(&s, "d", "Gadget", "o", uid_of(&s, a, GADGETS "/o"), "");
    ASSERT_ASK(&s, "DELETE", GADGETS "/o", "{\"propagationPolicy\":\"Orphan\"}", 200);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", GADGETS "/o", "", 404);
    ASSERT_ASK(&s, "GET", WIDGETS "/d", "", 200);
    assert_str(local_text(&s.c, "metadata.ownerReferences.0.uid"), STR_NONE);
    stage_end(&s);
}

TEST(a_thousand_dependents_and_a_chain_go_with_their_owner)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();
    char name[32];

    gadget(&s, "o");
    str uid = uid_of(&s, a, GADGETS "/o");
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof name, "d%d", i);
        own(&s, name, "Gadget", "o", uid, "");
    }
    own(&s, "below", "Widget", "d7", uid_of(&s, a, WIDGETS "/d7"), "");
    widget(&s, "stays");
    ASSERT_ASK(&s, "DELETE", GADGETS "/o", "", 200);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", WIDGETS, "", 200);
    assert_str(local_text(&s.c, "items.0.metadata.name"), STR("stays"));
    assert_str(local_text(&s.c, "items.1.metadata.name"), STR_NONE);
    stage_end(&s);
}

TEST(a_circle_of_owners_does_not_wait_for_ever)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    widget(&s, "x");
    own(&s, "y", "Widget", "x", uid_of(&s, a, WIDGETS "/x"), ",\"blockOwnerDeletion\":true");
    str patch = str_fmt(a,
                        "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"example.com/v1\","
                        "\"kind\":\"Widget\",\"name\":\"y\",\"uid\":\"%.*s\","
                        "\"blockOwnerDeletion\":true}]}}",
                        STR_ARG(uid_of(&s, a, WIDGETS "/y")));
    merge(&s, WIDGETS "/x", str_z(a, patch), 200);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", WIDGETS "/x", "", 200);
    ASSERT_ASK(&s, "DELETE", WIDGETS "/x?propagationPolicy=Foreground", "", 200);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", WIDGETS "/x", "", 404);
    ASSERT_ASK(&s, "GET", WIDGETS "/y", "", 404);
    stage_end(&s);
}

TEST(owners_of_types_that_nobody_serves_are_left_alone)
{
    struct stage s = stage_begin();

    own(&s, "u", "Unknown", "o", STR("00000000-0000-4000-8000-000000000000"), "");
    own(&s, "g", "Gadget", "o", STR("00000000-0000-4000-8000-000000000000"), "");
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", WIDGETS "/u", "", 200);
    ASSERT_ASK(&s, "GET", WIDGETS "/g", "", 404);
    stage_end(&s);
}

TEST(a_namespace_takes_its_contents_along)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", "/api/v1/namespaces",
               "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n\"}}", 201);
    ASSERT_ASK(&s, "POST", "/apis/example.com/v1/namespaces/n/widgets",
               WIDGET("\"name\":\"a\",\"finalizers\":[\"x/y\"]", "\"size\":1"), 201);
    ASSERT_ASK(&s, "DELETE", "/api/v1/namespaces/n", "", 200);
    assert_str(local_text(&s.c, "status.phase"), STR("Terminating"));
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", "/api/v1/namespaces/n", "", 200);
    ASSERT_ASK(&s, "POST", "/apis/example.com/v1/namespaces/n/widgets",
               WIDGET("\"name\":\"b\"", "\"size\":1"), 403);
    assert_str(local_text(&s.c, "message"),
               STR("widgets.example.com \"b\" is forbidden: unable to create new content in "
                   "namespace n because it is being terminated"));
    merge(&s, "/apis/example.com/v1/namespaces/n/widgets/a", "{\"metadata\":{\"finalizers\":null}}",
          200);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", "/api/v1/namespaces/n", "", 404);
    stage_end(&s);
}

TEST(a_large_namespace_goes_in_pieces)
{
    struct stage s = stage_begin();
    char body[200];

    ASSERT_ASK(&s, "POST", "/api/v1/namespaces",
               "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n\"}}", 201);
    for (int i = 0; i < 450; i++) {
        (void)snprintf(body, sizeof body, WIDGET("\"name\":\"w%d\"", "\"size\":1"), i);
        ASSERT_ASK(&s, "POST", "/apis/example.com/v1/namespaces/n/widgets", body, 201);
    }
    ASSERT_ASK(&s, "DELETE", "/api/v1/namespaces/n", "", 200);
    uint64_t before = store_version(s.store);
    store_step(s.store);
    assert_in_range(store_version(s.store) - before, 50, 400);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", "/api/v1/namespaces/n", "", 404);
    ASSERT_ASK(&s, "GET", "/apis/example.com/v1/widgets", "", 200);
    assert_int_equal(value_len(value_get(s.c.body, STR("items"))), 0);
    stage_end(&s);
}

static int64_t cpu_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * NS_PER_SEC + t.tv_nsec;
}

#define HELD "/apis/example.com/v1/namespaces/n/widgets"

/*
 * The processor time for the deletion of a namespace, whose objects have finalizers that are
 * removed one by one, as an operator does it.
 */
static int64_t time_deletion(int count)
{
    struct stage s = stage_begin();
    char text[200];

    ASSERT_ASK(&s, "POST", "/api/v1/namespaces",
               "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n\"}}", 201);
    for (int i = 0; i < count; i++) {
        (void)snprintf(text, sizeof text,
                       WIDGET("\"name\":\"w%d\",\"finalizers\":[\"x/y\"]", "\"size\":1"), i);
        ASSERT_ASK(&s, "POST", HELD, text, 201);
    }
    int64_t began = cpu_time();
    ASSERT_ASK(&s, "DELETE", "/api/v1/namespaces/n", "", 200);
    stage_settle(&s);
    for (int i = 0; i < count; i++) {
        ASSERT_ASK(&s, "GET", "/api/v1/namespaces/n", "", 200);
        (void)snprintf(text, sizeof text, HELD "/w%d", i);
        merge(&s, text, "{\"metadata\":{\"finalizers\":null}}", 200);
        stage_settle(&s);
    }
    ASSERT_ASK(&s, "GET", "/api/v1/namespaces/n", "", 404);
    int64_t took = cpu_time() - began;
    stage_end(&s);
    return took;
}

TEST(a_namespace_goes_in_time_proportional_to_its_contents)
{
    enum { FEW = 150, TIMES = 12 };
    int64_t few = time_deletion(FEW), many = time_deletion(FEW * TIMES);

    print_message("%d objects: %.1f ms, %d objects: %.1f ms\n", FEW, (double)few / 1e6, FEW * TIMES,
                  (double)many / 1e6);
    assert_true(many < few * TIMES * 4);
}

TEST(a_definition_takes_its_objects_along_and_may_come_back)
{
    struct stage s = stage_begin();

    widget(&s, "a");
    ASSERT_ASK(&s, "DELETE", CRDS "/widgets.example.com", "", 200);
    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"b\"", "\"size\":1"), 405);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", CRDS "/widgets.example.com", "", 404);
    ASSERT_ASK(&s, "GET", WIDGETS, "", 404);
    ASSERT_ASK(&s, "POST", CRDS, WIDGET_CRD, 201);
    ASSERT_ASK(&s, "GET", WIDGETS, "", 200);
    assert_str(local_text(&s.c, "items.0.metadata.name"), STR_NONE);
    widget(&s, "a");
    stage_end(&s);
}

TEST(collections_are_deleted_by_selector)
{
    struct stage s = stage_begin();

    widget(&s, "a");
    widget(&s, "b");
    merge(&s, WIDGETS "/a", "{\"metadata\":{\"labels\":{\"go\":\"yes\"}}}", 200);
    ASSERT_ASK(&s, "DELETE", WIDGETS "?labelSelector=go", "", 200);
    assert_str(local_text(&s.c, "items.0.metadata.name"), STR("a"));
    ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 404);
    ASSERT_ASK(&s, "GET", WIDGETS "/b", "", 200);
    stage_end(&s);
}

static const char *const odd_options[] = {
    "{\"dryRun\":\"All\"}",
    "{\"dryRun\":true}",
    "{\"dryRun\":[true]}",
    "{\"dryRun\":[\"all\"]}",
    "{\"preconditions\":[]}",
    "{\"preconditions\":\"x\"}",
    "{\"preconditions\":{\"uid\":1}}",
    "{\"preconditions\":{\"resourceVersion\":1}}",
    "{\"propagationPolicy\":[\"Orphan\"]}",
    "{\"orphanDependents\":\"true\"}",
    "{\"gracePeriodSeconds\":\"0\"}",
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}",
};

TEST(nothing_is_deleted_with_options_that_cannot_be_understood)
{
    struct stage s = stage_begin();

    widget(&s, "a");
    for (size_t i = 0; i < COUNT(odd_options); i++) {
        ASSERT_ASK(&s, "DELETE", WIDGETS "/a", odd_options[i], 400);
        ASSERT_ASK(&s, "DELETE", WIDGETS, odd_options[i], 400);
        ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 200);
    }
    ASSERT_ASK(&s, "DELETE", WIDGETS "/a",
               "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"dryRun\":null,"
               "\"preconditions\":{\"uid\":null},\"gracePeriodSeconds\":0}",
               200);
    ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 404);
    stage_end(&s);
}

/* A cluster would take the first value, or none at all. */
TEST(nothing_is_deleted_by_half_of_a_query)
{
    static const char *const queries[] = {
        "?labelSelector=a%3Db&labelSelector=c%3Dd", "?labelSelector=%zz",
        "?labelSelector=a%3Db&%6CabelSelector=",    "?dryRun=&dryRun=All",
        "?fieldSelector=metadata.name%3D%",
    };
    struct stage s = stage_begin();

    widget(&s, "a");
    for (size_t i = 0; i < COUNT(queries); i++) {
        AUTO_ARENA a = arena_new();
        str target = str_concat(a, STR(WIDGETS), str_c(queries[i]));
        ASSERT_ASK(&s, "DELETE", str_z(a, target), "", 400);
        ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 200);
        target = str_concat(a, STR(WIDGETS "/a"), str_c(queries[i]));
        ASSERT_ASK(&s, "DELETE", str_z(a, target), "", 400);
        ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 200);
    }
    ASSERT_ASK(&s, "DELETE", WIDGETS "?dryRun=All&dryRun=All", "", 200);
    ASSERT_ASK(&s, "GET", WIDGETS "/a?x=1&x=2", "", 200);
    stage_end(&s);
}

TEST(nobody_is_impersonated)
{
    struct stage s = stage_begin();

    widget(&s, "a");
    s.c.extra = STR("impersonate-User");
    ASSERT_ASK(&s, "DELETE", WIDGETS "/a", "", 403);
    assert_str(local_text(&s.c, "reason"), STR("Forbidden"));
    ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 403);
    ASSERT_ASK(&s, "GET", "/apis", "", 403);
    s.c.extra = STR("Impersonate-Extra-scopes");
    ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 403);
    s.c.extra = STR_NONE;
    ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 200);
    stage_end(&s);
}

TEST(no_more_of_a_collection_is_deleted_than_the_limit_says)
{
    struct stage s = stage_begin();

    widget(&s, "a");
    widget(&s, "b");
    widget(&s, "c");
    ASSERT_ASK(&s, "DELETE", WIDGETS "?limit=x", "", 400);
    ASSERT_ASK(&s, "DELETE", WIDGETS "?limit=1&continue=AAAA", "", 400);
    ASSERT_ASK(&s, "DELETE", WIDGETS "?limit=2", "", 200);
    ASSERT_ASK(&s, "GET", WIDGETS "/b", "", 404);
    ASSERT_ASK(&s, "GET", WIDGETS "/c", "", 200);
    ASSERT_ASK(&s, "DELETE", WIDGETS "?limit=0", "", 200);
    ASSERT_ASK(&s, "GET", WIDGETS "/c", "", 404);
    stage_end(&s);
}

RUN_TESTS(cmocka_unit_test(finalizers_keep_an_object_until_the_last_is_removed),
          cmocka_unit_test(an_owner_that_is_deleted_and_made_again_is_another_one),
          cmocka_unit_test(an_object_with_an_owner_left_loses_only_the_reference),
          cmocka_unit_test(foreground_waits_for_dependents_that_block),
          cmocka_unit_test(orphaned_dependents_stay_without_their_owner),
          cmocka_unit_test(a_thousand_dependents_and_a_chain_go_with_their_owner),
          cmocka_unit_test(a_circle_of_owners_does_not_wait_for_ever),
          cmocka_unit_test(owners_of_types_that_nobody_serves_are_left_alone),
          cmocka_unit_test(a_namespace_takes_its_contents_along),
          cmocka_unit_test(a_large_namespace_goes_in_pieces),
          cmocka_unit_test(a_namespace_goes_in_time_proportional_to_its_contents),
          cmocka_unit_test(a_definition_takes_its_objects_along_and_may_come_back),
          cmocka_unit_test(collections_are_deleted_by_selector),
          cmocka_unit_test(nothing_is_deleted_with_options_that_cannot_be_understood),
          cmocka_unit_test(nothing_is_deleted_by_half_of_a_query),
          cmocka_unit_test(nobody_is_impersonated),
          cmocka_unit_test(no_more_of_a_collection_is_deleted_than_the_limit_says))
