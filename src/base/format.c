/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.c - printf for texts that may contain NUL; see str_print in str.h.
 *
 * Numbers are passed to the C library one by one; texts are copied here, because it would end them
 * at a NUL.
 */
#include "base/str.h"

/* Enough for every double; a larger width or precision is a bug in the caller. */
enum { NUMBER_ROOM = 512 };

struct printing {
    char *out;
    size_t room, len; /* len also counts what did not fit */
};

/* Flags, width and precision: everything between the percent sign and its letter. */
struct conversion {
    char text[16]; /* the same for the C library, with stars for width and precision */
    size_t len;
    int width, precision; /* precision below 0: none */
    bool exact;           /* the precision was a star: exactly that many bytes, even NULs */
    int longs;            /* how many l; z, j and t count as one */
};

static void put(struct printing *p, const char *text, size_t len)
{
    size_t left = p->len < p->room ? p->room - p->len : 0;

    if (left && len)
        memcpy(p->out + p->len, text, len < left ? len : left);
    p->len += len;
}

/* Arguments: width, precision and a number. */
static void put_number(struct printing *p, const struct conversion *c, ...)
{
    char text[NUMBER_ROOM];
    va_list args;

    va_start(args, c);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int n = vsnprintf(text, sizeof(text), c->text, args);
#pragma GCC diagnostic pop
    va_end(args);
    assert(n >= 0 && n < NUMBER_ROOM);
    put(p, text, (size_t)n);
}

static void note(struct conversion *c, const char *text)
{
    for (; *text; text++) {
        assert(c->len < sizeof(c->text) - 1);
        c->text[c->len++] = *text;
    }
}

/* A number or a star, which is the next argument. */
static const char *read_number(const char *f, int *n, va_list *args)
{
    if (*f == '*') {
        *n = va_arg(*args, int);
        return f + 1;
    }
    for (*n = 0; *f >= '0' && *f <= '9'; f++)
        *n = *n * 10 + (*f - '0');
    return f;
}

/* Parses from after the percent sign up to the letter. */
static const char *read_conversion(const char *f, struct conversion *c, va_list *args)
{
    *c = (struct conversion){.precision = -1};
    note(c, "%");
    for (; *f && strchr("-+ #0", *f); f++)
        note(c, (const char[]){*f, '\0'});
    note(c, "*.*");
    f = read_number(f, &c->width, args);
    if (*f == '.') {
        c->exact = f[1] == '*';
        f = read_number(f + 1, &c->precision, args);
    }
    for (; *f && strchr("hlzjt", *f); f++)
        c->longs += *f != 'h';
    return f;
}

static void put_blanks(struct printing *p, size_t n)
{
    while (n--)
        put(p, " ", 1);
}

static void put_text(struct printing *p, const struct conversion *c, const char *text)
{
    size_t len = c->precision < 0 ? strlen(text) : (size_t)c->precision;
    size_t width = c->width < 0 ? 0 - (size_t)c->width : (size_t)c->width;
    bool left = c->width < 0 || c->text[1] == '-';

    if (c->precision >= 0 && !c->exact)
        len = strnlen(text, len);
    size_t blanks = width > len ? width - len : 0;
    put_blanks(p, left ? 0 : blanks);
    put(p, text, len);
    put_blanks(p, left ? blanks : 0);
}

static intmax_t next_signed(const struct conversion *c, va_list *args)
{
    if (c->longs)
        return va_arg(*args, long);
    return va_arg(*args, int);
}

static uintmax_t next_unsigned(const struct conversion *c, va_list *args)
{
    if (c->longs)
        return va_arg(*args, unsigned long);
    return va_arg(*args, unsigned);
}

static void put_conversion(struct printing *p, struct conversion *c, char letter, va_list *args)
{
    note(c, strchr("diuoxX", letter) ? "j" : "");
    note(c, (const char[]){letter, '\0'});
    switch (letter) {
    case '%':
        put(p, "%", 1);
        return;
    case 'c':
        c->exact = true;
        c->precision = 1;
        put_text(p, c, &(char){(char)va_arg(*args, int)});
        return;
    case 's':
        put_text(p, c, va_arg(*args, const char *));
        return;
    case 'd':
    case 'i':
        put_number(p, c, c->width, c->precision, next_signed(c, args));
        return;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        put_number(p, c, c->width, c->precision, next_unsigned(c, args));
        return;
    default:
        assert(strchr("eEfFgGaA", letter));
        put_number(p, c, c->width, c->precision, va_arg(*args, double));
        return;
    }
}

/* The largest width printed here; enough for a sign and the 20 digits of 64 bits. */
enum { INTEGER_ROOM = 24 };

/* A number in base 10 or 16, with blanks or zeros before it. */
static void put_digits(struct printing *p, const char *letter, uint64_t n, bool minus, size_t width,
                       bool zeros)
{
    const char *digits = *letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    const unsigned base = *letter == 'd' || *letter == 'u' ? 10 : 16;
    char text[INTEGER_ROOM], *const end = text + sizeof(text), *at = end;

    do
        *--at = digits[n % base];
    while ((n /= base));
    while (zeros && (size_t)(end - at) + minus < width)
        *--at = '0';
    if (minus)
        *--at = '-';
    while ((size_t)(end - at) < width)
        *--at = ' ';
    put(p, at, (size_t)(end - at));
}

/* Integers as they are usually printed: "%d", "%zu", "%02x". NULL if it is something else. */
static const char *put_integer(struct printing *p, const char *f, va_list *args)
{
    struct conversion c = {.precision = -1};
    const bool zeros = *f == '0';
    size_t width = 0;

    for (; *f >= '0' && *f <= '9' && width <= INTEGER_ROOM; f++)
        width = width * 10 + (size_t)(*f - '0');
    for (; *f == 'l' || *f == 'z'; f++)
        c.longs++;
    if (width > INTEGER_ROOM || (*f != 'd' && *f != 'u' && *f != 'x' && *f != 'X'))
        return NULL;
    if (*f == 'd') {
        intmax_t n = next_signed(&c, args);
        put_digits(p, f, n < 0 ? 0 - (uint64_t)n : (uint64_t)n, n < 0, width, zeros);
    } else {
        put_digits(p, f, next_unsigned(&c, args), false, width, zeros);
    }
    return f + 1;
}

/* A fast path for "%.*s", "%s", "%zu" and the like, which are most conversions. */
static const char *put_next(struct printing *p, const char *f, va_list *args)
{
    struct conversion c;
    const char *after;

    if (f[0] == '.' && f[1] == '*' && f[2] == 's') {
        int len = va_arg(*args, int);
        const char *text = va_arg(*args, const char *);
        put(p, text, len < 0 ? strlen(text) : (size_t)len);
        return f + 3;
    }
    if (f[0] == 's') {
        const char *text = va_arg(*args, const char *);
        put(p, text, strlen(text));
        return f + 1;
    }
    if ((after = put_integer(p, f, args)))
        return after;
    f = read_conversion(f, &c, args);
    put_conversion(p, &c, *f, args);
    return f + 1;
}

size_t str_print(char *out, size_t room, const char *format, va_list args)
{
    struct printing p = {.out = out, .room = room};
    va_list own;

    static_assert(sizeof(long) == sizeof(long long) && sizeof(long) == sizeof(size_t),
                  "one l is as long as two");
    va_copy(own, args);
    while (*format) {
        const char *percent = strchrnul(format, '%');
        put(&p, format, (size_t)(percent - format));
        if (!*percent)
            break;
        format = put_next(&p, percent + 1, &own);
    }
    va_end(own);
    return p.len;
}
