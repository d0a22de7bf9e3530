/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_image.c - references in container images:
 *
 *     container://HOST/NAME:TAG:/path/metadata.yaml       of a registry; or NAME@sha256:...
 *     oci://FOLDER:TAG:/path/metadata.yaml                a folder with an OCI layout
 *     oci-archive://FILE:TAG:/path/metadata.yaml          an archive of such a folder
 *     docker-archive://FILE:TAG:/path/metadata.yaml       what docker save wrote
 *     containers-storage://IMAGE:TAG:/path/metadata.yaml  what podman keeps on this machine
 *     docker-daemon://IMAGE:TAG:/path/metadata.yaml       what docker keeps on this machine
 *
 * The original runs the image to copy files out of it; here its layers are read.
 */
#include "compare/input/glob_internal.h"
#include "go/path.h"
#include "oci/oci.h"
#include "compare/reference/root_internal.h"

/* "IMAGE:/path/metadata.yaml" in its parts. */
static bool cut_reference(str text, str *image, str *folder, str *file)
{
    size_t colon = str_find(text, STR(":/"));

    if (colon == STR_NPOS || !colon)
        return false;
    *image = str_slice(text, 0, colon);
    root_split(str_from(text, colon + 1), folder, file);
    return file->len && !str_eq(*file, STR("/"));
}

static bool open_image(struct arena *a, str reference, struct root *root, str *file, struct err *e)
{
    str text = str_from(reference, strlen(root->kind->prefix)), image, folder;
    struct image_name name;

    if (!cut_reference(text, &image, &folder, file) || !image_name_parse(a, image, &name, e))
        return err_set(e, ERR_INVALID,
                       "incorrect path passed to -r, it must follow this format: "
                       "container://<IMAGE>:<TAG>:/path/to/metadata.yaml");
    struct image_files *files = image_files_new(a, folder);
    root->state = files;
    root->folder = str_slice(reference, 0, reference.len - file->len - 1);
    return image_pull(a, &name, files, e) ||
           err_wrap(e, "could not read the image %.*s", STR_ARG(image));
}

/* A tag is optional; the path before it may have colons of its own. */
static bool open_local(struct arena *a, str reference, struct root *root, str *file, bool archive,
                       struct err *e)
{
    const char *prefix = root->kind->prefix;
    str text = str_from(reference, strlen(prefix)), image, folder, tag = STR_NONE;

    if (!cut_reference(text, &image, &folder, file))
        return err_set(e, ERR_INVALID,
                       "incorrect path passed to -r, it must follow this format: "
                       "%s<PATH>:<TAG>:/path/to/metadata.yaml",
                       prefix);
    size_t slash = str_rfind_char(image, '/'), colon = str_rfind_char(image, ':');
    if (colon != STR_NPOS && (slash == STR_NPOS || colon > slash)) {
        tag = str_from(image, colon + 1);
        image = str_slice(image, 0, colon);
    }
    struct image_files *files = image_files_new(a, folder);
    root->state = files;
    root->folder = str_slice(reference, 0, reference.len - file->len - 1);
    bool ok = archive ? image_archive_read(a, image, tag, files, e)
                      : image_layout_read(a, image, tag, root->outside_links, files, e);
    return ok || err_wrap(e, "could not read the image");
}

static bool open_layout(struct arena *a, str reference, struct root *root, str *file, struct err *e)
{
    return open_local(a, reference, root, file, false, e);
}

static bool open_archive(struct arena *a, str reference, struct root *root, str *file,
                         struct err *e)
{
    return open_local(a, reference, root, file, true, e);
}

static bool open_engine(struct arena *a, str reference, struct root *root, str *file,
                        const struct image_engine *engine, struct err *e)
{
    str text = str_from(reference, strlen(engine->scheme)), image, folder;

    if (!cut_reference(text, &image, &folder, file))
        return err_set(e, ERR_INVALID,
                       "incorrect path passed to -r, it must follow this format: "
                       "%s<IMAGE>:<TAG>:/path/to/metadata.yaml",
                       engine->scheme);
    struct image_files *files = image_files_new(a, folder);
    root->state = files;
    root->folder = str_slice(reference, 0, reference.len - file->len - 1);
    return image_engine_read(a, engine, image, files, e) ||
           err_wrap(e, "could not read the image %.*s", STR_ARG(image));
}

static bool open_podman(struct arena *a, str reference, struct root *root, str *file, struct err *e)
{
    return open_engine(a, reference, root, file, &image_podman, e);
}

static bool open_docker(struct arena *a, str reference, struct root *root, str *file, struct err *e)
{
    return open_engine(a, reference, root, file, &image_docker, e);
}

static bool read_image(struct arena *a, const struct root *root, str name, str *out, struct err *e)
{
    (void)a;
    if (!root_is_plain(name))
        return err_set(e, ERR_INVALID, "readfile %.*s: invalid argument", STR_ARG(name));
    return image_files_read(root->state, name, out, e);
}

static bool glob_image(struct arena *a, const struct root *root, str pattern, struct str_list *out,
                       struct err *e)
{
    AUTO_ERR ignored = {0};
    struct str_list all = {0};
    str text;

    if (go_path_match(pattern, STR_NONE) == GO_MATCH_BAD)
        return err_set(e, ERR_INVALID, "syntax error in pattern");
    if (!glob_has_meta(pattern)) {
        if (read_image(a, root, pattern, &text, &ignored))
            VEC_PUSH(a, out, pattern);
        return true;
    }
    image_files_list(root->state, a, &all);
    for (size_t i = 0; i < all.len; i++)
        if (go_path_match(pattern, all.items[i]) == GO_MATCH_YES)
            VEC_PUSH(a, out, all.items[i]);
    return true;
}

const struct root_kind root_container = {"container://", open_image, read_image, glob_image, NULL};
const struct root_kind root_containers_storage = {"containers-storage://", open_podman, read_image,
                                                  glob_image, NULL};
const struct root_kind root_docker_daemon = {"docker-daemon://", open_docker, read_image,
                                             glob_image, NULL};
const struct root_kind root_oci = {"oci://", open_layout, read_image, glob_image, NULL};
const struct root_kind root_oci_archive = {"oci-archive://", open_archive, read_image, glob_image,
                                           NULL};
const struct root_kind root_docker_archive = {"docker-archive://", open_archive, read_image,
                                              glob_image, NULL};
