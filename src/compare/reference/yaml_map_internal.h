/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_map_internal.h - YAML read as Go's sigs.k8s.io/yaml reads it into a mapping. */
#pragma once

#include "go/decode.h"

/*
 * Reads the first document, which must be a mapping or nothing; nothing gives an empty one. The
 * text must live as long as the tree.
 */
MUST_CHECK bool yaml_map_read(struct arena *a, str text, struct value **out, struct err *e);
/* The same for any value. */
MUST_CHECK bool yaml_any_read(struct arena *a, str text, struct value **out, struct err *e);
/*
 * Whether something follows the first document of a text whose first document can be read, also
 * what cannot be; line is where it begins, or where it fails.
 */
bool yaml_goes_on(str text, uint32_t *line);
/* Decodes YAML strictly by a schema, with the words of Go's libraries. *out is NULL for null. */
MUST_CHECK bool strict_read(struct arena *a, str file, str text, const struct schema *schema,
                            struct value **out, struct err *e);
