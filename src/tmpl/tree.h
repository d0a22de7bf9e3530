/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - inspects parsed templates without running them.
 *
 * A template is a tree of nodes. Children are in the order of Go's own walkers; the kinds of
 * interest are listed below, everything else is TMPL_NODE_OTHER and only has children. Nodes live
 * as long as the set and never change, so any thread may read them.
 */
#pragma once

#include "tmpl/tmpl.h"

struct node;

enum tmpl_node_kind {
    TMPL_NODE_COMMAND,    /* children: the function, if there is one, and its operands */
    TMPL_NODE_FIELD,      /* .a.b: names; no children */
    TMPL_NODE_IDENTIFIER, /* a function: text is its name */
    TMPL_NODE_NUMBER,     /* text: as written */
    TMPL_NODE_RANGE,      /* children: the pipeline, the body, and the else part if there is one */
    TMPL_NODE_STRING,     /* text: without its quotes */
    TMPL_NODE_OTHER,
};

/* The root of the template name, or NULL if there is none. */
const struct node *tmpl_tree(const struct tmpl_set *set, str name);

enum tmpl_node_kind tmpl_node_kind(const struct node *n);
size_t tmpl_node_children(const struct node *n);
/* Child i, which must exist. */
const struct node *tmpl_node_child(const struct node *n, size_t i);
/* The text of an identifier, number or string, else empty. */
str tmpl_node_text(const struct node *n);
/* The names of a field, outermost first; *count is 0 for other nodes. */
const str *tmpl_node_names(const struct node *n, size_t *count);
