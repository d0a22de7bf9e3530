/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_internal.h - reads the files of a reference from a folder, the web or a container image.
 *
 *     struct root root;
 *     str file;
 *     if (root_open(a, reference, &root, &file, e))
 *         ok = root_read(a, &root, file, &text, e);
 *     root_close(&root);
 *
 * Names are relative to the root and separated by slashes, as in Go's fs.FS. One thread at a time.
 * For this folder only.
 */
#pragma once

#include "compare/compare.h"

/* The largest file of a reference, wherever it is. */
#define ROOT_FILE_MAX (64 * MIB)

struct root;

/*
 * A kind of root. To add one: write root_<name>.c with one of these and list it in root.c. The
 * first one with the prefix of a reference is used.
 */
struct root_kind {
    const char *prefix;
    /*
     * Fills in folder, state and *file. Errors that show only later may be left to the other
     * functions.
     */
    bool (*open)(struct arena *a, str reference, struct root *root, str *file, struct err *e);
    bool (*read)(struct arena *a, const struct root *root, str name, str *out, struct err *e);
    bool (*glob)(struct arena *a, const struct root *root, str pattern, struct str_list *out,
                 struct err *e);
    void (*close)(struct root *root); /* may be NULL */
};
extern const struct root_kind root_container, root_containers_storage, root_docker_archive,
    root_docker_daemon, root_folder, root_http, root_https, root_oci, root_oci_archive;

struct root {
    const struct root_kind *kind; /* NULL: root_folder */
    str folder;                   /* for users: a path, a URL */
    str reference;                /* as given: errors must not show its password */
    void *state;                  /* of the kind */
    bool outside_links;           /* folders: links may lead out of them; see inside.h */
    bool original;                /* errors have no more context than the original's */
};

/* Whether a reference is not in a local folder. */
bool root_is_remote(str reference);

/*
 * Hides the password of a reference in an error about it, which may quote the name or part of it: a
 * malformed URL may have been taken for a file name, and image names have no user. Always false.
 */
bool root_hide_password(struct arena *a, str reference, struct err *e);
/*
 * Opens the root of a reference; *file is its metadata file. Must be closed even after a failure.
 */
MUST_CHECK bool root_open(struct arena *a, str reference, struct root *out, str *file,
                          struct err *e);
/* The same; with outside_links, links out of the folder are followed. */
MUST_CHECK bool root_open_linked(struct arena *a, str reference, bool outside_links,
                                 struct root *out, str *file, struct err *e);
void root_close(struct root *root);
/* Reads a file; errors name it as the original does. */
MUST_CHECK bool root_read(struct arena *a, const struct root *root, str name, str *out,
                          struct err *e);
/* The files that match a pattern, in order, like Go's fs.Glob. */
MUST_CHECK bool root_glob(struct arena *a, const struct root *root, str pattern,
                          struct str_list *out, struct err *e);

/* The folder and the last element of a path, like Go's filepath.Dir and Base. */
void root_split(str path, str *folder, str *file);
/*
 * Like Go's fs.ValidPath: elements between slashes, none of them empty, "." or ".."; or just ".".
 */
bool root_is_plain(str name);
