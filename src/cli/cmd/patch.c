/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch.c - plumb patch: JSON Patch and JSON Merge Patch.
 *
 * The patch library works on JSON texts, so a document is written as lossless JSON, patched, and
 * read again.
 */
#include "cli/input.h"
#include "cli/print.h"
#include "text/patch/patch.h"

struct patch_values {
    str output, patch, patch_file, type;
    bool recursive;
};

static const char *const formats[] = {"json", "json-compact", "yaml", NULL};
static const char *const types[] = {"json", "merge", NULL};

static const struct option patch_options[] = {
    {"output", 'o', OPTION_STRING, offsetof(struct patch_values, output), .value = "yaml",
     .help = "Write as `FORMAT`: json, json-compact or yaml", .choices = formats},
    {"patch", 'p', OPTION_STRING, offsetof(struct patch_values, patch),
     .help = "The `PATCH` itself, as JSON or YAML"},
    {"patch-file", 0, OPTION_STRING, offsetof(struct patch_values, patch_file),
     .help = "Read the patch from `FILE`", .complete = COMPLETE_FILES},
    INPUT_RECURSIVE(struct patch_values),
    {"type", 0, OPTION_STRING, offsetof(struct patch_values, type), .value = "merge",
     .help = "The `TYPE` of the patch: json (RFC 6902) or merge (RFC 7386)", .choices = types},
};

struct patching {
    struct patch *operations; /* NULL: a merge patch */
    str merge;
    struct printer printer;
};

/* Patches the document and parses the result, which no longer has positions in a file. */
static bool patch_root(struct patching *p, struct arena *a, const struct value *root,
                       struct value **out, struct err *e)
{
    struct buf before = buf_new(a, OUTPUT_MAX), after = buf_new(a, OUTPUT_MAX);
    struct source *result = ARENA_NEW(a, struct source);
    bool ok;

    if (!json_write(&before, root, &json_exact, e))
        return false;
    ok = p->operations ? patch_apply(p->operations, buf_str(&before), &after, e)
                       : patch_merge(buf_str(&before), p->merge, &after, e);
    result->text = buf_str(&after);
    return ok && buf_check(&after, e) && json_read(a, result, NULL, out, e);
}

static bool patch_document(void *ctx, struct arena *a, const struct doc *doc, struct err *e)
{
    struct patching *p = ctx;
    struct doc patched = {.source = doc->source};

    if (!patch_root(p, a, doc->root, &patched.root, e))
        return err_at(e, source_where(doc->source, doc->root));
    return print_document(&p->printer, &patched, e);
}

static bool read_patch_bytes(struct call *c, str *name, str *bytes, struct err *e)
{
    const struct patch_values *v = c->values;
    bool direct = options_given(c->options, STR("patch"));

    if (direct == options_given(c->options, STR("patch-file")))
        return err_set(e, ERR_USAGE, "patch needs either --patch or --patch-file");
    *name = direct ? STR("<patch>") : v->patch_file;
    *bytes = v->patch;
    return direct || file_read(c->arena, input_path(v->patch_file), bytes, e);
}

/* The patch as JSON: a JSON patch is used unchanged. */
static bool read_patch(struct call *c, str *out, struct err *e)
{
    static const struct read_options options = {.single = true};
    struct source *src = ARENA_NEW(c->arena, struct source);
    struct buf json = buf_new(c->arena, OUTPUT_MAX);
    struct value *root;
    str name = STR_NONE, bytes = STR_NONE;

    if (!read_patch_bytes(c, &name, &bytes, e) || !yaml_source(c->arena, name, bytes, src, e))
        return false;
    *out = src->text;
    if (json_read(c->arena, src, NULL, &root, NULL))
        return true;
    if (!yaml_read(c->arena, src, &options, &root, e) || !json_write(&json, root, &json_exact, e))
        return err_wrap(e, "reading the patch");
    *out = buf_str(&json);
    return true;
}

static bool cmd_patch(struct call *c, struct err *e)
{
    const struct patch_values *v = c->values;
    struct patching p = {.printer = {.out = c->out, .format = v->output}};
    struct str_list files;

    if (!read_patch(c, &p.merge, e) || !input_files(c, &files, e))
        return false;
    if (str_eq(v->type, STR("json")) && !patch_read(c->arena, p.merge, &p.operations, e))
        return err_wrap(e, "reading the patch");
    return input_each(c, &files, false, patch_document, &p, e);
}

const struct command command_patch = {
    .name = "patch",
    .args = "[FILE...]",
    .brief = "Apply a JSON patch or a merge patch",
    .help = "Applies the patch to each document and prints the results; files are not\n"
            "changed. A merge patch is an object that is laid over the document, in which null\n"
            "deletes; a JSON patch is a list of operations (add, remove, replace, move, copy,\n"
            "test). Either may be written as YAML. Without a FILE, or for -, reads standard\n"
            "input.\n"
            "\n"
            "A document to which the patch does not apply is reported; the others are still\n"
            "patched, and the exit status is 2.\n",
    .examples =
        "  plumb patch -p 'spec: {replicas: 3}' deployment.yaml\n"
        "  plumb patch --type json -p '[{\"op\": \"remove\", \"path\": \"/data/old\"}]' cm.yaml\n"
        "  plumb patch --patch-file production.yaml -o json deployment.yaml\n",
    .options = patch_options,
    .option_count = COUNT(patch_options),
    .values_size = sizeof(struct patch_values),
    .args_max = ARGS_ANY,
    .complete = COMPLETE_FILES,
    .run = cmd_patch,
};
