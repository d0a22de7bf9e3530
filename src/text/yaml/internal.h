/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the YAML files of this folder and private to it.
 *
 * Reading goes through stages, each of which only knows the one before:
 *
 *   input.c                bytes, checked as far as they have been looked at
 *   scan*.c                bytes to tokens: indentation, simple keys, scalars, tags
 *   parse.c                tokens to events: the grammar
 *   read.c                 events to a tree; scalar.c says what a plain scalar means
 *   fast.c                 all of this at once, for documents of the usual kind
 *   expand.c               only for trees with aliases, merges, odd or duplicate keys
 *
 * The scanner and the grammar are our own rather than libyaml's, because Go's port has diverged
 * since 2014: '?' and ':' in flow collections, escapes, byte order marks inside the text, limits,
 * and which of two errors is found first. All of this shows in messages and results that must be
 * the same.
 */
#pragma once

#include "text/yaml/scan_internal.h"

/* ---- Scalars: scalar.c. ---- */

/* What a node of an unfinished tree is; kept in value.tag, which is 0 in a finished one. */
enum {
    RAW_ALIAS = 1,     /* len is the number of the anchor */
    RAW_ANCHORED = 2,  /* the same; the node itself is kept with the anchor */
    RAW_BAD = 3,       /* text says why it cannot be decoded */
    RAW_INF = 4,       /* a float that JSON does not have: +Inf, -Inf or NaN */
    RAW_PAIRS = 5,     /* an object as a list of members and of keys each followed by its value */
    RAW_WHAT = 7,      /* mask of the above */
    RAW_KEY = 8,       /* in RAW_PAIRS: the key of the next node */
    RAW_MERGE = 16,    /* in RAW_PAIRS: the next node is merged; of a member: it was merged */
    RAW_KEY_SHIFT = 5, /* members: the upper bits are the enum ykey_kind of the key, for messages */
};

enum ykey_kind { YKEY_STRING, YKEY_NULL, YKEY_BOOL, YKEY_INT, YKEY_UINT, YKEY_FLOAT };

/* What the first character of a plain scalar promises. */
enum yaml_hint { YAML_HINT_TEXT, YAML_HINT_WORD, YAML_HINT_DOT, YAML_HINT_NUMBER };
extern const uint8_t yaml_hints[256];

/* Resolves the scalar of an event: kind and text of v, or RAW_BAD or RAW_INF in its tag. */
void yaml_resolve(struct arena *a, const struct yevent *event, bool yaml12, struct value *v);
/* Makes the string text the bool or null that it is a word for, if it is one: YAML_HINT_WORD. */
#define YAML_WORD_MAX 5 /* bytes */
void yaml_resolve_known_word(str text, bool yaml12, struct value *v);
static inline void yaml_resolve_word(str text, bool yaml12, struct value *v)
{
    if (text.len <= YAML_WORD_MAX)
        yaml_resolve_known_word(text, yaml12, v);
}
/*
 * Whether text that begins like a number ends with a letter that neither a number nor a date ends
 * with, as 30s and 128Mi do: it is a string then.
 */
static inline bool yaml_ends_as_text(str text)
{
    char last = (char)(text.ptr[text.len - 1] | 0x20);

    return last > 'f' && last < 'z';
}
/* Whether a plain scalar reads as something else than a string. */
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
/* Makes v the number that text is; text begins with a digit, a sign or a point. False: it is none.
 */
bool yaml_number(struct arena *a, str text, struct value *v);
/* The same for text that begins with a point. */
bool yaml_dotted_number(struct arena *a, str text, struct value *v);
/* Whether the text looks like a number of base 60, which other readers take for one. */
bool yaml_is_base60(str text);

/* ---- Unfinished trees: read.c and expand.c. ---- */

struct yanchor {
    struct value node;
    enum { ANCHOR_RAW, ANCHOR_BUSY, ANCHOR_DONE } state;
    bool object;                       /* what Go asks before a merge */
    uint64_t cost;                     /* nodes that Go decodes for it */
    uint64_t bytes;                    /* of texts and keys in it */
    uint32_t height;                   /* levels below it */
    size_t complaints, complaints_end; /* about what is in it: a part of those of the document */
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

/* What a message may show of something in the document: itself or "***", see enum quote_rule. */
str yaml_shown(const struct yreader *r, str text);
/* Makes root a finished tree, or fails as Go's decoding does. */
MUST_CHECK bool yaml_expand(struct yreader *r, struct value *root);
/* The kind of a scalar key to Go, where integers beyond 64 bits are floats. */
enum ykey_kind yaml_key_kind(const struct value *key);
/* The text of a key as sigs.k8s.io/yaml converts it. False when it does not: *out is unchanged. */
bool yaml_key_text(struct arena *a, const struct value *key, str *out);
/* Appends a value as Go's %#v: a scalar, or a tree whose members know the kinds of their keys. */
void yaml_go_syntax(struct buf *out, const struct value *v);
/* The same for the key of a member, as it was before it became a text. */
void yaml_go_key(struct buf *out, const struct value *member);

/* A part [from, to) of a source. */
struct ypart {
    const struct source *src;
    size_t from, to;
    /* Set to the start of the next document, which is looked for; NULL if not wanted. */
    size_t *next;
};

/* Reads the first document of a part. */
MUST_CHECK bool yaml_read_part(struct arena *a, const struct ypart *part,
                               const struct read_options *opts, struct value **out, struct err *e);

/*
 * The same for documents of the usual kind: false, and no more, when it is not certainly one. The
 * arena may hold what was begun.
 */
bool yaml_fast(struct arena *a, const struct ypart *part, const struct read_options *opts,
               struct value **out);
/* The same by the reader proper, for comparing the two. */
MUST_CHECK bool yaml_read_proper(struct arena *a, const struct ypart *part,
                                 const struct read_options *opts, struct value **out,
                                 struct err *e);

/* ---- Writing: emit.c. ---- */

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

/* ---- Writing: write.c. ---- */

/* A longer key may have more than 1024 characters in JSON. */
enum { YAML_LONG_KEY = 1024 / 6 };
/* Whether a text has characters that JSON writes as they are and YAML does not read so. */
bool yaml_is_odd_text(str s);
/* The members in the order of writing. */
struct value **yaml_sort_members(struct arena *a, const struct value *v, bool pretty);
