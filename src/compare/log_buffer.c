/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_buffer.c - log lines that wait for their turn.
 *
 * Units of work run on any thread and finish in any order. Each writes to a journal of its own; the
 * thread that collects the results empties the journals in the order of a sequential run.
 */
#include "compare/log_buffer_internal.h"

FORMAT(3, 0)
static void add_line(struct journal *j, char severity, const char *format, va_list args)
{
    struct journal_line line = {.severity = severity, .text = str_vfmt(j->arena, format, args)};

    VEC_PUSH(j->arena, &j->lines, line);
}

void journal_info(struct journal *j, const char *format, ...)
{
    va_list args;

    if (!j->verbose)
        return;
    va_start(args, format);
    add_line(j, 'I', format, args);
    va_end(args);
}

void journal_warn(struct journal *j, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(j, 'W', format, args);
    va_end(args);
}

void journal_error(struct journal *j, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(j, 'E', format, args);
    va_end(args);
}

void journal_duplicate_key(struct journal *j, const char *format, ...)
{
    va_list args;

    if (++j->duplicate_keys > DUPLICATE_KEYS_SHOWN)
        return;
    va_start(args, format);
    add_line(j, 'W', format, args);
    va_end(args);
    j->lines.items[j->lines.len - 1].duplicate_key = true;
}

void journal_server(struct journal *j, char severity, str text)
{
    struct journal_line line = {.severity = severity, .text = str_copy(j->arena, text)};

    VEC_PUSH(j->arena, &j->lines, line);
}

static void count_the_rest(struct journal *j)
{
    if (j->duplicate_keys > DUPLICATE_KEYS_SHOWN)
        journal_warn(j, "%zu more duplicate keys are not shown, %zu in all",
                     j->duplicate_keys - DUPLICATE_KEYS_SHOWN, j->duplicate_keys);
    j->duplicate_keys = 0;
}

void journal_flush(struct journal *j, const struct compare_log *log)
{
    count_the_rest(j);
    for (size_t i = 0; i < j->lines.len && log->line; i++)
        log->line(log->ctx, j->lines.items[i].severity, j->lines.items[i].text);
    j->lines.len = 0;
}

void journal_move(struct journal *j, struct journal *from)
{
    size_t shown = j->duplicate_keys;

    for (size_t i = 0; i < from->lines.len; i++) {
        struct journal_line line = from->lines.items[i];
        if (line.duplicate_key && ++shown > DUPLICATE_KEYS_SHOWN)
            continue;
        line.text = str_copy(j->arena, line.text);
        VEC_PUSH(j->arena, &j->lines, line);
    }
    j->duplicate_keys += from->duplicate_keys;
    from->lines.len = from->duplicate_keys = 0;
}
