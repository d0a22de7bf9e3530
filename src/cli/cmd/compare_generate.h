/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_generate.h - from the option values of compare to a generated reference: -g.
 */
#pragma once

#include "cli/cmd/compare_cli.h"

/* Whether the command line asks for what can be generated; ERR_USAGE otherwise. */
MUST_CHECK bool generate_check(struct arena *a, const struct compare_values *v, const str *words,
                               size_t word_count, struct err *e);

/*
 * Generates the reference that v->generate_config describes. generate_check comes
 * before. What goes to standard output and to standard error is appended to out and note. Every
 * failure ends the original with status 1.
 */
MUST_CHECK bool generate_execute(struct arena *a, const struct compare_values *v,
                                 const struct dialect *dialect, const struct compare_log *log,
                                 struct buf *out, struct buf *note, struct err *e);
