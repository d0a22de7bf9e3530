/* SPDX-License-Identifier: Apache-2.0 */
/* test_omit.c - removing fields that are not compared. */
#include "../test.h"

#include "compare/omit.h"
#include "compare/yaml_map.h"
#include "text/json.h"

static const struct {
    const char *object;
    const char *path;
    bool prefix;
    const char *want;
    const char *told; /* what was removed, each after a blank */
} cases[] = {
    {"{a: {b: 1, c: 2}}", "a.b", false, "{\"a\":{\"c\":2}}", " a.b"},
    {"{a: {b: 1}}", "a.b", false, "{}", " a.b"},
    {"{a: {b: {}}, x: 1}", "a.b.c", false, "{\"x\":1}", " a.b"},
    {"{a: {}, x: 1}", "a.b", false, "{\"x\":1}", " a"},
    {"{a: [{b: 1}]}", "a.0.b", false, "{\"a\":[{\"b\":1}]}", ""},
    {"{a: {'b.c': 1, d: 1}}", "a.\"b.c\"", false, "{\"a\":{\"d\":1}}", " a.\"b.c\""},
    {"{m: {ab: 1, ac: 2, b: 3}}", "m.a", true, "{\"m\":{\"b\":3}}", " m.ab m.ac"},
    {"{m: {b: 3}, o: {}}", "m.a", true, "{\"m\":{\"b\":3},\"o\":{}}", ""},
    {"{a: 1}", "a", false, "{}", " a"},
};

static void note(void *ctx, const struct omit_path *entry, const struct path *removed)
{
    (void)entry;
    buf_char(ctx, ' ');
    path_print_dotted(ctx, removed);
}

static str omitted(struct arena *a, size_t i, struct buf *told)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct omit_list list = {0};
    struct omit_path *path;
    struct value *object;
    AUTO_ERR e = {0};

    assert_ok(yaml_map_read(a, str_c(cases[i].object), &object, &e), &e);
    assert_ok(omit_path_read(a, str_c(cases[i].path), cases[i].prefix, &path, &e), &e);
    VEC_PUSH(a, &list, path);
    omit_fields_telling(a, object, &list, note, told);
    assert_ok(json_write(&out, object, &json_go, &e), &e);
    return buf_str(&out);
}

TEST(fields_go_with_the_mappings_they_leave_empty)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf told = buf_new(a, KIB);
        assert_str(omitted(a, i, &told), str_c(cases[i].want));
        assert_str(buf_str(&told), str_c(cases[i].told));
    }
}

RUN_TESTS(cmocka_unit_test(fields_go_with_the_mappings_they_leave_empty))
