/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.h - writes completion scripts for shells from the table of commands.
 *
 * One function per shell, each in its own file. Option names, command names and choices are plain
 * words that need no quoting in any shell; descriptions are quoted as the shell requires.
 */
#pragma once

#include "cli/commands.h"

void completion_bash(struct buf *out);
void completion_fish(struct buf *out);
void completion_zsh(struct buf *out);

/*
 * Calls fn for each option of c: its own, and then those of every command that it does not
 * override. If c is NULL (no command given yet), only the latter. Hidden options are left out.
 */
typedef void option_fn(void *ctx, const struct option *o);
void completion_each_option(const struct command *c, option_fn *fn, void *ctx);
