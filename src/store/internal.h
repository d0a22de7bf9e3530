/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the store share; README.md first.
 *
 * Unless a comment says otherwise, functions are called with the lock of the store held.
 */
#pragma once

#include "store/store.h"
#include "value/pack.h"
#include "value/value.h"

#include <stdatomic.h>

struct store_entry;
struct store_type;

/* ---- Versions: objects.c. ----------------------------------------------------------------------
 *
 * One state of one object. Immutable except for prev; reference-counted, because replies and
 * watches read it without the lock.
 */
struct store_version {
    _Atomic uint32_t refs;
    bool deleted;               /* the object was deleted; bytes hold its last state */
    struct store_version *prev; /* the state before; kept while this one is in history */
    struct store_entry *entry;  /* valid while this one is in history or the newest */
    uint64_t rv;
    uint64_t shape; /* serial of the shape it was written with, which reads it back unchanged */
    int64_t at;     /* when, by clock_now */
    uint32_t len;
    char bytes[]; /* packed */
};

struct store_version *store_version_ref(struct store_version *v);
/* Any thread. */
void store_version_drop(struct store_version *v);
/* The object as a tree. Any thread that holds a reference; lives as long as a. */
struct value *store_version_tree(struct arena *a, struct store *s, const struct store_version *v);

/* ---- Entries in order: order.c. ----------------------------------------------------------------
 *
 * A key "namespace/name" (or "name") and all states of its object, newest first. A deleted object
 * keeps its entry until none of its states can be requested any more.
 */
#define STORE_LEVELS 14

/* An ownerReference of an entry's newest state, in the list of its owner's uid. */
struct store_edge {
    struct store_edge *next, **back; /* in struct store_owner */
    struct store_edge *sibling;      /* of the same dependent */
    struct store_entry *dependent;
    struct store_owner *owner;
    bool blocks; /* blockOwnerDeletion, of another object */
};

struct store_entry {
    struct store_type *type;
    str key, namespace, name;
    struct store_version *newest;
    /* From the newest state, for garbage collection; empty if it is deleted. */
    struct table_node by_uid; /* key: the uid */
    char uid[40];
    struct store_edge *owners;
    bool counted; /* in its struct store_namespace */
    bool swept;   /* it is being deleted, and what must go first has been queued */
    bool queued;  /* the collector will look at it; only while it is not deleted */
    struct store_entry *queue_next, **queue_back;
    unsigned levels;
    struct store_entry *next[]; /* the next entry on each level of the skip list */
};

struct store_order {
    struct store_entry *first[STORE_LEVELS];
    size_t len;
    uint64_t seed;
};

struct store_entry *store_order_find(const struct store_order *o, str key);
/* The first entry whose key is not less than key. */
struct store_entry *store_order_from(const struct store_order *o, str key);
/* Adds an entry; the key must be new. */
struct store_entry *store_order_add(struct store_order *o, str namespace, str name);
/* Unlinks and frees. */
void store_order_remove(struct store_order *o, struct store_entry *n);

/* ---- Types: types.c, crd.c. ---- */

struct store_shape_version {
    str name;
    bool served, storage, has_status;
    bool loose;                 /* unknown fields are kept everywhere */
    const struct value *schema; /* openAPIV3Schema; never NULL */
    const struct value *columns;
    const struct value *selectable; /* list of {jsonPath}, or NULL */
};

/* What a definition says about a type: immutable, reference-counted, shared with readers. */
struct store_shape {
    _Atomic uint32_t refs;
    struct arena *arena;
    uint64_t serial; /* unique */
    struct store_shape_version *versions;
    size_t count, storage;
    const struct value *names; /* plural, singular, kind, listKind, shortNames, categories */
    bool counts_generations;
};

struct store_builtin;

struct store_type {
    struct store_type *next;
    str group, plural, kind, list_kind;
    bool namespaced;
    bool gone;                           /* its definition was deleted */
    bool closing;                        /* its definition is being deleted */
    const struct store_builtin *builtin; /* NULL: a custom resource */
    struct store_entry *definition;      /* of a custom resource */
    struct store_shape *shape;           /* NULL: not needed so far */
    struct store_order objects;
    size_t live; /* the number of objects that are not deleted */
    /* History: versions in order; those at the end may not be on disk yet. */
    struct store_version **history;
    size_t history_start, history_len, history_cap, history_bytes;
    uint64_t trimmed; /* states before this version are no longer known */
    struct store_watch *watches;
};

/* NULL if there is none. */
struct store_type *store_type_find(struct store *s, str group, str plural);
struct store_type *store_type_of_kind(struct store *s, str group, str kind);
bool store_type_is_builtin(str group, str plural);
/* Never NULL; the store's own reference. */
struct store_shape *store_type_shape(struct store *s, struct store_type *t);
struct store_shape *store_shape_ref(struct store_shape *shape);
/* Any thread. */
void store_shape_drop(struct store_shape *shape);
const struct store_shape_version *store_shape_version(const struct store_shape *shape, str name);
const struct store_shape_version *store_shape_storage(const struct store_shape *shape);
/* "widgets.example.com", or "secrets". Lives as long as a. */
str store_type_name(struct arena *a, const struct store_type *t);
MUST_CHECK bool store_types_init(struct store *s, struct err *e);
void store_types_free(struct store *s);

/* A definition was written, or deleted (crd is NULL): updates its type. */
void store_crd_follow(struct store *s, struct store_entry *definition, const struct value *crd);

/* ---- The store. ---- */

/* A write that waits for the disk. */
struct store_waiting {
    struct store_waiting *next;
    uint64_t batch, rv;
    struct handler_call *call; /* NULL: a write of the store itself */
};

struct store {
    struct arena *arena;
    struct store_config config;
    struct handler handler;
    struct db *db; /* NULL: memory only */
    struct pack_words *words;
    struct lock lock;                    /* of everything below */
    uint64_t head;                       /* the last version that was assigned */
    uint64_t committed;                  /* the last one that is visible to readers */
    uint64_t opened;                     /* the one at the start */
    uint64_t shapes;                     /* serials of shapes so far */
    VEC(struct store_version *) pending; /* those after committed, in order; see keep */
    struct arena *keep;                  /* for vectors that live as long as the store */
    uint64_t noted;                      /* versions up to here were handed to the database, */
    uint64_t batch;                      /* the last ones in this batch */
    int64_t collect_after;               /* the collector pauses until then: the disk failed */
    struct store_waiting *waiting, **waiting_end;
    struct store_type *types;
    struct table *by_uid;
    struct table *owners;     /* uid of an owner: struct store_owner */
    struct table *namespaces; /* name of a namespace: struct store_namespace */
    struct store_entry *queue, **queue_end;
    struct store_regexes *regexes;
    /* The store's thread, unless driven. */
    pthread_t thread;
    pthread_cond_t tick;
    bool crowded; /* a history has become longer than it may be */
    bool running, stop;
};

/* The dependents of a uid; exists as long as there are any. */
struct store_owner {
    struct table_node node;
    struct store_edge *edges;
    size_t blocking; /* the number of edges that block */
};

/* Counts the objects in a namespace; exists as long as there are any. */
struct store_namespace {
    struct table_node node;
    size_t live;
};

/* ---- Changes: objects.c. ---- */

/* The state at a version, which may be a deletion; NULL if there was none. */
struct store_version *store_state_at(const struct store_entry *n, uint64_t rv);
/* The newest state that is not deleted, else NULL. */
struct store_version *store_live(const struct store_entry *n);
/* Makes tree the newest state of the object of that name, and sets its resourceVersion, in a. */
void store_put(struct store *s, struct arena *a, struct store_type *t, struct value *tree);
/* Deletes the object: its last state is kept with the version of the deletion. */
void store_drop(struct store *s, struct store_entry *n);
/* Adds an object that was read from the file, without making a new version. */
void store_load(struct store *s, struct store_type *t, const struct value *tree, uint64_t rv);
/* What was put since the last call is to be written; call is answered once it is on disk. */
void store_expect(struct store *s, struct handler_call *call);
/* Called by the database, without the lock. */
void store_written(void *ctx, uint64_t batch, const struct err *failure);

/* Drops history that is too old; returns when to call it again. */
int64_t store_trim(struct store *s);
/* The index in the history of t of the first version after rv. */
size_t store_history_after(const struct store_type *t, uint64_t rv);
/* Starts writing to disk or, if in memory only, publishes at once. Called without the lock. */
void store_settle(struct store *s);

/* ---- The file: persist.c. ---- */

MUST_CHECK bool store_persist_open(struct store *s, struct err *e);
/* Hands a change to the database; returns the number of its batch. */
uint64_t store_persist_put(struct store *s, const struct store_version *v);

/* ---- Consistency of memory: check.c. ---- */

/* Takes the lock. *live is the number of objects. */
MUST_CHECK bool store_check_memory(struct store *s, size_t *live, struct err *e);

/* ---- Garbage collection: collect.c. ---- */

/* The newest state of n has changed: it is tree, or NULL if it is gone. */
void store_graph_follow(struct store *s, struct store_entry *n, const struct value *tree);
/* Queues n, which must not be deleted, for the collector. */
void store_queue(struct store *s, struct store_entry *n);
/* Works on the queue, up to max looks and writes altogether; returns whether something is left. */
bool store_collect(struct store *s, size_t max);
/* Frees edges and owners, at the end. */
void store_graph_free(struct store *s);

/* ---- Watches: watch.c. ---- */

/* Wakes the watches of t. */
void store_watch_wake(struct store_type *t);
/* How many watches are open. */
size_t store_watch_count(const struct store_type *t);
/* The last version that any watch of t has seen. */
uint64_t store_watch_latest(const struct store_type *t);
/* Does what is due by time; returns when the next thing is due. */
int64_t store_watch_step(struct store *s, int64_t now);

/* ---- Requests: handler.c parses, get.c, write.c, remove.c and watch.c answer. ---- */

enum store_verb {
    STORE_GET,
    STORE_LIST,
    STORE_WATCH,
    STORE_CREATE,
    STORE_UPDATE,
    STORE_PATCH,
    STORE_DELETE,
    STORE_DELETE_COLLECTION,
};

enum store_validation { STORE_WARN, STORE_STRICT, STORE_IGNORE };
enum store_patch_kind { STORE_PATCH_JSON, STORE_PATCH_MERGE, STORE_PATCH_STRATEGIC };
/* How objects are shown. */
enum store_view { STORE_WHOLE, STORE_METADATA, STORE_TABLE };

/* What is odd about a body: duplicate members, in the reader's words, and unknown ones. */
struct store_oddities {
    struct str_list duplicate, unknown;
};

/*
 * For the columns of all rows of a table, or of those that a watch pulls at once: some tenths of a
 * second. What is left then is empty.
 */
#define STORE_TABLE_STEPS_MAX 5000000

struct store_request {
    struct store *store;
    struct handler_call *call;
    struct arena *arena;
    enum store_verb verb;
    str group, version, plural, namespace, name, subresource;
    struct store_type *type;
    struct store_shape *shape; /* a reference held by the request */
    const struct store_shape_version *as;
    bool status;   /* the subresource is status */
    bool finalize; /* the subresource is finalize, of a namespace */
    bool dry_run;
    enum store_validation validation;
    enum store_view view;
    str include;       /* of a Table: what rows have besides cells: None, Object, else metadata */
    size_t steps_left; /* of a Table: for the paths of its columns */
    str manager;
    struct value *body; /* of the request, or NULL */
    struct store_oddities odd;
    enum store_patch_kind patch; /* of STORE_PATCH */
    bool wrote;                  /* something was put, so the answer waits for the disk */
};

/* The handler's function; called without the lock. */
void store_answer_call(void *ctx, struct handler_call *c);

/* Whether a parameter of the query is "true" or "1". */
bool store_query_is_true(const struct store_request *r, const char *name);

/* Whether members that hold bytes are in base 64; false: answered with 400. */
bool store_check_bytes(struct store_request *r, const struct value *object);

/* ---- Bodies: body.c, protobuf.c. Pure. ---- */

struct read_options;
/* The Content-Type without parameters. */
str store_media_type(const struct store_request *r);
/* Reads the body as its Content-Type says. options may be NULL. */
MUST_CHECK bool store_read_body(struct store_request *r, const struct read_options *options,
                                struct value **out, struct err *e);
/*
 * Whether a body is in Kubernetes' protobuf, and the object in it, which shares the texts of body.
 */
bool store_is_protobuf(str body);
MUST_CHECK bool store_protobuf_read(struct arena *a, str body, struct value **out, struct err *e);

/* ---- Answers: answer.c. Without the lock: they only touch the call. ---- */

/* A cause in the details of a Status. */
struct store_cause {
    str reason, message, field;
};
/* Fill the answer with a Status. Always false, so that failing takes one line. */
bool store_fault(struct store_request *r, int code, const char *reason, const char *format, ...)
    FORMAT(4, 5);
/* The same about the object of the request, with details and causes. */
bool store_fault_of(struct store_request *r, int code, const char *reason, str name, str message,
                    const struct store_cause *causes, size_t count);
/* The same, with the word that Kubernetes uses for the type there: its kind or its plural. */
bool store_fault_as(struct store_request *r, int code, const char *reason, str kind, str name,
                    str message, const struct store_cause *causes, size_t count);
bool store_not_found(struct store_request *r, str name);
/* Answers with a tree. Always true. */
bool store_answer(struct store_request *r, int status, const struct value *v);
/* Answers a write or a get with the object, as the request wants to see it. Always true. */
bool store_answer_object(struct store_request *r, int status, struct value *tree, uint64_t shape);
/* The object as shown in r's version and view; may change and share tree. */
struct value *store_show(struct store_request *r, struct value *tree, uint64_t shape);
/* {"kind": "Status", ...} */
struct value *store_status(struct arena *a, int code, const char *reason, str message);
void store_write_json(struct buf *out, const struct value *v);

/* A PartialObjectMetadata; shares tree. */
struct value *store_metadata_only(struct arena *a, struct value *tree);

/* ---- Tables: table.c, json_path.c. Pure. ---- */

/* {"kind": "Table", ...} with one row. */
struct value *store_table(struct store_request *r, struct value *object);
struct value *store_table_columns(struct store_request *r);
struct value *store_table_row(struct store_request *r, struct value *object);
/* The first value that a path of a printer column finds, or NULL. */
const struct value *store_json_path(struct arena *a, const struct value *object, str path);
/* The same with a limit: *left is reduced by the steps taken, as paths, columns and objects are
 * foreign. */
const struct value *store_json_path_within(struct arena *a, const struct value *object, str path,
                                           size_t *left);
/* "3m20s": an age in kubectl's format. */
str store_human_duration(struct arena *a, int64_t seconds);

/* ---- Selectors: selectors.c. Pure. ---- */

struct store_selector;
/* Both may be empty; *out is NULL if neither selects anything. False: answered with 400. */
MUST_CHECK bool store_selector_read(struct store_request *r, str labels, str fields,
                                    struct store_selector **out);
bool store_selector_fits(const struct store_selector *s, const struct value *object);
/* A copy that lives as long as a. */
struct store_selector *store_selector_copy(struct arena *a, const struct store_selector *s);

/* ---- Schemas: schema.c, validate.c. Pure. ---- */

struct store_errors {
    struct arena *arena;
    VEC(struct store_cause) items; /* message does not include the field */
};
void store_error(struct store_errors *errors, str field, const char *reason, const char *format,
                 ...) FORMAT(4, 5);
/* "spec.x: Required value" or "[a, b]", as one text. */
str store_errors_text(struct arena *a, const struct store_errors *errors);

/*
 * Removes fields that are not in the schema and appends their paths to unknown, which may be NULL.
 */
void store_prune(struct arena *a, const struct store_shape_version *as, struct value *object,
                 struct str_list *unknown);
/* The approximate size of a tree as JSON; counting stops beyond max. */
size_t store_weight(const struct value *v, size_t max);
/*
 * Adds defaults, and drops nulls that are not allowed. False if the defaults take more than
 * STORE_OBJECT_MAX bytes and only some were added: writes are then rejected, and objects that were
 * stored before their definition had these defaults are shown without the rest.
 */
bool store_default(struct arena *a, const struct store_shape_version *as, struct value *object);
/* old is the object before a change, or NULL: unchanged values are not errors. */
void store_validate(struct store *s, const struct store_shape_version *as, const struct value *old,
                    const struct value *object, struct store_errors *errors);
/* The schema of a member, or NULL. */
const struct value *store_schema_member(const struct value *schema, str key);
bool store_schema_preserves(const struct value *schema);

/* Whether a text has an OpenAPI format; unknown formats accept everything. */
bool store_format_fits(struct store *s, str format, str text);

struct store_regexes *store_regexes_new(void);
void store_regexes_free(struct store_regexes *x);
struct regex;
/* NULL if the pattern is invalid. */
const struct regex *store_regex(struct store_regexes *x, str pattern);

/* ---- Metadata: meta.c, names.c, managed_fields.c. Pure. ---- */

/* "2026-11-17T20:00:00Z" */
str store_time(struct arena *a, int64_t now);
str store_new_uid(struct arena *a);
/* The first member of metadata that has the wrong type; empty: none. */
str store_meta_fault(const struct value *meta);
/* Brings metadata into Kubernetes' form; unknown members go to unknown. False: answered with 400.
 */
MUST_CHECK bool store_meta_coerce(struct store_request *r, struct value *object,
                                  struct str_list *unknown);
void store_meta_validate(const struct store_type *t, const struct value *object,
                         struct store_errors *errors);
/* DNS-1123 label and subdomain, in Kubernetes' terms. */
bool store_is_label(str s);
bool store_is_subdomain(str s);
bool store_is_label_value(str s);
bool store_is_qualified_name(str s);
extern const char store_subdomain_rule[], store_label_rule[];

/*
 * Updates managedFields of object, which is to replace old (NULL: nothing): the request's manager
 * wrote it in this version, through this subresource.
 */
void store_manage_fields(struct store_request *r, const struct value *old, struct value *object);

/* ---- Types with rules of their own: builtins.c, crd.c. ---- */

struct store_builtin {
    const char *group, *version, *plural, *singular, *kind, *list_kind, *short_names;
    bool namespaced, has_status, counts_generations;
    const char *schema;     /* openAPIV3Schema as JSON */
    const char *selectable; /* fields for field selectors, separated by spaces */
    const char *bytes;      /* the member whose values are in base 64, or NULL */
    /*
     * Fills in or derives what this type needs, before validation. old is NULL on create. May be
     * NULL.
     */
    void (*prepare)(struct store_request *r, const struct value *old, struct value *object);
    /* Checks what a schema cannot express. May be NULL. */
    void (*validate)(struct store_request *r, const struct value *old, const struct value *object,
                     struct store_errors *errors);
};
extern const struct store_builtin store_builtins[];
extern const size_t store_builtin_count;

void store_crd_prepare(struct store_request *r, const struct value *old, struct value *object);
void store_crd_validate(struct store_request *r, const struct value *old,
                        const struct value *object, struct store_errors *errors);

/* ---- The verbs: true on success, false if answered with a Status. With the lock. ---- */

bool store_do_get(struct store_request *r);
bool store_do_create(struct store_request *r);
bool store_do_update(struct store_request *r);
bool store_do_patch(struct store_request *r);
bool store_do_delete(struct store_request *r);
bool store_do_delete_collection(struct store_request *r);
/* Parses the body, before create, update and patch. Without the lock. */
bool store_parse(struct store_request *r);
/* These two take the lock themselves. */
void store_do_list(struct store_request *r);
void store_do_watch(struct store_request *r);
/* Paths that are not about objects: discovery, version, health. False: not such a path. */
bool store_do_other(struct store_request *r);
/* Paths below /openapi/. False: not such a path. With the lock. */
bool store_do_openapi(struct store_request *r, str path);
struct store_figures store_figures_locked(const struct store *s);

/* Applies a strategic merge patch to an object of a built-in type: strategic.c. Pure. */
struct value *store_strategic_merge(struct arena *a, const struct value *old,
                                    const struct value *patch);

/* Whether finalizers keep an object that is being deleted. */
bool store_is_held(const struct store_type *t, const struct value *tree);
/*
 * Starts or completes the deletion of an object, as a request with this policy does ("",
 * Background, Foreground, Orphan). Returns its state afterwards, NULL if it is gone.
 */
struct value *store_delete_object(struct store *s, struct arena *a, struct store_entry *n,
                                  str policy);
