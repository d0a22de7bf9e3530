/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.c - tokens to nodes.
 *
 * Recursive descent. Errors are Go's to the word and to the line, which is that of the token read
 * last: hence the three tokens of look-ahead are kept as Go keeps them. A definition (define,
 * block) is parsed by a parser of its own that shares the lexer.
 */
#include "tmpl/internal.h"

/*
 * How deep parentheses, and how deep control structures may nest: Go stops parentheses at 10,000,
 * but its stacks grow.
 */
#define PARSE_DEPTH_MAX 2500

struct parser {
    struct tmpl_set *set;
    struct arena *arena;
    const struct file *file;
    struct lexer *lexer;
    struct map *trees;
    struct err *err;
    str name;
    struct token token[3]; /* [0] was read last; the others were pushed back */
    int peeked;
    VEC(str) vars;
    uint32_t action_line; /* of the action being parsed, 0 outside */
    unsigned ranges, depth;
};

/* ---- Tokens --------------------------------------------------------------------------------- */

static struct token next(struct parser *p)
{
    if (p->peeked > 0)
        p->peeked--;
    else
        p->token[0] = lexer_next(p->lexer);
    return p->token[p->peeked];
}

static void backup(struct parser *p)
{
    p->peeked++;
}

static struct token peek(struct parser *p)
{
    if (p->peeked == 0) {
        p->peeked = 1;
        p->token[0] = lexer_next(p->lexer);
    }
    return p->token[p->peeked - 1];
}

static struct token next_non_space(struct parser *p)
{
    struct token t;

    do
        t = next(p);
    while (t.kind == TOKEN_SPACE);
    return t;
}

static struct token peek_non_space(struct parser *p)
{
    struct token t = next_non_space(p);

    backup(p);
    return t;
}

/* ---- Errors --------------------------------------------------------------------------------- */

/* Always false. format and args are Go's. */
static bool fail(struct parser *p, const char *format, const struct tv *args, size_t count)
{
    struct rt rt = {.arena = p->arena};
    struct buf f = buf_new(p->arena, BUF_UNLIMITED), b = buf_new(p->arena, BUF_UNLIMITED);

    /* Upstream: the name is part of the format, so a per cent sign in it is a verb. */
    buf_fmt(&f, "template: %.*s:%u: %s", STR_ARG(p->file->name), p->token[0].line, format);
    tv_printf(&rt, &b, buf_str(&f), args, count);
    return err_set_str(p->err, ERR_INVALID, buf_str(&b));
}
#define FAIL(p, format, ...)                                                                       \
    fail((p), (format), (const struct tv[]){__VA_ARGS__},                                          \
         sizeof((const struct tv[]){__VA_ARGS__}) / sizeof(struct tv))
#define FAIL_TEXT(p, text) fail((p), (text), NULL, 0)

static struct tv tv_token(const struct token *t)
{
    return tv_object(TV_TOKEN, t);
}

static bool unexpected(struct parser *p, struct token t, str context)
{
    str extra = STR_NONE;

    if (t.kind != TOKEN_ERROR)
        return FAIL(p, "unexpected %s in %s", tv_token(&t), tv_str(context));
    if (p->action_line && p->action_line != t.line)
        extra = str_fmt(p->arena, "%s started at %.*s:%u",
                        str_has_suffix(t.text, STR(" action")) ? "" : " in action",
                        STR_ARG(p->file->name), p->action_line);
    return FAIL(p, "%s%s", tv_token(&t), tv_str(extra));
}

static struct node *unexpected_node(struct parser *p, struct token t, str context)
{
    unexpected(p, t, context);
    return NULL;
}

static bool expect(struct parser *p, enum token_kind kind, str context, struct token *out)
{
    *out = next_non_space(p);
    return out->kind == kind || unexpected(p, *out, context);
}

static bool unquote(struct parser *p, str quoted, str *out)
{
    return literal_unquote(p->arena, quoted, out) || FAIL_TEXT(p, "invalid syntax");
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

typedef VEC(struct node *) node_vec;

static struct node *new_node(struct parser *p, enum node_kind kind, size_t pos)
{
    struct node *n = ARENA_NEW(p->arena, struct node);

    n->kind = (uint8_t)kind;
    n->pos = (uint32_t)pos;
    return n;
}

static struct nodes nodes_of(const node_vec *v)
{
    return (struct nodes){v->items, (uint32_t)v->len};
}

static struct names one_name(struct parser *p, str name)
{
    str *s = ARENA_NEW(p->arena, str);

    *s = name;
    return (struct names){s, 1};
}

static struct node *new_variable(struct parser *p, const struct token *t)
{
    struct node *n = new_node(p, NODE_VARIABLE, t->pos);

    n->chain.fields = one_name(p, t->text);
    return n;
}

static struct node *pipeline(struct parser *p, str context, enum token_kind end);
static struct node *item_list(struct parser *p, struct node **end);

/* ---- Operands ------------------------------------------------------------------------------- */

/* What kube-compare has taken away on purpose does not come back with another profile. */
static bool is_withheld(str name)
{
    return str_eq(name, STR("getHostByName"));
}

static const struct tmpl_func *find_function(const struct tmpl_set *set, str name)
{
    const struct tmpl_func *f = tmpl_func_find(name, set->profile);

    return f || !set->also || is_withheld(name) ? f : tmpl_func_find(name, set->also);
}

static struct node *identifier(struct parser *p, const struct token *t)
{
    struct node *n = new_node(p, NODE_IDENTIFIER, t->pos);
    const struct tmpl_func *f = find_function(p->set, t->text);
    struct signature *s;

    if (!f) {
        FAIL(p, "function %q not defined", tv_str(t->text));
        return NULL;
    }
    s = map_get(p->set->signatures, str_c(f->signature));
    if (!s) {
        s = ARENA_NEW(p->arena, struct signature);
        *s = signature_parse(f->signature);
        map_set(p->set->signatures, str_c(f->signature), s);
    }
    n->identifier.name = t->text;
    n->identifier.func = f;
    n->identifier.signature = s;
    return n;
}

static struct node *use_variable(struct parser *p, const struct token *t)
{
    for (size_t i = 0; i < p->vars.len; i++)
        if (str_eq(p->vars.items[i], t->text))
            return new_variable(p, t);
    FAIL(p, "undefined variable %q", tv_str(t->text));
    return NULL;
}

static struct node *number(struct parser *p, const struct token *t)
{
    struct node *n = new_node(p, NODE_NUMBER, t->pos);
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
    struct node *n = new_node(p, NODE_STRING, t->pos);
    str text;

    if (!unquote(p, t->text, &text))
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
    n = pipeline(p, STR("parenthesized pipeline"), TOKEN_RIGHT_PAREN);
    p->depth--;
    return n;
}

static struct node *bool_node(struct parser *p, const struct token *t)
{
    struct node *n = new_node(p, NODE_BOOL, t->pos);

    n->constant = tv_bool(str_eq(t->text, STR("true")));
    return n;
}

static struct node *field(struct parser *p, const struct token *t)
{
    struct node *n = new_node(p, NODE_FIELD, t->pos);

    n->chain.fields = one_name(p, str_from(t->text, 1));
    return n;
}

/* A term, or *none when the next token begins none. NULL and not *none is an error. */
static struct node *term(struct parser *p, bool *none)
{
    struct token t = next_non_space(p);

    *none = false;
    switch (t.kind) {
    case TOKEN_IDENTIFIER:
        return identifier(p, &t);
    case TOKEN_DOT:
        return new_node(p, NODE_DOT, t.pos);
    case TOKEN_NIL:
        return new_node(p, NODE_NIL, t.pos);
    case TOKEN_VARIABLE:
        return use_variable(p, &t);
    case TOKEN_FIELD:
        return field(p, &t);
    case TOKEN_BOOL:
        return bool_node(p, &t);
    case TOKEN_CHAR_CONSTANT:
    case TOKEN_COMPLEX:
    case TOKEN_NUMBER:
        return number(p, &t);
    case TOKEN_LEFT_PAREN:
        return parenthesized(p);
    case TOKEN_STRING:
    case TOKEN_RAW_STRING:
        return string(p, &t);
    default:
        backup(p);
        *none = true;
        return NULL;
    }
}

/* The fields that follow on a term; those of a field or variable become part of it. */
static struct node *chain(struct parser *p, struct node *on)
{
    struct node *n = new_node(p, NODE_CHAIN, peek(p).pos);
    VEC(str) names = {0};

    if (on->kind == NODE_FIELD || on->kind == NODE_VARIABLE) {
        n->kind = on->kind;
        VEC_PUSH(p->arena, &names, on->chain.fields.items[0]);
    }
    while (peek(p).kind == TOKEN_FIELD)
        VEC_PUSH(p->arena, &names, str_from(next(p).text, 1));
    n->chain.on = on;
    n->chain.fields = (struct names){names.items, (uint32_t)names.len};
    return n;
}

static struct node *operand(struct parser *p, bool *none)
{
    struct node *n = term(p, none);
    struct buf b;

    if (!n || peek(p).kind != TOKEN_FIELD)
        return n;
    switch ((enum node_kind)n->kind) {
    case NODE_BOOL:
    case NODE_STRING:
    case NODE_NUMBER:
    case NODE_NIL:
    case NODE_DOT:
        while (peek(p).kind == TOKEN_FIELD)
            next(p);
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
    struct node *n = new_node(p, NODE_COMMAND, peek_non_space(p).pos);
    node_vec args = {0};

    for (;;) {
        bool none;
        struct node *o;
        struct token t;
        peek_non_space(p);
        o = operand(p, &none);
        if (!o && !none)
            return NULL;
        if (o)
            VEC_PUSH(p->arena, &args, o);
        t = next(p);
        if (t.kind == TOKEN_SPACE)
            continue;
        if (t.kind == TOKEN_RIGHT_DELIM || t.kind == TOKEN_RIGHT_PAREN)
            backup(p);
        else if (t.kind != TOKEN_PIPE)
            return unexpected_node(p, t, STR("operand"));
        break;
    }
    if (!args.len) {
        FAIL_TEXT(p, "empty command");
        return NULL;
    }
    n->list = nodes_of(&args);
    return n;
}

static void declare(struct parser *p, node_vec *declared, const struct token *v)
{
    VEC_PUSH(p->arena, declared, new_variable(p, v));
    VEC_PUSH(p->arena, &p->vars, v->text);
}

/* After "$x," : only range takes a second variable. */
static bool more_declarations(struct parser *p, str context, size_t count, bool *again)
{
    enum token_kind kind;

    *again = str_eq(context, STR("range")) && count < 2;
    if (!*again)
        return FAIL(p, "too many declarations in %s", tv_str(context));
    kind = peek_non_space(p).kind;
    if (kind != TOKEN_VARIABLE && kind != TOKEN_RIGHT_DELIM && kind != TOKEN_RIGHT_PAREN)
        return FAIL_TEXT(p, "range can only initialize variables");
    return true;
}

/* "$x :=", "$x =" or "$i, $x :=" at the front of a pipeline; else everything is put back. */
static bool declarations(struct parser *p, struct node *pipe, str context)
{
    node_vec declared = {0};
    bool again = true;

    while (again && peek_non_space(p).kind == TOKEN_VARIABLE) {
        struct token v = next(p), after = peek(p), t = peek_non_space(p);
        again = false;
        if (t.kind == TOKEN_ASSIGN || t.kind == TOKEN_DECLARE) {
            pipe->assign = t.kind == TOKEN_ASSIGN;
            next_non_space(p);
            declare(p, &declared, &v);
        } else if (t.kind == TOKEN_CHAR && str_eq(t.text, STR(","))) {
            next_non_space(p);
            declare(p, &declared, &v);
            if (!more_declarations(p, context, declared.len, &again))
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
    pipe->pipe.declared = nodes_of(&declared);
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

static struct node *pipeline(struct parser *p, str context, enum token_kind end)
{
    struct node *pipe = new_node(p, NODE_PIPE, peek_non_space(p).pos);
    node_vec commands = {0};

    if (!declarations(p, pipe, context))
        return NULL;
    for (;;) {
        struct token t = next_non_space(p);
        struct node *c;
        if (t.kind == end) {
            pipe->pipe.commands = nodes_of(&commands);
            return check_pipeline(p, pipe, context) ? pipe : NULL;
        }
        if (!begins_command(t.kind))
            return unexpected_node(p, t, context);
        backup(p);
        c = command(p);
        if (!c)
            return NULL;
        VEC_PUSH(p->arena, &commands, c);
    }
}

/* ---- Control -------------------------------------------------------------------------------- */

static struct node *branch(struct parser *p, enum node_kind kind, str context);

/* What follows {{else}}: a list up to {{end}}, or the if or with of an "else if", "else with". */
static struct node *else_part(struct parser *p, struct node *otherwise, enum node_kind kind,
                              str context)
{
    enum token_kind word = kind == NODE_IF ? TOKEN_IF : TOKEN_WITH;
    struct node *end, *list;

    if (kind != NODE_RANGE && peek(p).kind == word) {
        node_vec one = {0};
        struct node *inner;
        next(p);
        inner = branch(p, kind, context);
        if (!inner)
            return NULL;
        VEC_PUSH(p->arena, &one, inner);
        list = new_node(p, NODE_LIST, otherwise->pos);
        list->list = nodes_of(&one);
        return list;
    }
    list = item_list(p, &end);
    if (list && end->kind != NODE_END) {
        FAIL(p, "expected end; found %s", tv_str(STR("{{else}}")));
        return NULL;
    }
    return list;
}

static bool branch_parts(struct parser *p, struct node *n, str context)
{
    struct node *end;

    n->branch.pipe = pipeline(p, context, TOKEN_RIGHT_DELIM);
    if (!n->branch.pipe)
        return false;
    p->ranges += n->kind == NODE_RANGE;
    n->branch.then = item_list(p, &end);
    p->ranges -= n->kind == NODE_RANGE;
    if (!n->branch.then)
        return false;
    if (end->kind == NODE_ELSE) {
        n->branch.otherwise = else_part(p, end, (enum node_kind)n->kind, context);
        if (!n->branch.otherwise)
            return false;
    }
    n->pos = n->branch.pipe->pos;
    return true;
}

/* if, range and with, whose keyword is past. Variables live up to the end. */
static struct node *branch(struct parser *p, enum node_kind kind, str context)
{
    struct node *n = new_node(p, kind, 0);
    size_t vars = p->vars.len;
    bool ok;

    if (p->depth >= PARSE_DEPTH_MAX) {
        FAIL_TEXT(p, "max nesting depth exceeded");
        return NULL;
    }
    p->depth++;
    ok = branch_parts(p, n, context);
    p->depth--;
    p->vars.len = vars;
    return ok ? n : NULL;
}

/* break and continue. */
static struct node *jump(struct parser *p, enum node_kind kind, size_t pos)
{
    bool is_break = kind == NODE_BREAK;
    struct token t = next_non_space(p);

    if (t.kind != TOKEN_RIGHT_DELIM)
        return unexpected_node(p, t, is_break ? STR("{{break}}") : STR("{{continue}}"));
    if (!p->ranges) {
        FAIL_TEXT(p, is_break ? "{{break}} outside {{range}}" : "{{continue}} outside {{range}}");
        return NULL;
    }
    return new_node(p, kind, pos);
}

static struct node *end_control(struct parser *p)
{
    struct token t;

    return expect(p, TOKEN_RIGHT_DELIM, STR("end"), &t) ? new_node(p, NODE_END, t.pos) : NULL;
}

/* else; the if or with of an "else if", "else with" is left for the caller. */
static struct node *else_control(struct parser *p)
{
    struct token t = peek_non_space(p);

    if (t.kind == TOKEN_IF || t.kind == TOKEN_WITH)
        return new_node(p, NODE_ELSE, t.pos);
    return expect(p, TOKEN_RIGHT_DELIM, STR("else"), &t) ? new_node(p, NODE_ELSE, t.pos) : NULL;
}

/* ---- Definitions ---------------------------------------------------------------------------- */

/* A parser for a definition within the text of p. */
static struct parser sub_parser(const struct parser *p, str name)
{
    struct parser sub = {
        .set = p->set,
        .arena = p->arena,
        .file = p->file,
        .lexer = p->lexer,
        .trees = p->trees,
        .err = p->err,
        .name = name,
        .depth = p->depth,
    };

    VEC_PUSH(sub.arena, &sub.vars, STR("$"));
    return sub;
}

/* Adds a finished tree; only one of several with the same name may be more than white space. */
static bool add_tree(struct parser *p, struct node *root)
{
    struct template *old = map_get(p->trees, p->name), *t;

    if (old && !node_is_empty(old->root))
        return node_is_empty(root) ||
               FAIL(p, "template: multiple definition of template %q", tv_str(p->name));
    t = ARENA_NEW(p->arena, struct template);
    *t = (struct template){.name = p->name, .file = p->file, .root = root};
    map_set(p->trees, p->name, t);
    return true;
}

static bool definition(struct parser *outer)
{
    str context = STR("define clause");
    struct parser sub = sub_parser(outer, STR_NONE), *p = &sub;
    struct token t = next_non_space(p);
    struct node *root, *end;

    if (t.kind != TOKEN_STRING && t.kind != TOKEN_RAW_STRING)
        return unexpected(p, t, context);
    if (!unquote(p, t.text, &p->name) || !expect(p, TOKEN_RIGHT_DELIM, context, &t))
        return false;
    root = item_list(p, &end);
    if (!root)
        return false;
    if (end->kind != NODE_END)
        return FAIL(p, "unexpected %s in %s", tv_str(STR("{{else}}")), tv_str(context));
    return add_tree(p, root);
}

static bool template_name(struct parser *p, const struct token *t, str context, str *out)
{
    if (t->kind != TOKEN_STRING && t->kind != TOKEN_RAW_STRING)
        return unexpected(p, *t, context);
    return unquote(p, t->text, out);
}

/* The definition that a block holds. */
static bool block_body(struct parser *p, str name, str context)
{
    struct parser sub = sub_parser(p, name);
    struct node *end, *root;

    if (p->depth >= PARSE_DEPTH_MAX)
        return FAIL_TEXT(p, "max nesting depth exceeded");
    sub.depth++;
    root = item_list(&sub, &end);
    if (!root)
        return false;
    if (end->kind != NODE_END)
        return FAIL(p, "unexpected %s in %s", tv_str(STR("{{else}}")), tv_str(context));
    return add_tree(&sub, root);
}

static struct node *block(struct parser *p)
{
    str context = STR("block clause");
    struct token t = next_non_space(p);
    struct node *n = new_node(p, NODE_TEMPLATE, t.pos);

    if (!template_name(p, &t, context, &n->call.name))
        return NULL;
    n->call.pipe = pipeline(p, context, TOKEN_RIGHT_DELIM);
    return n->call.pipe && block_body(p, n->call.name, context) ? n : NULL;
}

static struct node *template_call(struct parser *p)
{
    str context = STR("template clause");
    struct token t = next_non_space(p);
    struct node *n = new_node(p, NODE_TEMPLATE, t.pos);

    if (!template_name(p, &t, context, &n->call.name))
        return NULL;
    if (next_non_space(p).kind == TOKEN_RIGHT_DELIM)
        return n;
    backup(p);
    n->call.pipe = pipeline(p, context, TOKEN_RIGHT_DELIM);
    return n->call.pipe ? n : NULL;
}

/* ---- Lists ---------------------------------------------------------------------------------- */

static struct node *plain_action(struct parser *p)
{
    struct node *n;

    backup(p);
    n = new_node(p, NODE_ACTION, peek(p).pos);
    n->action = pipeline(p, STR("command"), TOKEN_RIGHT_DELIM);
    return n->action ? n : NULL;
}

/* An action whose left delimiter is past. */
static struct node *action(struct parser *p)
{
    struct token t = next_non_space(p);

    switch (t.kind) {
    case TOKEN_BLOCK:
        return block(p);
    case TOKEN_BREAK:
        return jump(p, NODE_BREAK, t.pos);
    case TOKEN_CONTINUE:
        return jump(p, NODE_CONTINUE, t.pos);
    case TOKEN_ELSE:
        return else_control(p);
    case TOKEN_END:
        return end_control(p);
    case TOKEN_IF:
        return branch(p, NODE_IF, STR("if"));
    case TOKEN_RANGE:
        return branch(p, NODE_RANGE, STR("range"));
    case TOKEN_TEMPLATE:
        return template_call(p);
    case TOKEN_WITH:
        return branch(p, NODE_WITH, STR("with"));
    default:
        return plain_action(p);
    }
}

static struct node *text_or_action(struct parser *p)
{
    struct token t = next_non_space(p);
    struct node *n;

    if (t.kind == TOKEN_TEXT) {
        n = new_node(p, NODE_TEXT, t.pos);
        n->text = t.text;
        return n;
    }
    if (t.kind != TOKEN_LEFT_DELIM)
        return unexpected_node(p, t, STR("input"));
    p->action_line = t.line;
    n = action(p);
    p->action_line = 0;
    return n;
}

/* Everything up to {{end}} or {{else}}, which *end is. */
static struct node *item_list(struct parser *p, struct node **end)
{
    struct node *list = new_node(p, NODE_LIST, peek_non_space(p).pos);
    node_vec items = {0};

    while (peek_non_space(p).kind != TOKEN_EOF) {
        struct node *n = text_or_action(p);
        if (!n)
            return NULL;
        if (n->kind == NODE_END || n->kind == NODE_ELSE) {
            *end = n;
            list->list = nodes_of(&items);
            return list;
        }
        VEC_PUSH(p->arena, &items, n);
    }
    FAIL_TEXT(p, "unexpected EOF");
    return NULL;
}

/* At a left delimiter: parses a definition if it is one. *done tells whether it was. */
static bool try_definition(struct parser *p, bool *done)
{
    struct token delim = next(p);

    *done = next_non_space(p).kind == TOKEN_DEFINE;
    if (*done)
        return definition(p);
    p->token[1] = delim;
    p->peeked = 2;
    return true;
}

/* The whole text: as a list, but definitions may stand here and end and else may not. */
static bool top_level(struct parser *p, struct node *root)
{
    node_vec items = {0};

    while (peek(p).kind != TOKEN_EOF) {
        struct node *n;
        bool done = false;
        if (peek(p).kind == TOKEN_LEFT_DELIM && !try_definition(p, &done))
            return false;
        if (done)
            continue;
        n = text_or_action(p);
        if (!n)
            return false;
        if (n->kind == NODE_END || n->kind == NODE_ELSE)
            return FAIL(p, "unexpected %s",
                        tv_str(n->kind == NODE_END ? STR("{{end}}") : STR("{{else}}")));
        VEC_PUSH(p->arena, &items, n);
    }
    root->list = nodes_of(&items);
    return true;
}

bool parse_text(struct tmpl_set *set, const struct file *file, struct map *trees, struct err *e)
{
    struct lexer lexer = lexer_new(set->arena, file->text, set->left, set->right);
    struct parser p = {
        .set = set,
        .arena = set->arena,
        .file = file,
        .lexer = &lexer,
        .trees = trees,
        .err = e,
        .name = file->name,
    };
    struct node *root = new_node(&p, NODE_LIST, 0);

    VEC_PUSH(p.arena, &p.vars, STR("$"));
    return top_level(&p, root) && add_tree(&p, root);
}
