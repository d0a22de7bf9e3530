/* SPDX-License-Identifier: Apache-2.0 */
/*
 * header.c - the two lines above the hunks of a file: its names and times, as GNU diff writes them.
 *
 * A name with a blank, a quote, a backslash or anything but printable ASCII is quoted as in C. The
 * time is in the time zone of the process.
 */
#include "diff/diff.h"

/* The letter of a short escape sequence; 0 when c has none. */
static char short_escape(char c)
{
    size_t at = str_find_char(STR("\a\b\t\n\v\f\r\"\\"), c);

    if (at == STR_NPOS)
        return '\0';
    return "abtnvfr\"\\"[at];
}

/* Upstream: DEL stays as it is; bytes above it are negative there and count as control characters.
 */
static bool is_octal(char c)
{
    return (unsigned char)c < 32 || (unsigned char)c > 127;
}

static bool needs_quotes(str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] == ' ' || short_escape(name.ptr[i]) || is_octal(name.ptr[i]))
            return true;
    return false;
}

static void put_name(struct buf *out, str name)
{
    if (!needs_quotes(name)) {
        buf_add(out, name);
        return;
    }
    buf_char(out, '"');
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i], escape = short_escape(c);
        if (escape)
            buf_fmt(out, "\\%c", escape);
        else if (is_octal(c))
            buf_fmt(out, "\\%03o", (unsigned)(unsigned char)c);
        else
            buf_char(out, c);
    }
    buf_char(out, '"');
}

/* "2026-03-05 07:08:09.123456789 +0100" */
static void put_time(struct buf *out, int64_t time)
{
    int64_t ns = time % NS_PER_SEC;
    time_t seconds = (time_t)(time / NS_PER_SEC);
    char date[64], zone[16];
    struct tm tm;

    if (ns < 0) {
        ns += NS_PER_SEC;
        seconds--;
    }
    localtime_r(&seconds, &tm);
    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
    strftime(zone, sizeof(zone), "%z", &tm);
    buf_fmt(out, "%s.%09d %s", date, (int)ns, zone);
}

void diff_header(struct buf *out, const struct diff_file *old, const struct diff_file *new_)
{
    const struct diff_file *files[] = {old, new_};

    for (size_t i = 0; i < COUNT(files); i++) {
        buf_add(out, i ? STR("+++ ") : STR("--- "));
        put_name(out, files[i]->name);
        buf_char(out, '\t');
        put_time(out, files[i]->time);
        buf_char(out, '\n');
    }
}
