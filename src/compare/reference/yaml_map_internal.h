/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_map_internal.h - reads YAML into a mapping, like Go's sigs.k8s.io/yaml. */
#pragma once

#include "go/decode.h"

/*
 * Reads the first document, which must be a mapping or empty; an empty document gives an empty
 * mapping. The text must live as long as the tree.
 */
MUST_CHECK bool yaml_map_read(struct arena *a, str text, struct value **out, struct err *e);
/*
 * The same with a limit for untrusted text: a few bytes become a node of a hundred. nodes_max 0:
 * only the usual limit of YAML. *alone is set if yaml_goes_on is known to be false for the text; it
 * may be NULL.
 */
MUST_CHECK bool yaml_map_read_bounded(struct arena *a, str text, size_t nodes_max, bool *alone,
                                      struct value **out, struct err *e);
/* Like yaml_map_read, for any value. */
MUST_CHECK bool yaml_any_read(struct arena *a, str text, struct value **out, struct err *e);
/*
 * Whether anything follows the first document of a text, which must be valid: another document,
 * something invalid, or thousands of empty documents; line is where it starts, or where it fails.
 */
bool yaml_goes_on(str text, uint32_t *line);
/*
 * Decodes YAML strictly by a schema, with the error texts of Go's libraries. *out is NULL for null.
 */
MUST_CHECK bool strict_read(struct arena *a, str file, str text, const struct schema *schema,
                            struct value **out, struct err *e);
/* The second half of it, for what was read without a schema because that depends on it. */
MUST_CHECK bool strict_decode(struct arena *a, const struct schema *schema, struct value *v,
                              struct err *e);
