/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - levelled, structured log; see log.h. */
#include "base/log.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/utf8.h"

#include <unistd.h>

static enum log_level threshold = LOG_LEVEL_WARN;
static enum log_format layout = LOG_TEXT;
static int target = STDERR_FILENO;

/* Longer lines are dropped: logs are not for data. */
#define LINE_MAX_BYTES (64 * KIB)

static const struct {
    str name, label;
} levels[] = {
    [LOG_LEVEL_DEBUG] = {STR_INIT("debug"), STR_INIT("DEBUG")},
    [LOG_LEVEL_INFO] = {STR_INIT("info"), STR_INIT("INFO")},
    [LOG_LEVEL_WARN] = {STR_INIT("warn"), STR_INIT("WARN")},
    [LOG_LEVEL_ERROR] = {STR_INIT("error"), STR_INIT("ERROR")},
    [LOG_LEVEL_OFF] = {STR_INIT("off"), STR_INIT("OFF")},
};

void log_setup(enum log_level level, enum log_format format, int fd)
{
    threshold = level;
    layout = format;
    target = fd;
}

bool log_enabled(enum log_level level)
{
    return level >= threshold && level < LOG_LEVEL_OFF;
}

bool log_level_parse(str name, enum log_level *out)
{
    for (size_t i = 0; i < COUNT(levels); i++)
        if (str_eq(levels[i].name, name)) {
            *out = (enum log_level)i;
            return true;
        }
    return false;
}

/* Control characters of ASCII, and those of Latin-1, which some terminals obey too. */
static bool is_control(uint32_t r)
{
    return r < 0x20 || (r >= 0x7F && r < 0xA0);
}

/*
 * Escapes as JSON does, in the text layout too, so that nothing reaches the terminal raw. Invalid
 * UTF-8 becomes U+FFFD, since a line of JSON must stay valid.
 */
static void add_quoted(struct buf *b, str s)
{
    size_t width;

    buf_char(b, '"');
    for (size_t i = 0; i < s.len; i += width) {
        uint32_t r = utf8_decode(str_from(s, i), &width);
        if (r == '"' || r == '\\')
            buf_char(b, '\\');
        if (is_control(r))
            buf_fmt(b, "\\u%04x", r);
        else
            buf_rune(b, r);
    }
    buf_char(b, '"');
}

static bool needs_quotes(str s)
{
    size_t width;

    for (size_t i = 0; i < s.len; i += width) {
        uint32_t r = utf8_decode(str_from(s, i), &width);
        bool is_plain = r != ' ' && r != '"' && r != '=' && r != '\\' && !is_control(r);
        if (!is_plain || (r == RUNE_ERROR && width == 1))
            return true;
    }
    return s.len == 0;
}

static void add_value(struct buf *b, const struct log_field *field, bool json)
{
    switch (field->kind) {
    case LOG_FIELD_INT:
        buf_fmt(b, "%lld", (long long)field->number);
        break;
    case LOG_FIELD_BOOL:
        buf_add(b, field->number ? STR("true") : STR("false"));
        break;
    case LOG_FIELD_STR:
        if (json || needs_quotes(field->text))
            add_quoted(b, field->text);
        else
            buf_add(b, field->text);
        break;
    }
}

static void add_text_line(struct buf *b, enum log_level level, const char *stamp,
                          const char *message, const struct log_field *fields, size_t count)
{
    buf_fmt(b, "%s %.*s %s", stamp, STR_ARG(levels[level].label), message);
    for (size_t i = 0; i < count; i++) {
        buf_fmt(b, " %s=", fields[i].key);
        add_value(b, &fields[i], false);
    }
}

static void add_json_line(struct buf *b, enum log_level level, const char *stamp,
                          const char *message, const struct log_field *fields, size_t count)
{
    buf_fmt(b, "{\"time\":\"%s\",\"level\":\"%.*s\",\"msg\":", stamp, STR_ARG(levels[level].name));
    add_quoted(b, str_c(message));
    for (size_t i = 0; i < count; i++) {
        buf_char(b, ',');
        add_quoted(b, str_c(fields[i].key));
        buf_char(b, ':');
        add_value(b, &fields[i], true);
    }
    buf_char(b, '}');
}

void log_write(enum log_level level, const char *message, const struct log_field *fields,
               size_t count)
{
    AUTO_ARENA a = arena_new();
    struct buf line = buf_new(a, LINE_MAX_BYTES);
    char stamp[CLOCK_STAMP];

    clock_stamp(clock_now(), stamp);
    if (layout == LOG_JSON)
        add_json_line(&line, level, stamp, message, fields, count);
    else
        add_text_line(&line, level, stamp, message, fields, count);
    buf_char(&line, '\n');
    if (line.overflow)
        return;
    /* If the log cannot be written, there is nowhere to report it. */
    ssize_t ignored = write(target, line.data, line.len);
    (void)ignored;
}
