/* SPDX-License-Identifier: Apache-2.0 */
/* compare_generate.c - compare -g: generates a reference. */
#include "cli/cmd/compare_generate.h"
#include "compare/generate/generate.h"

bool generate_check(struct arena *a, const struct compare_values *v, const str *words,
                    size_t word_count, struct err *e)
{
    if (v->reference.len)
        return err_set(e, ERR_USAGE,
                       "cannot use -r and -g together; use -r for compare or -g for generate");
    if (word_count)
        return err_set(e, ERR_USAGE, "Unexpected args: [%.*s]",
                       STR_ARG(str_join(a, words, word_count, STR(" "))));
    if (v->kustomize.len)
        return err_set(e, ERR_USAGE,
                       "cannot use -k with -g; use -f with a must-gather directory path, or omit "
                       "-f for a live cluster");
    if (v->filename.len > 1)
        return err_set(e, ERR_USAGE,
                       "with -g, specify at most one must-gather path with -f (or omit -f to use "
                       "the live cluster)");
    return true;
}

bool generate_execute(struct arena *a, const struct compare_values *v,
                      const struct dialect *dialect, const struct compare_log *log, struct buf *out,
                      struct buf *note, struct err *e)
{
    const struct generate_options options = {
        .config = v->generate_config,
        .folder = v->filename.len ? v->filename.items[0] : STR_NONE,
        .dialect = dialect,
        .output = v->output_dir,
        .cluster = &v->flags,
        .log = *log,
    };

    return generate_run(a, &options, out, note, e);
}
