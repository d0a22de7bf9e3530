/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of value/diff.h: differences between two trees. */
#include "../test.h"

#include "text/json/json.h"
#include "value/diff.h"

static struct value *read(struct arena *a, const char *text)
{
    AUTO_ERR e = {0};
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;

    src->text = str_c(text);
    assert_ok(json_read(a, src, NULL, &v, &e), &e);
    return v;
}

static void write_value(struct buf *b, const struct value *v)
{
    AUTO_ERR e = {0};

    if (v)
        assert_ok(json_write(b, v, &json_exact, &e), &e);
    else
        buf_char(b, '-');
}

/* "kind path old new; ..." */
static str listed(struct arena *a, const struct differences *d)
{
    struct buf b = buf_new(a, 1 * MIB);

    for (size_t i = 0; i < d->count; i++) {
        const struct difference *item = &d->items[i];
        struct path p = path_of_trail(a, item->at);
        buf_fmt(&b, "%s%s ", i ? "; " : "", difference_kind_name(item->kind));
        path_print_dotted(&b, &p);
        if (item->kind != DIFFERENCE_REORDERED) {
            buf_char(&b, ' ');
            write_value(&b, item->old_);
            buf_char(&b, ' ');
            write_value(&b, item->new_);
        }
    }
    return buf_str(&b);
}

struct diff_case {
    const char *old_, *new_, *want;
};

static void check(const struct diff_case *c, const struct diff_options *opts)
{
    AUTO_ARENA a = arena_new();
    struct differences d = value_diff(a, read(a, c->old_), read(a, c->new_), opts);

    assert_str(listed(a, &d), str_c(c->want));
    assert_false(d.more);
}

static const struct diff_case cases[] = {
    /* Scalars. */
    {"1", "1", ""},
    {"1", "1.0", ""},
    {"10", "1e1", ""},
    {"9007199254740992", "9007199254740993", "changed  9007199254740992 9007199254740993"},
    {"1", "1.5", "changed  1 1.5"},
    {"1", "\"1\"", "type  1 \"1\""},
    {"null", "null", ""},
    {"null", "{}", "type  null {}"},
    {"[]", "{}", "type  [] {}"},
    {"true", "false", "changed  true false"},
    {"\"a\"", "\"A\"", "changed  \"a\" \"A\""},
    /* Objects: order does not matter; old order first, added last. */
    {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", ""},
    {"{\"a\":1,\"b\":2,\"c\":3}", "{\"d\":4,\"c\":5,\"b\":2,\"e\":6}",
     "missing a 1 -; changed c 3 5; added d - 4; added e - 6"},
    {"{\"a\":{\"x\":1},\"b\":2}", "{\"a\":{\"y\":1},\"b\":3}",
     "missing a.x 1 -; added a.y - 1; changed b 2 3"},
    {"{\"a\":null}", "{}", "missing a null -"},
    {"{\"a.b\":{\"\":1}}", "{\"a.b\":{\"\":2}}", "changed \"a.b\".\"\" 1 2"},
    /* Lists by name, id, key. */
    {"[{\"name\":\"a\",\"x\":1},{\"name\":\"b\"}]", "[{\"name\":\"b\"},{\"name\":\"a\",\"x\":2}]",
     "reordered ; changed [name=a].x 1 2"},
    {"{\"l\":[{\"name\":\"a\"},{\"name\":\"b\",\"x\":1}]}",
     "{\"l\":[{\"name\":\"c\"},{\"name\":\"b\",\"x\":2}]}",
     "missing l[name=a] {\"name\":\"a\"} -; changed l[name=b].x 1 2; "
     "added l[name=c] - {\"name\":\"c\"}"},
    {"[{\"id\":1,\"x\":1},{\"id\":2}]", "[{\"id\":2},{\"id\":\"1\",\"x\":2}]",
     "reordered ; type [id=1].id 1 \"1\"; changed [id=1].x 1 2"},
    {"[{\"key\":\"k\",\"v\":1}]", "[{\"key\":\"k\",\"v\":2}]", "changed [key=k].v 1 2"},
    {"[{\"name\":\"a]b\"}]", "[]", "missing [name=\"a]b\"] {\"name\":\"a]b\"} -"},
    {"[]", "[{\"name\":\"a\"}]", "added [name=a] - {\"name\":\"a\"}"},
    /* name is not distinct, id is. */
    {"[{\"name\":\"a\",\"id\":1},{\"name\":\"a\",\"id\":2}]",
     "[{\"name\":\"a\",\"id\":2},{\"name\":\"a\",\"id\":1}]", "reordered "},
    /* name is not distinct in the new list only. */
    {"[{\"name\":\"a\"},{\"name\":\"b\"}]", "[{\"name\":\"a\"},{\"name\":\"a\"}]",
     "changed [1].name \"b\" \"a\""},
    /* name is missing once, null once, an object once: by index. */
    {"[{\"name\":\"a\"},{}]", "[{\"name\":\"b\"},{}]", "changed [0].name \"a\" \"b\""},
    {"[{\"name\":null}]", "[{\"name\":\"b\"}]", "type [0].name null \"b\""},
    {"[{\"name\":{}}]", "[{\"name\":\"b\"}]", "type [0].name {} \"b\""},
    {"[{\"x\":1},{\"x\":2},{\"x\":3}]", "[{\"x\":2}]",
     "changed [0].x 1 2; missing [1] {\"x\":2} -; missing [2] {\"x\":3} -"},
    {"[{\"x\":1}]", "[{\"x\":1},{\"x\":2}]", "added [1] - {\"x\":2}"},
    /* Lists of scalars are multisets. */
    {"[1,2,3]", "[3,1.0,2]", "reordered "},
    {"[1,2,2]", "[2,1,1]", "missing [2] 2 -; added [2] - 1"},
    {"[\"a\",\"b\",\"c\"]", "[\"b\",\"d\",\"a\",\"e\"]",
     "missing [2] \"c\" -; added [1] - \"d\"; added [3] - \"e\""},
    {"[\"a\",\"a\",\"b\"]", "[\"a\",\"b\",\"a\"]", "reordered "},
    {"[1,\"1\",true,null]", "[1,\"1\",true,null]", ""},
    {"[1]", "[\"1\"]", "missing [0] 1 -; added [0] - \"1\""},
    {"[]", "[]", ""},
    /* Everything else by index. */
    {"[1,{}]", "[{},1]", "type [0] 1 {}; type [1] {} 1"},
    {"[[1,2],[3]]", "[[2,1],[4]]", "reordered [0]; missing [1][0] 3 -; added [1][0] - 4"},
};

TEST(differences_are_found_with_their_places)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        check(&cases[i], NULL);
}

TEST(order_can_be_ignored)
{
    static const struct diff_options opts = {.ignore_order = true};

    check(&(struct diff_case){"[1,2]", "[2,1]", ""}, &opts);
    check(&(struct diff_case){"{\"l\":[{\"id\":1},{\"id\":2,\"x\":1}]}",
                              "{\"l\":[{\"id\":2,\"x\":2},{\"id\":1}]}", "changed l[id=2].x 1 2"},
          &opts);
}

TEST(a_tree_may_be_nothing)
{
    AUTO_ARENA a = arena_new();
    struct value *v = read(a, "{\"a\":1}");
    struct differences added = value_diff(a, NULL, v, NULL), missing = value_diff(a, v, NULL, NULL);

    assert_int_equal(value_diff(a, NULL, NULL, NULL).count, 0);
    assert_str(listed(a, &added), STR("added  - {\"a\":1}"));
    assert_str(listed(a, &missing), STR("missing  {\"a\":1} -"));
}

static struct path parse(struct arena *a, const char *text)
{
    struct path p;
    AUTO_ERR e = {0};

    assert_ok(path_parse_dotted(a, str_c(text), &p, &e), &e);
    return p;
}

TEST(rules_say_how_lists_are_matched)
{
    static const str port_and_protocol[] = {STR_INIT("port"), STR_INIT("protocol")};
    static const struct {
        const char *path;
        enum list_rule_kind kind;
        size_t field_count;
        struct diff_case c;
    } rules[] = {
        {"ports",
         LIST_BY_FIELDS,
         2,
         {"{\"ports\":[{\"port\":53,\"protocol\":\"UDP\",\"x\":1},"
          "{\"port\":53,\"protocol\":\"TCP\"}]}",
          "{\"ports\":[{\"port\":53,\"protocol\":\"TCP\"},"
          "{\"port\":53,\"protocol\":\"UDP\",\"x\":2}]}",
          "reordered ports; changed ports[port=53,protocol=UDP].x 1 2"}},
        /* One element lacks a field: as without the rule. */
        {"ports",
         LIST_BY_FIELDS,
         2,
         {"{\"ports\":[{\"port\":53}]}", "{\"ports\":[{\"port\":54}]}",
          "changed ports[0].port 53 54"}},
        {"*.ports",
         LIST_BY_FIELDS,
         1,
         {"{\"a\":{\"ports\":[{\"port\":1},{\"port\":2}]}}",
          "{\"a\":{\"ports\":[{\"port\":2},{\"port\":1}]}}", "reordered a.ports"}},
        {"l.*.ports",
         LIST_BY_FIELDS,
         1,
         {"{\"l\":[{\"name\":\"n\",\"ports\":[{\"port\":1},{\"port\":2}]}]}",
          "{\"l\":[{\"name\":\"n\",\"ports\":[{\"port\":2}]}]}",
          "missing l[name=n].ports[port=1] {\"port\":1} -"}},
        {"l[name=n].ports",
         LIST_BY_FIELDS,
         1,
         {"{\"l\":[{\"name\":\"n\",\"ports\":[{\"port\":1},{\"port\":2}]},"
          "{\"name\":\"m\",\"ports\":[{\"port\":1}]}]}",
          "{\"l\":[{\"name\":\"n\",\"ports\":[{\"port\":2}]},"
          "{\"name\":\"m\",\"ports\":[{\"port\":2}]}]}",
          "missing l[name=n].ports[port=1] {\"port\":1} -; changed l[name=m].ports[0].port 1 2"}},
        {"[1]",
         LIST_BY_FIELDS,
         1,
         {"[[{\"port\":1}],[{\"port\":1}]]", "[[{\"port\":2}],[{\"port\":2}]]",
          "changed [0][0].port 1 2; missing [1][port=1] {\"port\":1} -; "
          "added [1][port=2] - {\"port\":2}"}},
        /* A rule for another place does nothing. */
        {"other", LIST_BY_INDEX, 0, {"{\"l\":[1,2]}", "{\"l\":[2,1]}", "reordered l"}},
        {"", LIST_BY_INDEX, 0, {"[1,2]", "[2,1]", "changed [0] 1 2; changed [1] 2 1"}},
        {"",
         LIST_BY_INDEX,
         0,
         {"[{\"name\":\"a\"}]", "[{\"name\":\"b\"}]", "changed [0].name \"a\" \"b\""}},
        {"",
         LIST_AS_SET,
         0,
         {"[{\"x\":[1]},{\"y\":2},{\"y\":2}]", "[{\"y\":2.0},{\"x\":[1]},{\"z\":3}]",
          "missing [2] {\"y\":2} -; added [2] - {\"z\":3}"}},
        {"", LIST_AS_SET, 0, {"[{\"x\":1},[2]]", "[[2],{\"x\":1}]", "reordered "}},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(rules); i++) {
        struct list_rule rule = {.path = parse(a, rules[i].path),
                                 .kind = rules[i].kind,
                                 .fields = port_and_protocol,
                                 .field_count = rules[i].field_count};
        check(&rules[i].c, &(struct diff_options){.rules = &rule, .rule_count = 1});
    }
}

TEST(the_first_rule_decides)
{
    AUTO_ARENA a = arena_new();
    const struct list_rule rules[] = {{.path = parse(a, "l"), .kind = LIST_BY_INDEX},
                                      {.path = parse(a, "*"), .kind = LIST_AS_SET}};

    check(&(struct diff_case){"{\"l\":[1,2],\"m\":[1,2]}", "{\"l\":[2,1],\"m\":[2,1]}",
                              "changed l[0] 1 2; changed l[1] 2 1; reordered m"},
          &(struct diff_options){.rules = rules, .rule_count = 2});
}

TEST(the_number_of_differences_can_be_limited)
{
    AUTO_ARENA a = arena_new();
    static const char left[] = "{\"a\":1,\"b\":2,\"c\":{\"d\":3}}", right[] = "{\"c\":{},\"e\":1}";

    for (size_t max = 1; max <= 4; max++) {
        struct diff_options opts = {.max = max};
        struct differences d = value_diff(a, read(a, left), read(a, right), &opts);
        assert_int_equal(d.count, max);
        assert_int_equal(d.more, max < 4);
    }
}

/* Accepts other case of strings and null for absent, and counts how often it was asked. */
static bool lenient(void *ctx, const struct difference *d)
{
    ++*(size_t *)ctx;
    if (d->kind == DIFFERENCE_CHANGED)
        return str_eq_fold(value_str(d->old_), value_str(d->new_)) &&
               value_is(d->old_, VALUE_STRING);
    return d->kind == DIFFERENCE_MISSING && value_is(d->old_, VALUE_NULL);
}

TEST(callers_can_accept_differences)
{
    size_t asked = 0;
    struct diff_options opts = {.accept = lenient, .ctx = &asked, .max = 1};

    check(&(struct diff_case){"{\"a\":\"x\",\"b\":null,\"c\":1,\"d\":\"y\"}",
                              "{\"a\":\"X\",\"c\":2,\"d\":\"Y\"}", "changed c 1 2"},
          &opts);
    assert_int_equal(asked, 4);
}

TEST(places_resolve_in_the_tree_they_are_of)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value *left = read(a, cases[i].old_), *right = read(a, cases[i].new_);
        struct differences d = value_diff(a, left, right, NULL);
        for (size_t k = 0; k < d.count; k++) {
            struct path p = path_of_trail(a, d.items[k].at);
            if (d.items[k].old_)
                assert_ptr_equal(path_resolve(&p, left), d.items[k].old_);
            else
                assert_ptr_equal(path_resolve(&p, right), d.items[k].new_);
        }
    }
}

TEST(values_know_where_they_were_read)
{
    AUTO_ARENA a = arena_new();
    struct differences d =
        value_diff(a, read(a, "{\"a\": 1}"), read(a, "{\"x\": 0,\n \"a\": 2}"), NULL);
    struct source src = {.text = STR("{\"x\": 0,\n \"a\": 2}")};

    assert_int_equal(d.count, 2);
    assert_int_equal(d.items[0].old_->pos, 6 + 1);
    assert_int_equal(source_where(&src, d.items[0].new_).line, 2);
    assert_int_equal(source_where(&src, d.items[0].new_).column, 7);
}

/* ---- Size. ---- */

enum { MANY = 100000 };

static struct value *named_list(struct arena *a, const char *field, size_t stride)
{
    struct value *list = value_list(a);

    for (size_t i = 0; i < MANY; i++) {
        struct value *v = value_object(a);
        value_set_str(a, v, str_c(field), str_fmt(a, "n%zu", i * stride % MANY));
        value_set_int(a, v, STR("x"), (int64_t)(i * stride % MANY));
        value_add(a, list, v);
    }
    return list;
}

TEST(large_lists_are_matched_by_hashing)
{
    static const str field = STR_INIT("f");
    static const struct list_rule by_field = {
        .kind = LIST_BY_FIELDS, .fields = &field, .field_count = 1};
    static const struct list_rule as_set = {.kind = LIST_AS_SET};
    struct diff_options opts = {.rules = &by_field, .rule_count = 1};
    AUTO_ARENA a = arena_new();
    /* 99,991 has no factor in common with 100,000: the same elements in another order. */
    struct value *left = named_list(a, "f", 1), *right = named_list(a, "f", 99991);

    struct differences d = value_diff(a, left, right, &opts);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.items[0].kind, DIFFERENCE_REORDERED);
    opts.rules = &as_set;
    assert_int_equal(value_diff(a, left, right, &opts).count, 1);
    value_set_int(a, &right->items[5], STR("x"), -1);
    assert_int_equal(value_diff(a, left, right, &opts).count, 2);
    opts.rules = &by_field;
    assert_int_equal(value_diff(a, left, right, &opts).count, 2);
}

/* Equal elements in one set of 100,000, and one that only the other list has. */
TEST(large_sets_of_equal_elements_are_matched)
{
    AUTO_ARENA a = arena_new();
    struct value *left = value_list(a), *right = value_list(a);

    for (size_t i = 0; i < MANY; i++) {
        value_add(a, left, value_string(a, STR("same")));
        value_add(a, right, value_string(a, i == 500 ? STR("other") : STR("same")));
    }
    struct differences d = value_diff(a, left, right, NULL);
    assert_int_equal(d.count, 2);
    assert_int_equal(d.items[0].at->step.index, MANY - 1);
    assert_int_equal(d.items[1].at->step.index, 500);
}

/* Each level has a member x of its own: 10,000 differences at 10,000 places. */
static struct value *ladder(struct arena *a, int64_t x)
{
    struct value *v = value_object(a);

    for (size_t i = 0; i < VALUE_DEPTH_MAX - 1; i++) {
        struct value *around = i % 2 ? value_list(a) : value_object(a);
        if (i % 2) {
            value_add(a, around, v);
        } else {
            value_set(a, around, STR("below"), v);
            value_set_int(a, around, STR("x"), x);
        }
        v = around;
    }
    return v;
}

TEST(deep_trees_need_neither_stack_nor_gigabytes)
{
    AUTO_ARENA a = arena_new();
    AUTO_ARENA result = arena_new();
    struct value *left = ladder(a, 1), *right = ladder(a, 2);

    assert_int_equal(value_diff(result, left, left, NULL).count, 0);
    assert_true(arena_used(result) < 1 * KIB);
    struct differences d = value_diff(result, left, right, NULL);
    assert_int_equal(d.count, VALUE_DEPTH_MAX / 2);
    assert_true(arena_used(result) < 8 * MIB);
    /* Deepest first: what is below comes before x. */
    assert_int_equal(path_of_trail(a, d.items[0].at).len, VALUE_DEPTH_MAX - 1);
    assert_int_equal(path_of_trail(a, d.items[d.count - 1].at).len, 1 + 0);
}

RUN_TESTS(cmocka_unit_test(differences_are_found_with_their_places),
          cmocka_unit_test(order_can_be_ignored), cmocka_unit_test(a_tree_may_be_nothing),
          cmocka_unit_test(rules_say_how_lists_are_matched),
          cmocka_unit_test(the_first_rule_decides),
          cmocka_unit_test(the_number_of_differences_can_be_limited),
          cmocka_unit_test(callers_can_accept_differences),
          cmocka_unit_test(places_resolve_in_the_tree_they_are_of),
          cmocka_unit_test(values_know_where_they_were_read),
          cmocka_unit_test(large_lists_are_matched_by_hashing),
          cmocka_unit_test(large_sets_of_equal_elements_are_matched),
          cmocka_unit_test(deep_trees_need_neither_stack_nor_gigabytes))
