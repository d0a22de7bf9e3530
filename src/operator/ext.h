/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ext.h - what is special about a kind: its points, its rules and its hooks.
 *
 * A kind may deviate from the others at some points of a pass. Rules describe most of that (data:
 * arm/rules/kind.h); what they cannot express is a hook, a function in the kind's struct azure_ext,
 * listed in ext/all.c. Both are found by group and kind, so they apply to every API version,
 * including new ones.
 *
 *     struct ext ext = ext_find(config->rules, config->hooks, group, kind);
 *     struct decision d = ext_check(&ext, &in);
 *     while (d.kind == DECISION_ASK)
 *         ask for d.request, append the answer to in.answers, and call ext_check again
 *
 * **Hooks are pure.** A hook gets what is known (struct ext_input) and returns a decision: a
 * change, or a question (one request), after which it is called again with all answers so far. It
 * does not wait, read the clock or keep state. `next` is the generic decision, with the kind's
 * rules applied: returning it unchanged is the same as having no hook, and an empty rule file is
 * the same as none.
 *
 * The points, in the order of a pass (extension-points.json names them as the reference operator
 * does):
 *
 *     point           state    next                                      rules that count
 *     claim           CLAIM    go on                                     -
 *     payload         SHAPE    value: the payload                        naming, merge
 *     owner_check     CHECK    go on, or blocked by a gate               owner
 *     check           CHECK    go on, or blocked by a gate               send
 *     before_compare  JUDGE    value: wanted, found: Azure's             -
 *     after_compare   JUDGE    the differences                           -
 *     classify        EXPLAIN  the verdict of all rules                  errors
 *     post_check      EXPORT   value: the body for the status            ready, trim
 *     secrets         EXPORT   what operatorSpec.secrets asks for        secrets
 *     configs         EXPORT   what operatorSpec.configMaps asks for     - (the model says where)
 *     success         SETTLE   go on; annotations                        -
 *     delete          REMOVE   request: the DELETE                       delete
 *     import          -        value: the object to be imported          -
 *
 * A point without rules and hooks costs nothing: the owner is read only if ext_asks_owner says so,
 * or if a hook asks for it.
 *
 * before_compare, after_compare and classify decide at once: they cannot ask.
 *
 * payload may ask for a write (a purge), so it must only be called when a PUT is allowed.
 *
 * Everything lives as long as in->arena. May be called from any thread.
 */
#pragma once

#include "arm/lro.h"
#include "arm/rules/kind.h"
#include "value/diff.h"

struct model_resource;

/* One request to Azure. */
struct ext_request {
    str method;
    str url;            /* a path with its query, or a full URL from Azure (nextLink) */
    struct value *body; /* NULL: none */
    bool harmless;      /* changes nothing, whatever its method */
};

/* What a hook may know. Members that do not apply at a point are NULL or empty. */
struct ext_input {
    struct arena *arena;
    const struct model_resource *resource; /* in the version that the user applied */
    const struct value *object;            /* the newest view */
    const struct value *payload;           /* what would be sent */
    const struct value *body;              /* what Azure has; NULL: nothing */
    const struct value *owner;             /* the owner's body in Azure, if a gate looks at it */
    /* Identities of the elements in our last PUT, by path (ext_sent); NULL: unknown. */
    const struct value *sent;
    str id, api_version; /* of the resource and of requests to it */
    str endpoint;        /* of Azure Resource Manager */
    /* To the questions asked at this point in this pass, in order. */
    const struct arm_answer *answers;
    size_t answer_count;
};

enum decision_kind {
    DECISION_GO,       /* go on, with value as the replacement */
    DECISION_ASK,      /* request first, then the same point again */
    DECISION_BLOCK,    /* not now: a condition with severity, reason and message, then a retry */
    DECISION_POSTPONE, /* end the pass successfully without a PUT */
    DECISION_SKIP,     /* import: leave it out, because of message */
};

struct decision {
    enum decision_kind kind;
    struct ext_request request;    /* ASK: the question; GO at delete: the DELETE */
    struct value *value;           /* GO: see the table; NULL: unchanged */
    struct value *found;           /* GO at before_compare */
    struct value *annotations;     /* to set on the object: texts by name, "" removes; or NULL */
    str severity, reason, message; /* BLOCK */
    int64_t retry;                 /* BLOCK: delay in ns; 0: the slow policy */
};

/* A value that goes to a Secret or ConfigMap. */
struct ext_export {
    str object, key; /* the name of the Secret or ConfigMap, and the key in it */
    str value;       /* plain, not encoded */
    const struct value *annotations, *labels; /* for the Secret or ConfigMap; or NULL */
    str member; /* the one of operatorSpec.secrets or configMaps that asks for it */
};

struct ext_exports {
    /* To be answered first. The answers in the input are in the order of these requests. */
    struct ext_request *requests;
    size_t request_count;
    /* Once all of them are answered: */
    struct ext_export *items;
    size_t count;
    str fault; /* instead: why it failed (Warning, Failed, slow); or empty */
};

typedef struct decision ext_decide(const struct ext_input *in, struct decision next);
typedef struct error_verdict ext_classify_fn(const struct ext_input *in,
                                             const struct cloud_error *error,
                                             struct error_verdict next);
typedef struct ext_exports ext_export_fn(const struct ext_input *in, struct ext_exports next);
typedef struct differences ext_compare_fn(const struct ext_input *in, struct differences next);

/* The hooks of one kind; NULL: none at that point. */
struct azure_ext {
    const char *kind; /* "keyvault.azure.com/Vault" */
    ext_decide *claim;
    ext_decide *payload;
    ext_decide *owner_check;
    ext_decide *check;
    ext_decide *before_compare;
    ext_compare_fn *after_compare;
    ext_classify_fn *classify;
    ext_decide *post_check;
    ext_export_fn *secrets;
    ext_export_fn *configs;
    ext_decide *success;
    ext_decide *delete;
    ext_decide *import;
};

/* All hooks of the program, ended by NULL: ext/all.c. */
extern const struct azure_ext *const azure_exts[];

/* What a kind has; both may be NULL. */
struct ext {
    const struct kind_rules *rules;
    const struct azure_ext *hooks;
};
/* rules NULL: the built-in ones; hooks NULL: azure_exts. */
struct ext ext_find(const struct kind_set *rules, const struct azure_ext *const *hooks, str group,
                    str kind);

/* ---- The points. ----------------------------------------------------------------------------- */

struct decision ext_claim(const struct ext *x, const struct ext_input *in);
/*
 * The payload as it is to be sent, including list elements that belong to others. Elements that our
 * last PUT had and the payload lacks are ours, so they are dropped.
 */
struct decision ext_payload(const struct ext *x, const struct ext_input *in);
struct decision ext_owner_check(const struct ext *x, const struct ext_input *in);
struct decision ext_check(const struct ext *x, const struct ext_input *in);
struct decision ext_before_compare(const struct ext *x, const struct ext_input *in);
struct differences ext_after_compare(const struct ext *x, const struct ext_input *in,
                                     struct differences next);
/* The verdict on an error of Azure. facts.own is filled in here; general are the general rules. */
struct error_verdict ext_classify(const struct ext *x, const struct ext_input *in,
                                  const struct rules *general, struct error_facts facts);
struct decision ext_post_check(const struct ext *x, const struct ext_input *in);
struct ext_exports ext_secrets(const struct ext *x, const struct ext_input *in);
struct ext_exports ext_configs(const struct ext *x, const struct ext_input *in);
struct decision ext_success(const struct ext *x, const struct ext_input *in);
struct decision ext_delete(const struct ext *x, const struct ext_input *in);
struct decision ext_import(const struct ext *x, const struct ext_input *in);

/* Whether gates look at the owner's body, so that it must be read before a PUT. */
bool ext_asks_owner(const struct ext *x);
/*
 * What to remember of a payload that was sent, for in->sent of later passes; NULL: nothing. Takes
 * the payload made from the spec alone, before ext_payload.
 */
struct value *ext_sent(struct arena *a, const struct ext *x, const struct value *payload);

/* ---- For hooks, and for those who call them. ------------------------------------------------- */

struct decision decision_go(struct value *value);
struct decision decision_ask(const char *method, str url, struct value *body);
/* Warning and the reason of the point; change the members for anything else. */
struct decision decision_block(str message);
/* For an answer that reports a failure. what names the thing asked for: "the deleted vaults". */
struct decision decision_refused(const struct ext_input *in, const char *what,
                                 const struct arm_answer *answer);
/* The answer to question i; NULL if not asked yet. */
const struct arm_answer *ext_answer(const struct ext_input *in, size_t i);
/* The object in a body, or NULL. */
struct value *ext_body(const struct ext_input *in, const struct arm_answer *answer);
/* "/subscriptions/.../name/sub?api-version=...", escaped; sub may be empty. */
str ext_path(struct arena *a, str id, str sub, str api_version);
/* The full URL of a request. False if it is not at this endpoint, which must not see our token. */
MUST_CHECK bool ext_url(struct arena *a, str endpoint, const struct ext_request *request, str *out);
