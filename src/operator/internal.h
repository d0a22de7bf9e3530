/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - a pass over one object, as a state machine without I/O.
 *
 * A state is a function that takes the pass and returns the next step. It does not wait, read the
 * clock or call anything outside but the cache lookup: what it knows is in struct pass, and what it
 * wants is the step it returns. A state that asks for something is called again with the answer
 * (pass_answer).
 */
#pragma once

#include "operator/operator.h"

#include "arm/rules/rules.h"
#include "operator/ext.h"
#include "azure/convert/convert.h"
#include "object/condition.h"
#include "operator/detect/detect.h"

/* Identifiers that the reference operator keeps with its poll tokens. */
#define POLLER_PUT "GenericClient.CreateOrUpdateByID"
#define POLLER_DELETE "GenericClient.DeleteByID"

enum state {
    STATE_LOOK,
    STATE_REFRESH,
    STATE_CLAIM,
    STATE_GATHER,
    STATE_READ,
    STATE_SHAPE,
    STATE_JUDGE,
    STATE_CHECK,
    STATE_SEND,
    STATE_NOTE,
    STATE_FOLLOW,
    STATE_LEARN,
    STATE_EXPORT,
    STATE_SETTLE,
    STATE_MASK,
    STATE_EXPLAIN,
    STATE_REMOVE,
    STATE_RELEASE,
    STATE_COUNT,
};

enum pass_step_kind {
    STEP_TO,     /* another state, at once */
    STEP_ASK,    /* an effect; the state is called again with its answer */
    STEP_PAUSE,  /* the state is called again after a while */
    STEP_REST,   /* the pass ends; the next one comes after a while */
    STEP_PERIOD, /* the pass ends well; the next one comes after the sync period */
    STEP_FORGET, /* the pass ends, and the object is forgotten */
};

struct pass_step {
    enum pass_step_kind kind;
    enum state to;        /* STEP_TO */
    struct effect effect; /* STEP_ASK */
    /* STEP_PAUSE, STEP_REST: STEP_NEVER waits for a wake-up. STEP_PERIOD: 0 is the usual one. */
    int64_t delay;
};
#define STEP_NEVER INT64_MAX

/* What is remembered of an object between passes. It may be lost at any time. */
struct card {
    struct object_key key;
    str text;           /* the key as one text; both are stored after the card */
    struct pass *pass;  /* under way, or NULL */
    uint64_t ticket;    /* of the effect in flight, or 0 */
    int64_t resume;     /* when a paused pass goes on */
    int64_t looks;      /* the limit on looks caused by Secrets is used up until then */
    uint64_t version;   /* made by our last write: older views are outdated */
    uint64_t seen;      /* what the user had decided at the last look: meta_intent */
    uint32_t attempt;   /* failures in a row */
    uint32_t busy;      /* looks in a row at what others were changing */
    uint64_t id;        /* hash of the id that it claims, or 0 */
    uint64_t put;       /* hash of the payload in Azure if the object does not record it, or 0 */
    uint8_t state;      /* enum object_state, as it was counted */
    bool waits;         /* for something that a watch will report */
    bool well;          /* the last pass ended well */
    bool again;         /* something changed while a pass was under way */
    bool renewed;       /* what it is made from has changed: earlier failures no longer count */
    bool outdated;      /* it waits for the cache to show its own last write */
    bool unsure;        /* the answer to a write was lost: the cache may be outdated */
    bool overlaps;      /* another operator manages it, and that was reported */
    bool child_written; /* a child was written since the record was taken */
    bool suspect;       /* a list shows a difference: it is read next */
    bool swept;         /* it is in a list that was read: it is looked at early */
    bool resumed;       /* it was idle when this process started, and has not been looked at yet */
    int64_t due;        /* when its next periodic look is due */
    int64_t unsynced;   /* since when it is not Ready as the user wants it; 0 if it is */
    struct collection *lists[2]; /* that its resource is in: sweep.c */
    /* The last look that found nothing to do: calm.c. */
    struct {
        uint64_t version, payload; /* of the object, and a hash of its payload */
        uint64_t mark;             /* hash of the answer; 0: there was no such look */
        unsigned looks;            /* since then that found the same */
        bool reads;                /* Secrets or ConfigMaps are in the payload */
    } calm;
    bool delete_sent; /* a DELETE was sent, which counts for --confirm-deletes */
    /* Owned by graph.c. */
    str *needs;
    uint32_t need_count, need_cap;
};

/* Why an object is not Ready. */
struct verdict {
    str severity, reason, message;
    int64_t retry; /* delay; 0: by attempt, as rule says */
    const struct rule_retry *rule;
    int64_t delay; /* the resulting delay, with the rule's jitter; 0: not decided yet */
    bool waits;    /* the graph wakes the object: no timed retry unless retry is set */
    bool quiet;    /* nothing is written: a healthy object stays Ready for a few tries */
    /* Of an error of Azure. */
    const char *class;
    str rules; /* the rules that decided */
    str request_id;
};

/*
 * Why the resource must be written; judge_cause finds it.
 */
struct cause {
    const char *name; /* "absent", "generation", "drift" */
    str paths;        /* where, for people; may be empty */
};

/* A Secret or ConfigMap as we left it. */
struct exported {
    str need; /* in the graph */
    uint64_t version;
};

/* Who wrote a resource last; empty: unknown. */
struct author {
    str by, at;
};

/* The result of comparing payload and body: drift.c. */
struct drift {
    struct detect *detect;
    struct ext ext; /* the kind's hooks, before and after the comparison */
    struct ext_input in;
    const struct value *payload;        /* as gathered */
    const struct value *wanted, *found; /* canonical */
    struct record record;               /* of this payload */
    bool known;                         /* there is a record */
    struct guard guard;
    bool guarded, counted; /* guard was read; it has counted a PUT, or was cleared */
    struct sharing sharing;
    struct deviations news, held; /* reasons to write; those that no longer are */
    struct deviations evolved;    /* changed by Azure itself, held */
    bool waits;                   /* all news may be Azure's own changes */
    bool learn;                   /* a record is to be taken from found */
    bool settled;                 /* and that record is final */
    bool carried;                 /* a PUT with recorded values was sent */
    bool landed;                  /* a PUT has corrected drift, or tried to */
    struct deviations carrying;   /* what a second PUT is about, until it has landed, too */
};

/* Whether a new member was added by Azure itself. */
enum evolve {
    EVOLVE_NO,    /* drift */
    EVOLVE_WAIT,  /* not known yet: ask again soon */
    EVOLVE_FOUND, /* it was, and that is news */
    EVOLVE_HELD,  /* it was */
};

/* Writes about an object that the API server rejects. */
enum { REJECTS_METADATA = 1, REJECTS_BODY = 2, REJECTS_STATUS = 4 };

struct pass {
    struct arena *arena;
    const struct operator_config *config;
    const struct ports *ports;
    struct card *card;
    int64_t now;
    enum state state;
    unsigned phase;               /* within a state, 0 when it is entered */
    struct arm_answer *answer;    /* to the last effect; NULL: none */
    struct sweeps *sweeps;        /* NULL: resources are read one by one */
    struct collection *sweep;     /* that this pass lists */
    struct collection *published; /* its other resources can be looked at: for the loop */
    bool timed;                   /* started by the period, not by news */
    bool disowned;                /* it was a copy of an object that claims a resource */
    bool listed;                  /* body is from a list */
    bool calm;                    /* nothing has changed since the last look: calm.c */
    bool ungathered;              /* READ comes before GATHER, which may not be needed */
    bool paused;                  /* the pause that the state asked for is over */
    bool asked;                   /* the next answer is to a question of a hook */

    struct account account;                /* after LOOK */
    enum effect_priority priority;         /* of requests to Azure */
    const struct value *object;            /* the newest view */
    const struct model_resource *resource; /* in the version that the user applied */
    const struct model_resource *hub;      /* in the version in which it is stored */
    const struct value *applied;           /* the object in that version; after GATHER */
    struct arm_request request;            /* what is wanted; after GATHER */
    int64_t generation;                    /* of the object that the request was made from */
    const struct value *body;              /* what Azure has, NULL if nothing; after READ */
    uint64_t mark;                         /* hash of body; 0: the body alone does not decide */
    uint64_t before;                       /* hash of body before the PUT: drift.c; 0: unknown */
    bool tried;                            /* a PUT was sent */
    bool sent;                             /* body is what a PUT has led to */
    struct cause cause;                    /* of the PUT */
    struct drift *drift;                   /* NULL: not compared */
    struct author author;                  /* by the activity log, after JUDGE; see author_of */
    str digest;                            /* of the payload, keyed; after GATHER */
    str request_id;                        /* of the last answer of Azure */
    const struct value *annotated;         /* the memory from an annotation, or NULL */
    struct value *memory;                  /* status.operatorStatus as it will be; NULL: as it is */
    unsigned rejects;                      /* REJECTS_... bits: not tried again in this pass */
    bool told;                             /* the verdict was reported */
    const struct value *owner_body;        /* what Azure has of the owner; NULL: not read */
    struct lro operation;
    bool following;         /* operation is under way */
    bool drop_token;        /* the poll token on the object is no longer of use */
    struct arena *polls[2]; /* in turns: the last answer to a poll, and the operation after it */
    unsigned polled;
    unsigned looks; /* at something that should be gone */
    struct verdict verdict;
    /*
     * Callbacks of the loop for --confirm-deletes: how many objects were deleted in Azure within
     * the last ten minutes, and (now) how many it would be with this one; and to note that this one
     * is deleted.
     */
    size_t (*deletes)(void *ctx, const struct card *card, size_t *now);
    void (*deleted)(void *ctx, const struct card *card);
    void *deletes_ctx;
    /* Callback of the loop: an older object of the same kind that claims an id, or NULL. */
    const struct value *(*holder)(void *ctx, const struct pass *p, str id);
    /* Callback of the loop: how many objects of the kind show a new member, and of how many. */
    enum evolve (*evolves)(void *ctx, const struct card *card, str path, size_t *shown,
                           size_t *all);

    /* At the points of the kind: see pass_ext.c. */
    struct {
        struct arm_answer *items; /* to the questions of the point where the pass is */
        size_t len, cap;
    } ext;
    struct value *annotations;       /* to set on the object: texts, "" removes; or NULL */
    const struct value *own_payload; /* made from the spec alone; after SHAPE */

    /* EXPORT: the objects to be written and those already written, by "Secret name". */
    struct map *targets, *written;
    size_t target; /* the current one */
    str export_fault;
    /* Versions made by our writes of targets, for the loop. */
    VEC(struct exported) exported;

    struct str_list needs; /* keys of what the object is made from */
    bool needs_changed;
    bool needs_complete;     /* whatever is not in needs is no longer needed */
    struct str_list secrets; /* values that must never be shown, also in base64: mask_values */
    struct map *hidden;      /* those that are in secrets */
    size_t sorted;           /* how many of them are in order */
    struct map *known; /* "group/kind/namespace/name" to a Secret or ConfigMap that was read */
    str unread;        /* the path of one that must be read first */
    str unread_key;
    str missing_reason; /* of the last failed look-up */
};

/* ---- pass.c ---- */

struct pass_step state_run(struct pass *p);
struct pass_step step_to(enum state to);
struct pass_step step_rest(int64_t delay);
struct pass_step step_pause(int64_t delay);
struct pass_step step_kube(struct pass *p, enum effect_kind kind, str path,
                           const struct value *body);
struct pass_step step_arm(struct pass *p, enum effect_kind kind, str url, const struct value *body);
/* Goes to EXPLAIN. */
struct pass_step step_explain(struct pass *p, const char *severity, const char *reason,
                              str message);
/* The same for something that a watch will report. */
struct pass_step step_wait(struct pass *p, const char *reason, str message);
/* The same after a while, or when a watch reports it. */
struct pass_step step_wait_for(struct pass *p, const char *reason, str message, int64_t delay);
/* The same for an error of Azure, or if there was no answer, by way of MASK. */
struct pass_step step_refused(struct pass *p, str method, const struct cloud_error *error);
struct pass_step step_answer_refused(struct pass *p, str method, const struct arm_answer *answer);
/* The answer to the last effect, returned only once; NULL if nothing was asked yet. */
const struct arm_answer *pass_answer(struct pass *p);
/* Takes the answer to a patch. True if it was applied: the pass then has the new object. */
bool pass_wrote(struct pass *p, const struct arm_answer *answer, struct pass_step *otherwise);
/* The object of a body, or NULL. */
struct value *pass_read_json(struct pass *p, str text);
/* Notes that the object is made from another one. */
void pass_need(struct pass *p, const struct object_key *key);
/*
 * Notes that the object writes another one: changes to that one by others wake the object, its own
 * do not. pass_exported notes the versions that its own writes made.
 */
void pass_export(struct pass *p, const struct object_key *key);
void pass_exported(struct pass *p, const struct object_key *key, uint64_t version);
/* The policy that the user wants, looked up in object, Namespace and configuration. */
enum policy pass_policy(struct pass *p);
enum policy pass_policy_of(struct pass *p, const struct value *object);
/* Finds the account; if false, otherwise is the next step. */
bool pass_account(struct pass *p, struct pass_step *otherwise);
/* Reports to people, in the log and as an Event. */
void pass_report(struct pass *p, bool warning, const char *action, str reason, str message);
str pass_id(const struct pass *p);
str pass_url(struct pass *p);
str pass_url_of(struct pass *p, str id, str api_version);
/* Whether an id is below one of the allowed scopes, and the step that explains that it is not. */
bool pass_in_scope(const struct pass *p, str id);
struct pass_step step_out_of_scope(struct pass *p, str id);
/* Whether an id belongs to a resource of the object's kind. */
bool pass_is_of_kind(struct pass *p, str id, struct pass_step *otherwise);
/* Whether Azure may be asked about the resource at all: type, subscription and scope. */
bool pass_may_ask(struct pass *p, struct pass_step *otherwise);
/*
 * The object with the Azure name that was fixed when it was claimed, since names that are random or
 * come from ConfigMaps could be different now.
 */
const struct value *pass_named_object(struct pass *p);
const struct value *pass_with_name(struct pass *p, const struct value *object);
/*
 * Paths in the API: of the object, or with sub of its status; of any object, or without a name of
 * all in the namespace; of a Secret or ConfigMap. User-supplied names are escaped, so that no name
 * can lead to another path.
 */
str pass_path(struct pass *p, const char *sub);
str pass_path_of(struct pass *p, str api_version, str plural, const struct object_key *key);
str pass_plain_path(struct pass *p, str kind, str namespace, str name);
/* Finds the resource in the version that the user applied; false goes to EXPLAIN. */
bool pass_resource(struct pass *p, struct pass_step *otherwise);
/* The owner as an object; NULL if it does not exist. False if no object is named as its owner. */
bool pass_owner(struct pass *p, const struct value **out, struct object_key *key);

/* ---- pass_ext.c ---- */

/* The rules and hooks of the object's kind, and the input for its hooks. */
struct ext pass_ext(const struct pass *p);
struct ext_input pass_ext_input(const struct pass *p);
/*
 * What the kind decides at a point. False: step asks a question, after which the state calls this
 * again, or explains why the object is blocked.
 */
bool pass_point(struct pass *p,
                struct decision (*point)(const struct ext *x, const struct ext_input *in),
                struct decision *out, struct pass_step *step);
/* The same in pieces: ask (false: step explains why not), take the answer, forget all answers. */
bool pass_question(struct pass *p, const struct ext_request *request, struct pass_step *step);
void pass_take_answer(struct pass *p);
void pass_answered(struct pass *p);
/* Puts what decisions changed into an object. */
void pass_annotate(const struct pass *p, struct value *object);
/* Removes the annotations about an operation under way: send.c. */
void pass_drop_token(const struct pass *p, struct value *object);

/* ---- One file per state. ---- */

struct pass_step state_look(struct pass *p);
/* Where a pass over an object of ours goes on: an operation under way is followed first. */
struct pass_step look_onward(struct pass *p);
struct pass_step state_refresh(struct pass *p);
struct pass_step state_claim(struct pass *p);
struct pass_step state_gather(struct pass *p);
struct pass_step state_read(struct pass *p);
struct pass_step state_shape(struct pass *p);
struct pass_step state_judge(struct pass *p);
struct pass_step state_check(struct pass *p);
struct pass_step state_send(struct pass *p);
struct pass_step state_note(struct pass *p);
struct pass_step state_follow(struct pass *p);
struct pass_step state_learn(struct pass *p);
struct pass_step state_export(struct pass *p);
struct pass_step state_settle(struct pass *p);
struct pass_step state_mask(struct pass *p);
/* Adds a value that messages of the pass must not show from now on. */
void mask_value(struct pass *p, str value);
/*
 * Those values, longer ones first, so that no remainder is left of a value that starts with
 * another.
 */
const struct str_list *mask_values(struct pass *p);
/* The text with those of at least four bytes masked, however they are escaped (text/spelled.h). */
str mask_hide(struct pass *p, str text, str mask);
struct pass_step state_explain(struct pass *p);
struct pass_step state_remove(struct pass *p);
struct pass_step state_release(struct pass *p);

/* ---- copy.c ---- */

/* Whether the object carries another object's claim, and nothing was ever decided about it. */
bool copy_is(struct pass *p);
/* The object without the traces of the one it was copied from. */
struct value *copy_disown(struct pass *p);
/* Whether another object holds the id that a copy itself refers to; then step explains it. */
bool copy_is_held(struct pass *p, str id, struct pass_step *step);
/* A hash of the id that an object claims, 0 for none. */
uint64_t copy_number(const struct value *object);
/* Whether one is older than other, given two objects that claim the same id. */
bool copy_is_older(const struct value *one, const struct value *other);

/* ---- owner.c ---- */

enum owner_form { OWNER_NONE, OWNER_OBJECT, OWNER_AZURE };
struct owner {
    enum owner_form form;
    struct reference ref;
    struct object_key key;      /* OWNER_OBJECT */
    const struct value *object; /* NULL: it is not there */
};
/* Reads and checks spec.owner. False: it is invalid. */
bool owner_read(struct pass *p, struct owner *out, struct pass_step *otherwise);
/* Whether the claim can proceed. */
bool owner_is_ready(struct pass *p, const struct owner *owner, struct pass_step *otherwise);
/* Puts owner reference and labels into an object. Returns whether it changed. */
bool owner_bind(struct pass *p, const struct owner *owner, struct value *after);
/*
 * The value of a label. Upstream: cut at 63 bytes; a text that must be cut gets a part of its hash,
 * so that it stays unique, and is the same for every operator.
 */
str owner_label(struct arena *a, str text);
/* Whether the object has the owner reference that it should have. */
bool owner_is_bound(struct pass *p);
/* Where an owner given by id can be read. False: it is an object, or its API version is unknown. */
bool owner_azure_url(struct pass *p, const struct owner *owner, str *id, str *url);

/* ---- advice.c ---- */

/* The text of the verdict, followed by advice for the user. */
str advice_text(struct pass *p, str text);
/* When the next try is, to be appended to the text; empty if the object waits for a watch. */
str advice_when(struct pass *p);

/* ---- explain.c ---- */

/* The longest pause between looks while the object is not well. */
int64_t explain_period(const struct pass *p);
/* Keeps in the card what could not be recorded of the PUT on the object. */
void explain_keep(struct pass *p);

/* ---- settle.c ---- */

/* Notes in the memory what was sent, and what Azure made of it. Idempotent. */
void settle_remember(struct pass *p);
/* Notes the payload that was sent, or is known to be in Azure. */
void settle_remember_payload(struct pass *p);

/* ---- gather.c ---- */

/* Takes the Secret or ConfigMap that was asked for. */
bool gather_take(struct pass *p, const struct arm_answer *answer, struct pass_step *otherwise);

/* Finds objects in the caches, Secrets and ConfigMaps among what was read. */
struct resolver gather_resolver(struct pass *p);

/* ---- read.c ---- */

/* The request of READ. */
struct pass_step read_ask(struct pass *p);
/* Whether and when a failed resource is written again: after minutes, up to a day. */
bool read_may_retry(const struct pass *p);
int64_t read_retry_delay(const struct pass *p);
/* The provisioning state of a resource, and whether it is failed or busy. */
str read_state(const struct value *body);
bool read_has_failed(const struct value *body);
bool read_is_busy(const struct value *body);

/* ---- calm.c ---- */

/* Whether the answer alone may show that there is nothing to do, so that READ can come first. */
bool calm_may_be(const struct pass *p);
/* Whether this answer, and everything else, is as at the last look that found nothing to do. */
bool calm_is(struct pass *p, str body);
/* Ends the pass over such an object without judging it again. */
struct pass_step calm_end(struct pass *p);
/* At the end of a good pass: notes whether there was nothing to do. */
void calm_note(struct pass *p);
/* Something that the object is made from has changed: its next pass must do everything. */
void calm_disturb(struct card *card);

/* ---- judge.c ---- */

/*
 * Finds the cause to write from payload, body and memory, see struct cause. False: there is none.
 */
bool judge_cause(struct pass *p, struct cause *out);

/* ---- author.c ---- */

struct author author_of(const struct pass *p);
/* " (last modified by x at y)", or empty. */
str author_text(struct pass *p);
/* Queries the activity log. False: the author is known, or it cannot be queried. */
bool author_ask(struct pass *p, struct pass_step *step);
void author_take(struct pass *p, const struct arm_answer *answer);

/* ---- drift.c ---- */

/*
 * What to do about drift, as set by the object, else its Namespace, its kind or the configuration.
 */
enum drift_mode drift_mode(struct pass *p);
/* "correct", "report" or "put-only". */
bool drift_mode_read(str text, enum drift_mode *out);
/* Whether each check writes: the mode is put-only, or Azure does not show the kind. */
bool drift_writes(const struct pass *p);
/* Compares payload and body in the light of the record; true if there is a reason to write. */
bool drift_is_found(struct pass *p);
/* What a PUT changes, whatever its cause. After JUDGE, if there is a body. */
struct deviations drift_changes(struct pass *p);
/* Before a PUT: counts and notes it, and adds the live values of what is shared. */
void drift_before_put(struct pass *p);
/* For metrics: counts that Azure is as it should be. */
void drift_tally_avoided(struct pass *p);
/* Whether drift was found that has not been reported yet. */
bool drift_is_news(struct pass *p);
/* Whether other objects of the kind are to be looked at first. */
bool drift_waits(const struct pass *p);
/* Whether another look is needed soon, until two agree. */
bool drift_is_settling(const struct pass *p);
/* Notes in the memory what is to be remembered of the comparison, for SETTLE. */
void drift_remember(struct pass *p);
/* Notes the guard alone, when a pass ends elsewhere after a PUT. */
void drift_remember_guard(struct pass *p);
/* The condition Synced; false: there is none. */
bool drift_condition(struct pass *p, struct condition *out);

/* ---- meta.c ---- */

/* The policy of an object, of its Namespace (may be NULL), or the configured one. */
enum policy meta_policy(const struct operator_config *config, const struct value *object,
                        const struct value *namespace);
/* Reports annotations of the object and its Namespace whose values mean nothing: typing errors. */
void meta_report_unknown(struct pass *p);
/* Whether the object's resource must not be deleted in Azure. */
bool meta_is_protected(const struct value *object);
/* Whether the user has confirmed the deletion; any other value does not confirm it. */
bool meta_is_confirmed(const struct value *object);
/* A hash of everything in the object that a user decides and that a pass must look at. */
uint64_t meta_intent(const struct value *object);
/* A hash of everything that dependents see of it: identity, id, and whether it is Ready. */
uint64_t meta_shown(const struct value *object);
/* The merge patch from one tree to another, NULL if they are equal. */
struct value *meta_patch(struct arena *a, const struct value *before, const struct value *after);
/*
 * The patch for the metadata. exact: it applies only to this very version of the object, which
 * lists need. NULL if nothing differs.
 */
struct value *meta_patch_object(struct arena *a, const struct value *before,
                                const struct value *after, bool exact);

/* ---- status.c ---- */

/*
 * The patch of the status with the condition Ready. body is what Azure returned; if NULL, only the
 * condition changes. NULL if nothing differs.
 */
struct value *status_patch(struct pass *p, const struct value *body, const struct condition *ready);
/* A text without the values of Secrets that the pass has read. */
str status_masked(struct pass *p, str text);
/* The same for text that people read: terminal escape sequences are escaped, too. */
str status_without_secrets(struct pass *p, str text);
/* At most max bytes of a text, cut between characters. */
str status_cut(str text, size_t max);
struct condition status_condition(const struct pass *p, const char *severity, const char *reason,
                                  str message);

/* The length of a value as JSON. */
size_t status_size(const struct value *v);
/* Cuts the largest lists until a status fits into an object. */
void status_bound(struct pass *p, struct value *status);
/* Whether the condition Ready has this reason now. */
bool status_has(const struct pass *p, const char *reason);
/* Whether the condition Ready is True, for any generation. */
bool status_was_ready(const struct value *object);
/* Turns an error code of Azure into a condition's reason: letters and digits, a letter first. */
str status_reason(struct arena *a, str code);

/* ---- memory.c ---- */

/* A member of status.operatorStatus, as it will be; empty when there is none. */
str memory_text(const struct pass *p, const char *member);
const struct value *memory_get(const struct pass *p, const char *member);
/* Setters; empty removes. */
void memory_set_text(struct pass *p, const char *member, str text);
void memory_set(struct pass *p, const char *member, const struct value *v);
/* A time as the operator writes it, in whole seconds; these texts are in order. */
str memory_stamp(struct arena *a, int64_t when);
/* LOOK: finds the memory of an object whose definition has no operatorStatus. */
void memory_load(struct pass *p);
/* Whether the memory is kept in an annotation; and sets that annotation, if so. */
bool memory_is_annotated(struct pass *p);
void memory_annotate(struct pass *p, struct value *object);
/* Removes what is remembered of a failure. */
void memory_forget_failure(struct pass *p);
/* The keyed digest of a payload: the same for the same object, payload and key. */
str memory_digest(struct pass *p, const struct value *payload);
/* Whether the payload is that of the last successful PUT. *known: whether that is known at all. */
bool memory_is_payload(const struct pass *p, bool *known);

/* ---- decisions.c ---- */

/* A decision as people read it. */
struct made {
    const char *action; /* "put", "adopt", "report", "wait", "retry", "stop" */
    str reason, message;
    const struct deviations *changes; /* may be NULL */
    bool by_others;                   /* names the last writer in Azure */
    bool once;                        /* not repeated if it is the newest one already */
};
/* Adds a decision to the memory, before older ones. */
void decisions_add(struct pass *p, const struct made *d);

/* ---- outcome.c ---- */

/* Reports how the pass ends; effect is the one that was withheld, or NULL. */
void outcome_tell(struct pass *p, enum outcome_kind kind, const struct effect *effect);
/*
 * Without a writer: changes the object as a write to it would have, and makes the answer. False if
 * the write is to something else.
 */
bool outcome_imagine(struct pass *p, const struct effect *effect);

/* ---- replay.c ---- */

/* Records the inputs of the verdict, if the port judged is set. After judge_cause. */
void replay_keep(struct pass *p, bool write);

/* ---- graph.c ---- */

struct graph;
struct graph *graph_new(struct arena *a);
void graph_free(struct graph *g);
/* Adds needs to what an object is made from. */
void graph_add(struct graph *g, struct card *card, const struct str_list *needs);
/* Replaces what an object is made from. */
void graph_set(struct graph *g, struct card *card, const struct str_list *needs);
/* Remembers the digest of a need; true if it has changed. */
bool graph_news(struct graph *g, str need, uint64_t digest);
/* Whether any object depends on need. */
bool graph_has(const struct graph *g, str need);
/* The need under which the objects that write this one are found. Lives as long as a. */
str graph_export(struct arena *a, str text);
/* Calls fn for every object that depends on need. */
void graph_each(const struct graph *g, str need, void (*fn)(void *ctx, struct card *card),
                void *ctx);

/* ---- card.c ---- */

struct cards;
struct cards *cards_new(struct arena *a);
void cards_free(struct cards *c);
struct card *cards_find(const struct cards *c, str text);
struct card *cards_add(struct cards *c, const struct object_key *key, str text);
void cards_remove(struct cards *c, struct card *card);
size_t cards_count(const struct cards *c);
struct card *cards_at(const struct cards *c, size_t i);

/* ---- sweep.c ---- */

struct sweeps;
enum sweep {
    SWEEP_GET,  /* it must be read */
    SWEEP_BODY, /* out is its body from a list */
    SWEEP_LIST, /* out is the URL of a list: pass the answer to sweep_page, then read */
    SWEEP_WAIT, /* another object's pass is already listing it */
};
struct sweeps *sweeps_new(struct arena *a);
void sweeps_free(struct sweeps *w);
/* Finds the lists that the resource is in. */
void sweep_join(struct sweeps *w, struct pass *p);
/* How to look at the resource of the pass; out lives as long as the pass. */
enum sweep sweep_ask(struct sweeps *w, struct pass *p, int64_t now, str *out);
/* Takes a page of the list. True: next is the URL of the next one. */
bool sweep_page(struct pass *p, const struct arm_answer *answer, int64_t now, str *next);
/* The resource itself was read after its list. */
void sweep_sample(struct pass *p, int64_t now);
bool sweep_is_in(const struct card *card, const struct collection *c);
/* Call when the pass of an object ends; and when the object is forgotten. */
void sweep_end(struct card *card);
void sweep_leave(struct card *card);

/* ---- evolve.c ---- */

struct evolving;
/* What a judgement needs from the loop. */
struct evolve_ask {
    const struct cards *cards;
    const struct card *card;
    int64_t now, period;
    void (*wake)(void *ctx, struct card *card, int64_t delay);
    void *ctx;
};
struct evolving *evolving_new(struct arena *a);
void evolving_free(struct evolving *v);
/* Judges a new member at path of the object, which nobody has set or written. */
enum evolve evolving_judge(struct evolving *v, const struct evolve_ask *q, str path, size_t *shown,
                           size_t *all);

/* ---- mailbox.c ---- */

struct mail {
    struct object_key key; /* what changed, when ticket is 0 */
    uint64_t ticket;
    struct arm_answer answer; /* to that effect */
};
/* A copy that lives as long as a. */
struct arm_answer mail_answer(struct arena *a, const struct arm_answer *answer);
struct mailbox;
struct mailbox *mailbox_new(void);
void mailbox_free(struct mailbox *m);
void mailbox_put(struct mailbox *m, const struct mail *mail);
/* Takes all mail, in order; it lives until the next call. */
size_t mailbox_take(struct mailbox *m, const struct mail **out);
