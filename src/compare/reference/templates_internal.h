/* SPDX-License-Identifier: Apache-2.0 */
/* templates_internal.h - parses and runs the templates of a reference. For this folder only. */
#pragma once

#include "compare/log_buffer_internal.h"
#include "compare/reference/reference_internal.h"

struct trace;

/* Parses all templates, runs each with empty data and checks it. */
MUST_CHECK bool templates_parse(struct arena *a, const struct root *root, struct log_buffer *log,
                                struct reference *r, struct err *e);

/* What a template wrote, and where each part of it came from. */
struct template_text {
    str text;
    struct tmpl_provenance provenance;
    bool complete; /* another run would give the same, without side effects */
};

/* How a template is run, and what comes out. */
struct render {
    struct log_buffer *log;
    bool exact;  /* numbers are never rounded */
    bool helm;   /* patches that are templates can use Helm's functions */
    bool secret; /* errors must not show what was rendered */
    struct tmpl_hooks hooks;
    bool do_not_match;              /* the template excluded itself */
    size_t written;                 /* how many bytes it wrote */
    struct trace *trace;            /* filled unless NULL */
    struct tmpl_coverage *coverage; /* likewise */
    struct template_text *text;     /* likewise; used instead of a run if complete */
    struct arena *keep;             /* for what is parsed from the text; NULL: that of the run */
    const struct value *changed;    /* the data as the template left it, or NULL */
};

/*
 * Runs a template and parses its output as a mapping, which lives as long as a, or as r->keep.
 * Fails in the original's words.
 */
MUST_CHECK bool template_render(struct arena *a, const struct template *t, const struct value *data,
                                struct render *r, struct value **out, struct err *e);

/* The last element of a path. */
str path_base(str path);
/* Whether the text of a template may call a function that changes maps. */
bool template_changes(str text);
/*
 * The most nodes that a template may render to, including keys and ends. Objects in a cluster have
 * at most 1.5 MiB, so they have fewer.
 */
#define RENDERED_NODES_MAX (2 * MIB)
/* The memory that such a tree takes. */
size_t template_tree_bytes(const struct value *v);
/* The output of a template, without the marks of missing values. */
str template_output(struct arena *a, str text);
