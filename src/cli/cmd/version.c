/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.c - plumb version.
 */
#include "cli/commands.h"
#include "base/library.h"

struct build_info build_info = {"", "", ""};

struct version_values {
    str output;
};

static const char *const formats[] = {"text", "json", NULL};

static const struct option version_options[] = {
    {"output", 'o', OPTION_STRING, offsetof(struct version_values, output), .value = "text",
     .help = "Write as `FORMAT`: text or json", .choices = formats},
};

static bool cmd_version(struct call *c, struct err *e)
{
    const struct version_values *v = c->values;

    (void)e;
    if (str_eq(v->output, STR("json"))) {
        output_fmt(c->out,
                   "{\"name\":\"plumb\",\"version\":\"" PLUMB_VERSION "\",\"commit\":\"%s\","
                   "\"date\":\"%s\",\"modelDate\":\"%s\",\"libraries\":[",
                   build_info.commit, build_info.date, build_info.model_date);
        for (size_t i = 0; library_names[i]; i++)
            output_fmt(c->out, "%s{\"file\":\"%s\",\"package\":\"%s\"}", i ? "," : "",
                       library_names[i]->file, library_names[i]->package);
        output_add(c->out, STR("]}\n"));
    } else {
        output_add(c->out, STR("plumb " PLUMB_VERSION "\n"));
    }
    return true;
}

const struct command command_version = {
    .name = "version",
    .args = "",
    .brief = "Show which version this is",
    .help = "The text form is one line, the same as that of 'plumb --version'; the JSON form\n"
            "is for scripts and has the commit, its date, and when the model of Azure was\n"
            "last changed, which are empty when the sources were not a repository, and the\n"
            "libraries that are opened when they are first needed, with their packages.\n",
    .examples = "  plumb version\n"
                "  plumb version -o json\n",
    .options = version_options,
    .option_count = COUNT(version_options),
    .values_size = sizeof(struct version_values),
    .run = cmd_version,
};
