/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet.h - compares many sites with one reference, and finds what they have in common.
 *
 *     const struct fleet_options o = {.compare = &options, .sites = values};
 *     struct fleet fleet = {0};
 *     if (!fleet_sites_find(a, &o, &fleet, &warn, e) || !compare_load(a, &options, &c, e) ||
 *         !fleet_run(a, c, &o, &fleet, e))
 *         return false;
 *
 * A site is an archive, a folder or a context of the kubeconfig. The reference is loaded once; a
 * few sites are compared at a time, each with its own memory, which is freed before the next one.
 * Only counts and references to findings are kept for each site; a finding is kept once, however
 * many sites have it. A site that cannot be compared gets an error and does not stop the others.
 *
 * Two findings are the same if the object, the template and the difference are the same: the same
 * fields with the same expected and actual values, after masking Secrets. Context lines and line
 * numbers do not count, since they may vary between sites. Findings that differ only in the object
 * are separate, but next to each other: objects are often named after nodes or sites.
 *
 * Called from one thread. What src/report sees of a fleet is struct fleet.
 */
#pragma once

#include "compare/compare.h"

#define FLEET_SITES_MAX 100000
/* The memory for texts and fields of one site; further findings are kept without them. */
#define FLEET_SITE_TEXT_MAX (16 * MIB)
/* The same for all findings together. */
#define FLEET_TEXT_MAX (512 * MIB)
/* The number of notes that are kept for a site. */
#define FLEET_NOTES_MAX 10
/* The most sites that are compared at the same time. */
#define FLEET_THREADS_MAX 64

enum fleet_kind {
    FLEET_DIFFERS,   /* an object differs from its template */
    FLEET_MISSING,   /* a component lacks a template, or has one too many */
    FLEET_UNMATCHED, /* an object without a template; only if all objects are wanted; not drift */
};
#define FLEET_KINDS 3

struct fleet_indexes {
    uint32_t *items;
    size_t len, cap;
};

/* Something that one or more sites have. */
struct fleet_finding {
    enum fleet_kind kind;
    str digest;          /* identifies the finding, in hexadecimal */
    str shape;           /* the same without the object: other objects may differ in the same way */
    str object;          /* its id; empty if something is missing */
    str template;        /* path; empty if the object is unmatched */
    str description;     /* of the template; may be empty */
    str part, component; /* of the template */
    str message;         /* what is wrong with the component */
    /* The difference at the first site, without file names. */
    str text;
    struct result_fields fields; /* without places in objects */
    bool cut;                    /* texts were dropped: see FLEET_*_TEXT_MAX */
    struct fleet_indexes sites;  /* the sites that have it, ascending */
    bool common;                 /* more than half of the compared sites have it */
    /*
     * How many findings from this one on have the same shape and number of sites; 0 if it was
     * counted with an earlier one.
     */
    size_t alike;
    struct fleet_indexes fresh; /* sites without it in the earlier report; see baseline */
};

struct fleet_site {
    str name;
    str source;      /* the path, or "context NAME" */
    bool live;       /* a context */
    str context;     /* its name */
    str error;       /* why it was not compared; empty if it was */
    size_t warnings; /* that were logged */
    size_t differing, total, missing, unmatched, patched;
    /* What an incomplete site lacks may be in its unreadable part: these are neither findings nor
     * missing. */
    size_t not_found;
    struct result_verdict verdict; /* without rules, and only the first notes */
    struct fleet_indexes findings; /* ascending */
    size_t counts[FLEET_KINDS];    /* of findings */
    /* Findings that most sites have but this one does not, or the reverse; without FLEET_UNMATCHED.
     * */
    size_t apart;
};

static inline bool fleet_site_is_incomplete(const struct fleet_site *s)
{
    return !s->error.len && s->verdict.known && !s->verdict.complete;
}
static inline bool fleet_site_drifts(const struct fleet_site *s)
{
    return s->counts[FLEET_DIFFERS] || s->counts[FLEET_MISSING];
}

/* Sites with the same findings, apart from FLEET_UNMATCHED. */
struct fleet_profile {
    struct fleet_indexes sites; /* by name */
    size_t apart;
};

/* A finding that sites had in an earlier report but no longer have. */
struct fleet_fixed {
    enum fleet_kind kind;
    str object, template, message;
    struct fleet_indexes sites;
};

/* Filled by report/fleet_baseline.h, not by a run. Counts are pairs of a site and a finding. */
struct fleet_baseline {
    str file; /* the earlier report; or empty */
    str hash; /* of its reference; or empty */
    size_t fresh, remaining, fixed;
    struct {
        struct fleet_fixed *items;
        size_t len, cap;
    } gone;
};

struct fleet {
    str reference, hash, overrides; /* as in struct results */
    struct {
        struct fleet_site *items;
        size_t len, cap;
    } sites; /* by name */
    struct {
        struct fleet_finding *items;
        size_t len, cap;
    } findings; /* rarest first; FLEET_UNMATCHED last */
    struct {
        struct fleet_profile *items;
        size_t len, cap;
    } profiles;                        /* of compared sites; most unusual first */
    size_t compared, failed, drifting; /* sites */
    size_t undecided;                  /* incomplete sites without drift in what could be read */
    size_t states[VERDICT_STATES];     /* compared sites, by completeness */
    size_t with_unmatched;             /* sites that have objects without a template */
    size_t kinds[FLEET_KINDS];         /* findings */
    struct fleet_baseline baseline;
};

struct fleet_options {
    /*
     * Reference, overrides, cluster and so on; without files, since sites have those. Its log gets
     * sites that could not be compared and, if verbose, all warnings, each with the name of the
     * site.
     */
    const struct compare_options *compare;
    struct str_list sites; /* see fleet_sites_find */
    unsigned threads; /* sites at a time; 0: one per processor, at least eight if any are live */
    struct compare_progress progress; /* sites */
};

/*
 * Finds all sites. A value of sites is
 *
 *     contexts                        every context of the kubeconfig
 *     contexts:PATTERN[,PATTERN...]   those that match one of the patterns
 *     FOLDER                          every archive and every folder in it
 *     ARCHIVE                         itself; likewise any other file
 *     PATTERN                         every archive and folder that matches
 *     NAME=PATH                       one archive, folder or file, under that name
 *
 * or, except for contexts, a comma-separated list of these, unless the whole value is a path. A
 * site is named after its file, without suffixes, or its context; if two names are equal, both
 * sites are named after their source. Duplicates are removed. warn gets a line about files in a
 * folder that are skipped.
 */
MUST_CHECK bool fleet_sites_find(struct arena *a, const struct fleet_options *o, struct fleet *out,
                                 str *warn, struct err *e);

/* Compares the sites of fleet with what c has loaded. The fleet lives as long as a and c. */
MUST_CHECK bool fleet_run(struct arena *a, const struct compare *c, const struct fleet_options *o,
                          struct fleet *fleet, struct err *e);

/* ---- Grouping, for tests and for fleet_run. ---- */

struct fleet_groups;
struct fleet_groups *fleet_groups_new(struct arena *a, struct fleet *fleet);
/*
 * Adds a finding of a site, which is copied unless it is already known. Sites must be in ascending
 * order; duplicates of one site count once. digest and shape are computed if empty.
 */
void fleet_groups_add(struct fleet_groups *g, size_t site, const struct fleet_finding *finding);
/* Sorts everything and fills in what depends on all sites. */
void fleet_groups_finish(struct fleet_groups *g);
