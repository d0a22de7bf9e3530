/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - handmade images, and a local registry for them.
 *
 *     struct registry g;
 *     registry_begin(&g);
 *     registry_tag(&g, STR("1.0"), manifest);
 *     ... 127.0.0.1:registry_port(&g)/org/ref:1.0 ...
 *     registry_end(&g);
 *
 * There is one repository, org/ref. The user is u, the password p, the identity token I, and the
 * token that grants full access T.
 */
#pragma once

#include "net/server/server.h"

/* ---- Archives. ---- */

/* Adds a member to a tar: type is as in the format, '0' a file, '1' and '2' links, '5' a folder. */
void tar_add(struct buf *tar, const char *name, char type, str bytes, const char *link);
/* Adds the header of a file whose bytes come from elsewhere; size is a multiple of 512. */
void tar_add_head(struct buf *tar, const char *name, uint64_t size);
str tar_end(struct buf *tar);
str test_gzip(struct arena *a, str bytes);
/* One frame with one uncompressed block. */
str test_zstd(struct arena *a, str bytes);
/* "sha256:...". */
str digest_of(struct arena *a, str bytes);

/* ---- The registry. ---- */

enum registry_auth { REGISTRY_OPEN, REGISTRY_BASIC, REGISTRY_BEARER, REGISTRY_BOTH };

struct registry {
    struct arena *a;
    struct server *server;
    struct server *storage; /* another host, for blobs */
    struct map *blobs;      /* digest to str */
    struct map *manifests;  /* tag or digest to str */
    enum registry_auth auth;
    bool corrupt;       /* blobs lack their last byte */
    bool elsewhere;     /* blobs are redirected to the storage */
    unsigned asked;     /* for tokens */
    unsigned exchanged; /* of these by an identity token */
    unsigned stored;    /* answers of the storage */
    unsigned leaked;    /* requests to the storage with credentials */
    unsigned refused;   /* 401 */
};

void registry_begin(struct registry *g);
void registry_end(struct registry *g);
unsigned registry_port(const struct registry *g);
/* Returns its digest, which lives as long as the registry. */
str registry_add_blob(struct registry *g, str bytes);
/* Adds a manifest under its digest, which is returned, and under a tag unless that is empty. */
str registry_tag(struct registry *g, str tag, str manifest);
/* The manifest of an image with these layers, without media types. */
str registry_manifest(struct registry *g, const str *digests, size_t count);
