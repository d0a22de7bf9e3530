/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - converts custom resources to ARM bodies and back, as the model says.
 *
 *   spec -> ARM       convert_to_arm     what is sent
 *   ARM -> status     convert_to_status  what came back
 *   ARM -> spec       convert_to_spec    for import and comparison
 *   spec -> spec      convert_version    between API versions of a kind
 *
 * There is no code per kind. Results live as long as the arena and share texts, and whole trees
 * where nothing changes, with what they were made from: to change one, clone it (value_clone).
 * Errors name the field and, if there is a source, the position. May be called from any thread.
 */
#pragma once

#include "azure/needs.h"
#include "azure/resolve.h"

struct arm_request {
    str id;          /* the path of the URL */
    str api_version; /* 2025-03-01 */
    str name;        /* the last name in the id */
    struct value *body;
    struct missing missing; /* what was not found, if that is why there is no request */
};

/*
 * The request that puts an object into effect. Fields that the model does not know are left out, as
 * the API server would prune them; azure/check.h lists them. Empty lists and maps count as unset.
 * src is where the object was read from, or NULL.
 *
 * Things that cannot be found are reported together, with ERR_NOT_FOUND and in out->missing; a
 * mistake in the object is reported alone, as it must be fixed before anything else.
 */
MUST_CHECK bool convert_to_arm(struct arena *a, const struct resolver *r,
                               const struct model_resource *res, const struct value *object,
                               const struct source *src, struct arm_request *out, struct err *e);
/*
 * Only the body, for an object whose id is known, by the model alone: values that only the operator
 * understands ("values" in the rules of the kind) are still in it.
 */
MUST_CHECK bool convert_to_body(struct arena *a, const struct resolver *r,
                                const struct model_resource *res, const struct value *object,
                                const struct source *src, str id, struct value **out,
                                struct err *e);

/*
 * The status for a response of ARM, without conditions. Unknown members are ignored, null is unset,
 * names are case-insensitive, values of the wrong type are left out.
 */
struct value *convert_to_status(struct arena *a, const struct model_resource *res,
                                const struct value *arm);
/*
 * The spec that would be sent as this body: references become ids, values of enums get their usual
 * case. What ARM does not return stays unset: owner, azureName, operatorSpec, secrets, config maps.
 * Empty lists and maps are unset.
 */
struct value *convert_to_spec(struct arena *a, const struct model_resource *res,
                              const struct value *arm);

/*
 * Converts the spec of one version to another, property by property, by name. Properties that the
 * version to does not have, or has in another shape, go to *leftovers (NULL when there are none).
 * Unset properties are restored from kept (leftovers of an earlier conversion, or NULL) if the
 * version to has them. So converting back and forth gives the same spec.
 *
 * Specs as stored by the reference operator are read too: their originalVersion is dropped, and
 * properties are restored from their property bags, at any depth, if the version to has them.
 */
struct value *convert_version(struct arena *a, const struct model_resource *from,
                              const struct model_resource *to, const struct value *spec,
                              const struct value *kept, struct value **leftovers);
/* Appends the paths of leftovers, which may be NULL: spec.rules[name=a].gone. */
void convert_leftover_paths(struct arena *a, const struct value *leftovers, struct str_list *out);
