/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.c - the canonical form of templates.
 *
 * Error texts quote it and the metadata hash of a reference is made of it, so it is Go's to the
 * byte: trim markers and comments are gone, white space in actions is normal, else if is an if
 * inside an else.
 */
#include "base/unicode.h"
#include "tmpl/code.h"

static void print_list(struct buf *out, const struct nodes *list, str between)
{
    for (uint32_t i = 0; i < list->len; i++) {
        if (i)
            buf_add(out, between);
        node_print(out, list->items[i]);
    }
}

static void print_pipe(struct buf *out, const struct node *n)
{
    if (n->pipe.code && n->pipe.code->printed.len) {
        buf_add(out, n->pipe.code->printed);
        return;
    }
    if (n->pipe.declared.len) {
        print_list(out, &n->pipe.declared, STR(", "));
        buf_add(out, n->assign ? STR(" = ") : STR(" := "));
    }
    print_list(out, &n->pipe.commands, STR(" | "));
}

/* An operand: a pipeline among operands is in parentheses. */
static void print_operand(struct buf *out, const struct node *n)
{
    if (n->kind != NODE_PIPE) {
        node_print(out, n);
        return;
    }
    buf_char(out, '(');
    print_pipe(out, n);
    buf_char(out, ')');
}

static void print_command(struct buf *out, const struct node *n)
{
    for (uint32_t i = 0; i < n->list.len; i++) {
        if (i)
            buf_char(out, ' ');
        print_operand(out, n->list.items[i]);
    }
}

static void print_fields(struct buf *out, const struct names *fields, bool dot_first)
{
    for (uint32_t i = 0; i < fields->len; i++) {
        if (i || dot_first)
            buf_char(out, '.');
        buf_add(out, fields->items[i]);
    }
}

static void print_branch(struct buf *out, const struct node *n, str begin)
{
    buf_add(out, begin);
    print_pipe(out, n->branch.pipe);
    buf_add(out, STR("}}"));
    node_print(out, n->branch.then);
    if (n->branch.otherwise) {
        buf_add(out, STR("{{else}}"));
        node_print(out, n->branch.otherwise);
    }
    buf_add(out, STR("{{end}}"));
}

static void print_template(struct buf *out, const struct node *n)
{
    buf_add(out, STR("{{template "));
    go_quote(out, n->call.name);
    if (n->call.pipe) {
        buf_char(out, ' ');
        print_pipe(out, n->call.pipe);
    }
    buf_add(out, STR("}}"));
}

static void print_action(struct buf *out, const struct node *n)
{
    buf_add(out, STR("{{"));
    print_pipe(out, n->action);
    buf_add(out, STR("}}"));
}

static void print_chain(struct buf *out, const struct node *n)
{
    print_operand(out, n->chain.on);
    print_fields(out, &n->chain.fields, true);
}

void node_print(struct buf *out, const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case NODE_TEXT:
        buf_add(out, n->text);
        break;
    case NODE_LIST:
        print_list(out, &n->list, STR_NONE);
        break;
    case NODE_ACTION:
        print_action(out, n);
        break;
    case NODE_PIPE:
        print_pipe(out, n);
        break;
    case NODE_COMMAND:
        print_command(out, n);
        break;
    case NODE_IDENTIFIER:
        buf_add(out, n->identifier.name);
        break;
    case NODE_VARIABLE:
        print_fields(out, &n->chain.fields, false);
        break;
    case NODE_FIELD:
        print_fields(out, &n->chain.fields, true);
        break;
    case NODE_CHAIN:
        print_chain(out, n);
        break;
    case NODE_DOT:
        buf_char(out, '.');
        break;
    case NODE_NIL:
        buf_add(out, STR("nil"));
        break;
    case NODE_BOOL:
        buf_add(out, n->constant.truth ? STR("true") : STR("false"));
        break;
    case NODE_NUMBER:
        buf_add(out, n->number.value->text);
        break;
    case NODE_STRING:
        buf_add(out, n->string.quoted);
        break;
    case NODE_IF:
        print_branch(out, n, STR("{{if "));
        break;
    case NODE_RANGE:
        print_branch(out, n, STR("{{range "));
        break;
    case NODE_WITH:
        print_branch(out, n, STR("{{with "));
        break;
    case NODE_TEMPLATE:
        print_template(out, n);
        break;
    case NODE_BREAK:
        buf_add(out, STR("{{break}}"));
        break;
    case NODE_CONTINUE:
        buf_add(out, STR("{{continue}}"));
        break;
    case NODE_END:
        buf_add(out, STR("{{end}}"));
        break;
    case NODE_ELSE:
        buf_add(out, STR("{{else}}"));
        break;
    }
}

bool node_is_empty(const struct node *n)
{
    if (n->kind == NODE_TEXT)
        return !unicode_trim(n->text).len;
    if (n->kind != NODE_LIST)
        return false;
    for (uint32_t i = 0; i < n->list.len; i++)
        if (!node_is_empty(n->list.items[i]))
            return false;
    return true;
}
