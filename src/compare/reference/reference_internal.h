/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_internal.h - a reference: parts, components and templates. For this folder only.
 *
 * reference.c finds out the version of the file, build.c builds the reference by the rules of v1.c
 * or v2.c, issues.c finds what is missing.
 */
#pragma once

#include "compare/input/object_internal.h"
#include "compare/reference/omit_internal.h"
#include "compare/reference/root_internal.h"
#include "tmpl/tmpl.h"
#include "value/source.h"

struct inline_function;
struct log_buffer;
struct schema;

/* A field with its own comparison function. */
struct per_field {
    str text;         /* the path as written */
    str function;     /* its name as written */
    struct path path; /* keys; numbers also select from lists */
    const struct inline_function *call;
    uint32_t pos; /* of the entry in the metadata file, as in struct value */
};

struct template
{
    str path, description;
    str part, component; /* their names */
    bool merge;          /* fields that the template does not name are ignored */
    bool required;       /* v1: not among the optional ones */
    bool looks_up;       /* it may look up other objects */
    bool changes;        /* it may change what it is given */
    struct str_list omit_refs;
    struct {
        struct per_field *items;
        size_t len, cap;
    } per_field; /* ordered by path */
    struct omit_list omit;
    struct tmpl_set *set;
    str name;               /* of the template in the set */
    struct str_list files;  /* all texts of the set, relative to the reference */
    uint32_t merge_pos;     /* of ignore-unspecified-fields in the metadata file */
    struct value *metadata; /* what it renders to with empty data */
    struct identity identity;
    size_t bytes; /* of its texts, and of what it renders to with empty data */
};
/*
 * The limit of bytes for all templates together: each has the function files, and one may be listed
 * often. Loading takes at most about twice that.
 */
#define TEMPLATES_BYTES_MAX (128 * MIB)

struct component {
    str name;
    const struct group_rule *rule;
    size_t first, count; /* its templates in the reference */
};

struct part {
    str name;
    struct {
        struct component *items;
        size_t len, cap;
    } components;
};

struct reference {
    str version; /* of its format: "v1", "v2" */
    struct {
        struct part *items;
        size_t len, cap;
    } parts;
    struct {
        struct template *items;
        size_t len, cap;
    } templates; /* in the order of the file: part by part, component by component */
    struct str_list function_files;
    struct map *omit_lists; /* name to struct omit_list */
    str omit_default;
    bool helm;             /* its templates can use Helm's functions, too */
    bool single;           /* what follows the document of its metadata file is an error */
    struct value *written; /* what is hashed */
    str folder;
    struct source source; /* the metadata file, with its full path */
};

/* A key of a component that holds templates. */
struct template_group {
    const char *key; /* NULL ends a table */
    bool required;
    const struct group_rule *rule; /* of a component that has it; NULL: given by its type */
};

/*
 * A version of the metadata format: what is specific to it. To add one: write reference_v<n>.c and
 * list it in reference.c. Everything else sees only struct reference.
 */
struct reference_version {
    const char *name; /* as in apiVersion */
    const struct schema *schema;
    const struct template_group *groups; /* in the order of templates */
    bool default_must_exist;             /* the list that defaultOmitRef names */
    void (*read_list)(struct omit_reading *x, const struct value *list, struct omit_list *out);
    const struct group_rule *(*rule)(const struct value *component);
    /* index is that of the component in its part. May be NULL. */
    bool (*check)(struct arena *a, const struct value *component, size_t index, struct err *e);
    /* Writes what is hashed of a component besides its name. */
    void (*write_component)(struct arena *a, struct value *out, const struct value *component);
};
extern const struct reference_version reference_v1, reference_v2;

MUST_CHECK bool reference_load(struct arena *a, const struct root *root, str file,
                               struct log_buffer *log, struct reference *out, struct err *e);
/* The path of a file of the reference, as the user would write it. */
str reference_file(struct arena *a, const struct reference *r, str file);
/* The version that a metadata file declares. */
MUST_CHECK bool reference_version_find(struct arena *a, const struct value *doc,
                                       const struct reference_version **out, struct err *e);

/* Builds a reference from a metadata file that was decoded by the schema of its version. */
MUST_CHECK bool reference_build(struct arena *a, const struct reference_version *version,
                                struct value *doc, struct log_buffer *log, struct reference *out,
                                struct err *e);
/* Copies a member unless it is empty, for what is hashed. */
void reference_write_text(struct arena *a, struct value *out, const struct value *in,
                          const char *key);

/* The SHA-256 of the reference and its templates. False if the reference could not be written. */
bool reference_hash(struct arena *a, const struct reference *r, str *out);

/* ---- Validation. ---- */

/*
 * Decides whether a component has an issue. check fills in message and templates of the issue,
 * whose count stays 0 if all is well, and returns how many templates are missing. matches has the
 * number of matches of each template of the component; the issue has room for all of them.
 */
struct group_rule {
    const char *name; /* the key in the metadata file; v1: the type */
    size_t (*check)(const struct template *templates, const size_t *matches, size_t count,
                    struct result_issue *issue);
};
extern const struct group_rule group_all_of, group_all_or_none_of, group_any_of, group_any_one_of,
    group_none_of, group_one_of, group_required, group_optional;

/* Fills in issues and missing. matches has one number per template path. */
void issues_find(struct arena *a, const struct reference *r, const struct map *matches,
                 struct results *out);
