/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - custom resources to ARM bodies and back, as the model says.
 *
 *   spec -> ARM       convert_to_arm     what is sent
 *   ARM -> status     convert_to_status  what came back
 *   ARM -> spec       convert_to_spec    for import and comparison
 *   spec -> spec      convert_version    between API versions of a kind
 *
 * There is no code per kind. Results live as long as the arena and share texts, and whole trees
 * where nothing changes, with what they were made from: to change one, clone it (value_clone).
 * Errors name the field and, when there is a source, the place. Any thread may convert.
 */
#pragma once

#include "azure/needs.h"
#include "azure/resolve.h"

struct arm_request {
    str id;          /* the path of the URL */
    str api_version; /* 2025-03-01 */
    str name;        /* the last name in the id */
    struct value *body;
    struct missing missing; /* what was not found, when that is why there is no request */
};

/*
 * The request that makes an object come true. Fields that the model does not know are left out, as
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
 * Only the body, for an object whose id is known, as the model alone says: values that only the
 * operator understands ("values" in the rules of the kind) are still in it.
 */
MUST_CHECK bool convert_to_body(struct arena *a, const struct resolver *r,
                                const struct model_resource *res, const struct value *object,
                                const struct source *src, str id, struct value **out,
                                struct err *e);

/*
 * The status that an answer of ARM gives, without conditions. Unknown members are ignored, null is
 * unset, names are case-insensitive, values of the wrong type are left out.
 */
struct value *convert_to_status(struct arena *a, const struct model_resource *res,
                                const struct value *arm);
/*
 * The spec that would be sent as this body: references become ids, values of enums get their usual
 * case. What ARM does not tell stays unset: owner, azureName, operatorSpec, secrets, config maps.
 * Empty lists and maps are unset.
 */
struct value *convert_to_spec(struct arena *a, const struct model_resource *res,
                              const struct value *arm);

/*
 * The spec of one version as the spec of another: properties go by their names. What to has no
 * place for, or another shape, goes to *leftovers (NULL when there is nothing); what kept
 * (leftovers of an earlier conversion, or NULL) has for a property of to that is not set comes
 * back. So there and back again is the same spec.
 *
 * Specs as the reference operator stores them are read too: their originalVersion goes, and their
 * property bags, at any depth, give back what to has a place for.
 */
struct value *convert_version(struct arena *a, const struct model_resource *from,
                              const struct model_resource *to, const struct value *spec,
                              const struct value *kept, struct value **leftovers);
/* Appends the paths of leftovers, which may be NULL: spec.rules[name=a].gone. */
void convert_leftover_paths(struct arena *a, const struct value *leftovers, struct str_list *out);
