/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fmt.c - package fmt: which verb prints which value how; lists, maps, structures, pointers.
 *
 * One struct printer per call holds the flags of the verb being formatted. Mistakes in a format are
 * no failures but text: %!d(string=x), %!s(MISSING), %!(EXTRA int=1).
 */
#include "tmpl/fmt.h"

#include "base/unicode.h"
#include "value/number.h"
#include "value/value.h"

/* What printing costs, in steps: a number with decimals, and what a method prints (a time). */
#define FLOAT_STEPS 3
#define METHOD_STEPS 50

static void print_value(struct printer *p, struct tv v, uint32_t verb, int depth);
static void print_kind(struct printer *p, struct tv v, uint32_t verb, int depth);

/* ---- Mistakes ------------------------------------------------------------------------------- */

void print_bad_verb(struct printer *p, struct tv v, uint32_t verb)
{
    bool before = p->erroring;

    p->erroring = true;
    buf_add(p->out, STR("%!"));
    buf_rune(p->out, verb);
    buf_char(p->out, '(');
    if (v.type == TV_INVALID) {
        buf_add(p->out, STR("<nil>"));
    } else {
        buf_fmt(p->out, "%s=", tv_type_name(v));
        print_arg(p, tv_concrete(v), 'v');
    }
    buf_char(p->out, ')');
    p->erroring = before;
}

/* ---- Containers ----------------------------------------------------------------------------- */

static void separate(struct printer *p, size_t i)
{
    if (i)
        buf_add(p->out, p->sharp_v ? STR(", ") : STR(" "));
}

/* %#v names the type, and ends there when there is nothing. False when all is said. */
static bool open_container(struct printer *p, struct tv v, const char *plain)
{
    if (!p->sharp_v) {
        buf_add(p->out, str_c(plain));
        return true;
    }
    buf_add(p->out, str_c(tv_type_name(v)));
    if (tv_is_nil(v)) {
        buf_add(p->out, STR("(nil)"));
        return false;
    }
    buf_char(p->out, '{');
    return true;
}

/* []uint8: a text for the verbs of texts. False when it prints as every other list. */
static bool print_bytes(struct printer *p, struct tv v, uint32_t verb, int depth)
{
    size_t n = tv_len(p->rt, v);
    char *text;

    if (verb == 'v' && p->sharp_v && depth == 0) {
        buf_add(p->out, STR("[]byte{"));
        for (size_t i = 0; i < n; i++) {
            separate(p, i);
            print_value(p, tv_at(p->rt, v, i), verb, 1);
        }
        buf_char(p->out, '}');
        return true;
    }
    if (verb >= 0x80 || !verb || !strchr("sxXq", (int)verb))
        return false;
    text = arena_alloc_text(p->rt->arena, n);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)tv_at(p->rt, v, i).u;
    print_string(p, v, str_of(text, n), verb);
    return true;
}

static void print_list(struct printer *p, struct tv v, uint32_t verb, int depth)
{
    size_t n = tv_len(p->rt, v);

    if (v.type == TV_BYTES && print_bytes(p, v, verb, depth))
        return;
    if (!open_container(p, v, "["))
        return;
    for (size_t i = 0; i < n; i++) {
        separate(p, i);
        print_value(p, tv_at(p->rt, v, i), verb, depth + 1);
    }
    buf_char(p->out, p->sharp_v ? '}' : ']');
}

static void print_map(struct printer *p, struct tv v, uint32_t verb, int depth)
{
    size_t n = tv_len(p->rt, v);
    struct tv_entry *e;

    if (!open_container(p, v, "map["))
        return;
    e = tv_entries(p->rt, v);
    for (size_t i = 0; i < n; i++) {
        separate(p, i);
        print_value(p, tv_str(e[i].key), verb, depth + 1);
        buf_char(p->out, ':');
        print_value(p, e[i].item, verb, depth + 1);
    }
    buf_char(p->out, p->sharp_v ? '}' : ']');
}

static void print_struct(struct printer *p, struct tv v, uint32_t verb, int depth)
{
    const struct tv_field *f = tv_info(v.type)->fields;

    if (p->sharp_v)
        buf_add(p->out, str_c(tv_type_name(v)));
    buf_char(p->out, '{');
    for (size_t i = 0; f && f[i].name; i++) {
        separate(p, i);
        if (p->plus_v || p->sharp_v)
            buf_fmt(p->out, "%s:", f[i].name);
        print_value(p, f[i].get(v.object), verb, depth + 1);
    }
    buf_char(p->out, '}');
}

/* An address: Go's differ from run to run, so any will do; ours is always the same. */
static void print_address(struct printer *p, struct tv v, uint32_t verb)
{
    struct integer n = {.magnitude = tv_is_nil(v) ? 0 : 0xc000010000, .base = 16};
    bool sharp = p->sharp;

    if (verb == 'v' && !n.magnitude) {
        print_padded(p, STR("<nil>"));
        return;
    }
    if (verb != 'v' && verb != 'p')
        n.base = verb == 'b' ? 2 : verb == 'o' ? 8 : verb == 'd' ? 10 : 16;
    else
        p->sharp = !p->sharp;
    n.upper = verb == 'X';
    print_integer_as(p, &n);
    p->sharp = sharp;
}

static void print_pointer(struct printer *p, struct tv v, uint32_t verb)
{
    if (tv_kind(v) < TV_KIND_SLICE || tv_kind(v) == TV_KIND_STRUCT || !verb || verb >= 0x80 ||
        !strchr(tv_kind(v) == TV_KIND_PTR ? "vpbodxX" : "vp", (int)verb))
        print_bad_verb(p, v, verb);
    else
        print_address(p, v, verb);
}

/* A pointer: at the top of an operand what it points to. */
static void print_reference(struct printer *p, struct tv v, uint32_t verb, int depth)
{
    if (depth || tv_is_nil(v) || tv_kind(v) != TV_KIND_PTR) {
        print_pointer(p, v, verb);
        return;
    }
    buf_char(p->out, '&');
    v.type = (uint8_t)tv_info(v.type)->elem;
    print_kind(p, v, verb, depth + 1);
}

/* The String or GoString method, for the verbs that call it. False when there is none. */
static bool print_by_method(struct printer *p, struct tv v, uint32_t verb)
{
    const struct tv_info *info = tv_info(v.type);
    struct buf b;

    if (verb == 'w' && !p->erroring) {
        print_bad_verb(p, v, verb);
        return true;
    }
    if (p->erroring || !verb || verb >= 0x80 || tv_is_nil(v))
        return false;
    if (p->sharp_v ? !info->go_string : !info->string || !strchr("vsxXq", (int)verb))
        return false;
    rt_charge(p->rt, METHOD_STEPS);
    b = buf_new(p->rt->arena, BUF_UNLIMITED);
    if (p->sharp_v) {
        info->go_string(p->rt, v, &b);
        print_padded(p, buf_str(&b));
        return true;
    }
    info->string(p->rt, v, &b);
    print_string(p, v, buf_str(&b), verb);
    return true;
}

static bool is_float_verb(uint32_t verb)
{
    return verb && verb < 0x80 && strchr("vbgGxXfFeE", (int)verb);
}

static void print_kind(struct printer *p, struct tv v, uint32_t verb, int depth)
{
    switch (tv_kind(v)) {
    case TV_KIND_BOOL:
        if (verb == 't' || verb == 'v')
            print_padded(p, v.truth ? STR("true") : STR("false"));
        else
            print_bad_verb(p, v, verb);
        break;
    case TV_KIND_INT:
    case TV_KIND_UINT:
        print_integer(p, v, verb);
        break;
    case TV_KIND_FLOAT:
        rt_charge(p->rt, FLOAT_STEPS);
        if (is_float_verb(verb))
            print_float(p, v, verb);
        else
            print_bad_verb(p, v, verb);
        break;
    case TV_KIND_COMPLEX:
        if (is_float_verb(verb))
            print_complex(p, v.z, verb);
        else
            print_bad_verb(p, v, verb);
        break;
    case TV_KIND_STRING:
        print_string(p, v, tv_text(v), verb);
        break;
    case TV_KIND_SLICE:
        print_list(p, v, verb, depth);
        break;
    case TV_KIND_MAP:
        print_map(p, v, verb, depth);
        break;
    case TV_KIND_STRUCT:
        print_struct(p, v, verb, depth);
        break;
    default:
        print_reference(p, v, verb, depth);
    }
}

/* What a nil element looks like. */
static void print_nil(struct printer *p, struct tv v, uint32_t verb)
{
    if (v.flags & TV_IFACE)
        buf_add(p->out, p->sharp_v ? STR("interface {}(nil)") : STR("<nil>"));
    else if (verb == 'v')
        buf_add(p->out, STR("<nil>"));
    else
        print_bad_verb(p, v, verb);
}

/* An element of a container, depth > 0. */
static void print_value(struct printer *p, struct tv v, uint32_t verb, int depth)
{
    if (depth > RT_DEPTH_MAX || p->rt->too_deep) {
        p->rt->too_deep = true;
        return;
    }
    if (!rt_charge(p->rt, 1))
        return; /* lists that hold the same lists are soon without end */
    if (v.type == TV_INVALID) {
        print_nil(p, v, verb);
        return;
    }
    v = tv_concrete(v);
    if (!print_by_method(p, v, verb))
        print_kind(p, v, verb, depth);
}

void print_arg(struct printer *p, struct tv v, uint32_t verb)
{
    v = tv_concrete(v);
    if (v.type == TV_INVALID) {
        if (verb == 'T' || verb == 'v')
            print_padded(p, STR("<nil>"));
        else
            print_bad_verb(p, v, verb);
    } else if (verb == 'T') {
        print_padded(p, print_truncated(p, str_c(tv_type_name(v))));
    } else if (verb == 'p') {
        print_pointer(p, v, verb);
    } else if (!print_by_method(p, v, verb)) {
        print_kind(p, v, verb, 0);
    }
}

/* ---- Without a format ----------------------------------------------------------------------- */

static void print_plain_integer(struct buf *out, int64_t i)
{
    char space[NUMBER_MAX];
    size_t at = sizeof(space);
    uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;

    do
        space[--at] = (char)('0' + u % 10);
    while (u /= 10);
    if (i < 0)
        space[--at] = '-';
    buf_add(out, str_of(space + at, sizeof(space) - at));
}

void tv_print(struct rt *rt, struct buf *out, struct tv v)
{
    char space[NUMBER_MAX];

    switch (v.type) {
    case TV_STRING:
        buf_add(out, tv_text(v));
        return;
    case TV_INT:
    case TV_INT64:
        print_plain_integer(out, v.i);
        return;
    case TV_FLOAT64:
        rt_charge(rt, FLOAT_STEPS);
        if (v.flags & TV_EXACT) {
            number_plain(out, value_text(v.data));
            return;
        }
        if (v.f - v.f == 0) {
            buf_add(out, str_of(space, number_format(space, v.f, NUMBER_G)));
            return;
        }
        break;
    default:
        break;
    }
    print_arg(&(struct printer){.rt = rt, .out = out}, v, 'v');
}

void tv_sprint(struct rt *rt, struct buf *out, const struct tv *args, size_t count)
{
    bool was_string = false;

    for (size_t i = 0; i < count; i++) {
        bool is_string = args[i].type == TV_STRING;
        if (i && !is_string && !was_string)
            buf_char(out, ' ');
        tv_print(rt, out, args[i]);
        was_string = is_string;
    }
}

void tv_sprintln(struct rt *rt, struct buf *out, const struct tv *args, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_char(out, ' ');
        tv_print(rt, out, args[i]);
    }
    buf_char(out, '\n');
}

str tv_to_str(struct rt *rt, struct tv v)
{
    struct buf b;

    if (v.type == TV_STRING)
        return tv_text(v);
    b = buf_new(rt->arena, rt_room(rt));
    tv_print(rt, &b, v);
    if (b.overflow)
        rt_charge(rt, UINT64_MAX); /* the run ends at its next step */
    return buf_str(&b);
}
