/* SPDX-License-Identifier: Apache-2.0 */
/* usage.c - the list of options in a help text, in the layout of pflag's FlagUsagesWrapped. */
#include "cli/options/options.h"
#include "go/quote.h"

const char *option_help(const struct option *o)
{
    return o->words ? o->words->help(o->words->of) : o->help;
}

/* Finds a word in back quotes: its start and end without the quotes. */
static bool find_quoted(str help, size_t *start, size_t *end)
{
    size_t open = str_find_char(help, '`');
    size_t close;

    if (open == STR_NPOS)
        return false;
    close = str_find_char(str_from(help, open + 1), '`');
    *start = open + 1;
    *end = open + 1 + close;
    return close != STR_NPOS;
}

str option_value_name(const struct option *o, bool go)
{
    static const struct {
        const char *go, *own;
    } names[] = {
        [OPTION_BOOL] = {"", ""},
        [OPTION_COUNT] = {"count", ""},
        [OPTION_DURATION] = {"duration", "TIME"},
        [OPTION_INT] = {"int", "N"},
        [OPTION_STRING] = {"string", "TEXT"},
        [OPTION_STRINGS] = {"strings", "LIST"},
        [OPTION_ARRAY] = {"stringArray", "TEXT"},
    };
    size_t start, end;
    str help = str_c(option_help(o));

    if (find_quoted(help, &start, &end))
        return str_slice(help, start, end);
    return str_c(go ? names[o->type].go : names[o->type].own);
}

const char *const *option_choices(const struct option *o)
{
    return o->words ? o->words->choices(o->words->of) : o->choices;
}

str option_help_text(struct arena *a, const struct option *o)
{
    size_t start, end;
    str help = str_c(option_help(o));

    if (!find_quoted(help, &start, &end))
        return help;
    return str_fmt(a, "%.*s%.*s%.*s", STR_ARG(str_slice(help, 0, start - 1)),
                   STR_ARG(str_slice(help, start, end)), STR_ARG(str_from(help, end + 1)));
}

const char *option_bare(const struct option *o)
{
    if (o->bare)
        return o->bare;
    if (o->type == OPTION_BOOL)
        return "true";
    return o->type == OPTION_COUNT ? "+1" : NULL;
}

/* "[=x]" after a name means that the value is optional, unless that is obvious. */
static void add_bare(struct buf *out, const struct option *o)
{
    const char *bare = option_bare(o);
    bool expected = (o->type == OPTION_BOOL && bare && str_eq(str_c(bare), STR("true"))) ||
                    (o->type == OPTION_COUNT && bare && str_eq(str_c(bare), STR("+1")));

    if (!bare || !*bare || expected)
        return;
    if (o->type == OPTION_STRING)
        buf_fmt(out, "[=\"%s\"]", bare);
    else
        buf_fmt(out, "[=%s]", bare);
}

static void add_names(struct buf *out, const struct option *o, bool go)
{
    str value = option_value_name(o, go);

    if (o->letter)
        buf_fmt(out, "  -%c, --%s", o->letter, o->name);
    else
        buf_fmt(out, "      --%s", o->name);
    if (value.len)
        buf_fmt(out, " %.*s", STR_ARG(value));
    add_bare(out, o);
}

/* Zero values are not worth showing. */
static bool default_is_shown(const struct option *o)
{
    str value = str_c(o->value);

    switch (o->type) {
    case OPTION_BOOL:
        return value.len && !str_eq(value, STR("false"));
    case OPTION_DURATION:
        return value.len && !str_eq(value, STR("0")) && !str_eq(value, STR("0s"));
    case OPTION_COUNT:
    case OPTION_INT:
        return value.len && !str_eq(value, STR("0"));
    case OPTION_STRING:
    case OPTION_STRINGS:
    case OPTION_ARRAY:
        break;
    }
    return value.len > 0;
}

static str description(struct arena *a, const struct option *o)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, option_help_text(a, o));
    if (!default_is_shown(o))
        return buf_str(&b);
    if (o->type == OPTION_STRING)
        buf_fmt(&b, " (default %.*s)", STR_ARG(go_quoted(a, str_c(o->value))));
    else if (o->type == OPTION_STRINGS || o->type == OPTION_ARRAY)
        buf_fmt(&b, " (default [%s])", o->value);
    else
        buf_fmt(&b, " (default %s)", o->value);
    return buf_str(&b);
}

/* ---- Wrapping. ---- */

static void add_indented(struct buf *out, str text, size_t indent)
{
    str line;

    while (str_cut(text, STR("\n"), &line, &text)) {
        buf_add(out, line);
        buf_char(out, '\n');
        buf_repeat(out, ' ', indent);
    }
    buf_add(out, line);
}

static size_t last_of(str s, str set)
{
    for (size_t i = s.len; i > 0; i--)
        if (str_find_char(set, s.ptr[i - 1]) != STR_NPOS)
            return i - 1;
    return STR_NPOS;
}

/* Takes a line of about width bytes off *rest; up to slop more if that finishes the text. */
static str take_line(str *rest, size_t width, size_t slop)
{
    str line = *rest, head = str_slice(*rest, 0, width);
    size_t blank, newline;

    *rest = STR_NONE;
    if (width + slop > line.len)
        return line;
    blank = last_of(head, STR(" \t\n"));
    if (blank == STR_NPOS || blank == 0)
        return line;
    newline = last_of(head, STR("\n"));
    if (newline != STR_NPOS && newline > 0 && newline < blank)
        blank = newline;
    *rest = str_from(line, blank + 1);
    return str_slice(line, 0, blank);
}

#define WRAP_LEAST 24 /* columns below which wrapping makes no sense */
#define WRAP_INDENT 16
#define WRAP_SLOP 5

static void add_wrapped(struct buf *out, str text, size_t indent, size_t cols)
{
    bool narrow = cols < indent + WRAP_LEAST;
    str line;

    if (cols == 0) {
        add_indented(out, text, indent);
        return;
    }
    if (narrow)
        indent = WRAP_INDENT;
    if (cols < indent + WRAP_LEAST) {
        add_indented(out, text, WRAP_INDENT);
        return;
    }
    if (narrow) {
        buf_char(out, '\n');
        buf_repeat(out, ' ', indent);
    }
    line = take_line(&text, cols - indent - WRAP_SLOP, WRAP_SLOP);
    add_indented(out, line, indent);
    while (text.len) {
        line = take_line(&text, cols - indent - WRAP_SLOP, WRAP_SLOP);
        buf_char(out, '\n');
        buf_repeat(out, ' ', indent);
        add_indented(out, line, indent);
    }
}

void options_usage(struct buf *out, const struct option *options, size_t count, size_t cols)
{
    AUTO_ARENA a = arena_new();
    struct buf names = buf_new(a, BUF_UNLIMITED);
    size_t widest = 0;

    for (size_t i = 0; i < count; i++) {
        buf_truncate(&names, 0);
        add_names(&names, &options[i], cols == 0);
        if (!options[i].hidden && names.len > widest)
            widest = names.len;
    }
    for (size_t i = 0; i < count; i++) {
        size_t start = out->len;
        if (options[i].hidden)
            continue;
        add_names(out, &options[i], cols == 0);
        buf_repeat(out, ' ', widest + 3 - (out->len - start));
        add_wrapped(out, description(a, &options[i]), widest + 3, cols);
        buf_char(out, '\n');
    }
}
