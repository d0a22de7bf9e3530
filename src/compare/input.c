/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.c - collecting the objects: reading every source, passing over what is no object, and
 * dropping duplicates.
 */
#include "compare/internal.h"
#include "compare/process.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- Errors. ---- */

str errors_text(struct arena *a, const struct input_errors *errors)
{
    struct map *seen = map_new(a);
    struct str_list once = {0};

    for (size_t i = 0; i < errors->items.len; i++)
        if (!map_has(seen, errors->items.items[i])) {
            map_set(seen, errors->items.items[i], seen);
            VEC_PUSH(a, &once, errors->items.items[i]);
        }
    if (once.len == 1)
        return once.items[0];
    return str_fmt(a, "[%.*s]", STR_ARG(str_join(a, once.items, once.len, STR(", "))));
}

/* The word at an index when text is split at blanks. */
static str word_at(str text, size_t index)
{
    str word, rest = text;

    while (str_cut(rest, STR(" "), &word, &rest) && index)
        index--;
    return word;
}

static void warn_skipped(struct journal *j, str what, str reason)
{
    journal_warn(j,
                 "Skipping %.*s Input contains additional files from supported file extensions "
                 "(json/yaml) that do not contain a valid resource, error: %.*s.\n In case this "
                 "file is expected to be a valid resource modify it accordingly. ",
                 STR_ARG(what), STR_ARG(reason));
}

/* Upstream: words of the message stand for the file, whatever they are. */
bool error_ignorable(str text, struct journal *j)
{
    if (str_contains(text, STR("Object 'Kind' is missing"))) {
        warn_skipped(j, word_at(text, 3), STR("'Kind' is missing"));
        return true;
    }
    if (str_contains(text, STR("error parsing"))) {
        warn_skipped(j, word_at(text, 2), str_from(text, str_rfind_char(text, ':')));
        return true;
    }
    return false;
}

/* ---- Kustomize. ---- */

static bool has_kustomization(struct arena *a, str folder)
{
    static const char *const names[] = {"kustomization.yaml", "kustomization.yml", "Kustomization"};
    struct stat st;

    for (size_t i = 0; i < COUNT(names); i++)
        if (stat(str_z(a, str_fmt(a, "%.*s/%s", STR_ARG(folder), names[i])), &st) == 0)
            return true;
    return false;
}

/* Builds by an installed program; there is none of our own. */
static bool kustomize_build(struct arena *a, str folder, str *out, struct err *e)
{
    const char *const by_kustomize[] = {"kustomize", "build", str_z(a, folder), NULL};
    const char *const by_kubectl[] = {"kubectl", "kustomize", str_z(a, folder), NULL};
    int status = 0;

    if (!has_kustomization(a, folder))
        return err_set(e, ERR_NOT_FOUND,
                       "unable to find one of 'kustomization.yaml', 'kustomization.yml' or "
                       "'Kustomization' in directory '%.*s'",
                       STR_ARG(folder));
    if (!process_run(a, by_kustomize, out, &status, e) &&
        !process_run(a, by_kubectl, out, &status, e))
        return err_set(e, ERR_NOT_FOUND,
                       "building %.*s needs the program kustomize or kubectl, and neither is "
                       "installed",
                       STR_ARG(folder));
    if (status)
        return err_set(e, ERR_INVALID, "building %.*s: kustomize ended with status %d",
                       STR_ARG(folder), status);
    return true;
}

static void read_kustomization(struct arena *a, str folder, struct objects *out,
                               struct input_errors *errors)
{
    AUTO_ERR e = {0};
    str text;

    if (kustomize_build(a, folder, &text, &e))
        stream_read(a, folder, text, out, errors);
    else
        VEC_PUSH(a, &errors->items, str_copy(a, e.text));
}

/* ---- Sources. ---- */

static void read_source(struct arena *a, const struct input_source *source, struct objects *out,
                        struct input_errors *errors)
{
    str name = source->stdin_ ? STR("STDIN") : source->path;
    AUTO_ERR e = {0};
    bool ok;
    str text;

    if (source->stdin_)
        ok = file_read_fd(a, STDIN_FILENO, name, FILE_MAX, &text, &e);
    else
        ok = file_read(a, source->path, &text, &e);
    if (ok)
        stream_read(a, name, text, out, errors);
    else if (str_has_prefix(e.text, STR("open ")))
        VEC_PUSH(a, &errors->items, str_copy(a, e.text));
    else
        VEC_PUSH(a, &errors->items,
                 str_fmt(a, "error parsing %.*s: %.*s", STR_ARG(name), STR_ARG(e.text)));
}

static bool report_errors(struct arena *a, const struct input_errors *errors, struct journal *j,
                          struct err *e)
{
    struct input_errors fatal = {0};

    for (size_t i = 0; i < errors->items.len; i++)
        if (!error_ignorable(errors->items.items[i], j))
            VEC_PUSH(a, &fatal.items, errors->items.items[i]);
    if (!fatal.items.len)
        return true;
    return err_set(e, ERR_INVALID, "error occurred while trying to fetch resources: %.*s",
                   STR_ARG(errors_text(a, &fatal)));
}

static void drop_duplicates(struct compare *c)
{
    struct map *seen = map_new(c->arena);
    size_t kept = 0;

    for (size_t i = 0; i < c->objects.len; i++) {
        struct object *o = &c->objects.items[i];
        if (map_has(seen, o->id))
            continue;
        map_set(seen, o->id, seen);
        journal_info(&c->journal, "Loading object %.*s", STR_ARG(o->id));
        c->objects.items[kept++] = *o;
    }
    c->objects.len = kept;
}

bool input_collect(struct compare *c, struct err *e)
{
    struct input_sources sources = {0};
    struct input_errors errors = {0};

    if (!sources_find(c->arena, c->options, &sources, e))
        return false;
    if (c->options->kustomize.len)
        read_kustomization(c->arena, c->options->kustomize, &c->objects, &errors);
    for (size_t i = 0; i < sources.len; i++)
        read_source(c->arena, &sources.items[i], &c->objects, &errors);
    if (!report_errors(c->arena, &errors, &c->journal, e))
        return false;
    drop_duplicates(c);
    return true;
}
