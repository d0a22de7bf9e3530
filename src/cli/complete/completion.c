/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.c - what the completion scripts of all shells share.
 */
#include "cli/complete/completion.h"
#include "cli/options/kube.h"

static bool is_hidden_by(const struct option *o, const struct command *c)
{
    for (size_t i = 0; c && i < c->option_count; i++)
        if (str_eq(str_c(o->name), str_c(c->options[i].name)))
            return true;
    return false;
}

void completion_each_option(const struct command *c, option_fn *fn, void *ctx)
{
    for (size_t i = 0; c && i < c->option_count; i++)
        if (!c->options[i].hidden)
            fn(ctx, &c->options[i]);
    for (size_t i = 0; c && c->connects && i < kube_option_count; i++)
        fn(ctx, &kube_options[i]);
    for (size_t i = 0; i < global_option_count; i++)
        if (!global_options[i].hidden && !is_hidden_by(&global_options[i], c))
            fn(ctx, &global_options[i]);
}
