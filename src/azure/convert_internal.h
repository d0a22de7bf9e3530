/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert_internal.h - what the files of conversion share.
 */
#pragma once

#include "azure/convert.h"

/*
 * Replaces values that only the operator understands by what ARM is to get, as
 * api/rules/payload.json says, for a resource that is not in Azure yet.
 */
void payload_replace(const struct model_resource *res, struct value *body);
