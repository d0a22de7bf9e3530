/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root.c - the folder of a reference. Names are relative to it, as in Go's fs.FS.
 */
#include "compare/glob.h"

#include <errno.h>
#include <sys/stat.h>

/* Elements between slashes, none of them empty, "." or "..". The root itself is no file of it. */
static bool is_plain(str name)
{
    str rest = name, element;

    if (!name.len || utf8_find_invalid(name) != STR_NPOS)
        return false;
    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &element, &rest);
        if (!element.len || str_eq(element, STR(".")) || str_eq(element, STR("..")))
            return false;
    }
    return true;
}

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

bool root_read(struct arena *a, const struct root *root, str name, str *out, struct err *e)
{
    str full = full_path(a, root, name);

    if (!is_plain(name))
        return err_set(e, ERR_INVALID, "open %.*s: invalid argument", STR_ARG(name));
    if (root->folder.len && is_special(a, full))
        return err_set(e, ERR_INVALID, "open %.*s: neither a file nor a folder", STR_ARG(name));
    return file_read(a, full, out, e) || rename_error(a, full, name, e);
}

bool root_glob(struct arena *a, const struct root *root, str pattern, struct str_list *out,
               struct err *e)
{
    if (!glob_has_meta(pattern) && !is_plain(pattern))
        return true;
    if (!glob_files(a, root->folder, pattern, out))
        return err_set(e, ERR_INVALID, "syntax error in pattern");
    return true;
}
