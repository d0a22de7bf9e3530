/* SPDX-License-Identifier: Apache-2.0 */
/* compare_generate.h - compare -g: generates a reference. */
#pragma once

#include "cli/cmd/compare_cli.h"

/* Whether the options can be used to generate a reference; ERR_USAGE otherwise. */
MUST_CHECK bool generate_check(struct arena *a, const struct compare_values *v, const str *words,
                               size_t word_count, struct err *e);

/*
 * Generates the reference that v->generate_config describes; call generate_check first. The texts
 * for standard output and standard error are appended to out and note. On any failure the original
 * exits with status 1.
 */
MUST_CHECK bool generate_execute(struct arena *a, const struct compare_values *v,
                                 const struct dialect *dialect, const struct compare_log *log,
                                 struct buf *out, struct buf *note, struct err *e);
