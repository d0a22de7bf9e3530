/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the table of commands, and the options that they all share. */
#include "cli/commands.h"

extern const struct command command_compare;
extern const struct command command_completion;
extern const struct command command_confirm;
extern const struct command command_convert;
extern const struct command command_crd;
extern const struct command command_diff;
extern const struct command command_get;
extern const struct command command_helm_convert;
extern const struct command command_help;
extern const struct command command_manifests;
extern const struct command command_model;
extern const struct command command_operate;
extern const struct command command_patch;
extern const struct command command_plan;
extern const struct command command_reference;
extern const struct command command_render;
extern const struct command command_replay;
extern const struct command command_report;
extern const struct command command_rules;
extern const struct command command_schema;
extern const struct command command_serve;
extern const struct command command_simulate;
extern const struct command command_store;
extern const struct command command_tree;
extern const struct command command_version;
extern const struct command command_why;

/* Alphabetical. To add a command: commands.h says how. */
const struct command *const commands[] = {
    /* clang-format off */
    &command_compare,
    &command_completion,
    &command_confirm,
    &command_convert,
    &command_crd,
    &command_diff,
    &command_get,
    &command_helm_convert,
    &command_help,
    &command_manifests,
    &command_model,
    &command_operate,
    &command_patch,
    &command_plan,
    &command_reference,
    &command_render,
    &command_replay,
    &command_report,
    &command_rules,
    &command_schema,
    &command_serve,
    &command_simulate,
    &command_store,
    &command_tree,
    &command_version,
    &command_why,
    NULL,
    /* clang-format on */
};

static const char *const log_levels[] = {"debug", "info", "warn", "error", "off", NULL};
static const char *const log_formats[] = {"text", "json", NULL};

const struct option global_options[] = {
    {"help", 'h', OPTION_BOOL, offsetof(struct global_values, help), .help = "Show help"},
    {"log-format", 0, OPTION_STRING, offsetof(struct global_values, log_format), .value = "text",
     .help = "Write log lines as `FORMAT`: text or json", .choices = log_formats},
    {"log-level", 0, OPTION_STRING, offsetof(struct global_values, log_level), .value = "warn",
     .help = "Log from this `LEVEL` on: debug, info, warn, error or off", .choices = log_levels},
    {"verbose", 'v', OPTION_COUNT, offsetof(struct global_values, verbose),
     .help = "Log more: once is info, twice is debug"},
    {"version", 0, OPTION_BOOL, offsetof(struct global_values, version),
     .help = "Show the version"},
};
const size_t global_option_count = COUNT(global_options);

const struct command *command_find(str name)
{
    for (size_t i = 0; commands[i]; i++)
        if (str_eq(name, str_c(commands[i]->name)))
            return commands[i];
    return NULL;
}

const struct command *command_suggest(str name)
{
    AUTO_ARENA a = arena_new();
    const char *near = option_nearest(command_names(a), name);

    return near ? command_find(str_c(near)) : NULL;
}

const char *const *command_names(struct arena *a)
{
    const char **names = ARENA_ARRAY(a, const char *, COUNT(commands));

    for (size_t i = 0; commands[i]; i++)
        names[i] = commands[i]->name;
    return names;
}
