/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.h - what the files of the parser share: its state, tokens and errors.
 *
 * parser.c has tokens, errors and actions; parser_expr.c has pipelines.
 */
#pragma once

#include "tmpl/code.h"

/*
 * How deep parentheses and control structures may nest: Go limits parentheses to 10,000, but its
 * stacks grow.
 */
#define PARSE_DEPTH_MAX 2500

/* Notes about the action being parsed, for later actions with the same text; see actions.c. */
struct action_note {
    str text;       /* of the action; empty: not kept, or only its variables differ */
    size_t vars;    /* how many variables there were before */
    VEC(str) used;  /* of these */
    unsigned reach; /* of its functions */
};

/* An action that may occur again. */
struct action {
    enum token_kind word;       /* its keyword; TOKEN_CHAR: none */
    uint32_t pos;               /* of its node, from the start of the text */
    str name;                   /* TOKEN_TEMPLATE: of the template */
    uint64_t hash;              /* of the name */
    struct node *pipe;          /* NULL: none */
    struct node *end;           /* TOKEN_END, TOKEN_ELSE: the node */
    const str *used, *declared; /* variables */
    uint32_t used_count, declared_count;
    unsigned reach;
};

typedef VEC(struct node *) node_vec;

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
    node_vec open;     /* the nodes of lists that are not complete */
    op_vec ops;        /* of the pipeline being compiled */
    size_t action_pos; /* of the action being parsed, STR_NPOS outside */
    unsigned ranges, depth;
    size_t base; /* the start of the list item whose parts are being parsed */
    struct action_note note;
};

/* ---- Tokens. A word is a token other than white space. A token is valid until the next. ---- */

static inline const struct token *parse_next(struct parser *p)
{
    if (p->peeked > 0)
        p->peeked--;
    else
        lexer_next(p->lexer, &p->token[0]);
    return &p->token[p->peeked];
}

static inline void parse_backup(struct parser *p)
{
    p->peeked++;
}

static inline const struct token *parse_peek(struct parser *p)
{
    const struct token *t = parse_next(p);

    parse_backup(p);
    return t;
}

/* Skips the next token if it is a single space; returns whether it was. */
static inline bool parse_skip_blank(struct parser *p)
{
    return p->peeked == 0 && lexer_skip_blank(p->lexer);
}

static inline const struct token *parse_next_word(struct parser *p)
{
    const struct token *t;

    parse_skip_blank(p);
    do
        t = parse_next(p);
    while (t->kind == TOKEN_SPACE);
    return t;
}

static inline const struct token *parse_peek_word(struct parser *p)
{
    const struct token *t = parse_next_word(p);

    parse_backup(p);
    return t;
}
/* The next word, which must be of this kind. */
MUST_CHECK bool parse_expect(struct parser *p, enum token_kind kind, str context);

/* ---- Errors. ---- */

/* Always false. format and args are Go's; the line is that of the token read last. */
bool parse_fail(struct parser *p, const char *format, const struct tv *args, size_t count);
#define FAIL(p, format, ...)                                                                       \
    parse_fail((p), (format), (const struct tv[]){__VA_ARGS__},                                    \
               sizeof((const struct tv[]){__VA_ARGS__}) / sizeof(struct tv))
#define FAIL_TEXT(p, text) parse_fail((p), (text), NULL, 0)
/* Report a token that does not belong in the context. Always false; always NULL. */
bool parse_unexpected(struct parser *p, const struct token *t, str context);
struct node *parse_unexpected_node(struct parser *p, const struct token *t, str context);

/* ---- Nodes. ---- */

static inline struct node *parse_node(struct parser *p, enum node_kind kind, size_t pos)
{
    struct node *n = arena_alloc_raw(p->arena, sizeof(*n));

    *n = (struct node){.kind = (uint8_t)kind, .pos = (uint32_t)pos};
    return n;
}

/* Adds a node to the open list. Lists nest: one starts at the length that p->open has then. */
static inline void parse_add(struct parser *p, struct node *n)
{
    if (UNLIKELY(p->open.len == p->open.cap))
        p->open.items = vec_grow(p->arena, p->open.items, &p->open.cap, sizeof(n));
    p->open.items[p->open.len++] = n;
}

/* Ends the list that starts at first. */
static inline struct nodes parse_list(struct parser *p, size_t first)
{
    const size_t len = p->open.len - first;
    struct nodes list = {NULL, (uint32_t)len};

    if (!len)
        return list;
    list.items = arena_alloc_raw(p->arena, arena_array_size(len, sizeof(struct node *)));
    for (size_t i = 0; i < len; i++)
        list.items[i] = p->open.items[first + i];
    p->open.len = first;
    return list;
}

/* A part of a list item. */
static inline struct node *parse_part(struct parser *p, enum node_kind kind, size_t pos)
{
    return parse_node(p, kind, pos - p->base);
}

/* ---- Actions that have been parsed before. ---- */

/*
 * Just after a left delimiter: the known action with the same text, which is then skipped; or NULL.
 */
const struct action *action_known(struct parser *p);
/*
 * At the end of an action: keeps it for others. pos is the start of its node. It declares the
 * variables that were added since it started.
 */
void action_keep(struct parser *p, const struct action *a, size_t pos);

/* The text between the quotes of a string. */
MUST_CHECK bool parse_unquote(struct parser *p, str quoted, str *out);
/*
 * A pipeline up to the token that ends it, which is consumed; NULL after an error. It is compiled
 * unless it is in parentheses, and thus part of another one.
 */
struct node *parse_pipeline(struct parser *p, str context, enum token_kind end);
