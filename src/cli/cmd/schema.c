/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - plumb schema: JSON schemas of the files that people write and programs read.
 *
 * To add one: write docs/schema/NAME.json, and list it here and in the Makefile ("Embedded files").
 */
#include "cli/commands.h"
#include "base/embed.h"

EMBED(schema_expected, "docs/schema/expected.json");
EMBED(schema_metadata_v1, "docs/schema/metadata-v1.json");
EMBED(schema_metadata_v2, "docs/schema/metadata-v2.json");
EMBED(schema_overrides, "docs/schema/overrides.json");
EMBED(schema_report, "docs/schema/report.json");
EMBED(schema_user_config, "docs/schema/user-config.json");

static const struct schema_file {
    const char *name, *help, *text, *end;
} schemas[] = {
    {"expected", "expected.yaml of a case of 'plumb reference test'", embed_schema_expected,
     embed_end_schema_expected},
    {"metadata-v1", "metadata.yaml of a reference, version 1", embed_schema_metadata_v1,
     embed_end_schema_metadata_v1},
    {"metadata-v2", "metadata.yaml of a reference, version 2", embed_schema_metadata_v2,
     embed_end_schema_metadata_v2},
    {"overrides", "the file of 'plumb compare -p'", embed_schema_overrides,
     embed_end_schema_overrides},
    {"report", "what 'plumb compare -o json' writes", embed_schema_report, embed_end_schema_report},
    {"user-config", "the file of 'plumb compare -c'", embed_schema_user_config,
     embed_end_schema_user_config},
};

static const char *const *schema_words(struct arena *a)
{
    const char **names = ARENA_ARRAY(a, const char *, COUNT(schemas) + 1);

    for (size_t i = 0; i < COUNT(schemas); i++)
        names[i] = schemas[i].name;
    return names;
}

static str known_names(struct arena *a)
{
    str names[COUNT(schemas)];

    for (size_t i = 0; i < COUNT(schemas); i++)
        names[i] = str_c(schemas[i].name);
    return str_join(a, names, COUNT(names), STR(", "));
}

static bool cmd_schema(struct call *c, struct err *e)
{
    for (size_t i = 0; !c->arg_count && i < COUNT(schemas); i++)
        output_fmt(c->out, "%-12s %s\n", schemas[i].name, schemas[i].help);
    for (size_t i = 0; c->arg_count && i < COUNT(schemas); i++)
        if (str_eq(c->args[0], str_c(schemas[i].name))) {
            output_add(c->out, str_of(schemas[i].text,
                                      (uintptr_t)schemas[i].end - (uintptr_t)schemas[i].text));
            return true;
        }
    return !c->arg_count || err_set(e, ERR_USAGE, "there is no schema \"%.*s\"; there are: %.*s",
                                    STR_ARG(c->args[0]), STR_ARG(known_names(c->arena)));
}

const struct command command_schema = {
    .name = "schema",
    .args = "[NAME]",
    .brief = "Print the JSON schema of a file format",
    .help = "Prints a JSON schema (2020-12), for editors and for checks in a pipeline: of the\n"
            "metadata files of references, of overrides and user configs, of expected.yaml, and\n"
            "of JSON reports. Without a name it lists them.\n",
    .examples = "  plumb schema\n"
                "  plumb schema metadata-v2 >metadata-v2.json\n",
    .args_max = 1,
    .words = schema_words,
    .run = cmd_schema,
};
