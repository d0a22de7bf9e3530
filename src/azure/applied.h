/* SPDX-License-Identifier: Apache-2.0 */
/*
 * applied.h - the API version that a user applied, which is the one Azure is talked to in.
 *
 * The API server stores all objects of a kind in one version and serves them in any, so the version
 * of an object that was read says nothing. What its user wrote is in metadata.managedFields: each
 * entry has the version in which somebody set fields.
 *
 *   before the claim   the newest entry that owns fields of the spec; of one second, the one that
 *                      was applied on the server's side, else the last
 *   from the claim on  the annotation ANNOTATION_API_VERSION, which the claim writes together with
 *                      the id: later writers (an editor, the operator itself) change nothing
 *   last resort        the version in which objects are stored
 *
 * Versions that the model does not have are passed over; retired spellings are read as their
 * successors (v1beta20200601 as v1api20200601). All functions may be called from any thread that
 * may use the model.
 */
#pragma once

#include "azure/resolve.h"

/* Where the claim keeps the version. Without it the entries are looked at again. */
#define ANNOTATION_API_VERSION "plumb.azure.com/api-version"

enum applied_by { APPLIED_CLAIMED, APPLIED_FIELDS, APPLIED_STORED };

struct applied {
    const struct model_resource *resource; /* the kind in the version that was applied */
    enum applied_by by;                    /* how it is known */
};

/* Whether the object came from a server, so that its own apiVersion says nothing. */
bool applied_is_served(const struct value *object);

/*
 * The version that was applied. Fails when the kind is not known, or when the claim names a version
 * that is not: another one must not be taken then.
 */
MUST_CHECK bool applied_version(struct model *m, const struct value *object, struct applied *out,
                                struct err *e);
/*
 * The same, and the object with its spec in that version; what other versions have no place for
 * comes back from the annotation ANNOTATION_LEFTOVERS (convert.h). It shares parts with object.
 */
MUST_CHECK bool applied_object(struct arena *a, struct model *m, const struct value *object,
                               struct applied *out, const struct value **as_applied, struct err *e);
