/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help.c - the original's texts about itself: help, options, template functions. Scripts and people
 * rely on these texts, so they are byte for byte the original's.
 */
#include "cli/compat/compat.h"
#include "tmpl/tmpl.h"

static const char description[] =
    "Compare a known valid reference configuration and a set of specific cluster"
    " configuration CRs.\n"
    "\n"
    " The reference configuration consists of Resource templates. Resource Templates are"
    " files that contain Resource definitions and with fixed and optional content. Optional"
    " content is represented as Go templates. The compare command will match each Resource in"
    " the cluster configuration to a Resource Template in the reference configuration. Then,"
    " the templated Resource will be injected with the cluster Resource parameters. For each"
    " cluster Resource, a diff between the Resource and its matching injected template will"
    " be presented to the user.\n"
    "\n"
    " The input cluster configuration may be provided as an \"offline\" set of CRs or can be"
    " pulled from a live cluster.\n"
    "\n"
    " The Reference also includes a mandatory metadata.yaml file where all the Resource"
    " templates should be specified. The Resource templates can be divided into components."
    " Each component and Resource template can be set as required, resulting in a report to"
    " the user in case one of them is missing.\n"
    "\n"
    " Each Resource definition should be in its own template file. The input to the Go"
    " template is the \"input cluster configuration\" in order to allow expected user"
    " variable content to be synchronized between cluster CR and reference CR prior to the"
    " diff. The usage of all Go built-in functions is supported along with the functions in"
    " the Sprig library. All templates should always be valid YAML after template execution,"
    " even when injecting an empty mapping. Before using functions that can fail for nil"
    " values, always check that the value exists.\n"
    "\n"
    " It's possible to pass a user config that contains an option to specify manual matches"
    " between cluster resources and Resource templates. The matches can be added to the"
    " config as pairs of apiVersion_kind_namespace_name:<Template File Name> . For resources"
    " that don't have a namespace the matches can be added  as pairs of"
    " apiVersion_kind_name:<Template File Name> .\n"
    "\n"
    " KUBECTL_EXTERNAL_DIFF environment variable can be used to select your own diff command."
    " Users can use external commands with params too, example:"
    " KUBECTL_EXTERNAL_DIFF=\"colordiff -N -u\"\n"
    "\n"
    " By default, the \"diff\" command available in your path will be run with the \"-u\""
    " (unified diff) and \"-N\" (treat absent files as empty) options.\n"
    "\n"
    " Exit status: 0 No differences were found. 1 Differences were found. >1 kubectl or diff"
    " failed with an error.\n"
    "\n"
    " Note: KUBECTL_EXTERNAL_DIFF, if used, is expected to follow that convention.\n"
    "\n"
    " Generate mode: Use -g with a generate config file to create an initial reference from a"
    " live cluster or must-gather directory. The config specifies which resource types to"
    " capture. Use -f with a single path to the must-gather root directory to generate from"
    " disk; omit -f to use the live cluster. Use --output-dir to override the output"
    " directory from the config.\n"
    "\n"
    " Experimental: This command is under active development and may change without notice.\n";

static const char examples[] =
    "  # Compare a known valid reference configuration with a live cluster:\n"
    "  kubectl cluster-compare -r ./reference/metadata.yaml\n"
    "  \n"
    "  # Compare a known valid reference configuration with a local set of CRs:\n"
    "  kubectl cluster-compare -r ./reference/metadata.yaml -f ./crsdir -R\n"
    "  \n"
    "  # Compare a known valid reference configuration with a live cluster and with a user"
    " config:\n"
    "  kubectl cluster-compare -r ./reference/metadata.yaml -c ./user_config\n"
    "  \n"
    "  # Run a known valid reference configuration with a must-gather output:\n"
    "  kubectl cluster-compare -r ./reference/metadata.yaml -f"
    " \"must-gather*/*/cluster-scoped-resources\",\"must-gather*/*/namespaces\" -R\n"
    "  \n"
    "  # Extract a reference configuration from a container image and compare with a local"
    " set of CRs:\n"
    "  kubectl cluster-compare -r container://<IMAGE>:<TAG>:/home/ztp/reference/metadata.yaml"
    " -f ./crsdir -R\n"
    "  \n"
    "  # Generate a reference configuration from a live cluster:\n"
    "  kubectl cluster-compare -g ./refgen-config.yaml\n"
    "  \n"
    "  # Generate a reference configuration from a must-gather directory:\n"
    "  kubectl cluster-compare -g ./refgen-config.yaml -f ./must-gather.123456\n";

#define VALUE(field) offsetof(struct compare_values, field)

const struct option compat_options[] = {
    {"all-resources", 'A', OPTION_BOOL, VALUE(all_resources),
     .help = "If present, In live mode will try to match all resources that are from the types "
             "mentioned in the reference. In local mode will try to match all resources passed to "
             "the command"},
    {"baseline", 0, OPTION_STRING, VALUE(baseline), .help = "", .hidden = true},
    {"concurrency", 0, OPTION_INT, VALUE(concurrency), .value = "4",
     .help = "Number of objects to process in parallel when diffing against the live version. "
             "Larger number = faster, but more memory, I/O and CPU over that shorter period of "
             "time."},
    {"diff-config", 'c', OPTION_STRING, VALUE(diff_config), .help = "Path to the user config file"},
    {"explain", 0, OPTION_STRING, VALUE(explain), .bare = EXPLAIN_ALL, .help = "", .hidden = true},
    {"filename", 'f', OPTION_STRINGS, VALUE(filename),
     .help = "Filename, directory, or URL to files contains the configuration to diff; with -g, "
             "optional single path to a must-gather root (omit for live cluster)"},
    {"generate-config", 'g', OPTION_STRING, VALUE(generate_config),
     .help = "Path to generate config file. When set, generates reference from the live cluster "
             "or from a must-gather directory given by a single -f path instead of comparing."},
    {"generate-override-for", 0, OPTION_STRINGS, VALUE(generate_override_for),
     .help = "Path for template file you wish to generate a override for"},
    {"help", 'h', OPTION_BOOL, VALUE(help), .help = "help for cluster-compare"},
    {"kustomize", 'k', OPTION_STRING, VALUE(kustomize),
     .help = "Process the kustomization directory. This flag can't be used together with -f or "
             "-R."},
    {"output", 'o', OPTION_STRING, VALUE(output),
     .help = "Output format. One of: (json, yaml, generate-patches, junit)"},
    {"output-dir", 0, OPTION_STRING, VALUE(output_dir),
     .help = "Output directory for generated reference (overrides config file setting). Only used "
             "with -g."},
    {"override-reason", 0, OPTION_STRING, VALUE(override_reason),
     .help = "Reason for generating the override"},
    {"overrides", 'p', OPTION_STRING, VALUE(overrides), .help = "Path to user overrides"},
    {"recursive", 'R', OPTION_BOOL, VALUE(recursive),
     .help = "Process the directory used in -f, --filename recursively. Useful when you want to "
             "manage related manifests organized within the same directory."},
    {"reference", 'r', OPTION_STRING, VALUE(reference), .help = "Path to reference config file."},
    {"show-managed-fields", 0, OPTION_BOOL, VALUE(show_managed_fields),
     .help = "If true, include managed fields in the diff."},
    {"show-template-functions", 0, OPTION_BOOL, VALUE(show_template_functions),
     .help = "Show a list of all available template functions"},
    {"verbose", 'v', OPTION_BOOL, VALUE(verbose), .help = "Increases the verbosity of the tool"},
    {"version", 0, OPTION_BOOL, VALUE(version), .help = "version for cluster-compare"},
};
const size_t compat_option_count = COUNT(compat_options);

/* ---- Help. ---- */

static void add_replaced(struct buf *out, str text, str old, str new_)
{
    str before, rest = text;

    while (str_cut(rest, old, &before, &rest)) {
        buf_add(out, before);
        buf_add(out, new_);
    }
    buf_add(out, before);
}

static void add_examples(struct buf *out, const char *program)
{
    str name = str_c(program);
    size_t slash = str_rfind_char(name, '/');

    if (slash != STR_NPOS)
        name = str_from(name, slash + 1);
    if (str_has_prefix(name, STR("oc-")))
        add_replaced(out, str_c(examples), STR("kubectl"), STR("oc"));
    else if (str_has_prefix(name, STR("kubectl-")))
        buf_add(out, str_c(examples));
    else
        add_replaced(out, str_c(examples), STR("kubectl "), STR(""));
}

void compat_help(struct buf *out, const char *program)
{
    buf_add(out, str_c(description));
    buf_add(out, STR("\nUsage:\n"
                     "  cluster-compare (-r <Reference File> | -g <Generate Config>)\n"
                     "\nExamples:\n"));
    add_examples(out, program);
    buf_add(out, STR("\nFlags:\n"));
    options_usage(out, compat_options, compat_option_count, 0);
}

/* ---- Template functions. ---- */

/* The functions that are not part of Sprig, by name. */
static const struct {
    const char *name, *help;
} own_functions[] = {
    {"doNotMatch", "Skip matching this target against the current CR"},
    {"fromJson", "Parse the incoming string as a structured JSON object"},
    {"fromJsonArray", "Parse the incoming string as a structured JSON array"},
    {"fromYaml", "Parse the incoming string as a structured YAML object"},
    {"fromYamlArray", "Parse the incoming string as a structured YAML array"},
    {"lookupCR", "Lookup an external CR and return exactly one matching object"},
    {"lookupCRs", "Lookup an external CR and return an array of matching objects"},
    {"toJson", "Render incoming data of any type as a JSON string"},
    {"toToml", "Render incoming data of any type as a TOML document string"},
    {"toYaml", "Render incoming data of any type as a YAML document string"},
};

static bool is_own(str name)
{
    for (size_t i = 0; i < COUNT(own_functions); i++)
        if (str_eq(name, str_c(own_functions[i].name)))
            return true;
    return false;
}

/* slice exists twice: Sprig's replaces Go's. */
static bool is_builtin(str name, const struct tmpl_help *builtins, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(name, builtins[i].name))
            return !str_eq(name, STR("slice"));
    return false;
}

static void add_imported(struct buf *out)
{
    struct tmpl_help *all, *builtins;
    size_t count = tmpl_functions(out->arena, TMPL_KC, &all);
    size_t builtin_count = tmpl_functions(out->arena, TMPL_GO, &builtins);
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        if (is_own(all[i].name) || is_builtin(all[i].name, builtins, builtin_count))
            continue;
        buf_fmt(out, "%s%.*s", any ? ", " : "", STR_ARG(all[i].name));
        any = true;
    }
    buf_char(out, '\n');
}

void compat_functions(struct buf *out)
{
    buf_add(out, STR("Available Template Functions\n============================\n\n"));
    for (size_t i = 0; i < COUNT(own_functions); i++)
        buf_fmt(out, "%s:\n  %s\n", own_functions[i].name, own_functions[i].help);
    buf_add(out, STR("\nImported from https://masterminds.github.io/sprig/\n"
                     "--------------------------------------------------\n\n"));
    add_imported(out);
}
