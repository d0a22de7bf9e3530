/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_folder.c - references in a local folder.
 */
#include "compare/glob.h"
#include "compare/root.h"

#include <errno.h>
#include <sys/stat.h>

static str full_path(struct arena *a, const struct root *root, str name)
{
    return str_fmt(a, "%.*s/%.*s", STR_ARG(root->folder), STR_ARG(name));
}

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

/* Reading a pipe would wait for somebody to write; a device may have no end. */
static bool is_special(struct arena *a, str path)
{
    struct stat st;

    return stat(str_z(a, path), &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
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
    str full = full_path(a, root, name);

    if (!root_is_plain(name))
        return err_set(e, ERR_INVALID, "readfile %.*s: invalid argument", STR_ARG(name));
    if (root->folder.len && is_special(a, full))
        return err_set(e, ERR_INVALID, "open %.*s: neither a file nor a folder", STR_ARG(name));
    return file_read_max(a, full, ROOT_FILE_MAX, out, e) || rename_error(a, full, name, e);
}

static bool glob_folder(struct arena *a, const struct root *root, str pattern, struct str_list *out,
                        struct err *e)
{
    if (!glob_has_meta(pattern) && !root_is_plain(pattern))
        return true;
    if (!glob_files(a, root->folder, pattern, out))
        return err_set(e, ERR_INVALID, "syntax error in pattern");
    return true;
}

const struct root_kind root_folder = {"", open_folder, read_file, glob_folder, NULL};
