/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci.h - reads files from container images, without running them.
 *
 *     struct image_files *files = image_files_new(a, STR("/ref"));
 *     struct image_name name;
 *     if (image_name_parse(a, STR("host:5000/x/y:1"), &name, e) &&
 *         image_pull(a, &name, files, e) &&
 *         image_files_read(files, STR("metadata.yaml"), &text, e)) ...
 *
 * An image is a list of layers, each an archive; a later one hides what it replaces or whites out.
 * Images come from a registry (the distribution API, with tokens and the credentials that docker
 * and podman keep), from a folder with an OCI layout or an archive of one, from an archive written
 * by docker save, or from the local storage of podman or docker, which is asked to save them.
 * Everything with a digest is verified before use. Layers are read as streams; only files in the
 * reference's folder are kept in memory. One thread.
 */
#pragma once

#include "net/http/http.h"
#include "value/value.h"

struct image_layer;
struct reader;

#define IMAGE_MANIFEST_MAX (4 * MIB)
/*
 * The size of one layer as stored, which is never kept in memory, and how long its download may
 * take.
 */
#define IMAGE_LAYER_MAX (16 * GIB)
#define IMAGE_LAYER_TIME (7200 * NS_PER_SEC)
/* The size of one file of the reference, and of all its files. */
#define IMAGE_FILE_MAX (64 * MIB)
#define IMAGE_FILES_MAX (256 * MIB)
/* For all layers together: the unpacked size, and the number of members. */
#define IMAGE_UNPACKED_MAX (16 * GIB)
#define IMAGE_MEMBERS_MAX 2000000
#define IMAGE_LAYERS_MAX 1000

/* The name of an image as people write it. */
struct image_name {
    str registry;    /* "quay.io", "localhost:5000"; docker.io when none is written */
    str repository;  /* "org/name" */
    str tag, digest; /* at least one; a digest wins */
};

/* ERR_INVALID when it is not valid, or has neither tag nor digest. */
MUST_CHECK bool image_name_parse(struct arena *a, str text, struct image_name *out, struct err *e);

/* ---- Layers: layers.c. ---- */

/* Files below one folder of an image; layers are added from the last to the first. */
struct image_files;

struct image_files *image_files_new(struct arena *a, str folder);
/* The names of all files below the folder, relative to it, sorted element by element. */
void image_files_list(const struct image_files *f, struct arena *a, struct str_list *out);
/* ERR_NOT_FOUND, worded as the system's error, when there is no such file. */
MUST_CHECK bool image_files_read(const struct image_files *f, str name, str *out, struct err *e);

/* ---- Manifests: manifest.c. ---- */

/* Where manifests and layers come from. */
struct image_store {
    /* A manifest by tag or digest. */
    bool (*manifest)(void *ctx, struct arena *a, str reference, str *out, struct err *e);
    /* The entries of a layer, whose digest has been checked. *out lives as long as files. */
    bool (*layer)(void *ctx, struct image_files *files, str digest, struct image_layer *out,
                  struct err *e);
    void *ctx;
};

/* Goes from a manifest, or an index of several, to all layers. */
MUST_CHECK bool image_read(struct arena *a, const struct image_store *store, str reference,
                           struct image_files *files, struct err *e);
/* The digest of the image with that tag in an index.json; without a tag, of the only image. */
MUST_CHECK bool image_index_find(const struct value *index, str tag, str *digest, struct err *e);

/* ---- Digests: digest.c. ---- */

/* ERR_INVALID when the digest, "sha256:...", does not match bytes. */
MUST_CHECK bool image_check_digest(str digest, str bytes, struct err *e);

/* ---- Where images come from. ---- */

/* registry.c */
MUST_CHECK bool image_pull(struct arena *a, const struct image_name *name,
                           struct image_files *files, struct err *e);
/* layout.c; tag may be empty when there is only one image. For links in a folder see inside.h. */
MUST_CHECK bool image_layout_read(struct arena *a, str folder, str tag, bool outside_links,
                                  struct image_files *files, struct err *e);
MUST_CHECK bool image_archive_read(struct arena *a, str file, str tag, struct image_files *files,
                                   struct err *e);

/*
 * saved.c: the same for an archive of either kind that is read as a stream, in one pass. The
 * reference's folder, from all layers, is kept in memory.
 */
MUST_CHECK bool image_saved_read(struct arena *a, struct reader *from, str tag,
                                 struct image_files *files, struct err *e);

/* A program that stores images, and the command to save one, to which the name is appended. */
struct image_engine {
    const char *scheme; /* "docker-daemon://" */
    const char *command[6];
};
extern const struct image_engine image_docker, image_podman;
/* engine.c. Errors include the program's output. */
MUST_CHECK bool image_engine_read(struct arena *a, const struct image_engine *engine, str image,
                                  struct image_files *files, struct err *e);

/* ---- Credentials. ---- */

struct image_login {
    str basic;    /* "Basic ...", a user and a password */
    str identity; /* a token to request others with, instead of basic */
};

/*
 * login.c: the login that docker or podman keeps for a registry, or for a part of it; both members
 * are empty when there is none. Credential helpers (docker-credential-...) are run when a file
 * names them. ERR_INVALID when a file is malformed. *out lives as long as a.
 */
MUST_CHECK bool image_login_find(struct arena *a, const struct image_name *name,
                                 struct image_login *out, struct err *e);
/*
 * auth.c: responds to a challenge (WWW-Authenticate): *out is the Authorization header to send.
 * plain: tokens may be requested without TLS.
 */
MUST_CHECK bool image_authorize(struct arena *a, struct http_client *c, str challenge,
                                const struct image_login *login, bool plain, str *out,
                                struct err *e);
