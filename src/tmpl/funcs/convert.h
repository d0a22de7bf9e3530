/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - converts values of a run to trees and back, for the functions that read and write
 * JSON, YAML and TOML.
 */
#pragma once

#include "text/text.h"
#include "tmpl/rt.h"

/*
 * Converts v to a tree, and returns the rule for its numbers. Unchanged data is not copied. Fails
 * like encoding/json: "json: unsupported value: +Inf".
 */
MUST_CHECK bool tv_to_tree(struct rt *rt, struct tv v, const struct value **out,
                           enum number_rule *numbers, struct err *e);

/*
 * The same for toml_write_tagged, as a copy: times, NaN and the infinities are strings with their
 * enum toml_kind as tag. Numbers follow NUMBERS_GO.
 */
MUST_CHECK bool tv_to_toml_tree(struct rt *rt, struct tv v, const struct value **out,
                                struct err *e);

/*
 * The same for yaml_write_pretty: times, NaN and the infinities are strings with the tag
 * YAML_PLAIN. numbers is the rule for the others.
 */
MUST_CHECK bool tv_to_pretty_tree(struct rt *rt, struct tv v, const struct value **out,
                                  enum number_rule *numbers, struct err *e);

/* Wraps a text as a source that lives as long as the run. */
const struct source *source_of(struct arena *a, str text);

/*
 * The error of json.Unmarshal for a value that does not fit a type: "json: cannot unmarshal array
 * into Go value of type map[string]interface {}".
 */
str cannot_unmarshal(struct arena *a, const struct value *v, const char *type);
