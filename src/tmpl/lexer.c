/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lexer.c - a template text to tokens.
 *
 * Text outside of actions is one token; white space at trim markers is already gone, comments leave
 * no trace. Inside an action runs of white space are tokens, because the grammar needs them to tell
 * "$x .y" from "$x.y". A token's line is that of its first byte.
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
        .line = 1,
    };
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

/* Moves the start to the position, counting lines. */
static void ignore(struct lexer *l)
{
    const char *end = l->input.ptr + l->pos, *at = l->input.ptr + l->start;

    for (; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        l->line++;
    l->start = l->pos;
}

static struct token emit(struct lexer *l, enum token_kind kind)
{
    struct token t = {.kind = kind,
                      .line = l->line,
                      .pos = l->start,
                      .text = str_slice(l->input, l->start, l->pos)};

    if (kind == TOKEN_TEXT || kind == TOKEN_SPACE || kind == TOKEN_RAW_STRING)
        ignore(l);
    l->start = l->pos; /* others hold no newline */
    return t;
}

/* Ends the scan: what follows is not looked at. */
static struct token fail(struct lexer *l, str message)
{
    struct token t = {.kind = TOKEN_ERROR, .line = l->line, .pos = l->start, .text = message};

    l->input.len = l->pos = l->start = 0;
    l->inside = false;
    return t;
}

static struct token fail_rune(struct lexer *l, const char *what, uint32_t rune)
{
    struct buf b = buf_new(l->arena, KIB);

    buf_fmt(&b, "%s ", what);
    go_rune(&b, rune);
    return fail(l, buf_str(&b));
}

static bool is_space(uint32_t r)
{
    return r == ' ' || r == '\t' || r == '\r' || r == '\n';
}

/* Letters, digits and the underscore of ASCII. */
static bool is_word_byte(unsigned char c)
{
    static const uint32_t words[4] = {0, 0x03ff0000, 0x87fffffe, 0x07fffffe};

    return c < 0x80 && words[c >> 5] >> (c & 31) & 1;
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
    do
        while (l->pos < l->input.len && is_word_byte((unsigned char)l->input.ptr[l->pos]))
            l->pos++;
    while (l->pos < l->input.len && (unsigned char)l->input.ptr[l->pos] >= 0x80 &&
           is_alphanumeric(peek(l)) && next(l));
}

/* ---- Outside of actions --------------------------------------------------------------------- */

/* Skips the comment that starts here. True if it was well-formed. */
static bool skip_comment(struct lexer *l, struct token *error)
{
    size_t end = str_find(str_from(l->input, l->pos + left_comment.len), right_comment);
    bool trim;

    if (end == STR_NPOS) {
        *error = fail(l, STR("unclosed comment"));
        return false;
    }
    l->pos += left_comment.len + end + right_comment.len;
    if (!at_right_delim(l, &trim)) {
        *error = fail(l, STR("comment ends before closing delimiter"));
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
    *out = emit(l, TOKEN_LEFT_DELIM);
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
    *out = emit(l, TOKEN_TEXT);
    l->pos = delim;
    ignore(l);
    return out->text.len > 0;
}

static struct token lex_outside(struct lexer *l)
{
    struct token t;

    for (;;) {
        size_t x = find_delim(rest(l), l->left);
        if (x == STR_NPOS) {
            l->pos = l->input.len;
            return emit(l, l->pos > l->start ? TOKEN_TEXT : TOKEN_EOF);
        }
        if (x > 0 && lex_text_before(l, x, &t))
            return t;
        if (open_action(l, &t))
            return t;
    }
}

/* ---- Inside an action ----------------------------------------------------------------------- */

static struct token close_action(struct lexer *l, bool trim)
{
    struct token t;

    if (trim) {
        l->pos += TRIM_MARKER_LEN;
        ignore(l);
    }
    l->pos += l->right.len;
    t = emit(l, TOKEN_RIGHT_DELIM);
    if (trim) {
        skip_spaces(l);
        ignore(l);
    }
    l->inside = false;
    return t;
}

/* A run of white space; its last character may belong to a trim marker. */
static struct token lex_space(struct lexer *l)
{
    bool trim;

    skip_spaces(l);
    l->pos--;
    if (!at_right_delim(l, &trim) || !trim)
        l->pos++;
    if (l->pos == l->start)
        return close_action(l, true);
    return emit(l, TOKEN_SPACE);
}

static enum token_kind word_kind(str word)
{
    for (size_t i = 0; i < COUNT(keywords) && word.len <= KEYWORD_MAX; i++)
        if (word.ptr[0] == keywords[i].word.ptr[0] && str_eq(word, keywords[i].word))
            return keywords[i].kind;
    return TOKEN_IDENTIFIER;
}

static struct token lex_identifier(struct lexer *l)
{
    skip_alphanumerics(l);
    if (!at_terminator(l))
        return fail_rune(l, "bad character", peek(l));
    return emit(l, word_kind(str_slice(l->input, l->start, l->pos)));
}

/* A field or variable whose . or $ has been read. */
static struct token lex_field(struct lexer *l, enum token_kind kind)
{
    if (at_terminator(l))
        return emit(l, kind == TOKEN_VARIABLE ? TOKEN_VARIABLE : TOKEN_DOT);
    skip_alphanumerics(l);
    if (!at_terminator(l))
        return fail_rune(l, "bad character", peek(l));
    return emit(l, kind);
}

/* A string or character constant whose opening quote has been read. */
static struct token lex_quoted(struct lexer *l, uint32_t quote, enum token_kind kind, str message)
{
    for (;;) {
        uint32_t r = next(l);
        if (r == quote)
            return emit(l, kind);
        if (r == '\\')
            r = next(l) == '\n' ? '\n' : 0; /* at the end, the next round fails */
        if (r == RUNE_END || r == '\n')
            return fail(l, message);
    }
}

static struct token lex_raw(struct lexer *l)
{
    for (;;) {
        uint32_t r = next(l);
        if (r == RUNE_END)
            return fail(l, STR("unterminated raw quoted string"));
        if (r == '`')
            return emit(l, TOKEN_RAW_STRING);
    }
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

static struct token bad_number(struct lexer *l)
{
    struct buf b = buf_new(l->arena, BUF_UNLIMITED);

    buf_add(&b, STR("bad number syntax: "));
    go_quote(&b, str_slice(l->input, l->start, l->pos));
    return fail(l, buf_str(&b));
}

static struct token lex_number(struct lexer *l)
{
    uint32_t sign;

    if (!scan_number(l))
        return bad_number(l);
    sign = peek(l);
    if (sign != '+' && sign != '-')
        return emit(l, TOKEN_NUMBER);
    if (!scan_number(l) || l->input.ptr[l->pos - 1] != 'i')
        return bad_number(l);
    return emit(l, TOKEN_COMPLEX);
}

static struct token lex_paren(struct lexer *l, bool open)
{
    l->parens += open ? 1 : -1;
    if (l->parens < 0)
        return fail(l, STR("unexpected right paren"));
    return emit(l, open ? TOKEN_LEFT_PAREN : TOKEN_RIGHT_PAREN);
}

/* A character that begins nothing longer. */
static struct token lex_char(struct lexer *l, uint32_t r)
{
    if (r > ' ' && r < 0x7f)
        return emit(l, TOKEN_CHAR);
    return fail_rune(l, "unrecognized character in action:", r);
}

static struct token lex_dot(struct lexer *l)
{
    if (l->pos < l->input.len && (l->input.ptr[l->pos] < '0' || l->input.ptr[l->pos] > '9'))
        return lex_field(l, TOKEN_FIELD);
    l->pos--; /* a number may begin with a dot */
    return lex_number(l);
}

/* Whether a byte may begin a right delimiter or its trim marker: most begin something else. */
static bool may_close(const struct lexer *l)
{
    if (l->pos >= l->input.len)
        return false;
    return l->input.ptr[l->pos] == l->right.ptr[0] || is_space((unsigned char)l->input.ptr[l->pos]);
}

static struct token lex_inside(struct lexer *l)
{
    bool trim;
    uint32_t r = peek(l);

    if (may_close(l) && at_right_delim(l, &trim))
        return l->parens == 0 ? close_action(l, trim) : fail(l, STR("unclosed left paren"));
    if (is_space(r))
        return lex_space(l);
    if (is_alphanumeric(r) && (r < '0' || r > '9'))
        return lex_identifier(l);
    next(l);
    switch (r) {
    case RUNE_END:
        return fail(l, STR("unclosed action"));
    case '=':
        return emit(l, TOKEN_ASSIGN);
    case ':':
        return next(l) == '=' ? emit(l, TOKEN_DECLARE) : fail(l, STR("expected :="));
    case '|':
        return emit(l, TOKEN_PIPE);
    case '"':
        return lex_quoted(l, r, TOKEN_STRING, STR("unterminated quoted string"));
    case '\'':
        return lex_quoted(l, r, TOKEN_CHAR_CONSTANT, STR("unterminated character constant"));
    case '`':
        return lex_raw(l);
    case '$':
        return lex_field(l, TOKEN_VARIABLE);
    case '.':
        return lex_dot(l);
    case '(':
    case ')':
        return lex_paren(l, r == '(');
    default:
        if (r != '+' && r != '-' && (r < '0' || r > '9'))
            return lex_char(l, r);
        l->pos--;
        return lex_number(l);
    }
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

struct token lexer_skip(struct lexer *l, str action)
{
    str inner = str_slice(action, 0, action.len - l->right.len);
    bool trim = inner.len >= TRIM_MARKER_LEN &&
                has_right_trim(str_from(inner, inner.len - TRIM_MARKER_LEN));

    l->pos += inner.len - (trim ? TRIM_MARKER_LEN : 0);
    ignore(l);
    return close_action(l, trim);
}

struct token lexer_next(struct lexer *l)
{
    return l->inside ? lex_inside(l) : lex_outside(l);
}
