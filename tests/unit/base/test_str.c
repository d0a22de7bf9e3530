/* SPDX-License-Identifier: Apache-2.0 */
/* test_str.c - text as pointer and length, and code points in it. */
#include "../test.h"

TEST(slices_are_clamped)
{
    str s = STR("abcdef");

    assert_str(str_slice(s, 1, 3), STR("bc"));
    assert_str(str_slice(s, 4, 99), STR("ef"));
    assert_str(str_slice(s, 5, 2), STR(""));
    assert_str(str_from(s, 4), STR("ef"));
    assert_str(str_from(s, 99), STR(""));
    assert_str(str_from(STR_NONE, 3), STR(""));
}

TEST(prefixes_and_suffixes_are_cut_only_when_they_match)
{
    assert_str(str_without_suffix(STR("ns.yaml"), STR(".yaml")), STR("ns"));
    assert_str(str_without_suffix(STR("ns.yaml"), STR(".json")), STR("ns.yaml"));
    assert_str(str_without_suffix(STR(""), STR("x")), STR(""));
    assert_str(str_without_prefix(STR("v1.2"), STR("v")), STR("1.2"));
    assert_str(str_without_prefix(STR("v"), STR("v1")), STR("v"));
    assert_true(str_has_prefix(STR("x"), STR("")));
    assert_true(str_has_suffix(STR_NONE, STR_NONE));
}

TEST(trimming_takes_white_space_only)
{
    assert_str(str_trim(STR(" \t\r\nx y\n ")), STR("x y"));
    assert_str(str_trim(STR(" \n")), STR(""));
    assert_str(str_trim_set(STR("--a-b--"), STR("-")), STR("a-b"));
}

TEST(cut_splits_at_the_first_separator)
{
    str before, after;

    assert_true(str_cut(STR("a::b::c"), STR("::"), &before, &after));
    assert_str(before, STR("a"));
    assert_str(after, STR("b::c"));
    assert_false(str_cut(STR("abc"), STR(":"), &before, &after));
    assert_str(before, STR("abc"));
    assert_str(after, STR(""));
}

TEST(lines_end_at_lf_and_the_last_may_lack_it)
{
    str rest = STR("a\r\n\nb"), line;

    assert_true(str_next_line(&rest, &line));
    assert_str(line, STR("a\r"));
    assert_true(str_next_line(&rest, &line));
    assert_str(line, STR(""));
    assert_true(str_next_line(&rest, &line));
    assert_str(line, STR("b"));
    assert_false(str_next_line(&rest, &line));
    rest = STR("x\n");
    assert_true(str_next_line(&rest, &line));
    assert_false(str_next_line(&rest, &line));
}

TEST(order_is_bytewise_and_shorter_first)
{
    assert_true(str_cmp(STR("a"), STR("b")) < 0);
    assert_true(str_cmp(STR("a"), STR("ab")) < 0);
    assert_true(str_cmp(STR("\xFF"), STR("a")) > 0);
    assert_int_equal(str_cmp(STR_NONE, STR("")), 0);
    assert_true(str_cmp(STR("a\0b"), STR("a\0c")) < 0);
}

TEST(searching_finds_positions)
{
    assert_int_equal(str_find(STR("hello"), STR("l")), 2);
    assert_int_equal(str_find(STR("hello"), STR("")), 0);
    assert_int_equal(str_find(STR("hello"), STR("hellox")), STR_NPOS);
    assert_int_equal(str_find(STR_NONE, STR("he")), STR_NPOS);
    assert_int_equal(str_find(STR("ababababababababababababac"), STR("abac")), 22);
    assert_int_equal(str_find(STR("aaaaaaaaaaaaaaaaaaab"), STR("aab")), 17);
    assert_int_equal(str_find(STR("aaaaaaaaaaaaaaaaaaaa"), STR("aab")), STR_NPOS);
    assert_int_equal(str_find(STR("xx one two"), STR("two")), 7);
    assert_int_equal(str_find(STR("xx one tw"), STR("two")), STR_NPOS);
    assert_int_equal(str_find_char(STR("a/b/c"), '/'), 1);
    assert_int_equal(str_find_char(STR_NONE, '/'), STR_NPOS);
    assert_int_equal(str_rfind_char(STR("a/b/c"), '/'), 3);
    assert_int_equal(str_rfind_char(STR_NONE, '/'), STR_NPOS);
    assert_true(str_eq_fold(STR("Microsoft.Network"), STR("microsoft.network")));
    assert_false(str_eq_fold(STR("a["), STR("a{")));
}

/* Eight bytes are folded at once, the rest one by one: every byte at every place. */
TEST(letters_fold_and_nothing_else)
{
    AUTO_ARENA a = arena_new();
    char text[19], want[19];

    for (size_t at = 0; at < sizeof text; at++)
        for (int c = 0; c < 256; c++) {
            memset(text, 'x', sizeof text);
            text[at] = (char)c;
            memcpy(want, text, sizeof text);
            want[at] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
            assert_str(str_lower(a, str_of(text, sizeof text)), str_of(want, sizeof want));
            assert_true(str_eq_fold(str_of(text, sizeof text), str_of(want, sizeof want)));
            want[at] = (char)(c ^ 0x20);
            bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            assert_int_equal(str_eq_fold(str_of(text, sizeof text), str_of(want, sizeof want)),
                             letter);
        }
}

/* A byte of the sums holds 255: the text is longer than what they count in one go. */
TEST(bytes_are_counted_in_short_and_long_texts)
{
    enum { LONG = 255 * 16 * 2 + 33 };
    AUTO_ARENA a = arena_new();
    char *text = arena_alloc(a, LONG);

    assert_int_equal(str_count_char(STR_NONE, 'x'), 0);
    memset(text, 'x', LONG);
    for (size_t len = 0; len < 50; len++)
        assert_int_equal(str_count_char(str_of(text, len), 'x'), len);
    assert_int_equal(str_count_char(str_of(text, LONG), 'x'), LONG);
    text[0] = text[LONG - 1] = text[4096] = '\n';
    assert_int_equal(str_count_char(str_of(text, LONG), '\n'), 3);
    assert_int_equal(str_count_char(str_of(text, LONG), 'x'), LONG - 3);
}

TEST(a_pair_is_found_wherever_it_is)
{
    for (size_t at = 0; at < 40; at++) {
        char text[41];
        memset(text, 'a', sizeof text);
        text[at] = '\n';
        assert_int_equal(str_find_pair(str_of(text, sizeof text), '\n', '-'), STR_NPOS);
        text[at + 1] = '-';
        assert_int_equal(str_find_pair(str_of(text, sizeof text), '\n', '-'), at);
        assert_int_equal(str_find_pair(str_of(text, at + 1), '\n', '-'), STR_NPOS);
        assert_int_equal(str_find_pair(str_of(text, at + 2), '\n', '-'), at);
    }
    assert_int_equal(str_find_pair(STR_NONE, '\n', '-'), STR_NPOS);
}

TEST(numbers_must_fit_and_be_whole)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t want;
    } cases[] = {
        {"0", true, 0},
        {"-1", true, -1},
        {"+7", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"1 ", false, 0},
        {"0x1", false, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t got = 0;
        assert_int_equal(str_to_i64(str_c(cases[i].text), &got), cases[i].ok);
        assert_int_equal(got, cases[i].want);
    }
}

TEST(distance_counts_edits_and_swaps)
{
    assert_int_equal(str_distance(STR("compare"), STR("compare")), 0);
    assert_int_equal(str_distance(STR("comapre"), STR("compare")), 1);
    assert_int_equal(str_distance(STR("diff"), STR("dif")), 1);
    assert_int_equal(str_distance(STR("kitten"), STR("sitting")), 3);
    assert_int_equal(str_distance(STR(""), STR("abc")), 3);
}

TEST(copies_do_not_share)
{
    AUTO_ARENA a = arena_new();
    char text[] = "abc";
    str copy = str_copy(a, str_c(text));

    text[0] = 'x';
    assert_str(copy, STR("abc"));
    assert_string_equal(str_z(a, STR("x\0y")), "x");
    assert_str(str_concat(a, STR("a"), STR("b")), STR("ab"));
    assert_str(str_join(a, (const str[]){STR("a"), STR(""), STR("c")}, 3, STR(", ")),
               STR("a, , c"));
    assert_str(str_join(a, NULL, 0, STR(", ")), STR(""));
    assert_str(str_fmt(a, "%d-%.*s", 5, STR_ARG(STR("x"))), STR("5-x"));
    assert_str(str_lower(a, STR("AbÄ")), STR("abÄ"));
}

TEST(equal_texts_hash_equally_and_others_hardly_ever)
{
    char text[64] = {0};
    uint64_t seen[64];

    for (size_t i = 0; i < COUNT(seen); i++) {
        seen[i] = str_hash(str_of(text, i));
        assert_int_equal(seen[i], str_hash(str_of(text, i)));
        for (size_t j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
    }
}

/* Else two texts for every sixteen bytes would collide whatever the seed. */
TEST(texts_whose_halves_change_places_hash_apart)
{
    char first[16], second[16];

    memcpy(first, "abcdefghijklmnop", sizeof(first));
    memcpy(second, first + 8, 8);
    memcpy(second + 8, first, 8);
    assert_true(str_hash(str_of(first, 16)) != str_hash(str_of(second, 16)));
    second[0] ^= 16; /* their length, which is in the other half */
    second[8] ^= 16;
    assert_true(str_hash(str_of(first, 16)) != str_hash(str_of(second, 16)));
}

TEST(code_points_decode_as_in_go)
{
    static const struct {
        str text;
        uint32_t want;
        size_t width;
    } cases[] = {
        {STR_INIT("a"), 'a', 1},
        {STR_INIT("\xC3\xA9"), 0xE9, 2},
        {STR_INIT("\xE2\x82\xAC"), 0x20AC, 3},
        {STR_INIT("\xF0\x9F\x98\x80"), 0x1F600, 4},
        {STR_INIT("\xF4\x8F\xBF\xBF"), 0x10FFFF, 4},
        {STR_INIT("\x80"), RUNE_ERROR, 1},
        {STR_INIT("\xC0\x80"), RUNE_ERROR, 1},         /* overlong */
        {STR_INIT("\xE0\x80\x80"), RUNE_ERROR, 1},     /* overlong */
        {STR_INIT("\xED\xA0\x80"), RUNE_ERROR, 1},     /* surrogate */
        {STR_INIT("\xF4\x90\x80\x80"), RUNE_ERROR, 1}, /* beyond the last */
        {STR_INIT("\xE2\x82"), RUNE_ERROR, 1},         /* cut off */
        {STR_INIT("\xFF"), RUNE_ERROR, 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t width;
        assert_int_equal(utf8_decode(cases[i].text, &width), cases[i].want);
        assert_int_equal(width, cases[i].width);
        bool valid = cases[i].want != RUNE_ERROR;
        assert_int_equal(utf8_find_invalid(cases[i].text), valid ? STR_NPOS : 0);
        if (valid) {
            assert_int_equal(utf8_decode_last(cases[i].text, &width), cases[i].want);
            assert_int_equal(width, cases[i].width);
        }
    }
}

TEST(every_code_point_survives_encoding)
{
    for (uint32_t r = 0; r <= RUNE_MAX; r++) {
        char bytes[UTF8_MAX];
        size_t width, len = utf8_encode(bytes, r);
        bool surrogate = r >= 0xD800 && r <= 0xDFFF;
        assert_int_equal(utf8_decode(str_of(bytes, len), &width), surrogate ? RUNE_ERROR : r);
        assert_int_equal(width, len);
    }
}

TEST(repair_replaces_each_bad_byte)
{
    AUTO_ARENA a = arena_new();

    assert_str(utf8_repair(a, STR("a\xE2\x82z")), STR("a\xEF\xBF\xBD\xEF\xBF\xBDz"));
    assert_str(utf8_repair(a, STR("fine")), STR("fine"));
    assert_int_equal(utf8_count(STR("a\xE2\x82\xAC\xFFz")), 4);
    assert_int_equal(utf8_find_invalid(STR("0123456789abcdef\xE2\x82\xAC\xC3")), 19);
}

/* Checks that formatting gives what the C library does. */
static void check_as_printf(struct arena *a, const char *format, ...) FORMAT(2, 3);
static void check_as_printf(struct arena *a, const char *format, ...)
{
    char want[1024];
    va_list args;

    va_start(args, format);
    str got = str_vfmt(a, format, args);
    va_end(args);
    va_start(args, format);
    vsnprintf(want, sizeof(want), format, args);
    va_end(args);
    assert_str(got, str_c(want));
}

TEST(formats_mean_what_they_mean_in_c)
{
    AUTO_ARENA a = arena_new();

    check_as_printf(a, "nothing");
    check_as_printf(a, "100%% %c%c%4c", 'x', '%', 'y');
    check_as_printf(a, "%d %i %5d|%-5d|%05d|%+d|% d", -1, 2, 3, 4, 5, 6, 7);
    check_as_printf(a, "%*d|%-*d|%*d", 4, 1, 4, 2, -4, 3);
    check_as_printf(a, "%.3d|%8.3d|%.0d", 7, 7, 0);
    check_as_printf(a, "%u %x %X %#x %03o %08X", 4000000000u, 255u, 255u, 255u, 8u, 48879u);
    check_as_printf(a, "%ld %lu %lld %llu %016llx %zu %zx %jd %td", -1L, ~0UL, INT64_MIN + 0LL,
                    ~0ULL, 1ULL << 40, SIZE_MAX, SIZE_MAX, INTMAX_MIN, (ptrdiff_t)-9);
    check_as_printf(a, "%hhu %hd", (unsigned char)200, (short)-5);
    check_as_printf(a, "%d %05d|%5d|%03d|%24ld|%024ld|%25ld|%0d", INT32_MIN, -42, -42, -1234,
                    INT64_MIN, INT64_MIN, INT64_MIN, 0);
    check_as_printf(a, "%02x%02X|%04x|%2u|%024lu|%030lX|%04d", 0u, 171u, 0xfffffu, 7u, ~0UL, ~0UL,
                    5);
    check_as_printf(a, "%s|%10s|%-10s|%.2s|%5.1s|%.9s", "one", "two", "three", "four", "five", "x");
    check_as_printf(a, "%.*s|%*s|%-*s|%*.*s", 2, "abc", 5, "r", 5, "l", 6, 3, "middle");
    check_as_printf(a, "%f %.2f %10.1f %e %.3g %g %.*e", 1.5, 2.345, -3.0, 1e100, 1e-7, 1e300, 4,
                    0.1);
    check_as_printf(a, "%.17g %f", 0.1, 1.7e308);
}

TEST(a_text_is_printed_beyond_its_nul)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, 100);

    assert_str(str_fmt(a, "<%.*s> %d%c", STR_ARG(STR("a\0b")), 5, 0), STR("<a\0b> 5\0"));
    assert_str(str_fmt(a, "%5.*s|", STR_ARG(STR("a\0b"))), STR("  a\0b|"));
    buf_fmt(&b, "%.*s", STR_ARG(STR("\0\0")));
    assert_str(buf_str(&b), STR("\0\0"));
}

/* Short ones are printed once, long ones twice. */
TEST(texts_of_any_length_are_printed)
{
    AUTO_ARENA a = arena_new();
    AUTO_ARENA secret = arena_new_secret();

    for (size_t n = 0; n < 600; n++) {
        struct buf b = buf_new(a, 600);
        buf_repeat(&b, 'x', n);
        assert_str(str_fmt(a, "%.*s", STR_ARG(buf_str(&b))), buf_str(&b));
        assert_str(str_fmt(secret, "%.*s", STR_ARG(buf_str(&b))), buf_str(&b));
    }
}

RUN_TESTS(cmocka_unit_test(formats_mean_what_they_mean_in_c),
          cmocka_unit_test(texts_of_any_length_are_printed),
          cmocka_unit_test(a_text_is_printed_beyond_its_nul), cmocka_unit_test(slices_are_clamped),
          cmocka_unit_test(prefixes_and_suffixes_are_cut_only_when_they_match),
          cmocka_unit_test(trimming_takes_white_space_only),
          cmocka_unit_test(cut_splits_at_the_first_separator),
          cmocka_unit_test(lines_end_at_lf_and_the_last_may_lack_it),
          cmocka_unit_test(order_is_bytewise_and_shorter_first),
          cmocka_unit_test(searching_finds_positions),
          cmocka_unit_test(bytes_are_counted_in_short_and_long_texts),
          cmocka_unit_test(a_pair_is_found_wherever_it_is),
          cmocka_unit_test(letters_fold_and_nothing_else),
          cmocka_unit_test(numbers_must_fit_and_be_whole),
          cmocka_unit_test(distance_counts_edits_and_swaps), cmocka_unit_test(copies_do_not_share),
          cmocka_unit_test(equal_texts_hash_equally_and_others_hardly_ever),
          cmocka_unit_test(texts_whose_halves_change_places_hash_apart),
          cmocka_unit_test(code_points_decode_as_in_go),
          cmocka_unit_test(every_code_point_survives_encoding),
          cmocka_unit_test(repair_replaces_each_bad_byte))
