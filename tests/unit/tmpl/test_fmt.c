/* SPDX-License-Identifier: Apache-2.0 */
#include "render.h"

static const struct render_case cases[] = {
    /* Integers. */
    {"{{printf \"%5d|%-5d|%05d|%+d|% d\" 42 42 42 42 42}}", NULL, "   42|42   |00042|+42| 42"},
    {"{{printf \"%x %X %#x %o %#o %O %b %#b\" 255 255 255 8 8 8 5 5}}", NULL,
     "ff FF 0xff 10 010 0o10 101 0b101"},
    {"{{printf \"%c %q %U %#U\" 233 233 233 233}}", NULL, "é 'é' U+00E9 U+00E9 'é'"},
    {"{{printf \"%.3d|%8.3d|%-8.3d|%.0d|\" 7 7 7 0}}", NULL, "007|     007|007     ||"},
    {"{{printf \"%+.2x\" -15}}", NULL, "-0f"},
    /* Floats. */
    {"{{printf \"%f %.2f %8.3f %-8.1f| %+.0f\" 1.5 1.005 3.14159 2.25 2.5}}", NULL,
     "1.500000 1.00    3.142 2.2     | +2"},
    {"{{printf \"%e %E %.0e %g %G\" 123456.789 0.00001 5.5 1e21 1e-7}}", NULL,
     "1.234568e+05 1.000000E-05 6e+00 1e+21 1E-07"},
    {"{{printf \"%g %g %g %.3g %.10g\" 100000.0 1000000.0 0.0001 1234.5 1234.5}}", NULL,
     "100000 1e+06 0.0001 1.23e+03 1234.5"},
    {"{{printf \"%x %X %b %.1x\" 1.5 -2.25 1.0 1.97}}", NULL,
     "0x1.8p+00 -0X1.2P+01 4503599627370496p-52 0x1.0p+01"},
    {"{{printf \"%#g %#.3g %#e %#x\" 1.0 1.0 1.0 1.0}}", NULL,
     "1.00000 1.00 1.000000e+00 0x1.0000p+00"},
    {"{{printf \"%06.1f|%-8v|%+v\" -1.5 2.5 2.5}}", NULL, "-001.5|2.5     |2.5"},
    {"{{printf \"%v %5.1f %e\" 1i 2i 3i}}", NULL,
     "(0+1i) (  0.0 +2.0i) (0.000000e+00+3.000000e+00i)"},
    /* Strings. */
    {"{{printf \"%s|%5s|%-5s|%.2s|%q|%x|% X|%#x\" \"héy\" \"a\" \"a\" \"héy\" \"a\\n\" \"hi\" "
     "\"hi\" \"hi\"}}",
     NULL, "héy|    a|a    |hé|\"a\\n\"|6869|68 69|0x6869"},
    {"{{printf \"%+q %#q %#q\" \"é☺\" \"raw\" \"a`b\"}}", NULL, "\"\\u00e9\\u263a\" `raw` \"a`b\""},
    /* Composites and types. */
    {"{{printf \"%v %+v %#v %T\" . . . .}}", "{\"a\":[1,null],\"b\":\"x\"}",
     "map[a:[1 <nil>] b:x] map[a:[1 <nil>] b:x] map[string]interface {}{\"a\":[]interface {}{1, "
     "interface {}(nil)}, \"b\":\"x\"} map[string]interface {}"},
    {"{{printf \"%d %s %q\" (list 1 \"a\") (list 1 \"a\") (list 1 \"a\")}}", NULL,
     "[1 %!d(string=a)] [%!s(int=1) a] ['\\x01' \"a\"]"},
    {"{{printf \"%T %T %T %T %T\" 1 1.5 'a' nil (until 1)}}", NULL, "int float64 int <nil> []int"},
    {"{{printf \"%t %v %d\" true false true}}", NULL, "true false %!d(bool=true)"},
    /* Mistakes. */
    {"{{printf \"%d %s\" 1}}", NULL, "1 %!s(MISSING)"},
    {"{{printf \"%d\" 1 2 \"x\"}}", NULL, "1%!(EXTRA int=2, string=x)"},
    {"{{printf \"%z %!\" 1}}", NULL, "%!z(int=1) %!!(MISSING)"},
    {"{{printf \"%\"}}", NULL, "%!(NOVERB)"},
    {"{{printf \"%[2]d %[1]d %[5]d %[x]d\" 1 2}}", NULL, "2 1 %!d(BADINDEX) %!d(BADINDEX)"},
    {"{{printf \"%*d|%-*d|%.*f|%*d\" 5 1 5 1 2 1.0 \"x\" 3}}", NULL,
     "    1|1    |1.00|%!(BADWIDTH)3"},
    {"{{printf \"%d%%\" 5}}", NULL, "5%"},
    /* print and println. */
    {"{{print 1 2 \"a\" \"b\" 3 4 nil nil}}", NULL, "1 2ab3 4 <nil> <nil>"},
    {"{{println 1 \"a\" nil}}", NULL, "1 a <nil>\n"},
};

TEST(verbs_flags_and_mistakes_print_as_in_go)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(render(a, cases[i].text, cases[i].json), str_c(cases[i].want));
}

RUN_TESTS(cmocka_unit_test(verbs_flags_and_mistakes_print_as_in_go))
