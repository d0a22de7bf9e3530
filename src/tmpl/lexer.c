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

/* The number, from 1 on, of the first keyword that begins with a letter; 0: none does. */
static const uint8_t keyword_from[256] = {
    ['b'] = 1, ['c'] = 3, ['d'] = 4,  ['e'] = 5,  ['f'] = 7,
    ['i'] = 8, ['n'] = 9, ['r'] = 10, ['t'] = 11, ['w'] = 13,
};

/* What peeking past the end gives: no code point. */
#define RUNE_END UINT32_MAX

/* What a byte of ASCII means in an action. */
enum byte_class {
    BYTE_OTHER,
    BYTE_NAME, /* may begin a name, and go on with one */
    BYTE_DIGIT,
    BYTE_SPACE,
    BYTE_DOT,
    BYTE_DOLLAR,
    BYTE_OPEN,
    BYTE_CLOSE,
    BYTE_PIPE,
    BYTE_QUOTE,
    BYTE_END, /* of a name, as space, dots, brackets and pipes are too */
};

static const uint8_t classes[256] = {
    ['A' ... 'Z'] = BYTE_NAME,  ['a' ... 'z'] = BYTE_NAME, ['_'] = BYTE_NAME,
    ['0' ... '9'] = BYTE_DIGIT, [' '] = BYTE_SPACE,        ['\t'] = BYTE_SPACE,
    ['\r'] = BYTE_SPACE,        ['\n'] = BYTE_SPACE,       ['.'] = BYTE_DOT,
    ['$'] = BYTE_DOLLAR,        ['('] = BYTE_OPEN,         [')'] = BYTE_CLOSE,
    ['|'] = BYTE_PIPE,          ['"'] = BYTE_QUOTE,        [','] = BYTE_END,
    [':'] = BYTE_END,
};

static enum byte_class class_of(char c)
{
    return (enum byte_class)classes[(unsigned char)c];
}

struct lexer lexer_new(struct arena *a, str text, str left, str right)
{
    struct lexer l = {
        .arena = a,
        .input = text,
        .left = left.len ? left : STR("{{"),
        .right = right.len ? right : STR("}}"),
    };

    l.usual = class_of(l.right.ptr[0]) == BYTE_OTHER;
    return l;
}

uint32_t lexer_line(str text, size_t pos)
{
    return 1 + (uint32_t)str_count_char(str_slice(text, 0, pos), '\n');
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
    l->inside = l->opens = false;
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
    return classes[c] == BYTE_NAME || classes[c] == BYTE_DIGIT;
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
ALWAYS_INLINE size_t find_delim(str s, str delim)
{
    if (!s.len)
        return STR_NPOS;
    const char *at = s.ptr, *end = s.ptr + s.len;
    while (at < end && (at = memchr(at, delim.ptr[0], (size_t)(end - at)))) {
        if ((size_t)(end - at) >= delim.len && (delim.len == 1 || at[1] == delim.ptr[1]) &&
            (delim.len <= 2 || hot_same(at, delim.ptr, delim.len)))
            return (size_t)(at - s.ptr);
        at++;
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

static bool ends_name(char c)
{
    switch (class_of(c)) {
    case BYTE_SPACE:
    case BYTE_DOT:
    case BYTE_OPEN:
    case BYTE_CLOSE:
    case BYTE_PIPE:
    case BYTE_END:
        return true;
    default:
        return false;
    }
}

/* Whether an identifier may end here. */
static bool at_terminator(const struct lexer *l)
{
    return l->pos >= l->input.len || ends_name(l->input.ptr[l->pos]) ||
           has_delim(rest(l), l->right);
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
NOINLINE static bool skip_comment(struct lexer *l, struct token *error)
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
    if (has_delim(str_from(l->input, l->pos + after), left_comment)) {
        l->pos += after;
        ignore(l);
        return !skip_comment(l, out);
    }
    emit(l, TOKEN_LEFT_DELIM, out);
    l->pos += after;
    ignore(l);
    l->inside = true;
    l->canonical = l->usual;
    l->parens = 0;
    return true;
}

/* The text up to a left delimiter at delim, without what the delimiter trims. */
static bool lex_text_before(struct lexer *l, size_t delim, struct token *out)
{
    size_t end = delim;

    if (has_left_trim(str_from(l->input, delim + l->left.len)))
        while (end > l->start && is_space((unsigned char)l->input.ptr[end - 1]))
            end--;
    l->pos = end;
    emit(l, TOKEN_TEXT, out);
    l->pos = l->start = delim;
    l->opens = true;
    return out->text.len > 0;
}

NOINLINE static void lex_outside(struct lexer *l, struct token *t)
{
    for (;;) {
        size_t x = l->opens ? 0 : find_delim(rest(l), l->left);
        l->opens = false;
        if (x == STR_NPOS) {
            l->pos = l->input.len;
            emit(l, l->pos > l->start ? TOKEN_TEXT : TOKEN_EOF, t);
            return;
        }
        if (x > 0) {
            if (lex_text_before(l, l->pos + x, t))
                return;
        } else if (open_action(l, t)) {
            return;
        }
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

/* Whether there is a blank before and one behind what is between from and to. */
static bool in_blanks(const struct lexer *l, size_t from, size_t to)
{
    return l->input.ptr[from - 1] == ' ' && to < l->input.len && l->input.ptr[to] == ' ';
}

/* A run of white space; its last character may belong to a trim marker. */
static void lex_space(struct lexer *l, struct token *t)
{
    bool trim;

    l->canonical = false;

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
    size_t i = word.len <= KEYWORD_MAX ? keyword_from[(unsigned char)word.ptr[0]] : 0;

    if (i == 0)
        return TOKEN_IDENTIFIER;
    for (; i <= COUNT(keywords) && keywords[i - 1].word.ptr[0] == word.ptr[0]; i++)
        if (word.len == keywords[i - 1].word.len &&
            hot_same(word.ptr, keywords[i - 1].word.ptr, word.len))
            return keywords[i - 1].kind;
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
    l->canonical = false;
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

    l->canonical &= r == ',' && l->pos < l->input.len && l->input.ptr[l->pos] == ' ' &&
                    l->input.ptr[l->start - 1] != ' ';
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
        l->canonical &= in_blanks(l, l->start, l->pos);
        emit(l, TOKEN_ASSIGN, t);
        break;
    case ':':
        l->canonical &= in_blanks(l, l->start, l->start + STR(":=").len);
        if (next(l) == '=')
            emit(l, TOKEN_DECLARE, t);
        else
            fail(l, STR("expected :="), t);
        break;
    case '|':
        l->canonical = false;
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

/* Behind the name whose first byte is before from, or 0 if more than ASCII must be looked at. */
static size_t quick_name(str s, size_t from)
{
    while (from < s.len && is_word_byte((unsigned char)s.ptr[from]))
        from++;
    return from < s.len && ends_name(s.ptr[from]) ? from : 0;
}

/* Behind a decimal number whose first digit is before from, or 0 if it may be another one. */
static size_t quick_digits(str s, size_t from)
{
    while (from < s.len && class_of(s.ptr[from]) == BYTE_DIGIT)
        from++;
    return from < s.len && ends_name(s.ptr[from]) && s.ptr[from] != '.' ? from : 0;
}

/* Behind a string without escapes whose opening quote is before from, or 0. */
static size_t quick_string(str s, size_t from)
{
    while (from < s.len && s.ptr[from] != '"' && s.ptr[from] != '\\' && s.ptr[from] != '\n')
        from++;
    return from < s.len && s.ptr[from] == '"' ? from + 1 : 0;
}

/* Where the token ends that most tokens at l->pos are, or 0 if it is another one. */
static size_t quick_end(struct lexer *l, enum token_kind *kind)
{
    str s = l->input;
    size_t next = l->pos + 1;

    if (next >= s.len)
        return 0;
    switch (class_of(s.ptr[l->pos])) {
    case BYTE_SPACE: /* a single one, and no trim marker */
        *kind = TOKEN_SPACE;
        l->canonical &= s.ptr[l->pos] == ' ';
        return class_of(s.ptr[next]) == BYTE_SPACE || s.ptr[next] == '-' ? 0 : next;
    case BYTE_NAME:
        next = quick_name(s, next);
        *kind = word_kind(str_slice(s, l->pos, next));
        return next;
    case BYTE_DOT:
        *kind = ends_name(s.ptr[next]) ? TOKEN_DOT : TOKEN_FIELD;
        return class_of(s.ptr[next]) == BYTE_DIGIT ? 0 : quick_name(s, next);
    case BYTE_DOLLAR:
        *kind = TOKEN_VARIABLE;
        return quick_name(s, next);
    case BYTE_OPEN:
        *kind = TOKEN_LEFT_PAREN;
        l->canonical &= s.ptr[next] != ' ';
        l->parens++;
        return next;
    case BYTE_CLOSE:
        *kind = TOKEN_RIGHT_PAREN;
        l->canonical &= s.ptr[l->pos - 1] != ' ';
        return l->parens > 0 ? l->parens--, next : 0;
    case BYTE_PIPE:
        *kind = TOKEN_PIPE;
        l->canonical &= in_blanks(l, l->pos, next);
        return next;
    case BYTE_QUOTE:
        *kind = TOKEN_STRING;
        return quick_string(s, next);
    case BYTE_DIGIT:
        *kind = TOKEN_NUMBER;
        return quick_digits(s, next);
    default:
        return 0;
    }
}

/* The next token if it is one that most are. */
static bool lex_quick(struct lexer *l, struct token *t)
{
    size_t end = quick_end(l, &t->kind);

    if (!end)
        return false;
    t->pos = l->pos;
    t->text = (str){l->input.ptr + l->pos, end - l->pos};
    l->pos = l->start = end;
    return true;
}

NOINLINE static void lex_inside(struct lexer *l, struct token *t)
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
    return has_delim(str_from(l->input, at), word);
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
    if (!l->inside)
        lex_outside(l, t);
    else if (!l->usual || !lex_quick(l, t))
        lex_inside(l, t);
}
