/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - the nodes of a template as others see them.
 */
#include "tmpl/tree.h"
#include "tmpl/internal.h"

const struct node *tmpl_tree(const struct tmpl_set *set, str name)
{
    const struct template *t = map_get(set->templates, name);

    return t ? t->root : NULL;
}

enum tmpl_node_kind tmpl_node_kind(const struct node *n)
{
    switch (n->kind) {
    case NODE_COMMAND:
        return TMPL_NODE_COMMAND;
    case NODE_FIELD:
        return TMPL_NODE_FIELD;
    case NODE_IDENTIFIER:
        return TMPL_NODE_IDENTIFIER;
    case NODE_NUMBER:
        return TMPL_NODE_NUMBER;
    case NODE_RANGE:
        return TMPL_NODE_RANGE;
    case NODE_STRING:
        return TMPL_NODE_STRING;
    default:
        return TMPL_NODE_OTHER;
    }
}

size_t tmpl_node_children(const struct node *n)
{
    switch (n->kind) {
    case NODE_LIST:
    case NODE_COMMAND:
        return n->list.len;
    case NODE_PIPE:
        return (size_t)n->pipe.declared.len + n->pipe.commands.len;
    case NODE_ACTION:
    case NODE_CHAIN:
        return 1;
    case NODE_IF:
    case NODE_RANGE:
    case NODE_WITH:
        return n->branch.otherwise ? 3 : 2;
    case NODE_TEMPLATE:
        return n->call.pipe ? 1 : 0;
    default:
        return 0;
    }
}

static const struct node *child_of_branch(const struct node *n, size_t i)
{
    const struct node *parts[] = {n->branch.pipe, n->branch.then, n->branch.otherwise};

    return parts[i];
}

const struct node *tmpl_node_child(const struct node *n, size_t i)
{
    assert(i < tmpl_node_children(n));
    switch (n->kind) {
    case NODE_PIPE:
        return i < n->pipe.declared.len ? n->pipe.declared.items[i]
                                        : n->pipe.commands.items[i - n->pipe.declared.len];
    case NODE_ACTION:
        return n->action;
    case NODE_CHAIN:
        return n->chain.on;
    case NODE_IF:
    case NODE_RANGE:
    case NODE_WITH:
        return child_of_branch(n, i);
    case NODE_TEMPLATE:
        return n->call.pipe;
    default:
        return n->list.items[i];
    }
}

str tmpl_node_text(const struct node *n)
{
    switch (n->kind) {
    case NODE_IDENTIFIER:
        return n->identifier.name;
    case NODE_NUMBER:
        return n->number.value->text;
    case NODE_STRING:
        return tv_text(n->string.value);
    default:
        return STR_NONE;
    }
}

const str *tmpl_node_names(const struct node *n, size_t *count)
{
    *count = n->kind == NODE_FIELD ? n->chain.fields.len : 0;
    return *count ? n->chain.fields.items : NULL;
}
