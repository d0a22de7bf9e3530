/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - reads all documents of all sources, one after the other. */
#include "compare/input/input_internal.h"
#include "compare/run_internal.h"
#include "archive/archive.h"
#include "base/reader.h"
#include "go/plain.h"

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

static void warn_skipped(struct log_buffer *log, str what, str reason)
{
    log_buffer_warn(log,
                    "Skipping %.*s Input contains additional files from supported file extensions "
                    "(json/yaml) that do not contain a valid resource, error: %.*s.\n In case this "
                    "file is expected to be a valid resource modify it accordingly. ",
                    STR_ARG(what), STR_ARG(reason));
}

/* Upstream: words of the message are taken for the file, whatever they are. */
bool error_ignorable(str text, struct log_buffer *log)
{
    if (str_contains(text, STR("Object 'Kind' is missing"))) {
        warn_skipped(log, word_at(text, 3), STR("'Kind' is missing"));
        return true;
    }
    if (str_contains(text, STR("error parsing"))) {
        warn_skipped(log, word_at(text, 2), str_from(text, str_rfind_char(text, ':')));
        return true;
    }
    return false;
}

void input_fail(struct input *in, str text, struct result_place place, str reason)
{
    struct input_fault *fault = VEC_ADD(in->arena, &in->faults);

    fault->text = text;
    fault->note = (struct result_note){.place = place, .reason = reason, .failed = true};
    if (in->dialect->own_words)
        fault->note.reason = go_plain(in->arena, reason);
}

/* A source that cannot be opened counts as one document. */
static void fail_source(struct input *in, struct document *out, const struct err *e)
{
    str text = str_copy(in->arena, e->text);

    out->failed = true;
    in->documents++;
    input_fail(in, text, (struct result_place){.file = out->file}, text);
}

/* ---- Sources. ---- */

struct feed {
    struct arena *arena;
    struct input_sources sources;
    size_t next; /* source */
    str kustomize;
    struct stream *stream;
    struct pack *pack;
    struct arena *pack_arena;
    struct fd_reader file;
    struct text_reader text;
    struct source_live *live; /* instead of all that; NULL: none */
    struct arena *fetched;    /* of the text of a URL */
    const struct dialect *dialect;
    size_t stream_number;
    size_t members; /* of archives that are closed */
};

static void close_file(struct feed *f)
{
    f->members += pack_members(f->pack);
    pack_close(f->pack);
    arena_free(f->pack_arena);
    arena_free(f->fetched);
    f->fetched = NULL;
    f->pack = NULL;
    f->pack_arena = NULL;
    reader_close(&f->file);
}

static void open_pack(struct feed *f, str name, struct reader *reader)
{
    f->pack_arena = arena_new();
    f->pack = pack_open(f->pack_arena, name, reader, PACK_FOR_DOCUMENTS);
}

/*
 * The end of a file. If it was written to meanwhile, it was read half old, half new, and what is
 * missing is unknown.
 */
static bool end_file(struct feed *f, struct input *in, struct document *out)
{
    bool changed = f->dialect->steady_files && reader_has_changed(&f->file);
    static const char reason[] = "the file as it is now: it changed while it was read";

    if (changed) {
        *out = (struct document){.file = f->file.name, .failed = true};
        in->documents++;
        input_fail(in, str_c(reason), (struct result_place){.file = f->file.name}, str_c(reason));
    }
    close_file(f);
    return changed;
}

static bool begin_file(struct feed *f, const struct input_source *source, struct err *e)
{
    str start = STR_NONE;

    /* Upstream: the name of the one is that of the other. */
    bool called_so = !f->dialect->folder_names && str_eq(source->path, STR("STDIN"));

    if (source->stdin_ || called_so)
        reader_use(&f->file, STDIN_FILENO, STR("STDIN"));
    else if (!reader_open(&f->file, source->path, e))
        return false;
    if (f->dialect->archives && !reader_peek(&f->file, f->arena, &start, e))
        return false;
    if (f->dialect->archives && pack_is(f->file.name, start))
        open_pack(f, f->file.name, &f->file.base);
    else
        stream_begin(f->stream, f->file.name, &f->file.base);
    return true;
}

/* The next member of the archive; false at its end. */
static bool begin_member(struct feed *f, struct input *in, struct document *out)
{
    struct pack_member member;

    if (!f->pack || !pack_next(f->pack, in->arena, &member))
        return false;
    f->stream_number++;
    if (member.kind == PACK_DOCUMENTS) {
        /* Objects remember their file. */
        stream_begin(f->stream, str_copy(f->arena, member.name), member.reader);
        return true;
    }
    in->members_ignored += member.kind == PACK_IGNORED;
    if (!member.reason.len)
        return true;
    input_fail(in, member.reason, (struct result_place){.file = member.name}, member.reason);
    struct input_fault *fault = &in->faults.items[in->faults.len - 1];
    fault->note.failed = member.kind == PACK_FAILED;
    fault->loss = fault->note.failed ? LOSS_DOCUMENT : LOSS_MEMBER;
    in->documents += fault->note.failed;
    /* Told at once: an archive may hold millions of them. */
    out->failed = true;
    return true;
}

/* The name of what lies behind a URL. */
static str url_name(str url)
{
    str path, query;

    str_cut(url, STR("?"), &path, &query);
    return path;
}

static bool begin_url(struct feed *f, const struct input_source *source, struct err *e)
{
    str url = source->path;

    f->fetched = arena_new();
    if (!source_url_read(f->fetched, url, f->dialect->own_words, &f->text.rest, e))
        return false;
    if (f->dialect->archives && pack_is(url_name(url), f->text.rest))
        open_pack(f, source->name, &f->text.base);
    else
        stream_begin(f->stream, source->name, &f->text.base);
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
        out->file = source->name;
        ok = source->url ? begin_url(f, source, &e) : begin_file(f, source, &e);
    } else {
        return false;
    }
    if (!ok)
        fail_source(in, out, &e);
    return true;
}

static bool open_live(struct run *r, struct feed *f, struct err *e)
{
    if (source_live_open(r, &f->live, e))
        return true;
    source_live_close(f->live);
    return false;
}

bool feed_open(struct run *r, struct input *in, struct feed **out, struct err *e)
{
    const struct compare_options *o = r->options;
    struct feed *f = ARENA_NEW(r->arena, struct feed);

    *out = NULL;
    f->arena = r->arena;
    f->dialect = o->dialect;
    f->kustomize = o->kustomize;
    f->file.fd = -1;
    f->text = reader_of_text(STR_NONE);
    if (!o->files.len && !o->kustomize.len ? !open_live(r, f, e)
                                           : !sources_find(in, o, &f->sources, e))
        return false;
    f->stream = stream_new(r->arena);
    *out = f;
    return true;
}

/* URLs may hold passwords. */
struct feed_extent feed_extent(const struct feed *f)
{
    struct feed_extent out = {
        .files = f->sources.len, .members = f->members, .live = f->live != NULL};

    if (f->sources.len == 1 && !f->sources.items[0].url)
        out.only = f->sources.items[0].stdin_ ? STR("STDIN") : f->sources.items[0].path;
    return out;
}

void feed_close(struct feed *f)
{
    if (!f)
        return;
    close_file(f);
    stream_free(f->stream);
    source_live_close(f->live);
}

bool feed_next(struct feed *f, struct input *in, struct document *out, size_t *stream)
{
    if (f->live)
        return source_live_next(f->live, in, out, stream);
    while (!stream_next(f->stream, in, out)) {
        if (!begin_member(f, in, out) && !end_file(f, in, out) && !begin_next(f, in, out))
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

/* What is passed over is not counted by the original; --strict wants to know. */
bool feed_report(struct run *r, const struct input_errors *errors, struct err *e)
{
    struct input_errors fatal = {0};

    for (size_t i = 0; i < errors->items.len; i++) {
        str text = errors->items.items[i];
        if (!error_ignorable(text, &r->log))
            VEC_PUSH(r->arena, &fatal.items, text);
        else
            r->verdict.failed += str_contains(text, STR("error parsing"));
    }
    if (!fatal.items.len)
        return true;
    return err_set(e, ERR_INVALID, "error occurred while trying to fetch resources: %.*s",
                   STR_ARG(errors_text(r->arena, &fatal)));
}
