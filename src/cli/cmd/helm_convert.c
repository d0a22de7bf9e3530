/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helm_convert.c - plumb helm-convert, and the program helm-convert: a Helm chart from a
 * reference.
 */
#include "cli/compat/cobra.h"
#include "cli/input.h"
#include "cli/compat/originals.h"
#include "cli/compat/klog.h"
#include "compare/helm/helm.h"

#include <unistd.h>

struct helm_values {
    str defaults, description, helm_name, helm_version, reference, values;
    bool outside_links;
};

/* The first one is not in the original. */
static const struct option helm_options[] = {
    {"allow-outside-links", 0, OPTION_BOOL, offsetof(struct helm_values, outside_links),
     .help = "Follow links of the reference that lead out of its folder"},
    {"defaults", 'd', OPTION_STRING, offsetof(struct helm_values, defaults),
     .help = "Path to directory with the CRs that the tool will extract default values from",
     .complete = COMPLETE_FOLDERS},
    {"description", 0, OPTION_STRING, offsetof(struct helm_values, description),
     .value = "This Helm Chart was generated from a kube-compare reference",
     .help = "Description for generated Helm Chart", .may_be_empty = true},
    {"helm-name", 'n', OPTION_STRING, offsetof(struct helm_values, helm_name), .value = "Chart",
     .help = "Path to save the helm chart", .complete = COMPLETE_FOLDERS},
    {"helm-version", 0, OPTION_STRING, offsetof(struct helm_values, helm_version), .value = "1",
     .help = "Version of generated Helm Chart", .may_be_empty = true},
    {"reference", 'r', OPTION_STRING, offsetof(struct helm_values, reference),
     .help = "Path to reference config file.", .complete = COMPLETE_FILES},
    {"values", 'v', OPTION_STRING, offsetof(struct helm_values, values),
     .help = "Path to existing values.yaml file", .complete = COMPLETE_FILES},
};

static bool convert(struct arena *a, const struct helm_values *v, bool outside_links, struct err *e)
{
    struct buf note = buf_new(a, BUF_UNLIMITED);
    const struct helm_options options = {
        .reference = v->reference,
        .chart = v->helm_name,
        .defaults = v->defaults,
        .values = v->values,
        .description = v->description,
        .version = v->helm_version,
        .outside_links = outside_links,
        .log = {.line = klog_line},
    };

    if (!v->reference.len)
        return err_set(e, ERR_USAGE,
                       "path to reference config file is required, pass by -r/--reference");
    bool ok = helm_convert(a, &options, &note, e);
    (void)!file_write_fd(STDERR_FILENO, STR("standard error"), buf_str(&note), NULL);
    /* The messages already have the position. */
    e->at = (struct where){0};
    return ok;
}

/* A reference may be given by its folder. */
static bool cmd_helm_convert(struct call *c, struct err *e)
{
    struct helm_values v = *(const struct helm_values *)c->values;

    if (c->arg_count && v.reference.len)
        return err_set(e, ERR_USAGE, "name one reference: %.*s or -r %.*s", STR_ARG(c->args[0]),
                       STR_ARG(v.reference));
    if (c->arg_count)
        v.reference = c->args[0];
    if (!v.reference.len)
        return err_set(e, ERR_USAGE, "name a reference");
    if (file_kind(v.reference) == FILE_FOLDER) {
        v.reference = file_join(c->arena, v.reference, STR("metadata.yaml"));
        if (file_kind(v.reference) == FILE_MISSING)
            return err_set(e, ERR_NOT_FOUND, "%.*s does not exist", STR_ARG(v.reference));
    }
    v.values = input_path(v.values);
    return convert(c->arena, &v, v.outside_links, e);
}

static bool convert_original(struct arena *a, const void *values, struct err *e)
{
    return convert(a, values, true, e);
}

const struct command command_helm_convert = {
    .name = "helm-convert",
    .args = "[REFERENCE]",
    .brief = "Make a Helm chart from a reference",
    .help = "REFERENCE, which is the same as -r, is a metadata file or the folder that holds\n"
            "metadata.yaml. Each of its templates becomes a template of the chart. values.yaml\n"
            "gets, for each of them, a list with one object that has every field which the\n"
            "template reads: with the value that an object of the same file name below\n"
            "--defaults has, else with {}. What --values holds goes over all that. Lookups of\n"
            "other objects become values below global.lookup_substitutions.\n"
            "\n"
            "Linked to the name helm-convert, the program behaves as the tool of that name.\n",
    .examples = "  plumb helm-convert reference -n charts/web\n"
                "  plumb helm-convert -r reference/metadata.yaml -n charts/web -d objects\n",
    .options = helm_options,
    .option_count = COUNT(helm_options),
    .values_size = sizeof(struct helm_values),
    .args_max = 1,
    .complete = COMPLETE_FILES,
    .run = cmd_helm_convert,
};

/* The spaces before line breaks are the original's. */
static const struct cobra helm_convert_program = {
    .name = "helm-convert",
    .usage = "helm-convert -r <REFERENCE_PATH> -n <CHART_DIRECTORY> [-d <EXISTING_CRS_DIR>] "
             "[-v <PREVIOUS_VALUES_PATH>] [--description <DESCRIPTION>] [--helm-version <VERSION>]",
    .help = "The 'helm-convert' command generates a Helm chart from kube-compare reference "
            "configurations and creates a values.yaml file based on the values used in the "
            "templates included in the reference. \n"
            "You need to provide the path to the reference YAML file using the -r flag and the "
            "directory where the Helm chart should be created using the -n flag. \n"
            "Optionally, you can specify a directory containing existing custom resources (CRs) "
            "with the -d flag to auto-extract default values, and use the -v flag to provide a "
            "previous values.yaml file for updating the Helm chart. \n"
            "The resulting Helm chart will include templates for each reference and will use the "
            "values.yaml file to define the variables needed to create CRs. \n"
            "The tool helps automate the creation of values.yaml and supports default values "
            "extraction from existing CRs. For detailed usage and examples, refer to the "
            "documentation.",
    .options = helm_options + 1,
    .option_count = COUNT(helm_options) - 1,
    .values_size = sizeof(struct helm_values),
    .run = convert_original,
};

int compat_helm_convert(const char *program, size_t argc, char *const *argv)
{
    (void)program;
    return cobra_run(&helm_convert_program, argc, argv);
}
