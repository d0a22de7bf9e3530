/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe.h - descriptions of properties, from a folder with Azure's published types.
 *
 * The model has no descriptions. To have them in definitions, you need a folder with the published
 * types: PROVIDER/API-VERSION/types.json, provider in lowercase. One thread at a time.
 */
#pragma once

#include "azure/model/model.h"

struct describer;

/* Files are read when they are first needed. */
struct describer *describe_open(struct arena *a, str folder);
/* A crd_describe_fn; ctx is the struct describer. Empty when there is no description. */
str describe_property(void *ctx, const struct model_resource *res, const str *steps, size_t count);
/* False, with the first error, when a file could not be read. */
MUST_CHECK bool describe_check(const struct describer *d, struct err *e);
