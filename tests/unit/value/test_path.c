/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of value/path.h: syntax, and using paths in trees. */
#include "../test.h"

#include "value/path.h"

/* How a path is written here: k(key) i[index] and pairs in braces, so that no parser is needed. */
static str shape(struct arena *a, const struct path *p)
{
    struct buf b = buf_new(a, 1 * MIB);

    for (size_t i = 0; i < p->len; i++) {
        const struct step *s = &p->steps[i];
        if (s->kind == STEP_KEY)
            buf_fmt(&b, "k(%.*s)", STR_ARG(s->key));
        else if (s->kind == STEP_INDEX)
            buf_fmt(&b, "i[%zu]", s->index);
        else
            for (; s; s = s->next_pair)
                buf_fmt(&b, "{%.*s=%.*s}", STR_ARG(s->key), STR_ARG(s->text));
    }
    return buf_str(&b);
}

static str dotted(struct arena *a, const struct path *p)
{
    struct buf b = buf_new(a, 1 * MIB);

    path_print_dotted(&b, p);
    return buf_str(&b);
}

static str pointer(struct arena *a, const struct path *p)
{
    struct buf b = buf_new(a, 1 * MIB);

    path_print_pointer(&b, p);
    return buf_str(&b);
}

static struct path parse(struct arena *a, const char *text)
{
    struct path p;
    AUTO_ERR e = {0};

    assert_ok(path_parse_dotted(a, str_c(text), &p, &e), &e);
    return p;
}

struct spelling {
    const char *text, *shape;
    const char *printed; /* NULL: as text */
};

static const struct spelling dotted_cases[] = {
    {"", "", NULL},
    {"a", "k(a)", NULL},
    {".a", "k(a)", "a"},
    {"metadata.annotations.\"a.b/c\"", "k(metadata)k(annotations)k(a.b/c)", NULL},
    {"\"a\".b", "k(a)k(b)", "a.b"},
    {"\"\"", "k()", NULL},
    {".\"\"", "k()", "\"\""},
    {"a.\"\".b", "k(a)k()k(b)", NULL},
    {"\"say \"\"hi\"\"\"", "k(say \"hi\")", NULL},
    {"\"\"\"\"", "k(\")", NULL},
    {"\"a\\b\"", "k(a\\b)", "a\\b"},
    {"subnets[name=a].properties.x", "k(subnets){name=a}k(properties)k(x)", NULL},
    {"items[0].name", "k(items)i[0]k(name)", NULL},
    {"[0][12]", "i[0]i[12]", NULL},
    {"[name=\"a]b\"]", "{name=a]b}", NULL},
    {"a[name=\"x,y\",port=80]", "k(a){name=x,y}{port=80}", NULL},
    {"a[\"b.c\"=d=e]", "k(a){b.c=d=e}", NULL},
    {"a[name=10.0.0.0/24]", "k(a){name=10.0.0.0/24}", NULL},
    {"a[0=x]", "k(a){0=x}", NULL},
    {"a[name=\"\"]", "k(a){name=}", NULL},
    {"a[name=\"7\"]", "k(a){name=7}", "a[name=7]"},
    {"items.0", "k(items)k(0)", NULL},
    {"a b.c=d", "k(a b)k(c=d)", NULL},
    {"[4294967295]", "i[4294967295]", NULL},
    {"grüße.\xe2\x82\xac", "k(grüße)k(\xe2\x82\xac)", NULL},
};

TEST(the_dotted_spelling_is_read_and_printed)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(dotted_cases); i++) {
        const struct spelling *c = &dotted_cases[i];
        struct path p = parse(a, c->text);
        assert_str(shape(a, &p), str_c(c->shape));
        assert_str(dotted(a, &p), str_c(c->printed ? c->printed : c->text));
    }
}

static const struct {
    const char *text, *error;
} dotted_errors[] = {
    {".", "column 2: expected a key, found the end"},
    {"..a", "column 2: expected a key, found '.'"},
    {"a.", "column 3: expected a key, found the end"},
    {"a..b", "column 3: expected a key, found '.'"},
    {"a.[0]", "column 3: expected a key, found '['"},
    {".[0]", "column 2: expected a key, found '['"},
    {"a]", "column 2: expected '.' or '[', found ']'"},
    {"a\"b\"", "column 2: expected '.' or '[', found '\"'"},
    {"\"a\"b", "column 4: expected '.' or '[', found 'b'"},
    {"\"a", "column 3: expected '\"' at the end of the quoted text, found the end"},
    {"\"a\"\"", "column 5: expected '\"' at the end of the quoted text, found the end"},
    {"é\t", "column 2: expected '.' or '[', found the byte 0x09"},
    {"a\x7f", "column 2: expected '.' or '[', found the byte 0x7f"},
    {"a]\xff", "column 2: expected '.' or '[', found ']'"},
    {"a[", "column 3: expected an index or the name of an identifying member, found the end"},
    {"a[]", "column 3: expected an index or the name of an identifying member, found ']'"},
    {"a[x]", "column 4: expected '=', found ']'"},
    {"a[-1]", "column 5: expected '=', found ']'"},
    {"a[01]", "column 3: expected an index without leading zeros, found '0'"},
    {"a[4294967296]", "column 3: expected an index below 2^32, found '4'"},
    {"a[99999999999999999999999]", "column 3: expected an index below 2^32, found '9'"},
    {"a[1", "column 4: expected '=', found the end"},
    {"a[n=]", "column 5: expected the text of the identifying member, found ']'"},
    {"a[n=\"x\"y]", "column 8: expected ']' or ',', found 'y'"},
    {"a[n=x", "column 6: expected ']' or ',', found the end"},
    {"a[n=x,]", "column 7: expected an index or the name of an identifying member, found ']'"},
    {"a[b.c=d]", "column 4: expected '=', found '.'"},
    {"a[n=x]y", "column 7: expected '.' or '[', found 'y'"},
};

TEST(errors_name_the_column_and_what_was_expected)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(dotted_errors); i++) {
        AUTO_ERR e = {0};
        struct path p;
        assert_false(path_parse_dotted(a, str_c(dotted_errors[i].text), &p, &e));
        assert_str(e.text, str_c(dotted_errors[i].error));
        assert_int_equal(e.kind, ERR_INVALID);
    }
}

TEST(control_characters_are_quoted)
{
    AUTO_ARENA a = arena_new();
    struct path p = parse(a, "\"a\nb\".\"\x01\"[k=\"\t\"]"), again;

    assert_str(shape(a, &p), STR("k(a\nb)k(\x01){k=\t}"));
    assert_true(path_parse_dotted(a, dotted(a, &p), &again, NULL));
    assert_true(path_equal(&p, &again));
    /* NUL is a byte like others. */
    assert_true(path_parse_dotted(a, STR("\"a\0b\""), &p, NULL));
    assert_str(p.steps[0].key, STR("a\0b"));
    assert_str(dotted(a, &p), STR("\"a\0b\""));
}

static const struct spelling pointer_cases[] = {
    {"", "", NULL},
    {"/", "k()", NULL},
    {"//", "k()k()", NULL},
    {"/a/b", "k(a)k(b)", NULL},
    {"/metadata/annotations/a.b~1c", "k(metadata)k(annotations)k(a.b/c)", NULL},
    {"/~01", "k(~1)", NULL},
    {"/~0~1/~1~0", "k(~/)k(/~)", NULL},
    {"/0/-", "k(0)k(-)", NULL},
    {"/a b/\"", "k(a b)k(\")", NULL},
    {"/a[0].b", "k(a[0].b)", NULL},
};

TEST(json_pointers_are_read_and_printed)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(pointer_cases); i++) {
        AUTO_ERR e = {0};
        struct path p;
        assert_ok(path_parse_pointer(a, str_c(pointer_cases[i].text), &p, &e), &e);
        assert_str(shape(a, &p), str_c(pointer_cases[i].shape));
        assert_str(pointer(a, &p), str_c(pointer_cases[i].text));
    }
}

TEST(broken_json_pointers_are_refused)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"a", "column 1: expected '/', found 'a'"},
        {"/~", "column 3: expected '0' or '1' after '~', found the end"},
        {"/é~2", "column 4: expected '0' or '1' after '~', found '2'"},
        {"/a~/b", "column 4: expected '0' or '1' after '~', found '/'"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ERR e = {0};
        struct path p;
        assert_false(path_parse_pointer(a, str_c(cases[i].text), &p, &e));
        assert_str(e.text, str_c(cases[i].error));
    }
}

TEST(indexes_and_identifiers_have_a_form_in_pointers)
{
    AUTO_ARENA a = arena_new();
    struct path p = parse(a, "a[3][name=x/y].b");

    assert_str(pointer(a, &p), STR("/a/3/[name=x~1y]/b"));
}

TEST(omitted_fields_are_read_as_the_original_does)
{
    static const struct {
        const char *text, *shape, *error;
    } cases[] = {
        {"metadata.uid", "k(metadata)k(uid)", NULL},
        {".metadata.uid", "k(metadata)k(uid)", NULL},
        {"..a", "k()k(a)", NULL},
        {"a..b", "k(a)k()k(b)", NULL},
        {"a.", "k(a)k()", NULL},
        {"a[0].b", "k(a[0])k(b)", NULL},
        {"a.\"b.c/d\"", "k(a)k(b.c/d)", NULL},
        {"\"a\"\"b\"", "k(a\"b)", NULL},
        {"a\nb", "k(a)", NULL},
        {"\n\na", "k(a)", NULL},
        {"\"a\r\nb\".c", "k(a\nb)k(c)", NULL},
        {"", NULL, "failed to parse path: EOF"},
        {".", NULL, "failed to parse path: EOF"},
        {"\r", NULL, "failed to parse path: EOF"},
        {"a.b\"c", NULL,
         "failed to parse path: parse error on line 1, column 4: bare \" in non-quoted-field"},
        {".a\"b\"", NULL,
         "failed to parse path: parse error on line 1, column 2: bare \" in non-quoted-field"},
        {"\"a\"b", NULL,
         "failed to parse path: parse error on line 1, column 3: extraneous or missing \" in "
         "quoted-field"},
        {"a.\"b", NULL,
         "failed to parse path: parse error on line 1, column 5: extraneous or missing \" in "
         "quoted-field"},
        {"\"a\nb", NULL,
         "failed to parse path: record on line 1; parse error on line 2, column 2: extraneous or "
         "missing \" in quoted-field"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ERR e = {0};
        struct path p;
        if (cases[i].error) {
            assert_false(path_parse_fields(a, str_c(cases[i].text), &p, &e));
            assert_str(e.text, str_c(cases[i].error));
        } else {
            assert_ok(path_parse_fields(a, str_c(cases[i].text), &p, &e), &e);
            assert_str(shape(a, &p), str_c(cases[i].shape));
        }
    }
}

TEST(limits_are_kept)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct path p;
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (int i = 0; i < PATH_MAX_STEPS; i++)
        buf_add(&b, STR("/a"));
    assert_ok(path_parse_pointer(a, buf_str(&b), &p, &e), &e);
    assert_int_equal(p.len, PATH_MAX_STEPS);
    buf_add(&b, STR("/a"));
    assert_false(path_parse_pointer(a, buf_str(&b), &p, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    buf_truncate(&b, 0);
    for (int i = 0; i <= PATH_MAX_STEPS; i++)
        buf_add(&b, STR("[0]"));
    assert_false(path_parse_dotted(a, buf_str(&b), &p, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    buf_truncate(&b, 0);
    buf_repeat(&b, 'a', PATH_MAX_TEXT);
    assert_ok(path_parse_dotted(a, buf_str(&b), &p, &e), &e);
    buf_char(&b, 'a');
    assert_false(path_parse_dotted(a, buf_str(&b), &p, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    buf_truncate(&b, 0);
    buf_add(&b, STR("[n=x"));
    for (int i = 1; i < PATH_MAX_PAIRS; i++)
        buf_add(&b, STR(",n=x"));
    buf_add(&b, STR("]"));
    assert_ok(path_parse_dotted(a, buf_str(&b), &p, &e), &e);
    b.len--;
    buf_add(&b, STR(",n=x]"));
    assert_false(path_parse_dotted(a, buf_str(&b), &p, &e));
}

/* ---- Random paths. ---- */

static uint64_t random_state = 42;

static size_t pick(size_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (size_t)(random_state >> 33) % n;
}

static str random_word(struct arena *a)
{
    static const char bytes[] = "ab01.[]\"=,/~\\ \n\t\x7f\xc3\xa9*-";
    size_t len = pick(5);
    char *text = arena_alloc_text(a, len);

    for (size_t i = 0; i < len; i++)
        text[i] = bytes[pick(sizeof(bytes))];
    return (str){text, len};
}

static struct step random_step(struct arena *a)
{
    switch (pick(4)) {
    case 0:
        return (struct step){.kind = STEP_INDEX, .index = pick(20)};
    case 1: {
        struct step *pair = ARENA_NEW(a, struct step);
        *pair = (struct step){.kind = STEP_IDENTITY, .key = random_word(a), .text = random_word(a)};
        return (struct step){.kind = STEP_IDENTITY,
                             .key = random_word(a),
                             .text = random_word(a),
                             .next_pair = pick(2) ? pair : NULL};
    }
    default:
        return (struct step){.kind = STEP_KEY, .key = random_word(a)};
    }
}

TEST(what_is_printed_reads_back_to_an_equal_path)
{
    AUTO_ARENA a = arena_new();

    for (int round = 0; round < 20000; round++) {
        AUTO_ERR e = {0};
        struct path p = {0}, keys = {0}, again;
        for (size_t i = pick(6); i > 0; i--) {
            struct step step = random_step(a);
            p = path_append(a, &p, step);
            if (step.kind == STEP_KEY)
                keys = path_append(a, &keys, step);
        }
        assert_ok(path_parse_dotted(a, dotted(a, &p), &again, &e), &e);
        assert_true(path_equal(&p, &again));
        assert_ok(path_parse_pointer(a, pointer(a, &keys), &again, &e), &e);
        assert_true(path_equal(&keys, &again));
        arena_reset(a);
    }
}

TEST(equality_looks_at_everything)
{
    static const char *const different[] = {"a",     "b",         "a.b",       "[0]",
                                            "\"0\"", "[1]",       "[a=b]",     "[a=c]",
                                            "[b=b]", "[a=b,c=d]", "[c=d,a=b]", ""};
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(different); i++)
        for (size_t j = 0; j < COUNT(different); j++) {
            struct path p = parse(a, different[i]), q = parse(a, different[j]);
            assert_int_equal(path_equal(&p, &q), i == j);
        }
}

/* ---- Trees. ---- */

/* {"name": "n", "list": [10, {"id": 7, "on": true, "v": "x"}, {"id": 7, "z": null}], "0": "k"} */
static struct value *sample(struct arena *a)
{
    struct value *root = value_object(a), *list = value_list(a);
    struct value *first = value_object(a), *second = value_object(a);

    value_set_int(a, first, STR("id"), 7);
    value_set_bool(a, first, STR("on"), true);
    value_set_str(a, first, STR("v"), STR("x"));
    value_set_int(a, second, STR("id"), 7);
    value_set(a, second, STR("z"), value_null(a));
    value_add(a, list, value_int(a, 10));
    value_add(a, list, first);
    value_add(a, list, second);
    value_set_str(a, root, STR("name"), STR("n"));
    value_set(a, root, STR("list"), list);
    value_set_str(a, root, STR("0"), STR("k"));
    return root;
}

TEST(paths_resolve)
{
    AUTO_ARENA a = arena_new();
    const struct value *root = sample(a), *list = value_get(root, STR("list"));
    const struct {
        const char *path;
        const struct value *want;
    } cases[] = {
        {"", root},
        {"name", value_get(root, STR("name"))},
        {"name.x", NULL},
        {"name[0]", NULL},
        {"nothing", NULL},
        {"0", value_get(root, STR("0"))},
        {"[0]", NULL},
        {"list[0]", &list->items[0]},
        {"list.0", &list->items[0]},
        {"list.00", NULL},
        {"list.-", NULL},
        {"list.-1", NULL},
        {"list.+1", NULL},
        {"list[3]", NULL},
        {"list.18446744073709551616", NULL},
        {"list[id=7]", &list->items[1]},
        {"list[id=7,v=x]", &list->items[1]},
        {"list[id=7,v=y]", NULL},
        {"list[on=true].v", value_get(&list->items[1], STR("v"))},
        {"list[z=null]", NULL},
        {"list[z=\"\"]", NULL},
        {"list[2].z", value_get(&list->items[2], STR("z"))},
        {"list[2].z.y", NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct path p = parse(a, cases[i].path);
        assert_ptr_equal(path_resolve(&p, root), cases[i].want);
    }
}

TEST(setting_makes_what_is_missing)
{
    static const char *const paths[] = {
        "",
        "name",
        "new",
        "new.deep.er",
        "list[0]",
        "list[3]",
        "list.3",
        "list[1].v",
        "list[3].a[0].b",
        "list[id=9].v",
        "list[id=9,k=\"a b\"].v",
        "fresh[0]",
        "fresh[name=a].x",
        "list[2].z.below",
        "a[0][0].b",
        "\"\".\"\"",
        "list[on=true].more[key=k].x",
    };

    for (size_t i = 0; i < COUNT(paths); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct value *root = sample(a);
        struct path p = parse(a, paths[i]);
        assert_ok(path_set(a, &p, root, value_string(a, STR("item")), &e), &e);
        const struct value *got = path_resolve(&p, root);
        assert_non_null(got);
        assert_str(value_str(got), STR("item"));
        if (p.len && p.steps[p.len - 1].kind == STEP_KEY && !strchr(paths[i], '3'))
            assert_str(value_key(got), p.steps[p.len - 1].key);
    }
}

TEST(setting_keeps_what_was_there)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct value *root = sample(a);
    struct path p = parse(a, "list[id=9].v");

    assert_ok(path_set(a, &p, root, value_int(a, 1), &e), &e);
    const struct value *list = value_get(root, STR("list"));
    assert_int_equal(list->len, 4);
    assert_str(value_get_str(&list->items[3], STR("id")), STR("9"));
    assert_int_equal(value_len(root), 3);
    assert_str(value_get_str(&list->items[1], STR("v")), STR("x"));
}

TEST(setting_fails_without_a_trace)
{
    static const struct {
        const char *path, *error;
    } cases[] = {
        {"name.x", "name is neither an object nor a list"},
        {"name[0]", "name is neither an object nor a list"},
        {"list[4]", "list[4] is past the end of the list"},
        {"list.x", "list is a list, expected an object"},
        {"list[0].x", "list[0] is neither an object nor a list"},
        {"[0]", "the root is an object, expected a list"},
        {"[name=n]", "the root is an object, expected a list"},
        {"new.a.b[1]", "new.a.b[1] is past the end of the list"},
        {"list[3].a[0][2].b", "list[3].a[0][2] is past the end of the list"},
        {"new[name=n].name.x", "new[name=n].name is neither an object nor a list"},
        {"new[name=n][0]", "new[name=n] is an object, expected a list"},
    };
    AUTO_ARENA a = arena_new();
    struct value *root = sample(a), *before = value_copy(a, root);

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ERR e = {0};
        struct path p = parse(a, cases[i].path);
        assert_false(path_set(a, &p, root, value_null(a), &e));
        assert_str(e.text, str_c(cases[i].error));
        assert_true(value_equal(root, before));
    }
}

TEST(an_item_may_come_from_the_same_tree)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct value *root = sample(a);
    struct path p = parse(a, "list[3]");

    assert_ok(path_set(a, &p, root, value_at(value_get(root, STR("list")), 0), &e), &e);
    assert_str(value_text(path_resolve(&p, root)), STR("10"));
}

TEST(deleting_removes_only_that)
{
    static const struct {
        const char *path;
        bool gone;
    } cases[] = {
        {"", false},
        {"nothing", false},
        {"name.x", false},
        {"list[3]", false},
        {"list[id=8]", false},
        {"list[0].x", false},
        {"name", true},
        {"list", true},
        {"list[0]", true},
        {"list.2", true},
        {"0", true},
        {"list[on=true].v", true},
        {"list[id=7,v=x]", true},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct value *root = sample(a), *before = value_copy(a, root);
        struct path p = parse(a, cases[i].path), above = p;
        assert_int_equal(path_delete(&p, root), cases[i].gone);
        if (!cases[i].gone) {
            assert_true(value_equal(root, before));
            continue;
        }
        above.len--;
        const struct value *parent = path_resolve(&above, root),
                           *was = path_resolve(&above, before);
        assert_int_equal(value_len(parent), value_len(was) - 1);
        assert_false(value_equal(root, before));
    }
}

TEST(trails_become_paths)
{
    AUTO_ARENA a = arena_new();
    struct trail list = {.up = NULL, .step = {.kind = STEP_KEY, .key = STR("list")}};
    struct trail element = {.up = &list, .step = {.kind = STEP_INDEX, .index = 2}};
    struct path p = path_of_trail(a, &element), none = path_of_trail(a, NULL);

    assert_str(dotted(a, &p), STR("list[2]"));
    assert_int_equal(none.len, 0);
}

RUN_TESTS(cmocka_unit_test(the_dotted_spelling_is_read_and_printed),
          cmocka_unit_test(errors_name_the_column_and_what_was_expected),
          cmocka_unit_test(control_characters_are_quoted),
          cmocka_unit_test(json_pointers_are_read_and_printed),
          cmocka_unit_test(broken_json_pointers_are_refused),
          cmocka_unit_test(indexes_and_identifiers_have_a_form_in_pointers),
          cmocka_unit_test(omitted_fields_are_read_as_the_original_does),
          cmocka_unit_test(limits_are_kept),
          cmocka_unit_test(what_is_printed_reads_back_to_an_equal_path),
          cmocka_unit_test(equality_looks_at_everything), cmocka_unit_test(paths_resolve),
          cmocka_unit_test(setting_makes_what_is_missing),
          cmocka_unit_test(setting_keeps_what_was_there),
          cmocka_unit_test(setting_fails_without_a_trace),
          cmocka_unit_test(an_item_may_come_from_the_same_tree),
          cmocka_unit_test(deleting_removes_only_that), cmocka_unit_test(trails_become_paths))
