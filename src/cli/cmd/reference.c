/* SPDX-License-Identifier: Apache-2.0 */
/* reference.c - plumb reference: subcommands for a reference alone. */
#include "cli/cmd/reference_internal.h"

static const char *const formats[] = {"github", "json", "sarif", "text", NULL};

static const struct option reference_options[] = {
    {"accept", 0, OPTION_BOOL, offsetof(struct reference_values, accept),
     .help = "test: Write what comes out as what is expected"},
    {"allow-outside-links", 0, OPTION_BOOL, offsetof(struct reference_values, outside_links),
     .help = "Follow links of the reference that lead out of its folder"},
    {"cases", 0, OPTION_STRING, offsetof(struct reference_values, cases),
     .help = "test: The cases are in this `FOLDER` (default: tests beside the metadata file)",
     .complete = COMPLETE_FOLDERS},
    {"diff-config", 'c', OPTION_STRING, offsetof(struct reference_values, config),
     .help = "lint: Check this user config `FILE` against the reference",
     .complete = COMPLETE_FILES},
    {"ignore", 0, OPTION_STRINGS, offsetof(struct reference_values, ignore),
     .help = "lint: Leave out findings of these `RULES`"},
    {"kinds", 0, OPTION_STRINGS, offsetof(struct reference_values, kinds),
     .help = "new: Take objects of these `KINDS` only: Deployment or apps/v1/Deployment"},
    {"min-coverage", 0, OPTION_INT, offsetof(struct reference_values, min_coverage), .value = "0",
     .help = "test: Fail when cases reach less than this `PERCENT` of the branches"},
    {"output", 'o', OPTION_STRING, offsetof(struct reference_values, output), .value = "text",
     .help = "Write as `FORMAT`: json or text; lint: also github or sarif", .choices = formats},
    {"overrides", 'p', OPTION_STRING, offsetof(struct reference_values, overrides),
     .help = "lint: Check this `FILE` of overrides against the reference",
     .complete = COMPLETE_FILES},
    {"severity", 0, OPTION_STRING, offsetof(struct reference_values, severity), .value = "warning",
     .help = "lint: Show findings of this `LEVEL` and above: warning or error",
     .choices = reference_severities},
    {"strict", 0, OPTION_BOOL, offsetof(struct reference_values, strict),
     .help = "lint: End with status 1 for warnings too"},
};

/* The subcommands: their options, and how many arguments. To add one: a line here. */
static const struct action {
    const char *name, *args;
    size_t args_max;
    const char *options[12]; /* that it does not have, NULL-terminated */
    bool (*run)(struct call *c, struct err *e);
} actions[] = {
    {"lint",
     "REFERENCE",
     2,
     {"accept", "cases", "kinds", "min-coverage", NULL},
     cmd_reference_lint},
    {"new",
     "FOLDER INPUT...",
     ARGS_ANY,
     {"accept", "allow-outside-links", "cases", "diff-config", "ignore", "min-coverage", "output",
      "overrides", "severity", "strict", NULL},
     cmd_reference_new},
    {"test",
     "REFERENCE [CASE]...",
     ARGS_ANY,
     {"diff-config", "ignore", "kinds", "overrides", "severity", "strict", NULL},
     cmd_reference_test},
};

static const char *const *reference_words(struct arena *a)
{
    const char **names = ARENA_ARRAY(a, const char *, COUNT(actions) + 1);

    for (size_t i = 0; i < COUNT(actions); i++)
        names[i] = actions[i].name;
    return names;
}

static bool run_action(struct call *c, const struct action *action, struct err *e)
{
    for (size_t i = 0; action->options[i]; i++)
        if (options_given(c->options, str_c(action->options[i])))
            return err_set(e, ERR_USAGE, "--%s has no effect with 'plumb reference %s'",
                           action->options[i], action->name);
    if (c->arg_count > action->args_max)
        return err_set(e, ERR_USAGE, "unexpected argument \"%.*s\"; usage: plumb reference %s %s",
                       STR_ARG(c->args[action->args_max]), action->name, action->args);
    return action->run(c, e);
}

static bool cmd_reference(struct call *c, struct err *e)
{
    for (size_t i = 0; i < COUNT(actions); i++)
        if (str_eq(c->args[0], str_c(actions[i].name)))
            return run_action(c, &actions[i], e);
    return err_set(e, ERR_USAGE, "unknown action \"%.*s\"; there are: lint, new, test",
                   STR_ARG(c->args[0]));
}

const struct command command_reference = {
    .name = "reference",
    .args = "lint|new|test REFERENCE [CASE|INPUT]...",
    .brief = "Check, test or begin a reference",
    .help = "'lint' reads a reference, which is a metadata file, the folder that holds\n"
            "metadata.yaml, or a URL or image as for 'plumb compare', without comparing\n"
            "anything: it parses all templates, runs each with an empty object, and shows\n"
            "everything that is wrong at once, with file, line and what to do about it:\n"
            "unknown keys, missing files, faults of templates, templates that no object can\n"
            "tell apart or that are never selected, lists of omitted fields that nothing\n"
            "uses, overrides and pairs that match nothing any more.\n"
            "\n"
            "'test' compares the objects of each folder in REFERENCE/tests with the reference,\n"
            "and what comes out with the expected.yaml there. It lists the branches of\n"
            "templates that no case takes. --accept writes expected.yaml.\n"
            "\n"
            "'new' writes a first reference to a new folder, from the objects of one or several\n"
            "files, folders, archives or clusters (context:NAME, with --kinds). What varies\n"
            "between them is taken from the object that is compared; what only some have is\n"
            "optional. Compared with the new reference, all of them are as expected.\n"
            "\n"
            "Exit status: 0 when there are no errors, 1 when there are, or with --strict\n"
            "warnings, or when a case fails, 2 when the reference cannot be read.\n",
    .examples =
        "  plumb reference lint reference\n"
        "  plumb reference lint reference/metadata.yaml -p overrides.yaml -o json\n"
        "  plumb reference lint reference --strict --ignore partial-name -o github\n"
        "  plumb reference new reference must-gather-berlin.tar.gz must-gather-paris.tar.gz\n"
        "  plumb reference test reference --min-coverage 80\n"
        "  plumb reference test reference two-replicas --accept\n",
    .options = reference_options,
    .option_count = COUNT(reference_options),
    .values_size = sizeof(struct reference_values),
    .args_min = 2,
    .args_max = ARGS_ANY,
    .complete = COMPLETE_FILES,
    .words = reference_words,
    .run = cmd_reference,
};
