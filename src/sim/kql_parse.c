/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kql_parse.c - parses a query into a tree: tokens on demand, one function per precedence level.
 *
 * To add an operator: a function that reads what follows its name, and a line in operators[]. To
 * add a comparison or a function: a line in the tables of kql_run.c.
 */
#include "sim/kql_internal.h"

#include "value/number.h"

#include <assert.h>
#include <ctype.h>

enum token { TOKEN_END, TOKEN_NAME, TOKEN_TEXT, TOKEN_NUMBER, TOKEN_SIGN, TOKEN_BAD };

struct parser {
    struct arena *arena;
    str text;
    size_t at; /* after the token */
    enum token token;
    str word;     /* the token as written; of a text its value */
    size_t begin; /* of the token */
    size_t depth;
    struct kql_fault *fault;
};

/* ---- Tokens. -----------------------------------------------------------------------------------
 */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->text.len) {
        str rest = str_from(p->text, p->at);
        if (str_has_prefix(rest, STR("//"))) {
            size_t end = str_find_char(rest, '\n');
            p->at += end == STR_NPOS ? rest.len : end;
        } else if (isspace((unsigned char)rest.ptr[0])) {
            p->at++;
        } else {
            return;
        }
    }
}

static char unescaped(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    default:
        return c;
    }
}

/* Reads a quoted text; after @ a backslash is literal. */
static void read_text(struct parser *p, bool verbatim)
{
    struct buf b = buf_new(p->arena, KQL_TEXT_MAX);
    char quote = p->text.ptr[p->at++];

    p->token = TOKEN_BAD;
    while (p->at < p->text.len && p->text.ptr[p->at] != '\n') {
        char c = p->text.ptr[p->at++];
        if (c == quote) {
            p->token = TOKEN_TEXT;
            p->word = buf_str(&b);
            return;
        }
        if (c == '\\' && !verbatim && p->at < p->text.len)
            c = unescaped(p->text.ptr[p->at++]);
        buf_char(&b, c);
    }
    p->word = str_slice(p->text, p->begin, p->at);
}

static void read_sign(struct parser *p)
{
    static const char *const signs[] = {"==", "=~", "!=", "!~", "<=", ">=", NULL};
    str rest = str_from(p->text, p->at);

    p->token = TOKEN_SIGN;
    for (size_t i = 0; signs[i]; i++)
        if (str_has_prefix(rest, str_c(signs[i]))) {
            p->word = str_slice(rest, 0, 2);
            p->at += 2;
            return;
        }
    p->word = str_slice(rest, 0, 1);
    p->at++;
    if (str_find_char(STR("|,()[].=<>!-"), p->word.ptr[0]) == STR_NPOS)
        p->token = TOKEN_BAD;
}

static void read_while(struct parser *p, enum token token, bool (*is)(char c))
{
    while (p->at < p->text.len && is(p->text.ptr[p->at]))
        p->at++;
    p->token = token;
    p->word = str_slice(p->text, p->begin, p->at);
}

static bool is_number(char c)
{
    return isdigit((unsigned char)c) || c == '.';
}

/* in~ and !in~ are one word. */
static void join_tilde(struct parser *p)
{
    if (str_eq(p->word, STR("in")) && p->at < p->text.len && p->text.ptr[p->at] == '~')
        p->word = str_slice(p->text, p->begin, ++p->at);
}

static void next(struct parser *p)
{
    skip_blanks(p);
    p->begin = p->at;
    p->word = STR_NONE;
    if (p->at == p->text.len) {
        p->token = TOKEN_END;
        return;
    }
    char c = p->text.ptr[p->at], after = p->at + 1 < p->text.len ? p->text.ptr[p->at + 1] : 0;
    if (c == '\'' || c == '"') {
        read_text(p, false);
    } else if (c == '@' && (after == '\'' || after == '"')) {
        p->at++;
        read_text(p, true);
    } else if (isdigit((unsigned char)c)) {
        read_while(p, TOKEN_NUMBER, is_number);
    } else if (is_name(c)) {
        read_while(p, TOKEN_NAME, is_name);
        join_tilde(p);
    } else {
        read_sign(p);
    }
}

static bool is_word(const struct parser *p, const char *word)
{
    return (p->token == TOKEN_NAME || p->token == TOKEN_SIGN) && str_eq(p->word, str_c(word));
}

/* ---- Faults. -----------------------------------------------------------------------------------
 */

static bool fault_at(struct parser *p, const char *code, str message)
{
    size_t line = 1, start = 0;

    for (size_t i = 0; i < p->begin && i < p->text.len; i++)
        if (p->text.ptr[i] == '\n') {
            line++;
            start = i + 1;
        }
    *p->fault = (struct kql_fault){
        .code = code,
        .message = message,
        .token = p->token == TOKEN_END ? STR("<EOF>") : str_slice(p->text, p->begin, p->at),
        .line = line,
        .column = p->begin - start};
    return false;
}

static bool expected(struct parser *p, const char *what)
{
    return fault_at(p, "ParserFailure", str_fmt(p->arena, "expected is %s", what));
}

static bool take(struct parser *p, const char *word)
{
    if (!is_word(p, word))
        return expected(p, word);
    next(p);
    return true;
}

/* ---- Values. -----------------------------------------------------------------------------------
 */

static bool parse_or(struct parser *p, struct kql_node **out);

static struct kql_node *node_of(struct parser *p, enum kql_kind kind)
{
    struct kql_node *n = ARENA_NEW(p->arena, struct kql_node);

    n->kind = kind;
    return n;
}

static struct kql_node *literal_of(struct parser *p, const struct value *v)
{
    struct kql_node *n = node_of(p, KQL_LITERAL);

    n->literal = v;
    return n;
}

/* tolower(VALUE); the name was read. */
static bool parse_call(struct parser *p, str name, struct kql_node **out)
{
    struct kql_node *n = node_of(p, KQL_CALL);

    n->function = kql_function(name);
    if (!n->function)
        return fault_at(p, "UnknownFunction",
                        str_fmt(p->arena, "Unknown function: '%.*s'.", STR_ARG(name)));
    *out = n;
    return take(p, "(") && parse_or(p, &n->left) && take(p, ")");
}

/* .b, ['b'] or ["b"] after a column. */
static bool parse_members(struct parser *p, struct kql_node *n)
{
    while (is_word(p, ".") || is_word(p, "[")) {
        bool bracket = is_word(p, "[");
        next(p);
        if (p->token != (bracket ? TOKEN_TEXT : TOKEN_NAME))
            return expected(p, bracket ? "a text" : "a name");
        VEC_PUSH(p->arena, &n->path, p->word);
        next(p);
        if (bracket && !take(p, "]"))
            return false;
    }
    return true;
}

static bool parse_named(struct parser *p, struct kql_node **out)
{
    str name = p->word;
    struct kql_node *n;

    next(p);
    if (is_word(p, "("))
        return parse_call(p, name, out);
    if (str_eq(name, STR("true")) || str_eq(name, STR("false"))) {
        *out = literal_of(p, value_bool(p->arena, name.len == 4));
        return true;
    }
    *out = n = node_of(p, KQL_COLUMN);
    VEC_PUSH(p->arena, &n->path, name);
    return parse_members(p, n);
}

static bool parse_number(struct parser *p, bool negative, struct kql_node **out)
{
    str text = negative ? str_fmt(p->arena, "-%.*s", STR_ARG(p->word)) : p->word;

    if (p->token != TOKEN_NUMBER || !number_is_valid(text))
        return expected(p, "a number");
    *out = literal_of(p, value_number(p->arena, text));
    next(p);
    return true;
}

static bool parse_value(struct parser *p, struct kql_node **out)
{
    if (p->token == TOKEN_TEXT) {
        *out = literal_of(p, value_string(p->arena, p->word));
        next(p);
        return true;
    }
    if (p->token == TOKEN_NUMBER)
        return parse_number(p, false, out);
    if (p->token == TOKEN_NAME)
        return parse_named(p, out);
    if (is_word(p, "-")) {
        next(p);
        return parse_number(p, true, out);
    }
    if (!take(p, "("))
        return expected(p, "a value");
    return parse_or(p, out) && take(p, ")");
}

/* ---- Conditions. -------------------------------------------------------------------------------
 */

static bool parse_items(struct parser *p, struct kql_node *n)
{
    if (!take(p, "("))
        return false;
    do {
        struct kql_node *item;
        if (n->list.len)
            next(p);
        if (n->list.len == KQL_LIST_MAX)
            return expected(p, "the end of the list, which is too long");
        if (!parse_value(p, &item))
            return false;
        VEC_PUSH(p->arena, &n->list, item);
    } while (is_word(p, ","));
    return take(p, ")");
}

/* The next comparison, or NULL. ! may precede a word. */
static const struct kql_test *find_test(struct parser *p)
{
    struct parser before = *p;

    if (p->token != TOKEN_SIGN && p->token != TOKEN_NAME)
        return NULL;
    if (is_word(p, "!")) {
        next(p);
        p->word = str_fmt(p->arena, "!%.*s", STR_ARG(p->word));
    }
    const struct kql_test *test = kql_test(p->word);
    if (!test) {
        *p = before;
        return NULL;
    }
    next(p);
    return test;
}

static bool parse_comparison(struct parser *p, struct kql_node **out)
{
    struct kql_node *left, *n;
    const struct kql_test *test;

    if (!parse_value(p, &left))
        return false;
    test = find_test(p);
    *out = left;
    if (!test)
        return true;
    *out = n = node_of(p, KQL_COMPARE);
    n->left = left;
    n->test = test;
    return test->list ? parse_items(p, n) : parse_value(p, &n->right);
}

static bool parse_not(struct parser *p, struct kql_node **out)
{
    struct kql_node *n;

    if (!is_word(p, "not"))
        return parse_comparison(p, out);
    next(p);
    *out = n = node_of(p, KQL_NOT);
    return take(p, "(") && parse_or(p, &n->left) && take(p, ")");
}

static bool parse_and(struct parser *p, struct kql_node **out)
{
    if (!parse_not(p, out))
        return false;
    while (is_word(p, "and")) {
        struct kql_node *n = node_of(p, KQL_AND);
        next(p);
        n->left = *out;
        *out = n;
        if (!parse_not(p, &n->right))
            return false;
    }
    return true;
}

static bool parse_or(struct parser *p, struct kql_node **out)
{
    if (p->depth == KQL_DEPTH_MAX)
        return expected(p, "less nesting");
    p->depth++;
    if (!parse_and(p, out))
        return false;
    while (is_word(p, "or")) {
        struct kql_node *n = node_of(p, KQL_OR);
        next(p);
        n->left = *out;
        *out = n;
        if (!parse_and(p, &n->right))
            return false;
    }
    p->depth--;
    return true;
}

/* ---- Operators. --------------------------------------------------------------------------------
 */

static bool parse_where(struct parser *p, struct kql_operator *o)
{
    o->step = KQL_WHERE;
    return parse_or(p, &o->condition);
}

/* The default name of a column: its path, joined as Kusto does. */
static str name_of(struct parser *p, const struct kql_node *n, size_t number)
{
    if (n->kind == KQL_COLUMN)
        return str_join(p->arena, n->path.items, n->path.len, STR("_"));
    if (n->kind == KQL_CALL && n->left->kind == KQL_COLUMN)
        return name_of(p, n->left, number);
    return str_fmt(p->arena, "Column%zu", number);
}

/* NAME = VALUE, or VALUE. */
static bool parse_column(struct parser *p, struct kql_operator *o)
{
    struct kql_column column = {0};
    struct parser before = *p;

    if (p->token == TOKEN_NAME) {
        column.name = p->word;
        next(p);
    }
    if (column.name.len && is_word(p, "=")) {
        next(p);
    } else {
        *p = before;
        column.name = STR_NONE;
    }
    if (!parse_value(p, &column.value))
        return false;
    assert(column.value);
    if (!column.name.len)
        column.name = name_of(p, column.value, o->columns.len + 1);
    if (o->columns.len == KQL_LIST_MAX)
        return expected(p, "fewer columns");
    VEC_PUSH(p->arena, &o->columns, column);
    return true;
}

static bool parse_columns(struct parser *p, struct kql_operator *o)
{
    if (!parse_column(p, o))
        return false;
    while (is_word(p, ",")) {
        next(p);
        if (!parse_column(p, o))
            return false;
    }
    return true;
}

static bool parse_project(struct parser *p, struct kql_operator *o)
{
    o->step = KQL_PROJECT;
    return parse_columns(p, o);
}

static bool parse_order(struct parser *p, struct kql_operator *o)
{
    o->step = KQL_ORDER;
    if (!take(p, "by"))
        return false;
    for (bool more = true; more;) {
        struct kql_column column = {0};
        if (!parse_value(p, &column.value))
            return false;
        column.ascending = is_word(p, "asc");
        if (column.ascending || is_word(p, "desc"))
            next(p);
        if (o->columns.len == KQL_LIST_MAX)
            return expected(p, "fewer columns");
        VEC_PUSH(p->arena, &o->columns, column);
        more = is_word(p, ",");
        if (more)
            next(p);
    }
    return true;
}

static bool parse_limit(struct parser *p, struct kql_operator *o)
{
    o->step = KQL_LIMIT;
    if (p->token != TOKEN_NUMBER || !str_to_u64(p->word, &o->limit))
        return expected(p, "a number of rows");
    next(p);
    return true;
}

static bool parse_count(struct parser *p, struct kql_operator *o)
{
    (void)p;
    o->step = KQL_COUNT;
    o->count_name = STR("Count");
    return true;
}

static bool parse_summarize(struct parser *p, struct kql_operator *o)
{
    str name = p->word;

    o->step = KQL_SUMMARIZE;
    o->count_name = STR("count_");
    if (p->token != TOKEN_NAME)
        return expected(p, "count()");
    next(p);
    if (is_word(p, "=")) {
        o->count_name = name;
        next(p);
        name = p->word;
        next(p);
    }
    if (!str_eq(name, STR("count")))
        return fault_at(p, "UnknownFunction", STR("only count() is known here as an aggregation"));
    if (!take(p, "(") || !take(p, ")"))
        return false;
    if (!is_word(p, "by"))
        return true;
    next(p);
    return parse_columns(p, o);
}

static const struct {
    const char *name;
    bool (*parse)(struct parser *p, struct kql_operator *o);
} operators[] = {
    {"count", parse_count},     {"limit", parse_limit}, {"order", parse_order},
    {"project", parse_project}, {"sort", parse_order},  {"summarize", parse_summarize},
    {"take", parse_limit},      {"where", parse_where},
};

static bool parse_operator(struct parser *p, struct kql *q)
{
    struct kql_operator o = {0};

    if (q->operators.len == KQL_OPERATORS_MAX)
        return expected(p, "fewer operators");
    for (size_t i = 0; i < COUNT(operators); i++)
        if (is_word(p, operators[i].name)) {
            next(p);
            if (!operators[i].parse(p, &o))
                return false;
            VEC_PUSH(p->arena, &q->operators, o);
            return true;
        }
    return expected(p, "count, limit, order by, project, sort by, summarize, take or where");
}

bool kql_parse(struct arena *a, str text, struct kql **out, struct kql_fault *fault)
{
    struct parser p = {.arena = a, .text = text, .fault = fault};
    struct kql *q = ARENA_NEW(a, struct kql);

    *out = q;
    if (text.len > KQL_TEXT_MAX)
        return fault_at(&p, "ParserFailure", STR("the query is too long"));
    next(&p);
    if (p.token != TOKEN_NAME)
        return expected(&p, "the name of a table");
    q->table = p.word;
    next(&p);
    while (is_word(&p, "|")) {
        next(&p);
        if (!parse_operator(&p, q))
            return false;
    }
    return p.token == TOKEN_END || expected(&p, "| or the end of the query");
}

str kql_table(const struct kql *q)
{
    return q->table;
}
