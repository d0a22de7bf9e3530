/* SPDX-License-Identifier: Apache-2.0 */
/* arm_internal.h - what the files of the client share. */
#pragma once

#include "azure/arm.h"

struct arm {
    struct arena *arena;
    struct arm_config config;
    const struct credential_settings *settings;
    struct http_client *http;
    str scope;
};

/* ---- arm_gate.c ---- */

/* Waits for the turn of r. False when the deadline or the cancel comes first. */
MUST_CHECK bool gate_enter(struct arm_gate *g, const struct budget_request *r,
                           const struct arm_call *call, struct budget_grant *grant, struct err *e);
void gate_leave(struct arm_gate *g, const struct budget_grant *grant,
                const struct budget_signal *signal);
/* Waits ns; false when the deadline or the cancel comes first. */
MUST_CHECK bool call_wait(const struct arm_call *call, int64_t ns, struct err *e);

/* ---- arm.c ---- */

/* "https://management.azure.com/subscriptions/...?api-version=..." */
str arm_url(struct arm *m, struct arena *a, const struct arm_call *call);
/*
 * Sends to a whole address. once: nothing is tried again but a token. True when there is an answer,
 * whatever its status.
 */
MUST_CHECK bool arm_exchange(struct arm *m, struct arena *a, const struct arm_call *call, str url,
                             bool once, struct arm_result *result, struct err *e);
/* Fills the verdict of a refusal that result holds, and e from it. Always false. */
bool arm_refused(struct arm *m, struct arena *a, const struct arm_call *call,
                 struct arm_result *result, struct err *e);

/* ---- arm_register.c ---- */

/* Registers the provider that a refusal names and waits until that is done. */
MUST_CHECK bool arm_register(struct arm *m, struct arena *a, const struct arm_call *call,
                             const struct cloud_error *refusal, struct err *e);
