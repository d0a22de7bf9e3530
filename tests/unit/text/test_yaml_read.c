/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_yaml_read.c - what cannot be recorded from Go: positions, warnings, limits, views of the
 * source, streams. Go's own results are vectors in tests/recorded/yaml.
 */
#include "../test.h"

#include "text/json/json.h"
#include "text/yaml/yaml.h"

static const struct read_options strict = {.duplicates = DUPLICATE_ERROR};

static const struct source *source_of(struct arena *a, str text)
{
    struct source *src = ARENA_NEW(a, struct source);

    *src = (struct source){.file = STR("f.yaml"), .text = text};
    return src;
}

static struct doc read_ok(struct arena *a, str text)
{
    AUTO_ERR e = {0};
    struct doc d = {.source = source_of(a, text)};

    assert_ok(yaml_read(a, d.source, NULL, &d.root, &e), &e);
    return d;
}

static str read_error(struct arena *a, str text, const struct read_options *opts,
                      enum err_kind *kind)
{
    AUTO_ERR e = {0};
    struct value *v;

    assert_false(yaml_read(a, source_of(a, text), opts, &v, &e));
    assert_null(v);
    if (kind)
        *kind = e.kind;
    return err_message(a, &e);
}

static str json_of(struct arena *a, const struct value *v)
{
    AUTO_ERR e = {0};
    struct buf b = buf_new(a, 1 * MIB);

    assert_ok(json_write(&b, v, &json_exact, &e), &e);
    return buf_str(&b);
}

/* ---- Directives. ---- */

static const struct {
    const char *text;
    const char *go;   /* what Go says */
    const char *want; /* as JSON; NULL: the same */
} directives[] = {
    {"%YAML 1.1\n---\na\n", NULL, "\"a\""},
    {"%YAML 1.2\n---\na\n", "found incompatible YAML document", "\"a\""},
    {"%YAML 1.99 # c\n---\na\n", "found incompatible YAML document", "\"a\""},
    {"%YAML 2.0\n---\na\n", "found incompatible YAML document", NULL},
    {"%YAML 1.2\n%YAML 1.2\n---\na\n", "found incompatible YAML document", NULL},
    {"%X\n%X y z\n---\na\n", "found unknown directive name", "\"a\""},
    {"%X \xc3\xa9\n%TAG !x! y:\n---\n!x!z a\n", "found unknown directive name", "\"a\""},
    {"%X\na\n", "found unknown directive name", NULL},
};

static void directives_are_those_of_yaml_1_2_unless_go_is_asked(void **state)
{
    AUTO_ARENA a = arena_new();
    const struct read_options go = {.go = true};

    (void)state;
    for (size_t i = 0; i < COUNT(directives); i++) {
        str text = str_c(directives[i].text);
        if (directives[i].go)
            assert_true(str_contains(read_error(a, text, &go, NULL), str_c(directives[i].go)));
        if (directives[i].want)
            assert_str(json_of(a, read_ok(a, text).root), str_c(directives[i].want));
        else
            read_error(a, text, NULL, NULL);
    }
}

/* ---- Words of our own. ---- */

static const struct {
    const char *before, *after;
    const char *go;
} long_keys[] = {
    {"", ": 1\n", "mapping values are not allowed in this context"},
    {"a: 1\n", ": 1\n", "could not find expected ':'"},
    {"{", ": 1}\n", "did not find expected ',' or '}'"},
    {"{\"", "\": 1}\n", "did not find expected ',' or '}'"},
};

TEST(a_key_that_is_too_long_is_told)
{
    AUTO_ARENA a = arena_new();
    const struct read_options go = {.go = true};

    for (size_t i = 0; i < COUNT(long_keys); i++) {
        struct buf b = buf_new(a, 8 * KIB);
        buf_add(&b, str_c(long_keys[i].before));
        buf_repeat(&b, 'k', 2000);
        buf_add(&b, str_c(long_keys[i].after));
        assert_true(str_contains(read_error(a, buf_str(&b), &go, NULL), str_c(long_keys[i].go)));
        assert_true(str_contains(read_error(a, buf_str(&b), NULL, NULL), STR("1024 characters")));
    }
    /* A long value is none of its business. */
    struct buf b = buf_new(a, 8 * KIB);
    buf_add(&b, STR("{a: "));
    buf_repeat(&b, 'v', 2000);
    buf_add(&b, STR(", b: [}"));
    assert_false(str_contains(read_error(a, buf_str(&b), NULL, NULL), STR("1024")));
}

TEST(binary_that_is_no_text_is_refused)
{
    AUTO_ARENA a = arena_new();
    const struct read_options go = {.go = true};
    struct value *v;
    AUTO_ERR e = {0};

    assert_true(str_contains(read_error(a, STR("a: 1\nb: !!binary /w==\n"), NULL, NULL),
                             STR("f.yaml:2:4: yaml: !!binary holds bytes that are not UTF-8")));
    assert_ok(yaml_read(a, source_of(a, STR("!!binary /w==")), &go, &v, &e), &e);
    assert_str(value_str(v), STR("\xff"));
}

/* ---- Places. ---- */

static struct where where_of(const struct doc *d, const struct value *v)
{
    return source_where(d->source, v);
}

TEST(nodes_know_where_they_stand)
{
    AUTO_ARENA a = arena_new();
    struct doc d = read_ok(a, STR("\xC3\xA9\xC3\xA9: one\nlist:\n- a\n- {k: v}\nempty:\n"));

    assert_int_equal(where_of(&d, d.root).line, 1);
    assert_int_equal(where_of(&d, &d.root->items[0]).column, 5);
    const struct value *list = value_get(d.root, STR("list"));
    assert_int_equal(where_of(&d, list).line, 3);
    assert_int_equal(where_of(&d, value_get(value_at(list, 1), STR("k"))).line, 4);
    assert_int_equal(where_of(&d, value_get(value_at(list, 1), STR("k"))).column, 7);
    assert_int_equal(where_of(&d, value_get(d.root, STR("empty"))).line, 5);
    assert_int_equal(where_of(&d, value_get(d.root, STR("empty"))).column, 7);
}

TEST(an_alias_stands_where_it_is_written)
{
    AUTO_ARENA a = arena_new();
    struct doc d = read_ok(a, STR("a: &x\n  k: v\nb: *x\n"));
    const struct value *b = value_get(d.root, STR("b"));

    assert_int_equal(where_of(&d, b).line, 3);
    assert_int_equal(where_of(&d, value_get(b, STR("k"))).line, 2);
}

static const struct {
    const char *text, *want;
    const struct read_options *opts;
} error_cases[] = {
    {"a: b: c", "f.yaml:1:5: yaml: mapping values are not allowed in this context", NULL},
    {"a: 1\nb: c: d", "f.yaml:2:5: yaml: line 2: mapping values are not allowed in this context",
     NULL},
    {"a: 1\nb\nc: 2", "f.yaml:3:1: yaml: line 3: could not find expected ':'", NULL},
    {"a: [1,\nb: }", "f.yaml:2:4: yaml: line 1: did not find expected node content", NULL},
    {"a: *b", "f.yaml:1:4: yaml: unknown anchor 'b' referenced", NULL},
    {"a: x\xC3(", "f.yaml:1:5: yaml: invalid trailing UTF-8 octet", NULL},
    {"a: \x07", "f.yaml:1:4: yaml: control characters are not allowed", NULL},
    {"a:\n  b: !!int x", "f.yaml:2:6: yaml: cannot decode !!str `x` as a !!int", NULL},
    {"a:\n  ? [1, {2: .5}]\n  : v",
     "f.yaml:2:5: yaml: invalid map key: []interface {}{1, map[interface {}]interface {}{2:0.5}}",
     NULL},
    {"a:\n  ~: {1: 18446744073709551615, x: ~}",
     "f.yaml:2:6: unsupported map key of type: %!s(<nil>), key: <nil>, value: "
     "map[interface {}]interface {}{1:0xffffffffffffffff, \"x\":interface {}(nil)}",
     NULL},
    {"18446744073709551615: a",
     "f.yaml:1:23: unsupported map key of type: uint64, key: 0xffffffffffffffff, value: \"a\"",
     NULL},
    {"b: .nan\na: -.inf\n", "f.yaml:2:4: json: unsupported value: -Inf", NULL},
    {"<<: 1", "f.yaml:1:5: yaml: map merge requires map or sequence of maps as the value", NULL},
    {"a: &x [*x]", "f.yaml:1:8: yaml: anchor 'x' value contains itself", NULL},
    {"%YAML 2.0\n---\na", "f.yaml:1:1: yaml: found incompatible YAML document", NULL},
    {"a: 1\nb:\n  c: 2\n  c: 3\na: 4",
     "f.yaml:4:6: yaml: unmarshal errors:\n  line 4: key \"c\" already set in map\n"
     "  line 5: key \"a\" already set in map",
     &strict},
    {"a: 1\n? a", "f.yaml:2:4: yaml: unmarshal errors:\n  line 3: key \"a\" already set in map",
     &strict},
};

TEST(errors_are_worded_as_in_go_and_say_where)
{
    AUTO_ARENA a = arena_new();
    enum err_kind kind;

    for (size_t i = 0; i < COUNT(error_cases); i++) {
        assert_str(read_error(a, str_c(error_cases[i].text), error_cases[i].opts, &kind),
                   str_c(error_cases[i].want));
        assert_int_equal(kind, ERR_INVALID);
    }
}

/* ---- Duplicates and merges. ---- */

static void note(void *ctx, struct where at, str text)
{
    buf_fmt(ctx, "%u:%u %.*s\n", at.line, at.column, STR_ARG(text));
}

TEST(the_last_of_duplicate_keys_wins_with_a_warning)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf notes = buf_new(a, 1 * KIB);
    struct read_options opts = {.warn = note, .warn_ctx = &notes};
    struct value *v;
    str text = STR("a: 1\nb: {x: 1, x: 2}\n\"a\": 3\n1: a\n1: b\n");

    assert_ok(yaml_read(a, source_of(a, text), &opts, &v, &e), &e);
    assert_str(json_of(a, v), STR("{\"a\":3,\"b\":{\"x\":2},\"1\":\"b\"}"));
    assert_str(buf_str(&notes), STR("2:14 key \"x\" already set in map\n"
                                    "3:6 key \"a\" already set in map\n"
                                    "5:4 key 1 already set in map\n"));
}

static const struct {
    const char *text, *warnings, *strict, *go_strict;
} override_cases[] = {
    {"x: &x {a: 1}\nz:\n  <<: *x\n  a: 3\n", "", NULL, "line 4: key \"a\" already set in map"},
    {"- &x {a: 1}\n- &y {a: 2}\n- <<: [*x, *y]\n  a: 3\n", "", NULL,
     "line 4: key \"a\" already set in map"},
    {"x: &x {a: 1}\nz:\n  <<: *x\n  a: 3\n  a: 4\n", "5:6 key \"a\" already set in map\n",
     "line 5: key \"a\" already set in map", "line 4: key \"a\" already set in map"},
    /* What was given is lost: Go merges in the order of the text. */
    {"x: &x {a: 1}\nz:\n  a: 3\n  <<: *x\n", "1:11 key \"a\" already set in map\n",
     "line 1: key \"a\" already set in map", "line 1: key \"a\" already set in map"},
};

static void check_strict(struct arena *a, const char *text, bool go, const char *want)
{
    AUTO_ERR e = {0};
    struct read_options opts = {.duplicates = DUPLICATE_ERROR, .go = go};
    struct value *v;
    bool ok = yaml_read(a, source_of(a, str_c(text)), &opts, &v, &e);

    if (!want)
        assert_ok(ok, &e);
    else
        assert_true(!ok && str_contains(e.text, str_c(want)));
}

TEST(a_key_that_overrides_a_merged_one_is_not_a_duplicate)
{
    for (size_t i = 0; i < COUNT(override_cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct buf notes = buf_new(a, 1 * KIB);
        struct read_options opts = {.warn = note, .warn_ctx = &notes};
        struct value *v;
        str text = str_c(override_cases[i].text);
        assert_ok(yaml_read(a, source_of(a, text), &opts, &v, &e), &e);
        assert_str(buf_str(&notes), str_c(override_cases[i].warnings));
        check_strict(a, override_cases[i].text, false, override_cases[i].strict);
        check_strict(a, override_cases[i].text, true, override_cases[i].go_strict);
    }
}

TEST(strict_reading_names_the_first_duplicates_and_their_number)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, 1 * KIB);
    enum err_kind kind;

    for (int i = 0; i < 26; i++)
        buf_add(&text, STR("a: 1\n"));
    str got = read_error(a, buf_str(&text), &strict, &kind);
    assert_true(str_contains(got, STR("line 21: key")));
    assert_false(str_contains(got, STR("line 22: key")));
    assert_true(str_has_suffix(got, STR("\n  5 more duplicate keys are not shown, 25 in all")));
}

TEST(warnings_in_a_stream_name_the_line_of_the_file)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf notes = buf_new(a, 1 * KIB);
    struct read_options opts = {.warn = note, .warn_ctx = &notes};
    struct yaml_stream s = {.src = source_of(a, STR("a: 1\n---\nb: 1\n\xC3\xA9: {b: 1, b: 2}\n")),
                            .opts = &opts};
    struct value *v;

    assert_ok(yaml_stream_next(a, &s, &v, &e), &e);
    assert_ok(yaml_stream_next(a, &s, &v, &e), &e);
    assert_str(buf_str(&notes), STR("4:14 key \"b\" already set in map\n"));
}

static const struct {
    const char *text, *want;
} tree_cases[] = {
    {"x: &x {a: 1, b: 2}\nz: {<<: *x, b: 3}", "{\"x\":{\"a\":1,\"b\":2},\"z\":{\"a\":1,\"b\":3}}"},
    {"- &x {a: 1}\n- &y {a: 2, b: 2}\n- <<: [*x, *y]",
     "[{\"a\":1},{\"a\":2,\"b\":2},{\"a\":1,\"b\":2}]"},
    {"a: &a [1]\nb: *a\nc: &a 2\nd: *a", "{\"a\":[1],\"b\":[1],\"c\":2,\"d\":2}"},
    {"1: a\n1.5: b\ntrue: c\n0x10: d\n", "{\"1\":\"a\",\"1.5\":\"b\",\"true\":\"c\",\"16\":\"d\"}"},
    {"3.141592653589793: a\n1234567.0: b\n1e300: c\n.inf: d\n1e-5: e\n-0.0001: f",
     "{\"3.1415927\":\"a\",\"1.234567e+06\":\"b\",\".inf\":\"d\",\"1e-05\":\"e\",\"-0.0001\":"
     "\"f\"}"},
    {"a: b\n---\n: [", "{\"a\":\"b\"}"},
    {"{a: 1, b}", "{\"a\":1,\"b\":null}"},
    {"[a: 1, b]", "[{\"a\":1},\"b\"]"},
    {"{a:,}", "{\"a:\":null}"},
    {"{}: x", "{}"},
    {"# nothing\n", "null"},
    {"", "null"},
};

TEST(trees_are_what_go_decodes)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(tree_cases); i++) {
        struct doc d = read_ok(a, str_c(tree_cases[i].text));
        assert_str(json_of(a, d.root), str_c(tree_cases[i].want));
    }
}

static bool is_clean(void *ctx, struct value *v, size_t depth)
{
    (void)depth;
    *(bool *)ctx = *(bool *)ctx && v->tag == 0;
    return true;
}

TEST(a_finished_tree_has_no_marks)
{
    AUTO_ARENA a = arena_new();
    struct doc d = read_ok(a, STR("a: &x {1: 2, 1: 3}\nb: *x\n<<: {.inf: 1, true: [*x]}\n"));
    bool clean = true;

    value_walk(d.root, is_clean, &clean);
    assert_true(clean);
}

/* ---- Views. ---- */

static bool is_inside(str text, const char *p)
{
    return p >= text.ptr && p < text.ptr + text.len;
}

TEST(scalars_that_stand_in_the_text_are_not_copied)
{
    AUTO_ARENA a = arena_new();
    struct doc d =
        read_ok(a, STR("key: plain text\nq: 'quoted'\nd: \"double\"\nm: 17\ne: \"a\\n\"\n"
                       "f: a\n  b\n"));
    str text = d.source->text;

    for (size_t i = 0; i < d.root->len; i++)
        assert_true(is_inside(text, d.root->items[i].key));
    for (size_t i = 0; i < 4; i++)
        assert_true(is_inside(text, d.root->items[i].text));
    for (size_t i = 4; i < 6; i++)
        assert_false(is_inside(text, d.root->items[i].text));
}

/* ---- Limits. ---- */

static str repeated(struct arena *a, const char *part, size_t count)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < count; i++)
        buf_add(&b, str_c(part));
    return buf_str(&b);
}

static void check_limit(struct arena *a, str text, const char *want)
{
    enum err_kind kind;
    str message = read_error(a, text, NULL, &kind);

    assert_true(str_contains(message, str_c(want)));
    assert_int_equal(kind, ERR_LIMIT);
}

TEST(ten_thousand_levels_are_read_and_not_one_more)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    str open = repeated(a, "[", 10000), close = repeated(a, "]", 10000);
    struct doc d = read_ok(a, str_concat(a, open, close));

    assert_int_equal(d.root->kind, VALUE_LIST);
    assert_ok(yaml_write(&out, d.root, NUMBERS_GO, &e), &e);
    check_limit(a, repeated(a, "[", 10001), "exceeded max depth of 10000");
    check_limit(a, repeated(a, "- ", 10001), "exceeded max depth of 10000");
    check_limit(a, repeated(a, "{a: ", 10001), "exceeded max depth of 10000");
}

TEST(deep_documents_with_duplicates_are_expanded_too)
{
    AUTO_ARENA a = arena_new();
    str open = repeated(a, "{a: 1, a: ", 10000), close = repeated(a, "}", 10000);
    struct doc d = read_ok(a, str_concat(a, open, close));

    assert_int_equal(d.root->len, 1);
}

TEST(depth_through_aliases_is_bounded)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str open = repeated(a, "[", 4000), close = repeated(a, "]", 4000);

    buf_fmt(&b, "- &a0 x\n");
    for (int i = 1; i < 5; i++)
        buf_fmt(&b, "- &a%d %.*s*a%d%.*s\n", i, STR_ARG(open), i - 1, STR_ARG(close));
    check_limit(a, buf_str(&b), "exceeded max depth of 10000");
}

TEST(many_tokens_below_many_levels_take_no_quadratic_time)
{
    AUTO_ARENA a = arena_new();
    str open = repeated(a, "[", 9999), items = repeated(a, "a,", 200000);

    read_error(a, str_concat(a, open, items), NULL, NULL);
}

TEST(small_documents_do_not_become_huge)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&b, "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 12; i++)
        buf_fmt(&b, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i, i - 1,
                i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    check_limit(a, buf_str(&b), "document contains excessive aliasing");
    assert_true(arena_held(a) < 100 * MIB);
    /* Few nodes, but each of them is long. */
    buf_truncate(&b, 0);
    buf_add(&b, STR("a: &a {k: "));
    buf_repeat(&b, 'x', MIB);
    buf_add(&b, STR("}\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"));
    check_limit(a, buf_str(&b), "document contains excessive aliasing");
}

TEST(a_scalar_has_at_most_64_mib)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, STR("a:\n  b: "));
    buf_repeat(&b, 'x', 64 * MIB + 1);
    check_limit(a, buf_str(&b), "f.yaml:2:6: yaml: line 2: scalar is larger than 64 MiB");
}

TEST(tag_directives_are_limited)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED), deep = buf_new(a, BUF_UNLIMITED);

    for (int i = 0; i < 100; i++)
        buf_fmt(&b, "%%TAG !h%d! tag:x,1:\n", i);
    read_ok(a, str_concat(a, buf_str(&b), STR("---\na: 1\n")));
    buf_fmt(&b, "%%TAG !more! tag:x,1:\n---\na: 1\n");
    check_limit(a, buf_str(&b), "found more than 100 %TAG directives");
    buf_fmt(&deep, "%%TAG !h! ");
    buf_repeat(&deep, 'x', 257);
    buf_fmt(&deep, "\n---\na: 1\n");
    check_limit(a, buf_str(&deep), "prefix of %TAG directive is longer than 256 bytes");
}

/* ---- Sources. ---- */

static const struct {
    const char *bytes;
    size_t len;
    const char *want; /* of "a: é😀" read as YAML, or the message */
} source_cases[] = {
    {"\xEF\xBB\xBF"
     "a: x",
     7, "{\"a\":\"x\"}"},
    {"\xFF\xFE"
     "a\0:\0 \0\xE9\0\x3D\xD8\x00\xDE",
     14, "{\"a\":\"\xC3\xA9\xF0\x9F\x98\x80\"}"},
    {"\xFE\xFF\0a\0:\0 \0\xE9\xD8\x3D\xDE\x00", 14, "{\"a\":\"\xC3\xA9\xF0\x9F\x98\x80\"}"},
    {"\xFF\xFE"
     "a\0:",
     5, "f:1:2: yaml: incomplete UTF-16 character"},
    {"\xFF\xFE"
     "a\0\x3D\xD8",
     6, "f:1:2: yaml: incomplete UTF-16 surrogate pair"},
    {"\xFF\xFE\x00\xDC", 4, "f:1:1: yaml: unexpected low surrogate area"},
    {"\xFF\xFE\x3D\xD8"
     "a\0",
     6, "f:1:1: yaml: expected low surrogate area"},
};

TEST(sources_may_be_utf16_and_have_marks)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(source_cases); i++) {
        AUTO_ERR e = {0};
        struct source src;
        struct value *v;
        bool ok = yaml_source(a, STR("f"), str_of(source_cases[i].bytes, source_cases[i].len), &src,
                              &e) &&
                  yaml_read(a, &src, NULL, &v, &e);
        assert_str(ok ? json_of(a, v) : err_message(a, &e), str_c(source_cases[i].want));
    }
}

/* ---- Streams. ---- */

/* All documents as JSON, one per line, errors among them. */
static str stream_of(struct arena *a, const char *text)
{
    struct yaml_stream s = {.src = source_of(a, str_c(text))};
    struct buf b = buf_new(a, 1 * MIB);
    struct value *v;

    for (;;) {
        AUTO_ERR e = {0};
        if (!yaml_stream_next(a, &s, &v, &e))
            buf_fmt(&b, "%.*s\n", STR_ARG(err_message(a, &e)));
        else if (v)
            buf_fmt(&b, "%u %.*s\n", source_where(s.src, v).line, STR_ARG(json_of(a, v)));
        else
            return buf_str(&b);
    }
}

static const struct {
    const char *text, *want;
} stream_cases[] = {
    {"", ""},
    {"---\n---\n# x\n--- # y\n", ""},
    {"a: 1\n---\nb: 2\n", "1 {\"a\":1}\n3 {\"b\":2}\n"},
    {"---\na: 1\n---\n---\nb: 2", "2 {\"a\":1}\n5 {\"b\":2}\n"},
    {"a: 1\r\n---\r\nb: 2\r\n", "1 {\"a\":1}\n3 {\"b\":2}\n"},
    {"a: 1\n--- x\nb: 2\n---\nc: 3\n",
     "f.yaml:2:1: invalid Yaml document separator: x\n3 {\"b\":2}\n5 {\"c\":3}\n"},
    {"----\n", "f.yaml:1:1: invalid Yaml document separator: -\n"},
    {"a: 1\n---\nb: {\n---\nc: 3\n",
     "1 {\"a\":1}\nf.yaml:4:1: yaml: line 1: did not find expected node content\n5 {\"c\":3}\n"},
    {"a: |\n  x\n---\n  z\n", "1 {\"a\":\"x\\n\"}\n4 \"z\"\n"},
    {"a: &x 1\n---\nb: *x\n", "1 {\"a\":1}\nf.yaml:3:4: yaml: unknown anchor 'x' referenced\n"},
    {"null\n---\n~\n---\n[]\n", "5 []\n"},
};

TEST(streams_are_split_before_they_are_parsed)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(stream_cases); i++)
        assert_str(stream_of(a, stream_cases[i].text), str_c(stream_cases[i].want));
}

/* ---- Documents by grammar. ---- */

/* All documents as JSON, one per line, up to the first error. */
static str documents_of(struct arena *a, const char *text)
{
    const struct source *src = source_of(a, str_c(text));
    struct buf b = buf_new(a, 1 * MIB);
    AUTO_ERR e = {0};
    struct value *v;

    for (size_t offset = 0;;) {
        if (!yaml_read_next(a, src, NULL, &offset, &v, &e)) {
            buf_fmt(&b, "%.*s\n", STR_ARG(e.text));
            return buf_str(&b);
        }
        if (!v)
            return buf_str(&b);
        buf_fmt(&b, "%u %.*s\n", source_where(src, v).line, STR_ARG(json_of(a, v)));
    }
}

static const struct {
    const char *text, *want;
} document_cases[] = {
    {"", ""},
    {"# x\n", "0 null\n"},
    {"a: 1\n---\nb: 2\n", "1 {\"a\":1}\n3 {\"b\":2}\n"},
    {"a: 1\n--- {b: 2}\n--- x\n", "1 {\"a\":1}\n2 {\"b\":2}\n3 \"x\"\n"},
    {"a: 1\n...\n---\nb: 2\n...\n", "1 {\"a\":1}\n4 {\"b\":2}\n"},
    {"---\n---\na: 1", "2 null\n3 {\"a\":1}\n"},
    {"%YAML 1.1\n---\na: 1\n...\n%YAML 1.1\n---\nb: 2\n", "3 {\"a\":1}\n7 {\"b\":2}\n"},
    {"[a]\nb: 1\n", "yaml: line 1: did not find expected <document start>\n"},
    {"a: 1\n---\nb: [\n", "1 {\"a\":1}\nyaml: line 2: did not find expected node content\n"},
};

TEST(documents_end_where_the_grammar_says)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(document_cases); i++)
        assert_str(documents_of(a, document_cases[i].text), str_c(document_cases[i].want));
}

static const struct {
    const char *text, *want; /* want: with the planted word */
} quoting[] = {
    {"password: *planted\n", "yaml: unknown anchor 'planted' referenced"},
    {"password: !!int planted\n", "yaml: cannot decode !!str `planted` as a !!int"},
    {"password: !!int 'a`planted'\n", "yaml: cannot decode !!str `a`planted` as a !!int"},
    {"~: planted\n", "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"planted\""},
    {"[planted]: x\n", "yaml: invalid map key: []interface {}{\"planted\"}"},
};

static str message_of(struct arena *a, const char *kind, const char *text, enum quote_rule quotes)
{
    struct read_options options = {.quotes = quotes};
    enum err_kind ignored;

    return read_error(a, str_fmt(a, "%s%s", kind, text), &options, &ignored);
}

TEST(messages_do_not_quote_secrets)
{
    static const char *const secrets[] = {"kind: Secret\n",         "\"kind\": \"Secret\"\n",
                                          "'kind' :  SecretList\n", "kinds: x\nkind:\tSecret\n",
                                          "kind: &k Secret\n",      "kind: !!str Secret\n",
                                          "kind:\n  Secret\n",      "? kind\n: Secret\n",
                                          "kind: >-\n  Secret\n",   "\"\\x6bind\": Secret\n",
                                          "stringData: x\n"};
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(quoting); i++) {
        const char *text = quoting[i].text;
        for (size_t k = 0; k < COUNT(secrets); k++) {
            str got = message_of(a, secrets[k], text, QUOTE_UNLESS_SECRET);
            assert_true(str_contains(got, STR("***")));
            assert_false(str_contains(got, STR("planted")));
            assert_true(str_contains(message_of(a, secrets[k], text, QUOTE_ALWAYS),
                                     str_c(quoting[i].want)));
        }
        assert_true(str_contains(message_of(a, "kind: Config\n", text, QUOTE_UNLESS_SECRET),
                                 str_c(quoting[i].want)));
        assert_false(
            str_contains(message_of(a, "kind: Config\n", text, QUOTE_NEVER), STR("planted")));
    }
}

/* A line that only looks like a separator may belong to what is before or behind it. */
TEST(lines_that_are_no_separators_do_not_quote_secrets)
{
    static const struct {
        const char *text;
        bool quotes;
    } cases[] = {
        {"kind: Secret\n---planted\n", false},      {"---planted\nkind: Secret\n", false},
        {"---planted\n- x\nkind: Secret\n", false}, {"--- planted\nstringData: x\n", false},
        {"kind: Secret\n---\n---planted\n", true},  {"---planted\n---\nkind: Secret\n", true},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct source src = {.file = STR("f"), .text = str_c(cases[i].text)};
        struct yaml_stream s = {.src = &src};
        struct value *v = NULL;
        AUTO_ERR e = {0};
        while (yaml_stream_next(a, &s, &v, &e) && v)
            ;
        assert_true(str_contains(e.text, STR("invalid Yaml document separator")));
        assert_int_equal(str_contains(e.text, STR("planted")), cases[i].quotes);
    }
}

TEST(the_number_of_nodes_is_limited)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct source src = {.file = STR("f"), .text = STR("- 1\n- 2\n- 3\n")};
    struct value *v;

    assert_ok(yaml_read(a, &src, &(struct read_options){.nodes_max = 100}, &v, &e), &e);
    assert_false(yaml_read(a, &src, &(struct read_options){.nodes_max = 3}, &v, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    assert_int_equal(e.at.line, 2);
}

/* What follows the first document, and in which line. */
static const struct {
    const char *text;
    enum yaml_rest rest;
    uint32_t line;
} rest_cases[] = {
    {"a: 1\nb: 2\n", YAML_REST_NONE, 0},
    {"  a: 1\n  b: 2\n", YAML_REST_NONE, 0},
    {"  a: 1\n# comment\n\n", YAML_REST_NONE, 0},
    {"{a: 1} # comment\n", YAML_REST_NONE, 0},
    {"{a: 1}\n---\n# comment\n---\n", YAML_REST_NONE, 0},
    {"a: |\n  x\n  ---\n", YAML_REST_NONE, 0},
    {"a: 1\n...\n", YAML_REST_NONE, 0},
    {"", YAML_REST_NONE, 0},
    {"  a: 1\nb: 2\n", YAML_REST_LOOSE, 2},
    {"# comment\n  a:\n    c: 1\n b: 2\n", YAML_REST_LOOSE, 4},
    {"  - a\n- b\n", YAML_REST_LOOSE, 2},
    {"{a: 1} {b: 2}\n", YAML_REST_LOOSE, 1},
    {"{a: 1}\nb: 2\n", YAML_REST_LOOSE, 2},
    {"'a'\nb: 2\n", YAML_REST_LOOSE, 2},
    {"a: 1\n---\nb: 2\n", YAML_REST_DOCUMENT, 3},
    {"a: 1\n...\nb: 2\n", YAML_REST_DOCUMENT, 3},
    {"a: 1\n---\nb: [\n", YAML_REST_DOCUMENT, 4},
};

TEST(what_follows_a_document_is_told)
{
    for (size_t i = 0; i < COUNT(rest_cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        const struct source src = {.file = STR("f"), .text = str_c(rest_cases[i].text)};
        bool alone = false, single = rest_cases[i].rest == YAML_REST_NONE;
        uint32_t line = 0;
        struct value *v;

        assert_int_equal(yaml_rest(src.text, &line), rest_cases[i].rest);
        assert_ok(yaml_read(a, &src, &(struct read_options){.alone = &alone}, &v, &e), &e);
        assert_true(single || !alone);
        assert_int_equal(yaml_read(a, &src, &(struct read_options){.single = true}, &v, &e),
                         single);
        if (single)
            continue;
        assert_int_equal(line, rest_cases[i].line);
        assert_int_equal(e.at.line, rest_cases[i].line);
    }
}

TEST(a_stream_drops_nothing_behind_a_document)
{
    static const struct read_options go = {.go = true};

    for (size_t i = 0; i < COUNT(rest_cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        const struct source src = {.file = STR("f"), .text = str_c(rest_cases[i].text)};
        struct yaml_stream s = {.src = &src}, as_go = {.src = &src, .opts = &go};
        bool ok = true;
        struct value *v;

        if (rest_cases[i].rest != YAML_REST_LOOSE)
            continue;
        do
            ok = yaml_stream_next(a, &s, &v, &e);
        while (ok && v);
        assert_false(ok);
        assert_int_equal(e.at.line, rest_cases[i].line);
        assert_true(yaml_stream_next(a, &as_go, &v, &e) && v);
    }
}

RUN_TESTS(cmocka_unit_test(what_follows_a_document_is_told),
          cmocka_unit_test(a_stream_drops_nothing_behind_a_document),
          cmocka_unit_test(a_key_that_is_too_long_is_told),
          cmocka_unit_test(binary_that_is_no_text_is_refused),
          cmocka_unit_test(the_number_of_nodes_is_limited),
          cmocka_unit_test(lines_that_are_no_separators_do_not_quote_secrets),
          cmocka_unit_test(documents_end_where_the_grammar_says),
          cmocka_unit_test(nodes_know_where_they_stand),
          cmocka_unit_test(an_alias_stands_where_it_is_written),
          cmocka_unit_test(errors_are_worded_as_in_go_and_say_where),
          cmocka_unit_test(the_last_of_duplicate_keys_wins_with_a_warning),
          cmocka_unit_test(a_key_that_overrides_a_merged_one_is_not_a_duplicate),
          cmocka_unit_test(strict_reading_names_the_first_duplicates_and_their_number),
          cmocka_unit_test(warnings_in_a_stream_name_the_line_of_the_file),
          cmocka_unit_test(trees_are_what_go_decodes),
          cmocka_unit_test(a_finished_tree_has_no_marks),
          cmocka_unit_test(scalars_that_stand_in_the_text_are_not_copied),
          cmocka_unit_test(ten_thousand_levels_are_read_and_not_one_more),
          cmocka_unit_test(deep_documents_with_duplicates_are_expanded_too),
          cmocka_unit_test(depth_through_aliases_is_bounded),
          cmocka_unit_test(many_tokens_below_many_levels_take_no_quadratic_time),
          cmocka_unit_test(small_documents_do_not_become_huge),
          cmocka_unit_test(a_scalar_has_at_most_64_mib),
          cmocka_unit_test(messages_do_not_quote_secrets),
          cmocka_unit_test(tag_directives_are_limited),
          cmocka_unit_test(directives_are_those_of_yaml_1_2_unless_go_is_asked),
          cmocka_unit_test(sources_may_be_utf16_and_have_marks),
          cmocka_unit_test(streams_are_split_before_they_are_parsed))
