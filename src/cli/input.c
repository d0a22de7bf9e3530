/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.c - documents from files and from standard input.
 */
#include "cli/input.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Shows the first duplicate keys; main prints how many more there are. */
static void warn(void *ctx, struct where at, str text)
{
    struct call *c = ctx;

    if (++c->duplicate_keys <= DUPLICATE_KEYS_SHOWN)
        message_warning(at, text);
}

static size_t skip_blanks(str text, size_t offset)
{
    while (offset < text.len && str_find_char(STR(" \t\r\n"), text.ptr[offset]) != STR_NPOS)
        offset++;
    return offset;
}

static bool opens_container(str text, size_t offset)
{
    return offset < text.len && (text.ptr[offset] == '{' || text.ptr[offset] == '[');
}

/*
 * Whether a text of unknown format is JSON: it starts with a complete JSON object or list, and is
 * followed by another one or nothing. YAML in flow style and documents separated by "---" fail one
 * of these tests.
 */
static bool looks_like_json(const struct source *src)
{
    AUTO_ARENA a = arena_new();
    size_t offset = skip_blanks(src->text, 0);
    struct value *first;

    if (!opens_container(src->text, offset) || !json_read_next(a, src, NULL, &offset, &first, NULL))
        return false;
    offset = skip_blanks(src->text, offset);
    return offset == src->text.len || opens_container(src->text, offset);
}

bool input_read(struct arena *a, str name, size_t max, struct source *out, struct err *e)
{
    *out = (struct source){.file = name};
    if (!str_eq(name, STR("-")))
        return file_read_max(a, name, max, &out->text, e);
    out->file = STR("<stdin>");
    return file_read_fd(a, STDIN_FILENO, out->file, max, &out->text, e);
}

bool input_open(struct call *c, struct arena *a, str name, bool strict, struct input *out,
                struct err *e)
{
    struct source raw;

    *out = (struct input){0};
    if (!input_read(a, name, FILE_MAX, &raw, e) ||
        !yaml_source(a, raw.file, raw.text, &out->source, e))
        return false;
    out->options = (struct read_options){
        .duplicates = strict ? DUPLICATE_ERROR : DUPLICATE_LAST_WINS,
        .warn = warn,
        .warn_ctx = c,
    };
    out->json = str_has_suffix(name, STR(".json")) || looks_like_json(&out->source);
    return true;
}

static bool next_json(struct arena *a, struct input *in, struct value **root, struct err *e)
{
    *root = NULL;
    if (in->done)
        return true;
    /* The end of an invalid value is unknown, so stop after a failure. */
    in->done = !json_read_next(a, &in->source, &in->options, &in->offset, root, e);
    return !in->done;
}

bool input_next(struct arena *a, struct input *in, struct doc *doc, struct err *e)
{
    *doc = (struct doc){.source = &in->source};
    if (in->json)
        return next_json(a, in, &doc->root, e);
    /* Set here because in may have been copied since it was opened. */
    in->stream.src = &in->source;
    in->stream.opts = &in->options;
    return yaml_stream_next(a, &in->stream, &doc->root, e);
}

/* ---- Files. ---- */

/* The deepest nesting of folders. */
#define FOLDER_DEPTH_MAX 64

static bool is_link(struct arena *a, str path)
{
    struct stat st;

    return lstat(str_z(a, path), &st) == 0 && S_ISLNK(st.st_mode);
}

static bool ends_in(str name, const char *const *endings)
{
    for (; *endings; endings++)
        if (str_has_suffix(name, str_c(*endings)))
            return true;
    return false;
}

/* The files of a folder that are wanted. */
struct wanted {
    struct arena *arena;
    str root; /* the folder that was named */
    const char *const *endings;
    struct str_list *out;
};

/*
 * Links to folders are not followed: there may be cycles. What is below the root is read where it
 * is; what is elsewhere would be missing without a word.
 */
static void pass_over_link(const struct wanted *w, str path)
{
    char root[PATH_MAX], target[PATH_MAX];

    if (realpath(str_z(w->arena, w->root), root) && realpath(str_z(w->arena, path), target) &&
        str_has_prefix(file_join(w->arena, str_c(target), STR_NONE),
                       file_join(w->arena, str_c(root), STR_NONE)))
        return;
    message_warning((struct where){.file = path},
                    STR("a link to a folder is not followed; name it to read what is in it"));
}

static bool add_folder(const struct wanted *w, str folder, size_t depth, struct err *e)
{
    str *names;
    size_t count;

    if (depth > FOLDER_DEPTH_MAX)
        return err_set(e, ERR_LIMIT, "%.*s: folders are nested deeper than %d levels",
                       STR_ARG(folder), FOLDER_DEPTH_MAX);
    if (!file_list(w->arena, folder, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        str path = file_join(w->arena, folder, names[i]);
        enum file_kind kind = file_kind(path);
        if (kind == FILE_FOLDER && is_link(w->arena, path))
            pass_over_link(w, path);
        else if (kind == FILE_FOLDER && !add_folder(w, path, depth + 1, e))
            return false;
        if (kind == FILE_FOLDER || !ends_in(names[i], w->endings))
            continue;
        /* A pipe would be waited for. What is missing, behind a link, fails when it is read. */
        if (kind == FILE_OTHER)
            return err_set(e, ERR_INVALID, "%.*s: neither a file nor a folder", STR_ARG(path));
        VEC_PUSH(w->arena, w->out, path);
    }
    return true;
}

bool input_add_ending(struct arena *a, str name, const char *const *endings, struct str_list *out,
                      struct err *e)
{
    if (file_kind(name) == FILE_FOLDER)
        return add_folder(&(struct wanted){a, name, endings, out}, name, 0, e);
    VEC_PUSH(a, out, name);
    return true;
}

bool input_add(struct arena *a, str name, struct str_list *out, struct err *e)
{
    static const char *const documents[] = {".json", ".yaml", ".yml", NULL};

    return input_add_ending(a, name, documents, out, e);
}

str input_path(str name)
{
    return str_eq(name, STR("-")) ? STR("/dev/stdin") : name;
}

bool input_files(struct call *c, struct str_list *out, struct err *e)
{
    *out = (struct str_list){0};
    if (c->arg_count == 0 && isatty(STDIN_FILENO))
        return err_set(e, ERR_USAGE, "name a FILE, or - for standard input");
    if (c->arg_count == 0)
        VEC_PUSH(c->arena, out, STR("-"));
    for (size_t i = 0; i < c->arg_count; i++)
        if (!input_add(c->arena, c->args[i], out, e))
            return false;
    return out->len || err_set(e, ERR_NOT_FOUND, "there is no .json, .yaml or .yml file in %.*s",
                               STR_ARG(str_join(c->arena, c->args, c->arg_count, STR(", "))));
}

/* ---- All documents. ---- */

/* The work on all documents of all files. */
struct work {
    struct call *call;
    document_fn *fn;
    void *ctx;
    bool strict;
};

/* Reports an error in a document, unless the rest would fail with it as well. */
static bool go_on(struct work *w, struct err *e)
{
    if (e->kind != ERR_INVALID && e->kind != ERR_NOT_FOUND && e->kind != ERR_LIMIT)
        return false;
    call_report(w->call, e);
    err_clear(e);
    return true;
}

/* Each iteration takes one document; the end is a document without a root. */
static bool each_document(struct work *w, struct input *in, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct doc doc;

    for (;;) {
        arena_reset(a);
        bool ok = input_next(a, in, &doc, e);
        if (ok && !doc.root)
            return true;
        if (!(ok && w->fn(w->ctx, a, &doc, e)) && !go_on(w, e))
            return false;
    }
}

static bool each_file(struct work *w, str name, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct input in;

    if (input_open(w->call, a, name, w->strict, &in, e))
        return each_document(w, &in, e);
    call_report(w->call, e);
    err_clear(e);
    return true;
}

bool input_each(struct call *c, const struct str_list *files, bool strict, document_fn *fn,
                void *ctx, struct err *e)
{
    struct work w = {.call = c, .fn = fn, .ctx = ctx, .strict = strict};

    for (size_t i = 0; i < files->len; i++)
        if (!each_file(&w, files->items[i], e))
            return false;
    return true;
}
