/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printf.c - formats of package fmt: flags, widths, argument indexes, and what is wrong with them.
 *
 * Mistakes do not fail but print text: %!s(MISSING), %!(EXTRA int=1), %!(BADWIDTH).
 */
#include "tmpl/fmt.h"

static void clear_flags(struct printer *p)
{
    p->width = p->precision = 0;
    p->has_width = p->has_precision = false;
    p->sharp = p->zero = p->plus = p->minus = p->space = p->sharp_v = p->plus_v = false;
}

#define NUMBER_TOO_LARGE 1000000

/* Digits at *at. False when there are none or too many, in the latter case *at is the end. */
static bool parse_number(str f, size_t *at, size_t end, int *out)
{
    bool any = false;

    *out = 0;
    for (; *at < end && f.ptr[*at] >= '0' && f.ptr[*at] <= '9'; ++*at) {
        if (*out > NUMBER_TOO_LARGE) {
            *out = 0;
            *at = end;
            return false;
        }
        *out = *out * 10 + (f.ptr[*at] - '0');
        any = true;
    }
    return any;
}

/* "[3]" at *at: the next argument. */
static void parse_index(struct printer *p, str f, size_t *at)
{
    size_t close, from = *at + 1;
    int index;

    p->after_index = false;
    if (*at >= f.len || f.ptr[*at] != '[')
        return;
    p->reordered = true;
    close = str_find_char(str_from(f, from), ']');
    if (f.len - *at < 3 || close == STR_NPOS) {
        p->good_index = false;
        ++*at;
        return;
    }
    close += from;
    *at = close + 1;
    if (!parse_number(f, &from, close, &index) || from != close) {
        p->good_index = false;
        return;
    }
    p->after_index = true;
    if (index < 1 || (size_t)index > p->count) {
        p->good_index = false;
        return;
    }
    p->next = (size_t)index - 1;
}

/* The argument that a * takes. */
static bool int_from_arg(struct printer *p, int *out)
{
    struct tv v;

    *out = 0;
    if (p->next >= p->count)
        return false;
    v = p->args[p->next++];
    if (tv_kind(v) != TV_KIND_INT && tv_kind(v) != TV_KIND_UINT)
        return false;
    if (v.i > NUMBER_TOO_LARGE || v.i < -NUMBER_TOO_LARGE)
        return false;
    *out = (int)v.i;
    return true;
}

static void parse_flags(struct printer *p, str f, size_t *at)
{
    for (; *at < f.len; ++*at) {
        switch (f.ptr[*at]) {
        case '#':
            p->sharp = true;
            break;
        case '0':
            p->zero = true;
            break;
        case '+':
            p->plus = true;
            break;
        case '-':
            p->minus = true;
            break;
        case ' ':
            p->space = true;
            break;
        default:
            return;
        }
    }
}

static void parse_width(struct printer *p, str f, size_t *at)
{
    if (*at < f.len && f.ptr[*at] == '*') {
        ++*at;
        p->has_width = int_from_arg(p, &p->width);
        if (!p->has_width)
            buf_add(p->out, STR("%!(BADWIDTH)"));
        if (p->width < 0) {
            p->width = -p->width;
            p->minus = true;
            p->zero = false;
        }
        p->after_index = false;
        return;
    }
    p->has_width = parse_number(f, at, f.len, &p->width);
    if (p->after_index && p->has_width)
        p->good_index = false;
}

static void parse_precision(struct printer *p, str f, size_t *at)
{
    if (*at + 1 >= f.len || f.ptr[*at] != '.')
        return;
    ++*at;
    if (p->after_index)
        p->good_index = false;
    parse_index(p, f, at);
    if (*at < f.len && f.ptr[*at] == '*') {
        ++*at;
        p->has_precision = int_from_arg(p, &p->precision);
        if (p->precision < 0) {
            p->precision = 0;
            p->has_precision = false;
        }
        if (!p->has_precision)
            buf_add(p->out, STR("%!(BADPREC)"));
        p->after_index = false;
        return;
    }
    if (!parse_number(f, at, f.len, &p->precision))
        p->precision = 0;
    p->has_precision = true;
}

static void complain(struct printer *p, uint32_t verb, const char *what)
{
    buf_add(p->out, STR("%!"));
    buf_rune(p->out, verb);
    buf_fmt(p->out, "(%s)", what);
}

static void print_verb(struct printer *p, uint32_t verb)
{
    if (verb == '%') {
        buf_char(p->out, '%');
    } else if (!p->good_index) {
        complain(p, verb, "BADINDEX");
    } else if (p->next >= p->count) {
        complain(p, verb, "MISSING");
    } else {
        if (verb == 'w' && p->rt->errorf)
            verb = 'v';
        if (verb == 'v') {
            p->sharp_v = p->sharp;
            p->plus_v = p->plus;
            p->sharp = p->plus = false;
        }
        print_arg(p, p->args[p->next++], verb);
    }
}

/* One directive, whose % has been read. */
static void print_directive(struct printer *p, str f, size_t *at)
{
    size_t width;
    uint32_t verb;

    clear_flags(p);
    p->good_index = true;
    p->after_index = false;
    parse_flags(p, f, at);
    parse_index(p, f, at);
    parse_width(p, f, at);
    parse_precision(p, f, at);
    if (!p->after_index)
        parse_index(p, f, at);
    if (*at >= f.len) {
        buf_add(p->out, STR("%!(NOVERB)"));
        return;
    }
    verb = utf8_decode(str_from(f, *at), &width);
    *at += width;
    print_verb(p, verb);
}

static void print_extra(struct printer *p)
{
    clear_flags(p);
    buf_add(p->out, STR("%!(EXTRA "));
    for (size_t i = p->next; i < p->count; i++) {
        if (i > p->next)
            buf_add(p->out, STR(", "));
        if (p->args[i].type == TV_INVALID) {
            buf_add(p->out, STR("<nil>"));
            continue;
        }
        buf_fmt(p->out, "%s=", tv_type_name(p->args[i]));
        print_arg(p, p->args[i], 'v');
    }
    buf_char(p->out, ')');
}

void tv_printf(struct rt *rt, struct buf *out, str format, const struct tv *args, size_t count)
{
    struct printer p = {.rt = rt, .out = out, .args = args, .count = count};
    size_t at = 0;

    while (at < format.len) {
        size_t percent = str_find_char(str_from(format, at), '%');
        if (percent == STR_NPOS) {
            buf_add(out, str_from(format, at));
            break;
        }
        buf_add(out, str_slice(format, at, at + percent));
        at += percent + 1;
        print_directive(&p, format, &at);
    }
    if (!p.reordered && p.next < count)
        print_extra(&p);
}
