/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fmt_scalar.c - package fmt: numbers, characters and texts, padded; see fmt.h.
 */
#include "tmpl/fmt.h"

#include "base/unicode.h"
#include "value/number.h"
#include "value/value.h"

/* ---- Padding -------------------------------------------------------------------------------- */

static void pad_fill(struct printer *p, int n)
{
    if (n > 0)
        buf_repeat(p->out, p->zero && !p->minus ? '0' : ' ', (size_t)n);
}

void print_padded(struct printer *p, str s)
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
    print_padded(p, s);
    p->zero = zero;
}

/* ---- Scalars -------------------------------------------------------------------------------- */

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

void print_integer_as(struct printer *p, const struct integer *n)
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

    print_padded(p, str_of(space, n));
}

static void print_quoted_char(struct printer *p, uint64_t c)
{
    struct buf b = buf_new(p->rt->arena, KIB);

    go_quote_rune(&b, c, p->plus);
    print_padded(p, buf_str(&b));
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

void print_integer(struct printer *p, struct tv v, uint32_t verb)
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
        print_bad_verb(p, v, verb);
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
        print_padded(p, str_from(num, 1));
        return;
    }
    if (p->zero && !p->minus && p->has_width && p->width > (int)num.len) {
        buf_char(p->out, num.ptr[0]);
        pad_fill(p, p->width - (int)num.len);
        buf_add(p->out, str_from(num, 1));
        return;
    }
    print_padded(p, num);
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

static void print_double(struct printer *p, double f, uint32_t verb)
{
    if (verb == 'v' || verb == 'F')
        print_float_as(p, f, verb == 'v' ? 'g' : 'f', verb == 'v' ? -1 : 6);
    else
        print_float_as(p, f, (char)verb, strchr("bgGxX", (int)verb) ? -1 : 6);
}

void print_float(struct printer *p, struct tv v, uint32_t verb)
{
    struct buf exact = buf_new(p->rt->arena, BUF_UNLIMITED);

    if (!(v.flags & TV_EXACT) || verb != 'v') {
        print_double(p, tv_float64(v), verb);
        return;
    }
    number_plain(&exact, value_text(v.data));
    print_padded(p, buf_str(&exact));
}

void print_complex(struct printer *p, const struct tv_complex *z, uint32_t verb)
{
    bool plus = p->plus;

    buf_char(p->out, '(');
    print_double(p, z->re, verb);
    p->plus = true;
    print_double(p, z->im, verb);
    buf_add(p->out, STR("i)"));
    p->plus = plus;
}

/* ---- Strings -------------------------------------------------------------------------------- */

str print_truncated(const struct printer *p, str s)
{
    return p->has_precision ? str_first_runes(s, (size_t)p->precision) : s;
}

static void print_quoted(struct printer *p, str s)
{
    struct buf b = buf_new(p->rt->arena, BUF_UNLIMITED);

    s = print_truncated(p, s);
    if (p->sharp && go_can_backquote(s))
        buf_fmt(&b, "`%.*s`", STR_ARG(s));
    else
        go_quote_with(&b, s, p->plus);
    print_padded(p, buf_str(&b));
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

void print_string(struct printer *p, struct tv v, str s, uint32_t verb)
{
    switch (verb) {
    case 'v':
        if (p->sharp_v)
            print_quoted(p, s);
        else
            print_padded(p, print_truncated(p, s));
        break;
    case 's':
        print_padded(p, print_truncated(p, s));
        break;
    case 'x':
    case 'X':
        print_hex(p, s, verb == 'X');
        break;
    case 'q':
        print_quoted(p, s);
        break;
    default:
        print_bad_verb(p, v, verb);
    }
}
