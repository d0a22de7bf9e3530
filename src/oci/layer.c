/* SPDX-License-Identifier: Apache-2.0 */
/* layer.c - reads a layer of an image: a tar in which some names are special. */
#include "oci/internal.h"

#define WHITEOUT ".wh."
#define OPAQUE ".wh..wh..opq"

bool image_budget_unpack(struct image_budget *b, size_t len, struct err *e)
{
    b->unpacked += len;
    if (b->unpacked > IMAGE_UNPACKED_MAX)
        return err_set(e, ERR_LIMIT, "the image is larger than %llu bytes",
                       (unsigned long long)IMAGE_UNPACKED_MAX);
    return true;
}

bool image_budget_keep(struct image_budget *b, size_t len, struct err *e)
{
    b->kept += len;
    if (b->kept > IMAGE_FILES_MAX)
        return err_set(e, ERR_LIMIT, "the files of the reference are larger than %llu bytes",
                       (unsigned long long)IMAGE_FILES_MAX);
    return true;
}

struct layer {
    struct arena *arena, *scratch;
    str folder;
    struct image_budget *budget;
    struct image_tar tar;
    struct image_layer *out;
    struct map *files; /* path to struct image_entry, for hard links */
};

/* A path from the root, with "." and ".." resolved, so that it cannot lead out. */
static str clean(struct arena *a, str path)
{
    return str_from(file_clean(a, str_concat(a, STR("/"), path)), 1);
}

static bool matters(const struct layer *l, str path)
{
    return image_is_below(path, l->folder) || image_is_below(l->folder, path) ||
           str_eq(path, l->folder);
}

static bool check_path(str path, struct err *e)
{
    size_t depth = 0;

    for (size_t i = 0; i < path.len; i++)
        depth += path.ptr[i] == '/';
    if (path.len > IMAGE_PATH_MAX || depth > IMAGE_DEPTH_MAX)
        return err_set(e, ERR_LIMIT,
                       "a name of the layer is longer than %d bytes or deeper than %d folders",
                       IMAGE_PATH_MAX, IMAGE_DEPTH_MAX);
    return true;
}

static bool keep(struct layer *l, enum image_entry_kind kind, str path, str text, struct err *e)
{
    struct image_entry *entry = ARENA_NEW(l->arena, struct image_entry);

    if (!image_budget_keep(l->budget, sizeof(*entry) + path.len + text.len, e))
        return false;
    *entry = (struct image_entry){kind, str_copy(l->arena, path), text};
    VEC_PUSH(l->arena, l->out, *entry);
    if (kind == IMAGE_FILE || kind == IMAGE_LINK)
        map_set(l->files, entry->path, entry);
    return true;
}

static bool keep_file(struct layer *l, str path, struct err *e)
{
    struct buf text = buf_new(l->arena, IMAGE_FILE_MAX + 1);
    uint64_t at;
    str piece;

    for (;;) {
        if (!image_tar_data(&l->tar, &piece, &at, e) ||
            !image_budget_unpack(l->budget, piece.len, e))
            return false;
        if (!piece.len)
            return keep(l, IMAGE_FILE, path, buf_str(&text), e);
        if (at > IMAGE_FILE_MAX || text.len + piece.len > IMAGE_FILE_MAX)
            return err_set(e, ERR_LIMIT, "a file of the reference is larger than %llu bytes",
                           (unsigned long long)IMAGE_FILE_MAX);
        if (text.len < at)
            buf_repeat(&text, '\0', at - text.len);
        buf_add(&text, piece);
    }
}

static bool keep_link(struct layer *l, str path, str target, struct err *e)
{
    str text = clean(l->arena, target);

    return check_path(text, e) && keep(l, IMAGE_LINK, path, text, e);
}

/*
 * Another name for an earlier file of the layer. If that file was not kept, treat it as a symbolic
 * link.
 */
static bool keep_hard_link(struct layer *l, str path, str target, struct err *e)
{
    const struct image_entry *known = map_get(l->files, clean(l->scratch, target));

    if (known)
        return keep(l, known->kind, path, known->text, e);
    return keep_link(l, path, target, e);
}

static bool keep_symbolic_link(struct layer *l, str path, str target, struct err *e)
{
    bool rooted = str_has_prefix(target, STR("/"));
    str parent = image_parent(path);

    return keep_link(
        l, path,
        rooted ? target : str_fmt(l->scratch, "%.*s/%.*s", STR_ARG(parent), STR_ARG(target)), e);
}

/* Names that begin with ".wh." are whiteouts: they delete what they name. */
static bool keep_whiteout(struct layer *l, str path, str name, struct err *e)
{
    str folder = image_parent(path);

    if (str_eq(name, STR(OPAQUE)))
        return keep(l, IMAGE_OPAQUE, folder, STR_NONE, e);
    name = str_without_prefix(name, STR(WHITEOUT));
    return keep(l, IMAGE_WHITEOUT,
                folder.len ? str_fmt(l->scratch, "%.*s/%.*s", STR_ARG(folder), STR_ARG(name))
                           : name,
                STR_NONE, e);
}

static bool take_member(struct layer *l, struct archive_entry *entry, struct err *e)
{
    const struct pack_lib *lib = l->tar.lib;
    str path = clean(l->scratch, str_c(lib->archive_entry_pathname(entry)));
    const char *hard = lib->archive_entry_hardlink(entry);
    unsigned type = lib->archive_entry_filetype(entry);

    if (++l->budget->members > IMAGE_MEMBERS_MAX)
        return err_set(e, ERR_LIMIT, "the image has more than %d files", IMAGE_MEMBERS_MAX);
    if (!path.len || !matters(l, path))
        return true;
    if (!check_path(path, e))
        return false;
    if (str_has_prefix(file_base(path), STR(WHITEOUT)))
        return keep_whiteout(l, path, file_base(path), e);
    if (hard)
        return keep_hard_link(l, path, str_c(hard), e);
    if (type == AE_IFLNK)
        return keep_symbolic_link(l, path, str_c(lib->archive_entry_symlink(entry)), e);
    if (type == AE_IFREG && image_is_below(path, l->folder))
        return keep_file(l, path, e);
    /* Devices and the like only hide what was there before. */
    return keep(l, type == AE_IFDIR ? IMAGE_FOLDER : IMAGE_WHITEOUT, path, STR_NONE, e);
}

/* Skips unread data, so that limits apply. */
static bool skip_data(struct layer *l, struct err *e)
{
    uint64_t at;
    str piece;

    do {
        if (!image_tar_data(&l->tar, &piece, &at, e) ||
            !image_budget_unpack(l->budget, piece.len, e))
            return false;
    } while (piece.len);
    return true;
}

static bool take_members(struct layer *l, struct err *e)
{
    struct archive_entry *entry;

    for (;;) {
        struct arena_mark mark = arena_mark(l->scratch);
        if (!image_tar_next(&l->tar, &entry, e))
            return false;
        if (!entry)
            return true;
        if (!take_member(l, entry, e) || !skip_data(l, e))
            return false;
        arena_rewind(l->scratch, mark);
    }
}

bool image_layer_read(struct arena *a, str folder, struct image_budget *b, struct reader *from,
                      struct image_layer *out, struct err *e)
{
    AUTO_ARENA scratch = arena_new();
    AUTO_ARENA buffers = arena_new();
    struct layer l = {.arena = a,
                      .scratch = scratch,
                      .folder = folder,
                      .budget = b,
                      .out = out,
                      .files = map_new(a)};

    *out = (struct image_layer){0};
    bool ok = image_tar_open(buffers, &l.tar, from, e) && take_members(&l, e);
    image_tar_close(&l.tar);
    return ok;
}
