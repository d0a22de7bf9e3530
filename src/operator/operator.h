/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator.h - keeps Azure in the state that custom resources declare.
 *
 *     struct operator *o = operator_new(&config, &ports);
 *     operator_changed(o, &key);                 a watch cache has news of an object
 *     operator_tell(o, ticket, &answer);         a request of the operator is answered
 *     due = operator_step(o);                    call it again at due, or after news
 *     operator_free(o);
 *
 * One thread owns the operator and calls operator_step, which never waits. News comes in through a
 * mailbox: operator_changed and operator_tell may be called from any thread. Requests go out
 * through ports (ports.h), at most one per object at a time.
 *
 * An operator holds no state that matters: it can be freed at any moment, and a new one continues
 * from the objects and from Azure. Its creator calls operator_changed once for every object.
 *
 * Time and randomness come from base/clock.h. README.md describes the life of one object.
 */
#pragma once

#include "operator/ports.h"

struct azure_ext;
struct kind_set;
struct model;
struct operator;

enum policy { POLICY_MANAGE, POLICY_SKIP, POLICY_DETACH };
/* What to do when Azure is not as it should be. */
enum drift_mode { DRIFT_CORRECT, DRIFT_REPORT, DRIFT_PUT_ONLY };

struct operator_config {
    struct model *model;
    str subscription;      /* of the global credential, if the ports have no accounts */
    str endpoint;          /* of Azure Resource Manager: "https://management.azure.com" */
    str namespace;         /* of this operator: objects of other operators are left alone */
    str version;           /* of this program, for the label of objects; empty: no label */
    bool take_over;        /* take over objects of other operators */
    enum policy policy;    /* if neither object nor Namespace set one */
    enum drift_mode drift; /* if neither object, Namespace nor kind set one */
    /* The key for digests of payloads, which must survive restarts. If empty, they can be guessed.
     * */
    str digest_key;
    int64_t period; /* between checks of a healthy object; varied by up to a quarter */
    /* How long to wait for a referenced object to become Ready; 0: ten minutes. */
    int64_t patience;
    /* More deletions than this within ten minutes must be confirmed; 0: none. */
    unsigned confirm_deletes;
    /* Read everything one by one at once, instead of waiting for a list. */
    bool impatient;
    /* No resource outside these ids is read or written; none: everything is allowed. */
    const str *scopes;
    size_t scope_count;
    /* What is special about kinds (ext.h); both must live as long as the operator. */
    const struct kind_set *rules;         /* NULL: the built-in ones */
    const struct azure_ext *const *hooks; /* NULL-terminated; NULL: the built-in ones */
};

/* Texts of config are copied; the model must live as long as the operator. */
struct operator* operator_new(const struct operator_config *config, const struct ports *ports);
/* No answers may be delivered afterwards. o may be NULL. */
void operator_free(struct operator* o);

/*
 * An object was added, changed or removed: a custom resource, Secret, ConfigMap or Namespace. Wakes
 * the object itself, if anything that a user decides has changed, and the objects that wait for it.
 */
void operator_changed(struct operator* o, const struct object_key *key);
/* Delivers the answer to an effect; http 0: no answer. Everything is copied. */
void operator_tell(struct operator* o, uint64_t ticket, const struct arm_answer *answer);
/* Does what is due and returns when, by clock_mono, it is to be called again; INT64_MAX: only after
 * news. */
int64_t operator_step(struct operator* o);

/* From now on nothing waits for referenced objects to become Ready; those that wait go on. */
void operator_hurry(struct operator* o);

struct operator_stats {
    size_t objects, flying;         /* all known, and those with a request under way */
    uint64_t passes, reads, writes; /* started so far */
    uint64_t listed;                /* looks answered from a list */
    uint64_t unchanged;             /* looks whose answer was identical to the last one */
    uint64_t withheld;              /* writes that were decided, but there is no writer */
};
struct operator_stats operator_stats(const struct operator* o);
/*
 * Since when, by clock_now, the longest-waiting object has not been Ready as its user wants it; 0:
 * all are Ready. Objects of other operators do not count. Takes time for each object, unless all
 * are Ready.
 */
int64_t operator_unsynced_since(const struct operator* o);
/* Figures of the queue. Takes time for each object that is being worked on. */
struct queue_stats;
void operator_queue_stats(const struct operator* o, struct queue_stats *out);
