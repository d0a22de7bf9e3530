/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - the table of vector kinds; see vectors.h. To add one: declare it and list it, sorted.
 */
#include "vectors.h"

extern const struct vector_kind vector_json;
extern const struct vector_kind vector_jsonpatch;
extern const struct vector_kind vector_template;
extern const struct vector_kind vector_yaml;

const struct vector_kind *const vector_kinds[] = {
    &vector_json,
    &vector_jsonpatch,
    &vector_template,
    &vector_yaml,
    NULL,
};
