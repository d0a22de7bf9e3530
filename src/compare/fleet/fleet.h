/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet.h - many sites against one reference, and what they have in common.
 *
 *     const struct fleet_options o = {.compare = &options, .sites = values};
 *     struct fleet fleet = {0};
 *     if (!fleet_sites_find(a, &o, &fleet, &warn, e) || !compare_load(a, &options, &c, e) ||
 *         !fleet_run(a, c, &o, &fleet, e))
 *         return false;
 *
 * A site is an archive, a folder or a context of the kubeconfig. The reference is loaded once; a
 * few sites are compared at a time, each with memory of its own that is given back before the next
 * one. Of a site remain counts and which findings it has; a finding is kept once, however many
 * sites have it. A site that cannot be compared gets an error and does not stop the others.
 *
 * Two findings are the same when the object, the template and the difference are the same: the same
 * fields with the same expected and actual values, Secrets masked before. Lines around a difference
 * and their numbers do not count, since values of the site may stand there. Findings that are the
 * same but for the object stay apart, and are next to each other: names of objects are often those
 * of nodes or sites.
 *
 * Called from one thread. What src/report sees of a fleet is struct fleet.
 */
#pragma once

#include "compare/compare.h"

#define FLEET_SITES_MAX 100000
/* What the texts and fields of one site may take; beyond that findings are only named. */
#define FLEET_SITE_TEXT_MAX (16 * MIB)
/* The same of all findings together. */
#define FLEET_TEXT_MAX (512 * MIB)
/* Notes of a site that are kept. */
#define FLEET_NOTES_MAX 10
/* Sites that are compared at the same time. */
#define FLEET_THREADS_MAX 64

enum fleet_kind {
    FLEET_DIFFERS,   /* an object is not what its template wants */
    FLEET_MISSING,   /* a component lacks a template, or has one too many */
    FLEET_UNMATCHED, /* an object without a template; only when all objects are wanted; no drift */
};
#define FLEET_KINDS 3

struct fleet_indexes {
    uint32_t *items;
    size_t len, cap;
};

/* Something that one or more sites have. */
struct fleet_finding {
    enum fleet_kind kind;
    str digest;          /* what makes it the same finding, in hexadecimal */
    str shape;           /* the same without the object: other objects may differ just so */
    str object;          /* its id; empty when something is missing */
    str template;        /* path; empty when the object is unmatched */
    str description;     /* of the template; may be empty */
    str part, component; /* of the template */
    str message;         /* what is wrong with the component */
    /* The difference as the first site has it, without the names of files. */
    str text;
    struct result_fields fields; /* without places in objects */
    bool cut;                    /* texts are not kept: see FLEET_*_TEXT_MAX */
    struct fleet_indexes sites;  /* the sites that have it, ascending */
    bool common;                 /* more than half of the sites that were compared */
    /* So many from this one on have its shape and as many sites; 0: counted by one before it. */
    size_t alike;
    struct fleet_indexes fresh; /* sites where an earlier report has no such drift; see baseline */
};

struct fleet_site {
    str name;
    str source;      /* the path, or "context NAME" */
    bool live;       /* a context */
    str context;     /* its name */
    str error;       /* why it was not compared; empty: it was */
    size_t warnings; /* that were logged */
    size_t differing, total, missing, unmatched, patched;
    /* What an incomplete site lacks may be in what could not be read: no findings, and not missing.
     */
    size_t not_found;
    struct result_verdict verdict; /* without rules; notes: the first ones */
    struct fleet_indexes findings; /* ascending */
    size_t counts[FLEET_KINDS];    /* of findings */
    /* Findings that most sites have and this one has not, and the other way round. No
     * FLEET_UNMATCHED. */
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

/* Sites with the same findings, those of FLEET_UNMATCHED aside. */
struct fleet_profile {
    struct fleet_indexes sites; /* by name */
    size_t apart;
};

/* Something that sites had in an earlier report and have no longer. */
struct fleet_fixed {
    enum fleet_kind kind;
    str object, template, message;
    struct fleet_indexes sites;
};

/* Filled by report/fleet_baseline.h, not by a run. Counts are pairs of a site and a finding. */
struct fleet_baseline {
    str file; /* the earlier report; empty: there is none */
    str hash; /* of its reference; empty: it has none */
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
    } findings; /* the rarest first; those of FLEET_UNMATCHED last */
    struct {
        struct fleet_profile *items;
        size_t len, cap;
    } profiles;                        /* of sites that were compared; those most apart first */
    size_t compared, failed, drifting; /* sites */
    size_t undecided;                  /* sites that do not drift in what could be read of them */
    size_t states[VERDICT_STATES];     /* sites that were compared, by how completely */
    size_t with_unmatched;             /* sites that have objects without a template */
    size_t kinds[FLEET_KINDS];         /* findings */
    struct fleet_baseline baseline;
};

struct fleet_options {
    /*
     * Reference, overrides, cluster and so on. It names no files: sites do. Its log hears of sites
     * that could not be compared and, when verbose, of all warnings, each with the name of the
     * site.
     */
    const struct compare_options *compare;
    struct str_list sites; /* see fleet_sites_find */
    unsigned threads; /* sites at a time; 0: one per processor, at least eight when some are live */
    struct compare_progress progress; /* sites */
};

/*
 * Finds all sites. A value of sites is
 *
 *     contexts                        every context of the kubeconfig
 *     contexts:PATTERN[,PATTERN...]   those that fit one of the patterns
 *     FOLDER                          every archive and every folder in it
 *     ARCHIVE                         itself; any other file too
 *     PATTERN                         every archive and folder that fits
 *     NAME=PATH                       one archive, folder or file, under that name
 *
 * and, but for contexts, a list of such values with commas between, unless it is a path as a whole.
 * The name of a site is that of its file without endings, or that of its context; where two would
 * have the same, both are called by their source. What is named twice is there once. warn gets a
 * line about files in a folder that are passed over.
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
 * Adds a finding of a site, which is copied unless it is known. Sites come in ascending order; what
 * a site has twice counts once. digest and shape are computed when they are empty.
 */
void fleet_groups_add(struct fleet_groups *g, size_t site, const struct fleet_finding *finding);
/* Orders everything and fills what depends on all sites. */
void fleet_groups_finish(struct fleet_groups *g);
