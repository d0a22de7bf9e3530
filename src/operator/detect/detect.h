/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.h - detects changes of a resource. Pure: no clock, no I/O, any thread.
 *
 * What is wanted (the payload of a PUT) and what is found (the body of a GET) are first brought to
 * one canonical form by the model of the kind: members that cannot be written are cut off, and
 * what a service means alike is spelled alike (see the rules below). Then value_diff, the one
 * engine of difference, lists what still differs.
 *
 * Azure never answers with just what was sent, so the differences of the first settled look after
 * a PUT are kept as a record of known differences. A later look is compared with what the record
 * leads to expect: wanted, with the known differences applied. Whatever differs from that is new,
 * on members the user set and on those left to Azure alike.
 *
 *     struct detect *d = detect_new(a, model, resource, key);
 *     const struct value *wanted = detect_wanted(d, payload);
 *     const struct value *found = detect_found(d, body, wanted);
 *     struct record record = detect_learn(d, wanted, found);          after a PUT
 *     struct deviations news = detect_compare(d, &record, wanted, found); at every look
 *
 * Everything lives as long as the arena, the model and the bodies.
 */
#pragma once

#include "azure/model/model.h"
#include "value/diff.h"

/* Counts up whenever canonical forms change so that older records do not fit any more. */
#define DETECT_COMPARATOR 2

/* What is spelled alike or left out. Each rule can be switched off for a kind: api/rules. */
enum detect_rule {
    DETECT_EMPTY,    /* null, {}, [] and "" are as good as absent */
    DETECT_NEVER,    /* etag, systemData, provisioningState; name, id and type of the resource */
    DETECT_KEY_CASE, /* names of members, and keys of maps, in a different case */
    DETECT_ENUM,     /* values of an enum in a different case */
    DETECT_ID,       /* ids in a different case, with a trailing slash */
    DETECT_ROLE,     /* role definitions with or without their subscription */
    DETECT_GUID,     /* in a different case */
    DETECT_LOCATION, /* "West US 2" for westus2 */
    DETECT_SKU,      /* names of SKUs and machine sizes in a different case */
    DETECT_NUMBER,   /* a number as text, where the model wants a number, and the reverse */
    DETECT_FOLD,     /* texts that a service was seen to return in a different case */
    DETECT_XML,      /* blanks between the tags of an embedded XML text */
    DETECT_JSON,     /* blanks in, and the order of, an embedded JSON text */
    DETECT_CHILDREN, /* new elements that are resources of their own are not drift */
    DETECT_RULE_COUNT,
};
/* "empty", as in a rule file and in metrics. */
const char *detect_rule_name(enum detect_rule rule);
/* The mode that api/rules gives a kind ("correct", "report", "put-only"), or nothing. */
str detect_mode_of(const struct model_resource *resource);

/* Why Azure's answer is not what was sent. */
enum detect_cause {
    CAUSE_DEFAULTED,  /* the user left it to Azure */
    CAUSE_EXTENDED,   /* Azure added elements or entries */
    CAUSE_HIDDEN,     /* Azure never tells it */
    CAUSE_DROPPED,    /* the user set it, Azure does not have it */
    CAUSE_NORMALISED, /* the same in another spelling */
    CAUSE_REPLACED,   /* the user set it, Azure has another value */
    CAUSE_COUNT,
};
const char *detect_cause_name(enum detect_cause cause);
/* Whether a wish of the user was not granted. */
bool detect_cause_is_loss(enum detect_cause cause);

struct detect;

/*
 * One comparison of a resource. key is what secrets are digested with; they are never kept or
 * shown, only compared by these digests.
 */
struct detect *detect_new(struct arena *a, struct model *model,
                          const struct model_resource *resource, str key);
/* Switches a rule, which counts from then on. All are on but those that api/rules switches off. */
void detect_switch(struct detect *d, enum detect_rule rule, bool on);
/* What differs passes through filter, the say of a kind, before it is judged or learned. */
typedef struct differences detect_filter_fn(void *ctx, struct differences all);
void detect_filter(struct detect *d, detect_filter_fn *filter, void *ctx);
/* How often each rule made a difference, DETECT_RULE_COUNT numbers. */
const uint32_t *detect_rules_used(const struct detect *d);

/* The canonical form of a payload, and of an answer of Azure to a GET. */
struct value *detect_wanted(struct detect *d, const struct value *payload);
struct value *detect_found(struct detect *d, const struct value *body, const struct value *wanted);

/* ---- Known differences. ---- */

/* Values whose JSON is longer are kept as digest and length; nothing secret is ever kept. */
#define KNOWN_VALUE_MAX 1024
/* The most differences that a record keeps; a longer one is ignored. */
#define RECORD_MAX 2000

struct known {
    str path; /* dotted, with identifier steps */
    enum difference_kind kind;
    enum detect_cause cause;
    const struct value *wanted; /* shortened, by digest when hidden; NULL when unset */
    const struct value *found;  /* NULL when missing, or long */
    str digest;                 /* of a long value, and its length */
    size_t length;
};

struct record {
    struct known *items;
    size_t count;
    bool overflow; /* there are more than a record keeps */
};

/* How found, a settled answer after a PUT of wanted, differs from it. */
struct record detect_learn(struct detect *d, const struct value *wanted, const struct value *found);
/* As knownDifferences of an operatorStatus. */
struct value *record_write(struct arena *a, const struct record *r);
/* False when it is none of ours. */
MUST_CHECK bool record_read(struct arena *a, const struct value *v, struct record *out);

/* ---- New differences. ---- */

struct deviation {
    str path;
    enum difference_kind kind;  /* from what was expected to what was found */
    const struct value *wanted; /* NULL: left to Azure */
    const struct value *before; /* expected: as wanted or as recorded; NULL: nothing */
    const struct value *found;  /* NULL: nothing */
    bool hidden;                /* Azure never tells it */
    bool child;                 /* inside of a resource of its own that the user did not name */
};

struct deviations {
    struct deviation *items;
    size_t count;
};

/* The most new differences that are listed. */
#define DEVIATIONS_MAX 200

/*
 * What is new since the record was taken; without a record (NULL) every difference is. A value that
 * Azure did not grant at first and has as wanted now is not new.
 */
struct deviations detect_compare(struct detect *d, const struct record *record,
                                 const struct value *wanted, const struct value *found);
/*
 * Leaves only what the user set and Azure can tell: what adopting a resource looks at, where
 * nothing is known about defaults.
 */
void deviations_keep_set(struct deviations *f);
/*
 * What another payload than that of the record asks for and Azure does not have yet. Azure has it
 * all when every member that is set is there as wanted, known differences being no excuse, and
 * nothing was there before that is not asked for any more.
 */
struct deviations detect_unsatisfied(struct detect *d, const struct record *record,
                                     const struct value *wanted, const struct value *found);
/* Whether it is a member that nobody set and that was not there, as a service adds when it evolves;
 * entries of maps and elements of lists are none, and neither are tags. */
bool deviation_is_new_member(const struct detect *d, const struct deviation *f);
/* Leaves out what is inside of children: their own objects look after them. */
void deviations_drop_children(struct deviations *f);
/*
 * After a child resource was written, the parent may show it: leaves out what is inside of
 * children, and what was added to members that nobody set, but for tags: no child shows in those. A
 * record taken next knows it.
 */
void deviations_drop_child_write(struct deviations *f);

/* The digest of any canonical tree: "sha256:...", the same for the same content. */
str detect_digest(struct arena *a, str key, const struct value *v);

/* ---- Convergence. ---- */

struct guard_entry {
    str path;
    const struct value *wanted, *found; /* the pair; shortened, by digest when hidden */
    unsigned puts;                      /* that it caused */
};

/* The corrective PUTs of one payload, by what caused them. */
struct guard {
    struct guard_entry *items;
    size_t count;
};

/* From and to "guard" of an operatorStatus; what is not understood is left out. */
void guard_read(struct arena *a, const struct value *v, struct guard *out);
struct value *guard_write(struct arena *a, const struct guard *g);
/* Whether a difference was corrected so often that it no longer causes a PUT. */
bool guard_holds(struct detect *d, const struct guard *g, const struct deviation *f);
/* Whether a member that the user left to Azure has caused a PUT before, at any of these paths. */
bool guard_knows(const struct guard *g, const struct deviations *f);
/* Takes those out of f. */
struct deviations guard_filter(struct detect *d, const struct guard *g, struct deviations *f);
/* These, and what is still as when it was held: a record that was taken since knows it. */
struct deviations guard_stuck(struct detect *d, const struct guard *g,
                              const struct deviations *held, const struct value *wanted,
                              const struct value *found);
/* Counts a PUT for each of these. */
void guard_count(struct detect *d, struct guard *g, const struct deviations *f);

/* ---- Sharing. ---- */

/*
 * Paths that somebody else may change, from lists of dotted paths between commas, blanks or line
 * ends; "*" stands for any step. ignore: everything there; additive: new elements and entries.
 */
struct sharing {
    const struct path *ignore, *additive;
    size_t ignore_count, additive_count;
};
struct sharing sharing_read(struct arena *a, str ignore, str additive);
/*
 * Leaves out what is inside the bounds, by default also the size of a pool of machines that Azure
 * scales by itself.
 */
void deviations_drop_shared(struct detect *d, struct deviations *f, const struct sharing *s,
                            const struct value *found);
/* The payload with the live values of what is shared, so that a PUT does not take them back. */
const struct value *sharing_carry(struct detect *d, const struct sharing *s,
                                  const struct value *payload, const struct value *wanted,
                                  const struct value *found);
