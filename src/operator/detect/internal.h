/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of change detection share.
 */
#pragma once

#include "operator/detect/detect.h"

/* Tags of canonical nodes: for lists the number of their rule plus 1, else one of these. */
#define TAG_DIGEST 255
#define TAG_CHILD 254 /* a child resource */
#define LISTS_MAX 200
#define MEMBERS_KEPT 64 /* a power of 2 */

/* What a line of api/rules/detect.json says about a member of a kind. */
enum line_kind { LINE_FOLD, LINE_XML, LINE_JSON, LINE_CHILDREN, LINE_HIDDEN, LINE_KIND_COUNT };

struct line {
    enum line_kind kind;
    const struct value *at; /* a list of keys; "*" matches elements and entries */
};

#define LINES_MAX 32
#define EMBEDDED_MAX 8
#define EMBEDDED_DEPTH 4
#define DEPTH_MAX 64 /* lines apply to members above this depth */

struct list_of {
    const struct model_prop *prop;
    struct list_rule rule;
};

struct detect {
    struct arena *arena;
    struct model *model;
    const struct model_resource *resource;
    str key;
    uint32_t off; /* rules that are switched off: 1 << rule */
    struct line lines[LINES_MAX];
    size_t line_count;
    struct embedded {
        str steps[EMBEDDED_DEPTH];
        size_t len;
    } embedded[EMBEDDED_MAX]; /* where the model embeds children */
    size_t embedded_count;
    uint64_t child_depths; /* 1 << depth of lists of children */
    struct list_of *lists;
    size_t list_count;
    /* A cache of member lookups, since all elements of a list have the same members. */
    struct found_member {
        const struct model_arm *in, *member;
    } members[MEMBERS_KEPT];
    bool found;         /* the current body is an answer, not a payload */
    str way[DEPTH_MAX]; /* path of the current member; "*" for elements and entries */
    size_t depth, root; /* of the resource itself, or of the current child */
    detect_filter_fn *filter;
    void *filter_ctx;
    bool inside_child; /* the current member belongs to a child */
    bool learning;     /* children count as known differences */
};

static inline bool rule_is_on(const struct detect *d, enum detect_rule rule)
{
    return !(d->off >> rule & 1);
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* ---- lines.c ---- */

/* Loads the lines of api/rules/detect.json for the kind of d. */
void lines_take(struct detect *d);
/* Whether there is a line of this kind for the current member. */
bool lines_have(const struct detect *d, enum line_kind kind);
/* The same for a path. */
bool lines_have_path(const struct detect *d, enum line_kind kind, const struct path *path);

/* Whether the children of one kind are at this path; i is its index in the model's list. */
bool children_of_kind_are_at(const struct detect *d, size_t i, const str *way, size_t depth);
/* Whether a path mirrors resources that have a kind of their own. */
bool children_are_at(const struct detect *d, const str *way, size_t depth);
/* Whether a path leads into such a mirror. */
bool children_have_path(const struct detect *d, const struct path *path);

/* ---- spelling.c ---- */

/*
 * Changes the scalar at key to its canonical spelling. prop and shape are from the model, or NULL.
 */
void spell_scalar(struct detect *d, const struct model_prop *prop, const struct model_shape *shape,
                  str key, struct value *v);
/* The canonical spelling of the key of a map. */
str spell_key(struct detect *d, str key);

/* ---- hidden.c ---- */

/*
 * Whether Azure never returns what is at path: a secret, or a member that the status lacks. With
 * missing, also true if Azure need not return it.
 */
bool is_hidden(const struct detect *d, const struct path *path, bool missing);

/* How many members of v, which is at path, Azure never returns, and how many it returns. */
struct hidden_count {
    size_t hidden, shown;
};
struct hidden_count hidden_below(struct detect *d, const struct path *path, const struct value *v,
                                 bool missing);

/* ---- compare.c ---- */

/* The options of value_diff for canonical trees. */
struct diff_options compare_options(struct detect *d);
/*
 * Merges the differences inside a list without identities into one difference of the list. Needs
 * the trees that were compared.
 */
void compare_collapse(struct arena *a, struct differences *all, const struct value *old_,
                      const struct value *new_);
/* A value as it is shown and kept, a digest if it is long. NULL for NULL. */
const struct value *shorten(struct detect *d, const struct value *v);
/* The same for values that Azure never returns: always a digest. */
const struct value *hidden_form(struct detect *d, const struct value *v);
/* The length of a value as JSON. */
size_t json_length(struct arena *a, const struct value *v);
/* Whether both are lists, and many has every element of few. */
bool lists_extend(const struct value *many, const struct value *few);
