/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_chars.c - character differences. The results of diff-match-patch for hundreds of texts are
 * recorded in tests/recorded/chardiff; here is what each rule is for.
 */
#include "../test.h"

#include "diff/diff.h"

/* "=ab|-c|+d": the pieces in one text. */
static str shown(struct arena *a, const struct diff_pieces *pieces)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < pieces->count; i++) {
        if (i)
            buf_char(&out, '|');
        buf_char(&out, "-=+"[pieces->items[i].op - DIFF_DELETE]);
        buf_add(&out, pieces->items[i].text);
    }
    return buf_str(&out);
}

static str pieces(struct arena *a, str old, str new_)
{
    struct diff_pieces p = diff_chars(a, old, new_, &(uint64_t){DIFF_CHARS_STEPS});

    return shown(a, &p);
}

static const struct {
    const char *old, *new_, *want;
} cases[] = {
    {"", "", ""},
    {"abc", "abc", "=abc"},
    {"", "abc", "+abc"},
    {"abc", "", "-abc"},
    {"abc", "ab123c", "=ab|+123|=c"},
    {"a123bc", "abc", "=a|-123|=bc"},
    /* One inside the other. */
    {"b", "abc", "+a|=b|+c"},
    {"xabcy", "ab", "-x|=ab|-cy"},
    {"a", "b", "-a|+b"},
    /* A common half, also when it hides the shortest answer. */
    {"qHilloHelloHew", "xHelloHeHulloy", "-qHillo|+x|=HelloHe|-w|+Hulloy"},
    /* The middle of a shortest way. */
    {"cat", "map", "-c|+m|=a|-t|+p"},
    /* An edit moves up over the equal text before it, so that two equal pieces become one. */
    {"1ayb2", "abxab", "-1|=a|-y|=b|-2|+xab"},
    {"abab", "ababab", "=abab|+ab"},
};

TEST(pieces_are_those_of_diff_match_patch)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(pieces(a, str_c(cases[i].old), str_c(cases[i].new_)), str_c(cases[i].want));
}

TEST(code_points_are_never_torn_apart)
{
    AUTO_ARENA a = arena_new();

    /* All four begin with the same bytes. */
    assert_str(pieces(a, STR("\u65E5"), STR("\u65E4")), STR("-\u65E5|+\u65E4"));
    assert_str(pieces(a, STR("x\U0001F600y"), STR("x\U0001F601y")),
               STR("=x|-\U0001F600|+\U0001F601|=y"));
}

TEST(invalid_bytes_are_compared_as_if_repaired)
{
    AUTO_ARENA a = arena_new();

    assert_str(pieces(a, STR("a\x80z"), STR("a\xFFz")), STR("=a\uFFFDz"));
    assert_str(pieces(a, STR("a\xE6\x97z"), STR("az")), STR("=a|-\uFFFD\uFFFD|=z"));
}

static str text_of_side(struct arena *a, const struct diff_pieces *p, enum diff_op without)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].op != without)
            buf_add(&out, p->items[i].text);
    return buf_str(&out);
}

static str noise(struct arena *a, size_t len, uint64_t letters)
{
    char *text = arena_alloc_text(a, len);

    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + random_below(letters));
    return str_of(text, len);
}

TEST(pieces_together_are_both_texts)
{
    AUTO_ARENA a = arena_new();

    random_fake(7);
    for (size_t i = 0; i < 300; i++) {
        str old = noise(a, i, 1 + i % 5), new_ = noise(a, 300 - i, 1 + i % 5);
        struct diff_pieces p = diff_chars(a, old, new_, &(uint64_t){DIFF_CHARS_STEPS});
        assert_str(text_of_side(a, &p, DIFF_INSERT), old);
        assert_str(text_of_side(a, &p, DIFF_DELETE), new_);
    }
    random_real();
}

TEST(when_no_step_is_left_the_rest_is_replaced)
{
    AUTO_ARENA a = arena_new();
    str old = STR("=cat="), new_ = STR("=map=");
    uint64_t left = 0;
    struct diff_pieces p = diff_chars(a, old, new_, &left);

    assert_str(shown(a, &p), STR("==|-cat|+map|=="));
}

/* Half matches at every place would make this cubic; the original has no bound there. */
TEST(hostile_repetition_ends_in_time)
{
    AUTO_ARENA a = arena_new();
    size_t len = 200 * KIB;
    char *old = arena_alloc_text(a, len), *new_ = arena_alloc_text(a, len);

    memset(old, 'a', len);
    memset(new_, 'a', len);
    old[0] = old[len / 2] = old[len - 1] = 'b';
    new_[0] = new_[len / 3] = new_[len - 1] = 'c';
    uint64_t left = DIFF_CHARS_STEPS;
    int64_t start = clock_cpu();
    struct diff_pieces p = diff_chars(a, str_of(old, len), str_of(new_, len), &left);
    assert_true(p.count >= 2);
    assert_true(!left && clock_cpu() - start < 10 * NS_PER_SEC);
}

TEST(the_score_is_the_bytes_of_all_edits)
{
    AUTO_ARENA a = arena_new();
    struct diff_pieces p =
        diff_chars(a, STR("a\u65E5b"), STR("axb"), &(uint64_t){DIFF_CHARS_STEPS});

    assert_int_equal(diff_chars_score(&p), 4);
    p = diff_chars(a, STR("same"), STR("same"), &(uint64_t){DIFF_CHARS_STEPS});
    assert_int_equal(diff_chars_score(&p), 0);
}

RUN_TESTS(cmocka_unit_test(pieces_are_those_of_diff_match_patch),
          cmocka_unit_test(code_points_are_never_torn_apart),
          cmocka_unit_test(invalid_bytes_are_compared_as_if_repaired),
          cmocka_unit_test(pieces_together_are_both_texts),
          cmocka_unit_test(when_no_step_is_left_the_rest_is_replaced),
          cmocka_unit_test(hostile_repetition_ends_in_time),
          cmocka_unit_test(the_score_is_the_bytes_of_all_edits))
