/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_buffer.c - log lines that wait for their turn.
 *
 * Units of work run on any thread and finish in any order. Each writes to its own buffer; the
 * thread that collects the results empties the buffers in the order of a sequential run.
 */
#include "compare/log_buffer_internal.h"

FORMAT(3, 0)
static void add_line(struct log_buffer *log, char severity, const char *format, va_list args)
{
    struct log_line line = {.severity = severity, .text = str_vfmt(log->arena, format, args)};

    VEC_PUSH(log->arena, &log->lines, line);
}

void log_buffer_info(struct log_buffer *log, const char *format, ...)
{
    va_list args;

    if (!log->verbose)
        return;
    va_start(args, format);
    add_line(log, 'I', format, args);
    va_end(args);
}

void log_buffer_warn(struct log_buffer *log, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(log, 'W', format, args);
    va_end(args);
}

void log_buffer_error(struct log_buffer *log, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(log, 'E', format, args);
    va_end(args);
}

void log_buffer_duplicate_key(struct log_buffer *log, const char *format, ...)
{
    va_list args;

    if (++log->duplicate_keys > DUPLICATE_KEYS_SHOWN)
        return;
    va_start(args, format);
    add_line(log, 'W', format, args);
    va_end(args);
    log->lines.items[log->lines.len - 1].duplicate_key = true;
}

void log_buffer_server(struct log_buffer *log, char severity, str text)
{
    struct log_line line = {.severity = severity, .text = str_copy(log->arena, text)};

    VEC_PUSH(log->arena, &log->lines, line);
}

static void count_the_rest(struct log_buffer *log)
{
    if (log->duplicate_keys > DUPLICATE_KEYS_SHOWN)
        log_buffer_warn(log, "%zu more duplicate keys are not shown, %zu in all",
                        log->duplicate_keys - DUPLICATE_KEYS_SHOWN, log->duplicate_keys);
    log->duplicate_keys = 0;
}

void log_buffer_flush(struct log_buffer *buffer, const struct compare_log *log)
{
    count_the_rest(buffer);
    for (size_t i = 0; i < buffer->lines.len && log->line; i++)
        log->line(log->ctx, buffer->lines.items[i].severity, buffer->lines.items[i].text);
    buffer->lines.len = 0;
}

void log_buffer_move(struct log_buffer *log, struct log_buffer *from)
{
    size_t shown = log->duplicate_keys;

    for (size_t i = 0; i < from->lines.len; i++) {
        struct log_line line = from->lines.items[i];
        if (line.duplicate_key && ++shown > DUPLICATE_KEYS_SHOWN)
            continue;
        line.text = str_copy(log->arena, line.text);
        VEC_PUSH(log->arena, &log->lines, line);
    }
    log->duplicate_keys += from->duplicate_keys;
    from->lines.len = from->duplicate_keys = 0;
}
