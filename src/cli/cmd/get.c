/* SPDX-License-Identifier: Apache-2.0 */
/*
 * get.c - plumb get: the value at a path.
 */
#include "cli/input.h"
#include "cli/print.h"
#include "value/path.h"

struct get_values {
    str output;
    bool recursive;
};

static const char *const formats[] = {"json", "json-compact", "raw", "yaml", NULL};

static const struct option get_options[] = {
    {"output", 'o', OPTION_STRING, offsetof(struct get_values, output), .value = "yaml",
     .help = "Write as `FORMAT`: json, json-compact, raw or yaml", .choices = formats},
    INPUT_RECURSIVE(struct get_values),
};

struct search {
    struct path path;
    struct printer printer;
};

static bool get_from_document(void *ctx, struct arena *a, const struct doc *doc, struct err *e)
{
    struct search *s = ctx;
    struct doc found = {.root = path_resolve(&s->path, doc->root), .source = doc->source};

    (void)a;
    return !found.root || print_document(&s->printer, &found, e);
}

/* Both "." and "" mean the document itself; a leading dot is optional. */
static bool parse_path(struct arena *a, str text, struct path *out, struct err *e)
{
    bool ok;

    *out = (struct path){0};
    if (str_has_prefix(text, STR("/"))) {
        ok = path_parse_pointer(a, text, out, e);
    } else {
        text = str_without_prefix(text, STR("."));
        ok = text.len == 0 || path_parse_dotted(a, text, out, e);
    }
    return ok || err_wrap(e, "path \"%.*s\"", STR_ARG(text));
}

static bool cmd_get(struct call *c, struct err *e)
{
    const struct get_values *v = c->values;
    struct search s = {.printer = {.out = c->out, .format = v->output}};
    struct str_list files;

    if (!parse_path(c->arena, c->args[0], &s.path, e))
        return false;
    c->args++;
    c->arg_count--;
    if (!input_files(c, &files, e) || !input_each(c, &files, false, get_from_document, &s, e))
        return false;
    if (s.printer.count == 0 && c->status == STATUS_FINE)
        c->status = STATUS_DIFFERENT;
    return true;
}

const struct command command_get = {
    .name = "get",
    .args = "PATH [FILE...]",
    .brief = "Print the value at a path",
    .help = "PATH is dotted (metadata.name, spec.containers[0].image,\n"
            "spec.containers[name=web].image, metadata.annotations.\"example.com/owner\") or,\n"
            "when it begins with a slash, a JSON pointer (/spec/containers/0/image). A single\n"
            "point is the whole document. Without a FILE, or for -, reads standard input.\n"
            "\n"
            "Prints what is there in each document that has it. The format raw prints strings\n"
            "without quotes, for scripts. Exit status: 0 when at least one document has the\n"
            "path, 1 when none has, 2 when something went wrong.\n",
    .examples = "  plumb get -o raw metadata.name deployment.yaml\n"
                "  plumb get 'spec.template.spec.containers[name=web].image' deployment.yaml\n"
                "  plumb get /data/mode -o json configmap.yaml\n",
    .options = get_options,
    .option_count = COUNT(get_options),
    .values_size = sizeof(struct get_values),
    .args_min = 1,
    .args_max = ARGS_ANY,
    .complete = COMPLETE_FILES,
    .run = cmd_get,
};
