/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - levelled, structured log, as text or as JSON lines.
 *
 *     LOG_INFO("object compared", LOG_STR("name", name), LOG_INT("differences", n));
 *
 * gives, as text and as JSON,
 *
 *     2026-03-05T07:08:09.123Z INFO object compared name=cm differences=3
 *     {"time":"2026-03-05T07:08:09.123Z","level":"info","msg":"object compared",...}
 *
 * Library folders log at debug level or not at all; programs decide the level. A line is one write,
 * so that lines of several threads do not mix. Control characters in values are escaped. Secrets
 * are never logged: there is no field type for them. May be called from any thread; log_setup
 * before threads start.
 */
#pragma once

#include "base/str.h"

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR, LOG_LEVEL_OFF };
enum log_format { LOG_TEXT, LOG_JSON };

struct log_field {
    const char *key;
    enum { LOG_FIELD_STR, LOG_FIELD_INT, LOG_FIELD_BOOL } kind;
    str text;
    int64_t number;
};

#define LOG_STR(k, v) ((struct log_field){.key = (k), .kind = LOG_FIELD_STR, .text = (v)})
#define LOG_INT(k, v) ((struct log_field){.key = (k), .kind = LOG_FIELD_INT, .number = (v)})
#define LOG_BOOL(k, v) ((struct log_field){.key = (k), .kind = LOG_FIELD_BOOL, .number = (v)})

/* The default, if it is never called: warnings and errors, as text, to standard error. */
void log_setup(enum log_level level, enum log_format format, int fd);
bool log_enabled(enum log_level level);
void log_write(enum log_level level, const char *message, const struct log_field *fields,
               size_t count);
/* "debug", "info", "warn", "error", "off". False when unknown. */
bool log_level_parse(str name, enum log_level *out);

#define LOG_AT(level, message, ...)                                                                \
    do {                                                                                           \
        if (log_enabled(level)) {                                                                  \
            const struct log_field log_fields_[] = {{0}, __VA_ARGS__};                             \
            log_write((level), (message), log_fields_ + 1, COUNT(log_fields_) - 1);                \
        }                                                                                          \
    } while (0)
#define LOG_DEBUG(...) LOG_AT(LOG_LEVEL_DEBUG, __VA_ARGS__, )
#define LOG_INFO(...) LOG_AT(LOG_LEVEL_INFO, __VA_ARGS__, )
#define LOG_WARN(...) LOG_AT(LOG_LEVEL_WARN, __VA_ARGS__, )
#define LOG_ERROR(...) LOG_AT(LOG_LEVEL_ERROR, __VA_ARGS__, )
