/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal.h - log lines of one unit of work, kept until their turn. For this folder only.
 *
 * Units run on any thread and finish in any order; their lines reach the log in the order of the
 * objects. One thread at a time may use a journal.
 */
#pragma once

#include "compare/compare.h"

struct journal_line {
    char severity;
    str text;
};

struct journal {
    struct arena *arena;
    bool verbose;
    struct {
        struct journal_line *items;
        size_t len, cap;
    } lines;
};

/* Informative lines are dropped unless they are wanted. */
void journal_info(struct journal *j, const char *format, ...) FORMAT(2, 3);
void journal_warn(struct journal *j, const char *format, ...) FORMAT(2, 3);
void journal_error(struct journal *j, const char *format, ...) FORMAT(2, 3);
/* A line of any severity that is always wanted. */
void journal_server(struct journal *j, char severity, str text);
/* Writes the lines to the log and forgets them. */
void journal_flush(struct journal *j, const struct compare_log *log);
/* Moves the lines of from behind those of j. */
void journal_move(struct journal *j, struct journal *from);
