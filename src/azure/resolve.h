/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.h - the names and ids of custom resources in Azure.
 *
 * The name of an object in ARM depends on its owners, so resolving it takes other objects. A struct
 * resolver supplies them, from a cluster or from files. It also supplies secrets and config maps
 * for bodies (convert.h).
 *
 * A resolver belongs to one thread at a time. Results live as long as a.
 */
#pragma once

#include "azure/reference.h"
#include "object/names.h"
#include "object/object.h"

/* The longest chain of owners. */
#define OWNERS_MAX 32

struct kind_set;

struct resolver {
    struct model *model;
    const struct kind_set *rules; /* rules of kinds (arm/rules/kind.h); NULL: the built-in ones */
    str subscription;             /* the credential's, as spelled there */
    /*
     * Computes ids even for objects that were never claimed, as in files. Otherwise a reference to
     * an object without its annotation is ERR_NOT_FOUND.
     */
    bool compute;
    void *ctx;
    /* The object, or ERR_NOT_FOUND. The result lives as long as a. */
    bool (*object)(void *ctx, struct arena *a, const struct object_key *name,
                   const struct value **out, struct err *e);
    /* One value of a secret or config map, or ERR_NOT_FOUND. */
    bool (*secret)(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                   struct err *e);
    bool (*config)(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                   struct err *e);
    /* All values of a secret as an object of strings. */
    bool (*secret_map)(void *ctx, struct arena *a, str namespace, str name,
                       const struct value **out, struct err *e);
    /* The id to use for a missing object; NULL: that is an error. For plans. */
    bool (*missing)(void *ctx, struct arena *a, const struct object_key *name, str *out,
                    struct err *e);
};

/* ---- Objects. -------------------------------------------------------------------------------- */

/*
 * The resource of an object in the model. Storage versions of the reference operator
 * (v20250301storage) are the version they belong to.
 */
MUST_CHECK bool object_resource(struct model *m, const struct value *object,
                                const struct model_resource **out, struct err *e);

/* ---- Names and ids. If src is not NULL, errors have a position. ------------------------------ */

/*
 * The name in Azure: spec.azureName, a fixed one, one from a config map, a UUID for kinds that need
 * one, or the name of the object.
 */
MUST_CHECK bool resolve_name(struct arena *a, const struct resolver *r,
                             const struct model_resource *res, const struct value *object, str *out,
                             struct err *e);
/* The id, following the owners up to one whose id is given. */
MUST_CHECK bool resolve_id(struct arena *a, const struct resolver *r,
                           const struct model_resource *res, const struct value *object,
                           const struct source *src, str *out, struct err *e);
/* The id that a reference in object stands for. A well-known name is returned as is. */
MUST_CHECK bool resolve_reference(struct arena *a, const struct resolver *r,
                                  const struct value *object, const struct reference *ref,
                                  str holder_id, str *out, struct err *e);
/* The rule for spec.owner of a resource. */
struct reference_rule owner_rule(const struct model_resource *res);

/* The version 5 UUID of a text in the namespace of generated names. */
str uuid_of_text(struct arena *a, str text);
