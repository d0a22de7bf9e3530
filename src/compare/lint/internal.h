/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of lint share.
 *
 * lint.c reads the metadata file and runs the checks: schema.c (keys and types of a file),
 * metadata.c (parts and components), omit.c (lists of omitted fields), templates.c (each template
 * on its own; unclosed.c: unclosed actions), matching.c (templates against each other) and user.c
 * (overrides and user config). A check is a function that adds findings. To add a rule: one line in
 * rules.c and one in docs/commands/reference.md.
 */
#pragma once

#include "compare/lint/lint.h"
#include "compare/input/object_internal.h"
#include "compare/reference/reference_internal.h"
#include "go/decode.h"
#include "text/yaml/yaml.h"
#include "value/source.h"

struct lint {
    struct arena *arena;
    const struct lint_options *options;
    struct lint_report *report;
    struct root root;
    str name; /* of the metadata file in root */
    str file; /* its path as shown */
    struct source *source;
    struct value *doc; /* the metadata file, decoded leniently, with positions */
    const struct reference_version *version;
    struct reference reference;
    struct template_note *notes; /* one per template */
    size_t bytes;                /* as TEMPLATES_BYTES_MAX counts them */
    struct map *defined;         /* names of templates in function files to a str, the file */
    str parsing;                 /* the file whose functions are noted; empty: none */
    struct map *borrowed;        /* "file function" of those that were noted */
};

/* What lint knows about a template in addition to what comparisons know. */
struct template_note {
    const struct value *entry; /* in the metadata file */
    bool parsed;               /* it and the function files were found */
    bool rendered;             /* metadata and identity are known */
    bool plain;                /* it has no actions, so it always renders the same */
    bool unreachable;
    str text;                  /* what it renders to with empty data, not parsed */
    struct str_list functions; /* the function files */
};

/* Adds a finding; text is cut to one line. */
void lint_add(struct lint *l, const struct lint_rule *rule, struct where at, const char *format,
              ...) FORMAT(4, 5);
/* The place of a value of the metadata file; for NULL, the file itself. */
struct where lint_where(const struct lint *l, const struct value *v);
/*
 * Adds the missing quotes to a path whose last key has dots, such as
 * metadata.annotations.example.com/x; empty if it is not such a path. *holder is the mapping:
 * annotations. Lives as long as a.
 */
str lint_quoted_path(struct arena *a, const struct path *path, str *holder);
/* The place of the key of a member. */
struct where lint_key_where(const struct source *s, const struct value *member);
/* The text of a YAML error, without its line numbers, which differ from those of places. */
str lint_yaml_text(str text);
/* What begins behind the document of a file or of a rendered template. */
const char *lint_rest_text(enum yaml_rest rest);
/* The path of a file of the reference as shown: folder and name. */
str lint_path(const struct lint *l, str name);

/* How a file is checked against its schema. */
struct lint_shape {
    const struct source *source;
    const struct schema *schema;
    bool loose; /* unknown keys are silently accepted, everywhere */
};
/* Finds unknown keys, and values of the wrong type: false if there are any of the latter. */
bool lint_schema(struct lint *l, const struct lint_shape *shape, const struct value *doc);
/*
 * Reads a YAML file, with findings for duplicate keys and syntax errors. *out is NULL if there is
 * nothing to go on with. Fails if the file cannot be read.
 */
MUST_CHECK bool lint_read(struct lint *l, str path, str shown, struct source **source,
                          struct value **out, struct err *e);
/* The same for a text. */
void lint_parse(struct lint *l, str text, str shown, struct source **source, struct value **out);

void lint_metadata(struct lint *l);
void lint_omit(struct lint *l);
void lint_templates(struct lint *l);
void lint_matching(struct lint *l);
MUST_CHECK bool lint_overrides(struct lint *l, struct err *e);
MUST_CHECK bool lint_config(struct lint *l, struct err *e);

/*
 * Whether a template leaves something unclosed: *word is how it starts, "{{" for an action, and
 * *line where. Of several blocks, the innermost. For templates that cannot be parsed.
 */
bool lint_unclosed(struct arena *a, str text, str *word, uint32_t *line);

/* Whether an object could have both identities: empty fields match everything. */
bool lint_fits(const struct identity *x, const struct identity *y);

extern const struct lint_rule lint_bad_path, lint_circular_include, lint_component_groups,
    lint_component_type, lint_config_mismatch, lint_config_unknown_template, lint_duplicate_key,
    lint_empty, lint_function_file, lint_ignored_key, lint_missing_file, lint_missing_kind,
    lint_not_text, lint_not_yaml, lint_omit_built_in, lint_override_idle, lint_override_invalid,
    lint_override_shadowed, lint_override_unmatched, lint_overlap, lint_partial_name,
    lint_per_field, lint_portability, lint_repeated_key, lint_repeated_name, lint_repeated_template,
    lint_replaced, lint_several_documents, lint_syntax, lint_template_run, lint_template_syntax,
    lint_too_large, lint_unclosed_action, lint_unknown_key, lint_unknown_omit_list,
    lint_unknown_version, lint_unlisted, lint_unreachable, lint_unquoted_key, lint_unused_omit_list,
    lint_wrong_type;
