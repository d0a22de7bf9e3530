/* SPDX-License-Identifier: Apache-2.0 */
/* test_pack.c - packed trees: everything survives, and arbitrary bytes are handled sensibly. */
#include "../test.h"

#include "text/json/json.h"
#include "value/pack.h"

static struct value *read(struct arena *a, const char *text)
{
    struct source *src = ARENA_NEW(a, struct source);
    AUTO_ERR e = {0};
    struct value *v;

    src->text = str_c(text);
    assert_ok(json_read(a, src, NULL, &v, &e), &e);
    return v;
}

static const char *const trees[] = {
    "null",
    "true",
    "false",
    "\"\"",
    "[]",
    "{}",
    "-12345678901234567890",
    "1.50",
    "{\"a\":[1,{\"b\":null}],\"kind\":\"Pod\",\"long\":\"................................\"}",
    "{\"metadata\":{\"name\":\"x\",\"namespace\":\"n\"},\"kind\":\"Pod\",\"status\":\"True\"}",
};

TEST(trees_come_back_as_they_were)
{
    AUTO_ARENA a = arena_new();
    struct pack_words *w = pack_words_new();

    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < COUNT(trees); i++) {
            struct buf out = buf_new(a, BUF_UNLIMITED);
            struct value *v = read(a, trees[i]);
            value_pack(w, v, &out);
            struct value *back = value_unpack(a, w, buf_str(&out));
            assert_true(value_equal(v, back));
            /* The order of members is kept, too. */
            struct buf one = buf_new(a, BUF_UNLIMITED), two = buf_new(a, BUF_UNLIMITED);
            assert_true(json_write(&one, v, &json_exact, NULL));
            assert_true(json_write(&two, back, &json_exact, NULL));
            assert_str(buf_str(&two), buf_str(&one));
        }
    assert_int_equal(pack_words_count(w), 11);
    pack_words_free(w);
}

TEST(words_have_a_limit_and_packing_goes_on)
{
    AUTO_ARENA a = arena_new();
    struct pack_words *w = pack_words_new();
    struct value *v = value_object(a);
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (int i = 0; i < PACK_WORDS_MAX + 100; i++)
        value_set_int(a, v, str_fmt(a, "k%d", i), i);
    value_set_int(a, v, str_fmt(a, "%0*d", PACK_WORD_LEN_MAX + 1, 7), 1);
    value_pack(w, v, &out);
    assert_int_equal(pack_words_count(w), PACK_WORDS_MAX);
    assert_true(value_equal(v, value_unpack(a, w, buf_str(&out))));
    pack_words_free(w);
}

TEST(broken_bytes_are_refused)
{
    AUTO_ARENA a = arena_new();
    struct pack_words *w = pack_words_new();
    struct buf out = buf_new(a, BUF_UNLIMITED);

    value_pack(w, read(a, trees[COUNT(trees) - 1]), &out);
    for (size_t len = 0; len < out.len; len++)
        assert_null(value_unpack(a, w, str_slice(buf_str(&out), 0, len)));
    for (size_t i = 0; i < out.len; i++) {
        str copy = str_copy(a, buf_str(&out));
        ((char *)copy.ptr)[i] = (char)0xFF;
        (void)value_unpack(a, w, copy);
    }
    assert_null(value_unpack(a, w, STR("\x07")));
    assert_null(value_unpack(a, w, STR("\x05\xFF\xFF\xFF\xFF\x7F")));
    pack_words_free(w);
}

RUN_TESTS(cmocka_unit_test(trees_come_back_as_they_were),
          cmocka_unit_test(words_have_a_limit_and_packing_goes_on),
          cmocka_unit_test(broken_bytes_are_refused))
