/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lexer.c - a template text to tokens.
 *
 * Text outside of actions is one token; white space at trim markers is already gone, comments leave
 * no trace. Inside an action runs of white space are tokens, because the grammar needs them to tell
 * "$x .y" from "$x.y". Lines are counted when an error asks for one.
 */
#include "tmpl/internal.h"

#include "base/unicode.h"

#define TRIM_MARKER_LEN 2 /* the minus and its white space */

static const str left_comment = STR_INIT("/*");
static const str right_comment = STR_INIT("*/");

static const struct {
    str word;
    enum token_kind kind;
} keywords[] = {
    {STR_INIT("block"), TOKEN_BLOCK},       {STR_INIT("break"), TOKEN_BREAK},
    {STR_INIT("continue"), TOKEN_CONTINUE}, {STR_INIT("define"), TOKEN_DEFINE},
    {STR_INIT("else"), TOKEN_ELSE},         {STR_INIT("end"), TOKEN_END},
    {STR_INIT("false"), TOKEN_BOOL},        {STR_INIT("if"), TOKEN_IF},
    {STR_INIT("nil"), TOKEN_NIL},           {STR_INIT("range"), TOKEN_RANGE},
    {STR_INIT("true"), TOKEN_BOOL},         {STR_INIT("template"), TOKEN_TEMPLATE},
    {STR_INIT("with"), TOKEN_WITH},
};

#define KEYWORD_MAX 8 /* letters */

/* What peeking past the end gives: no code point. */
#define RUNE_END UINT32_MAX

struct lexer lexer_new(struct arena *a, str text, str left, str right)
{
    return (struct lexer){
        .arena = a,
        .input = text,
        .left = left.len ? left : STR("{{"),
        .right = right.len ? right : STR("}}"),
    };
}

uint32_t lexer_line(str text, size_t pos)
{
    uint32_t line = 1;

    for (size_t i = 0; i < pos && i < text.len; i++)
        line += text.ptr[i] == '\n';
    return line;
}

/* ---- Small steps ---------------------------------------------------------------------------- */

static str rest(const struct lexer *l)
{
    return str_from(l->input, l->pos);
}

static uint32_t peek(const struct lexer *l)
{
    size_t width;

    return l->pos < l->input.len ? utf8_decode(rest(l), &width) : RUNE_END;
}

static uint32_t next(struct lexer *l)
{
    size_t width;
    uint32_t r;

    if (l->pos >= l->input.len)
        return RUNE_END;
    r = utf8_decode(rest(l), &width);
    l->pos += width;
    return r;
}

/* What lies between the start and the position belongs to no token. */
static void ignore(struct lexer *l)
{
    l->start = l->pos;
}

static void emit(struct lexer *l, enum token_kind kind, struct token *t)
{
    t->kind = kind;
    t->pos = l->start;
    t->text = str_slice(l->input, l->start, l->pos);
    l->start = l->pos;
}

/* Ends the scan: what follows is not looked at. */
static void fail(struct lexer *l, str message, struct token *t)
{
    *t = (struct token){.kind = TOKEN_ERROR, .pos = l->start, .text = message};
    l->input.len = l->pos = l->start = 0;
    l->inside = false;
}

static void fail_rune(struct lexer *l, const char *what, uint32_t rune, struct token *t)
{
    struct buf b = buf_new(l->arena, KIB);

    buf_fmt(&b, "%s ", what);
    go_rune(&b, rune);
    fail(l, buf_str(&b), t);
}

static bool is_space(uint32_t r)
{
    return r == ' ' || r == '\t' || r == '\r' || r == '\n';
}

/* Letters, digits and the underscore of ASCII. */
static bool is_word_byte(unsigned char c)
{
    static const bool words[256] = {
        ['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['_'] = 1, ['a' ... 'z'] = 1};

    return words[c];
}

static bool is_alphanumeric(uint32_t r)
{
    if (r < 0x80)
        return is_word_byte((unsigned char)r);
    return r != RUNE_END && (unicode_is_letter(r) || unicode_is_digit(r));
}

static bool accept(struct lexer *l, const char *set)
{
    uint32_t r = peek(l);

    if (r == 0 || r >= 0x80 || !strchr(set, (int)r))
        return false;
    l->pos++;
    return true;
}

static void accept_run(struct lexer *l, const char *set)
{
    while (accept(l, set)) {
    }
}

/* As str_has_prefix; a delimiter is never empty, and most often not there. */
static bool has_delim(str s, str delim)
{
    return s.len && s.ptr[0] == delim.ptr[0] && str_has_prefix(s, delim);
}

/* As str_find, made for delimiters whose first byte is rare in text. */
static size_t find_delim(str s, str delim)
{
    for (size_t at = 0, next; (next = str_find_char(str_from(s, at), delim.ptr[0])) != STR_NPOS;
         at++) {
        at += next;
        if (str_has_prefix(str_from(s, at), delim))
            return at;
    }
    return STR_NPOS;
}

static bool has_left_trim(str s)
{
    return s.len >= 2 && s.ptr[0] == '-' && is_space((unsigned char)s.ptr[1]);
}

static bool has_right_trim(str s)
{
    return s.len >= 2 && is_space((unsigned char)s.ptr[0]) && s.ptr[1] == '-';
}

/* Whether there is a right delimiter here, perhaps after a trim marker. */
static bool at_right_delim(const struct lexer *l, bool *trim)
{
    str s = rest(l);

    *trim = has_right_trim(s) && str_has_prefix(str_from(s, TRIM_MARKER_LEN), l->right);
    return *trim || has_delim(s, l->right);
}

static void skip_spaces(struct lexer *l)
{
    while (l->pos < l->input.len && is_space((unsigned char)l->input.ptr[l->pos]))
        l->pos++;
}

/* Whether an identifier may end here. */
static bool at_terminator(const struct lexer *l)
{
    if (l->pos >= l->input.len)
        return true;
    switch (l->input.ptr[l->pos]) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case '.':
    case ',':
    case '|':
    case ':':
    case ')':
    case '(':
        return true;
    default:
        return has_delim(rest(l), l->right);
    }
}

static void skip_alphanumerics(struct lexer *l)
{
    do {
        size_t pos = l->pos;
        while (pos < l->input.len && is_word_byte((unsigned char)l->input.ptr[pos]))
            pos++;
        l->pos = pos;
    } while (l->pos < l->input.len && (unsigned char)l->input.ptr[l->pos] >= 0x80 &&
             is_alphanumeric(peek(l)) && next(l));
}

/* ---- Outside of actions --------------------------------------------------------------------- */

/* Skips the comment that starts here. True if it was well-formed. */
static bool skip_comment(struct lexer *l, struct token *error)
{
    size_t end = str_find(str_from(l->input, l->pos + left_comment.len), right_comment);
    bool trim;

    if (end == STR_NPOS) {
        fail(l, STR("unclosed comment"), error);
        return false;
    }
    l->pos += left_comment.len + end + right_comment.len;
    if (!at_right_delim(l, &trim)) {
        fail(l, STR("comment ends before closing delimiter"), error);
        return false;
    }
    l->pos += (trim ? TRIM_MARKER_LEN : 0) + l->right.len;
    if (trim)
        skip_spaces(l);
    ignore(l);
    return true;
}

/* At a left delimiter: opens the action, or skips a comment and answers false. */
static bool open_action(struct lexer *l, struct token *out)
{
    size_t after = 0;

    l->pos += l->left.len;
    if (has_left_trim(rest(l)))
        after = TRIM_MARKER_LEN;
    if (str_has_prefix(str_from(l->input, l->pos + after), left_comment)) {
        l->pos += after;
        ignore(l);
        return !skip_comment(l, out);
    }
    emit(l, TOKEN_LEFT_DELIM, out);
    l->pos += after;
    ignore(l);
    l->inside = true;
    l->parens = 0;
    return true;
}

/* The text before a left delimiter at offset x from here, without what the delimiter trims. */
static bool lex_text_before(struct lexer *l, size_t x, struct token *out)
{
    size_t delim = l->pos + x;

    l->pos = delim;
    if (has_left_trim(str_from(l->input, delim + l->left.len)))
        while (l->pos > l->start && is_space((unsigned char)l->input.ptr[l->pos - 1]))
            l->pos--;
    emit(l, TOKEN_TEXT, out);
    l->pos = delim;
    ignore(l);
    return out->text.len > 0;
}

static void lex_outside(struct lexer *l, struct token *t)
{
    for (;;) {
        size_t x = find_delim(rest(l), l->left);
        if (x == STR_NPOS) {
            l->pos = l->input.len;
            emit(l, l->pos > l->start ? TOKEN_TEXT : TOKEN_EOF, t);
            return;
        }
        if ((x > 0 && lex_text_before(l, x, t)) || open_action(l, t))
            return;
    }
}

/* ---- Inside an action ----------------------------------------------------------------------- */

static void close_action(struct lexer *l, bool trim, struct token *t)
{
    if (trim) {
        l->pos += TRIM_MARKER_LEN;
        ignore(l);
    }
    l->pos += l->right.len;
    emit(l, TOKEN_RIGHT_DELIM, t);
    if (trim) {
        skip_spaces(l);
        ignore(l);
    }
    l->inside = false;
}

/* A run of white space; its last character may belong to a trim marker. */
static void lex_space(struct lexer *l, struct token *t)
{
    bool trim;

    skip_spaces(l);
    if (l->pos < l->input.len && l->input.ptr[l->pos] == '-') {
        l->pos--;
        if (!at_right_delim(l, &trim) || !trim)
            l->pos++;
    }
    if (l->pos == l->start)
        close_action(l, true, t);
    else
        emit(l, TOKEN_SPACE, t);
}

static enum token_kind word_kind(str word)
{
    for (size_t i = 0; i < COUNT(keywords) && word.len <= KEYWORD_MAX; i++)
        if (word.ptr[0] == keywords[i].word.ptr[0] && str_eq(word, keywords[i].word))
            return keywords[i].kind;
    return TOKEN_IDENTIFIER;
}

static void lex_identifier(struct lexer *l, struct token *t)
{
    skip_alphanumerics(l);
    if (at_terminator(l))
        emit(l, word_kind(str_slice(l->input, l->start, l->pos)), t);
    else
        fail_rune(l, "bad character", peek(l), t);
}

/* A field or variable whose . or $ has been read. */
static void lex_field(struct lexer *l, enum token_kind kind, struct token *t)
{
    if (at_terminator(l)) {
        emit(l, kind == TOKEN_VARIABLE ? TOKEN_VARIABLE : TOKEN_DOT, t);
        return;
    }
    skip_alphanumerics(l);
    if (at_terminator(l))
        emit(l, kind, t);
    else
        fail_rune(l, "bad character", peek(l), t);
}

/* A string or character constant whose opening quote has been read. */
static void lex_quoted(struct lexer *l, char quote, enum token_kind kind, str message,
                       struct token *t)
{
    while (l->pos < l->input.len) {
        char c = l->input.ptr[l->pos++];
        if (c == quote) {
            emit(l, kind, t);
            return;
        }
        if (c == '\\' && l->pos < l->input.len)
            c = l->input.ptr[l->pos++];
        if (c == '\n')
            break;
    }
    fail(l, message, t);
}

static void lex_raw(struct lexer *l, struct token *t)
{
    size_t end = str_find_char(rest(l), '`');

    if (end == STR_NPOS) {
        fail(l, STR("unterminated raw quoted string"), t);
        return;
    }
    l->pos += end + 1;
    emit(l, TOKEN_RAW_STRING, t);
}

/*
 * Reads what could be a number. This accepts too much ("089", "0x0.2"): literal.c knows better, and
 * words those errors.
 */
static bool scan_number(struct lexer *l)
{
    const char *digits = "0123456789_";
    bool hex = false, decimal = true;

    accept(l, "+-");
    if (accept(l, "0")) {
        hex = accept(l, "xX");
        decimal = !hex;
        if (hex) {
            digits = "0123456789abcdefABCDEF_";
        } else if (accept(l, "oO")) {
            digits = "01234567_";
            decimal = false;
        } else if (accept(l, "bB")) {
            digits = "01_";
            decimal = false;
        }
    }
    accept_run(l, digits);
    if (accept(l, "."))
        accept_run(l, digits);
    if ((decimal && accept(l, "eE")) || (hex && accept(l, "pP"))) {
        accept(l, "+-");
        accept_run(l, "0123456789_");
    }
    accept(l, "i");
    if (is_alphanumeric(peek(l))) {
        next(l);
        return false;
    }
    return true;
}

static void bad_number(struct lexer *l, struct token *t)
{
    struct buf b = buf_new(l->arena, BUF_UNLIMITED);

    buf_add(&b, STR("bad number syntax: "));
    go_quote(&b, str_slice(l->input, l->start, l->pos));
    fail(l, buf_str(&b), t);
}

static void lex_number(struct lexer *l, struct token *t)
{
    bool ok = scan_number(l);
    uint32_t sign = ok ? peek(l) : 0;

    if (ok && sign != '+' && sign != '-')
        emit(l, TOKEN_NUMBER, t);
    else if (ok && scan_number(l) && l->input.ptr[l->pos - 1] == 'i')
        emit(l, TOKEN_COMPLEX, t);
    else
        bad_number(l, t);
}

static void lex_paren(struct lexer *l, bool open, struct token *t)
{
    l->parens += open ? 1 : -1;
    if (l->parens < 0)
        fail(l, STR("unexpected right paren"), t);
    else
        emit(l, open ? TOKEN_LEFT_PAREN : TOKEN_RIGHT_PAREN, t);
}

static void lex_dot(struct lexer *l, struct token *t)
{
    if (l->pos < l->input.len && (l->input.ptr[l->pos] < '0' || l->input.ptr[l->pos] > '9')) {
        lex_field(l, TOKEN_FIELD, t);
        return;
    }
    l->pos--; /* a number may begin with a dot */
    lex_number(l, t);
}

/* Not at the end. A character that begins nothing longer, or nothing at all. */
static void lex_char(struct lexer *l, struct token *t)
{
    uint32_t r = next(l);

    if (r > ' ' && r < 0x7f)
        emit(l, TOKEN_CHAR, t);
    else
        fail_rune(l, "unrecognized character in action:", r, t);
}

/* Not at the end, nor at a right delimiter, a space or a name: these are the most. */
static void lex_other(struct lexer *l, struct token *t)
{
    char c = l->input.ptr[l->pos++];

    switch (c) {
    case '+':
    case '-':
    case '0' ... '9':
        l->pos--;
        lex_number(l, t);
        break;
    case '=':
        emit(l, TOKEN_ASSIGN, t);
        break;
    case ':':
        if (next(l) == '=')
            emit(l, TOKEN_DECLARE, t);
        else
            fail(l, STR("expected :="), t);
        break;
    case '|':
        emit(l, TOKEN_PIPE, t);
        break;
    case '"':
        lex_quoted(l, c, TOKEN_STRING, STR("unterminated quoted string"), t);
        break;
    case '\'':
        lex_quoted(l, c, TOKEN_CHAR_CONSTANT, STR("unterminated character constant"), t);
        break;
    case '`':
        lex_raw(l, t);
        break;
    case '$':
        lex_field(l, TOKEN_VARIABLE, t);
        break;
    case '.':
        lex_dot(l, t);
        break;
    case '(':
    case ')':
        lex_paren(l, c == '(', t);
        break;
    default:
        l->pos--;
        lex_char(l, t);
    }
}

/* Whether a name begins here, not at the end. */
static bool at_name(const struct lexer *l)
{
    unsigned char c = (unsigned char)l->input.ptr[l->pos];

    return c < 0x80 ? is_word_byte(c) && (c < '0' || c > '9') : is_alphanumeric(peek(l));
}

static void lex_inside(struct lexer *l, struct token *t)
{
    bool trim;

    if (l->pos >= l->input.len) {
        fail(l, STR("unclosed action"), t);
        return;
    }
    /* Few bytes may begin a right delimiter or its trim marker. */
    char c = l->input.ptr[l->pos];
    bool space = is_space((unsigned char)c);
    bool may_trim = space && l->pos + 1 < l->input.len && l->input.ptr[l->pos + 1] == '-';
    if ((may_trim || c == l->right.ptr[0]) && at_right_delim(l, &trim)) {
        if (l->parens)
            fail(l, STR("unclosed left paren"), t);
        else
            close_action(l, trim, t);
        return;
    }
    if (space)
        lex_space(l, t);
    else if (at_name(l))
        lex_identifier(l, t);
    else
        lex_other(l, t);
}

bool lexer_may_begin(const struct lexer *l, str word)
{
    size_t at = l->pos;

    while (at < l->input.len && is_space((unsigned char)l->input.ptr[at]))
        at++;
    return str_has_prefix(str_from(l->input, at), word);
}

str lexer_action(const struct lexer *l)
{
    size_t end = find_delim(rest(l), l->right);

    return end == STR_NPOS ? STR_NONE : str_slice(l->input, l->pos, l->pos + end + l->right.len);
}

void lexer_skip(struct lexer *l, str action, struct token *t)
{
    str inner = str_slice(action, 0, action.len - l->right.len);
    bool trim = inner.len >= TRIM_MARKER_LEN &&
                has_right_trim(str_from(inner, inner.len - TRIM_MARKER_LEN));

    l->pos += inner.len - (trim ? TRIM_MARKER_LEN : 0);
    ignore(l);
    close_action(l, trim, t);
}

void lexer_next(struct lexer *l, struct token *t)
{
    if (l->inside)
        lex_inside(l, t);
    else
        lex_outside(l, t);
}
