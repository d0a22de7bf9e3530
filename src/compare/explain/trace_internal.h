/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_internal.h - where the expected side of an object came from, step by step and line by line.
 * For this folder only.
 */
#pragma once

#include "compare/input/object_internal.h"
#include "tmpl/tmpl.h"
#include "value/path.h"
#include "value/source.h"

struct compare;
struct override;
struct template;

enum stage_kind { STAGE_RENDERED, STAGE_MERGED, STAGE_OVERRIDDEN, STAGE_INLINED };

struct stage {
    enum stage_kind kind;
    const struct override *override; /* STAGE_OVERRIDDEN */
    const struct value *tree;        /* the expected side after this step */
};

/*
 * One object with one template, step by step. Made for the chosen template only, and only on
 * demand: if nothing differs and nothing is to be explained, it costs nothing.
 */
struct trace {
    struct arena *arena;
    const struct compare *compare;
    const struct compare_options *options; /* of the run */
    const struct object *object;
    const struct template *template;
    str text; /* what was rendered; the nodes of the first stage have their offsets in it */
    struct tmpl_provenance provenance; /* of text */
    struct {
        struct stage *items;
        size_t len, cap;
    } stages;
    const struct value *live; /* the object as it was compared, not masked */
    struct map *indexes;      /* of lists with elements looked up by identity; NULL: none */
};

/* Keeps a copy of the tree as the result of a step. t may be NULL. */
void trace_add(struct trace *t, enum stage_kind kind, const struct override *o,
               const struct value *tree);
/* The origin of the value at a path of the last stage, or of its missing parent. */
struct result_place trace_place(const struct trace *t, const struct path *p);
/* The range of rendered text in which a node of the first stage starts; NULL: unknown. */
const struct tmpl_range *trace_range(const struct trace *t, const struct value *node);
struct result_place trace_range_place(const struct trace *t, const struct tmpl_range *range);
/* The line where the template starts to write the object; 0 if another file does. */
uint32_t trace_template_line(const struct trace *t);
/* The place of the value at a path of the object, or of its missing parent. */
struct result_place trace_object_place(const struct trace *t, const struct path *p);
/* The value at a path of a stage or of the object, or NULL; like path_resolve, but faster. */
const struct value *trace_find(const struct trace *t, const struct path *p,
                               const struct value *root);
/* Where an object starts. */
struct result_place object_place(const struct object *o);
/* The place of a node's offset; only the file if the offset is 0. */
struct result_place source_place(const struct source *s, uint32_t pos);
/* A path in the form used in reports. Lives as long as a. */
str field_path(struct arena *a, const struct path *p);

/* The differences between two sides as data, in the arena of the trace. Both sides are masked. */
void fields_find(const struct trace *t, const struct value *expected, const struct value *actual,
                 struct result_fields *out);
/* A copy of them. */
void fields_copy(struct arena *a, const struct result_fields *from, struct result_fields *out);
