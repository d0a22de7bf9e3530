/* SPDX-License-Identifier: Apache-2.0 */
/*
 * items_internal.h - cuts the objects out of a list while it comes in. For this folder.
 *
 *     struct kube_items items = kube_items_new(a, on_item, ctx);
 *     each piece:   if (!kube_items_add(&items, piece, e)) ...
 *     at the end:   if (!kube_items_end(&items, a, &envelope, e)) ...
 *
 * Everything around the elements of the top-level "items" is kept and read at the end: kind,
 * metadata and an empty "items". So this takes the memory of the largest object, whatever the order
 * of the members. One thread at a time.
 */
#pragma once

#include "kube/client.h"

struct kube_items {
    struct buf envelope, item;
    size_t depth;
    bool in_string, escaped;
    bool in_list;                   /* between the brackets of "items" */
    bool in_item;                   /* inside an element of it */
    bool behind_item, behind_comma; /* between its elements */
    bool value_next;                /* in the top-level object, after a colon */
    bool items_key;                 /* its last key was "items" */
    char key[8];                    /* the beginning of its current key */
    size_t key_len;
    /* text is valid during the call. */
    bool (*on_item)(void *ctx, str text, struct err *e);
    void *ctx;
};

/* Buffers live in a. */
struct kube_items kube_items_new(struct arena *a,
                                 bool (*on_item)(void *ctx, str text, struct err *e), void *ctx);
MUST_CHECK bool kube_items_add(struct kube_items *s, str piece, struct err *e);
/* Reads everything around the objects. Its texts live as long as the arena of the buffers. */
MUST_CHECK bool kube_items_end(struct kube_items *s, struct arena *a, struct value **envelope,
                               struct err *e);

/* The position in a list, from its envelope, whose texts it shares. */
struct kube_envelope {
    str next;    /* "continue" for the rest; empty: there is none */
    str version; /* may be empty */
};
/*
 * Fails when the response is not a list, is a list of other objects than the call's (NULL: of any),
 * or may not be complete.
 */
MUST_CHECK bool kube_envelope_read(const struct value *envelope, const struct kube_call *c,
                                   struct kube_envelope *out, struct err *e);
/* Fails when a member is present, not null, and of another kind. */
MUST_CHECK bool kube_check_kind(const struct value *object, str key, enum value_kind kind,
                                struct err *e);
MUST_CHECK bool kube_check_metadata(const struct value *object, struct err *e);

/* ---- list.c: what listing and watching share. ---- */

/* In discovery, the kind of an entry may be in another group than the entry itself. */
bool kube_version_is_of(struct arena *a, const struct kube_resource *r, str api_version);

/* Servers fill their pages: a list with this many pages without an object never ends. */
#define KUBE_EMPTY_PAGES_MAX 100

/* How many pages may begin with the same object as an earlier page. */
#define KUBE_REPEATS_MAX 10

/*
 * Checks whether a list advances. A list that goes round in circles passes the first object of a
 * remembered page again, whatever its continue tokens are. The distance between remembered pages
 * doubles.
 */
struct kube_advance {
    struct buf first;     /* of the remembered page */
    struct buf beginning; /* of this page */
    size_t pages;
    unsigned empty, repeats; /* empty: pages in a row without an object; repeats: see above */
    bool moved;              /* this page has had an object */
};
struct kube_advance kube_advance_new(struct arena *a);
/* The list begins, or starts over. */
void kube_advance_reset(struct kube_advance *v);
/*
 * A page begins, has an object, has ended. place is the position of the page, next that of the next
 * one.
 */
void kube_advance_page(struct kube_advance *v);
MUST_CHECK bool kube_advance_object(struct kube_advance *v, const struct value *object,
                                    struct err *e);
MUST_CHECK bool kube_advance_next(struct kube_advance *v, str place, str next, struct err *e);

/*
 * Reads what a server sent. Duplicate keys and invalid UTF-8 are errors. Errors have no position,
 * since there is no file to look at.
 */
MUST_CHECK bool kube_json_read(struct arena *a, str text, struct value **out, struct err *e);
/*
 * Reads one object and fills in what lists leave out; with metadata_only, everything but the
 * metadata is dropped if the server sent more. text must live as long as the object.
 */
MUST_CHECK bool kube_object_read(struct arena *a, const struct kube_call *c, str text,
                                 struct value **out, struct err *e);
/* The same for an object that was read as part of something else. */
MUST_CHECK bool kube_object_complete(struct arena *a, const struct kube_call *c,
                                     struct value *object, struct err *e);
/* Adds a parameter, unless it is empty. */
void kube_query_add(struct buf *url, const char *name, str value);
/* The Accept header of a call, for one object or for a list of them. */
str kube_accept(const struct kube_call *c, bool list);
