/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.c - all documents of all sources, one after the other.
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

void input_fail(struct input *in, str text, struct result_place place, str reason)
{
    struct input_fault *fault = VEC_ADD(in->arena, &in->faults);

    fault->text = text;
    fault->note = (struct result_note){.place = place, .reason = reason, .failed = true};
}

/* A source that cannot be opened counts as one document. */
static void fail_source(struct input *in, struct document *out, const struct err *e)
{
    str text = str_copy(in->arena, e->text);

    out->failed = true;
    in->documents++;
    input_fail(in, text, (struct result_place){.file = out->file}, text);
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

/* ---- Sources. ---- */

/* Bytes of an open file. */
struct fd_reader {
    struct reader base;
    int fd;
    str name;
};

/* Bytes in memory. */
struct text_reader {
    struct reader base;
    str rest;
};

struct feed {
    struct arena *arena;
    struct input_sources sources;
    size_t next; /* source */
    str kustomize;
    struct stream *stream;
    struct fd_reader file;
    struct text_reader text;
    size_t stream_number;
};

static bool read_fd(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    const struct fd_reader *f = (const struct fd_reader *)r;

    return file_read_some(f->fd, f->name, to, size, got, e);
}

static bool read_text(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct text_reader *t = (struct text_reader *)r;

    (void)e;
    *got = t->rest.len < size ? t->rest.len : size;
    if (*got)
        memcpy(to, t->rest.ptr, *got);
    t->rest = str_from(t->rest, *got);
    return true;
}

static void close_file(struct feed *f)
{
    if (f->file.fd > STDIN_FILENO)
        close(f->file.fd);
    f->file.fd = -1;
}

static bool begin_file(struct feed *f, const struct input_source *source, struct err *e)
{
    f->file.name = source->stdin_ ? STR("STDIN") : source->path;
    f->file.fd = STDIN_FILENO;
    if (!source->stdin_ && !file_open(source->path, &f->file.fd, e))
        return false;
    stream_begin(f->stream, f->file.name, &f->file.base);
    return true;
}

static bool begin_kustomization(struct feed *f, struct err *e)
{
    str folder = f->kustomize;

    f->kustomize = STR_NONE;
    if (!kustomize_build(f->arena, folder, &f->text.rest, e))
        return false;
    stream_begin(f->stream, folder, &f->text.base);
    return true;
}

/* Opens what comes next; false at the end. */
static bool begin_next(struct feed *f, struct input *in, struct document *out)
{
    AUTO_ERR e = {0};
    bool ok;

    *out = (struct document){0};
    f->stream_number++;
    if (f->kustomize.len) {
        out->file = f->kustomize;
        ok = begin_kustomization(f, &e);
    } else if (f->next < f->sources.len) {
        const struct input_source *source = &f->sources.items[f->next++];
        out->file = source->path;
        ok = begin_file(f, source, &e);
    } else {
        return false;
    }
    if (!ok)
        fail_source(in, out, &e);
    return true;
}

bool feed_open(struct arena *a, const struct compare_options *o, struct input *in,
               struct feed **out, struct err *e)
{
    struct feed *f = ARENA_NEW(a, struct feed);

    *out = NULL;
    f->arena = a;
    f->kustomize = o->kustomize;
    f->file = (struct fd_reader){.base = {read_fd}, .fd = -1};
    f->text = (struct text_reader){.base = {read_text}};
    if (!sources_find(in, o, &f->sources, e))
        return false;
    f->stream = stream_new(a);
    *out = f;
    return true;
}

void feed_close(struct feed *f)
{
    if (!f)
        return;
    close_file(f);
    stream_free(f->stream);
}

bool feed_next(struct feed *f, struct input *in, struct document *out, size_t *stream)
{
    while (!stream_next(f->stream, in, out)) {
        close_file(f);
        if (!begin_next(f, in, out))
            return false;
        if (out->failed)
            break;
    }
    *stream = f->stream_number;
    return true;
}

void feed_skip(struct feed *f, size_t stream)
{
    if (stream == f->stream_number)
        stream_end(f->stream);
}

/* ---- Faults. ---- */

bool feed_report(struct arena *a, const struct input_errors *errors, struct journal *j,
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
