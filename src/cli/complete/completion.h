/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.h - completion scripts for shells, written from the table of commands.
 *
 * One function per shell, each in a file of its own. Option names, command names and choices are
 * plain words, which no shell needs quoted; descriptions are quoted as the shell wants it.
 */
#pragma once

#include "cli/commands.h"

void completion_bash(struct buf *out);
void completion_fish(struct buf *out);
void completion_zsh(struct buf *out);

/*
 * Calls fn for each option that c understands: its own and, after them, those of all commands that
 * it does not hide. c may be NULL: before a command is named, only the latter. Hidden options are
 * left out.
 */
typedef void option_fn(void *ctx, const struct option *o);
void completion_each_option(const struct command *c, option_fn *fn, void *ctx);
