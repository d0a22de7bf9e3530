/* SPDX-License-Identifier: Apache-2.0 */
#include "../test.h"

#include "tmpl/internal.h"

static const char *const names[] = {
    [TOKEN_BOOL] = "bool",       [TOKEN_CHAR] = "char",       [TOKEN_CHAR_CONSTANT] = "rune",
    [TOKEN_COMPLEX] = "complex", [TOKEN_ASSIGN] = "=",        [TOKEN_DECLARE] = ":=",
    [TOKEN_FIELD] = "field",     [TOKEN_IDENTIFIER] = "name", [TOKEN_LEFT_DELIM] = "L",
    [TOKEN_LEFT_PAREN] = "(",    [TOKEN_NUMBER] = "number",   [TOKEN_PIPE] = "|",
    [TOKEN_RAW_STRING] = "raw",  [TOKEN_RIGHT_DELIM] = "R",   [TOKEN_RIGHT_PAREN] = ")",
    [TOKEN_STRING] = "string",   [TOKEN_TEXT] = "text",       [TOKEN_VARIABLE] = "variable",
    [TOKEN_END] = "end",         [TOKEN_IF] = "if",
};

/* Tokens as "KIND:text" with blanks between; lines are behind an @ when they change. */
static str tokens_of(struct arena *a, const char *text)
{
    struct lexer l = lexer_new(a, str_c(text), STR_NONE, STR_NONE);
    struct buf b = buf_new(a, BUF_UNLIMITED);
    uint32_t line = 1;

    for (;;) {
        struct token t = {0};
        lexer_next(&l, &t);
        if (lexer_line(str_c(text), t.pos) != line)
            buf_fmt(&b, "@%u ", line = lexer_line(str_c(text), t.pos));
        if (t.kind == TOKEN_EOF || t.kind == TOKEN_ERROR) {
            buf_fmt(&b, "%s%.*s", t.kind == TOKEN_EOF ? "EOF" : "ERROR:", STR_ARG(t.text));
            return buf_str(&b);
        }
        if (t.kind != TOKEN_SPACE)
            buf_fmt(&b, "%s:%.*s ", names[t.kind], STR_ARG(t.text));
    }
}

static const struct {
    const char *text, *want;
} cases[] = {
    {"", "EOF"},
    {"plain", "text:plain EOF"},
    {"a {{- 1 -}} b", "text:a L:{{ number:1 R:}} text:b EOF"},
    {"a {{-1}} b", "text:a  L:{{ number:-1 R:}} text: b EOF"},
    {"a{{/* c */}}b", "text:a text:b EOF"},
    {"a {{- /* c\n */ -}} \n b", "text:a @3 text:b EOF"},
    {"{{.a.b}}", "L:{{ field:.a field:.b R:}} EOF"},
    {"{{$x := .y}}", "L:{{ variable:$x :=::= field:.y R:}} EOF"},
    {"{{if true}}{{end}}", "L:{{ if:if bool:true R:}} L:{{ end:end R:}} EOF"},
    {"{{`a\nb` 'c' \"d\\\"\"}}", "L:{{ raw:`a\nb` @2 rune:'c' string:\"d\\\"\" R:}} EOF"},
    {"{{(1|f)}}", "L:{{ (:( number:1 |:| name:f ):) R:}} EOF"},
    {"{{1+2i .5 0x1p-2}}", "L:{{ complex:1+2i number:.5 number:0x1p-2 R:}} EOF"},
    {"{{é}}", "L:{{ name:é R:}} EOF"},
    {"{{", "L:{{ ERROR:unclosed action"},
    {"{{(}}", "L:{{ (:( ERROR:unclosed left paren"},
    {"{{)}}", "L:{{ ERROR:unexpected right paren"},
    {"{{a\"b\"}}", "L:{{ ERROR:bad character U+0022 '\"'"},
    {"{{\"a\nb\"}}", "L:{{ ERROR:unterminated quoted string"},
    {"{{'a", "L:{{ ERROR:unterminated character constant"},
    {"{{`a", "L:{{ ERROR:unterminated raw quoted string"},
    {"{{1a}}", "L:{{ ERROR:bad number syntax: \"1a\""},
    {"{{:}}", "L:{{ ERROR:expected :="},
    {"{{\x01}}", "L:{{ ERROR:unrecognized character in action: U+0001"},
    {"{{/* a", "ERROR:unclosed comment"},
    {"{{/* a */ }}", "ERROR:comment ends before closing delimiter"},
};

TEST(texts_are_cut_into_tokens)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(tokens_of(a, cases[i].text), str_c(cases[i].want));
}

TEST(after_an_error_there_is_nothing_more)
{
    AUTO_ARENA a = arena_new();
    struct lexer l = lexer_new(a, STR("{{)}} more"), STR_NONE, STR_NONE);
    struct token t;

    do
        lexer_next(&l, &t);
    while (t.kind != TOKEN_ERROR);
    lexer_next(&l, &t);
    assert_int_equal(t.kind, TOKEN_EOF);
}

RUN_TESTS(cmocka_unit_test(texts_are_cut_into_tokens),
          cmocka_unit_test(after_an_error_there_is_nothing_more))
