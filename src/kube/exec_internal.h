/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_internal.h - credential plugins: programs that print a token or a client certificate.
 *
 * For this folder; transport.h decides when one runs. Errors are client-go's, "getting credentials:
 * " before them.
 */
#pragma once

#include "kube/config/config.h"

/* What a plugin returned. Lives in the arena of the call, which should be a secret one. */
struct kube_credential {
    str token;
    str cert, key;   /* PEM, both or none */
    int64_t expires; /* nanoseconds since 1970; 0: never */
};

/* The most a plugin may print. */
#define KUBE_EXEC_OUTPUT_MAX (1 * MIB)

/* How long a plugin without a terminal may take: some wait for a login elsewhere. */
#define KUBE_EXEC_PATIENCE (300 * NS_PER_SEC)

/*
 * Runs the plugin of c and reads its output. One at a time: see transport.c. Raising cancel (may be
 * NULL) ends it.
 */
MUST_CHECK bool kube_exec_run(struct arena *a, const struct kube_config *c,
                              const struct http_cancel *cancel, struct kube_credential *out,
                              struct err *e);
/* Reads the output of a plugin of this version. */
MUST_CHECK bool kube_exec_parse(struct arena *a, str api_version, str text,
                                struct kube_credential *out, struct err *e);
