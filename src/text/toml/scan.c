/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - characters and strings of TOML; see internal.h.
 */
#include "text/toml/internal.h"

#include "go/quote.h"

/* ---- Failing ---- */

/* The table and the key read last. Upstream: a key without a table is not quoted. */
static str last_key(struct toml_reader *r)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    if (r->key.len && !r->context.len)
        return r->key;
    toml_write_key(&b, r->context.items, r->context.len);
    if (r->key.len)
        buf_fmt(&b, ".%.*s", STR_ARG(r->key));
    return buf_str(&b);
}

/* The text may contain a NUL, where err_set would stop. */
bool toml_fail_str(struct toml_reader *r, int64_t line, str text)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);
    str key = last_key(r);

    buf_fmt(&b, "toml: line %lld", (long long)line);
    if (key.len)
        buf_fmt(&b, " (last key %s)", toml_quote_str(r, key));
    buf_add(&b, STR(": "));
    buf_add(&b, text);
    err_set(r->e, ERR_INVALID, "toml");
    if (r->e)
        r->e->text = str_copy(r->e->owner, buf_str(&b));
    return false;
}

bool toml_fail_line(struct toml_reader *r, int64_t line, const char *format, ...)
{
    va_list args;
    str text;

    va_start(args, format);
    text = str_vfmt(r->arena, format, args);
    va_end(args);
    return toml_fail_str(r, line, text);
}

bool toml_fail_after(struct toml_reader *r, uint32_t c, const char *format, ...)
{
    bool ends_line = r->at > 0 && r->text.ptr[r->at - 1] == '\n';
    va_list args;
    str text;

    va_start(args, format);
    text = str_vfmt(r->arena, format, args);
    va_end(args);
    return toml_fail_str(r, r->line - (c == TOML_EOF && ends_line), text);
}

const char *toml_quote(struct toml_reader *r, uint32_t c)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    go_quote_rune(&b, c, false);
    return str_z(r->arena, buf_str(&b));
}

const char *toml_quote_str(struct toml_reader *r, str s)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    go_quote(&b, s);
    return str_z(r->arena, buf_str(&b));
}

/* ---- Characters ---- */

bool toml_is_bare(uint32_t c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* A CR must be followed by a LF. */
static bool is_control(const struct toml_reader *r, uint32_t c)
{
    if (c == '\r')
        return r->at + 1 >= r->text.len || r->text.ptr[r->at + 1] != '\n';
    return c != '\t' && c != '\n' && (c < 0x20 || c == 0x7f);
}

static bool look(struct toml_reader *r, uint32_t *c, size_t *width)
{
    *width = 0;
    *c = TOML_EOF;
    if (r->at >= r->text.len)
        return true;
    *c = utf8_decode(str_from(r->text, r->at), width);
    if (*c == RUNE_ERROR && *width == 1)
        return TOML_FAIL(r, "invalid UTF-8 byte: 0x%02x", (uint8_t)r->text.ptr[r->at]);
    if (is_control(r, *c))
        return TOML_FAIL(r, "TOML files cannot contain control characters: '0x%02x'", *c);
    return true;
}

bool toml_peek(struct toml_reader *r, uint32_t *c)
{
    size_t width;

    return look(r, c, &width);
}

bool toml_next(struct toml_reader *r, uint32_t *c)
{
    size_t width;

    if (!look(r, c, &width))
        return false;
    r->at += width;
    r->line += *c == '\n';
    return true;
}

bool toml_accept(struct toml_reader *r, uint32_t wanted, bool *accepted)
{
    uint32_t c;

    if (!toml_peek(r, &c))
        return false;
    *accepted = c == wanted;
    return !*accepted || toml_next(r, &c);
}

bool toml_skip_blanks(struct toml_reader *r)
{
    uint32_t c;

    do {
        if (!toml_peek(r, &c))
            return false;
        r->at += toml_is_blank(c);
    } while (toml_is_blank(c));
    return true;
}

bool toml_comment(struct toml_reader *r)
{
    size_t width;
    uint32_t c;

    for (;;) {
        if (!look(r, &c, &width))
            return false;
        if (c == TOML_EOF || toml_is_newline(c))
            return true;
        r->at += width;
    }
}

/* ---- Strings ---- */

bool toml_fail_shown(struct toml_reader *r, int64_t line, const char *before, uint32_t c)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    buf_add(&b, str_c(before));
    buf_rune(&b, c);
    buf_char(&b, '\'');
    return toml_fail_str(r, line, buf_str(&b));
}

static bool read_hex(struct toml_reader *r, size_t start, int digits, const char *what)
{
    uint32_t c;

    for (int i = 0; i < digits; i++) {
        if (!toml_next(r, &c))
            return false;
        if (!toml_is_hex(c))
            return toml_fail_after(r, c, "expected %s, but got %s instead", what,
                                   toml_quote_str(r, str_slice(r->text, start, r->at)));
    }
    return true;
}

/* Checks what follows a backslash; start is where the string began. */
static bool read_escape(struct toml_reader *r, size_t start)
{
    uint32_t c;

    if (!toml_next(r, &c))
        return false;
    if (c == 'u')
        return read_hex(r, start, 4, "four hexadecimal digits after '\\u'");
    if (c == 'U')
        return read_hex(r, start, 8, "eight hexadecimal digits after '\\U'");
    /* Blanks are left to the parser, since the line may end after them. */
    if (c && c < 0x80 && strchr("btnfr\"\\ \t", (int)c))
        return true;
    return toml_fail_shown(r, r->line - (c == TOML_EOF), "invalid escape in string '\\", c);
}

/* The code point of an escape of so many digits. */
static bool add_code_point(struct toml_reader *r, struct buf *out, str digits)
{
    uint32_t c = 0;

    for (size_t i = 0; i < digits.len; i++) {
        char d = digits.ptr[i];
        c = c << 4 | (uint32_t)(toml_is_digit((unsigned char)d) ? d - '0' : (d | 0x20) - 'a' + 10);
    }
    if (c > RUNE_MAX || (c >= 0xd800 && c < 0xe000))
        return TOML_FAIL(r, "Escaped character '\\u%.*s' is not valid UTF-8.", STR_ARG(digits));
    buf_rune(out, c);
    return true;
}

/* Replaces the escapes of a string that the scanner has accepted. */
static bool unescape(struct toml_reader *r, str s, str *out)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c != '\\') {
            buf_char(&b, c);
            continue;
        }
        c = s.ptr[++i];
        if (c == ' ' || c == '\t')
            return TOML_FAIL(r, "invalid escape: '\\%c'", c);
        if (c == 'u' || c == 'U') {
            size_t digits = c == 'u' ? 4 : 8;
            if (!add_code_point(r, &b, str_slice(s, i + 1, i + 1 + digits)))
                return false;
            i += digits;
        } else {
            buf_char(&b, to[strchr(from, c) - from]);
        }
    }
    *out = buf_str(&b);
    return true;
}

bool toml_string(struct toml_reader *r, uint32_t quote, str *out)
{
    size_t start = r->at;
    bool escapes = false;
    uint32_t c;

    for (;;) {
        if (!toml_next(r, &c))
            return false;
        if (c == TOML_EOF)
            return toml_fail_after(r, c, "unexpected EOF; expected %s",
                                   quote == '"' ? "'\"'" : "\"'\"");
        if (toml_is_newline(c))
            return toml_fail_line(r, r->line - 1, "strings cannot contain newlines");
        if (c == quote)
            break;
        if (c == '\\' && quote == '"') {
            escapes = true;
            if (!read_escape(r, start))
                return false;
        }
    }
    *out = str_slice(r->text, start, r->at - 1);
    return !escapes || unescape(r, *out, out);
}

/* Drops each backslash that ends a line, with the white space after it. */
static str join_lines(struct toml_reader *r, str s)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);
    size_t done = 0;

    for (size_t i = 0; i < s.len; i++) {
        size_t end = i + 1;
        bool newline = false;
        if (s.ptr[i] != '\\')
            continue;
        while (end < s.len && strchr(" \t\r\n", s.ptr[end]) && s.ptr[end])
            newline |= s.ptr[end++] == '\n';
        if (newline) {
            buf_add(&b, str_slice(s, done, i));
            done = end;
            i = end - 1;
        } else if (end == i + 1) {
            i++;
        }
    }
    buf_add(&b, str_from(s, done));
    return buf_str(&b);
}

static str without_first_newline(str s)
{
    return str_has_prefix(s, STR("\r\n")) ? str_from(s, 2) : str_without_prefix(s, STR("\n"));
}

/* Whether the text from start to here ends with more quotes than a string may. */
static bool too_many_quotes(const struct toml_reader *r, size_t start, uint32_t quote)
{
    str s = str_slice(r->text, start, r->at);

    if (quote == '\'')
        return str_has_suffix(s, STR("'''''"));
    return str_has_suffix(s, STR("\"\"\"\"\"")) && !str_has_suffix(s, STR("\\\"\"\"\"\""));
}

/*
 * One or two quotes belong to the string, even right before the three that end it. The first quote
 * has been read.
 */
static bool read_quotes(struct toml_reader *r, size_t start, uint32_t quote, bool *end)
{
    bool more;
    uint32_t c;
    size_t after_first = r->at;

    *end = false;
    if (!toml_accept(r, quote, &more))
        return false;
    if (more && !toml_accept(r, quote, &more))
        return false;
    if (!more) {
        r->at = after_first;
        return true;
    }
    if (!toml_peek(r, &c))
        return false;
    *end = c != quote;
    if (*end)
        return true;
    if (too_many_quotes(r, start, quote))
        return TOML_FAIL(r, "unexpected %s", quote == '"' ? "'\"\"\"\"\"\"'" : "\"''''''\"");
    r->at = after_first;
    return true;
}

/* Reads a string over several lines, whose three opening quotes have been read. */
static bool multiline_string(struct toml_reader *r, uint32_t quote, str *out)
{
    size_t start = r->at;
    bool end = false;
    uint32_t c;

    while (!end) {
        if (!toml_next(r, &c))
            return false;
        if (c == TOML_EOF)
            return toml_fail_after(r, c, "unexpected EOF; expected %s",
                                   quote == '"' ? "'\"\"\"'" : "\"'''\"");
        if (c == quote) {
            if (!read_quotes(r, start, quote, &end))
                return false;
        } else if (c == '\\' && quote == '"') {
            if (!toml_peek(r, &c))
                return false;
            if (toml_is_newline(c) ? !toml_next(r, &c) : !read_escape(r, start))
                return false;
        }
    }
    *out = without_first_newline(str_slice(r->text, start, r->at - 3));
    return quote == '\'' || unescape(r, join_lines(r, *out), out);
}

bool toml_string_value(struct toml_reader *r, uint32_t quote, struct value **out)
{
    str rest = str_from(r->text, r->at), text = STR_NONE;
    bool several = rest.len >= 2 && rest.ptr[0] == (char)quote && rest.ptr[1] == (char)quote;

    if (several)
        r->at += 2;
    if (several ? !multiline_string(r, quote, &text) : !toml_string(r, quote, &text))
        return false;
    *out = value_string(r->arena, text);
    return true;
}
