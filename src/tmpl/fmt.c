/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fmt.c - package fmt: verbs, flags, and how values print.
 *
 * One struct printer per call holds the flags of the verb being formatted. Mistakes in a format are
 * no failures but text: %!d(string=x), %!s(MISSING), %!(EXTRA int=1).
 */
#include "tmpl/fmt.h"

#include "base/unicode.h"
#include "value/number.h"
#include "value/value.h"

static void print_value(struct printer *p, struct tv v, uint32_t verb, int depth);
static void print_kind(struct printer *p, struct tv v, uint32_t verb, int depth);

/* ---- Padding -------------------------------------------------------------------------------- */

static void pad_fill(struct printer *p, int n)
{
    if (n > 0)
        buf_repeat(p->out, p->zero && !p->minus ? '0' : ' ', (size_t)n);
}

static void pad(struct printer *p, str s)
{
    int fill;

    if (!p->has_width || p->width == 0) {
        buf_add(p->out, s);
        return;
    }
    fill = p->width - (int)utf8_count(s);
    if (!p->minus)
        pad_fill(p, fill);
    buf_add(p->out, s);
    if (p->minus)
        pad_fill(p, fill);
}

static void pad_without_zeros(struct printer *p, str s)
{
    bool zero = p->zero;

    p->zero = false;
    pad(p, s);
    p->zero = zero;
}

/* ---- Scalars -------------------------------------------------------------------------------- */

static void bad_verb(struct printer *p, struct tv v, uint32_t verb)
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

struct integer {
    uint64_t magnitude;
    unsigned base;
    bool negative, upper;
    char letter; /* of %O and %#x, or 0 */
};

/* Digits, leading zeros and prefix of an integer into b, from behind. */
static void format_integer(struct printer *p, const struct integer *n, struct buf *b)
{
    const char *digits = n->upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char space[64];
    size_t at = sizeof(space);
    int zeros = p->has_precision ? p->precision : 0;
    uint64_t u = n->magnitude;

    if (!p->has_precision && p->zero && !p->minus && p->has_width)
        zeros = p->width - (n->negative || p->plus || p->space);
    do
        space[--at] = digits[u % n->base];
    while (u /= n->base);
    zeros -= (int)(sizeof(space) - at);
    if (n->negative || p->plus || p->space)
        buf_char(b, n->negative ? '-' : p->plus ? '+' : ' ');
    if (n->letter == 'O')
        buf_add(b, STR("0o"));
    if (p->sharp && n->base == 2)
        buf_add(b, STR("0b"));
    if (p->sharp && n->base == 8 && zeros <= 0 && space[at] != '0')
        buf_char(b, '0');
    if (p->sharp && n->base == 16)
        buf_add(b, n->upper ? STR("0X") : STR("0x"));
    if (zeros > 0)
        buf_repeat(b, '0', (size_t)zeros);
    buf_add(b, str_of(space + at, sizeof(space) - at));
}

static void print_integer_as(struct printer *p, const struct integer *n)
{
    char space[160];
    struct buf b;

    if (p->has_precision && p->precision == 0 && n->magnitude == 0) {
        bool zero = p->zero;
        p->zero = false;
        pad_fill(p, p->has_width ? p->width : 0);
        p->zero = zero;
        return;
    }
    b = (struct buf){
        .arena = p->rt->arena, .data = space, .cap = sizeof(space), .max = sizeof(space)};
    if (p->width > 64 || p->precision > 64)
        b = buf_new(p->rt->arena, BUF_UNLIMITED);
    format_integer(p, n, &b);
    pad_without_zeros(p, buf_str(&b));
}

static void print_char(struct printer *p, uint64_t c)
{
    char space[UTF8_MAX];
    size_t n = utf8_encode(space, c > RUNE_MAX ? RUNE_ERROR : (uint32_t)c);

    pad(p, str_of(space, n));
}

static void print_quoted_char(struct printer *p, uint64_t c)
{
    struct buf b = buf_new(p->rt->arena, KIB);

    go_quote_rune(&b, c, p->plus);
    pad(p, buf_str(&b));
}

/* %U: U+0078, or with # also the character. */
static void print_unicode(struct printer *p, uint64_t c)
{
    struct buf b = buf_new(p->rt->arena, BUF_UNLIMITED);
    size_t digits = p->has_precision && p->precision > 4 ? (size_t)p->precision : 4;
    str hex = str_fmt(p->rt->arena, "%llX", (unsigned long long)c);

    buf_add(&b, STR("U+"));
    if (digits > hex.len)
        buf_repeat(&b, '0', digits - hex.len);
    buf_add(&b, hex);
    if (p->sharp && c <= RUNE_MAX && unicode_is_print((uint32_t)c)) {
        buf_add(&b, STR(" '"));
        buf_rune(&b, (uint32_t)c);
        buf_char(&b, '\'');
    }
    pad_without_zeros(p, buf_str(&b));
}

static void print_integer(struct printer *p, struct tv v, uint32_t verb)
{
    bool is_signed = tv_kind(v) == TV_KIND_INT, sharp = p->sharp;
    struct integer n = {.magnitude = v.u, .base = 10, .negative = is_signed && v.i < 0};

    if (n.negative)
        n.magnitude = 0 - v.u;
    switch (verb) {
    case 'v':
        if (p->sharp_v && !is_signed) {
            n.base = 16;
            p->sharp = true;
        }
        break;
    case 'd':
        break;
    case 'b':
        n.base = 2;
        break;
    case 'O':
        n.letter = 'O';
        n.base = 8;
        break;
    case 'o':
        n.base = 8;
        break;
    case 'x':
    case 'X':
        n.base = 16;
        n.upper = verb == 'X';
        break;
    case 'c':
        print_char(p, v.u);
        return;
    case 'q':
        print_quoted_char(p, v.u);
        return;
    case 'U':
        print_unicode(p, v.u);
        return;
    default:
        bad_verb(p, v, verb);
        return;
    }
    print_integer_as(p, &n);
    p->sharp = sharp;
}

/* The # flag: always a point, and the zeros that %g drops. num begins with its sign. */
static str restore_zeros(struct printer *p, str num, char verb, int precision)
{
    struct buf b = buf_new(p->rt->arena, BUF_UNLIMITED);
    bool hex = verb == 'x' || verb == 'X', point = false, nonzero = false;
    int digits = 0;
    size_t i;

    if (verb == 'g' || verb == 'G' || verb == 'x')
        digits = precision < 0 ? 6 : precision;
    for (i = 1; i < num.len; i++) {
        char c = num.ptr[i];
        if ((c | 0x20) == 'p' || (!hex && (c | 0x20) == 'e'))
            break;
        if (c == '.') {
            point = true;
            continue;
        }
        nonzero |= c != '0';
        digits -= nonzero;
    }
    buf_add(&b, str_slice(num, 0, i));
    if (!point) {
        if (i == 2 && num.ptr[1] == '0')
            digits--;
        buf_char(&b, '.');
    }
    if (digits > 0)
        buf_repeat(&b, '0', (size_t)digits);
    buf_add(&b, str_from(num, i));
    return buf_str(&b);
}

/* num has its sign; writes it as the flags want it. */
static void pad_float(struct printer *p, str num)
{
    if (!p->plus && num.ptr[0] == '+') {
        pad(p, str_from(num, 1));
        return;
    }
    if (p->zero && !p->minus && p->has_width && p->width > (int)num.len) {
        buf_char(p->out, num.ptr[0]);
        pad_fill(p, p->width - (int)num.len);
        buf_add(p->out, str_from(num, 1));
        return;
    }
    pad(p, num);
}

static void print_float_as(struct printer *p, double f, char verb, int precision)
{
    char space[400];
    struct buf b = {
        .arena = p->rt->arena, .data = space, .cap = sizeof(space), .max = sizeof(space)};
    str num;

    if (p->has_precision)
        precision = p->precision;
    if (precision > 20)
        b = buf_new(p->rt->arena, BUF_UNLIMITED);
    buf_char(&b, p->space && !p->plus ? ' ' : '+');
    go_float(&b, f, verb, precision);
    num = buf_str(&b);
    if (num.ptr[1] == '-' || num.ptr[1] == '+')
        num = str_from(num, 1);
    if (num.ptr[0] == '+' && p->space && !p->plus) {
        b.data[1] = ' ';
    }
    if (num.ptr[1] == 'I' || num.ptr[1] == 'N') {
        pad_without_zeros(p, num.ptr[1] == 'N' && !p->space && !p->plus ? str_from(num, 1) : num);
        return;
    }
    if (p->sharp && verb != 'b')
        num = restore_zeros(p, num, verb, precision);
    pad_float(p, num);
}

static bool is_float_verb(uint32_t verb)
{
    return verb && verb < 0x80 && strchr("vbgGxXfFeE", (int)verb);
}

static void print_float(struct printer *p, double f, uint32_t verb)
{
    if (verb == 'v' || verb == 'F')
        print_float_as(p, f, verb == 'v' ? 'g' : 'f', verb == 'v' ? -1 : 6);
    else
        print_float_as(p, f, (char)verb, strchr("bgGxX", (int)verb) ? -1 : 6);
}

static void print_float_of(struct printer *p, struct tv v, uint32_t verb)
{
    struct buf exact = buf_new(p->rt->arena, BUF_UNLIMITED);

    if (!(v.flags & TV_EXACT) || verb != 'v') {
        print_float(p, tv_float64(v), verb);
        return;
    }
    number_plain(&exact, value_text(v.data));
    pad(p, buf_str(&exact));
}

static void print_complex(struct printer *p, const struct tv_complex *z, uint32_t verb)
{
    bool plus = p->plus;

    buf_char(p->out, '(');
    print_float(p, z->re, verb);
    p->plus = true;
    print_float(p, z->im, verb);
    buf_add(p->out, STR("i)"));
    p->plus = plus;
}

/* ---- Strings -------------------------------------------------------------------------------- */

static str truncated(const struct printer *p, str s)
{
    return p->has_precision ? str_first_runes(s, (size_t)p->precision) : s;
}

static void print_quoted(struct printer *p, str s)
{
    struct buf b = buf_new(p->rt->arena, BUF_UNLIMITED);

    s = truncated(p, s);
    if (p->sharp && go_can_backquote(s))
        buf_fmt(&b, "`%.*s`", STR_ARG(s));
    else
        go_quote_with(&b, s, p->plus);
    pad(p, buf_str(&b));
}

/* The bytes of s in hexadecimal. */
static void print_hex(struct printer *p, str s, bool upper)
{
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    str prefix = upper ? STR("0X") : STR("0x");
    size_t n = p->has_precision && (size_t)p->precision < s.len ? (size_t)p->precision : s.len;
    size_t width = 2 * n;

    if (!n) {
        pad_fill(p, p->has_width ? p->width : 0);
        return;
    }
    if (p->space)
        width = width * (p->sharp ? 2 : 1) + n - 1;
    else if (p->sharp)
        width += 2;
    if (p->has_width && !p->minus)
        pad_fill(p, p->width - (int)width);
    for (size_t i = 0; i < n; i++) {
        if (p->space && i)
            buf_char(p->out, ' ');
        if (p->sharp && (p->space || !i))
            buf_add(p->out, prefix);
        buf_char(p->out, digits[(unsigned char)s.ptr[i] >> 4]);
        buf_char(p->out, digits[(unsigned char)s.ptr[i] & 15]);
    }
    if (p->has_width && p->minus)
        pad_fill(p, p->width - (int)width);
}

static void print_string(struct printer *p, struct tv v, str s, uint32_t verb)
{
    switch (verb) {
    case 'v':
        if (p->sharp_v)
            print_quoted(p, s);
        else
            pad(p, truncated(p, s));
        break;
    case 's':
        pad(p, truncated(p, s));
        break;
    case 'x':
    case 'X':
        print_hex(p, s, verb == 'X');
        break;
    case 'q':
        print_quoted(p, s);
        break;
    default:
        bad_verb(p, v, verb);
    }
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
        pad(p, STR("<nil>"));
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
        bad_verb(p, v, verb);
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
        bad_verb(p, v, verb);
        return true;
    }
    if (p->erroring || !verb || verb >= 0x80 || tv_is_nil(v))
        return false;
    if (p->sharp_v ? !info->go_string : !info->string || !strchr("vsxXq", (int)verb))
        return false;
    b = buf_new(p->rt->arena, BUF_UNLIMITED);
    if (p->sharp_v) {
        info->go_string(p->rt, v, &b);
        pad(p, buf_str(&b));
        return true;
    }
    info->string(p->rt, v, &b);
    print_string(p, v, buf_str(&b), verb);
    return true;
}

static void print_kind(struct printer *p, struct tv v, uint32_t verb, int depth)
{
    switch (tv_kind(v)) {
    case TV_KIND_BOOL:
        if (verb == 't' || verb == 'v')
            pad(p, v.truth ? STR("true") : STR("false"));
        else
            bad_verb(p, v, verb);
        break;
    case TV_KIND_INT:
    case TV_KIND_UINT:
        print_integer(p, v, verb);
        break;
    case TV_KIND_FLOAT:
        if (is_float_verb(verb))
            print_float_of(p, v, verb);
        else
            bad_verb(p, v, verb);
        break;
    case TV_KIND_COMPLEX:
        if (is_float_verb(verb))
            print_complex(p, v.z, verb);
        else
            bad_verb(p, v, verb);
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
        bad_verb(p, v, verb);
}

/* An element of a container, depth > 0. */
static void print_value(struct printer *p, struct tv v, uint32_t verb, int depth)
{
    if (depth > RT_DEPTH_MAX || p->rt->too_deep) {
        p->rt->too_deep = true;
        return;
    }
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
            pad(p, STR("<nil>"));
        else
            bad_verb(p, v, verb);
    } else if (verb == 'T') {
        pad(p, truncated(p, str_c(tv_type_name(v))));
    } else if (verb == 'p') {
        print_pointer(p, v, verb);
    } else if (!print_by_method(p, v, verb)) {
        print_kind(p, v, verb, 0);
    }
}

/* ---- Without a format ----------------------------------------------------------------------- */

void tv_print(struct rt *rt, struct buf *out, struct tv v)
{
    char space[NUMBER_MAX];

    switch (v.type) {
    case TV_STRING:
        buf_add(out, tv_text(v));
        return;
    case TV_INT:
    case TV_INT64:
        buf_fmt(out, "%lld", (long long)v.i);
        return;
    case TV_FLOAT64:
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
    b = buf_new(rt->arena, BUF_UNLIMITED);
    tv_print(rt, &b, v);
    return buf_str(&b);
}
