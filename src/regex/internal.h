/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of regex/ and private to them. Its functions start with rx_ to
 * avoid name clashes.
 *
 * A pattern becomes a tree (parse.c, with class.c for [...] and escapes, tree.c for nodes and
 * limits, factor.c for alternations), loses its counted repetitions (simplify.c) and becomes a
 * program of a few instructions (compile.c). Two machines run it with the same results: pike.c,
 * which goes over the text once with all possibilities in step, and backtrack.c, which is faster on
 * short texts and remembers where it has been.
 *
 * The tree is shaped exactly as Go shapes it, because limits and the rare oddities of matching
 * depend on the shape.
 */
#pragma once

#include "base/base.h"
#include "base/unicode.h"
#include "regex/regex.h"

/* ---- Sets of code points: ranges.c ---- */

/* Ranges, in any order until ranges_clean has sorted and joined them. */
struct ranges {
    struct unicode_range *items;
    size_t len, cap;
};

void rx_ranges_add(struct arena *a, struct ranges *r, uint32_t lo, uint32_t hi);
/* Also adds everything that matches case-insensitively. */
void rx_ranges_add_folded(struct arena *a, struct ranges *r, uint32_t lo, uint32_t hi);
/* Adds a clean set, or everything outside it if negated. */
void rx_ranges_add_set(struct arena *a, struct ranges *r, struct unicode_set set, bool negated);
/* The set and everything that matches it case-insensitively, clean. */
struct ranges rx_ranges_fold_set(struct arena *a, struct unicode_set set);
void rx_ranges_clean(struct ranges *r);
/* The complement of a clean r. */
void rx_ranges_negate(struct arena *a, struct ranges *r);
static inline struct unicode_set rx_ranges_set(const struct ranges *r)
{
    return (struct unicode_set){r->items, r->len};
}

/* ---- The tree ---- */

/* The order matters: of two sets of characters, the earlier kind is merged into the later one. */
enum node_op {
    NODE_EMPTY,      /* matches nothing, everywhere */
    NODE_LITERAL,    /* runes */
    NODE_CLASS,      /* ranges */
    NODE_ANY_NOT_NL, /* . */
    NODE_ANY,        /* (?s). */
    NODE_BEGIN_LINE,
    NODE_END_LINE,
    NODE_BEGIN_TEXT,
    NODE_END_TEXT,
    NODE_WORD_BOUNDARY,
    NODE_NO_WORD_BOUNDARY,
    NODE_CAPTURE,
    NODE_STAR,
    NODE_PLUS,
    NODE_QUEST,
    NODE_REPEAT, /* min to max times; max -1 is unlimited */
    NODE_CONCAT,
    NODE_ALTERNATE,
    NODE_PSEUDO, /* from here on: only on the stack of the parser */
    NODE_LEFT_PAREN = NODE_PSEUDO,
    NODE_VERTICAL_BAR,
};

enum node_flags {
    FLAG_FOLD = 1,       /* i */
    FLAG_DOT_NL = 2,     /* s */
    FLAG_ONE_LINE = 4,   /* without m */
    FLAG_NON_GREEDY = 8, /* U, or ? after a repetition */
};

struct node {
    uint8_t op, flags;
    uint8_t nullable; /* compile.c: 0 unknown, 1 no, 2 yes */
    int16_t min, max;
    uint32_t capture;  /* NODE_CAPTURE, NODE_LEFT_PAREN; 0 when it only groups */
    uint32_t class_id; /* compile.c: number of its class plus 1 */
    uint32_t height;   /* 0 when not known */
    int64_t size;      /* 0 when not known */
    VEC(uint32_t) runes;
    struct ranges ranges;
    struct node **subs;
    size_t sub_count;
    struct node *next_free;
};

/* ---- The parser ---- */

struct folded_set; /* class.c */

struct parser {
    struct arena *arena; /* for the tree; freed after compiling */
    str whole, rest;
    str last_repeat; /* from the repetition just before rest to the end; empty when there is none */
    uint8_t flags;
    VEC(struct node *) stack;
    VEC(str) names; /* of the groups, in order */
    struct node *free;
    struct folded_set *folded; /* sets that have been folded already */
    int64_t nodes, runes, repeats;
    bool sizes_known, heights_known;
    bool no_posix; /* there is no ":]" in the rest: do not search it again and again */
    /* The first error; parsing goes on to a point where stopping is easy. */
    const char *fault;
    str fault_at;
};

/* Parses pattern; the tree lives in p->arena. Fills e with Go's text on failure. */
MUST_CHECK bool rx_parse(struct parser *p, str pattern, struct node **out, struct err *e);

/* Records an error, unless there is one already. Always false. */
bool rx_parser_fail(struct parser *p, const char *fault, str at);
/*
 * Takes the first code point off *rest; at the end, U+FFFD. False for invalid UTF-8, which is
 * recorded as an error.
 */
bool rx_parser_next(struct parser *p, str *rest, uint32_t *r);

/* tree.c: nodes, the stack, and the limits. */
struct node *rx_node_new(struct parser *p, enum node_op op);
/* Releases a node for reuse by the next node_new. */
void rx_node_reuse(struct parser *p, struct node *n);
/* One literal code point, one class, or any: what a set of characters can hold. */
bool rx_node_is_class(const struct node *n);
void rx_node_clean(struct node *n);
/* Makes into match also what from matches; from must not be of a later kind. */
void rx_node_merge(struct parser *p, struct node *into, const struct node *from);
struct node *rx_stack_top(const struct parser *p, size_t depth);
void rx_stack_push(struct parser *p, struct node *n);
struct node *rx_stack_push_op(struct parser *p, enum node_op op);
void rx_stack_push_literal(struct parser *p, uint32_t r);
/* Joins the top two nodes if both are literals. */
void rx_stack_join_literals(struct parser *p);
/* Records an error when n is too large or too high. */
void rx_limits_check(struct parser *p, struct node *n);
/* Whether nested repetitions make at most n copies. */
bool rx_limits_repeat_ok(const struct node *n, int copies);

/* factor.c: a concatenation or alternation of subs, flattened; prefixes in common are shared. */
struct node *rx_node_collapse(struct parser *p, struct node **subs, size_t count, enum node_op op);

/* class.c: [...], \d, \pL and escapes, at the start of p->rest. */
bool rx_class_parse_bracket(struct parser *p);
enum class_result { CLASS_NONE, CLASS_FOUND, CLASS_FAILED };
/* Adds \pL or \d at the start of *rest to r and takes it off. */
enum class_result rx_class_parse_unicode(struct parser *p, str *rest, struct ranges *r);
enum class_result rx_class_parse_perl(struct parser *p, str *rest, struct ranges *r);
bool rx_class_parse_escape(struct parser *p, str *rest, uint32_t *r);

/* ---- The program ---- */

enum inst_op {
    INST_FAIL,
    INST_MATCH,
    INST_ALT,     /* out first, then arg */
    INST_CAPTURE, /* arg: number of the position to remember */
    INST_EMPTY,   /* arg: a kind of NODE_BEGIN_LINE ... NODE_NO_WORD_BOUNDARY */
    INST_RUNE,    /* arg: the code point */
    INST_CLASS,   /* arg: number of the class */
    INST_ANY,
    INST_ANY_NOT_NL,
};

struct inst {
    uint32_t op, out, arg;
};

struct class
{
    uint64_t ascii[2]; /* one bit for each of the first 128 */
    struct unicode_set set;
};

struct regex {
    str pattern;
    struct inst *insts; /* 0 is INST_FAIL, 1 is INST_MATCH */
    size_t inst_count;
    const struct class *classes;
    const str *names;
    size_t groups;
    uint32_t start;
    bool anchored;   /* every match begins at the start of the text */
    bool can_skip;   /* every match begins with a byte of first */
    bool first[256]; /* all of 0x80 and above, or none */
    str prefix;      /* every match begins with this */
    uint64_t *left;  /* the remaining budget for searching, or NULL: see regex_limit */
};

/* simplify.c: the same without NODE_REPEAT. Parts of the result are shared. */
struct node *rx_node_simplify(struct arena *a, struct node *n);
/* compile.c: the program for a tree, in a. */
void rx_emit(struct arena *a, struct regex *re, struct node *root);

/* ---- The machines ---- */

struct search;
/* Charges the steps since the last call to the limit; false when it is used up. */
bool rx_pay(struct search *s);

static inline bool rx_class_has(const struct class *c, uint32_t r)
{
    if (r < 128)
        return c->ascii[r / 64] >> (r % 64) & 1;
    size_t low = 0, high = c->set.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r > c->set.ranges[middle].hi)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->set.count && r >= c->set.ranges[low].lo;
}

/* The code point at pos, which is before the end: most are ASCII, and need no call. */
static inline uint32_t rx_decode(str text, size_t pos, size_t *width)
{
    unsigned char c = (unsigned char)text.ptr[pos];

    if (c < 0x80) {
        *width = 1;
        return c;
    }
    return utf8_decode((str){text.ptr + pos, text.len - pos}, width);
}

/* Whether inst, which takes a code point, matches r. */
static inline bool rx_inst_takes(const struct regex *re, const struct inst *inst, uint32_t r)
{
    switch (inst->op) {
    case INST_RUNE:
        return inst->arg == r;
    case INST_CLASS:
        return rx_class_has(&re->classes[inst->arg], r);
    case INST_ANY_NOT_NL:
        return r != '\n';
    default:
        return true;
    }
}

/* Whether the condition of an INST_EMPTY holds before byte pos. */
bool rx_condition_holds(str text, size_t pos, uint32_t condition);
/* The first place at or after pos where a match could begin, or STR_NPOS. */
size_t rx_skip(const struct regex *re, str text, size_t pos);

/*
 * One search, or several over the same text. slots are the positions to find: slots[2i] and
 * slots[2i+1] are the ends of group i, and slot_count may be 0.
 */
struct search {
    const struct regex *re;
    str text;
    struct arena *arena; /* for the machine; NULL: made when needed, see rx_arena */
    size_t *slots;
    size_t slot_count;
    uint64_t steps; /* instructions visited */
    uint64_t paid;  /* how many of these have been charged to the limit */
    struct pike *pike;
    struct backtrack *backtrack;
    struct backtrack_room *room; /* for short texts; NULL: none */
};

/* The arena of a search. Who gave it none frees it afterwards. */
static inline struct arena *rx_arena(struct search *s)
{
    if (!s->arena)
        s->arena = arena_new();
    return s->arena;
}

/* A job of the backtracker: go on at pc and pos; or, with pc 0, restore pos into a slot. */
struct job {
    uint32_t pc, slot;
    size_t pos;
};

/*
 * The bits of one position are adjacent. A later search over the same text starts further on and
 * clears only what earlier ones touched from there on, so that finding all matches stays linear.
 */
struct backtrack {
    uint64_t *tried;
    size_t base;    /* the position of the first bits */
    size_t touched; /* the position after the last that has bits set */
    VEC(struct job) jobs;
};

/* What backtracking through most texts takes: on the stack, where it costs nothing. */
struct backtrack_room {
    struct backtrack state;
    uint64_t tried[32];
    struct job jobs[16];
};

enum search_engine { SEARCH_BEST, SEARCH_PIKE, SEARCH_BACKTRACK };
/* Finds the first match at or after byte from. */
bool rx_search_run(struct search *s, size_t from, enum search_engine engine);

bool rx_pike_run(struct search *s, size_t from);
/* Whether the text is short enough for the program. */
bool rx_backtrack_fits(const struct search *s, size_t from);
bool rx_backtrack_run(struct search *s, size_t from);
