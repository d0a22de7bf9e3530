/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_buffer_internal.h - keeps the log lines of one unit of work until their turn. For this folder
 * only.
 *
 * Units run on any thread and finish in any order; their lines reach the log in the order of the
 * objects. One thread at a time may use a buffer.
 */
#pragma once

#include "compare/compare.h"
#include "text/text.h"

struct log_line {
    char severity;
    bool duplicate_key;
    str text;
};

struct log_buffer {
    struct arena *arena;
    bool verbose;
    size_t duplicate_keys; /* how many there were; the first ones are in lines */
    struct {
        struct log_line *items;
        size_t len, cap;
    } lines;
};

/* Lines of severity I are dropped unless verbose. */
void log_buffer_info(struct log_buffer *log, const char *format, ...) FORMAT(2, 3);
void log_buffer_warn(struct log_buffer *log, const char *format, ...) FORMAT(2, 3);
void log_buffer_error(struct log_buffer *log, const char *format, ...) FORMAT(2, 3);
/* A warning about a duplicate key, of which the first DUPLICATE_KEYS_SHOWN are kept. */
void log_buffer_duplicate_key(struct log_buffer *log, const char *format, ...) FORMAT(2, 3);
/* Adds a line of any severity, whether or not verbose. */
void log_buffer_server(struct log_buffer *log, char severity, str text);
/*
 * Writes the lines to the log, and the number of duplicate keys not shown, then empties the buffer.
 */
void log_buffer_flush(struct log_buffer *buffer, const struct compare_log *log);
/* Appends the lines of from to log, and empties from. */
void log_buffer_move(struct log_buffer *log, struct log_buffer *from);
