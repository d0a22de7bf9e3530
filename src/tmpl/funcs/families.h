/* SPDX-License-Identifier: Apache-2.0 */
/*
 * families.h - the tables of functions, and the few functions that other files call by name.
 *
 * ../README.md says how to add a function or a family.
 */
#pragma once

#include "tmpl/rt.h"

/* Profiles that most table lines name. */
#define ALL_PROFILES (TMPL_GO | TMPL_KC | TMPL_HELM)
#define SPRIG (TMPL_KC | TMPL_HELM)

extern const struct tmpl_func tmpl_builtin_funcs[];
extern const struct tmpl_func tmpl_cert_funcs[];
extern const struct tmpl_func tmpl_compare_funcs[];
extern const struct tmpl_func tmpl_crypto_funcs[];
extern const struct tmpl_func tmpl_date_funcs[];
extern const struct tmpl_func tmpl_decimal_funcs[];
extern const struct tmpl_func tmpl_default_funcs[];
extern const struct tmpl_func tmpl_dict_funcs[];
extern const struct tmpl_func tmpl_encoding_funcs[];
extern const struct tmpl_func tmpl_helm_funcs[];
extern const struct tmpl_func tmpl_json_funcs[];
extern const struct tmpl_func tmpl_list_funcs[];
extern const struct tmpl_func tmpl_lookup_funcs[];
extern const struct tmpl_func tmpl_math_funcs[];
extern const struct tmpl_func tmpl_merge_funcs[];
extern const struct tmpl_func tmpl_path_funcs[];
extern const struct tmpl_func tmpl_random_funcs[];
extern const struct tmpl_func tmpl_reflect_funcs[];
extern const struct tmpl_func tmpl_regex_funcs[];
extern const struct tmpl_func tmpl_string_funcs[];
extern const struct tmpl_func tmpl_url_funcs[];
extern const struct tmpl_func tmpl_version_funcs[];
extern const struct tmpl_func tmpl_word_funcs[];
extern const struct tmpl_func tmpl_yaml_funcs[];

/* Of the type sprig.certificate. */
extern const struct tv_field tmpl_cert_fields[];

/* call.c evaluates the arguments of these two itself. */
bool fn_and(struct tmpl_call *c);
bool fn_or(struct tmpl_call *c);

/* Results that carry the text of an error: {"Error": text} and [text]. */
bool return_error_map(struct tmpl_call *c, str text);
bool return_error_list(struct tmpl_call *c, str text);
