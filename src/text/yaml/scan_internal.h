/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_internal.h - bytes to tokens to events; included only by the YAML files of this folder.
 *
 * A struct yparse is started on a text and returns one event after another; it gets tokens from its
 * scanner, which gets validated bytes from the input. After an error it must not be called again:
 * struct yproblem says what went wrong. Everything lives in the two arenas of the call.
 */
#pragma once

#include "text/yaml/yaml.h"

/* As VEC_ADD, but without a call if there is room; in that case the new element is not zeroed. */
#define VEC_NEXT(a, v) (LIKELY((v)->len < (v)->cap) ? &(v)->items[(v)->len++] : VEC_ADD((a), (v)))

/* ---- Places and problems. ---- */

/* A position in the text: lines and columns count from 0, columns in characters, pos in bytes. */
struct ymark {
    uint32_t line, column, pos;
};

/*
 * Why reading stopped. Go's messages count lines from 1 for the scanner's problems but from 0 for
 * the grammar's, and omit the line if it is the first: see read.c.
 */
enum yproblem_kind { YPROBLEM_NONE, YPROBLEM_INPUT, YPROBLEM_SCAN, YPROBLEM_GRAMMAR };

struct yproblem {
    enum yproblem_kind kind;
    bool limit; /* one of our limits, or of Go's */
    const char *text;
    struct ymark at;
};

/* ---- Tokens. ---- */

enum ytoken_kind {
    YTOKEN_STREAM_END,
    YTOKEN_VERSION,       /* %YAML; value.len is major * 256 + minor */
    YTOKEN_TAG_DIRECTIVE, /* %TAG; value is the handle, suffix the prefix; empty: to be ignored */
    YTOKEN_DOC_START,
    YTOKEN_DOC_END,
    YTOKEN_BLOCK_SEQ,
    YTOKEN_BLOCK_MAP,
    YTOKEN_BLOCK_END,
    YTOKEN_FLOW_SEQ,
    YTOKEN_FLOW_SEQ_END,
    YTOKEN_FLOW_MAP,
    YTOKEN_FLOW_MAP_END,
    YTOKEN_BLOCK_ENTRY,
    YTOKEN_FLOW_ENTRY,
    YTOKEN_KEY,
    YTOKEN_VALUE,
    YTOKEN_ALIAS,
    YTOKEN_ANCHOR,
    YTOKEN_TAG, /* value is the handle, suffix the rest */
    YTOKEN_SCALAR,
};

struct ytoken {
    uint8_t kind; /* enum ytoken_kind */
    bool plain;   /* scalars: neither quoted nor a block */
    struct ymark start, end;
    str value, suffix;
};

/* The token at which a "key: value" may have begun before its colon is seen; one per flow level. */
struct ykey {
    bool possible, required;
    bool listed;   /* the queue waits for it */
    bool too_long; /* no longer possible because of its length */
    size_t token;  /* its number, counted from the first one in the text */
    struct ymark at;
};

/* ---- The scanner. ---- */

struct yscan {
    str text;
    struct arena *arena;   /* for texts that tokens carry */
    struct arena *scratch; /* for stacks and buffers */
    struct yproblem problem;

    /* input.c */
    struct ymark at;
    size_t window, checked, read;
    unsigned zeros;
    bool eof;
    bool marked;  /* there is a byte order mark at window */
    uint8_t past; /* 1 once the end has been reached in the middle of a line */

    /* scan.c */
    VEC(struct ytoken) tokens;
    size_t head, taken; /* tokens: the next one, and how many were taken before it */
    bool ready;         /* the next token is final: no key can be inserted before it any more */
    bool key_allowed, ended;
    VEC(struct ykey) keys;
    size_t first_key; /* the queue does not wait for keys below this level */
    bool long_key;    /* a key's colon did not come in time */
    bool lenient;     /* as in YAML 1.2: unknown directives and any version 1 are fine */
    VEC(int32_t) indents;
    int32_t indent;
    uint32_t flow;

    /* scan_scalar.c */
    struct buf built, breaks;
};

/* text must stay valid; tokens may point into it. */
void yscan_begin(struct yscan *s, struct arena *a, struct arena *scratch, str text);
/* The next token without taking it, or NULL after a problem. Valid until the next call. */
const struct ytoken *yscan_peek(struct yscan *s);
void yscan_take(struct yscan *s);

/* Records a problem at the current position. Always false. */
bool yscan_fail(struct yscan *s, const char *text);
/* The length of a character by its first byte, or 0. */
size_t yscan_width(uint8_t first);
/* Whether YAML allows the character in a text. */
bool yscan_is_allowed(uint32_t c);
/* Reads and checks more; use yscan_need. */
bool yscan_more(struct yscan *s, size_t chars);

/* Makes sure that the next n characters have been checked. False when they are not allowed. */
static inline bool yscan_need(struct yscan *s, size_t n)
{
    return LIKELY(s->checked - s->at.pos >= 4 * n) || yscan_more(s, n);
}
/* The byte k bytes ahead; 0 after the end (NUL itself is not allowed in the text). */
static inline uint8_t yscan_byte(const struct yscan *s, size_t k)
{
    size_t i = s->at.pos + k;

    return LIKELY(i < s->text.len) ? (uint8_t)s->text.ptr[i] : 0;
}
static inline bool yscan_is_blank(const struct yscan *s, size_t k)
{
    uint8_t c = yscan_byte(s, k);

    return c == ' ' || c == '\t';
}
/* NEL, LS and PS: the line breaks beyond ASCII. */
static inline bool yscan_is_wide_break(const struct yscan *s, size_t k)
{
    uint8_t c = yscan_byte(s, k);

    if (c == 0xC2)
        return yscan_byte(s, k + 1) == 0x85;
    return c == 0xE2 && yscan_byte(s, k + 1) == 0x80 && (yscan_byte(s, k + 2) & 0xFE) == 0xA8;
}
static inline bool yscan_is_break(const struct yscan *s, size_t k)
{
    uint8_t c = yscan_byte(s, k);

    return c == '\n' || c == '\r' || (UNLIKELY(c >= 0xC2) && yscan_is_wide_break(s, k));
}
/* The end or a line break. */
static inline bool yscan_is_breakz(const struct yscan *s, size_t k)
{
    return yscan_byte(s, k) == 0 || yscan_is_break(s, k);
}
/* The end, a line break, a blank or a tab. */
static inline bool yscan_is_blankz(const struct yscan *s, size_t k)
{
    return yscan_is_blank(s, k) || yscan_is_breakz(s, k);
}
/* Letters, digits, '_' and '-': what names of anchors, handles and directives consist of. */
static inline bool yscan_is_alpha(const struct yscan *s, size_t k)
{
    uint8_t c = yscan_byte(s, k);

    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' ||
           c == '-';
}
/* Whether there is a "---" or "..." here, on its own at the start of a line. */
bool yscan_at_document(const struct yscan *s, uint8_t c);
/* Moves past one character. */
void yscan_skip_wide(struct yscan *s);
static inline void yscan_skip(struct yscan *s)
{
    if (LIKELY(s->at.pos < s->text.len && (uint8_t)s->text.ptr[s->at.pos] < 0x80)) {
        s->at.column++;
        s->at.pos++;
    } else {
        yscan_skip_wide(s);
    }
}
/* Skips one line break (CR LF is one) and returns what it means: LF, LS or PS. */
str yscan_skip_break(struct yscan *s);
/* Moves past blanks and tabs; past a comment up to the end of its line. */
bool yscan_skip_blanks(struct yscan *s);
bool yscan_skip_comment(struct yscan *s);
/* Skips the rest of a line, which may contain only blanks and a comment, and its line break. */
MUST_CHECK bool yscan_line_end(struct yscan *s);
/* The current position, for tokens. */
static inline struct ymark yscan_mark(const struct yscan *s)
{
    struct ymark m = s->at;

    m.pos += s->past;
    return m;
}

/* The functions of the scanner that read one token; each fills t. */
bool yscan_block_scalar(struct yscan *s, struct ytoken *t);
bool yscan_quoted_scalar(struct yscan *s, struct ytoken *t);
bool yscan_plain_scalar(struct yscan *s, struct ytoken *t);
bool yscan_directive(struct yscan *s, struct ytoken *t);
bool yscan_anchor(struct yscan *s, struct ytoken *t);
bool yscan_tag(struct yscan *s, struct ytoken *t);

/* ---- Events. ---- */

enum yevent_kind {
    YEVENT_STREAM_END,
    YEVENT_DOC_START,
    YEVENT_DOC_END,
    YEVENT_ALIAS,
    YEVENT_SCALAR,
    YEVENT_SEQ,
    YEVENT_SEQ_END,
    YEVENT_MAP,
    YEVENT_MAP_END,
};

struct yevent {
    enum yevent_kind kind;
    bool implicit; /* scalars: plain without a tag, or with the tag "!" */
    struct ymark start;
    str anchor, tag; /* empty when there is none; the tag is spelled out */
    str value;
};

struct ytag_handle {
    str handle, prefix;
};

struct yparse {
    struct yscan scan;
    uint8_t state;
    VEC(uint8_t) states;
    VEC(struct ytag_handle) handles;
};

void yparse_begin(struct yparse *p, struct arena *a, struct arena *scratch, str text);
/* The next event. False after a problem, which is then in p->scan.problem. */
bool yparse_next(struct yparse *p, struct yevent *out);
