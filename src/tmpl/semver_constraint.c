/* SPDX-License-Identifier: Apache-2.0 */
/*
 * semver_constraint.c - conditions on versions.
 *
 * The original finds conditions by regular expressions; each scanner here takes what one of them
 * would. A segment of a version in a condition is digits, x, X, *, or (Upstream: by mistake) |.
 */
#include "tmpl/semver.h"

/* Finding ranges takes time by the square of the length, and no honest constraint is so long. */
#define CONSTRAINT_MAX 4096

/* Which segments were left out or are x, * or X. */
enum wild { WILD_NONE, WILD_PATCH, WILD_MINOR, WILD_ALL };

struct condition;
typedef bool (*condition_check)(const struct semver *v, const struct condition *c);

struct condition {
    struct semver version;
    enum wild wild;
    condition_check check;
};

struct conditions {
    VEC(struct condition) all; /* every one must hold */
};

struct semver_constraint {
    VEC(struct conditions) any; /* one of them must hold */
};

/* ---- Checking ----------------------------------------------------------------------------------
 */

/* Releases only, unless the condition names a version before a release itself. */
static bool is_unwanted_pre(const struct semver *v, const struct condition *c)
{
    return v->pre.len && !c->version.pre.len;
}

static bool check_not_equal(const struct semver *v, const struct condition *c)
{
    const struct semver *w = &c->version;

    if (c->wild == WILD_NONE)
        return semver_compare(v, w) != 0;
    if (is_unwanted_pre(v, c))
        return false;
    if (v->major != w->major)
        return true;
    if (c->wild == WILD_MINOR)
        return false;
    if (v->minor != w->minor)
        return true;
    if (c->wild == WILD_PATCH) {
        struct semver x = {.pre = v->pre}, y = {.pre = w->pre};
        return semver_compare(&x, &y) != 0;
    }
    return v->patch != w->patch || semver_compare(v, w) != 0;
}

static bool check_greater(const struct semver *v, const struct condition *c)
{
    const struct semver *w = &c->version;

    if (is_unwanted_pre(v, c))
        return false;
    if (c->wild != WILD_NONE && v->major != w->major)
        return v->major > w->major;
    if (c->wild == WILD_MINOR)
        return false;
    if (c->wild == WILD_PATCH)
        return v->minor > w->minor;
    return semver_compare(v, w) > 0;
}

static bool check_less(const struct semver *v, const struct condition *c)
{
    return !is_unwanted_pre(v, c) && semver_compare(v, &c->version) < 0;
}

static bool check_greater_equal(const struct semver *v, const struct condition *c)
{
    return !is_unwanted_pre(v, c) && semver_compare(v, &c->version) >= 0;
}

static bool check_less_equal(const struct semver *v, const struct condition *c)
{
    const struct semver *w = &c->version;

    if (is_unwanted_pre(v, c))
        return false;
    if (c->wild == WILD_NONE)
        return semver_compare(v, w) <= 0;
    return v->major < w->major ||
           (v->major == w->major && (v->minor <= w->minor || c->wild == WILD_MINOR));
}

static bool check_tilde(const struct semver *v, const struct condition *c)
{
    const struct semver *w = &c->version;
    bool by_segment = c->wild == WILD_MINOR || c->wild == WILD_PATCH;

    if (is_unwanted_pre(v, c) || semver_compare(v, w) < 0)
        return false;
    if (!w->major && !w->minor && !w->patch && !by_segment)
        return true;
    return v->major == w->major && (v->minor == w->minor || c->wild == WILD_MINOR);
}

static bool check_equal(const struct semver *v, const struct condition *c)
{
    if (c->wild != WILD_NONE)
        return check_tilde(v, c);
    return !is_unwanted_pre(v, c) && semver_compare(v, &c->version) == 0;
}

/* The first segment that is not 0 must stay. */
static bool check_caret(const struct semver *v, const struct condition *c)
{
    const struct semver *w = &c->version;

    if (is_unwanted_pre(v, c) || semver_compare(v, w) < 0)
        return false;
    if (w->major || c->wild == WILD_MINOR)
        return v->major == w->major;
    if (v->major)
        return false;
    if (w->minor || c->wild == WILD_PATCH)
        return v->minor == w->minor;
    return !v->minor && v->patch == w->patch;
}

bool semver_satisfies(const struct semver *v, const struct semver_constraint *c)
{
    for (size_t i = 0; i < c->any.len; i++) {
        const struct conditions *group = &c->any.items[i];
        size_t n = 0;
        while (n < group->all.len && group->all.items[n].check(v, &group->all.items[n]))
            n++;
        if (n == group->all.len)
            return true;
    }
    return false;
}

/* ---- Scanning ----------------------------------------------------------------------------------
 */

static const struct {
    const char *text;
    condition_check check;
} operators[] = {
    /* Longer ones first. */
    {"!=", check_not_equal},  {">=", check_greater_equal}, {"=>", check_greater_equal},
    {"<=", check_less_equal}, {"=<", check_less_equal},    {"~>", check_tilde},
    {"=", check_equal},       {">", check_greater},        {"<", check_less},
    {"~", check_tilde},       {"^", check_caret},          {"", check_equal},
};

static bool is_segment_char(char c)
{
    return (c >= '0' && c <= '9') || c == '|' || c == 'x' || c == 'X' || c == '*';
}

static bool is_part_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static size_t run_len(str s, bool (*is)(char))
{
    size_t n = 0;

    while (n < s.len && is(s.ptr[n]))
        n++;
    return n;
}

static void skip_spaces(str *s)
{
    *s = str_from(*s, run_len(*s, is_space));
}

/* A version in a condition; each segment but the first begins with its dot, pre with its dash. */
struct pattern {
    str whole, major, minor, patch, pre;
};

static bool has_at(str s, size_t at, char c)
{
    return at < s.len && s.ptr[at] == c;
}

/* ".x" at *at, taken. */
static str take_dotted(str s, size_t *at)
{
    size_t from = *at,
           n = has_at(s, from, '.') ? run_len(str_from(s, from + 1), is_segment_char) : 0;

    if (!n)
        return STR_NONE;
    *at = from + 1 + n;
    return str_slice(s, from, *at);
}

/* "-a.b" or "+a.b" at *at, taken. */
static str take_marked(str s, size_t *at, char mark)
{
    size_t from = *at, to = from, n;

    for (char c = mark; has_at(s, to, c); c = '.') {
        n = run_len(str_from(s, to + 1), is_part_char);
        if (!n)
            break;
        to += 1 + n;
    }
    *at = to;
    return str_slice(s, from, to);
}

/* Takes a version off *s. */
static bool take_pattern(str *s, struct pattern *out)
{
    size_t at = has_at(*s, 0, 'v'), n = run_len(str_from(*s, at), is_segment_char);

    if (!n)
        return false;
    *out = (struct pattern){.major = str_slice(*s, at, at + n)};
    at += n;
    out->minor = take_dotted(*s, &at);
    if (out->minor.len)
        out->patch = take_dotted(*s, &at);
    out->pre = take_marked(*s, &at, '-');
    take_marked(*s, &at, '+');
    out->whole = str_slice(*s, 0, at);
    *s = str_from(*s, at);
    return true;
}

/* ---- Ranges: "1.2 - 1.4" becomes ">= 1.2, <= 1.4" ----------------------------------------------
 */

struct range {
    str text; /* with the blanks around it */
    str from, to;
};

static bool take_range(str at, struct range *out)
{
    str s = at;
    struct pattern from, to;
    size_t before, after;

    skip_spaces(&s);
    if (!take_pattern(&s, &from))
        return false;
    before = run_len(s, is_space);
    s = str_from(s, before);
    if (!before || !has_at(s, 0, '-'))
        return false;
    s = str_from(s, 1);
    after = run_len(s, is_space);
    s = str_from(s, after);
    if (!after || !take_pattern(&s, &to))
        return false;
    skip_spaces(&s);
    *out = (struct range){str_slice(at, 0, at.len - s.len), from.whole, to.whole};
    return true;
}

/* Upstream: replaces the first text that looks like the range, wherever that is. */
static str replace_range(struct arena *a, str text, const struct range *r)
{
    size_t at = str_find(text, r->text);

    if (at == STR_NPOS)
        return text;
    return str_fmt(a, "%.*s>= %.*s, <= %.*s%.*s", STR_ARG(str_slice(text, 0, at)), STR_ARG(r->from),
                   STR_ARG(r->to), STR_ARG(str_from(text, at + r->text.len)));
}

static str rewrite_ranges(struct arena *a, str text)
{
    struct range r;
    str out = text;

    for (size_t i = 0; i < text.len;) {
        if (!take_range(str_from(text, i), &r)) {
            i++;
            continue;
        }
        out = replace_range(a, out, &r);
        i += r.text.len;
    }
    return out;
}

/* ---- Parsing -----------------------------------------------------------------------------------
 */

static bool is_wild(str segment)
{
    segment = str_without_prefix(segment, STR("."));
    return !segment.len || str_eq(segment, STR("x")) || str_eq(segment, STR("X")) ||
           str_eq(segment, STR("*"));
}

/* The lowest version that a pattern matches. */
static str lowest(struct arena *a, const struct pattern *p, enum wild *wild)
{
    *wild = WILD_ALL;
    if (is_wild(p->major))
        return str_fmt(a, "0.0.0%.*s", STR_ARG(p->pre));
    *wild = WILD_MINOR;
    if (is_wild(p->minor))
        return str_fmt(a, "%.*s.0.0%.*s", STR_ARG(p->major), STR_ARG(p->pre));
    *wild = WILD_PATCH;
    if (is_wild(p->patch))
        return str_fmt(a, "%.*s%.*s.0%.*s", STR_ARG(p->major), STR_ARG(p->minor), STR_ARG(p->pre));
    *wild = WILD_NONE;
    return p->whole;
}

/* An operator and a version off *s. */
static bool take_condition(str *s, condition_check *check, struct pattern *p)
{
    for (size_t i = 0; i < COUNT(operators); i++) {
        str rest = str_without_prefix(*s, str_c(operators[i].text));
        if (!str_has_prefix(*s, str_c(operators[i].text)))
            continue;
        skip_spaces(&rest);
        if (!take_pattern(&rest, p))
            continue;
        *check = operators[i].check;
        *s = rest;
        return true;
    }
    return false;
}

static bool improper(str text, struct err *e)
{
    return err_set(e, ERR_INVALID, "improper constraint: %.*s", STR_ARG(text));
}

/* What parts two conditions: blanks, or a comma with blanks around it. */
static bool take_separator(str *s)
{
    size_t before = s->len;

    skip_spaces(s);
    if (has_at(*s, 0, ',')) {
        *s = str_from(*s, 1);
        skip_spaces(s);
    }
    return s->len < before;
}

struct scanned {
    condition_check check;
    struct pattern pattern;
};

static bool parse_group(struct arena *a, str text, struct conditions *out, struct err *e)
{
    VEC(struct scanned) found = {0};
    str s = text;

    skip_spaces(&s);
    do {
        struct scanned one;
        if (!take_condition(&s, &one.check, &one.pattern))
            return improper(text, e);
        VEC_PUSH(a, &found, one);
        if (!str_trim_set(s, STR(" \t\n\f\r")).len)
            break;
    } while (take_separator(&s) || improper(text, e));
    if (str_trim_set(s, STR(" \t\n\f\r")).len)
        return false;
    for (size_t i = 0; i < found.len; i++) {
        struct condition c = {.check = found.items[i].check};
        if (!semver_parse(lowest(a, &found.items[i].pattern, &c.wild), &c.version, NULL))
            return err_set(e, ERR_INVALID, "constraint Parser Error");
        VEC_PUSH(a, &out->all, c);
    }
    return true;
}

bool semver_constraint_parse(struct arena *a, str text, const struct semver_constraint **out,
                             struct err *e)
{
    struct semver_constraint *c = ARENA_NEW(a, struct semver_constraint);

    if (text.len > CONSTRAINT_MAX)
        return err_set(e, ERR_LIMIT, "the constraint is longer than %d bytes", CONSTRAINT_MAX);
    text = rewrite_ranges(a, text);
    for (bool more = true; more;) {
        struct conditions group = {0};
        str one;
        more = str_cut(text, STR("||"), &one, &text);
        if (!parse_group(a, one, &group, e))
            return false;
        VEC_PUSH(a, &c->any, group);
    }
    *out = c;
    return true;
}
