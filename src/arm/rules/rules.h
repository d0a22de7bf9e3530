/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - rules as data: what a response from Azure means, and what to do about it.
 *
 * A rule file (api/rules/errors.json is the first) has stages, a stage has rules. Within a stage
 * the first matching rule applies; a later stage changes only what its rule names. So the general
 * table comes first, then plumb's additions, and last the special cases of a kind (kind.h):
 *
 *     {"rules": "errors",
 *      "retries": {"slow": {"base": 1, "factor": 2, "max": 180}},
 *      "stages": [{"name": "codes", "rules": [
 *          {"id": "conflict", "match": {"code": ["Conflict"]},
 *           "class": "retryable", "retry": "slow"},
 *          {"id": "any", "match": {}, "class": "retryable", "retry": "slow"}]}]}
 *
 * Members of a match; all are optional, and all that are present must match:
 *
 *     http        statuses              code       codes of the error itself
 *     inner       codes of any cause    method     of the request
 *     group kind  of the resource       apiVersion {"from": ..., "to": ...}, both included
 *     contains    all of these texts are in the message
 *     containsAny at least one of these is
 *     inOrder     all of these are, one after another
 *     pattern     a regular expression for the message
 *     ignoreCase  for codes and texts
 *     understood  whether the body could be read
 *
 * What a rule may set: class, retry, reason, effect. The program's own rules are embedded; a user's
 * file is read and checked by the same code (plumb rules lint).
 *
 * Loaded rules never change and may be used from any thread.
 */
#pragma once

#include "arm/error.h"

struct kind_rules;
struct source;
struct rules;

enum error_class { CLASS_RETRYABLE, CLASS_FATAL };

/* What an error response is about, and therefore who has to wait. */
enum error_effect {
    EFFECT_OBJECT,  /* this object alone */
    EFFECT_BUCKET,  /* throttled: every request with this subscription, principal and verb */
    EFFECT_SERVER,  /* the server is in trouble: try again in place, a few times */
    EFFECT_TOKEN,   /* the token is not accepted: get a new one, once */
    EFFECT_REPLAN,  /* the resource was changed concurrently: read it again */
    EFFECT_REGISTER /* the provider must be registered for the subscription */
};

/* How the time between attempts grows. */
struct rule_retry {
    str name;
    int64_t base, max; /* ns; max 0: the sync period */
    double factor;     /* from one delay to the next; 1: constant */
    double jitter;     /* a delay is randomly shortened by up to this share of it */
};

/* What rules consider besides the error. */
struct error_facts {
    const struct cloud_error *error;
    str method;                   /* "PUT" */
    str group, kind;              /* the custom resource's; may be empty */
    str api_version;              /* the request's */
    const struct kind_rules *own; /* the kind's rules (kind.h): applied last; NULL: none */
};

struct error_verdict {
    enum error_class class;
    enum error_effect effect;
    const struct rule_retry *retry;
    str reason; /* for conditions: the code, unless a rule sets it */
    str rule;   /* the ids of the rules that decided, joined by ", " */
};

/* Reads and checks a file of rules; errors say where. Rules live as long as a, as must src. */
MUST_CHECK bool rules_read(struct arena *a, const struct source *src, struct rules **out,
                           struct err *e);
/* The built-in rules. */
const struct rules *rules_errors(void);
/* Applies the rules. Everything lives as long as a and the rules. */
void rules_classify(struct arena *a, const struct rules *r, const struct error_facts *facts,
                    struct error_verdict *out);
/* The policy with that name, or NULL. */
const struct rule_retry *rules_retry(const struct rules *r, str name);

/* Something in a file of rules that is valid, but probably a mistake. */
struct rules_finding {
    struct where at;
    str text;
};
/*
 * Reads a file of rules of any kind (detect, errors, kind: its member "rules" says which) and finds
 * probable mistakes. Fails when the file is invalid: the error says where. *count is how many rules
 * it has. src must live as long as a.
 */
MUST_CHECK bool rules_lint_file(struct arena *a, const struct source *src,
                                struct rules_finding **out, size_t *found, size_t *count,
                                struct err *e);
/*
 * Finds rules that never apply because an earlier one matches everything they match, and duplicate
 * ids.
 */
size_t rules_lint(struct arena *a, const struct rules *r, struct rules_finding **out);
