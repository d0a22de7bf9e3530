/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_local.c - images that are files: folders with an OCI layout (index.json, blobs), and
 * archives as docker save and podman save write them (manifest.json, layers).
 */
#include "compare/image.h"
#include "compare/stream.h"
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

static bool read_blob(void *ctx, struct arena *a, str digest, size_t max, str *out, struct err *e)
{
    const struct layout *l = ctx;
    str algorithm, hex;

    str_cut(digest, STR(":"), &algorithm, &hex);
    if (!hex.len || str_find_char(digest, '/') != STR_NPOS || str_has_prefix(digest, STR(".")))
        return err_set(e, ERR_INVALID, "%.*s is no digest", STR_ARG(digest));
    return file_read_max(
        a, str_fmt(a, "%.*s/blobs/%.*s/%.*s", STR_ARG(l->folder), STR_ARG(algorithm), STR_ARG(hex)),
        max, out, e);
}

static bool read_layout_manifest(void *ctx, struct arena *a, str digest, str *out, struct err *e)
{
    return read_blob(ctx, a, digest, IMAGE_MANIFEST_MAX, out, e);
}

static bool find_in_index(const struct value *index, str tag, str *digest, struct err *e)
{
    const struct value *manifests = value_get(index, STR("manifests"));
    size_t count = value_len(manifests);

    for (size_t i = 0; i < count; i++) {
        const struct value *m = value_at(manifests, i), *notes = value_get(m, STR("annotations"));
        str name = value_get_str(notes, STR("org.opencontainers.image.ref.name"));
        str d = value_get_str(m, STR("digest"));
        if (str_eq(name, tag) || str_eq(d, tag) || (!tag.len && count == 1)) {
            *digest = d;
            return true;
        }
    }
    if (!tag.len)
        return err_set(e, ERR_INVALID, "there are %zu images: name one by its tag", count);
    return err_set(e, ERR_NOT_FOUND, "there is no image of the name %.*s", STR_ARG(tag));
}

bool image_layout_read(struct arena *a, str folder, str tag, struct image_files *files,
                       struct err *e)
{
    struct layout l = {.folder = folder};
    const struct image_store store = {read_layout_manifest, read_blob, &l};
    struct value *index;
    str digest = STR_NONE;

    if (!file_read_max(a, str_fmt(a, "%.*s/index.json", STR_ARG(folder)), IMAGE_MANIFEST_MAX,
                       &l.index, e) ||
        !read_json(a, l.index, &index, e) || !find_in_index(index, tag, &digest, e))
        return err_wrap(e, "%.*s", STR_ARG(folder));
    return image_read(a, &store, digest, files, e) || err_wrap(e, "%.*s", STR_ARG(folder));
}

/* ---- Archives. ---- */

struct file {
    struct reader reader;
    str name;
    int fd;
};

static bool read_file(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    const struct file *f = (const struct file *)r;

    return file_read_some(f->fd, f->name, to, size, got, e);
}

bool image_archive_read(struct arena *a, str file, str tag, struct image_files *files,
                        struct err *e)
{
    AUTO_FD fd = -1;

    if (!file_open(file, &fd, e))
        return false;
    struct file f = {{.read = read_file}, file, fd};
    return image_saved_read(a, &f.reader, tag, files, e) || err_wrap(e, "%.*s", STR_ARG(file));
}
