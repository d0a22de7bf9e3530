/* SPDX-License-Identifier: Apache-2.0 */
/* completion.c - plumb completion: prints a shell's completion script. */
#include "cli/complete/completion.h"

static const struct {
    const char *name;
    void (*write)(struct buf *out);
} shells[] = {
    {"bash", completion_bash},
    {"fish", completion_fish},
    {"zsh", completion_zsh},
};

static const char *const *shell_names(struct arena *a)
{
    const char **names = ARENA_ARRAY(a, const char *, COUNT(shells) + 1);

    for (size_t i = 0; i < COUNT(shells); i++)
        names[i] = shells[i].name;
    return names;
}

static bool cmd_completion(struct call *c, struct err *e)
{
    struct buf script = buf_new(c->arena, BUF_UNLIMITED);

    for (size_t i = 0; i < COUNT(shells); i++) {
        if (!str_eq(c->args[0], str_c(shells[i].name)))
            continue;
        shells[i].write(&script);
        output_add(c->out, buf_str(&script));
        return true;
    }
    return err_set(e, ERR_USAGE, "unknown shell \"%.*s\": must be one of bash, fish, zsh",
                   STR_ARG(c->args[0]));
}

const struct command command_completion = {
    .name = "completion",
    .args = "SHELL",
    .brief = "Print a completion script for bash, fish or zsh",
    .help = "The script completes commands, options, the values of options and file names.\n"
            "'make install' puts the scripts where the shells look for them; without that:\n"
            "\n"
            "  bash   source <(plumb completion bash)         in ~/.bashrc\n"
            "  fish   plumb completion fish | source          in ~/.config/fish/config.fish\n"
            "  zsh    source <(plumb completion zsh)          in ~/.zshrc, after compinit\n",
    .examples = "  plumb completion bash > ~/.local/share/bash-completion/completions/plumb\n",
    .args_min = 1,
    .args_max = 1,
    .words = shell_names,
    .run = cmd_completion,
};
