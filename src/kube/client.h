/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - objects of an API server: get, list, create, update, patch, delete.
 *
 *     struct kube_call pods = {.resource = r, .namespace = STR("default")};
 *     struct kube_list_options options = {.labels = STR("app=x"), .limit = KUBE_PAGE};
 *     if (!kube_list(t, &pods, &options, each, ctx, &meta, e))
 *         return false;
 *
 * Resources come from discovery.h or are filled in by hand. Requests are retried by retry_kube. An
 * error response becomes a struct err: its text is the server's message (or client-go's wording if
 * the server sent none), its kind is for code:
 *
 *     ERR_NOT_FOUND 404    ERR_EXISTS, ERR_CONFLICT 409    ERR_DENIED 401, 403    ERR_EXPIRED 410
 *     ERR_THROTTLED 429    ERR_INVALID other 4xx           ERR_IO 5xx, or no response
 *
 * and struct kube_status has the rest on request. Any thread; results live in the arena of the
 * call.
 */
#pragma once

#include "kube/discovery.h"

/* What the server reported about a failed request. */
struct kube_status {
    int code; /* 0: no response */
    str reason, message;
    bool silent;                 /* a Status without a message: the text is not the server's */
    const struct value *details; /* may be NULL */
    str continue_token;          /* from a 410 while listing: for the rest as it is now */
    int64_t retry_after;         /* nanoseconds; 0: not given */
};

/* What a request is about. */
struct kube_call {
    const struct kube_resource *resource;
    str namespace;              /* empty: none, or all when listing */
    str name;                   /* empty when listing and creating */
    str subresource;            /* "status", "scale"; usually empty */
    bool metadata_only;         /* PartialObjectMetadata: nothing but metadata */
    struct http_cancel *cancel; /* may be NULL */
    int64_t timeout;            /* for one request, in nanoseconds; 0: from the configuration */
    const struct retry_policy *retry; /* NULL: retry_kube */
    struct kube_status *status;       /* if set: filled when the response is an error; lives in a */
};

/* "/apis/apps/v1/namespaces/default/deployments/x/status", escaped. Lives as long as a. */
str kube_call_path(struct arena *a, const struct kube_call *c);

/* ---- Reading. ---- */

MUST_CHECK bool kube_get(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                         struct value **out, struct err *e);

/* Fails when an object received for a call has no name, or is of another resource. */
MUST_CHECK bool kube_object_fits(const struct kube_call *c, const struct value *object,
                                 struct err *e);

/*
 * One object of a list, with apiVersion and kind filled in where the server leaves them out (as it
 * does in lists of its own types). item lives in a, which is emptied after the call. False stops
 * the list: e becomes its error; an e left empty means that the caller has seen enough.
 */
typedef bool kube_item_fn(void *ctx, struct arena *a, struct value *item, struct err *e);

/* client-go's page. */
#define KUBE_PAGE 500
/* The size of one object in a response, and of everything around the objects. */
#define KUBE_OBJECT_MAX (64 * MIB)
#define KUBE_ENVELOPE_MAX (1 * MIB)

struct kube_list_options {
    str labels, fields;   /* selectors, as kubectl's -l and --field-selector */
    size_t limit;         /* objects per page; 0: the server decides, usually a single page */
    str resource_version; /* empty: the newest */
    str version_match;    /* "Exact", "NotOlderThan"; empty: the server's default */
    /*
     * Called when the list must start over, because its snapshot has expired (410) or the
     * connection was lost within a page: forget all items so far. Without it, an expired list
     * continues with the current objects if the server offers that, or fails with ERR_EXPIRED.
     */
    void (*restart)(void *ctx);
    /*
     * Accepts responses as client-go does: one without items is itself an object, null is an empty
     * object, and the errors for 400 and 404 name the resource.
     */
    bool lenient;
};

struct kube_list_meta {
    str resource_version; /* from the first page: where a watch begins */
    size_t items, pages;
};

/*
 * All objects, one by one, as they come in: this takes the memory of one object, however long the
 * list is. A limit splits the list into pages, which keeps the server's memory low. meta may be
 * NULL; its texts live in meta_arena, which then must not be NULL.
 */
MUST_CHECK bool kube_list(struct kube_transport *t, const struct kube_call *c,
                          const struct kube_list_options *options, kube_item_fn *each, void *ctx,
                          struct arena *meta_arena, struct kube_list_meta *meta, struct err *e);

/*
 * ---- Page by page, for callers that work between the responses. ----
 *
 * Takes the memory of one page. A page whose connection breaks is requested again. After a page
 * that has expired (410), the list continues as the server offers or, failing that, starts over in
 * one piece: again means that objects of earlier pages are repeated. restart is not used.
 */
struct kube_pages;

struct kube_page {
    struct value **items;
    size_t len, cap;
    bool again, last;
    bool alone; /* the response was not a list but this object: see lenient */
};

/* Does not send anything yet. transport, call and options must outlive it. */
struct kube_pages *kube_pages_new(struct kube_transport *t, const struct kube_call *c,
                                  const struct kube_list_options *options);
void kube_pages_free(struct kube_pages *p); /* p may be NULL */
/* The next page, in a. Must not be called after the last one. */
MUST_CHECK bool kube_pages_next(struct kube_pages *p, struct arena *a, struct kube_page *out,
                                struct err *e);

/* ---- Writing. *out is the object as the server has it now; out may be NULL. ---- */

struct kube_write_options {
    str field_manager;
    bool dry_run;
    bool force;           /* apply: take over fields owned by others */
    str field_validation; /* "Strict", "Warn", "Ignore"; empty: the server's default */
};

MUST_CHECK bool kube_create(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                            const struct value *object, const struct kube_write_options *options,
                            struct value **out, struct err *e);
/* PUT: the object's resourceVersion, if it has one, must still be current (ERR_CONFLICT). */
MUST_CHECK bool kube_update(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                            const struct value *object, const struct kube_write_options *options,
                            struct value **out, struct err *e);

enum kube_patch_type {
    KUBE_MERGE_PATCH,
    KUBE_JSON_PATCH,      /* a list of operations */
    KUBE_STRATEGIC_PATCH, /* not supported for custom resources */
    KUBE_APPLY_PATCH,     /* server-side apply; options->field_manager is required */
};
MUST_CHECK bool kube_patch(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                           enum kube_patch_type type, const struct value *patch,
                           const struct kube_write_options *options, struct value **out,
                           struct err *e);

struct kube_delete_options {
    str propagation;           /* "Foreground", "Background", "Orphan"; empty: the default */
    bool grace_given;          /* grace counts */
    int64_t grace;             /* seconds */
    str uid, resource_version; /* preconditions */
    bool dry_run;
};
/*
 * *out is the object while it is being deleted, or a Status once it is gone. options may be NULL.
 */
MUST_CHECK bool kube_delete(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                            const struct kube_delete_options *options, struct value **out,
                            struct err *e);

/* ---- The same as data, for callers that send by other means (pipe.h, events.h). ---- */
enum kube_verb {
    KUBE_VERB_GET,
    KUBE_VERB_CREATE,
    KUBE_VERB_UPDATE,
    KUBE_VERB_PATCH,
    KUBE_VERB_DELETE,
};

struct kube_ask {
    enum kube_verb verb;
    struct kube_call call;
    str path;                        /* instead of the path from call, whose resource may be NULL */
    enum kube_patch_type patch;      /* KUBE_VERB_PATCH */
    const struct value *body;        /* the object, or the patch */
    str text;                        /* instead of body: JSON; for a delete, its options */
    struct kube_write_options write; /* KUBE_VERB_CREATE, _UPDATE, _PATCH */
    struct kube_delete_options delete; /* KUBE_VERB_DELETE */
    uint64_t term;                     /* see kube_pipe_cancel (pipe.h only); 0: none */
};

/* Sends the request and waits for the response, as the functions above do. */
MUST_CHECK bool kube_do(struct kube_transport *t, struct arena *a, const struct kube_ask *q,
                        struct value **out, struct err *e);
/* The request for q, to be passed to kube_prepare. Lives in a; its body does not refer to q's. */
MUST_CHECK bool kube_ask_request(struct arena *a, const struct kube_ask *q,
                                 struct http_request *out, struct err *e);
/* Interprets the response to it. out may be NULL, and *out is NULL when call has no resource. */
MUST_CHECK bool kube_ask_answer(struct arena *a, const struct kube_ask *q,
                                const struct http_response *response, struct value **out,
                                struct err *e);

/* ---- Errors. ---- */

/*
 * Makes an error of a response other than 2xx. method and c (may be NULL) are named if the server
 * gave no message. status may be NULL. Always false.
 */
bool kube_answer_failed(struct arena *a, str method, const struct kube_call *c,
                        const struct http_response *response, struct kube_status *status,
                        struct err *e);
/* The same by the code alone: what client-go makes of responses to raw requests. Always false. */
bool kube_answer_failed_raw(struct arena *a, const struct http_response *response, struct err *e);
/* The same for a Status object, as in ERROR events of a watch. Always false. */
bool kube_status_failed(struct arena *a, const struct value *object, struct kube_status *status,
                        struct err *e);
/*
 * Fails for a partial response: a 206, or one with a Content-Range. Upstream: client-go takes it
 * for the whole.
 */
MUST_CHECK bool kube_answer_whole(const struct http_response *response, struct err *e);
/* The same for reads: also fails for any status but 200, as from caches and proxies. */
MUST_CHECK bool kube_answer_read(const struct http_response *response, struct err *e);
/*
 * For a 2xx response that cannot be parsed: adds to e that it is not JSON in the first place, such
 * as a proxy's page. Always false.
 */
bool kube_answer_unread(const struct http_response *response, struct err *e);
