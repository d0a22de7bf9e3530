/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.c - collecting the objects: reading every source, passing over what is no object, and
 * dropping duplicates.
 */
#include "compare/internal.h"
#include "base/process.h"

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

void input_fail(struct input *in, str text, struct result_place place, str reason)
{
    const struct result_note note = {.place = place, .reason = reason, .failed = true};

    if (!in->verdict) {
        VEC_PUSH(in->arena, &in->errors.items, text);
        return;
    }
    in->verdict->failed++;
    verdict_note(in->arena, in->verdict, in->journal, &note);
}

/* A source that cannot be read at all counts as one document. */
static void fail_source(struct input *in, str name, str text)
{
    if (in->verdict)
        in->verdict->documents++;
    input_fail(in, text, (struct result_place){.file = name}, text);
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

static void read_kustomization(struct input *in, str folder)
{
    AUTO_ERR e = {0};
    str text = STR_NONE;

    if (kustomize_build(in->arena, folder, &text, &e))
        stream_read(in, folder, text);
    else
        fail_source(in, folder, str_copy(in->arena, e.text));
}

/* ---- Sources. ---- */

static void read_source(struct input *in, const struct input_source *source)
{
    str name = source->stdin_ ? STR("STDIN") : source->path;
    AUTO_ERR e = {0};
    bool ok;
    str text = STR_NONE;

    if (source->url)
        ok = source_url_read(in->arena, source->path, in->verdict, &text, &e);
    else if (source->stdin_)
        ok = file_read_fd(in->arena, STDIN_FILENO, name, FILE_MAX, &text, &e);
    else
        ok = file_read(in->arena, source->path, &text, &e);
    if (ok)
        stream_read(in, name, text);
    else if (in->verdict || source->url || str_has_prefix(e.text, STR("open ")))
        fail_source(in, name, str_copy(in->arena, e.text));
    else
        fail_source(in, name,
                    str_fmt(in->arena, "error parsing %.*s: %.*s", STR_ARG(name), STR_ARG(e.text)));
}

/* What is passed over is not counted by the original; --strict wants to know. */
static bool report_errors(struct compare *c, const struct input_errors *errors, struct err *e)
{
    struct input_errors fatal = {0};

    for (size_t i = 0; i < errors->items.len; i++) {
        str text = errors->items.items[i];
        if (!error_ignorable(text, &c->journal))
            VEC_PUSH(c->arena, &fatal.items, text);
        else
            c->verdict.failed += str_contains(text, STR("error parsing"));
    }
    if (!fatal.items.len)
        return true;
    return err_set(e, ERR_INVALID, "error occurred while trying to fetch resources: %.*s",
                   STR_ARG(errors_text(c->arena, &fatal)));
}

/* ---- Objects of one identity. ---- */

/* Warnings about duplicates: must-gathers hold many objects twice. */
#define DUPLICATES_SHOWN 20

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

static void warn_duplicate(struct compare *c, const struct object *first, const struct object *o)
{
    size_t count = ++c->verdict.duplicates;
    str one = place_text(c->arena, first->place), other = place_text(c->arena, o->place);

    if (count <= DUPLICATES_SHOWN)
        journal_warn(&c->journal, "%.*s: %.*s is also in %.*s; both are compared", STR_ARG(other),
                     STR_ARG(o->id), STR_ARG(one));
}

/* All objects stay. */
static void mark_duplicates(struct compare *c)
{
    struct map *seen = map_new(c->arena);

    for (size_t i = 0; i < c->objects.len; i++) {
        struct object *o = &c->objects.items[i];
        const struct object *first = map_get(seen, o->id);
        journal_info(&c->journal, "Loading object %.*s", STR_ARG(o->id));
        if (!first) {
            map_set(seen, o->id, o);
            continue;
        }
        o->duplicate = true;
        warn_duplicate(c, first, o);
    }
    if (c->verdict.duplicates > DUPLICATES_SHOWN)
        journal_warn(&c->journal, "%zu more objects are there twice or more often",
                     c->verdict.duplicates - DUPLICATES_SHOWN);
}

/* ---- All of it. ---- */

static bool finish_as_original(struct compare *c, const struct input *in, struct err *e)
{
    if (!report_errors(c, &in->errors, e))
        return false;
    drop_duplicates(c);
    return true;
}

static bool finish(struct compare *c, struct err *e)
{
    const struct result_verdict *v = &c->verdict;

    if (!c->objects.len && (v->failed || v->failed_objects))
        return err_set(e, ERR_INVALID,
                       "nothing could be compared: of %zu documents %zu failed and %zu have no "
                       "object",
                       v->documents, v->failed, v->documents - v->failed);
    mark_duplicates(c);
    return true;
}

bool input_collect(struct compare *c, struct err *e)
{
    struct input_sources sources = {0};
    struct input in = {.arena = c->arena,
                       .objects = &c->objects,
                       .journal = &c->journal,
                       .verdict = c->options->improved ? &c->verdict : NULL};

    if (!c->options->files.len && !c->options->kustomize.len)
        return source_live_collect(c, e) &&
               (in.verdict ? finish(c, e) : finish_as_original(c, &in, e));
    if (!sources_find(&in, c->options, &sources, e))
        return false;
    if (c->options->kustomize.len)
        read_kustomization(&in, c->options->kustomize);
    for (size_t i = 0; i < sources.len; i++)
        read_source(&in, &sources.items[i]);
    return in.verdict ? finish(c, e) : finish_as_original(c, &in, e);
}
