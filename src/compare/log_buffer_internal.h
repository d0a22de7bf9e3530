/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_buffer_internal.h - log lines of one unit of work, kept until their turn. For this folder
 * only.
 *
 * Units run on any thread and finish in any order; their lines reach the log in the order of the
 * objects. One thread at a time may use a journal.
 */
#pragma once

#include "compare/compare.h"
#include "text/text.h"

struct journal_line {
    char severity;
    bool duplicate_key;
    str text;
};

struct journal {
    struct arena *arena;
    bool verbose;
    size_t duplicate_keys; /* how many there were, the first of them in lines */
    struct {
        struct journal_line *items;
        size_t len, cap;
    } lines;
};

/* Informative lines are dropped unless they are wanted. */
void journal_info(struct journal *j, const char *format, ...) FORMAT(2, 3);
void journal_warn(struct journal *j, const char *format, ...) FORMAT(2, 3);
void journal_error(struct journal *j, const char *format, ...) FORMAT(2, 3);
/* A warning about a duplicate key, of which the first DUPLICATE_KEYS_SHOWN are kept. */
void journal_duplicate_key(struct journal *j, const char *format, ...) FORMAT(2, 3);
/* A line of any severity that is always wanted. */
void journal_server(struct journal *j, char severity, str text);
/* Writes the lines to the log, with the number of duplicate keys not shown, and forgets them. */
void journal_flush(struct journal *j, const struct compare_log *log);
/* Moves the lines of from behind those of j. */
void journal_move(struct journal *j, struct journal *from);
