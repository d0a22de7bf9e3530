/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_internal.h - where the files of a reference are: a folder, a place on the web, an image of
 * containers.
 *
 *     struct root root;
 *     str file;
 *     if (root_open(a, reference, &root, &file, e))
 *         ok = root_read(a, &root, file, &text, e);
 *     root_close(&root);
 *
 * Names are relative to the root and separated by slashes, as in Go's fs.FS. A root is used from
 * one thread. For this folder only.
 */
#pragma once

#include "compare/compare.h"

/* The largest file of a reference, wherever it is. */
#define ROOT_FILE_MAX (64 * MIB)

struct root;

/*
 * A kind of root. To add one: write root_<name>.c with one of these and list it in root.c. The
 * first whose prefix a reference has is taken.
 */
struct root_kind {
    const char *prefix;
    /* Fills folder, state and *file. May be left to the others what can only be found out later. */
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
    str folder;                   /* as users know it: a path, a URL */
    str reference;                /* as it was named: errors do not have its password */
    void *state;                  /* of the kind */
    bool outside_links;           /* of folders: links may lead out of them; see inside.h */
    bool original;                /* errors have only the context that the original gives them */
};

/* Whether a reference is elsewhere than in a local folder. */
bool root_is_remote(str reference);

/*
 * Hides the password of a reference in an error about it. Images are named without a user, URLs may
 * lack a slash or have a port that is none: errors quote the name, or a part of it, which may be
 * taken for that of a file. Always false.
 */
bool root_hide_password(struct arena *a, str reference, struct err *e);
/* The root of a reference, and the name of its metadata file. To be closed also after a failure. */
MUST_CHECK bool root_open(struct arena *a, str reference, struct root *out, str *file,
                          struct err *e);
/* The same; outside_links of the folder may be followed. */
MUST_CHECK bool root_open_linked(struct arena *a, str reference, bool outside_links,
                                 struct root *out, str *file, struct err *e);
void root_close(struct root *root);
/* Reads a file; errors name it as the original does. */
MUST_CHECK bool root_read(struct arena *a, const struct root *root, str name, str *out,
                          struct err *e);
/* The files that fit a pattern, in order; as Go's fs.Glob. */
MUST_CHECK bool root_glob(struct arena *a, const struct root *root, str pattern,
                          struct str_list *out, struct err *e);

/* The folder and the last element of a path, as Go's filepath.Dir and Base. */
void root_split(str path, str *folder, str *file);
/* As Go's fs.ValidPath: elements between slashes, none of them empty, "." or ".."; or "." alone. */
bool root_is_plain(str name);
