/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the simulator share. Everything here is called from sim_handle,
 * with the lock of the simulator held.
 */
#pragma once

#include "arm/id.h"
#include "sim/sim.h"
#include "value/fields.h"
#include "value/path.h"
#include "value/source.h"
#include "value/value.h"

/* ---- Behaviour of types: types.c reads it, apply.c follows it. --------------------------------
 */

enum sim_poller { POLLER_NONE, POLLER_ASYNC, POLLER_LOCATION, POLLER_RELATIVE, POLLER_BODY };
enum sim_body {
    BODY_RESOURCE,
    BODY_OPERATION,
    BODY_STARTED, /* {"operation", "startTime"} */
    BODY_EMPTY,
    BODY_OTHER
};

/* A path of members in a body; "[]" is every element of a list, "{}" every member. */
struct sim_members {
    str *items;
    size_t len;
};

enum sim_test { TEST_PRESENT, TEST_ABSENT, TEST_IS, TEST_IS_NOT, TEST_IN };

struct sim_condition {
    struct sim_members at;
    bool beside; /* at starts where the rule acts, not at the top of the body */
    enum sim_test test;
    const struct value *is;
};

/* When a rule or an answer applies to a request: all of these must hold. */
struct sim_when {
    str from, to; /* api-versions, both included; empty: open */
    struct {
        struct sim_condition *items;
        size_t len, cap;
    } conditions; /* on the body that was sent */
};

/* The most values of one Retry-After. */
#define SIM_RETRIES_MAX 16

/* Members that an operation may have besides its status, as bits. */
enum sim_operation_member {
    OPERATION_ID = 1,
    OPERATION_NAME = 2,
    OPERATION_START = 4,
    OPERATION_END = 8,    /* once it is over */
    OPERATION_ERROR = 16, /* without a failure: null */
    OPERATION_PERCENT = 32,
    OPERATION_PROPERTIES = 64,
    OPERATION_RESOURCE = 128, /* resourceId */
    OPERATION_GIVEN = 256,    /* set explicitly; else the default: name and times */
};

/* How a PUT or DELETE is answered and completed. */
struct sim_answer {
    int status;
    enum sim_poller poller;
    enum sim_body body;
    bool location;                        /* POLLER_ASYNC: there is a Location as well */
    int64_t retry_after[SIM_RETRIES_MAX]; /* seconds: the first answer, then each poll */
    size_t retry_count;                   /* 0: no header; the last one is repeated */
    int64_t polls;                        /* the number of "not yet" answers */
    str state;                            /* of the resource meanwhile */
    str running;                          /* of the operation meanwhile; several: one per line */
    int poll_status;                      /* of a poll while it is running; 0: the usual one */
    int result;                           /* of the last poll of a Location; 0: the usual one */
    int64_t members;                      /* of the operation: bits of sim_operation_member */
    struct sim_when when;
};

/* The first one that applies to a request is taken; the last one always applies. */
struct sim_answers {
    struct sim_answer *items;
    size_t len, cap;
};

/* The form of an error in the body of an answer. */
enum sim_shape {
    SHAPE_ERROR,   /* {"error": {"code", "message", "details"}} */
    SHAPE_FLAT,    /* {"code", "message"} */
    SHAPE_BOTH,    /* both, side by side */
    SHAPE_UPPER,   /* {"Code", "Message", "Details"} */
    SHAPE_INNER,   /* {"error": {..., "innererror": {"code"}}} */
    SHAPE_MESSAGE, /* {"Message"} */
    SHAPE_PROBLEM, /* {"type", "title", "status", "traceId"} */
    SHAPE_TEXT,    /* JSON inside the message text */
    SHAPE_NUMBER,  /* a number as code */
    SHAPE_HTML,
    SHAPE_EMPTY,
};

/*
 * An error answer. In message, $id and $name are those of the resource, $other is the id of the
 * other resource that causes the error. detail is the code of the only element of details, or of
 * innererror; empty: none.
 */
struct sim_refusal {
    int status;
    str code, message, detail;
    enum sim_shape shape;
    int64_t retry_after; /* seconds, 0: no header */
    bool retry_date;     /* the header is a date */
};

/* What a type rejects a few times before it accepts. */
struct sim_trouble {
    struct sim_refusal refusal;
    bool deletes;    /* DELETE, else PUT */
    int64_t count;   /* how many times for each resource */
    int64_t percent; /* the share of resources that it affects */
};

/* What keeps a resource from being deleted. */
struct sim_use {
    struct sim_refusal refusal;
    struct str_list by;    /* types whose resources refer to it, or to something in it */
    struct str_list below; /* last segments of the types of its children */
};

enum sim_op { OP_ADD, OP_DROP, OP_SET, OP_EXTEND, OP_EARLY, OP_LATE, OP_REVERSE, OP_SPELL };
enum sim_spelling {
    SPELL_DISPLAY, /* West US 2 */
    SPELL_COMPACT, /* westus2 */
    SPELL_LOWER,
    SPELL_UPPER,
    SPELL_TITLE,    /* the first letter only */
    SPELL_QUALIFIED /* parent/name */
};

/* One difference between what is sent and what is returned. */
struct sim_rule {
    enum sim_op op;
    struct sim_members at;
    const struct value *value;
    enum sim_spelling spelling;
    struct sim_when when;
    bool if_null, if_empty; /* OP_DROP: only such values */
};

/* Children that also appear as a list in their parent. */
struct sim_mirror {
    str type; /* the last segment of the child's type */
    struct sim_members at;
    bool flat;      /* elements have the child's properties next to its name */
    bool read_only; /* a write of the parent leaves the children alone */
};

struct sim_type {
    str name; /* Microsoft.Network/virtualNetworks */
    struct sim_answers create, update, remove;
    struct {
        struct sim_rule *items;
        size_t len, cap;
    } rules;
    struct {
        struct sim_mirror *items;
        size_t len, cap;
    } mirrors;
    struct {
        struct sim_trouble *items;
        size_t len, cap;
    } troubles;
    struct {
        struct sim_use *items;
        size_t len, cap;
    } uses;
    struct sim_refusal missing;   /* the answer to reads of missing ones; status 0: the usual */
    struct str_list versions;     /* the only api-versions it accepts; none: those of the model */
    str delete_query;             /* a parameter that a DELETE requires: name=value */
    bool delete_match;            /* a DELETE requires If-Match */
    str soft_delete;              /* the collection of deleted ones: deletedVaults */
    bool head_only;               /* GET returns 405 */
    bool exclusive;               /* one operation at a time: 409 */
    bool siblings;                /* one at a time among all siblings and the parent */
    bool known;                   /* has a list of rules, which may be empty */
    bool unheard;                 /* not in any file */
    struct str_list list_drops;   /* paths that are left out of lists */
    bool keeps_omitted;           /* a PUT keeps what it omits */
    const struct value *keeps;    /* path: the value that the service reverts to by itself */
    bool undeletable;             /* is only deleted with its parent */
    const struct value *actions;  /* name: answer */
    const struct value *built_in; /* name: properties of built-in resources */
};

/* How many requests a provider accepts, in addition to the limits of ARM. */
struct sim_limit {
    str provider;
    str name; /* in x-ms-ratelimit-remaining-resource */
    str kind; /* "read", "write" or "delete", as in the log, or "change": writes and deletes; empty:
               * all */
    int64_t count, seconds;
};

struct sim_limits {
    struct sim_limit *items;
    size_t len, cap;
};

struct sim_types;
struct sim_types *sim_types_new(struct arena *a);
/* Reads the built-in files. */
MUST_CHECK bool sim_types_builtin(struct sim_types *t, struct err *e);
MUST_CHECK bool sim_types_read(struct sim_types *t, const struct source *src, struct err *e);
/* Never NULL: unknown types get the usual behaviour. */
const struct sim_type *sim_types_find(struct arena *a, struct sim_types *t, str type);
/* Reads all built-in files at once, as a test of them. */
MUST_CHECK bool sim_types_all(struct sim_types *t, struct err *e);
/* Whether a type of the provider supports soft delete, with a collection of this name. */
bool sim_types_keep(struct arena *a, struct sim_types *t, str provider, str kept_as);
/* Whether a type of the provider is in a file. */
bool sim_types_provider(struct arena *a, struct sim_types *t, str provider);
/* The built-in roles: names by id, or NULL. */
const struct value *sim_types_roles(const struct sim_types *t);
const struct sim_limits *sim_types_limits(const struct sim_types *t);
/* The answer of a type to an action, or NULL. */
const struct value *sim_types_action(const struct sim_types *t, const struct sim_type *type,
                                     str name);

/* The errors of a strict simulator for PUTs that refer to resources that do not exist, or are not
 * ready. */
struct sim_references {
    struct sim_refusal missing, busy;
};
const struct sim_references *sim_types_references(const struct sim_types *t);

/* ---- Resources: store.c. ----------------------------------------------------------------------
 */

struct sim_operation;

struct sim_resource {
    struct table_node node; /* key: the id in lower case */
    struct sim_resource *parent, *first, *last, *next, *previous;
    str id, type, api_version;
    str body; /* JSON, as shown when nothing is under way; empty: only a scope */
    str sent; /* the body of the last PUT, to detect writes that change nothing */
    uint64_t writes;
    int64_t wrote;                   /* when, by this process; 0: long ago */
    bool changed;                    /* by another client since the last PUT */
    struct sim_operation *operation; /* under way, or NULL */
};

struct sim_database;
struct sim_store;
struct sim_store *sim_store_new(void);
/* From now on changes are written to d as well. */
void sim_store_keep(struct sim_store *t, struct sim_database *d, bool deleted);
/* Must be called when a resource of t was changed. */
void sim_store_changed(struct sim_store *t, const struct sim_resource *r);
void sim_store_free(struct sim_store *t);
struct sim_resource *sim_store_root(struct sim_store *t);
/* By id, case-insensitively. */
struct sim_resource *sim_store_find(struct arena *a, struct sim_store *t, str id);
struct sim_resource *sim_store_add(struct arena *a, struct sim_store *t,
                                   struct sim_resource *parent, str id, str type);
/* Removes r with all its descendants. */
void sim_store_remove(struct sim_store *t, struct sim_resource *r);
size_t sim_store_len(const struct sim_store *t);
/* Replaces a text of a resource by a copy. */
void sim_keep(str *text, str copy);
/*
 * The node with that key in a table of others, added if it is missing: size bytes, zeroed but for
 * the node. NULL: there are max already.
 */
struct table_node *sim_node(struct table *t, str key, size_t size, size_t max);

/* ---- Operations: operations.c. -----------------------------------------------------------------
 */

enum sim_outcome { OUTCOME_RUNNING, OUTCOME_SUCCEEDED, OUTCOME_FAILED };

struct sim_operation {
    struct table_node node;              /* key: its id */
    struct sim_operation *older, *newer; /* in order of creation */
    str target;                          /* id of the resource, in lower case */
    struct sim_answer answer;
    bool deletes, creates;
    int64_t polls, started, ends;
    enum sim_outcome outcome;
    str code, message; /* of the failure, once or before it happens */
};

/* ---- The simulator: sim.c. --------------------------------------------------------------------
 */

struct sim_counters {
    int64_t requests, reads, writes, deletes, actions, polls;
    int64_t noop_writes, throttled, refused, dropped;
};

/* A number or text of a struct, by its offset. */
struct sim_place {
    const char *name;
    size_t offset;
};
/* All of struct sim_counters: admin.c. */
#define SIM_COUNTERS 10
extern const struct sim_place sim_counters[SIM_COUNTERS];

struct sim {
    struct handler handler;
    struct lock lock;
    struct arena *arena;
    struct sim_config config;
    struct sim_types *types;
    struct sim_usual *usual;
    struct sim_store *store, *deleted; /* deleted: what can be recovered */
    struct table *operations;
    struct sim_operation *oldest, *newest;
    struct table *buckets, *providers, *attempts;
    struct sim_faults *faults;
    struct sim_log *log;
    struct sim_activity *activity;
    struct sim_counters counters;
    struct sim_database *database; /* NULL: memory only */
    uint64_t chance;               /* state of sim_random */
    int64_t time;                  /* virtual time: now; else an offset to the clock */
    int64_t clock;                 /* when the request came: time stops while it is handled */
};

/* One request on its way. */
struct sim_call {
    struct sim *sim;
    struct arena *arena;
    const struct sim_request *q;
    struct sim_response *r;
    struct value *body; /* of the request, when it has one */
    str api_version;
    struct arm_id id;
    str type, name;
    const struct sim_type *behaviour;
    bool drop;        /* a fault: close the connection once it is done */
    bool created;     /* a new resource was created, for the log */
    const char *kind; /* "read", "write", "delete", "poll", "other", for the log */
};

/* handler.c: answers c; ctx is the struct sim. */
void sim_answer_call(void *ctx, struct handler_call *c);

/* Resets everything: resources, operations, faults, log, counters, time and randomness. */
void sim_reset(struct sim *s);
/* Looks up the behaviour of the type of c. */
void sim_recognize(struct sim_call *c);
int64_t sim_now(const struct sim *s);
uint64_t sim_random(struct sim *s);
/* A random GUID, and one derived from text. */
str sim_guid(struct sim *s, struct arena *a);
str sim_guid_of(struct sim *s, struct arena *a, str text);
/* "2026-03-05T07:08:09.1234567Z" */
str sim_stamp(struct arena *a, int64_t now);

void sim_header(struct sim_call *c, const char *name, str value);
void sim_reply(struct sim_call *c, int status, const struct value *body);
/* {"error":{"code","message"}} */
void sim_refuse(struct sim_call *c, int status, const char *code, const char *format, ...)
    FORMAT(4, 5);
/* refusal.c: answers with an error that is defined as data; other is the value of $other. */
void sim_refuse_as(struct sim_call *c, const struct sim_refusal *refusal, str other);
/* The names of enum sim_shape, for reading it. */
extern const struct field_word sim_shapes[];
str sim_query(struct sim_call *c, const char *name);
str sim_json(struct arena *a, const struct value *v);
/* Parses what sim_json wrote. */
struct value *sim_parse(struct arena *a, str text);

/* ---- Parts of an answer. ----------------------------------------------------------------------
 */

/* apply.c: chooses the answer to a write. */
const struct sim_answer *sim_choose(const struct sim_call *c, const struct sim_answers *answers);
/* The body to be stored for the body that was sent. */
struct value *sim_represent(struct sim_call *c, const struct sim_resource *r);
/* A value from rules with its $ placeholders replaced for r; name makes generated values unique. */
struct value *sim_made(struct sim_call *c, const struct sim_resource *r, const struct value *v,
                       str where);
/* Removes what shows up only later. */
void sim_hide_late(struct sim_call *c, struct value *shown);
/* Adds what only the answer to a write shows. */
void sim_show_early(struct sim_call *c, const struct sim_resource *r, struct value *shown);
/* The value at a path of members, or NULL. */
struct value *sim_at(const struct value *v, struct sim_members at);

/* model_types.c: types without a file, derived from the resource model. */
struct sim_usual;
struct sim_usual *sim_usual_new(struct arena *a);
void sim_usual_free(struct sim_usual *u);
/* The behaviour of the type of c, which is not in any file. Lives as long as the call. */
const struct sim_type *sim_usual_type(struct sim_call *c);
/* Whether name is in the list, case-insensitively. */
bool sim_is_listed(const struct str_list *names, str name);
/* The api-versions of the type of c in the model, oldest first; none if it lacks the type. */
struct str_list sim_usual_versions(struct sim_call *c);
/* Whether the model has a type of the provider. */
bool sim_usual_provider(struct sim_call *c, str provider);
/* Adds to v what its service fills in; false: the model lacks the type. */
bool sim_usual_show(struct sim_call *c, const struct sim_resource *r, struct value *v);

/* show.c: what a GET shows now, children and state included. */
struct value *sim_show(struct sim_call *c, struct sim_resource *r);
/* The element of a list with this name, case-insensitively, or NULL. */
const struct value *sim_element(const struct value *list, str name);
void sim_get(struct sim_call *c);
void sim_head(struct sim_call *c);
/* The resource after r in the tree below top, parents first; down: descend into r as well. */
struct sim_resource *sim_next_below(struct sim_resource *top, struct sim_resource *r, bool down);
/* Answers for a collection. False if the path does not name one. */
bool sim_list(struct sim_call *c);

/* write.c, remove.c, action.c, deleted.c */
void sim_put(struct sim_call *c, bool patch);
void sim_delete(struct sim_call *c);
/* deleted.c: answers for a soft-deleted resource; action is empty or "purge". False: the path does
 * not name one. */
bool sim_deleted(struct sim_call *c, str action);
/* Lists them: /subscriptions/S/providers/P/deletedVaults, or those of a location. False: not such a
 * path. */
bool sim_list_deleted(struct sim_call *c);
/* POST {id}/{name}. */
void sim_action(struct sim_call *c, str target, str name);
/* Keeps r for recovery if its type supports soft delete. */
void sim_soft_delete(struct sim_call *c, struct sim_resource *r);

/* operations.c: starts one; r may be NULL if the operation is not about an existing resource. */
struct sim_operation *sim_operation_start(struct sim_call *c, struct sim_resource *r,
                                          const struct sim_answer *answer, bool deletes,
                                          bool creates);
/* The headers of the first answer. */
void sim_operation_headers(struct sim_call *c, const struct sim_operation *o);
struct value *sim_operation_body(struct sim_call *c, const struct sim_operation *o);
/* Answers a poll. False if the path is not for polling. */
bool sim_poll(struct sim_call *c);
/*
 * Counts a read of the resource as a poll, and completes an operation that is over. False: r is
 * gone.
 */
bool sim_settle(struct sim_call *c, struct sim_resource *r, bool poll);
/* Whether an operation on r is under way; whether a finished one has deleted it. */
bool sim_is_busy(const struct sim *s, const struct sim_resource *r);
bool sim_is_gone(const struct sim *s, const struct sim_resource *r);
/* Adds a new one, as the newest, with only its id set. */
struct sim_operation *sim_operation_add(struct sim *s, str id);
void sim_operation_forget(struct sim *s, struct sim_operation *o);

/* find.c: looks up resources; the errors are those of the recordings. */
/* The resource that the path names; answers 404 and returns NULL if it, its group or its parent
 * does not exist. */
struct sim_resource *sim_need(struct sim_call *c);
/* The parent of a new resource; answers 404 and returns NULL if it does not exist. */
struct sim_resource *sim_need_parent(struct sim_call *c);
struct sim_resource *sim_find(struct sim_call *c, str id);

/* in_use.c: true if the request was rejected, because something else uses r or because the body
 * refers to something that does not exist (only if the simulator is strict). */
bool sim_in_use(struct sim_call *c, struct sim_resource *r);
bool sim_is_locked(struct sim_call *c, struct sim_resource *r);
bool sim_lacks_reference(struct sim_call *c);
/* version.c: whether the type accepts the api-version; else it was answered with an error. */
bool sim_version_known(struct sim_call *c);

/* limits.c: false if the request was answered with 429. */
bool sim_admit(struct sim_call *c);
/* Takes one token from the bucket of a key. True: *left remain; false: *wait until the next one. */
bool sim_take(struct sim_call *c, str key, const struct sim_rate *rate, int64_t *left,
              int64_t *wait);
/* The principal, as used for bucket keys. */
str sim_principal(const struct sim_call *c);
/* graph.c: POST /providers/Microsoft.ResourceGraph/resources. False: not this path. */
bool sim_graph(struct sim_call *c);
/* tokens.c */
bool sim_token(struct sim_call *c);
bool sim_authorized(struct sim_call *c);
/* roles.c: the properties of a built-in resource, or NULL. */
const struct value *sim_built_in(struct sim_call *c, const struct arm_id *id);
/* roles.c: answers for a built-in role, or a list of roles. False: neither. */
bool sim_role(struct sim_call *c);
/* providers.c */
bool sim_provider(struct sim_call *c);
bool sim_provider_ready(struct sim_call *c);

/* faults.c */
struct sim_faults;
struct sim_faults *sim_faults_new(void);
void sim_faults_free(struct sim_faults *f);
/* Answers in place of ARM if a fault demands it: true. Notes the faults that act later. */
bool sim_faults_before(struct sim_call *c);
/* The failure that an operation of c is to end with; false: none. */
bool sim_faults_operation(struct sim_call *c, str *code, str *message);
/* The factor by which an operation of c takes longer. */
int64_t sim_faults_slowness(struct sim_call *c);
/* Applies what policies add to what is stored. */
void sim_faults_policy(struct sim_call *c, struct value *stored);
MUST_CHECK bool sim_faults_read(struct sim *s, const struct source *src, struct err *e);
struct value *sim_faults_list(struct sim *s, struct arena *a);
void sim_faults_clear(struct sim_faults *f);

/* database.c: d may be NULL. */
/* Retries writes that failed, if any. False: they still fail. */
MUST_CHECK bool sim_database_ready(struct sim_database *d, struct err *e);
MUST_CHECK bool sim_database_open(struct sim *s, struct err *e);
void sim_database_close(struct sim_database *d);
void sim_database_put(struct sim_database *d, bool deleted, const struct sim_resource *r);
void sim_database_drop(struct sim_database *d, bool deleted, str key);
/* Sets a fact, or removes it if value is empty. */
void sim_database_fact(struct sim_database *d, const char *kind, str key, str value);
/* Ends the batch of one request: its number, or 0 if nothing was changed. */
uint64_t sim_database_seal(struct sim_database *d);
/* Waits until a batch is written. Called without the lock of the simulator. */
MUST_CHECK bool sim_database_wait(struct sim_database *d, uint64_t number, struct err *e);

/* state_facts.c: facts of the state file. */
void sim_keep_counters(struct sim *s, struct arena *a);
void sim_keep_operation(struct sim *s, struct arena *a, const struct sim_operation *o);
/* Restores a fact; false: it is invalid. */
bool sim_remember(struct sim *s, struct arena *a, str kind, str key, str text);
bool sim_take_activity(struct sim *s, str key, const struct value *v);
bool sim_take_attempt(struct sim *s, str key, const struct value *v);
bool sim_take_provider(struct sim *s, str key, const struct value *v);

/* troubles.c: true if the type of c rejects the request for now. */
bool sim_troubled(struct sim_call *c, bool deletes);

/* log.c */
struct sim_log;
struct sim_log *sim_log_new(void);
void sim_log_free(struct sim_log *l);
void sim_log_add(struct sim_call *c);
void sim_log_clear(struct sim_log *l);
struct value *sim_log_list(struct sim_log *l, struct arena *a, size_t last);

/* ---- authors.c: who wrote what, and when. ---- */

struct sim_author {
    str name, type; /* "User", "Application" */
};
#define SIM_SOMEBODY ((struct sim_author){.name = STR("somebody@example.com"), .type = STR("User")})
/* Who sends the request. */
struct sim_author sim_author_of(const struct sim_call *c);
/* Notes the author in body, the new body of r: in its systemData, if it has one. */
void sim_sign(struct sim_call *c, struct sim_resource *r, const struct sim_author *by,
              struct value *body);

struct sim_activity *sim_activity_new(void);
void sim_activity_free(struct sim *s);
void sim_activity_clear(struct sim *s);
void sim_activity_add(struct sim_call *c, str id, const struct sim_author *by, str operation);
/* GET /subscriptions/S/providers/Microsoft.Insights/eventtypes/management/values. False: not this
 * path. */
bool sim_activity(struct sim_call *c);

/* A change behind the client's back. */
struct sim_change {
    str id;
    struct path at;
    const struct value *value; /* NULL: it is removed */
    struct sim_author by;
    bool silent; /* by the service itself: no author */
};
/* False: no such resource, or no such member in it. */
bool sim_make_change(struct sim_call *c, const struct sim_change *change);
/* {"id", "at", "value", "by", "byType", "silent"} */
MUST_CHECK bool sim_read_change(struct arena *a, const struct source *src, struct sim_change *out,
                                struct err *e);

/* admin.c: paths below /_sim/. */
void sim_admin(struct sim_call *c);
