/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c - plumb convert: converts documents between formats. */
#include "cli/input.h"
#include "cli/print.h"

struct convert_values {
    bool go_numbers, recursive, sort, strict;
    str output;
};

static const char *const formats[] = {"json", "json-compact", "toml", "yaml", NULL};

static const struct option convert_options[] = {
    {"go-numbers", 0, OPTION_BOOL, offsetof(struct convert_values, go_numbers),
     .help = "Round numbers as Go programs do: to int64 and float64"},
    {"output", 'o', OPTION_STRING, offsetof(struct convert_values, output), .value = "yaml",
     .help = "Write as `FORMAT`: json, json-compact, toml or yaml", .choices = formats},
    INPUT_RECURSIVE(struct convert_values),
    {"sort", 0, OPTION_BOOL, offsetof(struct convert_values, sort),
     .help = "Write the members of JSON objects in the order of their keys"},
    {"strict", 0, OPTION_BOOL, offsetof(struct convert_values, strict),
     .help = "Refuse documents in which an object has a key twice"},
};

static bool convert_document(void *ctx, struct arena *a, const struct doc *doc, struct err *e)
{
    (void)a;
    return print_document(ctx, doc, e);
}

static bool cmd_convert(struct call *c, struct err *e)
{
    const struct convert_values *v = c->values;
    struct printer printer = {
        .out = c->out,
        .format = v->output,
        .sort = v->sort,
        .numbers = v->go_numbers ? NUMBERS_GO : NUMBERS_EXACT,
    };
    struct str_list files;

    return input_files(c, &files, e) &&
           input_each(c, &files, v->strict, convert_document, &printer, e);
}

const struct command command_convert = {
    .name = "convert",
    .args = "[FILE...]",
    .brief = "Convert YAML and JSON to YAML, JSON or TOML",
    .help = "Reads streams of documents and writes them one after the other. A file named\n"
            ".json is read strictly as JSON; everything else is YAML or JSON, whatever it\n"
            "looks like. Of a folder, all .json, .yaml and .yml files below it are read. Without\n"
            "a FILE, or for -, reads standard input.\n"
            "\n"
            "Numbers are written as they were read, however large. YAML is written as\n"
            "Kubernetes tools write it: keys sorted, comments dropped, aliases expanded. A key\n"
            "that an object has twice is a warning, and the last one counts.\n"
            "\n"
            "A document with a fault is reported with its file, line and column; the others\n"
            "are still converted, and the exit status is 2.\n",
    .examples = "  plumb convert -o json deployment.yaml\n"
                "  kubectl get cm -o json | plumb convert\n"
                "  plumb convert -o json-compact manifests/ > all.jsonl\n",
    .options = convert_options,
    .option_count = COUNT(convert_options),
    .values_size = sizeof(struct convert_values),
    .args_max = ARGS_ANY,
    .complete = COMPLETE_FILES,
    .run = cmd_convert,
};
