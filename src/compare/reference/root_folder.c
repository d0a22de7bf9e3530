/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_folder.c - references in a local folder.
 */
#include "compare/input/glob_internal.h"
#include "base/inside.h"
#include "compare/reference/root_internal.h"

#include <unistd.h>

/* The system's words, with the name as the reference knows it. */
static bool rename_error(struct arena *a, str full, str name, struct err *e)
{
    size_t at = str_find(e->text, full);

    if (at == STR_NPOS)
        return false;
    str before = str_copy(a, str_slice(e->text, 0, at));
    str after = str_copy(a, str_from(e->text, at + full.len));
    return err_set(e, e->kind, "%.*s%.*s%.*s", STR_ARG(before), STR_ARG(name), STR_ARG(after));
}

/* As Go splits paths: one that ends with a slash names a folder, and its last element the file. */
static bool open_folder(struct arena *a, str reference, struct root *root, str *file, struct err *e)
{
    (void)a;
    (void)e;
    root_split(reference, &root->folder, file);
    if (reference.len > 1 && str_has_suffix(reference, STR("/")))
        root->folder = str_slice(reference, 0, reference.len - 1);
    return true;
}

static bool read_file(struct arena *a, const struct root *root, str name, str *out, struct err *e)
{
    if (!root_is_plain(name))
        return err_set(e, ERR_INVALID, "readfile %.*s: invalid argument", STR_ARG(name));
    if (root->folder.len)
        return inside_read(a, root->folder, name, root->outside_links, ROOT_FILE_MAX, out, e) ||
               rename_error(a, inside_path(a, root->folder, name), name, e);
    /* The whole system: a file that the user has named, which may be a pipe. */
    str full = str_concat(a, STR("/"), name);
    return file_read_max(a, full, ROOT_FILE_MAX, out, e) || rename_error(a, full, name, e);
}

/* What a pattern found in other folders, so that not even their names are revealed. */
static bool check_folders(struct arena *a, const struct root *root, struct str_list *files,
                          size_t from, struct err *e)
{
    str folder = STR_NONE, seen = STR_NONE, file;

    for (size_t i = from; i < files->len; i++) {
        root_split(files->items[i], &folder, &file);
        AUTO_FD fd = -1;
        if (!str_eq(folder, seen) && !inside_open(root->folder, folder, false, &fd, e)) {
            files->len = from;
            return rename_error(a, inside_path(a, root->folder, folder), folder, e);
        }
        seen = folder;
    }
    return true;
}

static bool glob_folder(struct arena *a, const struct root *root, str pattern, struct str_list *out,
                        struct err *e)
{
    const bool has_meta = glob_has_meta(pattern);

    if (!has_meta && !root_is_plain(pattern))
        return true;
    size_t before = out->len;
    if (!glob_files(a, root->folder, pattern, out))
        return err_set(e, ERR_INVALID, "syntax error in pattern");
    /* Upstream: a link to nothing is as good as no file. */
    if (root->original && !has_meta &&
        access(str_z(a, inside_path(a, root->folder, pattern)), F_OK) != 0)
        out->len = before;
    return root->outside_links || !root->folder.len || !has_meta ||
           check_folders(a, root, out, before, e);
}

const struct root_kind root_folder = {"", open_folder, read_file, glob_folder, NULL};
