/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults.h - everything that a server may do wrong, and how clients may react.
 *
 *     faults_begin();
 *     for (size_t i = 0; i < fault_count; i++)
 *         script[n] = fault_step_of(a, &faults[i], body) ...
 *     faults_end();
 *
 * For tests that let each fault happen at each request of an operation (fault_server.h). Clocks are
 * replaced between begin and end, so that nobody waits and how busy the machine is plays no part.
 * A client expects certain endings of each class of faults. The text of an error belongs to its
 * cause: want, or the words of a client about answers that it cannot read.
 */
#pragma once

#include "fault_server.h"

enum fault_class {
    FAULT_LOST,    /* the connection was lost: reads may be retried */
    FAULT_PATIENT, /* the server asks for some patience */
    FAULT_REFUSES, /* the server rejects the request without asking for a retry */
    FAULT_LATER,   /* the server asks for a longer wait than any client accepts */
    FAULT_CONTENT, /* a whole answer, but none that could be meant */
    FAULT_BROKEN,  /* what came is no HTTP, or cannot be unpacked */
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
    /* In the text of an error; two where the system may report either. */
    const char *want, *or_want;
    bool uncertain; /* whether the request left is up to the machine */
    enum fault_body body;
};

extern const struct fault faults[];
extern const size_t fault_count;

void faults_begin(void);
void faults_end(void);

/* What the server does; proper is the body of a right answer. Lives as long as a. */
struct fault_step fault_step_of(struct arena *a, const struct fault *f, const char *proper);
/* A right answer, after which the connection is closed. */
struct fault_step fault_proper(struct arena *a, int status, const char *headers, str body);

/* Whether a text names the cause of the fault. */
bool fault_is_told(const struct fault *f, str text);
