/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - the one tree for JSON and YAML data.
 *
 * Everything plumb reads, compares and writes is a struct value: Kubernetes objects, ARM bodies,
 * references, options files. Trees are untyped, so unknown members are never lost.
 *
 * - A number is its text, in JSON's spelling: integers of any size and decimals are exact. Rounding
 *   to Go's int64 and float64 happens only where it is asked for (number.h).
 * - A node holds its own key, so that members of an object and elements of a list are both plain
 *   arrays of nodes: v->items[i]. Objects keep insertion order; for key order see
 *   value_sorted.
 * - A node that was read knows its offset in the text (pos - 1; 0 when it was built). Together with
 *   the struct source of its document that gives file, line and column: source_where in source.h.
 * - Text is not copied on the way in: keys and strings must live as long as the arena of the tree.
 *
 * A node is 32 bytes. Trees are built by one thread; once published they never change and may be
 * read from any thread. Pointers to nodes inside a list or object are valid until something is
 * added to or removed from that list or object.
 */
#pragma once

#include "base/base.h"

enum value_kind {
    VALUE_NULL,
    VALUE_BOOL,
    VALUE_INT,   /* text: -?(0|[1-9][0-9]*) */
    VALUE_FLOAT, /* text: a JSON number with a point or an exponent */
    VALUE_STRING,
    VALUE_LIST,
    VALUE_OBJECT,
};

/* The deepest nesting that readers accept and that recursion over trees can rely on. */
#define VALUE_DEPTH_MAX 10000

struct value {
    uint8_t kind;     /* enum value_kind */
    uint8_t room;     /* containers: log2 of the capacity, 0 when the block fits exactly */
    uint8_t indexed;  /* objects: a hash index precedes the items */
    uint8_t tag;      /* free for the owner of the tree; copied along, never compared */
    uint32_t pos;     /* offset in the source + 1, or 0 */
    uint32_t len;     /* bytes of text, or number of items */
    uint32_t key_len; /* of the key, when this node is a member */
    const char *key;
    union {
        bool truth;          /* VALUE_BOOL */
        const char *text;    /* VALUE_INT, VALUE_FLOAT, VALUE_STRING */
        struct value *items; /* VALUE_LIST, VALUE_OBJECT */
    };
};

/* ---- Reading. All of these accept NULL for "nothing there". ---- */

static inline bool value_is(const struct value *v, enum value_kind kind)
{
    return v && v->kind == kind;
}
static inline bool value_is_number(const struct value *v)
{
    return v && (v->kind == VALUE_INT || v->kind == VALUE_FLOAT);
}
static inline bool value_is_container(const struct value *v)
{
    return v && v->kind >= VALUE_LIST;
}
static inline bool value_is_true(const struct value *v)
{
    return value_is(v, VALUE_BOOL) && v->truth;
}
/* The number of items of a list or object, else 0. */
static inline size_t value_len(const struct value *v)
{
    return value_is_container(v) ? v->len : 0;
}
/* The key under which v is a member; empty for elements and roots. */
static inline str value_key(const struct value *v)
{
    return v ? (str){v->key, v->key_len} : STR_NONE;
}
/* The text of a string or the spelling of a number, else empty. */
str value_text(const struct value *v);
/* The text of a string, else empty. */
str value_str(const struct value *v);
/* The member key of an object, else NULL. */
struct value *value_get(const struct value *object, str key);
/* The text of the string member key, else empty. */
str value_get_str(const struct value *object, str key);
/* The element i of a list, else NULL. */
struct value *value_at(const struct value *list, size_t i);
/* The value of an integer (or of a float without fraction) that fits. */
MUST_CHECK bool value_to_i64(const struct value *v, int64_t *out);
/* The members of an object ordered bytewise by key, count = value_len. Lives as long as a. */
struct value **value_sorted(struct arena *a, const struct value *object);
/* "null", "bool", "integer", "float", "string", "list", "object". */
const char *value_kind_name(enum value_kind kind);

/*
 * Calls fn for v and everything below, parents first; fn returns whether to go deeper. depth is 0
 * for v.
 */
typedef bool value_walk_fn(void *ctx, struct value *v, size_t depth);
void value_walk(struct value *v, value_walk_fn *fn, void *ctx);

/* ---- Building. Texts are not copied; nodes are copied shallowly, without their key. ---- */

struct value *value_null(struct arena *a);
struct value *value_bool(struct arena *a, bool b);
struct value *value_int(struct arena *a, int64_t i);
struct value *value_uint(struct arena *a, uint64_t u);
/* The shortest text that reads back as d. Infinities and NaN have none: asserted. */
struct value *value_float(struct arena *a, double d);
/* A number from its JSON text, which must be valid (number_is_valid). */
struct value *value_number(struct arena *a, str text);
struct value *value_string(struct arena *a, str text);
struct value *value_list(struct arena *a);
struct value *value_object(struct arena *a);

/* Appends; returns the new element. */
struct value *value_add(struct arena *a, struct value *list, const struct value *item);
/* Inserts before element i (i = len appends). */
struct value *value_insert(struct arena *a, struct value *list, size_t i, const struct value *item);
/*
 * Removes element or member i, keeping the order of the rest; costs a pass over all of them. For
 * more than a few: value_remove_if.
 */
void value_remove(struct value *list, size_t i);
/* Removes in one pass all elements or members for which drop returns true. Returns how many. */
typedef bool value_test_fn(void *ctx, const struct value *item);
size_t value_remove_if(struct value *v, value_test_fn *drop, void *ctx);
/* Sets a member: replaces it in its place, or appends it. Returns the member. */
struct value *value_set(struct arena *a, struct value *object, str key, const struct value *item);
/* Shorthands for the most frequent members. */
struct value *value_set_str(struct arena *a, struct value *object, str key, str text);
struct value *value_set_int(struct arena *a, struct value *object, str key, int64_t i);
struct value *value_set_bool(struct arena *a, struct value *object, str key, bool b);
/* Removes a member, keeping the order of the rest. False when there is none. */
bool value_unset(struct value *object, str key);
/*
 * For readers: makes v a list or object of n finished nodes (keys included), copied to a block that
 * fits exactly. Keys must be distinct: see value_index_*.
 */
void value_adopt(struct arena *a, struct value *v, enum value_kind kind, const struct value *nodes,
                 size_t n);

/* ---- Whole trees. ---- */

/* A deep copy in a, texts and keys included. Positions are kept. */
struct value *value_copy(struct arena *a, const struct value *v);
/* As value_copy, sharing texts and keys with v: only the nodes are new. */
struct value *value_clone(struct arena *a, const struct value *v);
/*
 * over merged into base: objects are merged member by member, everything else is replaced by over.
 * The result shares nothing that will change with either.
 */
struct value *value_merge(struct arena *a, const struct value *base, const struct value *over);
/*
 * The same content: objects regardless of order, lists in order, numbers by their exact value
 * (1 equals 1.0; 2^53 does not equal 2^53 + 1). NULL equals only NULL.
 */
bool value_equal(const struct value *x, const struct value *y);
/* A total order with the same equality: by kind, then content. For sorting. */
int value_compare(const struct value *x, const struct value *y);
/* Equal values have equal hashes. Seeded per process, as str_hash. */
uint64_t value_hash(const struct value *v);

/*
 * Finds duplicate keys while an object is being collected, in constant time per key however many
 * there are: nodes[0..n) are distinct; returns the index of the node with this key, or n. Readers
 * call it before each key; *index starts as {0} and lives in a.
 */
struct value_index {
    uint64_t *slots;
    size_t cap, seen;
    str asked; /* the key of the last call */
    uint32_t asked_hash;
};
size_t value_index_find(struct arena *a, struct value_index *index, const struct value *nodes,
                        size_t n, str key);
