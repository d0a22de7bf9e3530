/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unclosed.c - finds the start of what a template leaves unclosed.
 *
 * The parser reports such an error where it notices it: at the end of the file, or at the first
 * word that makes no sense inside the unclosed action. The place to fix is where it was opened.
 * Here a template is scanned roughly: delimiters, quoted texts, comments and first words.
 */
#include "compare/lint/internal.h"

struct opening {
    str word; /* if, range ..., or {{ for the action itself */
    uint32_t line;
};

struct scan {
    struct arena *arena;
    str text;
    size_t at;
    uint32_t line;
    VEC(struct opening) open;
};

static bool begins(const struct scan *s, str mark)
{
    return str_has_prefix(str_from(s->text, s->at), mark);
}

static void skip(struct scan *s, size_t count)
{
    for (size_t i = 0; i < count && s->at < s->text.len; i++)
        s->line += s->text.ptr[s->at++] == '\n';
}

/* Past the mark; false: there is none. */
static bool skip_past(struct scan *s, str mark)
{
    size_t found = str_find(str_from(s->text, s->at), mark);

    if (found == STR_NPOS)
        return false;
    skip(s, found + mark.len);
    return true;
}

/* Past a text in quotes, which ends with its line at the latest; one in back quotes need not. */
static void skip_quoted(struct scan *s)
{
    char quote = s->text.ptr[s->at];

    skip(s, 1);
    while (s->at < s->text.len && s->text.ptr[s->at] != quote) {
        if (quote != '`' && s->text.ptr[s->at] == '\n')
            return;
        skip(s, quote != '`' && s->text.ptr[s->at] == '\\' ? 2 : 1);
    }
    skip(s, 1);
}

/* The word that an action begins with. */
static str first_word(struct scan *s)
{
    if (begins(s, STR("- ")))
        skip(s, 1);
    while (s->at < s->text.len && strchr(" \t\r\n", s->text.ptr[s->at]))
        skip(s, 1);
    str rest = str_from(s->text, s->at);
    size_t len = 0;
    while (len < rest.len && rest.ptr[len] >= 'a' && rest.ptr[len] <= 'z')
        len++;
    return str_slice(rest, 0, len);
}

static bool is_opener(str word)
{
    static const char *const openers[] = {"block", "define", "if", "range", "with"};

    for (size_t i = 0; i < COUNT(openers); i++)
        if (str_eq(word, str_c(openers[i])))
            return true;
    return false;
}

/* An action, from behind its left delimiter; false: it is not closed, as far as can be told. */
static bool scan_action(struct scan *s)
{
    uint32_t line = s->line;
    str word = first_word(s);

    if (str_has_prefix(str_from(s->text, s->at), STR("/*")))
        return skip_past(s, STR("*/")) && skip_past(s, STR("}}"));
    while (s->at < s->text.len && !begins(s, STR("}}")) && !begins(s, STR("{{"))) {
        if (strchr("\"'`", s->text.ptr[s->at]))
            skip_quoted(s);
        else
            skip(s, 1);
    }
    if (!begins(s, STR("}}")))
        return false;
    skip(s, 2);
    if (is_opener(word))
        VEC_PUSH(s->arena, &s->open, ((struct opening){word, line}));
    else if (str_eq(word, STR("end")) && s->open.len)
        s->open.len--;
    return true;
}

bool lint_unclosed(struct arena *a, str text, str *word, uint32_t *line)
{
    struct scan s = {.arena = a, .text = text, .line = 1};

    while (skip_past(&s, STR("{{"))) {
        *line = s.line;
        *word = STR("{{");
        if (!scan_action(&s))
            return true;
    }
    if (!s.open.len)
        return false;
    *word = s.open.items[s.open.len - 1].word;
    *line = s.open.items[s.open.len - 1].line;
    return true;
}
