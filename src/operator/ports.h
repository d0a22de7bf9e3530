/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ports.h - what the operator can request from the outside world, as values.
 *
 * An effect is one request, to the API server or to Azure. The creator of an operator provides the
 * ports: live ones, or in tests the store and the simulator. A port never waits; the answer arrives
 * later, through operator_tell, with the ticket of the effect.
 *
 * A mode that must not write (observe, plan) is a set of ports without a writer, so that no
 * decision of the operator can have an effect. What it would write to the object itself is
 * simulated, so that a pass goes on to the request that it would send to Azure, and ends there.
 *
 * All functions are called from the thread that steps the operator, and must not call back into it
 * except by operator_changed and operator_tell.
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

/* "PATCH", as HTTP has it. */
static inline const char *effect_method(enum effect_kind kind)
{
    static const char *const methods[EFFECT_COUNT] = {
        [KUBE_GET] = "GET",          [KUBE_CREATE] = "POST",   [KUBE_PATCH] = "PATCH",
        [KUBE_PATCH_JSON] = "PATCH", [KUBE_DELETE] = "DELETE", [ARM_GET] = "GET",
        [ARM_HEAD] = "HEAD",         [ARM_PUT] = "PUT",        [ARM_POST] = "POST",
        [ARM_DELETE] = "DELETE"};

    return methods[kind];
}

/* Who goes first when the budget of Azure is short. */
enum effect_priority {
    PRIORITY_USER,     /* a deletion, or something that a user changed */
    PRIORITY_POLL,     /* an operation under way */
    PRIORITY_PERIODIC, /* a check of something that was well */
};

struct effect {
    const struct object_key *key; /* of the object whose pass asks; only during the call */
    enum effect_kind kind;
    /* ARM_POST: it changes nothing (listKeys), so a mode without a writer may ask it, too. */
    bool harmless;
    str url;     /* KUBE_*: a path of the API server; ARM_*: a whole URL */
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

/* As whom an object talks to Azure. */
struct account {
    str key;          /* for effects: "global", or "namespace/secret" */
    str subscription; /* of the credential, as it is spelled there */
    str endpoint;     /* of Azure Resource Manager: "https://management.azure.com" */
    /*
     * The Secrets that the choice depends on, those that do not exist included: "credential-from"
     * of the object, or "aso-credential" of its namespace. The graph wakes the object when one of
     * them changes.
     */
    struct object_key needs[2];
    size_t need_count;
};

enum account_state {
    ACCOUNT_READY,
    ACCOUNT_MISSING, /* none, or a wrong one; the error says what to do */
    ACCOUNT_PENDING, /* its Secret is being read: operator_changed of the Secret follows */
};

/* ---- What is reported. ------------------------------------------------------------------- */

/* A decision about one object: a line of the log, and perhaps an Event. */
struct report {
    const struct object_key *key;
    const struct value *object; /* the newest view; lives only during the call */
    bool warning;
    const char *action; /* an Event's reason: "BeginCreateOrUpdate" */
    str reason;         /* of a condition: "AuthorizationFailed"; may be empty */
    str message;
};

/* Where a pass leaves an object, for counting. */
enum object_state {
    OBJECT_UNKNOWN,     /* it is not there */
    OBJECT_PENDING,     /* no pass has ended yet, or another operator has it */
    OBJECT_IN_PROGRESS, /* an operation in Azure is followed */
    OBJECT_READY,
    OBJECT_WAITING,  /* for something in the cluster */
    OBJECT_RETRYING, /* it failed, and is tried again */
    OBJECT_STOPPED,  /* it failed, and a user must mend it */
    OBJECT_DELETING,
    OBJECT_STATES,
};

/* A PUT, a look that led to none, or drift that is only reported, for counting. */
struct tally {
    const char *cause; /* of a PUT: "drift"; NULL: none was made */
    bool avoided;      /* Azure is as it should be */
    bool noop;         /* after a PUT Azure shows the same as before */
    str kind;          /* "StorageAccount" */
    const str *paths;  /* of what drifted */
    size_t path_count;
};

/* ---- How a pass ends. ------------------------------------------------------------------------ */

enum outcome_kind {
    OUTCOME_WELL,     /* nothing is left to do until the next period */
    OUTCOME_WITHHELD, /* a write was decided and there is no writer: the effect */
    OUTCOME_BLOCKED,  /* the condition Ready tells why: severity, reason, message */
    OUTCOME_WAITS,    /* for its owner, its operation or its turn */
    OUTCOME_GONE,     /* there is no such object any more, or it is nobody's business */
};

struct deviations;

/* For whoever plans. Everything lives only during the call; Secrets are masked but in the effect.
 */
struct outcome {
    enum outcome_kind kind;
    const struct object_key *key;
    const struct value *object;       /* as it would be after all writes so far; NULL: not there */
    bool skipped;                     /* the policy is "skip" */
    str id, api_version;              /* in Azure; empty while they are not known */
    str arm_type;                     /* "Microsoft.Network/routeTables" */
    const struct effect *effect;      /* OUTCOME_WITHHELD */
    const char *cause;                /* of a PUT */
    const struct value *payload;      /* of a PUT */
    const struct value *found;        /* what is; NULL: nothing, or nobody looked */
    const struct deviations *changes; /* that the PUT makes, or that are reported only; or NULL */
    str by, at;                       /* who made them in Azure, when that is known */
    str severity, reason, message;    /* OUTCOME_BLOCKED */
    bool waits;                       /* the same: something in the cluster must change first */
};

/* ---- The ports. ------------------------------------------------------------------------------ */

struct ports {
    void *ctx;
    /*
     * The object as the watch caches have it, NULL when they do not: custom resources, Namespaces
     * (kind Namespace, no namespace), and of Secrets and ConfigMaps at least the metadata. Never
     * waits. Lives as long as a.
     */
    const struct value *(*find)(void *ctx, struct arena *a, const struct object_key *key);
    /*
     * The account of an object. out->needs is set in every case. NULL: everybody uses that of
     * the configuration.
     */
    enum account_state (*account)(void *ctx, struct arena *a, const struct value *object,
                                  struct account *out, struct err *e);
    /* Whether writing is allowed at this very moment: the lease is held. NULL: it is. */
    bool (*leads)(void *ctx);
    /*
     * Whether so many requests to Azure wait that no further object should join them; for a user
     * who waits, there is room longer. NULL: never.
     */
    bool (*crowded)(void *ctx, bool user);
    /* Begins a request. Texts of the effect live only during the call. */
    void (*read)(void *ctx, uint64_t ticket, const struct effect *effect);
    void (*write)(void *ctx, uint64_t ticket, const struct effect *effect); /* NULL: no writer */
    /*
     * Takes out of a status what the schema of the stored version has no place for, so that it is
     * not written again and again. NULL: the schema has a place for everything.
     */
    void (*prune)(void *ctx, struct arena *a, const struct object_key *key, struct value *status);
    /*
     * How long ago the object was last found well, by this process or an earlier one; below 0: not
     * known. Objects that need no pass yet are then left alone until their period is over. NULL:
     * all are looked at.
     */
    int64_t (*checked)(void *ctx, const struct object_key *key);
    /* The object was found well. May be NULL. */
    void (*well)(void *ctx, const struct object_key *key);
    /* What a verdict was made from, masked (replay.h); lives only during the call. May be NULL. */
    void (*judged)(void *ctx, const struct value *record);
    /* A pass has ended. May be NULL. */
    void (*ended)(void *ctx, const struct outcome *outcome);
    /* Sends an Event; who sends it removes doubles. No answer. May be NULL. */
    void (*event)(void *ctx, const struct report *report);
    /* A line of the log. May be NULL. */
    void (*log)(void *ctx, const struct report *report);
    /* Texts live only during the call. May be NULL. */
    void (*tally)(void *ctx, const struct tally *tally);
    /* An object is in another state. May be NULL. */
    void (*state)(void *ctx, const struct object_key *key, enum object_state from,
                  enum object_state to);
};
