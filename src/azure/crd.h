/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crd.h - builds CustomResourceDefinitions from the model.
 *
 * One definition per kind, with all its versions: structural schemas, everything written out where
 * it is used, no descriptions unless requested. What a schema cannot express (mutually exclusive
 * fields, the type of an id) is left to check.h and to admission. Besides what ARM returns, the
 * status has operatorStatus: the operator's own information.
 */
#pragma once

#include "azure/model/model.h"

/*
 * The description of a property, or empty: res is the resource, steps the path of the property in
 * ARM, with "*" for the elements of lists and maps.
 */
typedef str crd_describe_fn(void *ctx, const struct model_resource *res, const str *steps,
                            size_t count);

struct crd_options {
    crd_describe_fn *describe; /* NULL: no descriptions */
    void *describe_ctx;
};

/*
 * The definition of a kind from all its versions, in their order. The tree shares parts: to change
 * it, copy it. Lives as long as a and the model.
 */
struct value *crd_build(struct arena *a, const struct model_resource *const *versions, size_t count,
                        const struct crd_options *options);
