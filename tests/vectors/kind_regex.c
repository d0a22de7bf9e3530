/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_regex.c - Go's regular expressions, through the template functions that were recorded.
 *
 *   tmpl   text with {{ pipelines }} of regex functions, toJson, quote, join and len over fields
 *          and literals
 *   data   JSON text of an object of strings
 *   want   the output
 *   err    instead: where the template failed, then "error calling NAME: " and the text
 *
 * Only this small part of the template language is understood. Vectors that need more, or that fail
 * before a regular expression is looked at, do not apply.
 */
#include "vectors.h"

#include "base/unicode.h"
#include "regex/regex.h"
#include "text/json/json.h"

enum { ARGS_MAX = 4 };

struct eval {
    struct arena *arena;
    const struct value *data;
    str rest;           /* of the template */
    struct buf out;     /* what was printed */
    struct buf failure; /* "error calling ..." */
    bool unsupported;
};

struct call {
    struct eval *eval;
    str name;
    struct value *args[ARGS_MAX];
    size_t count;
};

/* ---- Functions ---- */

static struct value *unsupported(struct eval *x)
{
    x->unsupported = true;
    return NULL;
}

static struct value *string_value(struct eval *x, str s)
{
    return value_string(x->arena, s);
}

/* Go's %q. */
static str quote(struct arena *a, str s)
{
    static const char letters[] = "abfnrtv", control[] = "\a\b\f\n\r\t\v";
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t width;

    buf_char(&out, '"');
    for (size_t i = 0; i < s.len; i += width) {
        uint32_t r = utf8_decode(str_from(s, i), &width);
        const char *c = r && r < 0x80 ? strchr(control, (int)r) : NULL;
        if (c)
            buf_fmt(&out, "\\%c", letters[c - control]);
        else if (r == '"' || r == '\\')
            buf_fmt(&out, "\\%c", (char)r);
        else if ((r == RUNE_ERROR && width == 1) || (r < 0x80 && !unicode_is_print(r)))
            buf_fmt(&out, "\\x%02x", (unsigned char)s.ptr[i]);
        else if (unicode_is_print(r))
            buf_add(&out, str_slice(s, i, i + width));
        else
            buf_fmt(&out, r < 0x10000 ? "\\u%04x" : "\\U%08x", r);
    }
    buf_char(&out, '"');
    return buf_str(&out);
}

/* Go shows a pattern in backquotes when it can. */
static str show_pattern(struct arena *a, str pattern)
{
    bool plain = utf8_find_invalid(pattern) == STR_NPOS;

    for (size_t i = 0; i < pattern.len; i++) {
        unsigned char c = (unsigned char)pattern.ptr[i];
        plain = plain && c != '`' && c != 0x7F && (c >= ' ' || c == '\t');
    }
    plain = plain && !str_contains(pattern, STR("\xEF\xBB\xBF"));
    return plain ? str_fmt(a, "`%.*s`", STR_ARG(pattern)) : quote(a, pattern);
}

/* Compiles the first argument; functions without "must" wrap the error, as Go's panic does. */
static struct regex *compile(struct call *c)
{
    struct arena *a = c->eval->arena;
    str pattern = value_str(c->args[0]);
    AUTO_ERR e = {0};
    struct regex *re;

    if (regex_compile(a, pattern, &re, &e))
        return re;
    buf_fmt(&c->eval->failure, "error calling %.*s: ", STR_ARG(c->name));
    if (!str_has_prefix(c->name, STR("must")))
        buf_fmt(&c->eval->failure, "regexp: Compile(%.*s): ", STR_ARG(show_pattern(a, pattern)));
    buf_add(&c->eval->failure, e.text);
    return NULL;
}

static struct value *fn_match(struct call *c)
{
    AUTO_ERR e = {0};
    struct regex *re;

    if (str_eq(c->name, STR("regexMatch")) &&
        !regex_compile(c->eval->arena, value_str(c->args[0]), &re, &e))
        return value_bool(c->eval->arena, false);
    re = compile(c);
    return re ? value_bool(c->eval->arena, regex_match(re, value_str(c->args[1]))) : NULL;
}

static struct value *fn_find(struct call *c)
{
    struct regex *re = compile(c);
    str text = value_str(c->args[1]);
    struct span span = {0, 0};

    if (!re)
        return NULL;
    bool found = regex_find(re, text, 0, &span, 1);
    return string_value(c->eval, found ? str_slice(text, span.from, span.to) : STR(""));
}

static int64_t limit_of(const struct call *c)
{
    int64_t limit;

    return value_to_i64(c->args[2], &limit) ? limit : 0;
}

static struct value *fn_find_all(struct call *c)
{
    struct regex *re = compile(c);
    str text = value_str(c->args[1]);

    if (!re)
        return NULL;
    struct spans all = regex_find_all(c->eval->arena, re, text, limit_of(c), 1);
    struct value *list = value_list(c->eval->arena);
    for (size_t i = 0; i < all.count; i++) {
        str piece = str_slice(text, all.items[i].from, all.items[i].to);
        value_add(c->eval->arena, list, string_value(c->eval, piece));
    }
    return all.count ? list : value_null(c->eval->arena);
}

static struct value *fn_split(struct call *c)
{
    struct regex *re = compile(c);
    size_t count;

    if (!re)
        return NULL;
    str *pieces = regex_split(c->eval->arena, re, value_str(c->args[1]), limit_of(c), &count);
    struct value *list = value_list(c->eval->arena);
    for (size_t i = 0; i < count; i++)
        value_add(c->eval->arena, list, string_value(c->eval, pieces[i]));
    return limit_of(c) ? list : value_null(c->eval->arena);
}

static struct value *fn_replace(struct call *c)
{
    struct buf out = buf_new(c->eval->arena, BUF_UNLIMITED);
    struct regex *re = compile(c);

    if (!re)
        return NULL;
    if (str_has_suffix(c->name, STR("Literal")))
        regex_replace_literal(re, value_str(c->args[1]), value_str(c->args[2]), &out);
    else
        regex_replace(re, value_str(c->args[1]), value_str(c->args[2]), &out);
    return string_value(c->eval, buf_str(&out));
}

static struct value *fn_quote_meta(struct call *c)
{
    return string_value(c->eval, regex_quote(c->eval->arena, value_str(c->args[0])));
}

static struct value *fn_to_json(struct call *c)
{
    struct buf out = buf_new(c->eval->arena, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    if (!json_write(&out, c->args[0], &json_go, &e))
        return unsupported(c->eval);
    return string_value(c->eval, buf_str(&out));
}

static struct value *fn_quote(struct call *c)
{
    return string_value(c->eval, quote(c->eval->arena, value_str(c->args[0])));
}

static struct value *fn_join(struct call *c)
{
    struct buf out = buf_new(c->eval->arena, BUF_UNLIMITED);

    for (size_t i = 0; i < value_len(c->args[1]); i++) {
        if (i)
            buf_add(&out, value_str(c->args[0]));
        buf_add(&out, value_str(&c->args[1]->items[i]));
    }
    return string_value(c->eval, buf_str(&out));
}

static struct value *fn_len(struct call *c)
{
    return value_int(c->eval->arena, (int64_t)value_len(c->args[0]));
}

/* types: s string, i integer, l list or null, v any. Sorted by name. */
static const struct function {
    const char *name, *types;
    struct value *(*run)(struct call *c);
} functions[] = {
    {"join", "sl", fn_join},
    {"len", "l", fn_len},
    {"mustRegexFind", "ss", fn_find},
    {"mustRegexFindAll", "ssi", fn_find_all},
    {"mustRegexMatch", "ss", fn_match},
    {"mustRegexReplaceAll", "sss", fn_replace},
    {"mustRegexReplaceAllLiteral", "sss", fn_replace},
    {"mustRegexSplit", "ssi", fn_split},
    {"quote", "s", fn_quote},
    {"regexFind", "ss", fn_find},
    {"regexFindAll", "ssi", fn_find_all},
    {"regexMatch", "ss", fn_match},
    {"regexQuoteMeta", "s", fn_quote_meta},
    {"regexReplaceAll", "sss", fn_replace},
    {"regexReplaceAllLiteral", "sss", fn_replace},
    {"regexSplit", "ssi", fn_split},
    {"toJson", "v", fn_to_json},
};

static bool has_type(const struct value *v, char type)
{
    switch (type) {
    case 's':
        return value_is(v, VALUE_STRING);
    case 'i':
        return value_is(v, VALUE_INT);
    case 'l':
        return value_is(v, VALUE_LIST) || value_is(v, VALUE_NULL);
    default:
        return true;
    }
}

/* Wrong arguments fail in the template language, which is not looked at here. */
static struct value *call(struct call *c)
{
    for (size_t i = 0; i < COUNT(functions); i++) {
        const struct function *f = &functions[i];
        if (!str_eq(c->name, str_c(f->name)))
            continue;
        if (c->count != strlen(f->types))
            return unsupported(c->eval);
        for (size_t n = 0; n < c->count; n++)
            if (!has_type(c->args[n], f->types[n]))
                return unsupported(c->eval);
        return f->run(c);
    }
    return unsupported(c->eval);
}

/* ---- Reading the template ---- */

static void skip_blanks(struct eval *x)
{
    while (x->rest.len && x->rest.ptr[0] == ' ')
        x->rest = str_from(x->rest, 1);
}

static bool skip_text(struct eval *x, str text)
{
    if (!str_has_prefix(x->rest, text))
        return false;
    x->rest = str_from(x->rest, text.len);
    return true;
}

static str take_word(struct eval *x)
{
    size_t len = 0;

    while (len < x->rest.len && !strchr(" |}\"`()", x->rest.ptr[len]))
        len++;
    str word = str_slice(x->rest, 0, len);
    x->rest = str_from(x->rest, len);
    return word;
}

/* A literal in double quotes; of the escapes only those that the vectors use. */
static struct value *parse_quoted(struct eval *x)
{
    struct buf out = buf_new(x->arena, BUF_UNLIMITED);

    for (size_t i = 1; i < x->rest.len; i++) {
        char c = x->rest.ptr[i];
        if (c == '"') {
            x->rest = str_from(x->rest, i + 1);
            return string_value(x, buf_str(&out));
        }
        if (c == '\\') {
            c = i + 1 < x->rest.len ? x->rest.ptr[++i] : '\0';
            if (c == 'x' && i + 2 < x->rest.len) {
                char digits[] = {x->rest.ptr[i + 1], x->rest.ptr[i + 2], '\0'};
                c = (char)strtoul(digits, NULL, 16);
                i += 2;
            } else if (c == 'n') {
                c = '\n';
            } else if (c != '\\' && c != '"') {
                return unsupported(x);
            }
        }
        buf_char(&out, c);
    }
    return unsupported(x);
}

static struct value *parse_raw(struct eval *x)
{
    str text, rest;

    if (!str_cut(str_from(x->rest, 1), STR("`"), &text, &rest))
        return unsupported(x);
    x->rest = rest;
    return string_value(x, text);
}

static struct value *parse_operand(struct eval *x)
{
    char c = x->rest.len ? x->rest.ptr[0] : '\0';
    int64_t number;

    if (c == '"')
        return parse_quoted(x);
    if (c == '`')
        return parse_raw(x);
    str word = take_word(x);
    if (c == '.' && value_get(x->data, str_from(word, 1)))
        return value_get(x->data, str_from(word, 1));
    if (str_to_i64(word, &number))
        return value_int(x->arena, number);
    return unsupported(x);
}

static bool at_command_end(const struct eval *x)
{
    return !x->rest.len || x->rest.ptr[0] == '|' || str_has_prefix(x->rest, STR("}}"));
}

/* One command; what came before the bar is its last argument. */
static struct value *run_command(struct eval *x, struct value *before)
{
    struct call c = {.eval = x};

    skip_blanks(x);
    if (!before && x->rest.len && strchr("\"`.", x->rest.ptr[0])) {
        struct value *v = parse_operand(x);
        skip_blanks(x);
        return at_command_end(x) ? v : unsupported(x);
    }
    c.name = take_word(x);
    for (skip_blanks(x); !at_command_end(x); skip_blanks(x)) {
        if (c.count == ARGS_MAX - 1 || !(c.args[c.count++] = parse_operand(x)))
            return unsupported(x);
    }
    if (before)
        c.args[c.count++] = before;
    return call(&c);
}

static struct value *run_pipeline(struct eval *x)
{
    struct value *v = run_command(x, NULL);

    while (v && skip_text(x, STR("|")))
        v = run_command(x, v);
    if (v && !skip_text(x, STR("}}")))
        return unsupported(x);
    return v;
}

/* As Go prints: lists in brackets with blanks between. */
static void print(struct eval *x, const struct value *v)
{
    if (value_is(v, VALUE_BOOL))
        buf_add(&x->out, v->truth ? STR("true") : STR("false"));
    if (!value_is_container(v)) {
        buf_add(&x->out, value_text(v));
        return;
    }
    buf_char(&x->out, '[');
    for (size_t i = 0; i < value_len(v); i++) {
        if (i)
            buf_char(&x->out, ' ');
        buf_add(&x->out, value_str(&v->items[i]));
    }
    buf_char(&x->out, ']');
}

static void run_template(struct eval *x)
{
    str text, rest;

    while (str_cut(x->rest, STR("{{"), &text, &rest)) {
        buf_add(&x->out, text);
        x->rest = rest;
        const struct value *v = run_pipeline(x);
        if (!v)
            return;
        print(x, v);
    }
    buf_add(&x->out, x->rest);
}

/* ---- The kind ---- */

static bool evaluate(struct arena *a, const struct value *vector, struct eval *x)
{
    const struct value *data = value_get(vector, STR("data"));
    AUTO_ERR e = {0};
    struct value *tree = NULL;

    *x = (struct eval){
        .arena = a, .out = buf_new(a, BUF_UNLIMITED), .failure = buf_new(a, BUF_UNLIMITED)};
    if (!vector_text(a, vector, "tmpl", &x->rest))
        return false;
    struct source src = {.text = value_str(data)};
    if (data && !json_read(a, &src, NULL, &tree, &e))
        return false;
    x->data = tree;
    run_template(x);
    return !x->unsupported;
}

static bool applies(struct arena *a, const struct value *vector)
{
    struct eval x;

    return evaluate(a, vector, &x);
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    struct eval x;
    str want;

    if (!evaluate(a, vector, &x))
        return vector_differs(why, "template", STR("not understood"), STR("understood"));
    str failure = buf_str(&x.failure);
    if (vector_text(a, vector, "err", &want)) {
        bool same = failure.len && str_has_suffix(want, failure);
        return same || vector_differs(why, "error", failure, want);
    }
    if (failure.len)
        return vector_differs(why, "error", failure, STR("none"));
    if (!vector_text(a, vector, "want", &want))
        return vector_differs(why, "vector", STR("no want"), STR("want or err"));
    return str_eq(buf_str(&x.out), want) || vector_differs(why, "output", buf_str(&x.out), want);
}

const struct vector_kind vector_regex = {
    .name = "regex",
    .help = "Go's regular expressions, through template functions",
    .run = run,
    .applies = applies,
};
