/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - objects against a reference, as kube-compare compares them.
 *
 * A reference is a folder with a metadata file and templates. A comparison is made once and run
 * once:
 *
 *     struct compare *c;
 *     struct results results;
 *     if (!compare_load(a, &options, &c, e))      the reference, user config, overrides
 *         return false;
 *     if (!compare_run(c, &results, e))           the objects
 *         return false;
 *
 * What a run finds is struct results, which is all that src/report sees. Objects are compared on
 * several threads; every visible effect has the order of a sequential run. Error texts, log lines
 * and results are those of the original, to the byte.
 *
 * Both calls are made from one thread.
 */
#pragma once

#include "base/base.h"

struct value;
struct compare;

struct str_list {
    str *items;
    size_t len, cap;
};

/* Where log lines go, in order, from the thread of the caller. */
struct compare_log {
    /* severity is 'I', 'W' or 'E'; text may have several lines and ends without a newline. */
    void (*line)(void *ctx, char severity, str text);
    void *ctx;
    bool verbose; /* whether 'I' lines are wanted */
};

/* What is compared with what. Texts must live as long as the comparison. */
struct compare_options {
    str reference;         /* the metadata file */
    str config;            /* the user config, or empty */
    str overrides;         /* the file of overrides, or empty */
    struct str_list files; /* files, folders, patterns, "-" for standard input */
    str kustomize;         /* a folder for kustomize, or empty */
    bool recursive;
    bool all;                     /* objects without a template are results too */
    bool show_managed_fields;     /* keep metadata.managedFields */
    struct str_list override_for; /* templates for which overrides are generated */
    str override_reason;          /* written into them */
    str external_diff;            /* the command that shows differences; empty: in process */
    str temp;                     /* parent of temporary folders */
    int64_t concurrency;          /* accepted, and of no effect */
    unsigned threads;             /* 0: one per processor */
    struct compare_log log;
};

/*
 * Reads and checks the reference, its templates, the user config and the overrides. The comparison
 * lives as long as a; so must options.
 */
MUST_CHECK bool compare_load(struct arena *a, const struct compare_options *options,
                             struct compare **out, struct err *e);

/* ---- Results. ---- */

/* One object that was compared with the template that fits it best. */
struct result_diff {
    str object;      /* its id: apiVersion_kind_namespace_name */
    str template;    /* path of the template */
    str description; /* of the template; may be empty */
    str text;        /* what the diff program says; empty when it found nothing */
    bool differs;
    bool patched; /* overrides were selected for it */
    const str *reasons;
    size_t reason_count;
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
};

struct results {
    struct {
        struct result_diff *items;
        size_t len, cap;
    } diffs; /* in the order of the objects */
    struct {
        struct result_issue *items;
        size_t len, cap;
    } issues;                       /* ordered by part, then by component */
    struct str_list unmatched;      /* ids, in the order of the objects */
    struct str_list reference_only; /* paths of templates that were only referred to */
    size_t missing;                 /* templates that should have been matched */
    size_t differing, total, patched;
    str hash;              /* of the reference, in hexadecimal */
    str overrides;         /* the file of overrides as given, or empty */
    struct value *patches; /* overrides, those read and those generated; NULL: none */
};

/*
 * Compares all objects. out lives as long as the comparison. Fails when an input or an object
 * fails; results are then worth nothing.
 */
MUST_CHECK bool compare_run(struct compare *c, struct results *out, struct err *e);
