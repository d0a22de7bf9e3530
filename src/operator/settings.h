/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - the settings of the operator, under the names that the reference operator uses.
 *
 *     const struct settings_source source = {.secret = data};   or {0}: the environment alone
 *     if (!settings_read(a, &source, &settings, e)) ...
 *
 * A name is looked up in the environment, then in the Secret that the reference operator's chart
 * creates (aso-controller-settings). An empty value counts as unset. As in the reference operator,
 * invalid values are errors, and booleans are parsed leniently.
 *
 * Names that mean nothing to plumb (MAX_CONCURRENT_RECONCILES, RATE_LIMIT_*) are validated and
 * otherwise ignored: passes do not occupy threads, and the request budget always applies.
 */
#pragma once

#include "arm/credential/credential.h"
#include "operator/operator.h"

#define SETTINGS_SECRET "aso-controller-settings"
#define SETTINGS_LEASE "controllers-leader-election-azinfra-generated"
/* Between checks of a healthy object. */
#define SETTINGS_PERIOD (900 * NS_PER_SEC)

struct settings_source {
    /* Returns an environment variable, or NULL. Unless set, getenv. */
    const char *(*environment)(const char *name);
    const struct value *secret; /* its member "data"; NULL: none */
};

struct settings {
    bool has_credential; /* else objects need their own */
    struct credential_settings credential;
    struct cloud cloud;
    bool own_cloud;         /* ALLOW_MULTI_ENV_MANAGEMENT */
    str namespace;          /* POD_NAMESPACE; may be empty */
    struct str_list target; /* AZURE_TARGET_NAMESPACES */
    int64_t period;         /* AZURE_SYNC_PERIOD; see schedule.h */
    enum policy policy;     /* DEFAULT_RECONCILE_POLICY */
    str agent;              /* AZURE_USER_AGENT_SUFFIX */
};

/* Texts live as long as a, which should be wiped when freed. */
MUST_CHECK bool settings_read(struct arena *a, const struct settings_source *source,
                              struct settings *out, struct err *e);

/* ---- Single values, for options with the same meaning. ---- */

/* Parses "manage", "skip" or "detach-on-delete". */
MUST_CHECK bool settings_policy(str text, enum policy *out, struct err *e);
