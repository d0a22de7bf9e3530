/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of the TOML reader.
 *
 * scan.c reads characters and strings, number.c numbers and dates; read.c reads keys, tables and
 * lists, and builds the tree. An error is reported with the line where BurntSushi's lexer is when
 * it detects it, which is not always the line a person would name: hence the various functions that
 * fail.
 */
#pragma once

#include "text/toml/toml.h"

/* Bits of a node's tag while reading; the lower ones are enum toml_kind. */
enum {
    TOML_KIND_MASK = 0x0f,
    TOML_IMPLICIT = 0x80, /* a table that only appears in longer keys so far */
    TOML_ARRAY = 0x40,    /* the key held a list: it may be set again */
};

/* The end of the text, as a character: NUL itself is never allowed. */
#define TOML_EOF 0

struct toml_reader {
    struct arena *arena;
    struct err *e;
    str text;
    size_t at;
    int64_t line;
    struct value *root;
    VEC(str) context; /* the keys of the table that is being filled */
    str key;          /* the last one, empty between items */
    int64_t key_line;
    unsigned depth; /* of lists and inline tables */
};

/* ---- Failing. All are false. ---- */

/* At a line: "toml: line 3 (last key "a.b"): text". */
bool toml_fail_line(struct toml_reader *r, int64_t line, const char *format, ...) FORMAT(3, 4);
#define TOML_FAIL(r, ...) toml_fail_line((r), (r)->line, __VA_ARGS__)
bool toml_fail_str(struct toml_reader *r, int64_t line, str text);
/* The message is before, the character itself, and a quote. */
bool toml_fail_shown(struct toml_reader *r, int64_t line, const char *before, uint32_t c);
/* After the character c was read: at the end of the text, a final line break does not count. */
bool toml_fail_after(struct toml_reader *r, uint32_t c, const char *format, ...) FORMAT(3, 4);
/* The character as messages quote it: 'x' or '\n'. Lives as long as the reader's arena. */
const char *toml_quote(struct toml_reader *r, uint32_t c);
const char *toml_quote_str(struct toml_reader *r, str s);

/* Appends a key of several parts, quoted where necessary: a."b c". In write.c. */
void toml_write_key(struct buf *out, const str *parts, size_t count);

/* ---- Characters. All fail on bytes that are not UTF-8 and on control characters. ---- */

/* The next character, or TOML_EOF. */
MUST_CHECK bool toml_peek(struct toml_reader *r, uint32_t *c);
/* The same, and moves past it. */
MUST_CHECK bool toml_next(struct toml_reader *r, uint32_t *c);
/* Moves past the next character if it is the wanted one. */
MUST_CHECK bool toml_accept(struct toml_reader *r, uint32_t wanted, bool *accepted);
MUST_CHECK bool toml_skip_blanks(struct toml_reader *r);
/* The rest of a line, after its '#'. */
MUST_CHECK bool toml_comment(struct toml_reader *r);
static inline bool toml_is_blank(uint32_t c)
{
    return c == ' ' || c == '\t';
}
static inline bool toml_is_newline(uint32_t c)
{
    return c == '\n' || c == '\r';
}
bool toml_is_bare(uint32_t c);
static inline bool toml_is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}
static inline bool toml_is_hex(uint32_t c)
{
    return toml_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* ---- Scalars. ---- */

/* The text of a string on one line, whose opening quote has been read. */
MUST_CHECK bool toml_string(struct toml_reader *r, uint32_t quote, str *out);
/* The same as a value; also over several lines. */
MUST_CHECK bool toml_string_value(struct toml_reader *r, uint32_t quote, struct value **out);
/* Any scalar whose first character c has been read. */
MUST_CHECK bool toml_scalar(struct toml_reader *r, uint32_t c, struct value **out);
