/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kustomize.c - reads the objects of a kustomization, which is built by an installed program, as we
 * have none of our own. Errors about the folder have the original's wording.
 */
#include "base/process.h"
#include "compare/input/input_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The part of an absolute path that is not there, all parts before it without links. */
static str missing_part(struct arena *a, str path)
{
    char parent[PATH_MAX];
    struct stat st;

    for (size_t i = 1; i <= path.len; i++)
        if ((i == path.len || path.ptr[i] == '/') && lstat(str_z(a, str_slice(path, 0, i)), &st)) {
            path = str_slice(path, 0, i);
            break;
        }
    size_t slash = str_rfind_char(path, '/');
    if (realpath(str_z(a, slash ? str_slice(path, 0, slash) : STR("/")), parent))
        path = file_join(a, str_copy(a, str_c(parent)), str_from(path, slash + 1));
    return path;
}

/* The folder by its absolute name, without links. */
static bool find_root(struct arena *a, str folder, str *root, struct err *e)
{
    char real[PATH_MAX];
    str path;

    if (!file_absolute(a, folder, &path, e))
        return false;
    if (realpath(str_z(a, path), real)) {
        *root = str_copy(a, str_c(real));
        return file_kind(*root) == FILE_FOLDER ||
               err_set(e, ERR_INVALID, "must build at directory: '%.*s': file is not directory",
                       STR_ARG(folder));
    }
    int failure = errno;
    if (failure == ENOTDIR)
        err_set(e, ERR_INVALID, "not a directory");
    else
        err_errno(e, failure, "lstat", missing_part(a, path));
    return err_wrap(e,
                    "must build at directory: not a valid directory: evalsymlink failure on "
                    "'%.*s' ",
                    STR_ARG(folder));
}

/* Exactly one file says what to build. */
static bool check_root(struct arena *a, str root, struct err *e)
{
    static const char *const names[] = {"kustomization.yaml", "kustomization.yml", "Kustomization"};
    size_t found = 0;

    for (size_t i = 0; i < COUNT(names); i++)
        found += file_kind(file_join(a, root, str_c(names[i]))) == FILE_REGULAR;
    if (!found)
        return err_set(e, ERR_NOT_FOUND,
                       "unable to find one of 'kustomization.yaml', 'kustomization.yml' or "
                       "'Kustomization' in directory '%.*s'",
                       STR_ARG(root));
    return found == 1 ||
           err_set(e, ERR_INVALID, "Found multiple kustomization files: %.*s", STR_ARG(root));
}

bool kustomize_build(struct arena *a, str folder, str *out, struct err *e)
{
    const char *const by_kustomize[] = {"kustomize", "build", str_z(a, folder), NULL};
    const char *const by_kubectl[] = {"kubectl", "kustomize", str_z(a, folder), NULL};
    int status = 0;
    str root = STR_NONE;

    if (!find_root(a, folder, &root, e) || !check_root(a, root, e))
        return false;
    if (!process_run(a, by_kustomize, out, &status, e) &&
        !process_run(a, by_kubectl, out, &status, e))
        return err_set(e, ERR_NOT_FOUND,
                       "building %.*s needs the program kustomize or kubectl, and neither is "
                       "installed",
                       STR_ARG(folder));
    if (status)
        return err_set(e, ERR_INVALID, "building %.*s: kustomize ended with status %d",
                       STR_ARG(folder), status);
    return true;
}
