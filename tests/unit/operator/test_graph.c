/* SPDX-License-Identifier: Apache-2.0 */
/* test_graph.c - which changes are news for dependents. */
#include "../test.h"

#include "operator/internal.h"

static void count(void *ctx, struct card *card)
{
    (void)card;
    ++*(int *)ctx;
}

static void set(struct arena *a, struct graph *g, struct card *card, const char *need)
{
    struct str_list needs = {0};

    if (need)
        VEC_PUSH(a, &needs, str_c(need));
    graph_set(g, card, &needs);
}

TEST(the_end_of_a_need_is_always_news)
{
    AUTO_ARENA a = arena_new();
    struct graph *g = graph_new(a);
    struct card card = {0};

    set(a, g, &card, "owner");
    /* It was never looked at, and is gone. */
    assert_true(graph_news(g, STR("owner"), 0));
    assert_true(graph_news(g, STR("owner"), 7));
    assert_false(graph_news(g, STR("owner"), 7));
    assert_true(graph_news(g, STR("owner"), 0));
    set(a, g, &card, NULL);
    graph_free(g);
}

TEST(what_nobody_needs_is_forgotten)
{
    AUTO_ARENA a = arena_new();
    struct graph *g = graph_new(a);
    struct card card = {0};
    int cards = 0;

    set(a, g, &card, "owner");
    assert_true(graph_news(g, STR("owner"), 7));
    set(a, g, &card, NULL);
    assert_false(graph_has(g, STR("owner")));
    /* Meanwhile it may have changed and changed back: to a new user all of it is news. */
    set(a, g, &card, "owner");
    assert_true(graph_news(g, STR("owner"), 7));
    graph_each(g, STR("owner"), count, &cards);
    assert_int_equal(cards, 1);
    set(a, g, &card, NULL);
    graph_free(g);
}

RUN_TESTS(cmocka_unit_test(the_end_of_a_need_is_always_news),
          cmocka_unit_test(what_nobody_needs_is_forgotten))
