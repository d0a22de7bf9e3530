/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - images in files: folders with an OCI layout (index.json, blobs), archives of such
 * folders, and archives written by docker save (manifest.json, layers).
 */
#include "oci/internal.h"
#include "base/inside.h"
#include "base/reader.h"
#include "text/json/json.h"
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
    bool outside_links;
    str index; /* the text of index.json */
};

/* The name of a blob in the folder. */
static bool blob_name(struct arena *a, str digest, str *out, struct err *e)
{
    str algorithm, hex;

    str_cut(digest, STR(":"), &algorithm, &hex);
    if (!hex.len || str_find_char(digest, '/') != STR_NPOS || str_has_prefix(digest, STR(".")))
        return err_set(e, ERR_INVALID, "invalid digest %.*s", STR_ARG(digest));
    *out = str_fmt(a, "blobs/%.*s/%.*s", STR_ARG(algorithm), STR_ARG(hex));
    return true;
}

static bool read_layout_manifest(void *ctx, struct arena *a, str digest, str *out, struct err *e)
{
    const struct layout *l = ctx;
    str name = STR_NONE;

    return blob_name(a, digest, &name, e) &&
           inside_read(a, l->folder, name, l->outside_links, IMAGE_MANIFEST_MAX, out, e);
}

static bool read_layout_layer(void *ctx, struct image_files *files, str digest,
                              struct image_layer *out, struct err *e)
{
    const struct layout *l = ctx;
    AUTO_ARENA a = arena_new();
    struct fd_reader from = {0};
    str name = STR_NONE;
    int fd;

    if (!blob_name(a, digest, &name, e) || !inside_open(l->folder, name, l->outside_links, &fd, e))
        return false;
    reader_use(&from, fd, name);
    bool ok = image_layer_read_checked(files, digest, &from.base, out, e);
    reader_close(&from);
    return ok;
}

bool image_layout_read(struct arena *a, str folder, str tag, bool outside_links,
                       struct image_files *files, struct err *e)
{
    struct layout l = {.folder = folder, .outside_links = outside_links};
    const struct image_store store = {read_layout_manifest, read_layout_layer, &l};
    struct value *index;
    str digest = STR_NONE;

    if (!inside_read(a, folder, STR("index.json"), outside_links, IMAGE_MANIFEST_MAX, &l.index,
                     e) ||
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
