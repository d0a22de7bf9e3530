/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers.c - stacks the layers of an image.
 *
 * Layers come from the last to the first, so the first entry seen for a path wins. A layer hides
 * these entries of earlier layers: the names it has itself, the names it whites out, and everything
 * in a folder that it replaces. A folder only hides entries that are not folders.
 */
#include "oci/internal.h"

/* How many links in a row are followed, as in the system. */
#define LINKS_MAX 40

struct image_files {
    struct arena *arena;
    str folder;          /* without a slash at either end; empty: the root */
    struct map *entries; /* path in the image to struct image_entry: files and links */
    struct map *hidden;  /* paths hidden in layers below, with everything below them */
    struct map *opaque;  /* folders whose contents are hidden in layers below */
    struct map *folders; /* paths that are folders, whatever they are in layers below */
    struct image_budget budget;
};

struct image_files *image_files_new(struct arena *a, str folder)
{
    struct image_files *f = ARENA_NEW(a, struct image_files);

    f->arena = a;
    f->folder = str_from(file_clean(a, str_concat(a, STR("/"), folder)), 1);
    f->entries = map_new(a);
    f->hidden = map_new(a);
    f->opaque = map_new(a);
    f->folders = map_new(a);
    return f;
}

struct arena *image_files_arena(const struct image_files *f)
{
    return f->arena;
}

str image_files_folder(const struct image_files *f)
{
    return f->folder;
}

struct image_budget *image_files_budget(struct image_files *f)
{
    return &f->budget;
}

bool image_is_below(str path, str folder)
{
    return !folder.len ||
           (str_has_prefix(path, folder) && path.len > folder.len && path.ptr[folder.len] == '/');
}

str image_parent(str path)
{
    size_t slash = str_rfind_char(path, '/');

    return slash == STR_NPOS ? STR_NONE : str_slice(path, 0, slash);
}

/* ---- Stacking. ---- */

/* Whether later layers hide a path. */
static bool is_hidden(const struct image_files *f, str path)
{
    if (map_has(f->hidden, path))
        return true;
    for (str above = image_parent(path);; above = image_parent(above)) {
        if (map_has(f->opaque, above) || map_has(f->hidden, above))
            return true;
        if (!above.len)
            return false;
    }
}

static void show(struct image_files *f, const struct image_layer *layer)
{
    for (size_t i = 0; i < layer->len; i++) {
        struct image_entry *entry = &layer->items[i];
        bool shown = entry->kind == IMAGE_FILE || entry->kind == IMAGE_LINK;
        if (shown && !map_has(f->folders, entry->path) && !is_hidden(f, entry->path))
            map_set(f->entries, entry->path, entry);
    }
}

static void hide(struct image_files *f, const struct image_layer *layer)
{
    for (size_t i = 0; i < layer->len; i++) {
        const struct image_entry *entry = &layer->items[i];
        if (entry->kind == IMAGE_OPAQUE)
            map_set(f->opaque, entry->path, f);
        else
            map_set(entry->kind == IMAGE_FOLDER ? f->folders : f->hidden, entry->path, f);
        if (entry->kind == IMAGE_WHITEOUT)
            continue;
        for (str above = image_parent(entry->path); above.len && !map_has(f->folders, above);
             above = image_parent(above))
            map_set(f->folders, above, f);
    }
}

void image_files_lay(struct image_files *f, const struct image_layer *layer)
{
    show(f, layer);
    hide(f, layer);
}

/* ---- Reading. ---- */

static int compare_paths(const void *x, const void *y)
{
    str xs = *(const str *)x, ys = *(const str *)y, one, other;

    for (bool more = true; more;) {
        more = str_cut(xs, STR("/"), &one, &xs);
        more &= str_cut(ys, STR("/"), &other, &ys);
        int order = str_cmp(one, other);
        if (order)
            return order;
    }
    return str_cmp(xs, ys);
}

void image_files_list(const struct image_files *f, struct arena *a, struct str_list *out)
{
    for (size_t i = 0; i < map_len(f->entries); i++) {
        str path = map_key(f->entries, i);
        if (image_is_below(path, f->folder))
            VEC_PUSH(a, out, f->folder.len ? str_from(path, f->folder.len + 1) : path);
    }
    if (out->len)
        qsort(out->items, out->len, sizeof(str), compare_paths);
}

/* Finds the first link on the way to a path; the result is its target plus the rest of the path. */
static bool follow(const struct image_files *f, struct arena *a, str *path)
{
    for (size_t i = 1; i <= path->len; i++) {
        if (i < path->len && path->ptr[i] != '/')
            continue;
        const struct image_entry *entry = map_get(f->entries, str_slice(*path, 0, i));
        if (!entry || entry->kind != IMAGE_LINK)
            continue;
        str rest = str_from(*path, i);
        *path = entry->text.len ? str_concat(a, entry->text, rest) : str_from(rest, 1);
        return true;
    }
    return false;
}

bool image_files_read(const struct image_files *f, str name, str *out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str path = f->folder.len ? str_fmt(a, "%.*s/%.*s", STR_ARG(f->folder), STR_ARG(name)) : name;
    size_t links = 0;

    while (path.len <= IMAGE_PATH_MAX && follow(f, a, &path))
        if (++links > LINKS_MAX)
            return err_set(e, ERR_INVALID, "open %.*s: too many levels of symbolic links",
                           STR_ARG(name));
    if (path.len > IMAGE_PATH_MAX)
        return err_set(e, ERR_INVALID, "open %.*s: file name too long", STR_ARG(name));
    const struct image_entry *entry = map_get(f->entries, path);
    if (!entry && links && !image_is_below(path, f->folder))
        return err_set(e, ERR_NOT_FOUND,
                       "open %.*s: it is a link to /%.*s of the image, which lies outside of the "
                       "folder of the reference: name the reference there",
                       STR_ARG(name), STR_ARG(path));
    if (!entry)
        return err_set(e, ERR_NOT_FOUND, "open %.*s: no such file or directory", STR_ARG(name));
    *out = entry->text;
    return true;
}
