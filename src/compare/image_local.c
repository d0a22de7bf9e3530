/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_local.c - images that are files: folders with an OCI layout (index.json, blobs), and
 * archives of them or as docker save writes them (manifest.json, layers).
 */
#include "compare/image_layer.h"
#include "compare/reader.h"
#include "text/json.h"
#include "value/value.h"

static bool read_json(struct arena *a, str text, struct value **out, struct err *e)
{
    const struct read_options options = {.go = true};
    struct source *source = ARENA_NEW(a, struct source);

    source->text = text;
    return json_read(a, source, &options, out, e);
}

/* ---- Layouts. ---- */

struct layout {
    str folder;
    str index; /* the text of index.json */
};

static bool blob_path(const struct layout *l, struct arena *a, str digest, str *out, struct err *e)
{
    str algorithm, hex;

    str_cut(digest, STR(":"), &algorithm, &hex);
    if (!hex.len || str_find_char(digest, '/') != STR_NPOS || str_has_prefix(digest, STR(".")))
        return err_set(e, ERR_INVALID, "%.*s is no digest", STR_ARG(digest));
    *out = str_fmt(a, "%.*s/blobs/%.*s/%.*s", STR_ARG(l->folder), STR_ARG(algorithm), STR_ARG(hex));
    return true;
}

static bool read_layout_manifest(void *ctx, struct arena *a, str digest, str *out, struct err *e)
{
    str path = STR_NONE;

    return blob_path(ctx, a, digest, &path, e) &&
           file_read_max(a, path, IMAGE_MANIFEST_MAX, out, e);
}

static bool read_layout_layer(void *ctx, struct image_files *files, str digest,
                              struct image_layer *out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct fd_reader from = {0};
    str path = STR_NONE;

    if (!blob_path(ctx, a, digest, &path, e) || !reader_open(&from, path, e))
        return false;
    bool ok = image_layer_read_checked(files, digest, &from.base, out, e);
    reader_close(&from);
    return ok;
}

bool image_layout_read(struct arena *a, str folder, str tag, struct image_files *files,
                       struct err *e)
{
    struct layout l = {.folder = folder};
    const struct image_store store = {read_layout_manifest, read_layout_layer, &l};
    struct value *index;
    str digest = STR_NONE;

    if (!file_read_max(a, str_fmt(a, "%.*s/index.json", STR_ARG(folder)), IMAGE_MANIFEST_MAX,
                       &l.index, e) ||
        !read_json(a, l.index, &index, e) || !image_index_find(index, tag, &digest, e))
        return err_wrap(e, "%.*s", STR_ARG(folder));
    return image_read(a, &store, digest, files, e) || err_wrap(e, "%.*s", STR_ARG(folder));
}

/* ---- Archives. ---- */

bool image_archive_read(struct arena *a, str file, str tag, struct image_files *files,
                        struct err *e)
{
    struct fd_reader from = {0};

    if (!reader_open(&from, file, e))
        return false;
    bool ok = image_saved_read(a, &from.base, tag, files, e);
    reader_close(&from);
    return ok || err_wrap(e, "%.*s", STR_ARG(file));
}
