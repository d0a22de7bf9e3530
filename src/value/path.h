/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.h - paths in a tree, in three notations.
 *
 *   JSON pointer (RFC 6901)   /metadata/annotations/a.b~1c
 *   dotted                    metadata.annotations."a.b/c"
 *   with identifier steps     subnets[name=a].properties.x      items[0].name
 *
 * A path is a list of steps: a key, an index, or an identifier (the element whose member has this
 * text). The dotted spelling includes the third:
 *
 *   path    =  [ [ "." ] key | bracket ] { "." key | bracket }      the empty text is the root
 *   key     =  plain without . [ ] "   |  quoted
 *   bracket =  "[" index "]"  |  "[" name "=" text { "," name "=" text } "]"
 *   name    =  plain without . = , [ ] "  |  quoted
 *   text    =  plain without , [ ] "      |  quoted
 *   quoted  =  '"' any bytes, '""' for a quote '"'
 *   index   =  a decimal number without leading zeros, below 2^32
 *
 * "plain" is one byte or more and no control characters, so an empty key is written "". There are
 * no backslash escapes: quotes are doubled, as in a record of comma-separated values. That makes
 * every path of fieldsToOmit and perField that is well-formed here mean the same to
 * path_parse_fields, which reads those by the rules of the original. The two differ in what they
 * reject: there, brackets and control characters are ordinary, empty fields need no quotes (a..b),
 * line breaks end the path, and the errors have the original's words.
 *
 * Paths are immutable once made and may be shared by threads. They do not refer to the caller's
 * text: parsers copy what they read. Errors name the column (in code points, from 1) and what was
 * expected there.
 */
#pragma once

#include "value/value.h"

enum step_kind { STEP_KEY, STEP_INDEX, STEP_IDENTITY };

struct step {
    enum step_kind kind;
    str key;                      /* STEP_KEY: the member; STEP_IDENTITY: the identifying member */
    str text;                     /* STEP_IDENTITY: its text */
    size_t index;                 /* STEP_INDEX */
    const struct step *next_pair; /* STEP_IDENTITY: a further pair that must hold, or NULL */
};

struct path {
    struct step *steps;
    size_t len;
};

/* Limits of a path that is parsed: steps, members of one identifier, bytes. */
#define PATH_MAX_STEPS VALUE_DEPTH_MAX
#define PATH_MAX_PAIRS 64
#define PATH_MAX_TEXT (1 * MIB)
#define PATH_MAX_INDEX UINT32_MAX

/* ---- Spellings. ---- */

/* All steps are keys, even numbers: path_resolve lets "0" select from a list. */
MUST_CHECK bool path_parse_pointer(struct arena *a, str text, struct path *out, struct err *e);
MUST_CHECK bool path_parse_dotted(struct arena *a, str text, struct path *out, struct err *e);
/*
 * As the original reads pathToKey: one leading dot is dropped, the rest is one record of fields
 * between dots (base/csv.h). All steps are keys, and they are members of objects only: follow them
 * with value_get, since path_resolve and path_delete would let "0" select from a list. Errors are
 * worded as the original's, beginning with "failed to parse path: ".
 */
MUST_CHECK bool path_parse_fields(struct arena *a, str text, struct path *out, struct err *e);

/* The spelling that path_parse_dotted reads back as an equal path. */
void path_print_dotted(struct buf *out, const struct path *p);
/*
 * The spelling that path_parse_pointer reads back as an equal path when all steps are keys. An
 * index becomes the key that selects the same element. An identifier has no spelling there: it is
 * written as in the dotted notation, for people to read.
 */
void path_print_pointer(struct buf *out, const struct path *p);

/* ---- In trees. ---- */

/*
 * What is there, or NULL. A key that is a decimal number also selects from a list, as JSON pointers
 * do. An identifier selects the first element that has it.
 */
struct value *path_resolve(const struct path *p, const struct value *root);
/*
 * Sets the node at the path to item, copied shallowly as by value_set: item must not contain that
 * node. Missing containers are created on the way: objects for keys, lists for indexes, and for an
 * identifier a list with an element that has this identity. null counts as missing; an index equal
 * to the length of its list appends. Fails, and changes nothing, when the path leads through
 * another scalar, through a container of the wrong kind or past the end of a list. The empty path
 * replaces the content of root.
 */
MUST_CHECK bool path_set(struct arena *a, const struct path *p, struct value *root,
                         const struct value *item, struct err *e);
/* Removes what is there. False when there is nothing; the root cannot be removed. */
bool path_delete(const struct path *p, struct value *root);

/* ---- Steps. ---- */

/* The same steps: index 0 is not the key "0". Pairs of an identifier count in their order. */
bool path_equal(const struct path *p, const struct path *q);
/* path with one more step; shares nothing that changes. For walkers that build paths. */
struct path path_append(struct arena *a, const struct path *p, struct step step);

/*
 * A path linked from its end, for walkers that keep many paths: everything above the last step is
 * shared, so it costs one node at any depth. NULL is the root.
 */
struct trail {
    const struct trail *up;
    struct step step;
};
/* Lives as long as a and the texts of the trail. */
struct path path_of_trail(struct arena *a, const struct trail *t);

/* The text by which a scalar identifies: strings, numbers as spelled, true, false; not null. */
bool step_identity_text(const struct value *v, str *out);
/* Whether element is an object that has this identity. */
bool step_identifies(const struct step *identity, const struct value *element);
