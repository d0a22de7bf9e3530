/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact_lines.c - finds secrets in texts that are files: see redact_lines in redact.h.
 *
 * Such texts are in ConfigMaps and arguments: settings, manifests, scripts. They are read line by
 * line, without their syntax: what is between quotes is left to redact_text.
 */
#include "net/redact.h"
#include "text/secret_name.h"

#define NONE SIZE_MAX

struct lines {
    struct buf out;
    bool is_single; /* there is only one line: it may be prose */
    bool is_named;  /* a line "name: DB_PASSWORD" was before: the value may follow */
    size_t block;   /* the indentation of a name whose value are the next lines, or NONE */
    bool is_masked; /* something of that value is masked already */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Of a line, or with dashes, of the name in it. */
static size_t indentation(str line, bool dashes)
{
    size_t n = 0;

    while (n < line.len && (is_blank(line.ptr[n]) || (dashes && line.ptr[n] == '-')))
        n++;
    return n;
}

static bool has_blank(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (is_blank(text.ptr[i]))
            return true;
    return false;
}

/* Cuts "name: value" or "name:value", as YAML, properties and headers have it. */
static bool cut_line(str line, str *name, str *value)
{
    if (!str_cut(line, STR(": "), name, value) && !str_cut(line, STR(":\t"), name, value) &&
        !str_cut(line, STR(":"), name, value))
        return false;
    *name = str_trim_set(*name, STR(" \t-\"'"));
    *value = str_trim(*value);
    return true;
}

static void add_masked(struct lines *l, str line, str value)
{
    size_t at = (size_t)(value.ptr - line.ptr);

    buf_add(&l->out, str_slice(line, 0, at));
    buf_add(&l->out, STR(REDACTED));
    buf_add(&l->out, str_from(line, at + value.len));
}

/* Whether a value is masked: not what is quoted, an alias, or one of several values. */
static bool is_plain(str value)
{
    return value.len && str_find_char(STR("\"'*{["), value.ptr[0]) == STR_NPOS &&
           !str_eq(value, STR("null")) && !str_eq(value, STR("true")) &&
           !str_eq(value, STR("false"));
}

/* A line below a name whose value are the lines that are indented more. */
static bool take_block(struct lines *l, str line)
{
    if (l->block == NONE)
        return false;
    if (!str_trim(line).len) {
        buf_add(&l->out, line);
        return true;
    }
    if (indentation(line, false) <= l->block) {
        l->block = NONE;
        return false;
    }
    if (!l->is_masked)
        add_masked(l, line, str_trim(line));
    l->is_masked = true;
    return true;
}

/* "- name: DB_PASSWORD" in a line, and "value: x" in a later one. */
static bool take_variable(struct lines *l, str line, str name, str value)
{
    if (str_eq(name, STR("name"))) {
        l->is_named = secret_name_is(str_trim_set(value, STR("\"'")));
        return false;
    }
    if (!l->is_named || !str_eq(name, STR("value")) || !value.len)
        return false;
    l->is_named = false;
    add_masked(l, line, value);
    return true;
}

static bool take_named(struct lines *l, str line)
{
    str name, value;

    if (!cut_line(line, &name, &value))
        return false;
    if (take_variable(l, line, name, value))
        return true;
    if (!secret_name_is(name) || (l->is_single && (has_blank(name) || has_blank(value))))
        return false;
    if (value.len && (value.ptr[0] == '|' || value.ptr[0] == '>')) {
        l->block = indentation(line, true);
        l->is_masked = false;
        return false;
    }
    if (!is_plain(value))
        return false;
    add_masked(l, line, value);
    return true;
}

/* The members of "{user: a, password: b}" and "{name: DB_PASSWORD, value: b}". */
static void take_members(struct lines *l, str line)
{
    size_t begin = str_find_char(line, '{'), end;
    str name, value;

    if (begin == STR_NPOS) {
        buf_add(&l->out, line);
        return;
    }
    buf_add(&l->out, str_slice(line, 0, begin));
    for (; begin < line.len; begin = end) {
        for (end = begin + 1; end < line.len && !strchr("{},", line.ptr[end]);)
            end++;
        str member = str_slice(line, begin, end);
        bool is_member = line.ptr[begin] != '}' && cut_line(str_from(member, 1), &name, &value);
        if (is_member && take_variable(l, member, name, value))
            continue;
        if (is_member && secret_name_is(name) && is_plain(value))
            add_masked(l, member, value);
        else
            buf_add(&l->out, member);
    }
}

str redact_lines(struct arena *a, str text)
{
    struct lines l = {.out = buf_new(a, BUF_UNLIMITED),
                      .is_single = str_find_char(text, '\n') == STR_NPOS,
                      .block = NONE};
    str rest = text, line;

    for (bool more = true; more;) {
        more = str_cut(rest, STR("\n"), &line, &rest);
        size_t before = l.out.len;
        bool in_block = take_block(&l, line);
        if (!in_block && !take_named(&l, line))
            take_members(&l, line);
        /* The other lines of a block are gone. */
        if (more && (!in_block || l.out.len > before || !str_trim(line).len))
            buf_char(&l.out, '\n');
    }
    return str_eq(buf_str(&l.out), text) ? text : buf_str(&l.out);
}

bool redact_has_secret(str text)
{
    for (size_t at; (at = str_find(text, STR("kind"))) != STR_NPOS;) {
        text = str_from(text, at + 4);
        str rest = str_trim_set(str_slice(text, 0, 40), STR("\\\"' \t"));
        if (!str_has_prefix(rest, STR(":")))
            continue;
        rest = str_trim_set(str_from(rest, 1), STR("\\\"' \t"));
        if (str_has_prefix(rest, STR("Secret")) &&
            (rest.len == 6 || str_find_char(STR("\r\n\\\"',} "), rest.ptr[6]) != STR_NPOS))
            return true;
    }
    return false;
}
