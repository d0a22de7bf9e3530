/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_internal.h - what the YAML files of this folder share; nobody else includes it.
 *
 * Reading goes through four stages, each of which only knows the one before:
 *
 *   yaml_input.c                bytes, checked as far as they have been looked at
 *   yaml_scan*.c                bytes to tokens: indentation, simple keys, scalars, tags
 *   yaml_parse.c                tokens to events: the grammar
 *   yaml_read.c                 events to a tree; yaml_scalar.c says what a plain scalar means
 *   yaml_expand.c               only for trees with aliases, merges, odd or duplicate keys
 *
 * The scanner and the grammar are our own and not libyaml's, because Go's copy of that library has
 * gone its own way since 2014: '?' and ':' in flow collections, escapes, byte order marks inside
 * the text, limits, and which of two errors is found first. All of this shows in messages and
 * results that must be the same.
 */
#pragma once

#include "text/yaml.h"

/* As VEC_ADD, without a call where there is room; the new element is not zeroed then. */
#define VEC_NEXT(a, v) (LIKELY((v)->len < (v)->cap) ? &(v)->items[(v)->len++] : VEC_ADD((a), (v)))

/* ---- Places and problems. ---- */

/* A place in the text: lines and columns count from 0, columns in characters, pos in bytes. */
struct ymark {
    uint32_t line, column, pos;
};

/*
 * Why reading stopped. Go's messages name the line of a scanner's problem counted from 1 but that
 * of the grammar's counted from 0, and no line at all when it is the first: see yaml_problem_set.
 */
enum yproblem_kind { YPROBLEM_NONE, YPROBLEM_INPUT, YPROBLEM_SCAN, YPROBLEM_GRAMMAR };

struct yproblem {
    enum yproblem_kind kind;
    bool limit; /* one of our limits, or Go's */
    const char *text;
    struct ymark at;
};

/* ---- Tokens. ---- */

enum ytoken_kind {
    YTOKEN_STREAM_END,
    YTOKEN_VERSION,       /* %YAML; value.len is major * 256 + minor */
    YTOKEN_TAG_DIRECTIVE, /* %TAG; value is the handle, suffix the prefix */
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
    bool listed;  /* the queue waits for it */
    size_t token; /* its number, counted from the first of the text */
    struct ymark at;
};

/* ---- The scanner. ---- */

struct yscan {
    str text;
    struct arena *arena;   /* for texts that tokens carry */
    struct arena *scratch; /* for stacks and buffers */
    struct yproblem problem;

    /* yaml_input.c */
    struct ymark at;
    size_t window, checked, read;
    unsigned zeros;
    bool eof;
    bool marked;  /* a byte order mark stands at window */
    uint8_t past; /* 1 once the end was reached in the middle of a line */

    /* yaml_scan.c */
    VEC(struct ytoken) tokens;
    size_t head, taken; /* of tokens: the next one, and how many were taken before it */
    bool ready;         /* the next token is certain: no key can be inserted before it any more */
    bool key_allowed, ended;
    VEC(struct ykey) keys;
    size_t first_key; /* the queue waits for no key below this level */
    VEC(int32_t) indents;
    int32_t indent;
    uint32_t flow;

    /* yaml_scan_scalar.c */
    struct buf built, breaks;
};

/* text must stay; tokens may point into it. */
void yscan_begin(struct yscan *s, struct arena *a, struct arena *scratch, str text);
/* The next token without taking it, or NULL after a problem. Valid until the next call. */
const struct ytoken *yscan_peek(struct yscan *s);
void yscan_take(struct yscan *s);

/* Notes a problem at the current place. Always false. */
bool yscan_fail(struct yscan *s, const char *text);
/* Whether YAML allows the character in a text. */
bool yscan_is_allowed(uint32_t c);
/* Reads and checks more; use yscan_need. */
bool yscan_more(struct yscan *s, size_t chars);

/* Makes sure that the next n characters have been checked. False when they are not allowed. */
static inline bool yscan_need(struct yscan *s, size_t n)
{
    return LIKELY(s->checked - s->at.pos >= 4 * n) || yscan_more(s, n);
}
/* The byte k bytes ahead; 0 behind the end (NUL itself is not allowed in the text). */
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
/* Whether "---" or "..." stands here, at the beginning of a line and alone. */
bool yscan_at_document(const struct yscan *s, char c);
/* Moves over one character. */
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
/* Moves over one line break, CR LF being one, and tells what it means: LF, LS or PS. */
str yscan_skip_break(struct yscan *s);
/* Moves over blanks and tabs; over a comment up to the end of its line. */
bool yscan_skip_blanks(struct yscan *s);
bool yscan_skip_comment(struct yscan *s);
/* The current place, for tokens. */
static inline struct ymark yscan_mark(const struct yscan *s)
{
    struct ymark m = s->at;

    m.pos += s->past;
    return m;
}

/* The parts of the scanner that read one token; each fills t. */
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

/* ---- Scalars: yaml_scalar.c. ---- */

/* What a node of an unfinished tree is; kept in value.tag, which is 0 in a finished one. */
enum {
    RAW_ALIAS = 1,     /* len is the number of the anchor */
    RAW_ANCHORED = 2,  /* the same; the node itself is kept with the anchor */
    RAW_BAD = 3,       /* text says why it cannot be decoded */
    RAW_INF = 4,       /* a float that JSON does not have: +Inf, -Inf or NaN */
    RAW_PAIRS = 5,     /* an object as a list of members and of keys each followed by its value */
    RAW_WHAT = 7,      /* mask of the above */
    RAW_KEY = 8,       /* in RAW_PAIRS: the key of the next node */
    RAW_MERGE = 16,    /* in RAW_PAIRS: the next node is merged */
    RAW_KEY_SHIFT = 5, /* members: the upper bits are the enum ykey_kind of the key, for messages */
};

enum ykey_kind { YKEY_STRING, YKEY_NULL, YKEY_BOOL, YKEY_INT, YKEY_UINT, YKEY_FLOAT };

/* Resolves the scalar of an event: kind and text of v, or RAW_BAD or RAW_INF in its tag. */
void yaml_resolve(struct arena *a, const struct yevent *event, struct value *v);
/* Whether a plain scalar reads as something else than a string. */
bool yaml_reads_as_string(str text);
/* Whether the text looks like a number of base 60, which other readers take for one. */
bool yaml_is_base60(str text);

/* ---- Unfinished trees: yaml_read.c and yaml_expand.c. ---- */

struct yanchor {
    struct value node;
    enum { ANCHOR_RAW, ANCHOR_BUSY, ANCHOR_DONE } state;
    bool object;     /* what Go asks before a merge */
    uint64_t cost;   /* nodes that Go decodes for it */
    uint32_t height; /* levels below it */
    str name;
};

struct yreader {
    struct arena *arena, *scratch;
    const struct source *src;
    const struct read_options *opts;
    size_t base; /* where the document begins in the source */
    str text;    /* the document */
    VEC(struct yanchor) anchors;
    bool special;  /* something needs yaml_expand */
    bool odd_keys; /* a key that JSON does not have */
    bool infinite; /* a RAW_INF */
    struct err *e;
};

/* Makes root a finished tree, or fails as Go's decoding does. */
MUST_CHECK bool yaml_expand(struct yreader *r, struct value *root);
/* The kind of a scalar key to Go, where integers beyond 64 bits are floats. */
enum ykey_kind yaml_key_kind(const struct value *key);
/* The text of a key as sigs.k8s.io/yaml converts it. False when it does not: *out is unchanged. */
bool yaml_key_text(struct arena *a, const struct value *key, str *out);
/* Appends a value as Go's %#v: a scalar, or a tree whose members know the kinds of their keys. */
void yaml_go_syntax(struct buf *out, const struct value *v);

/* Reads one document: the first of the part [from, to) of the source. */
MUST_CHECK bool yaml_read_part(struct arena *a, const struct source *src, size_t from, size_t to,
                               const struct read_options *opts, struct value **out, struct err *e);

/* Fills e with a problem as Go words it, at its place in src. Always false. */
bool yaml_problem_set(struct err *e, const struct yproblem *problem, const struct source *src,
                      size_t base);

/* ---- Writing: yaml_emit.c. ---- */

struct yemit {
    struct buf *out;
    bool pretty; /* as version 3 of Go's library: lines are not folded, tabs may stand in blocks */
    size_t column;
    int32_t indent;
    bool whitespace; /* the last character allows an indicator or a scalar to follow */
    bool indention;  /* only indentation and indicators so far in this line */
};

/* The way a scalar is asked to be written; what is possible decides. */
enum ystyle { YSTYLE_PLAIN, YSTYLE_SINGLE, YSTYLE_DOUBLE, YSTYLE_LITERAL };

struct yscalar {
    str text;
    enum ystyle style;
    bool multiline, plain_ok, single_ok, block_ok;
};

/* Looks at text once and notes which styles can hold it. */
void yemit_analyze(const struct yemit *m, struct yscalar *scalar, str text);
/* Writes a scalar; key: on one line, before a colon. */
void yemit_scalar(struct yemit *m, const struct yscalar *scalar, bool key);
/* An indicator such as '-' or ':'. */
void yemit_indicator(struct yemit *m, str text, bool need_space, bool whitespace, bool indention);
/* Goes to the indentation of the current level, on a new line unless already there. */
void yemit_indent(struct yemit *m);
