/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.c - tokens to nodes: texts, actions, control structures, definitions.
 *
 * Recursive descent. Errors are Go's to the word and to the line, which is that of the token read
 * last: hence the three tokens of look-ahead are kept as Go keeps them. A definition (define,
 * block) is parsed by a parser of its own that shares the lexer.
 */
#include "tmpl/parser.h"

/* ---- Errors --------------------------------------------------------------------------------- */

static uint32_t line_of(const struct parser *p, size_t pos)
{
    return lexer_line(p->file->text, pos);
}

bool parse_fail(struct parser *p, const char *format, const struct tv *args, size_t count)
{
    struct rt rt = {.arena = p->arena, .memory_max = SIZE_MAX, .steps = UINT64_MAX};
    struct buf f = buf_new(p->arena, BUF_UNLIMITED), b = buf_new(p->arena, BUF_UNLIMITED);

    /* Upstream: the name is part of the format, so a per cent sign in it is a verb. */
    buf_fmt(&f, "template: %.*s:%u: %s", STR_ARG(p->file->name), line_of(p, p->token[0].pos),
            format);
    tv_printf(&rt, &b, buf_str(&f), args, count);
    return err_set_str(p->err, ERR_INVALID, buf_str(&b));
}
static struct tv tv_token(const struct token *t)
{
    return tv_object(TV_TOKEN, t);
}

bool parse_unexpected(struct parser *p, const struct token *token, str context)
{
    struct token t = *token;
    str extra = STR_NONE;

    t.line = line_of(p, t.pos);
    if (t.kind != TOKEN_ERROR)
        return FAIL(p, "unexpected %s in %s", tv_token(&t), tv_str(context));
    if (p->action_pos != STR_NPOS && line_of(p, p->action_pos) != t.line)
        extra = str_fmt(p->arena, "%s started at %.*s:%u",
                        str_has_suffix(t.text, STR(" action")) ? "" : " in action",
                        STR_ARG(p->file->name), line_of(p, p->action_pos));
    return FAIL(p, "%s%s", tv_token(&t), tv_str(extra));
}

struct node *parse_unexpected_node(struct parser *p, const struct token *t, str context)
{
    parse_unexpected(p, t, context);
    return NULL;
}

bool parse_expect(struct parser *p, enum token_kind kind, str context)
{
    const struct token *t = parse_next_word(p);

    return t->kind == kind || parse_unexpected(p, t, context);
}

bool parse_unquote(struct parser *p, str quoted, str *out)
{
    return go_unquote(p->arena, quoted, out) || FAIL_TEXT(p, "invalid syntax");
}

static struct node *item_list(struct parser *p, struct node **end);

/* ---- Control -------------------------------------------------------------------------------- */

static struct node *branch(struct parser *p, enum node_kind kind, str context);

/* What follows {{else}}: a list up to {{end}}, or the if or with of an "else if", "else with". */
static struct node *else_part(struct parser *p, struct node *otherwise, enum node_kind kind,
                              str context)
{
    enum token_kind word = kind == NODE_IF ? TOKEN_IF : TOKEN_WITH;
    struct node *end, *list;

    if (kind != NODE_RANGE && parse_peek(p)->kind == word) {
        size_t first = p->open.len;
        struct node *inner;
        parse_next(p);
        inner = branch(p, kind, context);
        if (!inner)
            return NULL;
        parse_add(p, inner);
        list = parse_node(p, NODE_LIST, otherwise->pos);
        list->list = parse_list(p, first);
        return list;
    }
    list = item_list(p, &end);
    if (list && end->kind != NODE_END) {
        FAIL(p, "expected end; found %s", tv_str(STR("{{else}}")));
        return NULL;
    }
    return list;
}

static enum token_kind keyword_of(enum node_kind kind)
{
    return kind == NODE_IF ? TOKEN_IF : kind == NODE_WITH ? TOKEN_WITH : TOKEN_RANGE;
}

static bool branch_condition(struct parser *p, struct node *n, str context)
{
    n->pos = (uint32_t)(p->base = parse_peek_word(p)->pos);
    n->branch.pipe = parse_pipeline(p, context, TOKEN_RIGHT_DELIM);
    if (!n->branch.pipe)
        return false;
    action_keep(
        p, &(struct action){.word = keyword_of((enum node_kind)n->kind), .pipe = n->branch.pipe},
        n->pos);
    return true;
}

/* A known condition is part of the node already. */
static bool branch_parts(struct parser *p, struct node *n, str context)
{
    struct node *end;

    if (!n->branch.pipe && !branch_condition(p, n, context))
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
    return true;
}

/* The rest of an if, range or with. Variables beyond these live up to its end. */
static struct node *rest_of_branch(struct parser *p, struct node *n, size_t vars, str context)
{
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

/* if, range and with, whose keyword is past. */
static struct node *branch(struct parser *p, enum node_kind kind, str context)
{
    return rest_of_branch(p, parse_node(p, kind, 0), p->vars.len, context);
}

/* break and continue. */
static struct node *jump(struct parser *p, enum node_kind kind, size_t pos)
{
    bool is_break = kind == NODE_BREAK;
    const struct token *t = parse_next_word(p);

    if (t->kind != TOKEN_RIGHT_DELIM)
        return parse_unexpected_node(p, t, is_break ? STR("{{break}}") : STR("{{continue}}"));
    if (!p->ranges) {
        FAIL_TEXT(p, is_break ? "{{break}} outside {{range}}" : "{{continue}} outside {{range}}");
        return NULL;
    }
    return parse_node(p, kind, pos);
}

static struct node *end_control(struct parser *p)
{
    struct node *n;

    if (!parse_expect(p, TOKEN_RIGHT_DELIM, STR("end")))
        return NULL;
    n = parse_node(p, NODE_END, p->token[0].pos);
    action_keep(p, &(struct action){.word = TOKEN_END, .end = n}, n->pos);
    return n;
}

/* else; the if or with of an "else if", "else with" is left for the caller. */
static struct node *else_control(struct parser *p)
{
    const struct token *t = parse_peek_word(p);
    struct node *n;

    if (t->kind == TOKEN_IF || t->kind == TOKEN_WITH) {
        p->note.text = STR_NONE; /* what follows is an action of its own to others */
        return parse_node(p, NODE_ELSE, t->pos);
    }
    if (!parse_expect(p, TOKEN_RIGHT_DELIM, STR("else")))
        return NULL;
    n = parse_node(p, NODE_ELSE, p->token[0].pos);
    action_keep(p, &(struct action){.word = TOKEN_ELSE, .end = n}, n->pos);
    return n;
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
        .action_pos = STR_NPOS,
    };

    VEC_PUSH(sub.arena, &sub.vars, STR("$"));
    return sub;
}

/* Adds a finished tree; only one of several with the same name may be more than white space. */
static bool add_tree(struct parser *p, struct node *root)
{
    struct template *old = map_get(p->trees, p->name), *t;
    bool empty = node_is_empty(root);

    if (old && !old->empty)
        return empty || FAIL(p, "template: multiple definition of template %q", tv_str(p->name));
    t = ARENA_NEW(p->arena, struct template);
    *t = (struct template){.name = p->name, .file = p->file, .root = root, .empty = empty};
    map_set(p->trees, p->name, t);
    return true;
}

static bool definition(struct parser *outer)
{
    str context = STR("define clause");
    struct parser sub = sub_parser(outer, STR_NONE), *p = &sub;
    const struct token *t = parse_next_word(p);
    struct node *root, *end;

    if (t->kind != TOKEN_STRING && t->kind != TOKEN_RAW_STRING)
        return parse_unexpected(p, t, context);
    if (!parse_unquote(p, t->text, &p->name) || !parse_expect(p, TOKEN_RIGHT_DELIM, context))
        return false;
    root = item_list(p, &end);
    if (!root)
        return false;
    if (end->kind != NODE_END)
        return FAIL(p, "unexpected %s in %s", tv_str(STR("{{else}}")), tv_str(context));
    return add_tree(p, root);
}

/* Sets the name of the template that n calls. */
static bool template_name(struct parser *p, const struct token *t, str context, struct node *n)
{
    if (t->kind != TOKEN_STRING && t->kind != TOKEN_RAW_STRING)
        return parse_unexpected(p, t, context);
    if (!parse_unquote(p, t->text, &n->call.name))
        return false;
    n->call.hash = str_hash(n->call.name);
    return true;
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
    const struct token *t = parse_next_word(p);
    struct node *n = parse_node(p, NODE_TEMPLATE, t->pos);

    p->note.text = STR_NONE;
    p->base = t->pos;
    if (!template_name(p, t, context, n))
        return NULL;
    n->call.pipe = parse_pipeline(p, context, TOKEN_RIGHT_DELIM);
    return n->call.pipe && block_body(p, n->call.name, context) ? n : NULL;
}

static struct node *template_call(struct parser *p)
{
    str context = STR("template clause");
    const struct token *t = parse_next_word(p);
    struct node *n = parse_node(p, NODE_TEMPLATE, t->pos);

    p->base = t->pos;
    if (!template_name(p, t, context, n))
        return NULL;
    if (parse_next_word(p)->kind != TOKEN_RIGHT_DELIM) {
        parse_backup(p);
        n->call.pipe = parse_pipeline(p, context, TOKEN_RIGHT_DELIM);
        if (!n->call.pipe)
            return NULL;
    }
    action_keep(p,
                &(struct action){.word = TOKEN_TEMPLATE,
                                 .name = n->call.name,
                                 .hash = n->call.hash,
                                 .pipe = n->call.pipe},
                n->pos);
    return n;
}

/* ---- Lists ---------------------------------------------------------------------------------- */

static struct node *plain_action(struct parser *p)
{
    struct node *n;

    parse_backup(p);
    p->base = parse_peek(p)->pos;
    n = parse_node(p, NODE_ACTION, p->base);
    n->action = parse_pipeline(p, STR("command"), TOKEN_RIGHT_DELIM);
    if (!n->action)
        return NULL;
    action_keep(p, &(struct action){.word = TOKEN_CHAR, .pipe = n->action}, n->pos);
    return n;
}

static struct node *known_branch(struct parser *p, const struct action *a, enum node_kind kind,
                                 size_t pos, size_t vars)
{
    struct node *n = parse_node(p, kind, pos);

    n->branch.pipe = a->pipe;
    return rest_of_branch(p, n, vars,
                          kind == NODE_IF     ? STR("if")
                          : kind == NODE_WITH ? STR("with")
                                              : STR("range"));
}

/* The node of an action that was parsed before, and is past now. */
static struct node *known_action(struct parser *p, const struct action *a, size_t from, size_t vars)
{
    struct node *n;

    switch (a->word) {
    case TOKEN_IF:
        return known_branch(p, a, NODE_IF, from + a->pos, vars);
    case TOKEN_WITH:
        return known_branch(p, a, NODE_WITH, from + a->pos, vars);
    case TOKEN_RANGE:
        return known_branch(p, a, NODE_RANGE, from + a->pos, vars);
    case TOKEN_TEMPLATE:
        n = parse_node(p, NODE_TEMPLATE, from + a->pos);
        n->call.name = a->name;
        n->call.hash = a->hash;
        n->call.pipe = a->pipe;
        return n;
    case TOKEN_CHAR:
        n = parse_node(p, NODE_ACTION, from + a->pos);
        n->action = a->pipe;
        return n;
    default:
        return a->end;
    }
}

/* An action whose left delimiter is past. */
static struct node *action(struct parser *p)
{
    size_t from = p->lexer->pos, vars = p->vars.len;
    const struct action *known = action_known(p);
    const struct token *t;

    if (known)
        return known_action(p, known, from, vars);
    t = parse_next_word(p);
    switch (t->kind) {
    case TOKEN_BLOCK:
        return block(p);
    case TOKEN_BREAK:
        return jump(p, NODE_BREAK, t->pos);
    case TOKEN_CONTINUE:
        return jump(p, NODE_CONTINUE, t->pos);
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
    const struct token *t = parse_next_word(p);
    struct node *n;

    if (t->kind == TOKEN_TEXT) {
        n = parse_node(p, NODE_TEXT, t->pos);
        n->text = t->text;
        return n;
    }
    if (t->kind != TOKEN_LEFT_DELIM)
        return parse_unexpected_node(p, t, STR("input"));
    p->action_pos = t->pos;
    n = action(p);
    p->action_pos = STR_NPOS;
    return n;
}

/* Everything up to {{end}} or {{else}}, which *end is. */
static struct node *item_list(struct parser *p, struct node **end)
{
    struct node *list = parse_node(p, NODE_LIST, parse_peek_word(p)->pos);
    size_t first = p->open.len;

    while (parse_peek_word(p)->kind != TOKEN_EOF) {
        struct node *n = text_or_action(p);
        if (!n)
            return NULL;
        if (n->kind == NODE_END || n->kind == NODE_ELSE) {
            *end = n;
            list->list = parse_list(p, first);
            return list;
        }
        parse_add(p, n);
    }
    FAIL_TEXT(p, "unexpected EOF");
    return NULL;
}

/* At a left delimiter: parses a definition if it is one. *done: whether it was. */
static bool try_definition(struct parser *p, bool *done)
{
    struct token delim;

    *done = false;
    if (!lexer_may_begin(p->lexer, STR("define")))
        return true;
    delim = *parse_next(p);
    *done = parse_next_word(p)->kind == TOKEN_DEFINE;
    if (*done)
        return definition(p);
    p->token[1] = delim;
    p->peeked = 2;
    return true;
}

/* The whole text: as a list, but with definitions and without end and else. */
static bool top_level(struct parser *p, struct node *root)
{
    size_t first = p->open.len;

    while (parse_peek(p)->kind != TOKEN_EOF) {
        struct node *n;
        bool done = false;
        if (parse_peek(p)->kind == TOKEN_LEFT_DELIM && !try_definition(p, &done))
            return false;
        if (done)
            continue;
        n = text_or_action(p);
        if (!n)
            return false;
        if (n->kind == NODE_END || n->kind == NODE_ELSE)
            return FAIL(p, "unexpected %s",
                        tv_str(n->kind == NODE_END ? STR("{{end}}") : STR("{{else}}")));
        parse_add(p, n);
    }
    root->list = parse_list(p, first);
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
        .action_pos = STR_NPOS,
    };
    struct node *root = parse_node(&p, NODE_LIST, 0);

    VEC_PUSH(p.arena, &p.vars, STR("$"));
    return top_level(&p, root) && add_tree(&p, root);
}
