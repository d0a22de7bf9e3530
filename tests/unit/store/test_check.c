/* SPDX-License-Identifier: Apache-2.0 */
/* test_check.c - store_check finds violations of the invariants in the store's README. */
#include "stage.h"

#include "store/internal.h"

/*
 * Widgets: a was made and changed twice, b was deleted, c is owned by the gadget o and blocks it.
 * The history has all of this.
 */
struct scene {
    struct stage stage;
    struct store *s;
    struct store_type *widgets;
    struct store_entry *a, *b, *c;
};

static struct scene begin(void)
{
    AUTO_ARENA arena = arena_new();
    struct scene x = {.stage = stage_begin()};
    struct stage *s = &x.stage;

    ASSERT_ASK(s, "POST", WIDGETS, WIDGET("\"name\":\"a\"", "\"size\":1"), 201);
    s->c.type = STR("application/merge-patch+json");
    ASSERT_ASK(s, "PATCH", WIDGETS "/a", "{\"spec\":{\"size\":2}}", 200);
    ASSERT_ASK(s, "PATCH", WIDGETS "/a", "{\"spec\":{\"size\":3}}", 200);
    s->c.type = STR_NONE;
    ASSERT_ASK(s, "POST", WIDGETS, WIDGET("\"name\":\"b\"", "\"size\":1"), 201);
    ASSERT_ASK(s, "DELETE", WIDGETS "/b", "", 200);
    ASSERT_ASK(s, "POST", GADGETS, GADGET("\"name\":\"o\""), 201);
    str body = str_fmt(arena,
                       WIDGET("\"name\":\"c\",\"ownerReferences\":[{\"apiVersion\":"
                              "\"example.com/v1\",\"kind\":\"Gadget\",\"name\":\"o\",\"uid\":"
                              "\"%.*s\",\"blockOwnerDeletion\":true}]",
                              "\"size\":1"),
                       STR_ARG(local_text(&s->c, "metadata.uid")));
    ASSERT_ASK(s, "POST", WIDGETS, str_z(arena, body), 201);
    stage_settle(s);
    x.s = s->store;
    x.widgets = store_type_find(x.s, STR("example.com"), STR("widgets"));
    x.a = store_order_find(&x.widgets->objects, STR("default/a"));
    x.b = store_order_find(&x.widgets->objects, STR("default/b"));
    x.c = store_order_find(&x.widgets->objects, STR("default/c"));
    return x;
}

/* The end checks once more: everything was put back. */
static void end(struct scene *x)
{
    stage_end(&x->stage);
}

static void assert_found(const struct scene *x, const char *want, int line)
{
    AUTO_ERR e = {0};

    if (!store_check(x->s, &e) && str_contains(e.text, str_c(want)))
        return;
    print_error("got  [%.*s]\nwant [%s]\n", STR_ARG(e.text), want);
    _fail(__FILE__, line);
}

static void swap(void *a, void *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char was = ((char *)a)[i];
        ((char *)a)[i] = ((char *)b)[i];
        ((char *)b)[i] = was;
    }
}

/* With this value at that place, the check says so; then the place is as it was. */
#define BREAK(x, place, value, want)                                                               \
    do {                                                                                           \
        __typeof__(place) other = (value);                                                         \
        swap(&(place), &other, sizeof other);                                                      \
        assert_found((x), (want), __LINE__);                                                       \
        swap(&(place), &other, sizeof other);                                                      \
    } while (0)

TEST(numbers_that_are_not_in_step_are_found)
{
    struct scene x = begin();
    const char want[] = "are not those that wait for the disk";

    BREAK(&x, x.s->committed, x.s->head + 1, want);
    BREAK(&x, x.s->committed, x.s->head - 1, want);
    BREAK(&x, x.s->head, x.s->head + 1, want);
    VEC_PUSH(x.s->keep, &x.s->pending, x.c->newest);
    assert_found(&x, want, __LINE__);
    x.s->committed--;
    BREAK(&x, x.s->pending.items[0], x.a->newest, want);
    x.s->committed++;
    x.s->pending.len--;
    end(&x);
}

TEST(a_history_out_of_order_is_found)
{
    struct scene x = begin();
    struct store_type *t = x.widgets;
    struct store_version **history = t->history + t->history_start;

    BREAK(&x, history[1], history[2], "version");
    BREAK(&x, t->trimmed, history[0]->rv, "out of order");
    BREAK(&x, t->history_len, t->history_len - 1, "the history does not have one of its versions");
    BREAK(&x, t->history_bytes, t->history_bytes + 1, "bytes of history, counted as");
    end(&x);
}

TEST(versions_that_are_lost_are_found)
{
    struct scene x = begin();

    BREAK(&x, x.a->newest->prev, NULL, "has versions that no object has");
    BREAK(&x, x.a->newest->prev, x.a->newest->prev->prev, "has versions that no object has");
    BREAK(&x, x.b->newest->prev, NULL, "default/b: the state before its deletion is missing");
    BREAK(&x, x.a->newest->entry, x.b, "default/a: the history does not have one of its versions");
    BREAK(&x, x.a->newest, x.c->newest, "default/a: has the state of another object or version");
    BREAK(&x, x.a->newest, NULL, "default/a: has no version");
    end(&x);
}

TEST(states_that_should_have_been_forgotten_are_found)
{
    struct scene x = begin();
    struct store_version *first = x.widgets->history[x.widgets->history_start];

    /* The first version of a leaves the history: it may stay as the state before the next one. */
    x.widgets->history_start++;
    x.widgets->history_len--;
    x.widgets->history_bytes -= first->len;
    x.widgets->trimmed = first->rv;
    BREAK(&x, first->prev, x.b->newest, "the history does not have one of its versions");
    end(&x);
}

TEST(wrong_indexes_are_found)
{
    struct scene x = begin();

    table_drop(x.s->by_uid, &x.a->by_uid);
    assert_found(&x, "default/a: the index of uids does not have it", __LINE__);
    table_add(x.s->by_uid, &x.a->by_uid, str_c(x.a->uid));
    table_add(x.s->by_uid, &x.b->by_uid, STR("somebody"));
    assert_found(&x, "in the index of uids", __LINE__);
    table_drop(x.s->by_uid, &x.b->by_uid);
    BREAK(&x, x.b->uid[0], 'x', "default/b: is deleted and still has a uid");
    BREAK(&x, x.a->uid[0], 'x', "default/a: is known by another uid");
    BREAK(&x, x.widgets->live, 1, "widgets: 2 objects, counted as 1");
    end(&x);
}

TEST(a_graph_that_is_not_as_the_owner_references_is_found)
{
    struct scene x = begin();
    struct store_edge *edge = x.c->owners;
    const char want[] = "default/c: the graph does not have its owners";

    BREAK(&x, x.c->owners, NULL, want);
    BREAK(&x, edge->blocks, false, want);
    BREAK(&x, edge->dependent, x.a, want);
    BREAK(&x, x.a->owners, edge, "default/a: the graph has owners that it does not name");
    BREAK(&x, x.b->owners, edge, "default/b: the graph has owners that it does not name");
    BREAK(&x, edge->owner->blocking, 2, "are not listed as they should be");
    BREAK(&x, edge->owner->edges, NULL, "are not listed as they should be");
    BREAK(&x, edge->back, &edge->next, "are not listed as they should be");
    end(&x);
}

TEST(a_watch_that_is_ahead_of_the_disk_is_found)
{
    struct scene x = begin();
    struct local_watch *w = local_watch(&x.stage.c, WIDGETS "?watch=true");

    VEC_PUSH(x.s->keep, &x.s->pending, x.c->newest);
    BREAK(&x, x.s->committed, x.s->head - 1, "a watch of widgets has seen what is not on disk");
    x.s->pending.len--;
    local_watch_close(w);
    end(&x);
}

RUN_TESTS(cmocka_unit_test(numbers_that_are_not_in_step_are_found),
          cmocka_unit_test(a_history_out_of_order_is_found),
          cmocka_unit_test(versions_that_are_lost_are_found),
          cmocka_unit_test(states_that_should_have_been_forgotten_are_found),
          cmocka_unit_test(wrong_indexes_are_found),
          cmocka_unit_test(a_graph_that_is_not_as_the_owner_references_is_found),
          cmocka_unit_test(a_watch_that_is_ahead_of_the_disk_is_found))
