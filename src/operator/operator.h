/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator.h - keeps Azure as custom resources declare it.
 *
 *     struct operator *o = operator_new(&config, &ports);
 *     operator_changed(o, &key);                 a watch cache has news of an object
 *     operator_tell(o, ticket, &answer);         a request of the operator is answered
 *     due = operator_step(o);                    call it again at due, or when there is news
 *     operator_free(o);
 *
 * One thread owns the operator and calls operator_step, which never waits. News comes in through a
 * mailbox: operator_changed and operator_tell may be called from any thread. Requests go out
 * through ports (ports.h), at most one per object at a time.
 *
 * An operator holds no state that matters: freed at any moment and created again, it continues from
 * the objects and from Azure. Its creator calls operator_changed once for every object.
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
/* What happens when Azure has something else than it should. */
enum drift_mode { DRIFT_CORRECT, DRIFT_REPORT, DRIFT_PUT_ONLY };

struct operator_config {
    struct model *model;
    str subscription;      /* of the global credential, when the ports know no accounts */
    str endpoint;          /* of Azure Resource Manager: "https://management.azure.com" */
    str namespace;         /* of this operator: objects of another one are left alone */
    str version;           /* of this program, for the label of objects; empty: none is written */
    bool take_over;        /* objects of another operator become ours */
    enum policy policy;    /* where neither object nor Namespace say */
    enum drift_mode drift; /* where neither object, Namespace nor kind say */
    /* For digests of payloads: secret, and the same after a restart. Empty: digests can be tried.
     */
    str digest_key;
    int64_t period; /* between checks of an object that is well; each varies by a quarter */
    /* A reference to something that is not Ready is sent after so long; 0: ten minutes. */
    int64_t patience;
    /* More deletions than that within ten minutes wait for confirmation; 0: none does. */
    unsigned confirm_deletes;
    /* Everything is read one by one at once, even where others wait for a list. */
    bool impatient;
    /* Nothing outside of these ids is read or written; none: everything is allowed. */
    const str *scopes;
    size_t scope_count;
    /* What is special about kinds (ext.h); both must live as long as the operator. */
    const struct kind_set *rules;         /* NULL: the built-in ones */
    const struct azure_ext *const *hooks; /* ended by NULL; NULL: the built-in ones */
};

/* Texts of config are copied; the model must live as long as the operator. */
struct operator* operator_new(const struct operator_config *config, const struct ports *ports);
/* Responses that arrive later must not be delivered. o may be NULL. */
void operator_free(struct operator* o);

/*
 * An object has come, changed or gone: a custom resource, a Secret or a ConfigMap. Wakes the object
 * itself, unless nothing that a user decides has changed, and those that wait for it.
 */
void operator_changed(struct operator* o, const struct object_key *key);
/* The answer to an effect; http 0: there was none. Everything is copied. */
void operator_tell(struct operator* o, uint64_t ticket, const struct arm_answer *answer);
/* Does what is due and answers when by clock_mono there is something to do again; INT64_MAX: only
 * after news. */
int64_t operator_step(struct operator* o);

/* From now on references are sent whether or not they are Ready; those that wait look again. */
void operator_hurry(struct operator* o);

struct operator_stats {
    size_t objects, flying;         /* known ones, and those with a request under way */
    uint64_t passes, reads, writes; /* begun so far */
    uint64_t listed;                /* looks that a list of Azure answered */
    uint64_t unchanged;             /* looks that found everything as it was, to the byte */
    uint64_t withheld;              /* writes that were decided without a writer to make them */
};
struct operator_stats operator_stats(const struct operator* o);
/*
 * Since when, by clock_now, the oldest object that is not Ready as its user wants it is not; 0: all
 * are. Objects of other operators do not count. A moment for each object, unless all are.
 */
int64_t operator_unsynced_since(const struct operator* o);
/* Of the queue of objects: a moment for each one that is worked on. */
struct queue_stats;
void operator_queue_stats(const struct operator* o, struct queue_stats *out);
