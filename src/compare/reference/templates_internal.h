/* SPDX-License-Identifier: Apache-2.0 */
/*
 * templates_internal.h - parsing the templates of a reference, and running them. For this folder
 * only.
 */
#pragma once

#include "compare/log_buffer_internal.h"
#include "compare/reference/reference_internal.h"

struct trace;

/* Parses all templates, runs each with empty data and checks it. */
MUST_CHECK bool templates_parse(struct arena *a, const struct root *root, struct log_buffer *log,
                                struct reference *r, struct err *e);

/* What the run of a template wrote, for those who want to know later what wrote it. */
struct template_text {
    str text;
    struct tmpl_provenance provenance;
    bool complete; /* another run would give the same, and do nothing else */
};

/* What templates may ask for while they run. */
struct render {
    struct log_buffer *log;
    bool exact;  /* numbers are never rounded */
    bool helm;   /* patches that are templates know Helm's functions */
    bool secret; /* what was rendered is not shown in errors */
    struct tmpl_hooks hooks;
    bool do_not_match;              /* the template excluded itself */
    size_t written;                 /* bytes that it gave */
    struct trace *trace;            /* filled unless NULL */
    struct tmpl_coverage *coverage; /* likewise */
    struct template_text *text;     /* likewise; taken instead of a run when it is complete */
    struct arena *keep;             /* of what is read from the text; NULL: that of the run */
    const struct value *changed;    /* the data as the template left it, or NULL */
};

/*
 * Runs a template and reads what it gives as a mapping, which lives as long as a, or as r->keep.
 * Fails with the original's words.
 */
MUST_CHECK bool template_render(struct arena *a, const struct template *t, const struct value *data,
                                struct render *r, struct value **out, struct err *e);

/* The last element of a path. */
str path_base(str path);
/* Whether the text of a template may call a function that changes maps. */
bool template_changes(str text);
/*
 * The nodes that a template may render to, keys and ends included. An object of a cluster has 1.5
 * MiB at most, and not as many as that.
 */
#define RENDERED_NODES_MAX (2 * MIB)
/* The memory of what was read of that. */
size_t template_tree_bytes(const struct value *v);
/* What a template gave, without the marks of missing values. */
str template_output(struct arena *a, str text);
