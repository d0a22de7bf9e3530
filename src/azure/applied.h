/* SPDX-License-Identifier: Apache-2.0 */
/*
 * applied.h - the API version that a user applied, which is the one used with Azure.
 *
 * The API server stores all objects of a kind in one version and serves them in any, so the version
 * of an object that was read means nothing. The version is determined by these, in this order:
 *
 *   1. the newest write of a user. metadata.managedFields has an entry for everyone who set fields,
 *      with the version used. Entries that own fields of the spec count; those for a status, by
 *      plumb itself and in storage versions (other operators) never do. The annotation of kubectl
 *      apply counts too: it is as old as the newest entry that owns it. Within the same second, a
 *      server-side apply wins, then kubectl's annotation, then the last entry
 *   2. spec.originalVersion, which the reference operator keeps in objects that it stored
 *   3. the annotation ANNOTATION_API_VERSION, for objects whose managedFields are gone. The
 *      operator writes it with the claim, and again when the user changes the version
 *   4. the version in which objects are stored
 *
 * So a manifest that moves to a newer API version takes effect when it is applied. Versions that
 * the model does not have are skipped; retired spellings are read as their successors
 * (v1beta20200601 as v1api20200601), and storage versions as the version they belong to. All
 * functions may be called from any thread that may use the model.
 */
#pragma once

#include "azure/resolve.h"

enum applied_by {
    APPLIED_FIELDS,   /* managedFields */
    APPLIED_LAST,     /* the annotation of kubectl apply */
    APPLIED_ORIGINAL, /* spec.originalVersion */
    APPLIED_CLAIMED,  /* ANNOTATION_API_VERSION */
    APPLIED_STORED,
};

struct applied {
    const struct model_resource *resource; /* the kind, in the version that was applied */
    enum applied_by by;                    /* how we know */
    struct str_list dropped;               /* applied_object: fields it does not have */
};

/* Whether the object came from a server, so that its own apiVersion says nothing. */
bool applied_is_served(const struct value *object);

/*
 * The version that was applied. Fails when the kind is unknown, or when only the annotation is left
 * and names an unknown version: no other one must be used then.
 */
MUST_CHECK bool applied_version(struct model *m, const struct value *object, struct applied *out,
                                struct err *e);
/*
 * For caches: replaces managedFields and kubectl's annotation, which together are often larger than
 * the rest of the object, with one entry that leads to the same version. New nodes live as long as
 * a.
 */
void applied_trim(struct arena *a, struct model *m, struct value *object);
/*
 * As applied_version, and also returns the object with its spec in that version. Fields that other
 * versions do not have are restored from the annotation ANNOTATION_LEFTOVERS (convert.h) and, in
 * objects that the reference operator stored, from their property bags. Fields that the version
 * cannot hold are left out and listed as paths in out->dropped. It shares parts with object.
 */
MUST_CHECK bool applied_object(struct arena *a, struct model *m, const struct value *object,
                               struct applied *out, const struct value **as_applied, struct err *e);
