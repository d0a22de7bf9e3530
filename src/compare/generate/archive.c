/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.c - reads the objects of a must-gather archive, as if it were unpacked.
 *
 * Which of two objects is used, and in which order they are written, depends on the order in which
 * a folder is walked. Members of an archive come in any order, so wanted objects are kept with the
 * path of their file, and sorted when all have been read. Links are not followed, and archives in
 * the archive are just files.
 */
#include "compare/generate/internal.h"
#include "archive/archive.h"
#include "base/reader.h"

/* A file with wanted objects. */
struct file {
    str path, root;
    size_t folder; /* among generate_folders */
    size_t rank;   /* of its root */
    size_t number; /* of the member: the last of a path is the one that would be there */
    struct value_refs objects;
};

/* A folder that has one of generate_folders; first is the one that a walk finds first. */
struct root_folder {
    str path, first;
};

struct reading {
    struct arena *arena; /* of what is kept until all is read */
    const struct generate_config *config;
    VEC(struct file) files;
    VEC(struct root_folder) roots;
    struct map *known; /* path of a root to its number + 1 */
    size_t members, ignored;
};

/* ---- Paths. ---- */

/* The order of a walk: names bytewise, and what is in a folder before its next neighbour. */
static int compare_paths(str x, str y)
{
    size_t len = x.len < y.len ? x.len : y.len, i = 0;

    while (i < len && x.ptr[i] == y.ptr[i])
        i++;
    int p = i == x.len ? -1 : x.ptr[i] == '/' ? 0 : 1 + (uint8_t)x.ptr[i];
    int q = i == y.len ? -1 : y.ptr[i] == '/' ? 0 : 1 + (uint8_t)y.ptr[i];
    return p - q;
}

/* The path without "." and without empty elements. */
static str clean_path(struct arena *a, str path)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    str element, rest = path;

    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &element, &rest);
        if (!element.len || str_eq(element, STR(".")))
            continue;
        if (out.len)
            buf_char(&out, '/');
        buf_add(&out, element);
    }
    return buf_str(&out);
}

/*
 * The first of generate_folders on the way to path: *end is behind its name in path, the answer its
 * number. GENERATE_FOLDERS when there is none.
 */
static size_t find_folder(str path, bool is_folder, size_t *end)
{
    for (size_t at = 0; at < path.len; at = *end + 1) {
        size_t slash = str_find_char(str_from(path, at), '/');
        bool last = slash == STR_NPOS;
        *end = last ? path.len : at + slash;
        for (size_t i = 0; i < GENERATE_FOLDERS; i++)
            if (str_eq(str_slice(path, at, *end), str_c(generate_folders[i])) &&
                (!last || is_folder))
                return i;
    }
    return GENERATE_FOLDERS;
}

/* ---- Members. ---- */

static str note_root(struct reading *r, str path, size_t end)
{
    str first = str_slice(path, 0, end);
    size_t slash = str_rfind_char(first, '/');
    str root = slash == STR_NPOS ? STR_NONE : str_slice(first, 0, slash);
    size_t known = (size_t)(uintptr_t)map_get(r->known, root);

    if (!known) {
        struct root_folder new = {str_copy(r->arena, root), str_copy(r->arena, first)};
        VEC_PUSH(r->arena, &r->roots, new);
        map_set(r->known, new.path, (void *)(uintptr_t)r->roots.len);
        return new.path;
    }
    struct root_folder *old = &r->roots.items[known - 1];
    if (compare_paths(first, old->first) < 0)
        old->first = str_copy(r->arena, first);
    return old->path;
}

static bool read_member(struct arena *a, struct reader *reader, str *out, struct err *e)
{
    struct buf text = buf_new(a, FILE_MAX);
    size_t got = 1;
    char part[16 * KIB];

    while (got) {
        if (!reader->read(reader, part, sizeof(part), &got, e))
            return false;
        buf_add(&text, str_of(part, got));
        if (!buf_check(&text, e))
            return false;
    }
    *out = buf_str(&text);
    return true;
}

static void keep_file(struct reading *r, struct file *file, const struct value_refs *objects)
{
    for (size_t i = 0; i < objects->len; i++) {
        const struct value *copy = value_copy(r->arena, objects->items[i]);
        VEC_PUSH(r->arena, &file->objects, copy);
    }
    file->path = str_copy(r->arena, file->path);
    VEC_PUSH(r->arena, &r->files, *file);
}

static bool take_member(struct reading *r, struct arena *a, const struct pack_member *m,
                        struct err *e)
{
    struct file file = {.path = clean_path(a, m->path), .number = r->members++};
    str text;
    size_t end;

    if (m->kind == PACK_FAILED)
        return err_set(e, ERR_INVALID, "%.*s", STR_ARG(m->reason));
    r->ignored += m->kind == PACK_IGNORED && pack_takes(m->path);
    if (m->kind == PACK_IGNORED)
        return true;
    file.folder = find_folder(file.path, m->kind == PACK_FOLDER, &end);
    if (file.folder == GENERATE_FOLDERS)
        return true;
    file.root = note_root(r, file.path, end);
    if (m->kind != PACK_DOCUMENTS || !str_has_suffix(file.path, STR(".yaml")))
        return true;
    if (!read_member(a, m->reader, &text, e))
        return err_wrap(e, "%.*s", STR_ARG(file.path));
    struct value_refs objects = gather_read(a, r->config, file.path, text);
    keep_file(r, &file, &objects);
    return true;
}

static bool read_members(struct reading *r, struct pack *p, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct pack_member member;
    bool ok = true;

    while (ok && pack_next(p, a, &member)) {
        ok = take_member(r, a, &member, e);
        arena_reset(a);
    }
    return ok;
}

/* ---- Order. ---- */

static int by_first(const void *x, const void *y)
{
    const struct root_folder *p = x, *q = y;

    return compare_paths(p->first, q->first);
}

static int by_walk(const void *x, const void *y)
{
    const struct file *p = x, *q = y;

    if (p->rank != q->rank)
        return p->rank < q->rank ? -1 : 1;
    if (p->folder != q->folder)
        return p->folder < q->folder ? -1 : 1;
    int order = compare_paths(p->path, q->path);
    return order ? order : p->number < q->number ? -1 : 1;
}

static void sort_files(struct reading *r)
{
    if (r->roots.len)
        qsort(r->roots.items, r->roots.len, sizeof(r->roots.items[0]), by_first);
    for (size_t i = 0; i < r->roots.len; i++)
        map_set(r->known, r->roots.items[i].path, (void *)(uintptr_t)(i + 1));
    for (size_t i = 0; i < r->files.len; i++)
        r->files.items[i].rank = (size_t)(uintptr_t)map_get(r->known, r->files.items[i].root);
    if (r->files.len)
        qsort(r->files.items, r->files.len, sizeof(r->files.items[0]), by_walk);
}

static void gather_files(struct reading *r, struct gather *c)
{
    sort_files(r);
    for (size_t i = 0; i < r->files.len; i++) {
        const struct file *f = &r->files.items[i];
        bool replaced = i + 1 < r->files.len && str_eq(f->path, f[1].path);
        for (size_t k = 0; k < f->objects.len && !replaced; k++)
            gather_object(c, f->objects.items[k]);
    }
}

static bool read_archive(struct reading *r, str file, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct fd_reader reader = {.fd = -1};
    str start;
    bool ok = reader_open(&reader, file, e) && reader_peek(&reader, a, &start, e);

    if (ok && !pack_is(file, start))
        ok = err_set(e, ERR_INVALID, "must-gather path is neither a directory nor an archive: %.*s",
                     STR_ARG(file));
    if (ok) {
        struct pack *p = pack_open(a, file, &reader.base, PACK_AS_FOLDER);
        ok = read_members(r, p, e);
        pack_close(p);
        if (!ok)
            err_wrap(e, "failed to read must-gather archive %.*s", STR_ARG(file));
    }
    reader_close(&reader);
    return ok;
}

bool generate_archive_read(struct arena *a, str file, const struct generate_config *config,
                           struct objects *out, struct log_buffer *log, struct err *e)
{
    AUTO_ARENA scratch = arena_new();
    struct reading r = {.arena = scratch, .config = config, .known = map_new(scratch)};
    struct gather gather = gather_begin(a, config, out);

    if (!read_archive(&r, file, e))
        return false;
    if (!r.roots.len)
        return err_set(e, ERR_NOT_FOUND,
                       "no must-gather data found in %.*s (expected cluster-scoped-resources/ or "
                       "namespaces/)",
                       STR_ARG(file));
    if (r.ignored)
        log_buffer_warn(log,
                        "%.*s: %zu members were passed over: links, or names that lead out of it",
                        STR_ARG(file), r.ignored);
    gather_files(&r, &gather);
    return true;
}
