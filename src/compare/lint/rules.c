/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - the kinds of problems, and what to do about each. */
#include "compare/lint/internal.h"

const struct lint_rule lint_bad_path = {
    "bad-path", LINT_ERROR,
    "write keys with dots between them; put a key that has dots in double quotes"};
const struct lint_rule lint_circular_include = {
    "circular-include", LINT_ERROR, "remove one of the includes; a list may not include itself"};
const struct lint_rule lint_component_groups = {
    "component-groups", LINT_ERROR,
    "give each component exactly one group with templates; split it when it needs several"};
const struct lint_rule lint_component_type = {
    "component-type", LINT_WARNING,
    "write Required or Optional; with any other type nothing is ever reported as missing"};
const struct lint_rule lint_config_mismatch = {
    "config-mismatch", LINT_WARNING,
    "remove the pair, or correct the id (apiVersion_kind_namespace_name) or the template"};
const struct lint_rule lint_config_unknown_template = {
    "config-unknown-template", LINT_ERROR,
    "name a template as the metadata file does, or remove the pair"};
const struct lint_rule lint_duplicate_key = {"duplicate-key", LINT_ERROR,
                                             "remove one of the two; the file is refused as it is"};
const struct lint_rule lint_empty = {"empty", LINT_ERROR,
                                     "list templates in parts, components and their groups"};
const struct lint_rule lint_function_file = {
    "function-file", LINT_ERROR,
    "correct templateFunctionFiles, or the file; no template can be used before"};
const struct lint_rule lint_ignored_key = {
    "ignored-key", LINT_WARNING,
    "correct the spelling, or remove the key; comparisons ignore it without a word"};
const struct lint_rule lint_missing_file = {
    "missing-file", LINT_ERROR,
    "correct the path (relative to the metadata file, without . and ..), or add the file"};
const struct lint_rule lint_missing_kind = {
    "missing-kind", LINT_ERROR, "give the template a fixed kind; objects are matched by it"};
const struct lint_rule lint_not_text = {
    "not-text", LINT_WARNING,
    "put the value in quotes; unquoted words such as n, y, on and off are booleans in YAML"};
const struct lint_rule lint_not_yaml = {
    "not-yaml", LINT_ERROR,
    "correct the template until it renders to one YAML mapping, also when all fields are missing"};
const struct lint_rule lint_omit_built_in = {
    "omit-built-in", LINT_WARNING, "give the list another name; the built-in one takes its place"};
const struct lint_rule lint_override_idle = {
    "override-idle", LINT_WARNING, "remove the override; the template says the same without it"};
const struct lint_rule lint_override_invalid = {
    "override-invalid", LINT_ERROR,
    "correct the override, or write it anew with --generate-override-for"};
const struct lint_rule lint_override_shadowed = {
    "override-shadowed", LINT_WARNING,
    "remove it, or join the two; of several with one exactMatch only the last is used"};
const struct lint_rule lint_override_unmatched = {
    "override-unmatched", LINT_WARNING,
    "remove the override, or correct what it is for; nothing in the reference can select it"};
const struct lint_rule lint_overlap = {
    "overlap", LINT_WARNING,
    "fix more of apiVersion, kind, namespace and name, or pair objects by hand (-c)"};
const struct lint_rule lint_partial_name = {
    "partial-name", LINT_WARNING,
    "template the whole value, so that it counts as variable, or none of it"};
const struct lint_rule lint_per_field = {"per-field", LINT_ERROR,
                                         "correct path or function, or the field of the template"};
const struct lint_rule lint_portability = {
    "portability", LINT_WARNING,
    "use template and the functions of 'plumb help functions' with the profile kc, or compare with "
    "plumb only"};
const struct lint_rule lint_repeated_key = {"repeated-key", LINT_WARNING,
                                            "remove one of the two; only the last one counts"};
const struct lint_rule lint_repeated_name = {
    "repeated-name", LINT_WARNING, "rename one; results of the first are hidden by the second"};
const struct lint_rule lint_repeated_template = {
    "repeated-template", LINT_ERROR,
    "list it once; the second is never selected, and both count as matched together"};
const struct lint_rule lint_replaced = {
    "replaced", LINT_WARNING,
    "rename one of the two; the one in the function file that comes last takes its place"};
const struct lint_rule lint_several_documents = {
    "several-documents", LINT_ERROR,
    "split it, or indent it alike; only the first document "
    "counts"};
const struct lint_rule lint_syntax = {"syntax", LINT_ERROR,
                                      "correct the YAML; nothing else can be checked before"};
const struct lint_rule lint_template_run = {
    "template-run", LINT_ERROR,
    "correct the template; it must stand an empty object: guard fields with if, with or default"};
const struct lint_rule lint_template_syntax = {"template-syntax", LINT_ERROR,
                                               "correct the template"};
const struct lint_rule lint_too_large = {"too-large", LINT_ERROR,
                                         "make it smaller; comparisons reject more as well"};
const struct lint_rule lint_unclosed_action = {
    "unclosed", LINT_ERROR,
    "end the action with }}, and what if, range, with, define or block begin with {{end}}"};
const struct lint_rule lint_unknown_key = {"unknown-key", LINT_ERROR,
                                           "correct the spelling, or remove the key"};
const struct lint_rule lint_unknown_omit_list = {
    "unknown-omit-list", LINT_ERROR, "name a list of fieldsToOmit.items, or add it there"};
const struct lint_rule lint_unknown_version = {"unknown-version", LINT_ERROR,
                                               "write apiVersion: v1 or apiVersion: v2"};
const struct lint_rule lint_unlisted = {
    "unlisted", LINT_WARNING,
    "list it in a component of the metadata file, or move it out of the reference"};
const struct lint_rule lint_unreachable = {
    "unreachable", LINT_WARNING, "remove it, or make it differ from the one that comes first"};
const struct lint_rule lint_unquoted_key = {"unquoted-key", LINT_WARNING,
                                            "put the key that has dots in double quotes"};
const struct lint_rule lint_unused_omit_list = {
    "unused-omit-list", LINT_WARNING,
    "name it in fieldsToOmitRefs, include it, make it the default, or remove it"};
const struct lint_rule lint_wrong_type = {"wrong-type", LINT_ERROR,
                                          "write a value of the type that is wanted"};

const struct lint_rule *const lint_rules[] = {
    &lint_bad_path,
    &lint_circular_include,
    &lint_component_groups,
    &lint_component_type,
    &lint_config_mismatch,
    &lint_config_unknown_template,
    &lint_duplicate_key,
    &lint_empty,
    &lint_function_file,
    &lint_ignored_key,
    &lint_missing_file,
    &lint_missing_kind,
    &lint_not_text,
    &lint_not_yaml,
    &lint_omit_built_in,
    &lint_overlap,
    &lint_override_idle,
    &lint_override_invalid,
    &lint_override_shadowed,
    &lint_override_unmatched,
    &lint_partial_name,
    &lint_per_field,
    &lint_portability,
    &lint_repeated_key,
    &lint_repeated_name,
    &lint_repeated_template,
    &lint_replaced,
    &lint_several_documents,
    &lint_syntax,
    &lint_template_run,
    &lint_template_syntax,
    &lint_too_large,
    &lint_unclosed_action,
    &lint_unknown_key,
    &lint_unknown_omit_list,
    &lint_unknown_version,
    &lint_unlisted,
    &lint_unreachable,
    &lint_unquoted_key,
    &lint_unused_omit_list,
    &lint_wrong_type,
    NULL,
};
