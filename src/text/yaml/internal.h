/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the YAML files of this folder and private to it.
 *
 * Reading goes through stages, each of which only knows the one before:
 *
 *   input.c                bytes, checked as they are read
 *   scan*.c                bytes to tokens: indentation, simple keys, scalars, tags
 *   parse.c                tokens to events: the grammar
 *   read.c                 events to a tree; scalar.c says what a plain scalar means
 *   fast.c                 all of this at once, for documents of the usual kind
 *   expand.c               only for trees with aliases, merges, odd or duplicate keys
 *
 * The scanner and the grammar are our own rather than libyaml's, because Go's port has diverged
 * since 2014: '?' and ':' in flow collections, escapes, byte order marks inside the text, limits,
 * and which of two errors is found first. All of this affects messages and results, which must be
 * the same.
 */
#pragma once

#include "text/yaml/scan_internal.h"

/* ---- Scalars: scalar.c. ---- */

/* Special kinds of nodes in an unfinished tree; kept in value.tag, which is 0 in a finished one. */
enum {
    RAW_ALIAS = 1,     /* len is the number of the anchor */
    RAW_ANCHORED = 2,  /* the same; the node itself is stored with the anchor */
    RAW_BAD = 3,       /* text is why it cannot be decoded */
    RAW_INF = 4,       /* a float that JSON lacks: +Inf, -Inf or NaN */
    RAW_PAIRS = 5,     /* an object as a list of members, and of keys each followed by its value */
    RAW_WHAT = 7,      /* mask of the above */
    RAW_KEY = 8,       /* in RAW_PAIRS: the key of the next node */
    RAW_MERGE = 16,    /* in RAW_PAIRS: the next node is to be merged; in a member: it was merged */
    RAW_KEY_SHIFT = 5, /* members: the upper bits are the enum ykey_kind of the key, for messages */
};

enum ykey_kind { YKEY_STRING, YKEY_NULL, YKEY_BOOL, YKEY_INT, YKEY_UINT, YKEY_FLOAT };

/* What a plain scalar may be, by its first character. */
enum yaml_hint { YAML_HINT_TEXT, YAML_HINT_WORD, YAML_HINT_DOT, YAML_HINT_NUMBER };
extern const uint8_t yaml_hints[256];

/* Resolves the scalar of an event: sets kind and text of v, or RAW_BAD or RAW_INF in its tag. */
void yaml_resolve(struct arena *a, const struct yevent *event, bool yaml12, struct value *v);
/* If text is a word for a bool or null (YAML_HINT_WORD), makes v that instead of a string. */
#define YAML_WORD_MAX 5 /* bytes */
void yaml_resolve_known_word(str text, bool yaml12, struct value *v);
static inline void yaml_resolve_word(str text, bool yaml12, struct value *v)
{
    if (text.len <= YAML_WORD_MAX)
        yaml_resolve_known_word(text, yaml12, v);
}
/*
 * Whether text that begins like a number ends with a letter that no number or date ends with, as in
 * 30s and 128Mi: then it is a string.
 */
static inline bool yaml_ends_as_text(str text)
{
    char last = (char)(text.ptr[text.len - 1] | 0x20);

    return last > 'f' && last < 'z';
}
/* Whether text, as a plain scalar, would be read as a string. */
bool yaml_reads_as_string(str text);

/* ---- Dates and numbers: number.c. ---- */

static inline void yaml_set_text(struct value *v, enum value_kind kind, str text)
{
    v->kind = (uint8_t)kind;
    v->text = text.ptr;
    v->len = (uint32_t)text.len;
}

/* 2001-02-03, with or without a time. */
bool yaml_is_date(struct arena *a, str text);
/*
 * Makes v a number if text is one; text begins with a digit, a sign or a point. False if it is not.
 */
bool yaml_number(struct arena *a, str text, struct value *v);
/* The same for text that begins with a point. */
bool yaml_dotted_number(struct arena *a, str text, struct value *v);
/* Whether the text looks like a base 60 number, which other readers would take it for. */
bool yaml_is_base60(str text);

/* ---- Unfinished trees: read.c and expand.c. ---- */

struct yanchor {
    struct value node;
    enum { ANCHOR_RAW, ANCHOR_BUSY, ANCHOR_DONE } state;
    bool object;                       /* what Go checks before a merge */
    uint64_t cost;                     /* nodes that Go decodes for it */
    uint64_t bytes;                    /* bytes of texts and keys in it */
    uint32_t height;                   /* levels below it */
    size_t complaints, complaints_end; /* about what is in it: a range of the document's warnings */
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
    bool odd_keys; /* a key that JSON lacks */
    bool infinite; /* a RAW_INF */
    struct err *e;
};

/* How a message may show something in the document: literally or as "***", see enum quote_rule. */
str yaml_shown(const struct yreader *r, str text);
/* Turns root into a finished tree, or fails as Go's decoding does. */
MUST_CHECK bool yaml_expand(struct yreader *r, struct value *root);
/* The kind of a scalar key in Go, where integers beyond 64 bits are floats. */
enum ykey_kind yaml_key_kind(const struct value *key);
/*
 * The text of a key as converted by sigs.k8s.io/yaml. False if it is not converted: *out is
 * unchanged.
 */
bool yaml_key_text(struct arena *a, const struct value *key, str *out);
/* Appends a value as Go's %#v: a scalar, or a tree whose members know the kinds of their keys. */
void yaml_go_syntax(struct buf *out, const struct value *v);
/* The same for the key of a member, as it was before it was converted to text. */
void yaml_go_key(struct buf *out, const struct value *member);

/* A part [from, to) of a source. */
struct ypart {
    const struct source *src;
    size_t from, to;
    /* Set to the start of the next document; NULL if not wanted. */
    size_t *next;
};

/* Reads the first document of a part. */
MUST_CHECK bool yaml_read_part(struct arena *a, const struct ypart *part,
                               const struct read_options *opts, struct value **out, struct err *e);

/*
 * The same for documents of the usual kind: just false when it may not be one. The arena may
 * contain a partial result.
 */
bool yaml_fast(struct arena *a, const struct ypart *part, const struct read_options *opts,
               struct value **out);
/* The same with the full reader, for comparing the two. */
MUST_CHECK bool yaml_read_proper(struct arena *a, const struct ypart *part,
                                 const struct read_options *opts, struct value **out,
                                 struct err *e);

/* ---- Writing: emit.c. ---- */

struct yemit {
    struct buf *out;
    bool pretty; /* as version 3 of Go's library: lines are not folded, blocks may contain tabs */
    size_t column;
    int32_t indent;
    bool whitespace; /* the last character allows an indicator or a scalar to follow */
    bool indention;  /* only indentation and indicators so far in this line */
};

/* The requested style of a scalar, which is used if it is possible. */
enum ystyle { YSTYLE_PLAIN, YSTYLE_SINGLE, YSTYLE_DOUBLE, YSTYLE_LITERAL };

struct yscalar {
    str text;
    enum ystyle style;
    bool multiline, plain_ok, single_ok, block_ok;
};

/* Scans text once and records which styles can represent it. */
void yemit_analyze(const struct yemit *m, struct yscalar *scalar, str text);
/* Writes a scalar; key: on one line, before a colon. */
void yemit_scalar(struct yemit *m, const struct yscalar *scalar, bool key);
/* Whether a text is but letters, digits, '-' and the like, of which the first is a letter. */
bool yemit_is_word(str text);
/* The same as yemit_scalar does for such a text, or a number, in plain style. */
void yemit_word(struct yemit *m, str text);
/* An indicator such as '-' or ':'. */
void yemit_indicator(struct yemit *m, char c, bool need_space, bool whitespace, bool indention);
/* Goes to the indentation of the current level, on a new line unless already there. */
void yemit_indent(struct yemit *m);

/* ---- Writing: write.c. ---- */

/* Longer keys may have more than 1024 characters in JSON. */
enum { YAML_LONG_KEY = 1024 / 6 };
/* Whether a text has characters that JSON writes unescaped and YAML would read differently. */
bool yaml_is_odd_text(str s);
/* The members in the order in which they are written. */
struct value **yaml_sort_members(struct arena *a, const struct value *v, bool pretty);
