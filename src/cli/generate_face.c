/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate_face.c - from option values to a generated reference.
 */
#include "cli/generate_face.h"
#include "compare/generate.h"

bool generate_execute(struct arena *a, const struct compare_values *v,
                      const struct compare_log *log, struct buf *out, struct buf *note,
                      struct err *e)
{
    const struct generate_options options = {
        .config = v->generate_config,
        .folder = v->filename.len ? v->filename.items[0] : STR_NONE,
        .output = v->output_dir,
        .log = *log,
    };

    if (!v->filename.len)
        return err_set(e, ERR_INVALID,
                       "objects are not read from clusters yet: name a must-gather folder with -f");
    return generate_run(a, &options, out, note, e);
}
