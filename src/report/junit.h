/* SPDX-License-Identifier: Apache-2.0 */
/*
 * junit.h - what a comparison found, as a JUnit report.
 *
 * A report has three suites: objects that were compared, faults of the reference's components, and
 * objects that match nothing. Whoever has results tells them one by one, in the order in which they
 * shall appear:
 *
 *     struct junit j = junit_new(a, hash, total, stamp);
 *     junit_add_object(&j, &(struct junit_object){.id = id, .template = path, .diff = text});
 *     junit_add_issue(&j, part, component, message, paths, count);
 *     junit_add_unmatched(&j, id);
 *     junit_write(&j, &out);
 *
 * The bytes are those of the original. Texts are not copied: they must live until the report is
 * written. One thread at a time.
 */
#pragma once

#include "base/base.h"

struct source;

/* One test case. */
struct junit_case {
    str class_name, name;
    str skipped; /* why it was not judged; NULL pointer: it was */
    bool failed;
    str failure_message, failure_type, failure_text;
};

struct junit_suite {
    const char *name;
    const char *if_empty; /* the name of the case that says that all is well; NULL: none */
    struct {
        struct junit_case *items;
        size_t len, cap;
    } cases;
    size_t failures, skipped;
};

enum { JUNIT_OBJECTS, JUNIT_ISSUES, JUNIT_UNMATCHED, JUNIT_SUITES };

struct junit {
    struct arena *arena;
    str hash;  /* of the reference */
    str stamp; /* when, as RFC 3339 */
    int64_t total;
    struct junit_suite suites[JUNIT_SUITES];
};

struct junit junit_new(struct arena *a, str hash, int64_t total, str stamp);
/* The present moment in local time, as the original stamps its suites. Lives as long as a. */
str junit_stamp(struct arena *a);

/* An object and the template that fits it best. */
struct junit_object {
    str id, template;
    str diff;    /* empty: nothing differs */
    str patched; /* the file of overrides when some were applied, else empty */
    const str *reasons;
    size_t reason_count;
};
void junit_add_object(struct junit *j, const struct junit_object *o);
void junit_add_issue(struct junit *j, str part, str component, str message, const str *paths,
                     size_t count);
void junit_add_unmatched(struct junit *j, str id);

/* Appends the report. Issues are put in the order of their parts and components. */
void junit_write(struct junit *j, struct buf *out);

/*
 * Tells a report everything that a JSON report of the original says. Keys count without regard to
 * case, unknown ones are ignored and missing ones are empty. The source must live as long as a.
 * Errors are those of Go's encoding/json.
 */
MUST_CHECK bool junit_from_json(struct arena *a, const struct source *src, str stamp,
                                struct junit *out, struct err *e);
