/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overrides_internal.h - what users add to a reference: pairs of objects and templates, and
 * patches. For this folder only.
 */
#pragma once

#include "compare/pair/correlate_internal.h"
#include "value/source.h"

struct render;
struct schema;

/* The pairs of a user config: object id to template path (a str). */
MUST_CHECK bool user_config_load(struct arena *a, str path, bool single, struct map **pairs,
                                 struct err *e);

extern const struct schema user_config_schema;
/* The pairs in a decoded user config; NULL if there are none. */
const struct value *user_config_pairs(const struct value *doc);

struct override {
    struct identity identity;
    str exact_match, reason, type, patch, template_path;
    uint32_t pos; /* in the file of overrides, as in struct value */
};

struct overrides {
    struct override *items;
    size_t len, cap;
    struct source source;
};

MUST_CHECK bool overrides_load(struct arena *a, str path, bool single, struct overrides *out,
                               struct err *e);
extern const struct schema overrides_schema;
/* Reads an override of a decoded file. */
struct override override_read(const struct value *v);
/* The correlator that selects overrides. */
struct correlator *overrides_correlator(struct arena *a, const struct overrides *o,
                                        struct log_buffer *log);
/* Applies an override to what was rendered; *object is replaced. */
MUST_CHECK bool override_apply(struct arena *a, const struct override *o, const struct value *live,
                               struct render *r, struct value **object, struct err *e);
/* An override in the form for files. */
struct value *override_write(struct arena *a, const struct override *o);
