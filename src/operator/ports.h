/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ports.h - what the operator can request from the outside world, as values.
 *
 * An effect is one request, to the API server or to Azure. The creator of an operator provides the
 * ports: live ones, or in tests the store and the simulator. A port never waits; the answer arrives
 * later, through operator_tell, with the ticket of the effect.
 *
 * A mode that must not write (observe, plan) is a set of ports without a writer, so that no
 * decision of the operator can have an effect. Writes to the object itself are simulated, so that a
 * pass goes on to the request that it would send to Azure, and ends there.
 *
 * All functions are called on the thread that steps the operator, and must not call back into it
 * except with operator_changed and operator_tell.
 */
#pragma once

#include "arm/lro.h"
#include "object/object.h"

enum effect_kind {
    KUBE_GET,
    KUBE_CREATE,     /* POST to the path of a collection */
    KUBE_PATCH,      /* a merge patch */
    KUBE_PATCH_JSON, /* a JSON patch: a list of operations */
    KUBE_DELETE,     /* body: DeleteOptions with preconditions, or empty */
    ARM_GET,
    ARM_HEAD,
    ARM_PUT,
    ARM_POST,
    ARM_DELETE,
    EFFECT_COUNT,
};

static inline bool effect_is_arm(enum effect_kind kind)
{
    return kind >= ARM_GET;
}

/* The HTTP method: "PATCH". */
static inline const char *effect_method(enum effect_kind kind)
{
    static const char *const methods[EFFECT_COUNT] = {
        [KUBE_GET] = "GET",          [KUBE_CREATE] = "POST",   [KUBE_PATCH] = "PATCH",
        [KUBE_PATCH_JSON] = "PATCH", [KUBE_DELETE] = "DELETE", [ARM_GET] = "GET",
        [ARM_HEAD] = "HEAD",         [ARM_PUT] = "PUT",        [ARM_POST] = "POST",
        [ARM_DELETE] = "DELETE"};

    return methods[kind];
}

/* Who goes first when Azure's request budget is short. */
enum effect_priority {
    PRIORITY_USER,     /* a deletion, or something that a user changed */
    PRIORITY_POLL,     /* an operation under way */
    PRIORITY_PERIODIC, /* a check of something healthy */
};

struct effect {
    const struct object_key *key; /* of the object that the pass is about; only during the call */
    enum effect_kind kind;
    /* An ARM_POST that changes nothing (listKeys), so that it is sent even without a writer. */
    bool harmless;
    str url;     /* KUBE_*: a path of the API server; ARM_*: a full URL */
    str body;    /* JSON, or empty */
    str account; /* ARM_*: struct account.key */
    enum effect_priority priority;
};

static inline bool effect_is_write(const struct effect *effect)
{
    switch (effect->kind) {
    case KUBE_GET:
    case ARM_GET:
    case ARM_HEAD:
        return false;
    case ARM_POST:
        return !effect->harmless;
    default:
        return true;
    }
}

/* ---- Accounts. ------------------------------------------------------------------------------- */

/* The identity that an object uses against Azure. */
struct account {
    str key;          /* for effects: "global", or "namespace/secret" */
    str subscription; /* of the credential, spelled as it is there */
    str endpoint;     /* of Azure Resource Manager: "https://management.azure.com" */
    /*
     * The Secrets that the choice depends on, whether or not they exist: "credential-from" of the
     * object, or "aso-credential" of its namespace. The graph wakes the object when one of them
     * changes.
     */
    struct object_key needs[2];
    size_t need_count;
};

enum account_state {
    ACCOUNT_READY,
    ACCOUNT_MISSING, /* none, or an invalid one; the error says what to do */
    ACCOUNT_PENDING, /* its Secret is being read: operator_changed will follow */
};

/* ---- Reports. ------------------------------------------------------------------- */

/* A decision about one object: a log line, and perhaps an Event. */
struct report {
    const struct object_key *key;
    const struct value *object; /* the newest view; lives only during the call */
    bool warning;
    const char *action; /* an Event's reason: "BeginCreateOrUpdate" */
    str reason;         /* of a condition: "AuthorizationFailed"; may be empty */
    str message;
};

/* The state in which a pass leaves an object, for metrics. */
enum object_state {
    OBJECT_UNKNOWN,     /* there is no such object */
    OBJECT_PENDING,     /* no pass has ended yet, or another operator manages it */
    OBJECT_IN_PROGRESS, /* an operation in Azure is under way */
    OBJECT_READY,
    OBJECT_WAITING,  /* for something in the cluster */
    OBJECT_RETRYING, /* it failed, and will be retried */
    OBJECT_STOPPED,  /* it failed, and a user must fix it */
    OBJECT_DELETING,
    OBJECT_STATES,
};

/* A PUT, a look that led to none, or drift that is only reported, for metrics. */
struct tally {
    const char *cause; /* of a PUT: "drift"; NULL: none was made */
    bool avoided;      /* Azure is as it should be */
    bool noop;         /* Azure shows the same after the PUT as before */
    str kind;          /* "StorageAccount" */
    const str *paths;  /* that drifted */
    size_t path_count;
};

/* ---- How a pass ends. ------------------------------------------------------------------------ */

enum outcome_kind {
    OUTCOME_WELL,     /* nothing is left to do until the next period */
    OUTCOME_WITHHELD, /* a write was decided, but there is no writer */
    OUTCOME_BLOCKED,  /* the condition Ready says why: severity, reason, message */
    OUTCOME_WAITS,    /* it waits for its owner, its operation or its turn */
    OUTCOME_GONE,     /* the object is gone, or is not ours */
};

struct deviations;

/* For planning. Everything lives only during the call. Secrets are masked, except in the effect. */
struct outcome {
    enum outcome_kind kind;
    const struct object_key *key;
    const struct value *object;       /* with all writes so far applied; NULL: it does not exist */
    bool skipped;                     /* the policy is "skip" */
    str other;                        /* the namespace of another operator that manages it */
    str id, api_version;              /* in Azure; empty while unknown */
    str arm_type;                     /* "Microsoft.Network/routeTables" */
    const struct effect *effect;      /* OUTCOME_WITHHELD */
    const char *cause;                /* of a PUT */
    const struct value *payload;      /* of a PUT */
    const struct value *found;        /* what Azure has; NULL: nothing, or it was not read */
    const struct deviations *changes; /* made by the PUT, or only reported; or NULL */
    str by, at;                       /* who made them in Azure and when, if known */
    str severity, reason, message;    /* OUTCOME_BLOCKED */
    bool waits;                       /* the same: for a change in the cluster */
};

/* ---- The ports. ------------------------------------------------------------------------------ */

struct ports {
    void *ctx;
    /*
     * An object from the watch caches, or NULL: custom resources, Namespaces (kind Namespace, no
     * namespace), and at least the metadata of Secrets and ConfigMaps. Never waits. Lives as long
     * as a.
     */
    const struct value *(*find)(void *ctx, struct arena *a, const struct object_key *key);
    /*
     * The account of an object. out->needs is always set. NULL: all objects use the account of the
     * configuration.
     */
    enum account_state (*account)(void *ctx, struct arena *a, const struct value *object,
                                  struct account *out, struct err *e);
    /* Whether writing is allowed at this very moment: the lease is held. NULL: always. */
    bool (*leads)(void *ctx);
    /*
     * Whether so many requests to Azure are waiting that no more objects should be started; the
     * limit is higher for objects that a user waits for. NULL: never.
     */
    bool (*crowded)(void *ctx, bool user);
    /* Starts a request. Texts of the effect live only during the call. */
    void (*read)(void *ctx, uint64_t ticket, const struct effect *effect);
    void (*write)(void *ctx, uint64_t ticket, const struct effect *effect); /* NULL: no writer */
    /*
     * Removes from a status what the storage version's schema has no field for, so that it is not
     * written again and again. NULL: the schema has everything.
     */
    void (*prune)(void *ctx, struct arena *a, const struct object_key *key, struct value *status);
    /*
     * How long ago the object was last found healthy, by this process or an earlier one; negative:
     * unknown. Objects that need no pass yet are left alone until their period is over. NULL: all
     * are looked at.
     */
    int64_t (*checked)(void *ctx, const struct object_key *key);
    /* The object was found healthy. May be NULL. */
    void (*well)(void *ctx, const struct object_key *key);
    /* The inputs of a verdict, masked (replay.h); they live only during the call. May be NULL. */
    void (*judged)(void *ctx, const struct value *record);
    /* A pass has ended. May be NULL. */
    void (*ended)(void *ctx, const struct outcome *outcome);
    /* Sends an Event; duplicates are removed by the implementation. No answer. May be NULL. */
    void (*event)(void *ctx, const struct report *report);
    /* Logs a line. May be NULL. */
    void (*log)(void *ctx, const struct report *report);
    /* Texts live only during the call. May be NULL. */
    void (*tally)(void *ctx, const struct tally *tally);
    /* The state of an object has changed. May be NULL. */
    void (*state)(void *ctx, const struct object_key *key, enum object_state from,
                  enum object_state to);
};
