/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of compare share.
 *
 * The life of a comparison: reference.c reads the metadata file by the schema of its version
 * (reference_v1.c, reference_v2.c, schema.c); templates.c parses the templates and runs each with
 * empty data; user_config.c and overrides.c read what the user adds; correlate.c builds the chain
 * of correlators. Then run.c takes documents from input.c (sources.c finds files, stream.c splits
 * them), makes objects of them (object.c) and hands each to pair.c on a pool of threads; issues.c
 * and hash.c finish the results.
 */
#pragma once

#include "compare/compare.h"
#include "compare/root.h"
#include "compare/stream.h"
#include "tmpl/tmpl.h"
#include "value/path.h"
#include "value/source.h"

/* ---- Log lines of one unit of work, kept until their turn. ---- */

struct journal_line {
    char severity;
    str text;
};

struct journal {
    struct arena *arena;
    bool verbose;
    struct {
        struct journal_line *items;
        size_t len, cap;
    } lines;
};

/* Informative lines are dropped unless they are wanted. */
void journal_info(struct journal *j, const char *format, ...) FORMAT(2, 3);
void journal_warn(struct journal *j, const char *format, ...) FORMAT(2, 3);
void journal_error(struct journal *j, const char *format, ...) FORMAT(2, 3);
/* A line of any severity that is always wanted. */
void journal_server(struct journal *j, char severity, str text);
/* Writes the lines to the log and forgets them. */
void journal_flush(struct journal *j, const struct compare_log *log);
/* Moves the lines of from behind those of j. */
void journal_move(struct journal *j, struct journal *from);

/* ---- Objects. ---- */

/* The fields that correlation looks at; empty when absent or no string. */
struct identity {
    str api_version, kind, namespace, name;
};

struct identity identity_of(const struct value *object);
/* apiVersion_kind_namespace_name, without the namespace when it is empty. Lives as long as a. */
str identity_id(struct arena *a, const struct identity *identity);
str object_id(struct arena *a, const struct value *object);

struct source;

struct object {
    struct value *root;
    struct value *reduced;    /* without what its comparison omits; for lookups, or NULL */
    struct identity identity; /* before anything was omitted */
    str id;
    size_t index; /* among all objects, when they are kept */
    /* Improved comparisons only: */
    bool duplicate;              /* an earlier object has the same id */
    struct result_place place;   /* where it begins */
    const struct source *source; /* the text that positions below root count in */
};

struct index_list {
    size_t *items;
    size_t len, cap;
};

struct objects {
    struct object *items;
    size_t len, cap;
};

/* ---- Fields to omit. ---- */

struct omit_path {
    struct path path; /* keys only */
    bool prefix;      /* the last key stands for all keys that begin so */
    str list, text;   /* the list of fieldsToOmit that has it, and how it is written there */
    uint32_t pos;     /* of the entry in the metadata file, as in struct value */
};

struct omit_list {
    const struct omit_path **items;
    size_t len, cap;
};

#define OMIT_BUILT_IN "cluster-compare-built-in"

/* Removes what the list names, and the mappings that are empty then. */
void omit_fields(struct arena *a, struct value *object, const struct omit_list *list);
/* The same, and tells what each entry took away; removed is valid during the call only. */
typedef void omit_told(void *ctx, const struct omit_path *entry, const struct path *removed);
void omit_fields_telling(struct arena *a, struct value *object, const struct omit_list *list,
                         omit_told *told, void *ctx);

/* ---- The reference. ---- */

struct inline_function;

/* A field that is compared by a function of its own. */
struct per_field {
    str text;         /* the path as written */
    str function;     /* its name as written */
    struct path path; /* keys; decimal ones also select from lists */
    const struct inline_function *call;
    uint32_t pos; /* of the entry in the metadata file, as in struct value */
};

struct template
{
    str path, description;
    str part, component; /* their names */
    bool merge;          /* fields that the template does not name are ignored */
    bool required;       /* v1: not among the optional ones */
    bool looks_up;       /* it may ask for other objects */
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
/* The same of all templates together: each has the function files, and one may be listed often. */
#define TEMPLATES_BYTES_MAX (256 * MIB)

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
    bool helm;             /* its templates know Helm's functions too */
    struct value *written; /* what is hashed */
    str folder;
    struct source source; /* the metadata file, by its whole path */
};

struct schema;

/* A key of a component that holds templates. */
struct template_group {
    const char *key; /* NULL ends a table */
    bool required;
    const struct group_rule *rule; /* of a component that has it; NULL: its type says */
};

/* The lists of fieldsToOmit while they are read. */
struct omit_reading {
    struct arena *arena;
    const struct value *items; /* all lists */
    struct err *errors;        /* faults are joined here */
    size_t steps;              /* entries visited so far, in all lists */
};
/*
 * How many entries all lists may expand to together: lists that include each other twice would
 * otherwise double with every level.
 */
#define OMIT_ENTRIES_MAX 1000000

/*
 * A version of the metadata format: what it does in a way of its own. To add one: write
 * reference_v<n>.c and list it in reference.c. Everything else sees only struct reference.
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
    /* What of a component is hashed, beside its name. */
    void (*write_component)(struct arena *a, struct value *out, const struct value *component);
};
extern const struct reference_version reference_v1, reference_v2;

MUST_CHECK bool reference_load(struct arena *a, const struct root *root, str file,
                               struct journal *j, struct reference *out, struct err *e);
/* The path of a file of the reference as the user would write it. */
str reference_file(struct arena *a, const struct reference *r, str file);
/* The version that a metadata file says it has. */
MUST_CHECK bool reference_version_find(struct arena *a, const struct value *doc,
                                       const struct reference_version **out, struct err *e);
/* Decodes YAML strictly by a schema, with the words of Go's libraries. *out is NULL for null. */
MUST_CHECK bool strict_read(struct arena *a, str file, str text, const struct schema *schema,
                            struct value **out, struct err *e);

/* Adds the built-in list, in the form of the metadata file, to fieldsToOmit.items. */
struct value *omit_built_in(struct arena *a);
/* Reads one pathToKey. */
MUST_CHECK bool omit_path_read(struct arena *a, str text, bool prefix, struct omit_path **out,
                               struct err *e);
/*
 * What both versions do with fieldsToOmit first: makes it exist in doc, puts the built-in list in
 * and fills in the default. Answers the items.
 */
struct value *omit_prepare(struct arena *a, struct value *doc, struct journal *j);
/* Reads pathToKey and isPrefix of an entry and appends what they say. */
MUST_CHECK bool omit_entry_read(struct arena *a, str list, const struct value *entry,
                                struct omit_list *out, struct err *e);
/* A reference from a metadata file that was decoded by the schema of its version. */
MUST_CHECK bool reference_build(struct arena *a, const struct reference_version *version,
                                struct value *doc, struct journal *j, struct reference *out,
                                struct err *e);
/* Copies a member unless it is empty, for what is hashed. */
void reference_write_text(struct arena *a, struct value *out, const struct value *in,
                          const char *key);

/* Parses all templates, runs each with empty data and checks it. */
MUST_CHECK bool templates_parse(struct arena *a, const struct root *root, struct journal *j,
                                struct reference *r, struct err *e);

/* What templates may ask for while they run. */
struct render {
    struct journal *journal;
    bool exact;  /* numbers are never rounded */
    bool helm;   /* patches that are templates know Helm's functions */
    bool secret; /* what was rendered is not shown in errors */
    struct tmpl_hooks hooks;
    bool do_not_match;           /* the template excluded itself */
    size_t written;              /* bytes that it gave */
    struct trace *trace;         /* filled unless NULL */
    const struct value *changed; /* the data as the template left it, or NULL */
};

/*
 * Runs a template and reads what it gives as a mapping, which lives as long as a. Fails with the
 * original's words.
 */
MUST_CHECK bool template_render(struct arena *a, const struct template *t, const struct value *data,
                                struct render *r, struct value **out, struct err *e);

/* The last element of a path. */
str path_base(str path);
/* Whether the text of a template may call a function that changes maps. */
bool template_changes(str text);
/* What a template gave, without the marks of missing values. */
str template_output(struct arena *a, str text);

/* SHA-256 of the reference and its templates. */
str reference_hash(struct arena *a, const struct reference *r, struct journal *j);

/* ---- Validation. ---- */

/*
 * When a component is at fault. rule fills message and templates of the issue, whose count stays 0
 * when all is well, and answers how many templates are missing. matches has the number of matches
 * of each template of the component; the issue has room for all of them.
 */
struct group_rule {
    const char *name; /* the key of the metadata file; v1: the type */
    size_t (*check)(const struct template *templates, const size_t *matches, size_t count,
                    struct result_issue *issue);
};
extern const struct group_rule group_all_of, group_all_or_none_of, group_any_of, group_any_one_of,
    group_none_of, group_one_of, group_required, group_optional;

/* Fills issues and missing. matches has one number per path of a template. */
void issues_find(struct arena *a, const struct reference *r, const struct map *matches,
                 struct results *out);

/* ---- Correlation. ---- */

/*
 * What finds the templates or overrides for an object. find answers false when it knows none. A new
 * correlator is one file with a function that makes one.
 */
struct correlator {
    bool (*find)(const struct correlator *c, const struct object *o, const size_t **found,
                 size_t *count);
    /* What the answer of find rests on, for people; only when there is one. Lives as long as a. */
    str (*how)(const struct correlator *c, struct arena *a, const struct object *o);
};

/* Pairs of object ids and candidates. pairs maps an id to an index plus 1. */
struct correlator *correlate_exact(struct arena *a, const struct map *pairs);

/* One thing that can be found: the text of each field, empty when any will do. */
struct candidate {
    struct identity identity;
    str shown; /* in warnings */
};

enum field { FIELD_API_VERSION, FIELD_NAME, FIELD_NAMESPACE, FIELD_KIND, FIELD_COUNT };
#define FIELDS(...) ((const enum field[]){__VA_ARGS__, FIELD_COUNT})

/* Groups of fields, ended by NULL; each ends with FIELD_COUNT. */
typedef const enum field *const *field_groups;
extern const enum field *const template_groups[];
extern const enum field *const override_groups[];

/* The first group all of whose fields are fixed, and their values joined; false when none is. */
bool group_find(struct arena *a, field_groups groups, const struct identity *id, size_t *group,
                str *key);

/*
 * The groups are tried in order; the first that has candidates with the values of the object
 * answers. Overlaps among candidates are warnings.
 */
struct correlator *correlate_group(struct arena *a, field_groups groups,
                                   const struct candidate *candidates, size_t count,
                                   struct journal *j);
/* The first of several correlators that finds something. */
struct correlator *correlate_multi(struct arena *a, struct correlator *const *chain, size_t count);

/* ---- User config and overrides. ---- */

/* The pairs of a user config: object id to template path (a str). */
MUST_CHECK bool user_config_load(struct arena *a, str path, struct map **pairs, struct err *e);

extern const struct schema user_config_schema;
/* The pairs in a decoded user config; NULL when there are none. */
const struct value *user_config_pairs(const struct value *doc);

struct override {
    struct identity identity;
    str exact_match, reason, type, patch, template_path;
    uint32_t pos; /* in the file of overrides, as in struct value */
};

struct overrides {
    struct override *items;
    size_t len, cap;
    struct source source;
};

MUST_CHECK bool overrides_load(struct arena *a, str path, struct overrides *out, struct err *e);
extern const struct schema overrides_schema;
/* An override of a decoded file. */
struct override override_read(const struct value *v);
/* The correlator that selects overrides. */
struct correlator *overrides_correlator(struct arena *a, const struct overrides *o,
                                        struct journal *j);
/* Applies one to what a template gave; *object is replaced. */
MUST_CHECK bool override_apply(struct arena *a, const struct override *o, const struct value *live,
                               struct render *r, struct value **object, struct err *e);
/* An override as it is written to a file. */
struct value *override_write(struct arena *a, const struct override *o);

/* ---- Inline functions. ---- */

/* What named groups have matched in the fields of one object so far. */
struct captures {
    struct arena *arena;
    struct {
        struct capture {
            str name;
            struct str_list values; /* distinct, in the order of their appearance */
        } * items;
        size_t len, cap;
    } groups; /* ordered by name */
};

void captures_add(struct captures *c, str name, str value);
const struct capture *captures_get(const struct captures *c, str name);
/* What stands for a group in a result: its value, or the first of several with a mark. */
str capture_text(struct arena *a, const struct capture *c);
/* Appends a warning for each group that has several values. */
void captures_warn(const struct captures *c, struct buf *out);

/*
 * What matching one field may cost, as regex_limit counts: about a second. A field that would take
 * longer counts as one that does not match, with a warning, so that it is seen as different.
 */
#define INLINE_COST_MAX UINT64_C(200000000)

struct inline_function {
    const char *name;
    MUST_CHECK bool (*validate)(struct arena *a, str pattern, struct err *e);
    str (*compare)(struct arena *a, str pattern, str value, struct captures *c, struct journal *j);
};
extern const struct inline_function inline_regex, inline_capturegroups;
struct span;
/* The next (?<name>...) at or behind from; false when there is none, or it does not close. */
bool group_next(str text, size_t from, struct span *group, str *name);
/* Warns of a pattern that was given up: left is 0. */
void inline_warn_cost(struct arena *a, str pattern, uint64_t left, struct journal *j);
/* NULL when there is none of that name. */
const struct inline_function *inline_find(str name);

/* Runs all functions of a template; changes rendered. file is the name of 8.8 for messages. */
MUST_CHECK bool inline_run(struct arena *a, const struct template *t, struct value *rendered,
                           const struct value *live, struct journal *j, struct err *e);

/* What a path leads to. Fails, worded as the original, where the way is blocked. */
MUST_CHECK bool nested_get(struct arena *a, const struct value *root, const struct path *p,
                           const struct value **out, struct err *e);
/* As nested_get, and it must be a string; *found tells whether anything is there. */
MUST_CHECK bool nested_string(struct arena *a, const struct value *root, const struct path *p,
                              bool floats, str *out, bool *found, struct err *e);
/* Appends v as Go's %v does. floats: all numbers are float64. */
void go_print(struct buf *out, const struct value *v, bool floats);
/* As Go's %T: "map[string]interface {}". */
const char *go_type(const struct value *v, bool floats);
/* "object", "array", "string", "number", "bool", "null". */
const char *json_kind(const struct value *v);

/* ---- One object with one template. ---- */

/* What the diff program sees and says. */
struct diff_run {
    str slug; /* the file name */
    str merged, live;
    str text;   /* its output */
    int status; /* 0, 1; -1: it died of a signal */
};

struct diff_program {
    str command; /* empty: in process */
    str temp;
};

MUST_CHECK bool diff_run(struct arena *a, const struct diff_program *p, struct diff_run *d,
                         struct err *e);
/* A file name made of an id. */
str slug_make(struct arena *a, str text);

/* ---- How the expected side of an object came about. ---- */

enum stage_kind { STAGE_RENDERED, STAGE_MERGED, STAGE_OVERRIDDEN, STAGE_INLINED };

struct stage {
    enum stage_kind kind;
    const struct override *override; /* STAGE_OVERRIDDEN */
    const struct value *tree;        /* what was expected after it */
};

/*
 * One object with one template, step by step. Made anew for the template that was chosen, and only
 * when somebody asks: where nothing differs and nothing is to be explained it costs nothing.
 */
struct trace {
    struct arena *arena;
    const struct compare *compare;
    const struct object *object;
    const struct template *template;
    str text; /* what was rendered; the nodes of the first stage have their offsets in it */
    struct tmpl_provenance provenance; /* of text */
    struct {
        struct stage *items;
        size_t len, cap;
    } stages;
    const struct value *live; /* the object as it was compared, not masked */
    struct map *indexes;      /* of lists whose elements are looked up by identity; NULL: none */
};

/* Keeps a copy of the tree as the result of a step. t may be NULL. */
void trace_add(struct trace *t, enum stage_kind kind, const struct override *o,
               const struct value *tree);
/* What wrote the value at a path of the last stage, or what should hold it. */
struct result_place trace_place(const struct trace *t, const struct path *p);
/* The part of the rendered text that a node of the first stage begins in; NULL: not known. */
const struct tmpl_range *trace_range(const struct trace *t, const struct value *node);
struct result_place trace_range_place(const struct trace *t, const struct tmpl_range *range);
/* Where the value at a path of the object stands, or what should hold it. */
struct result_place trace_object_place(const struct trace *t, const struct path *p);
/* What is at a path of a stage or of the object, or NULL; as path_resolve, in less time. */
const struct value *trace_find(const struct trace *t, const struct path *p,
                               const struct value *root);
/* Where an object begins. */
struct result_place object_place(const struct object *o);
/* The place of an offset that a node has; only the file when the offset is 0. */
struct result_place source_place(const struct source *s, uint32_t pos);
/* A path as reports write it. Lives as long as a. */
str field_path(struct arena *a, const struct path *p);

/* The differences between two sides as data, in the arena of the trace. Both sides are masked. */
void fields_find(const struct trace *t, const struct value *expected, const struct value *actual,
                 struct result_fields *out);
/* A copy of them. */
void fields_copy(struct arena *a, const struct result_fields *from, struct result_fields *out);

/* ---- Explanations. ---- */

/* How a candidate fared. */
struct tried {
    const struct template *template;
    bool scored, excluded;
    size_t score;
    str fault; /* why it was excluded or failed */
};

struct tried_list {
    struct tried *items;
    size_t len, cap;
};

/* Whether the options ask for an explanation of the object. */
bool explain_wants(const struct compare_options *options, const struct object *o);
/* Fills object, place and candidates; chosen may be NULL. */
void explain_candidates(struct arena *a, const struct compare *c, const struct object *o,
                        const struct tried_list *tried, const struct template *chosen,
                        struct result_explanation *out);
/*
 * Adds the fields that rules kept out of the comparison. candidates are the templates that took
 * their omitted fields from the object: those that were tried up to the chosen one, which is last.
 */
void explain_suppressed(const struct trace *t, const struct tried_list *candidates,
                        struct result_explanation *out);
struct result_explanation explanation_copy(struct arena *a, const struct result_explanation *from);

/* Masks the data of secrets on both sides; they are replaced by copies where that changes them. */
MUST_CHECK bool secret_mask(struct arena *a, struct value **merged, struct value **live,
                            struct err *e);

/* ---- Counting fields. ---- */

/* How many fields a rule kept out. Neither: managed fields. */
struct tally_rule {
    const struct omit_path *entry;
    const struct template *merging;
    size_t count;
};

/* Of one object with one template, or of all of them. */
struct tally {
    struct arena *arena;
    const struct value *object; /* before anything was omitted */
    size_t compared, omitted;
    size_t merged; /* fields that a merge took from the object */
    struct {
        struct tally_rule *items;
        size_t len, cap;
    } rules;
};

/* Fields: scalars, and mappings and lists that are empty; 0 for NULL. */
size_t field_count(const struct value *v);
/* Fields that at least one of two sides has. */
size_t field_count_both(const struct value *x, const struct value *y);
/* An omit_told whose ctx is a struct tally. */
void tally_omitted(void *ctx, const struct omit_path *entry, const struct path *removed);
/* To be called before live loses its managed fields. */
void tally_managed(struct tally *t, const struct value *live);
/* To be called before live is merged into what was rendered. */
void tally_merged(struct tally *t, const struct template *by, const struct value *rendered,
                  const struct value *live);
void tally_compared(struct tally *t, const struct value *expected, const struct value *actual);
void tally_add(struct tally *all, const struct tally *one);
/* Fills the fields and rules of the verdict. */
void tally_finish(const struct tally *t, struct result_verdict *v);
/* "fieldsToOmit NAME: PATH" */
str omit_rule(struct arena *a, const struct omit_path *entry);

/* ---- The whole. ---- */

struct compare {
    struct arena *arena;
    const struct compare_options *options;
    struct journal journal;
    struct reference reference;
    struct overrides overrides;
    struct correlator *templates, *override_finder;
    struct diff_program diff;
    struct objects objects; /* when they are kept; see run.c */
    bool keeps_objects;
    bool in_turn; /* objects are compared one by one, because comparing may change others */
    struct result_verdict verdict; /* of what was read; improved comparisons only */
    struct map *by_kind; /* for lookups: kind to struct index_list; NULL: nobody looks up */
    str hash;            /* of the reference; empty: not known yet */
};

/*
 * Another comparison, not yet run, with what c has loaded, which it shares. Any number of them may
 * run at the same time.
 */
struct compare *compare_again(struct arena *a, const struct compare *c,
                              const struct compare_options *options);

/* ---- What objects refer to: owners.c. ---- */

struct owners;

/* What one object refers to, among the ids of templates. */
struct owner_facts {
    struct owner_fact {
        struct named *named;
        bool subject;
    } * items;
    size_t len, cap;
    struct journal owners, subjects; /* what was passed over */
};

struct owners *owners_new(struct arena *a, const struct reference *r);
/* May be called from any thread; the journals of out are set. */
void owners_note(struct arena *a, const struct owners *owners, const struct object *o,
                 struct owner_facts *out);
/* Counts what an object refers to, and no longer when it is gone or changes. */
void owners_take(const struct owner_fact *facts, size_t count);
void owners_drop(const struct owner_fact *facts, size_t count);
/* Templates that owner references or RBAC subjects name; in template order. */
void owners_find(const struct owners *o, struct journal *j, struct str_list *paths);

/* How one object fared. */
enum outcome_kind { OUTCOME_NONE, OUTCOME_SKIPPED, OUTCOME_FAILED, OUTCOME_COMPARED };

struct outcome {
    enum outcome_kind kind;
    const struct object *object;
    str error; /* OUTCOME_FAILED */
    str id;    /* after omission */
    const struct template *template;
    bool differs;
    str text;
    const size_t *overrides; /* the ones selected */
    size_t override_count;
    struct value *patch; /* the override that was generated, or NULL */
    struct owner_facts refers;
    struct tally tally;
    struct result_fields fields;
    struct result_explanation *explanation; /* NULL: nobody asked */
    struct journal journal;
};

/*
 * Compares an object; out lives as long as a. The tree of the object is changed unless objects are
 * kept. May be called from any thread.
 */
void compare_object(struct arena *a, const struct compare *c, const struct object *o,
                    struct outcome *out);
/* Whether some template or override may look other objects up. */
bool compare_looks_up(const struct compare *c);
/* Makes the objects of c known to lookups; lives as long as a. */
void compare_index(struct arena *a, struct compare *c);
/* Sets what lookups see of the object once it was compared. */
void compare_reduce(struct arena *a, const struct compare *c, struct object *o);

/* ---- Running: run.c. ---- */

/* What has been found so far. */
struct run {
    struct compare *compare;
    struct results *results;
    struct map *matches; /* path of a template to size_t */
    size_t failed;       /* objects */
    struct tally tally;
    struct err errors;
    struct journal later; /* lines that follow those about the input */
};

/* Reads all objects and compares them, in order. */
MUST_CHECK bool run_all(struct run *r, struct err *e);
/* Adds what one comparison found. */
void run_add(struct run *r, struct outcome *o);
/* Counts a template as matched. */
void run_count(struct run *r, str path);

/* ---- Input. ---- */

struct input_errors {
    struct str_list items;
};

/*
 * What reading one document gives: objects, warnings and faults. The original collects the texts of
 * faults and mostly gives up; an improved comparison makes each a note with its place, and a fault
 * ends its own document only.
 */
enum input_loss {
    LOSS_DOCUMENT, /* it cannot be read */
    LOSS_SKIPPED,  /* it is no object */
    LOSS_OBJECT,   /* one of several in a document */
    LOSS_MEMBER,   /* of an archive, which is not even a document */
};
struct input_fault {
    str text; /* for the original */
    struct result_note note;
    enum input_loss loss;
};
struct input {
    struct arena *arena;
    bool improved;
    size_t documents;
    size_t members_ignored; /* of archives */
    struct objects objects;
    struct journal journal;
    struct {
        struct input_fault *items;
        size_t len, cap;
    } faults;
};

/* Several errors in one text: "[a, b]", each only once. */
str errors_text(struct arena *a, const struct input_errors *errors);
/* A fault: text for the original; place and reason for the verdict. */
void input_fail(struct input *in, str text, struct result_place place, str reason);
/* Adds the object, or the items of a list, of one document. */
void object_add(struct input *in, struct document *doc);
/* What is wrong with metadata, in the words of Go's decoder. sorted: members count by name. */
MUST_CHECK bool object_meta_check(struct arena *a, struct value *doc, bool sorted, struct err *e);

struct feed;
/* Finds all sources; what is wrong with some goes to in. It lives as long as c; close it. */
MUST_CHECK bool feed_open(struct compare *c, struct input *in, struct feed **out, struct err *e);
void feed_close(struct feed *f);
/* The next document; false at the end. *stream is the number of its file. */
bool feed_next(struct feed *f, struct input *in, struct document *out, size_t *stream);
/* Passes over what is left of a file, unless that is done already. */
void feed_skip(struct feed *f, size_t stream);
/* Warns of errors that the original passes over; fails when there are others. */
MUST_CHECK bool feed_report(struct compare *c, const struct input_errors *errors, struct err *e);

/* The text behind a URL of -f: source_url.c. */
MUST_CHECK bool source_url_read(struct arena *a, str url, bool explain, str *out, struct err *e);

/*
 * Objects of the cluster of the options: source_live.c. They come one by one; those of one page are
 * in memory together.
 */
struct source_live;
/* To be closed also after a failure. */
MUST_CHECK bool source_live_open(struct compare *c, struct source_live **out, struct err *e);
void source_live_close(struct source_live *s); /* s may be NULL */
/*
 * Adds the next object to in; out is left without a document. False at the end. *stream is the
 * number of its type.
 */
bool source_live_next(struct source_live *s, struct input *in, struct document *out,
                      size_t *stream);

/* Finds the files of -f. Errors are collected as the original does; *stdin_ tells of "-". */
struct input_source {
    str path;
    bool stdin_, url;
};
struct input_sources {
    struct input_source *items;
    size_t len, cap;
};
MUST_CHECK bool sources_find(struct input *in, const struct compare_options *o,
                             struct input_sources *out, struct err *e);
/*
 * Logs the warning for an error that is passed over. False when the error is none of those.
 */
bool error_ignorable(str text, struct journal *j);

/* ---- The verdict. ---- */

/*
 * Notes that something was not compared, and warns. Beyond RESULT_NOTES_MAX notes there is neither;
 * the caller counts.
 */
void verdict_note(struct arena *a, struct result_verdict *v, struct journal *j,
                  const struct result_note *note);
