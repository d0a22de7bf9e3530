/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults.h - everything that a server can do wrong, and how clients may react.
 *
 *     faults_begin();
 *     for (size_t i = 0; i < fault_count; i++)
 *         script[n] = fault_step_of(a, &faults[i], body) ...
 *     faults_end();
 *
 * For tests that cause each fault at each request of an operation (fault_server.h). Clocks are
 * replaced between begin and end, so that nobody waits and the load of the machine does not matter.
 * Each class of faults may end only in certain ways. The text of an error must name the cause:
 * want, or the client's own words about invalid answers.
 */
#pragma once

#include "fault_server.h"

enum fault_class {
    FAULT_LOST,    /* the connection was lost: reads may be retried */
    FAULT_PATIENT, /* the server asks for some patience */
    FAULT_REFUSES, /* the server rejects the request without asking for a retry */
    FAULT_LATER,   /* the server asks for a longer wait than any client accepts */
    FAULT_CONTENT, /* a complete answer, but not a plausible one */
    FAULT_BROKEN,  /* the answer is not HTTP, or cannot be decompressed */
    FAULT_LARGE,   /* larger than any limit, or announced to be */
    FAULT_TIME,    /* too slow, or silent */
    FAULT_CLASSES,
};

enum fault_ending { FAULT_FAILS, FAULT_SUCCEEDS, FAULT_EITHER };

enum fault_body { FAULT_AS_WRITTEN, FAULT_BOMB, FAULT_CUT_GZIP };

struct fault {
    const char *name;
    enum fault_class class;
    struct fault_step step;
    int status; /* of FAULT_PATIENT, FAULT_REFUSES and FAULT_LATER */
    /* Part of the error's text; two if the system may report either. */
    const char *want, *or_want;
    bool uncertain; /* whether the request was sent depends on the machine */
    enum fault_body body;
};

extern const struct fault faults[];
extern const size_t fault_count;

void faults_begin(void);
void faults_end(void);

/* What the server does; proper is the body of a correct answer. Lives as long as a. */
struct fault_step fault_step_of(struct arena *a, const struct fault *f, const char *proper);
/* A correct answer, after which the connection is closed. */
struct fault_step fault_proper(struct arena *a, int status, const char *headers, str body);

/* Whether a text names the cause of the fault. */
bool fault_is_told(const struct fault *f, str text);
