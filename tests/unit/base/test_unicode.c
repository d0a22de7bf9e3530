/* SPDX-License-Identifier: Apache-2.0 */
/* test_unicode.c - properties, cases and sets of code points. */
#include "../test.h"

#include "base/unicode.h"

/* Letters for the properties: L letter, D digit, U upper, u lower, S space, P punct, p print. */
static const struct {
    uint32_t rune;
    const char *properties;
} property_cases[] = {
    {'a', "Lup"},   {'Z', "LUp"},   {'7', "Dp"},      {' ', "Sp"},      {'\n', "S"},
    {'!', "Pp"},    {'$', "p"},     {0x7F, ""},       {0x85, "S"},      {0xA0, "S"},
    {0xAD, ""},     {0xDF, "Lup"},  {0x1C5, "Lp"},    {0x2028, "S"},    {0x3000, "S"},
    {0x4E00, "Lp"}, {0x9FFF, "Lp"}, {0x0661, "Dp"},   {0x378, ""},      {0xD800, ""},
    {0xE000, ""},   {0xFEFF, ""},   {0xFFFD, "p"},    {0x1D7CE, "Dp"},  {0x1F600, "p"},
    {0x10FFFF, ""}, {0x110000, ""}, {UINT32_MAX, ""}, {0x1E900, "LUp"}, {0x323AF, "Lp"},
};

TEST(code_points_have_the_properties_of_unicode_15)
{
    for (size_t i = 0; i < COUNT(property_cases); i++) {
        AUTO_ARENA a = arena_new();
        struct buf got = buf_new(a, 64);
        uint32_t r = property_cases[i].rune;
        const struct {
            bool has;
            char letter;
        } all[] = {{unicode_is_letter(r), 'L'}, {unicode_is_digit(r), 'D'},
                   {unicode_is_upper(r), 'U'},  {unicode_is_lower(r), 'u'},
                   {unicode_is_space(r), 'S'},  {unicode_is_punct(r), 'P'},
                   {unicode_is_print(r), 'p'}};
        for (size_t n = 0; n < COUNT(all); n++)
            if (all[n].has)
                buf_char(&got, all[n].letter);
        assert_str(buf_str(&got), str_c(property_cases[i].properties));
    }
}

static const struct {
    uint32_t rune, upper, lower, title, fold;
} mapping_cases[] = {
    {'a', 'A', 'a', 'A', 'A'},
    {'A', 'A', 'a', 'A', 'a'},
    {'1', '1', '1', '1', '1'},
    {'K', 'K', 'k', 'K', 'k'},
    {'k', 'K', 'k', 'K', 0x212A},
    {0x212A, 0x212A, 'k', 0x212A, 'K'},
    {'s', 'S', 's', 'S', 0x17F},
    {0xDF, 0xDF, 0xDF, 0xDF, 0x1E9E},
    {0x130, 0x130, 'i', 0x130, 0x130},
    {0x131, 'I', 0x131, 'I', 0x131},
    {0x1C6, 0x1C4, 0x1C6, 0x1C5, 0x1C4},
    {0x3C3, 0x3A3, 0x3C3, 0x3A3, 0x3A3},
    {0x10D0, 0x1C90, 0x10D0, 0x10D0, 0x1C90},
    {0x1E943, 0x1E921, 0x1E943, 0x1E921, 0x1E921},
    {0x110000, 0x110000, 0x110000, 0x110000, 0x110000},
};

TEST(cases_are_mapped_one_to_one)
{
    for (size_t i = 0; i < COUNT(mapping_cases); i++) {
        uint32_t r = mapping_cases[i].rune;
        assert_int_equal(unicode_to_upper(r), mapping_cases[i].upper);
        assert_int_equal(unicode_to_lower(r), mapping_cases[i].lower);
        assert_int_equal(unicode_to_title(r), mapping_cases[i].title);
        assert_int_equal(unicode_fold(r), mapping_cases[i].fold);
    }
}

TEST(folding_goes_round_in_a_ring)
{
    uint32_t r, fold;

    for (size_t i = 0; unicode_fold_at(i, &r, &fold); i++) {
        size_t steps = 1;
        for (; fold != r && steps < 5; fold = unicode_fold(fold))
            steps++;
        assert_in_range(steps, 1, 4);
    }
    assert_true(unicode_fold_at(unicode_fold_index('B' + 1), &r, &fold));
    assert_int_equal(r, 'C');
    assert_false(unicode_fold_at(unicode_fold_index(0x110000), &r, &fold));
}

static const struct {
    const char *name;
    uint32_t first; /* of the set */
    bool inverted;
} set_cases[] = {
    {"Lu", 'A', false},
    {"lu", 'A', false},
    {"L", 'A', false},
    {"LC", 'A', false},
    {"Uppercase_Letter", 'A', false},
    {"uppercase letter", 'A', false},
    {"punct", '!', false},
    {"Digit", '0', false},
    {"Greek", 0x370, false},
    {"GREEK", 0x370, false},
    {"Any", 0, false},
    {"ascii", 0, false},
    {"Cn", 0x378, false},
    {"Assigned", 0x378, true},
    {"C", 0, false},
    {"Combining-Mark", 0x300, false},
};

TEST(sets_are_found_by_any_spelling)
{
    for (size_t i = 0; i < COUNT(set_cases); i++) {
        struct unicode_set set;
        bool inverted;
        assert_true(unicode_set_find(str_c(set_cases[i].name), &set, &inverted));
        assert_int_equal(set.ranges[0].lo, set_cases[i].first);
        assert_int_equal(inverted, set_cases[i].inverted);
    }
}

TEST(other_names_are_no_sets)
{
    static const char *const names[] = {
        "",       "X",           "Latn", "Old_Italic",   "SignWriting",
        "~space", "White_Space", "L&",   "Script=Greek", "Uppercase_Letter_Uppercase_Letter",
    };
    struct unicode_set set;
    bool inverted;

    for (size_t i = 0; i < COUNT(names); i++)
        assert_false(unicode_set_find(str_c(names[i]), &set, &inverted));
    assert_false(unicode_set_find(STR("Lu\0x"), &set, &inverted));
}

TEST(white_space_of_all_kinds_is_trimmed)
{
    static const struct {
        const char *from, *want;
    } cases[] = {
        {"", ""},
        {" \t\n\v\f\r\xC2\x85\xC2\xA0\xE1\x9A\x80\xE2\x80\xA8\xE3\x80\x80", ""},
        {"\xC2\xA0 a \xE2\x80\x89 b\xE2\x80\x89\n", "a \xE2\x80\x89 b"},
        /* No space: a zero width one, and bytes that are no UTF-8. */
        {"\xE2\x80\x8B ", "\xE2\x80\x8B"},
        {" \xA0 ", "\xA0"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(unicode_trim(str_c(cases[i].from)), str_c(cases[i].want));
}

RUN_TESTS(cmocka_unit_test(white_space_of_all_kinds_is_trimmed),
          cmocka_unit_test(code_points_have_the_properties_of_unicode_15),
          cmocka_unit_test(cases_are_mapped_one_to_one),
          cmocka_unit_test(folding_goes_round_in_a_ring),
          cmocka_unit_test(sets_are_found_by_any_spelling),
          cmocka_unit_test(other_names_are_no_sets))
