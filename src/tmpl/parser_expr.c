/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser_expr.c - tokens to nodes: operands, commands, pipelines; see parser.h.
 */
#include "tmpl/parser.h"

/* ---- Operands ------------------------------------------------------------------------------- */

static struct names one_name(struct parser *p, str name)
{
    str *s = ARENA_NEW(p->arena, str);

    *s = name;
    return (struct names){s, 1};
}

static struct node *new_variable(struct parser *p, const struct token *t)
{
    struct node *n = parse_part(p, NODE_VARIABLE, t->pos);

    n->chain.fields = one_name(p, t->text);
    return n;
}

/* What kube-compare has taken away on purpose does not come back with another profile. */
static bool is_withheld(str name)
{
    return str_eq(name, STR("getHostByName"));
}

static const struct function *find_function(const struct tmpl_set *set, str name)
{
    const struct function *f = function_find(name, set->profile);

    return f || !set->extra || is_withheld(name) ? f : function_find(name, set->extra);
}

static struct node *identifier(struct parser *p, const struct token *t)
{
    struct node *n = parse_part(p, NODE_IDENTIFIER, t->pos);
    const struct function *f = find_function(p->set, t->text);

    if (!f) {
        FAIL(p, "function %q not defined", tv_str(t->text));
        return NULL;
    }
    if (p->set->borrowed && !function_find(t->text, p->set->profile))
        p->set->borrowed(p->set->ctx, t->text, lexer_line(p->file->text, t->pos));
    n->identifier.name = t->text;
    n->identifier.function = f;
    p->set->reach |= f->reach;
    p->note.reach |= f->reach;
    return n;
}

static bool is_variable(str x, str y)
{
    return x.len == y.len && hot_same(x.ptr, y.ptr, x.len);
}

static struct node *use_variable(struct parser *p, const struct token *t)
{
    for (size_t i = 0; i < p->vars.len; i++)
        if (is_variable(p->vars.items[i], t->text)) {
            if (i < p->note.vars && p->note.text.len)
                VEC_PUSH(p->arena, &p->note.used, t->text);
            return new_variable(p, t);
        }
    FAIL(p, "undefined variable %q", tv_str(t->text));
    return NULL;
}

static struct node *number(struct parser *p, const struct token *t)
{
    struct node *n = parse_part(p, NODE_NUMBER, t->pos);
    struct number *value = ARENA_NEW(p->arena, struct number);
    str message = STR_NONE;

    if (!literal_number(p->arena, t, value, &message)) {
        FAIL(p, "%s", tv_str(message));
        return NULL;
    }
    n->number.value = value;
    n->number.ideal = literal_ideal(p->arena, value);
    return n;
}

static struct node *string(struct parser *p, const struct token *t)
{
    struct node *n = parse_part(p, NODE_STRING, t->pos);
    str text;

    if (!parse_unquote(p, t->text, &text))
        return NULL;
    n->string.quoted = t->text;
    n->string.value = tv_str(text);
    return n;
}

static struct node *parenthesized(struct parser *p)
{
    struct node *n;

    if (p->depth >= PARSE_DEPTH_MAX) {
        FAIL_TEXT(p, "max expression depth exceeded");
        return NULL;
    }
    p->depth++;
    n = parse_pipeline(p, STR("parenthesized pipeline"), TOKEN_RIGHT_PAREN);
    p->depth--;
    return n;
}

static struct node *bool_node(struct parser *p, const struct token *t)
{
    struct node *n = parse_part(p, NODE_BOOL, t->pos);

    n->constant = tv_bool(str_eq(t->text, STR("true")));
    return n;
}

static struct node *field(struct parser *p, const struct token *t)
{
    struct node *n = parse_part(p, NODE_FIELD, t->pos);

    n->chain.fields = one_name(p, str_from(t->text, 1));
    return n;
}

/* A term, or *none when the next token begins none. NULL and not *none is an error. */
static struct node *term(struct parser *p, bool *none)
{
    const struct token *t = parse_next_word(p);

    *none = false;
    switch (t->kind) {
    case TOKEN_IDENTIFIER:
        return identifier(p, t);
    case TOKEN_DOT:
        return parse_part(p, NODE_DOT, t->pos);
    case TOKEN_NIL:
        return parse_part(p, NODE_NIL, t->pos);
    case TOKEN_VARIABLE:
        return use_variable(p, t);
    case TOKEN_FIELD:
        return field(p, t);
    case TOKEN_BOOL:
        return bool_node(p, t);
    case TOKEN_CHAR_CONSTANT:
    case TOKEN_COMPLEX:
    case TOKEN_NUMBER:
        return number(p, t);
    case TOKEN_LEFT_PAREN:
        return parenthesized(p);
    case TOKEN_STRING:
    case TOKEN_RAW_STRING:
        return string(p, t);
    default:
        parse_backup(p);
        *none = true;
        return NULL;
    }
}

/* The fields that follow on a term; those of a field or variable become part of it. */
static struct node *chain(struct parser *p, struct node *on)
{
    struct node *n = parse_part(p, NODE_CHAIN, parse_peek(p)->pos);
    VEC(str) names = {0};

    if (on->kind == NODE_FIELD || on->kind == NODE_VARIABLE) {
        n->kind = on->kind;
        VEC_PUSH(p->arena, &names, on->chain.fields.items[0]);
    }
    while (parse_peek(p)->kind == TOKEN_FIELD)
        VEC_PUSH(p->arena, &names, str_from(parse_next(p)->text, 1));
    n->chain.on = on;
    n->chain.fields = (struct names){names.items, (uint32_t)names.len};
    return n;
}

/* Most often the next byte says that there is none. */
static bool field_follows(struct parser *p)
{
    const struct lexer *l = p->lexer;

    if (p->peeked == 0 && l->pos < l->input.len && l->input.ptr[l->pos] != '.')
        return false;
    return parse_peek(p)->kind == TOKEN_FIELD;
}

static struct node *operand(struct parser *p, bool *none)
{
    struct node *n = term(p, none);
    struct buf b;

    if (!n || !field_follows(p))
        return n;
    switch ((enum node_kind)n->kind) {
    case NODE_BOOL:
    case NODE_STRING:
    case NODE_NUMBER:
    case NODE_NIL:
    case NODE_DOT:
        while (parse_peek(p)->kind == TOKEN_FIELD)
            parse_next(p);
        b = buf_new(p->arena, BUF_UNLIMITED);
        node_print(&b, n);
        FAIL(p, "unexpected . after term %q", tv_str(buf_str(&b)));
        return NULL;
    default:
        return chain(p, n);
    }
}

/* ---- Commands and pipelines ----------------------------------------------------------------- */

/* Operands separated by space, up to a pipe, which is consumed, or the end, which is not. */
static struct node *command(struct parser *p)
{
    struct node *n = parse_part(p, NODE_COMMAND, parse_peek_word(p)->pos);
    size_t first = p->open.len;

    for (;;) {
        bool none;
        struct node *o;
        const struct token *t;
        parse_peek_word(p);
        o = operand(p, &none);
        if (!o && !none)
            return NULL;
        if (o)
            parse_add(p, o);
        if (parse_skip_blank(p))
            continue;
        t = parse_next(p);
        if (t->kind == TOKEN_SPACE)
            continue;
        if (t->kind == TOKEN_RIGHT_DELIM || t->kind == TOKEN_RIGHT_PAREN)
            parse_backup(p);
        else if (t->kind != TOKEN_PIPE)
            return parse_unexpected_node(p, t, STR("operand"));
        break;
    }
    if (p->open.len == first) {
        FAIL_TEXT(p, "empty command");
        return NULL;
    }
    n->list = parse_list(p, first);
    return n;
}

static void declare(struct parser *p, const struct token *v)
{
    parse_add(p, new_variable(p, v));
    VEC_PUSH(p->arena, &p->vars, v->text);
}

/* After "$x," : only range takes a second variable. */
static bool more_declarations(struct parser *p, str context, size_t count, bool *again)
{
    enum token_kind kind;

    *again = str_eq(context, STR("range")) && count < 2;
    if (!*again)
        return FAIL(p, "too many declarations in %s", tv_str(context));
    kind = parse_peek_word(p)->kind;
    if (kind != TOKEN_VARIABLE && kind != TOKEN_RIGHT_DELIM && kind != TOKEN_RIGHT_PAREN)
        return FAIL_TEXT(p, "range can only initialize variables");
    return true;
}

/* "$x :=", "$x =" or "$i, $x :=" at the front of a pipeline; else everything is put back. */
static bool declarations(struct parser *p, struct node *pipe, str context)
{
    size_t first = p->open.len;
    bool again = true;

    while (again && parse_peek_word(p)->kind == TOKEN_VARIABLE) {
        struct token v = *parse_next(p), after = *parse_peek(p), t = *parse_peek_word(p);
        again = false;
        if (t.kind == TOKEN_ASSIGN || t.kind == TOKEN_DECLARE) {
            pipe->assign = t.kind == TOKEN_ASSIGN;
            parse_next_word(p);
            declare(p, &v);
        } else if (t.kind == TOKEN_CHAR && str_eq(t.text, STR(","))) {
            parse_next_word(p);
            declare(p, &v);
            if (!more_declarations(p, context, p->open.len - first, &again))
                return false;
        } else if (after.kind == TOKEN_SPACE) {
            p->token[1] = after;
            p->token[2] = v;
            p->peeked = 3;
        } else {
            p->token[1] = v;
            p->peeked = 2;
        }
    }
    pipe->pipe.declared = parse_list(p, first);
    return true;
}

static bool check_pipeline(struct parser *p, const struct node *pipe, str context)
{
    const struct nodes *commands = &pipe->pipe.commands;

    if (!commands->len)
        return FAIL(p, "missing value for %s", tv_str(context));
    for (uint32_t i = 1; i < commands->len; i++) {
        switch ((enum node_kind)commands->items[i]->list.items[0]->kind) {
        case NODE_BOOL:
        case NODE_DOT:
        case NODE_NIL:
        case NODE_NUMBER:
        case NODE_STRING:
            return FAIL(p, "non executable command in pipeline stage %d", tv_int(i + 1));
        default:
            break;
        }
    }
    return true;
}

static bool begins_command(enum token_kind kind)
{
    switch (kind) {
    case TOKEN_BOOL:
    case TOKEN_CHAR_CONSTANT:
    case TOKEN_COMPLEX:
    case TOKEN_DOT:
    case TOKEN_FIELD:
    case TOKEN_IDENTIFIER:
    case TOKEN_NUMBER:
    case TOKEN_NIL:
    case TOKEN_RAW_STRING:
    case TOKEN_STRING:
    case TOKEN_VARIABLE:
    case TOKEN_LEFT_PAREN:
        return true;
    default:
        return false;
    }
}

struct node *parse_pipeline(struct parser *p, str context, enum token_kind end)
{
    struct node *pipe = parse_part(p, NODE_PIPE, parse_peek_word(p)->pos);
    size_t first = p->open.len;

    if (!declarations(p, pipe, context))
        return NULL;
    for (;;) {
        const struct token *t = parse_next_word(p);
        struct node *c;
        if (t->kind == end) {
            pipe->pipe.commands = parse_list(p, first);
            if (!check_pipeline(p, pipe, context))
                return NULL;
            if (end == TOKEN_RIGHT_DELIM)
                code_make(p->arena, &p->ops, pipe);
            return pipe;
        }
        if (!begins_command(t->kind))
            return parse_unexpected_node(p, t, context);
        parse_backup(p);
        c = command(p);
        if (!c)
            return NULL;
        parse_add(p, c);
    }
}
