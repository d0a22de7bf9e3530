/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.h - detects changes of a resource. Pure: no clock, no I/O, any thread.
 *
 * What is wanted (the payload of a PUT) and what is found (the body of a GET) are first brought
 * into a canonical form with the model of the kind: read-only members are removed, and values that
 * a service treats as equal are spelled the same way (see the rules below). Then value_diff lists
 * what still differs.
 *
 * Azure never returns exactly what was sent, so the differences found once it has settled after a
 * PUT are kept as a record of known differences. Later answers are compared with what that record
 * leads us to expect: wanted, with the known differences applied. Whatever differs from that is
 * new, whether the user set the member or left it to Azure.
 *
 *     struct detect *d = detect_new(a, model, resource, key);
 *     const struct value *wanted = detect_wanted(d, payload);
 *     const struct value *found = detect_found(d, body, wanted);
 *     struct record record = detect_learn(d, wanted, found);          after a PUT
 *     struct deviations news = detect_compare(d, &record, wanted, found); at every check
 *
 * Everything lives as long as the arena, the model and the bodies.
 */
#pragma once

#include "azure/model/model.h"
#include "value/diff.h"

/* Incremented whenever a change to the canonical forms makes older records unusable. */
#define DETECT_COMPARATOR 2

/* What is normalised or left out. Each rule can be switched off for a kind: api/rules. */
enum detect_rule {
    DETECT_EMPTY,    /* null, {}, [] and "" count as absent */
    DETECT_NEVER,    /* etag, systemData, provisioningState; name, id and type of the resource */
    DETECT_KEY_CASE, /* names of members, and keys of maps, in a different case */
    DETECT_ENUM,     /* values of an enum in a different case */
    DETECT_ID,       /* ids in a different case, with a trailing slash */
    DETECT_ROLE,     /* role definitions with or without their subscription */
    DETECT_GUID,     /* in a different case */
    DETECT_LOCATION, /* "West US 2" for westus2 */
    DETECT_SKU,      /* names of SKUs and machine sizes in a different case */
    DETECT_NUMBER,   /* a number as text where the model has a number, and the reverse */
    DETECT_FOLD,     /* texts that a service is known to return in a different case */
    DETECT_XML,      /* whitespace between the tags of embedded XML */
    DETECT_JSON,     /* whitespace and member order in embedded JSON */
    DETECT_CHILDREN, /* new elements that are resources of their own are not drift */
    DETECT_RULE_COUNT,
};
/* The mode that api/rules sets for a kind ("correct", "report", "put-only"), or empty. */
str detect_mode_of(const struct model_resource *resource);

/* Why Azure's answer is not what was sent. */
enum detect_cause {
    CAUSE_DEFAULTED,  /* the user left it to Azure */
    CAUSE_EXTENDED,   /* Azure added elements or entries */
    CAUSE_HIDDEN,     /* Azure never returns it */
    CAUSE_DROPPED,    /* the user set it, but Azure does not have it */
    CAUSE_NORMALISED, /* the same value, spelled differently */
    CAUSE_REPLACED,   /* the user set it, but Azure has another value */
    CAUSE_COUNT,
};
const char *detect_cause_name(enum detect_cause cause);
/* Whether Azure did not do what the user asked for. */
bool detect_cause_is_loss(enum detect_cause cause);

struct detect;

/*
 * One comparison of a resource. key is the key for digests of secrets, which are never kept or
 * shown, only compared by digest.
 */
struct detect *detect_new(struct arena *a, struct model *model,
                          const struct model_resource *resource, str key);
/* Filters the differences, as a kind's hook demands, before they are judged or learned. */
typedef struct differences detect_filter_fn(void *ctx, struct differences all);
void detect_filter(struct detect *d, detect_filter_fn *filter, void *ctx);

/* The canonical forms of a payload and of Azure's answer to a GET. */
struct value *detect_wanted(struct detect *d, const struct value *payload);
struct value *detect_found(struct detect *d, const struct value *body, const struct value *wanted);

/* ---- Known differences. ---- */

/* Values whose JSON is longer are kept as digest and length. Secrets are never kept. */
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
    bool overflow; /* there were more differences than a record can hold */
};

/* Records how found, a settled answer after a PUT of wanted, differs from wanted. */
struct record detect_learn(struct detect *d, const struct value *wanted, const struct value *found);
/* The record as knownDifferences of an operatorStatus. */
struct value *record_write(struct arena *a, const struct record *r);
/* False if it is not a record of ours. */
MUST_CHECK bool record_read(struct arena *a, const struct value *v, struct record *out);

/* ---- New differences. ---- */

struct deviation {
    str path;
    enum difference_kind kind;  /* from what was expected to what was found */
    const struct value *wanted; /* NULL: left to Azure */
    const struct value *before; /* expected: as wanted or as recorded; NULL: nothing */
    const struct value *found;  /* NULL: nothing */
    bool hidden;                /* Azure never returns it */
    bool child;                 /* inside a child resource that the user did not name */
};

struct deviations {
    struct deviation *items;
    size_t count;
};

/* The most new differences that are listed. */
#define DEVIATIONS_MAX 200

/*
 * The differences that are new since the record was taken; without a record (NULL), all of them. A
 * value that Azure did not accept at first but has as wanted by now is not new.
 */
struct deviations detect_compare(struct detect *d, const struct record *record,
                                 const struct value *wanted, const struct value *found);
/*
 * Keeps only members that the user set and that Azure returns. Used when a resource is adopted, as
 * nothing is known about its defaults yet.
 */
void deviations_keep_set(struct deviations *f);
/* Whether it is a member that nobody set and that was not there before, such as a service adds when
 * it evolves. Entries of maps, elements of lists and tags do not count. */
bool deviation_is_new_member(const struct detect *d, const struct deviation *f);
/* Leaves out differences inside children: their own objects take care of them. */
void deviations_drop_children(struct deviations *f);
/*
 * A child resource that was written may show in its parent. Leaves out differences inside children
 * and additions to members that nobody set, but not tags, where no child shows. The next record
 * includes them.
 */
void deviations_drop_child_write(struct deviations *f);

/* The digest of any canonical tree: "sha256:...", the same for the same content. */
str detect_digest(struct arena *a, str key, const struct value *v);

/* ---- Convergence. ---- */

struct guard_entry {
    str path;
    const struct value *wanted, *found; /* shortened; digests when hidden */
    unsigned puts;                      /* caused by this pair */
};

/* Counts the corrective PUTs of one payload by their cause. */
struct guard {
    struct guard_entry *items;
    size_t count;
};

/* From and to "guard" of an operatorStatus; entries that are not understood are left out. */
void guard_read(struct arena *a, const struct value *v, struct guard *out);
struct value *guard_write(struct arena *a, const struct guard *g);
/* Whether a difference has been corrected so often that it no longer causes a PUT. */
bool guard_holds(struct detect *d, const struct guard *g, const struct deviation *f);
/* Whether a member that the user left to Azure has caused a PUT before, at any of these paths. */
bool guard_knows(const struct guard *g, const struct deviations *f);
/* Takes the held differences out of f and returns them. */
struct deviations guard_filter(struct detect *d, const struct guard *g, struct deviations *f);
/*
 * The held differences, and those that a record taken since contains but that are unchanged since
 * they were held.
 */
struct deviations guard_stuck(struct detect *d, const struct guard *g,
                              const struct deviations *held, const struct value *wanted,
                              const struct value *found);
/* Counts a PUT for each of the differences. */
void guard_count(struct detect *d, struct guard *g, const struct deviations *f);

/* ---- Sharing. ---- */

/*
 * Paths that somebody else may change, read from dotted paths separated by commas or whitespace;
 * "*" matches any step. ignore covers everything at a path, additive only new elements and entries.
 */
struct sharing {
    const struct path *ignore, *additive;
    size_t ignore_count, additive_count;
};
struct sharing sharing_read(struct arena *a, str ignore, str additive);
/*
 * Leaves out differences at shared paths, and the size of a machine pool that Azure scales by
 * itself.
 */
void deviations_drop_shared(struct detect *d, struct deviations *f, const struct sharing *s,
                            const struct value *found);
/* The payload with the live values at shared paths, so that a PUT does not revert them. */
const struct value *sharing_carry(struct detect *d, const struct sharing *s,
                                  const struct value *payload, const struct value *wanted,
                                  const struct value *found);
