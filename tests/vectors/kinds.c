/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - the table of vector kinds; see vectors.h. To add one: declare it and list it, sorted.
 */
#include "vectors.h"

extern const struct vector_kind vector_arm_delete;
extern const struct vector_kind vector_arm_drift;
extern const struct vector_kind vector_arm_errors;
extern const struct vector_kind vector_arm_lro;
extern const struct vector_kind vector_arm_model;
extern const struct vector_kind vector_arm_mutate;
extern const struct vector_kind vector_arm_needs;
extern const struct vector_kind vector_arm_put;
extern const struct vector_kind vector_arm_sim;
extern const struct vector_kind vector_chardiff;
extern const struct vector_kind vector_diff;
extern const struct vector_kind vector_json;
extern const struct vector_kind vector_jsonpatch;
extern const struct vector_kind vector_options;
extern const struct vector_kind vector_regex;
extern const struct vector_kind vector_template;
extern const struct vector_kind vector_toml;
extern const struct vector_kind vector_xml;
extern const struct vector_kind vector_yaml;

const struct vector_kind *const vector_kinds[] = {
    &vector_arm_delete, &vector_arm_drift, &vector_arm_errors, &vector_arm_lro, &vector_arm_model,
    &vector_arm_mutate, &vector_arm_needs, &vector_arm_put,    &vector_arm_sim, &vector_chardiff,
    &vector_diff,       &vector_json,      &vector_jsonpatch,  &vector_options, &vector_regex,
    &vector_template,   &vector_toml,      &vector_xml,        &vector_yaml,    NULL,
};
