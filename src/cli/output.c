/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - standard output, buffered and checked.
 */
#include "cli/output.h"
#include "base/quote.h"

#include <poll.h>
#include <unistd.h>

/* Enough to make system calls rare, little enough to stay in the cache. */
#define OUTPUT_BLOCK (64 * KIB)

/* The convention of no-color.org: set and not empty disables colours. */
static bool wants_colour(int fd)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    return isatty(fd) && !(no_colour && *no_colour) && term && !str_eq(str_c(term), STR("dumb"));
}

struct output output_new(struct arena *a, int fd)
{
    return (struct output){
        .arena = a,
        .waiting = buf_new(a, BUF_UNLIMITED),
        .fd = fd,
        .terminal = isatty(fd),
        .colour = wants_colour(fd),
    };
}

static void write_waiting(struct output *o)
{
    if (o->failure.kind == ERR_NONE)
        (void)!file_write_fd(o->fd, STR("standard output"), buf_str(&o->waiting), &o->failure);
    buf_truncate(&o->waiting, 0);
}

void output_add(struct output *o, str text)
{
    if (o->terminal)
        quote_for_terminal(&o->waiting, text);
    else
        buf_add(&o->waiting, text);
    if (o->waiting.len >= OUTPUT_BLOCK)
        write_waiting(o);
}

void output_add_safe(struct output *o, str text)
{
    buf_add(&o->waiting, text);
    if (o->waiting.len >= OUTPUT_BLOCK)
        write_waiting(o);
}

void output_text(struct output *o, str text)
{
    quote_for_people(&o->waiting, text);
    if (o->waiting.len >= OUTPUT_BLOCK)
        write_waiting(o);
}

void output_fmt(struct output *o, const char *format, ...)
{
    AUTO_ARENA a = arena_new();
    va_list args;

    va_start(args, format);
    output_text(o, str_vfmt(a, format, args));
    va_end(args);
}

void output_style(struct output *o, enum output_style style)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "\033[0m",
        [STYLE_ADDED] = "\033[32m",
        [STYLE_MISSING] = "\033[31m",
        [STYLE_PLACE] = "\033[36m",
    };

    if (o->colour)
        buf_add(&o->waiting, str_c(codes[style]));
}

bool output_finish(struct output *o, struct err *e)
{
    write_waiting(o);
    if (o->failure.kind == ERR_NONE)
        return true;
    err_copy(e, &o->failure);
    err_clear(&o->failure);
    return false;
}

bool output_reader_left(const struct output *o)
{
    struct pollfd p = {.fd = o->fd, .events = POLLOUT};

    return poll(&p, 1, 0) > 0 && (p.revents & POLLERR);
}
