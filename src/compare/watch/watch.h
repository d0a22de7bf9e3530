/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - compares a running cluster continuously, and reports changes of the verdict.
 *
 *     struct compare_watch *w;
 *     ok = compare_watch_open(c, &options, &w, e);          c is from compare_load
 *     while (ok && (ok = compare_watch_next(w, NS_PER_SEC, &changes, e)))
 *         show(changes);
 *     compare_watch_close(w);
 *
 * All types in a reference are watched, including those that the server gets later. Events are
 * gathered for a moment (interval), so that a storm of events costs one comparison of each object
 * it touched; an object whose template looks up others is compared again whenever anything changes.
 * Changes are reported when the verdict about an object or a component changes, not when an object
 * does.
 *
 * Objects are held only until they have been compared, unless some template looks up objects; after
 * that, only name, version and verdict are kept.
 *
 * The options of compare.h apply, with dialect_native, and without files, diff programs and
 * explanations. All calls are made from one thread.
 */
#pragma once

#include "compare/compare.h"

struct compare_watch;
struct http_cancel;

struct watch_options {
    int64_t interval; /* nanoseconds to gather changes for */
    int64_t refresh;  /* nanoseconds between checks for missing kinds */
    int64_t poll;     /* nanoseconds between lists of types that cannot be watched; 0: 30 s */
    struct http_cancel *cancel; /* ends compare_watch_next with ERR_CANCELLED; may be NULL */
};

enum watch_kind {
    WATCH_START,    /* all types were read once; current problems follow */
    WATCH_DRIFT,    /* an object starts to differ */
    WATCH_CHANGED,  /* it differs in a different way */
    WATCH_FIXED,    /* it no longer differs, or is no longer there */
    WATCH_FAILED,   /* it cannot be compared: message says why */
    WATCH_MISSING,  /* a component lacks an object for a template */
    WATCH_PRESENT,  /* it has one again */
    WATCH_UNWANTED, /* an object should not exist, or not together with others */
    WATCH_SOLVED,   /* a component's issue is resolved, for another reason */
    WATCH_END,      /* for callers: never returned by compare_watch_next */
};
#define WATCH_KINDS (WATCH_END + 1)
/* "start", "drift", ... */
const char *watch_kind_name(enum watch_kind kind);

struct watch_change {
    enum watch_kind kind;
    str object; /* its id; empty for a component */
    str template, description, part, component;
    str message;                 /* of a component, or why an object failed */
    bool gone;                   /* WATCH_FIXED: the object no longer exists */
    struct result_fields fields; /* WATCH_DRIFT and WATCH_CHANGED */
};

struct watch_changes {
    struct watch_change *items;
    size_t len, cap;
};

/* A template, and the objects compared with it. */
struct watch_template {
    str part, component, path;
    size_t matched, drifting;
    bool missing; /* its component lacks an object for it */
};

/* The current verdict. */
struct watch_totals {
    const struct watch_template *templates; /* in the order of the reference */
    size_t template_count;
    size_t types, failing;         /* watched; of these, failing at the moment */
    size_t objects;                /* of all types */
    size_t matched, drifting;      /* compared with a template; and different */
    size_t failed;                 /* could not be compared */
    size_t unmatched;              /* without a template, or not compared yet */
    size_t missing, issues;        /* missing objects; components with issues */
    int64_t synced;                /* when the verdict was last known to be current; 0: never */
    uint64_t events, errors;       /* changes of objects and failed requests so far */
    uint64_t compared;             /* objects, so far */
    uint64_t changes[WATCH_KINDS]; /* reported so far */
    bool started;                  /* WATCH_START was reported */
};

/*
 * Connects, runs discovery and starts watching. Fails like compare_run if there is no server. c and
 * options must outlive w.
 */
MUST_CHECK bool compare_watch_open(struct arena *a, const struct compare *c,
                                   const struct compare_options *comparison,
                                   const struct watch_options *options, struct compare_watch **out,
                                   struct err *e);
/* w may be NULL. */
void compare_watch_close(struct compare_watch *w);

/*
 * Waits for changes for at most wait nanoseconds; then *out is empty. *out is valid until the next
 * call. Trouble with the server is logged and waited out.
 */
MUST_CHECK bool compare_watch_next(struct compare_watch *w, int64_t wait, struct watch_changes *out,
                                   struct err *e);
/*
 * How complete the verdict is: it is also incomplete if a type cannot be watched, or if no object
 * has a template.
 */
enum verdict_state watch_totals_state(const struct watch_totals *t);
/* Valid until the next call of compare_watch_next. */
void compare_watch_totals(struct compare_watch *w, struct watch_totals *out);
