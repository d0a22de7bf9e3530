/* SPDX-License-Identifier: Apache-2.0 */
/*
 * semver.c - reading, writing and comparing versions.
 */
#include "tmpl/semver.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_part_char(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

static bool all_are(str s, bool (*is)(char))
{
    for (size_t i = 0; i < s.len; i++)
        if (!is(s.ptr[i]))
            return false;
    return true;
}

/* ---- Reading -----------------------------------------------------------------------------------
 */

/* The characters at the start of *s that are such, taken off. */
static str take_run(str *s, bool (*is)(char))
{
    size_t n = 0;
    str run;

    while (n < s->len && is(s->ptr[n]))
        n++;
    run = str_slice(*s, 0, n);
    *s = str_from(*s, n);
    return run;
}

/* A dot and digits. False, with nothing taken, when that is not what follows. */
static bool take_segment(str *s, str *out)
{
    str rest = str_from(*s, 1);

    if (!s->len || s->ptr[0] != '.')
        return false;
    *out = take_run(&rest, is_digit);
    if (!out->len)
        return false;
    *s = rest;
    return true;
}

/* The mark and "a.b.c" after it. An absent one is empty; a wrong one stays and fails later. */
static str take_parts(str *s, char mark)
{
    str rest = str_from(*s, 1), parts = rest;

    if (!s->len || s->ptr[0] != mark || !take_run(&rest, is_part_char).len)
        return STR_NONE;
    for (str next = rest; next.len && next.ptr[0] == '.'; rest = next) {
        next = str_from(next, 1);
        if (!take_run(&next, is_part_char).len)
            break;
    }
    parts.len = (size_t)(rest.ptr - parts.ptr);
    *s = rest;
    return parts;
}

static bool parse_segment(str digits, uint64_t *out, struct err *e)
{
    *out = 0;
    return !digits.len || str_to_u64(digits, out) ||
           err_set(e, ERR_INVALID,
                   "Error parsing version segment: strconv.ParseUint: parsing \"%.*s\": value out "
                   "of range",
                   STR_ARG(digits));
}

bool semver_valid_pre(str text, struct err *e)
{
    for (bool more = text.len > 0; more;) {
        str part;
        more = str_cut(text, STR("."), &part, &text);
        if (all_are(part, is_digit)) {
            if (part.len > 1 && part.ptr[0] == '0')
                return err_set(e, ERR_INVALID, "Version segment starts with 0");
        } else if (!all_are(part, is_part_char)) {
            return err_set(e, ERR_INVALID, "Invalid Prerelease string");
        }
    }
    return true;
}

bool semver_valid_metadata(str text, struct err *e)
{
    for (bool more = text.len > 0; more;) {
        str part;
        more = str_cut(text, STR("."), &part, &text);
        if (!all_are(part, is_part_char))
            return err_set(e, ERR_INVALID, "Invalid Metadata string");
    }
    return true;
}

bool semver_parse(str text, struct semver *out, struct err *e)
{
    str s = str_without_prefix(text, STR("v")), major, minor = STR_NONE, patch = STR_NONE;

    *out = (struct semver){.original = text};
    major = take_run(&s, is_digit);
    if (take_segment(&s, &minor))
        take_segment(&s, &patch);
    out->pre = take_parts(&s, '-');
    out->metadata = take_parts(&s, '+');
    if (!major.len || s.len)
        return err_set(e, ERR_INVALID, "Invalid Semantic Version");
    return parse_segment(major, &out->major, e) && parse_segment(minor, &out->minor, e) &&
           parse_segment(patch, &out->patch, e) && semver_valid_pre(out->pre, e);
}

void semver_format(struct buf *out, const struct semver *v)
{
    buf_fmt(out, "%llu.%llu.%llu", (unsigned long long)v->major, (unsigned long long)v->minor,
            (unsigned long long)v->patch);
    if (v->pre.len)
        buf_fmt(out, "-%.*s", STR_ARG(v->pre));
    if (v->metadata.len)
        buf_fmt(out, "+%.*s", STR_ARG(v->metadata));
}

/* ---- Comparing ---------------------------------------------------------------------------------
 */

static int compare_u64(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

/* Nothing is below everything, numbers are below other texts. */
static int compare_part(str x, str y)
{
    uint64_t nx, ny;
    bool number_x = str_to_u64(x, &nx), number_y = str_to_u64(y, &ny);
    int order;

    if (str_eq(x, y))
        return 0;
    if (!x.len || !y.len)
        return x.len ? 1 : -1;
    if (number_x != number_y)
        return number_x ? -1 : 1;
    if (number_x)
        return nx > ny ? 1 : -1;
    order = str_cmp(x, y);
    return (order > 0) - (order < 0);
}

static int compare_pre(str x, str y)
{
    while (x.len || y.len) {
        str part_x, part_y;
        int order;
        str_cut(x, STR("."), &part_x, &x);
        str_cut(y, STR("."), &part_y, &y);
        order = compare_part(part_x, part_y);
        if (order)
            return order;
    }
    return 0;
}

int semver_compare(const struct semver *x, const struct semver *y)
{
    int order = compare_u64(x->major, y->major);

    if (!order)
        order = compare_u64(x->minor, y->minor);
    if (!order)
        order = compare_u64(x->patch, y->patch);
    if (order || (!x->pre.len && !y->pre.len))
        return order;
    if (!x->pre.len || !y->pre.len)
        return x->pre.len ? -1 : 1;
    return compare_pre(x->pre, y->pre);
}
