/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - a comparison that goes on: a running cluster, and what changes in the verdict about it.
 *
 *     struct compare_watch *w;
 *     ok = compare_watch_open(c, &options, &w, e);          c is from compare_load
 *     while (ok && (ok = compare_watch_next(w, NS_PER_SEC, &changes, e)))
 *         show(changes);
 *     compare_watch_close(w);
 *
 * All types that a reference is about are watched, those that the server gets later too. What comes
 * in is gathered for a moment (interval), so that a storm of events costs one comparison of each
 * object it touched; an object whose template looks others up is compared again whatever changed.
 * Changes are reported when the verdict about an object or a component changes, not when an object
 * does.
 *
 * Objects are held only until they have been compared, unless some template looks objects up: of
 * the others memory has the name, the version and the verdict.
 *
 * compare.h's options count, with dialect_native, and without files, programs for differences and
 * explanations. All calls are made from one thread.
 */
#pragma once

#include "compare/compare.h"

struct compare_watch;
struct http_cancel;

struct watch_options {
    int64_t interval; /* nanoseconds for which changes are gathered */
    int64_t refresh;  /* nanoseconds until kinds that are not there are asked for again */
    int64_t poll;     /* nanoseconds between lists of types that cannot be watched; 0: 30 s */
    struct http_cancel *cancel; /* ends compare_watch_next with ERR_CANCELLED; may be NULL */
};

enum watch_kind {
    WATCH_START,    /* all types were read once; what is wrong at that time follows */
    WATCH_DRIFT,    /* an object begins to differ */
    WATCH_CHANGED,  /* it differs in another way */
    WATCH_FIXED,    /* it no longer differs, or is no longer there */
    WATCH_FAILED,   /* it cannot be compared: message says why */
    WATCH_MISSING,  /* a component lacks an object for a template */
    WATCH_PRESENT,  /* it has one again */
    WATCH_UNWANTED, /* an object should not be there, or not beside others */
    WATCH_SOLVED,   /* a component's issue is resolved, for another reason */
    WATCH_END,      /* for callers: compare_watch_next does not give it */
};
#define WATCH_KINDS (WATCH_END + 1)
/* "start", "drift", ... */
const char *watch_kind_name(enum watch_kind kind);

struct watch_change {
    enum watch_kind kind;
    str object; /* its id; empty when it is about a component */
    str template, description, part, component;
    str message;                 /* of a component, or why an object failed */
    bool gone;                   /* WATCH_FIXED: the object is not there any more */
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

/* The verdict of the moment. */
struct watch_totals {
    const struct watch_template *templates; /* in the order of the reference */
    size_t template_count;
    size_t types, failing;         /* that are watched; of these: that cannot be at the moment */
    size_t objects;                /* of all types */
    size_t matched, drifting;      /* compared with a template; and different */
    size_t failed;                 /* could not be compared */
    size_t unmatched;              /* without a template, or not compared yet */
    size_t missing, issues;        /* objects that lack; components that are at fault */
    int64_t synced;                /* when the verdict was last known to be current; 0: never */
    uint64_t events, errors;       /* changes of objects, and requests that failed, so far */
    uint64_t compared;             /* objects, so far */
    uint64_t changes[WATCH_KINDS]; /* reported so far */
    bool started;                  /* WATCH_START was reported */
};

/*
 * Connects, discovers and begins to watch. Fails as compare_run does when there is nobody to ask.
 * c and options must outlive w.
 */
MUST_CHECK bool compare_watch_open(struct arena *a, const struct compare *c,
                                   const struct compare_options *comparison,
                                   const struct watch_options *options, struct compare_watch **out,
                                   struct err *e);
/* w may be NULL. */
void compare_watch_close(struct compare_watch *w);

/*
 * Waits for changes, at most that many nanoseconds; then *out is empty. *out is valid until the
 * next call. Trouble with the server is a line of the log, and waited out.
 */
MUST_CHECK bool compare_watch_next(struct compare_watch *w, int64_t wait, struct watch_changes *out,
                                   struct err *e);
/*
 * How complete the verdict is: types that cannot be watched make it incomplete too, and so does a
 * cluster in which nothing has a template.
 */
enum verdict_state watch_totals_state(const struct watch_totals *t);
/* Valid until the next call of compare_watch_next. */
void compare_watch_totals(struct compare_watch *w, struct watch_totals *out);
