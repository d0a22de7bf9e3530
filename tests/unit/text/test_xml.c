/* SPDX-License-Identifier: Apache-2.0 */
/* test_xml.c - writing XML. Escapes of all characters are in tests/recorded/xml. */
#include "../test.h"

#include "text/xml.h"

static const struct {
    str in, want;
} escape_cases[] = {
    {STR_INIT(""), STR_INIT("")},
    {STR_INIT("plain"), STR_INIT("plain")},
    {STR_INIT("\"'&<>"), STR_INIT("&#34;&#39;&amp;&lt;&gt;")},
    {STR_INIT("\t\n\r"), STR_INIT("&#x9;&#xA;&#xD;")},
    {STR_INIT("a\0b\x1F"), STR_INIT("a\uFFFDb\uFFFD")},
    {STR_INIT("\xFF\uFFFD\xEF\xBF\xBF"), STR_INIT("\uFFFD\uFFFD\uFFFD")},
    {STR_INIT("\x7Fé\u2028"), STR_INIT("\x7Fé\u2028")},
};

TEST(text_is_escaped_as_go_does)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(escape_cases); i++) {
        struct buf b = buf_new(a, BUF_UNLIMITED);
        xml_escape(&b, escape_cases[i].in);
        assert_str(buf_str(&b), escape_cases[i].want);
    }
}

static void write_report(struct xml *x)
{
    xml_open(x, STR("testsuites"));
    xml_attr(x, STR("name"), STR("a<b"));
    xml_open(x, STR("testcase"));
    xml_open(x, STR("properties"));
    xml_close(x);
    xml_open(x, STR("failure"));
    xml_attr(x, STR("message"), STR("x\ny"));
    xml_attr(x, STR("type"), STR(""));
    xml_text(x, STR("- a\n+ b"));
    xml_close(x);
    xml_close(x);
    xml_close(x);
}

TEST(elements_with_children_are_indented_and_others_stay_on_one_line)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct xml x = xml_begin(&b, STR("\t"));

    xml_header(&x);
    write_report(&x);
    assert_str(buf_str(&b), STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                "<testsuites name=\"a&lt;b\">\n"
                                "\t<testcase>\n"
                                "\t\t<properties></properties>\n"
                                "\t\t<failure message=\"x&#xA;y\" type=\"\">- a&#xA;+ b</failure>\n"
                                "\t</testcase>\n"
                                "</testsuites>"));
}

TEST(without_indent_everything_is_one_line)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct xml x = xml_begin(&b, STR_NONE);

    xml_open(&x, STR("a"));
    xml_text(&x, STR("1"));
    xml_open(&x, STR("b"));
    xml_close(&x);
    xml_text(&x, STR("2"));
    xml_close(&x);
    assert_str(buf_str(&b), STR("<a>1<b></b>2</a>"));
}

TEST(all_levels_can_be_used)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct xml x = xml_begin(&b, STR(" "));

    for (size_t i = 0; i < XML_DEPTH_MAX; i++)
        xml_open(&x, STR("e"));
    for (size_t i = 0; i < XML_DEPTH_MAX; i++)
        xml_close(&x);
    assert_int_equal(x.depth, 0);
    assert_true(str_has_suffix(buf_str(&b), STR("\n </e>\n</e>")));
}

RUN_TESTS(cmocka_unit_test(text_is_escaped_as_go_does),
          cmocka_unit_test(elements_with_children_are_indented_and_others_stay_on_one_line),
          cmocka_unit_test(without_indent_everything_is_one_line),
          cmocka_unit_test(all_levels_can_be_used))
