/* SPDX-License-Identifier: Apache-2.0 */
/* ext_internal.h - the rules of a kind, applied at their points. */
#pragma once

#include "operator/ext.h"

/* ---- ext_rules.c ---- */

/* The decision of the first gate that is closed for a body; a NULL body passes. */
struct decision rules_gates(const struct kind_gates *gates, const struct ext_input *in,
                            const struct value *body);
/* The payload with the name that it asks for, and with the list elements of others. */
struct decision rules_payload(const struct kind_rules *rules, const struct ext_input *in);
/* The body without lists that are too long for a status. */
struct value *rules_trim(const struct kind_rules *rules, const struct ext_input *in);
/* The path of the DELETE; rules may be NULL. */
str rules_delete_url(const struct kind_rules *rules, const struct ext_input *in);

/* ---- ext_export.c ---- */

struct ext_exports rules_secrets(const struct kind_rules *rules, const struct ext_input *in);
struct ext_exports model_configs(const struct ext_input *in);
