/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.h - places in a tree, in three spellings.
 *
 *   JSON pointer (RFC 6901)   /metadata/annotations/a.b~1c
 *   dotted                    metadata.annotations."a.b/c"
 *   with identifier steps     subnets[name=a].properties.x      items[0].name
 *
 * A path is a list of steps: a key, an index, or an identifier (the element whose member has this
 * text). The dotted spelling includes the third. Paths are immutable and may be shared by threads.
 */
#pragma once

#include "value/value.h"

enum step_kind { STEP_KEY, STEP_INDEX, STEP_IDENTITY };

struct step {
    enum step_kind kind;
    str key;      /* STEP_KEY: the member; STEP_IDENTITY: the identifying member */
    str text;     /* STEP_IDENTITY: its text */
    size_t index; /* STEP_INDEX */
};

struct path {
    struct step *steps;
    size_t len;
};

/* The longest path that is accepted, in steps. */
#define PATH_MAX_STEPS VALUE_DEPTH_MAX

/* Errors name the column in the text and what was expected there. */
MUST_CHECK bool path_parse_pointer(struct arena *a, str text, struct path *out, struct err *e);
MUST_CHECK bool path_parse_dotted(struct arena *a, str text, struct path *out, struct err *e);
/* Both print what their parser reads back to an equal path. */
void path_print_pointer(struct buf *out, const struct path *p);
void path_print_dotted(struct buf *out, const struct path *p);

/*
 * What is there, or NULL. A key that is a decimal number also selects from a list, as JSON pointers
 * do.
 */
struct value *path_resolve(const struct path *p, const struct value *root);
/*
 * Puts item there, making missing objects on the way (and, for an identifier step, a list with an
 * element that has this identity). Fails where the way leads through a scalar or past the end of a
 * list.
 */
MUST_CHECK bool path_set(struct arena *a, const struct path *p, struct value *root,
                         const struct value *item, struct err *e);
/* Removes what is there. False when there is nothing. */
bool path_delete(const struct path *p, struct value *root);

/* path with one more step; shares nothing that changes. For walkers that build paths. */
struct path path_append(struct arena *a, const struct path *p, struct step step);
