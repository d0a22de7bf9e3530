/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl.h - Go's text/template language (as of Go 1.26), with Sprig's and Helm's functions.
 *
 * A set holds named templates. Texts are parsed into it one after the other: each adds the template
 * of its own name and those it defines. Once parsed, a set never changes, and may be executed any
 * number of times from any number of threads. Everything that an execution allocates comes from the
 * arena of the call.
 *
 *     struct tmpl_set *set = tmpl_new(a, &(struct tmpl_options){.profile = TMPL_KC});
 *     if (!tmpl_parse(set, STR("cm.yaml"), text, e))
 *         return false;
 *     struct tmpl_run run = {.data = object};
 *     if (!tmpl_execute(a, set, STR("cm.yaml"), &run, &out, e))
 *         return false;
 *
 * Errors of parsing and of execution have Go's wording and positions: "template: cm.yaml:3:7:
 * executing "cm.yaml" at <.x.y>: nil pointer evaluating interface {}.y".
 */
#pragma once

#include "base/base.h"

struct value;
struct tmpl_set;
struct tmpl_actions;

/* Which functions a set has; bits, so that one table line can name several. */
enum tmpl_profile {
    TMPL_GO = 1,   /* Go's builtins only */
    TMPL_KC = 2,   /* what kube-compare offers */
    TMPL_HELM = 4, /* what Helm's engine offers; sets missingkey=zero */
};

struct tmpl_options {
    enum tmpl_profile profile;
    enum tmpl_profile extra; /* its functions are added, unless profile has one of the same name */
    str left, right;         /* action delimiters; empty: {{ and }} */
    /*
     * Called while texts are parsed, for each function from extra that profile lacks; may be NULL.
     */
    void (*borrowed)(void *ctx, str function, uint32_t line);
    void *ctx;
    struct tmpl_actions *actions; /* shared with other sets; may be NULL */
};

/*
 * Lets sets share actions, so that those that several texts have in common are parsed only once.
 * Such sets must have the same profiles, delimiters and arena, and texts must be parsed by one
 * thread at a time. Ignored by sets with borrowed.
 */
struct tmpl_actions *tmpl_actions_new(struct arena *a);

/* The templates live as long as a. opts may be NULL: TMPL_GO. */
struct tmpl_set *tmpl_new(struct arena *a, const struct tmpl_options *opts);
/* "missingkey=default|invalid|zero|error". */
MUST_CHECK bool tmpl_option(struct tmpl_set *set, str option, struct err *e);
/*
 * Parses text as the template name. On failure the set is unchanged. name and text must live as
 * long as the set. A template replaces one of the same name from an earlier text unless it is
 * empty.
 */
MUST_CHECK bool tmpl_parse(struct tmpl_set *set, str name, str text, struct err *e);
/*
 * Adds the templates of another set with the same options, as if its texts had been parsed here.
 * They are shared: from must live as long as the set, and must not get any more.
 */
void tmpl_add(struct tmpl_set *set, const struct tmpl_set *from);
/* What templates can reach besides their data; bits. */
enum tmpl_reach {
    TMPL_LOOKS_UP = 1, /* other objects: lookupCR, lookupCRs */
    TMPL_CHANGES = 2,  /* the maps they are given: set, unset, merge, ... */
};
/* What the functions used in a set can reach; tpl, which runs any text, can reach everything. */
unsigned tmpl_reach(const struct tmpl_set *set);
/* Whether a template of that name has been parsed. */
bool tmpl_has(const struct tmpl_set *set, str name);
/* The names of the templates of a set that are not empty, in the order of their first mention. */
size_t tmpl_names(struct arena *a, const struct tmpl_set *set, str **out);
/* Appends the canonical form of a template, like Go's Node.String; nothing if there is none. */
void tmpl_print(const struct tmpl_set *set, str name, struct buf *out);

/*
 * What an execution may use. Zero means the default, which is far beyond any legitimate template.
 * Exceeding one is an ordinary error with a position, of kind ERR_LIMIT.
 */
struct tmpl_limits {
    uint64_t steps; /* nodes, iterations and calls */
    size_t output;  /* bytes written */
    size_t memory;  /* bytes allocated */
    uint32_t depth; /* templates within templates */
};
#define TMPL_STEPS_MAX UINT64_C(10000000)
#define TMPL_OUTPUT_MAX (64 * MIB)
#define TMPL_MEMORY_MAX (160 * MIB)
#define TMPL_DEPTH_MAX 100000 /* Go's own */

/* What the host supplies. Any of them may be NULL, which finds nothing. */
struct tmpl_hooks {
    void *ctx;
    /*
     * Finds the objects for lookupCR and lookupCRs, in input order, in an array that lives as long
     * as a. A name or namespace that is empty or "*" matches all.
     */
    size_t (*lookup)(void *ctx, struct arena *a, const str query[4], const struct value ***found);
    /* How many objects lookup looks at for a query, which is charged in steps. NULL: few. */
    size_t (*candidates)(void *ctx, const str query[4]);
    /*
     * Receives an object that lookup found, with the changes made by functions that change maps.
     * Called at the end for all objects found, if anything was changed. now lives as long as the
     * arena of the call.
     */
    void (*changed)(void *ctx, const struct value *found, const struct value *now);
    /* Receives the reason if a function returns nothing because it failed (toYaml, toJson). */
    void (*warn)(void *ctx, str text);
};
/* Indexes into a lookup's query. */
enum { TMPL_API_VERSION, TMPL_KIND, TMPL_NAMESPACE, TMPL_NAME };

struct node;
struct tmpl_coverage;

/* The origin of a part of the output. */
struct tmpl_range {
    size_t from, to;           /* bytes of the output buffer */
    str file;                  /* name of the text */
    uint32_t line;             /* of the text or action there */
    const struct node *action; /* what wrote it; NULL: literal text */
};
/* Appends the action of a range in its canonical form: {{.spec.replicas}}. */
void tmpl_range_print(const struct tmpl_range *range, struct buf *out);
/* Whether the range was written by an action that reads data or variables. */
bool tmpl_range_reads(const struct tmpl_range *range);

/*
 * What wrote the output of a run. The run only takes notes, which costs next to nothing;
 * tmpl_provenance_ranges turns them into ranges when they are needed.
 */
struct tmpl_provenance {
    struct tmpl_range *items; /* in the order of the output, without gaps */
    size_t count, room;
    struct tmpl_note *notes; /* these live as long as the arena of the run */
    size_t note_count, note_room;
    size_t note_max; /* the most notes; 0: any number */
    bool partial;    /* set if there would have been more */
};
/* Fills in the items of a provenance that has none; they live as long as a. */
void tmpl_provenance_ranges(struct arena *a, struct tmpl_provenance *p);

struct tmpl_run {
    const struct value *data; /* NULL: an empty object */
    bool floats; /* every number of data is a float64; else integers that fit are int64 */
    bool exact;  /* numbers of data and lookups that Go would round are printed exactly */
    str zone;    /* the local time zone, by name; empty: that of the process */
    const struct tmpl_limits *limits;   /* may be NULL */
    const struct tmpl_hooks *hooks;     /* may be NULL */
    struct tmpl_provenance *provenance; /* gets notes unless NULL */
    struct tmpl_coverage *coverage;     /* filled unless NULL; see coverage.h */
    bool do_not_match;                  /* set if doNotMatch ended the execution */
    /*
     * Set to the data as changed by functions that change maps (set, unset, merge), or NULL if they
     * changed nothing. Lives as long as the arena of the call and the data.
     */
    const struct value *changed;
    uint64_t steps; /* set to how many the execution took */
};

/*
 * Runs the template name and appends to out. On failure out keeps what was written so far. STR_NONE
 * as name is the template of the first text, even if a later text has replaced it.
 */
MUST_CHECK bool tmpl_execute(struct arena *a, const struct tmpl_set *set, str name,
                             struct tmpl_run *run, struct buf *out, struct err *e);

/* For help: the functions of a profile, sorted by name. */
struct tmpl_help {
    str name;
    const char *signature; /* its Go type */
    const char *help;      /* one line */
    const char *example;   /* template text */
};
size_t tmpl_functions(struct arena *a, enum tmpl_profile profile, struct tmpl_help **out);
