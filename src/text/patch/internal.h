/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - nodes that stay text until they are accessed.
 *
 * Private to the patch files of this folder. The result of a patch depends on what it had to open:
 * an opened object is written with sorted keys, everything else is copied from its text. A node
 * therefore is one of
 *
 *   raw      the text of a value. There is none for the null that was given as "value": null,
 *            which the original distinguishes from a null in the document.
 *   object   opened: members by key. NULL members are nulls of the document. members itself is NULL
 *            when the node is the text null, which the original opens as an object that is not
 *            there: it has no members, and none can be added.
 *   list     opened: elements, with NULL as above.
 *
 * All nodes of one application live in one arena and belong to one thread; the trees and texts they
 * point to never change.
 */
#pragma once

#include "text/patch/patch.h"

enum node_state { NODE_RAW, NODE_OBJECT, NODE_LIST };

struct members {
    struct map *map; /* to struct node *; a removed member stays as &node_removed */
    size_t count;    /* without the removed ones */
};

/* An element of a list; NULL is null. */
struct element {
    struct node *node;
};

struct node {
    enum node_state state;
    const char *raw;          /* where its text begins, or NULL; another byte follows the value */
    size_t unread;            /* bytes of text not parsed yet, because not needed so far */
    const struct value *tree; /* the text, parsed; NULL when there is none or it is unread */
    struct members *members;
    VEC(struct element) list;
};

/* Marks a removed member, since removing from a map would cost a pass over it. */
extern struct node node_removed;

/* Reads text, which must live as long as a. Go's rules: numbers of any size, broken UTF-8. */
MUST_CHECK bool node_read(struct arena *a, str text, const struct value **out, struct err *e);
/* A node for a value that was read from text; tree may be NULL. */
struct node *node_new(struct arena *a, const char *text, const struct value *tree);
/* A node for a text that node_write has written, with a blank after it. */
struct node *node_new_unread(struct arena *a, str text);

/* Opens n. False if it is not an object (list). */
MUST_CHECK bool node_open_object(struct arena *a, struct node *n);
MUST_CHECK bool node_open_list(struct arena *a, struct node *n);

/* The member, or NULL when it is absent or null. n is an opened object. */
struct node *node_member(const struct node *n, str key);
bool node_has_member(const struct node *n, str key);
void node_set_member(struct node *n, str key, struct node *item);
bool node_remove_member(struct node *n, str key);

/* Whether both are equal in the sense of the original's test operation. Opens both. */
bool node_equal(struct arena *a, struct node *n, struct node *other);
/* Appends JSON. Fails on results that are nested deeper than readers accept. */
MUST_CHECK bool node_write(struct buf *out, const struct node *n, struct err *e);
