/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_map_internal.h - YAML read as Go's sigs.k8s.io/yaml reads it into a mapping. */
#pragma once

#include "go/decode.h"

/*
 * Reads the first document, which must be a mapping or nothing; nothing gives an empty one. The
 * text must live as long as the tree.
 */
MUST_CHECK bool yaml_map_read(struct arena *a, str text, struct value **out, struct err *e);
/*
 * The same with a limit, where the text is not of a user's own: a few bytes become a node of a
 * hundred. nodes_max 0: none but that of all YAML. *alone is set where yaml_goes_on is known to be
 * false for the text; it may be NULL.
 */
MUST_CHECK bool yaml_map_read_bounded(struct arena *a, str text, size_t nodes_max, bool *alone,
                                      struct value **out, struct err *e);
/* As yaml_map_read for any value. */
MUST_CHECK bool yaml_any_read(struct arena *a, str text, struct value **out, struct err *e);
/*
 * Whether something follows the first document of a text whose first document can be read, also
 * what cannot be, or thousands of empty documents; line is where it begins, or where it fails.
 */
bool yaml_goes_on(str text, uint32_t *line);
/* Decodes YAML strictly by a schema, with the words of Go's libraries. *out is NULL for null. */
MUST_CHECK bool strict_read(struct arena *a, str file, str text, const struct schema *schema,
                            struct value **out, struct err *e);
