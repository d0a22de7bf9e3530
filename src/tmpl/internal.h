/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of this folder share: tokens, nodes, sets, and a running execution.
 *
 * The life of a template: lexer.c splits the text into tokens, parser.c and parser_expr.c make
 * nodes from them (numbers with literal.c), compile.c compiles pipelines (code.h), node.c prints
 * nodes, set.c keeps templates by name, exec.c walks the control nodes, eval.c runs the code of
 * pipelines and calls functions, call.c words the errors of calls, fmt.c prints values.
 */
#pragma once

#include "base/base.h"
#include "base/hot.h"
#include "tmpl/rt.h"
#include "tmpl/tmpl.h"

/* ---- Tokens. ---- */

enum token_kind {
    TOKEN_ERROR,
    TOKEN_BOOL,
    TOKEN_CHAR, /* a printable ASCII character that has no other meaning */
    TOKEN_CHAR_CONSTANT,
    TOKEN_COMMENT, /* never made; keeps Go's numbering */
    TOKEN_COMPLEX,
    TOKEN_ASSIGN,
    TOKEN_DECLARE,
    TOKEN_EOF,
    TOKEN_FIELD,
    TOKEN_IDENTIFIER,
    TOKEN_LEFT_DELIM,
    TOKEN_LEFT_PAREN,
    TOKEN_NUMBER,
    TOKEN_PIPE,
    TOKEN_RAW_STRING,
    TOKEN_RIGHT_DELIM,
    TOKEN_RIGHT_PAREN,
    TOKEN_SPACE,
    TOKEN_STRING,
    TOKEN_TEXT,
    TOKEN_VARIABLE,
    /* Keywords follow. */
    TOKEN_KEYWORD,
    TOKEN_BLOCK,
    TOKEN_BREAK,
    TOKEN_CONTINUE,
    TOKEN_DOT,
    TOKEN_DEFINE,
    TOKEN_ELSE,
    TOKEN_END,
    TOKEN_IF,
    TOKEN_NIL,
    TOKEN_RANGE,
    TOKEN_TEMPLATE,
    TOKEN_WITH,
};

struct token {
    enum token_kind kind;
    uint32_t line; /* only if an error shows the token */
    size_t pos;
    str text; /* TOKEN_ERROR: the message */
};

struct lexer {
    struct arena *arena;
    str input, left, right;
    size_t pos, start;
    int parens;
    bool inside; /* of an action */
    bool opens;  /* outside: at a left delimiter */
    bool usual;  /* nothing else starts with the first byte of the right delimiter */
    /* The action has white space only where its printed form has it. May be false anyway. */
    bool canonical;
};

struct lexer lexer_new(struct arena *a, str text, str left, str right);
/* The next token. After an error or the end, TOKEN_EOF. */
void lexer_next(struct lexer *l, struct token *t);
/* Inside an action: skips a single space before a word, which most words have. */
static inline bool lexer_skip_blank(struct lexer *l)
{
    if (!l->inside || !l->usual || l->pos + 1 >= l->input.len)
        return false;
    const char *at = l->input.ptr + l->pos;
    if (at[0] != ' ' || (unsigned char)at[1] <= ' ' || at[1] == '-')
        return false;
    l->start = ++l->pos;
    return true;
}
/* The line of a position in a text. */
uint32_t lexer_line(str text, size_t pos);
/* Just after a left delimiter: whether the first word may be this one. */
bool lexer_may_begin(const struct lexer *l, str word);
/*
 * Just after a left delimiter: everything up to and including the first right delimiter, or empty.
 */
str lexer_action(const struct lexer *l);
/* Skips these bytes, which are from lexer_action and are a complete action. */
void lexer_skip(struct lexer *l, str action, struct token *last);

/* ---- Nodes. ---- */

enum node_kind {
    NODE_TEXT,
    NODE_LIST,
    NODE_ACTION,
    NODE_PIPE,
    NODE_COMMAND,
    NODE_IDENTIFIER,
    NODE_VARIABLE,
    NODE_FIELD,
    NODE_CHAIN,
    NODE_DOT,
    NODE_NIL,
    NODE_BOOL,
    NODE_NUMBER,
    NODE_STRING,
    NODE_IF,
    NODE_RANGE,
    NODE_WITH,
    NODE_TEMPLATE,
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_END,  /* only while parsing */
    NODE_ELSE, /* only while parsing */
};

/* A number literal, and what it can be used as. */
struct number {
    bool is_int, is_uint, is_float, is_complex;
    int64_t i;
    uint64_t u;
    double f;
    struct tv_complex z;
    str text;
};

struct code;

struct nodes {
    struct node **items;
    uint32_t len;
};

struct names {
    str *items;
    uint32_t len;
};

struct node {
    uint8_t kind; /* enum node_kind */
    bool assign;  /* NODE_PIPE: = and not := */
    /*
     * Where it starts: for the items of a list, in the text of the template; for the parts of an
     * item, such as its pipeline, from the start of the item, since several may share a pipeline.
     */
    uint32_t pos;
    union {
        str text;          /* NODE_TEXT */
        struct nodes list; /* NODE_LIST; NODE_COMMAND: operands */
        struct {
            struct nodes commands, declared;
            struct code *code; /* NULL: part of the code of the surrounding pipeline */
        } pipe;
        struct node *action; /* NODE_ACTION: the pipeline */
        struct {
            str name;
            const struct function *function;
        } identifier;
        struct {
            struct node *on;     /* NODE_CHAIN: what the fields are of */
            struct names fields; /* NODE_VARIABLE: the first is the variable, with its $ */
        } chain;
        struct tv constant; /* NODE_BOOL */
        struct {
            const struct number *value;
            struct tv ideal; /* as Go types it without context; TV_INVALID: overflows int */
        } number;
        struct {
            str quoted;
            struct tv value;
        } string;
        struct {
            struct node *pipe, *then, *otherwise;
        } branch;
        struct {
            str name;
            uint64_t hash;     /* of the name: the template is looked up in every run */
            struct node *pipe; /* NULL: none */
        } call;                /* NODE_TEMPLATE */
    };
};

/* Appends the canonical form. */
void node_print(struct buf *out, const struct node *n);
/* Whether a tree has nothing but white space. */
bool node_is_empty(const struct node *n);

/* ---- Literals. ---- */

/* Fills in out; on failure *message is Go's. */
MUST_CHECK bool literal_number(struct arena *a, const struct token *t, struct number *out,
                               str *message);
/* The value of a number whose type is not determined by the context. */
struct tv literal_ideal(struct arena *a, const struct number *n);

/* ---- Signatures. ---- */

struct signature {
    uint8_t fixed; /* parameters without the variadic one */
    bool variadic;
    uint8_t result;    /* enum tv_type */
    uint8_t too_many;  /* the number of results if a template cannot take so many, else 0 */
    uint8_t second;    /* enum tv_type of the second one if it is not an error, else 0 */
    uint8_t params[8]; /* enum tv_type; the variadic one last */
};
struct signature signature_parse(const char *text);

/* A function that templates can call, and how. */
struct function {
    const struct tmpl_func *func;
    str name;
    struct signature signature;
    unsigned reach; /* enum tmpl_reach, or-ed */
    bool complete;  /* functions.c: signature and reach are known */
};
/* The function of that name in a profile, or NULL; the first of several in the order of families.
 * */
const struct function *function_find(str name, enum tmpl_profile profile);

/* ---- Sets. ---- */

/* A text that was parsed. */
struct file {
    str name, text;
};

struct template
{
    str name;
    const struct file *file;
    struct node *root; /* NODE_LIST */
    bool empty;        /* holds nothing but white space */
};

enum missing_key { MISSING_INVALID, MISSING_ZERO, MISSING_ERROR };

struct tmpl_set {
    struct arena *arena;
    enum tmpl_profile profile, extra;
    enum missing_key missing;
    str left, right;
    unsigned reach; /* of all functions that its texts name */
    void (*borrowed)(void *ctx, str function, uint32_t line); /* see struct tmpl_options */
    void *ctx;
    struct tmpl_actions *actions; /* see struct tmpl_options; may be NULL */
    const struct file *main;      /* parsed first */
    const struct template *main_template;
    struct map *templates; /* name to struct template */
};

/* Makes t the template of its name, unless it is empty and there already is one. */
void set_install(struct tmpl_set *set, struct template *t);
/* Go's error for a name without a template. */
str no_template_text(struct arena *a, const struct tmpl_set *set, str name);

/* Parses one text into trees, a map of name to struct template. */
MUST_CHECK bool parse_text(struct tmpl_set *set, const struct file *file, struct map *trees,
                           struct err *e);

/* ---- Execution. ---- */

struct variable {
    const char *name;
    uint32_t len, id; /* of the name; see variable_id */
    struct tv value;
};

/* A text or action, and which part of the output it wrote. */
struct tmpl_note {
    const struct node *node;
    const struct file *file; /* its text */
    size_t from, to;
};

struct exec {
    struct rt rt;
    const struct tmpl_set *set;
    const struct template *template; /* being executed */
    const struct node *node;         /* visited last, for errors */
    const struct node *item;         /* the list item that node belongs to */
    struct buf *out;
    const struct buf *noted; /* the output whose provenance is requested, or NULL */
    struct err *err;
    struct tmpl_run *run;
    uint32_t depth, depth_max;
    size_t output_max; /* length of out that must not be passed */
    VEC(struct variable) vars;
    size_t vars_base;            /* where the variables of the current template start */
    struct tv *top, *values_end; /* the free part of the stack of values; see code.h */
    struct value_block *spare_values;
    struct map *included; /* by include: name to how often it is open; NULL until used */
    unsigned nesting;     /* of include and tpl */
    const void *stack;    /* where the C stack of the run starts, for include and tpl */
};

/* Fails like Go's errorf: format is Go's, the position is that of x->node. Always false. */
COLD bool exec_fail(struct exec *x, const char *format, const struct tv *args, size_t count);
#define EXEC_FAIL(x, format, ...)                                                                  \
    exec_fail((x), (format), (const struct tv[]){__VA_ARGS__},                                     \
              sizeof((const struct tv[]){__VA_ARGS__}) / sizeof(struct tv))
/* The same for a limit of ours. */
bool exec_limit(struct exec *x, const char *what);
/* A limit was exceeded: fails with its name. */
COLD bool exec_step_failed(struct exec *x);
/* Counts one step and checks the limits. */
MUST_CHECK static inline bool exec_step(struct exec *x)
{
    return LIKELY(rt_charge(&x->rt, 1) && arena_used(x->rt.arena) <= x->rt.memory_max &&
                  x->out->len <= x->output_max && !x->out->overflow && !x->rt.too_deep) ||
           exec_step_failed(x);
}
/* The same for a call, which follows a step: nothing has been written since. */
MUST_CHECK static inline bool exec_may_call(struct exec *x)
{
    return rt_charge(&x->rt, 1) && arena_used(x->rt.arena) <= x->rt.memory_max && !x->rt.too_deep;
}
/* Executes another template of the set within a run: include and tpl. Appends to out. */
MUST_CHECK bool exec_template(struct exec *x, const struct template *t, struct tv data,
                              struct buf *out);

/* As tv_is_true, of what most conditions are. */
static inline bool exec_holds(const struct exec *x, struct tv v)
{
    return v.type == TV_BOOL ? v.truth : tv_is_true(&x->rt, v);
}

/* Notes that the body of an if, with or range ran, or did not. */
void coverage_note(struct tmpl_coverage *c, const struct node *n, bool ran);

/* Notes that n has written what is in the output from here on. */
void provenance_note(struct exec *x, const struct node *n, size_t from);

#define VARIABLES_PER_STEP 8 /* searched for a name */
static inline void exec_push(struct exec *x, str name, uint32_t id, struct tv value)
{
    struct variable *v;

    if (UNLIKELY(x->vars.len == x->vars.cap))
        x->vars.items = vec_grow(x->rt.arena, x->vars.items, &x->vars.cap, sizeof(*v));
    v = &x->vars.items[x->vars.len++];
    v->name = name.ptr;
    v->len = (uint32_t)name.len;
    v->id = id;
    v->value = value;
}
bool exec_assign(struct exec *x, str name, struct tv value);
/* Fails because there is no such variable. Always false. */
COLD bool exec_undefined(struct exec *x, str name);

/* The initial size of the stack of values, and the least by which it grows. */
#define VALUES_FIRST 64
/* The value of a pipeline; declares its variables. */
MUST_CHECK bool eval_code(struct exec *x, struct tv dot, const struct code *code, struct tv *out);

/*
 * Report what is wrong with a call. Always false. Methods may have results that templates cannot
 * take.
 */
COLD bool call_wrong_count(struct exec *x, const struct call_site *site);
COLD bool call_wrong_results(struct exec *x, const struct call_site *site);
/* Reports that a call has failed, at the whole command. Always false. */
COLD bool call_failed(struct exec *x, const struct tmpl_call *c);
/* Converts v, which has a different type, to this type if possible; else an error in Go's words. */
MUST_CHECK COLD bool validate_other(struct exec *x, struct tv v, enum tv_type type, struct tv *out);
/* v as a value of this type, or an error in Go's words. */
MUST_CHECK static inline bool validate_type(struct exec *x, struct tv v, enum tv_type type,
                                            struct tv *out)
{
    *out = type == TV_VALUE ? v : tv_concrete(v);
    return LIKELY(v.type == type || type >= TV_ANY) || validate_other(x, v, type, out);
}

/* ---- Names that fmt.c and others share. ---- */

str str_of_tv_type(enum tv_type type);
/* %q with a precision of ten, as errors quote tokens. */
void go_quote_short(struct buf *out, str s);
/* "U+0024 '$'". */
void go_rune(struct buf *out, uint32_t rune);
