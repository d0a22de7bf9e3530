/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - compares objects with a reference, like kube-compare.
 *
 * A reference is a folder with a metadata file and templates. A comparison is loaded once and never
 * changes again; it can be run any number of times, even concurrently:
 *
 *     const struct compare *c;
 *     struct results results;
 *     if (!compare_load(a, &options, &c, e))              the reference, user config, overrides
 *         return false;
 *     if (!compare_run(a, c, &options, &results, e))      the objects
 *         return false;
 *
 * A run returns struct results, which is all that src/report sees. Objects are compared on several
 * threads, but everything visible has the order of a sequential run. Error texts, log lines and
 * results are byte for byte those of the original.
 *
 * Each call is made from one thread.
 */
#pragma once

#include "base/base.h"
#include "base/vec.h"
#include "compare/dialect.h"

struct value;
struct compare;
struct kube_flags;
struct tmpl_coverage;

/* Receives log lines, in order, on the caller's thread. */
struct compare_log {
    /*
     * severity is 'I', 'W', 'E', or 'S' for a server's warnings; text may have several lines and
     * has no final newline.
     */
    void (*line)(void *ctx, char severity, str text);
    void *ctx;
    bool verbose; /* whether 'I' lines are wanted */
};

/* Receives progress, on the caller's thread. */
struct compare_progress {
    /* done objects have been compared; total is 0 while unknown. */
    void (*step)(void *ctx, size_t done, size_t total); /* or NULL */
    void *ctx;
};

/* What is compared with what. Texts must live as long as the comparison. */
struct compare_options {
    str reference;         /* the metadata file, or its URL; natively: or its folder */
    str config;            /* the user config, or empty */
    str overrides;         /* the file of overrides, or empty */
    struct str_list files; /* files, folders, patterns, URLs, "-" for standard input */
    str kustomize;         /* a folder for kustomize, or empty */
    /* Without files: the cluster to read objects from; see kube/config/config.h. */
    const struct kube_flags *cluster;
    bool recursive;
    bool outside_links;            /* follow links; dialect_original always does */
    bool all;                      /* list all objects without a template */
    bool show_managed_fields;      /* keep metadata.managedFields */
    struct str_list override_for;  /* templates for which overrides are generated */
    str override_reason;           /* written into them */
    str external_diff;             /* the command that shows differences; empty: in process */
    str temp;                      /* parent of temporary folders */
    int64_t concurrency;           /* accepted, but has no effect */
    unsigned threads;              /* 0: one per processor */
    const struct dialect *dialect; /* plumb's own behaviour, or the original's */
    bool one_of_many; /* a site of a fleet: no hash, and no advice about the command line */
    bool explain;     /* results have explanations */
    struct tmpl_coverage *coverage; /* of templates; filled unless NULL. threads must be 1 */
    str explain_object; /* only for the object with this id or kind/name; empty: for all */
    struct compare_log log;
    struct compare_progress progress;
};

/* Whether the reference is not in a local folder. */
bool compare_is_remote(const struct compare_options *options);

/*
 * Reads and checks the reference, its templates, the user config and the overrides. The comparison
 * lives as long as a and options.
 */
MUST_CHECK bool compare_load(struct arena *a, const struct compare_options *options,
                             const struct compare **out, struct err *e);

/*
 * The hash of the reference, in hexadecimal, as in struct results. It is computed on each call,
 * from all templates. False: part of the reference is not in it.
 */
bool compare_hash(struct arena *a, const struct compare *c, str *out);

/* The kinds that a comparison reads from a cluster, each once, in the order of the templates. */
struct compare_kind {
    str group, kind;
};
struct compare_kinds {
    struct compare_kind *items;
    size_t len, cap;
};
void compare_kinds(struct arena *a, const struct compare *c, struct compare_kinds *out);

/* ---- Results. ---- */

/* A place in a file. line is 0 if unknown; then file may be empty, too. */
struct result_place {
    str file; /* of an archive: the archive, "!", the member */
    uint32_t line;
};
/* "file:line", "file", or empty. Lives as long as a. */
str place_text(struct arena *a, struct result_place place);

enum result_kind {
    RESULT_CHANGED, /* both sides have it, with different values */
    RESULT_MISSING, /* the template has it, but the object does not */
    RESULT_EXTRA,   /* the object has it, but the template does not */
};

/* One difference, as data. */
struct result_field {
    str path; /* as path_print_dotted writes it */
    enum result_kind kind;
    const struct value *expected, *actual; /* NULL: absent */
    struct result_place template;          /* the origin of the expected value */
    struct result_place object;            /* the value, or its missing parent */
};
/*
 * Lists with the same elements in a different order are CHANGED, too. Values of Secrets are masked
 * as in the text of the difference.
 */
struct result_fields {
    struct result_field *items;
    size_t len, cap;
    bool cut; /* the list is incomplete: see TRACE_MEMORY_MAX */
};
/* How much memory the fields of one object may take, and also its explanation. */
#define TRACE_MEMORY_MAX (64 * MIB)

/* One object, compared with the template that fits it best. */
struct result_diff {
    str object;          /* its id: apiVersion_kind_namespace_name */
    str template;        /* path of the template */
    str description;     /* of the template; may be empty */
    str part, component; /* of the template; may be empty in a report that was read */
    str text;            /* the output of the diff program; empty if there is no difference */
    bool differs;
    bool patched;  /* overrides were selected for it */
    str overrides; /* their file in a report that was read; empty: that of the results */
    const str *reasons;
    size_t reason_count;
    struct result_place place;   /* of the object */
    struct result_fields fields; /* in the order of their paths in the template */
    bool fields_known;           /* see dialect.fields */
};

/* A template that an issue names. */
struct result_template {
    str path;
    str description; /* may be empty */
};

/* What is wrong with a component as a whole. */
struct result_issue {
    str part, component;
    str message;
    struct result_template *templates;
    size_t count;
    bool lacks; /* something is missing; else there is too much. Set only by comparisons */
};

/* A document that was not compared, or only in part. */
struct result_note {
    struct result_place place;
    str reason;
    bool failed; /* it could not be read; else it was skipped on purpose */
};

/* How often a rule excluded a field from the comparison. */
struct result_rule {
    str rule; /* "fieldsToOmit NAME: PATH", "template FILE: ignore-unspecified-fields", ... */
    size_t count;
};

/*
 * How complete the comparison was: what was read, how much of it was compared, and what was not. A
 * comparison is complete if no document or object failed, and at least one object has a template.
 */
struct result_verdict {
    bool known; /* see dialect.verdict; otherwise only complete is set */
    bool complete;
    size_t documents, skipped, failed;     /* read in total; skipped; unreadable */
    size_t matched, unmatched, duplicates; /* objects */
    size_t failed_objects;                 /* a template could not be rendered or applied */
    size_t members_ignored;                /* of archives: links, devices, paths to outside */
    size_t fields_compared, fields_omitted;
    struct {
        struct result_rule *items;
        size_t len, cap;
    } rules; /* most frequent first */
    struct {
        struct result_note *items;
        size_t len, cap;
    } notes; /* why nothing was compared, then in the order of the input; at most RESULT_NOTES_MAX
              */
};
#define RESULT_NOTES_MAX 1000
/* How many objects without a template are listed unless all are requested. */
#define RESULT_UNMATCHED_SHOWN 20

enum verdict_state {
    VERDICT_COMPLETE,   /* all objects that have a template were compared */
    VERDICT_INCOMPLETE, /* a document or object failed, or nothing was compared */
};
#define VERDICT_STATES 2
enum verdict_state verdict_state(const struct result_verdict *v);
/* "complete" or "incomplete". */
const char *verdict_state_name(enum verdict_state state);

/* Why a template was or was not chosen for an object. */
struct result_candidate {
    str template;
    size_t score; /* characters that differ; lower is better */
    bool scored;  /* false: it was not rendered, or it failed or excluded itself */
    bool chosen;
    str why; /* one line */
};

/* A field that was not compared. */
struct result_suppressed {
    str path;
    str rule;                       /* as in struct result_rule */
    struct result_place rule_place; /* where the rule is written */
};

struct result_explanation {
    str object;
    struct result_place place;
    struct {
        struct result_candidate *items;
        size_t len, cap;
    } candidates;
    struct {
        struct result_suppressed *items;
        size_t len, cap;
    } suppressed;
    bool cut; /* the list is incomplete: see TRACE_MEMORY_MAX */
};

/* What has become of a finding of an earlier report or this one. */
enum result_drift_state {
    DRIFT_NEW,       /* only in this one */
    DRIFT_WORSE,     /* in both, but worse in this one */
    DRIFT_REMAINING, /* in both */
    DRIFT_FIXED,     /* only in the earlier one */
};
#define DRIFT_STATES 4

struct result_drift {
    enum result_drift_state state;
    str object;           /* the id of an object that differs; empty if something is missing */
    str template;         /* of the object; or what is missing */
    str issue;            /* what is missing: "part, component: message" */
    bool gone;            /* DRIFT_FIXED: the object is no longer among those compared */
    struct str_list more; /* DRIFT_WORSE: paths or lines that are not in the earlier report */
    /* Paths or lines with masked values of Secrets: it is unknown whether they have changed. */
    struct str_list masked;
};

/* Filled by report/baseline.h, not by a comparison. */
struct result_baseline {
    str file; /* the earlier report; or empty */
    str hash; /* of its reference; or empty */
    struct {
        struct result_drift *items;
        size_t len, cap;
    } drifts; /* by state, then objects in order, then what is missing */
    size_t counts[DRIFT_STATES];
};

/* What was compared with what, for people. Not with dialect_original. */
struct result_subject {
    str reference; /* its folder, file or address, without passwords */
    str version;   /* of the format: "v1", "v2" */
    str input;     /* "must-gather.tar.gz", "a.yaml, b.yaml and 3 more", "context prod" */
};

struct results {
    struct result_subject subject;
    struct {
        struct result_diff *items;
        size_t len, cap;
    } diffs; /* in the order of the objects */
    struct {
        struct result_issue *items;
        size_t len, cap;
    } issues;                       /* ordered by part, then by component */
    struct str_list unmatched;      /* ids, in the order of the objects; see unmatched_all */
    struct str_list reference_only; /* paths of templates that were only referred to */
    bool unmatched_all;             /* all are listed; else the first RESULT_UNMATCHED_SHOWN */
    size_t missing;                 /* templates that should have been matched */
    size_t differing, total, patched;
    str hash;              /* of the reference, in hexadecimal */
    str overrides;         /* the file of overrides as given, or empty */
    struct value *patches; /* overrides, read and generated; NULL: none */
    struct result_verdict verdict;
    struct {
        struct result_explanation *items;
        size_t len, cap;
    } explanations; /* in the order of the objects */
    struct result_baseline baseline;
};

/*
 * Compares all objects. options are those of compare_load; only the inputs and the settings of a
 * run (log, progress, threads) may differ. out lives as long as a, c and options. Fails if an input
 * or an object fails; the results must not be used then.
 */
MUST_CHECK bool compare_run(struct arena *a, const struct compare *c,
                            const struct compare_options *options, struct results *out,
                            struct err *e);
