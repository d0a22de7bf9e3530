/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_map_internal.h - reads YAML into a mapping, like Go's sigs.k8s.io/yaml. */
#pragma once

#include "go/decode.h"
#include "text/text.h"

/*
 * Reads the first document, which must be a mapping or empty; an empty document gives an empty
 * mapping. The text must live as long as the tree.
 */
MUST_CHECK bool yaml_map_read(struct arena *a, str text, struct value **out, struct err *e);
/* The same with options, for untrusted text: with nodes_max, a few bytes become a node of a
 * hundred. */
MUST_CHECK bool yaml_map_read_with(struct arena *a, str text, struct read_options options,
                                   struct value **out, struct err *e);
/* What was read must be a mapping; null becomes an empty one. */
MUST_CHECK bool map_expect(struct arena *a, struct value **v, struct err *e);
/* Like yaml_map_read, for any value. single: what follows the first document is an error. */
MUST_CHECK bool yaml_any_read(struct arena *a, str text, bool single, struct value **out,
                              struct err *e);

struct yaml_file {
    str name, text;
    bool single; /* what follows the first document is an error; the original leaves it out */
};

/*
 * Decodes YAML strictly by a schema, with the error texts of Go's libraries. *out is NULL for null.
 */
MUST_CHECK bool strict_read(struct arena *a, const struct yaml_file *file,
                            const struct schema *schema, struct value **out, struct err *e);
/* The second half of it, for what was read without a schema because that depends on it. */
MUST_CHECK bool strict_decode(struct arena *a, const struct schema *schema, struct value *v,
                              struct err *e);
