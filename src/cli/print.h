/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - prints documents to standard output, in the format of -o.
 *
 * YAML documents are separated by "---" lines; JSON texts follow each other, each with a newline.
 * One thread at a time.
 */
#pragma once

#include "cli/output.h"
#include "text/text.h"

struct printer {
    struct output *out;
    str format; /* json, json-compact, raw, toml or yaml */
    bool sort;  /* JSON: sort members by key; YAML and TOML always are */
    enum number_rule numbers;
    size_t count; /* documents printed so far */
};

/*
 * Prints one document. Errors say which document it was. raw prints strings and other scalars
 * unquoted, and lists and objects as compact JSON.
 */
MUST_CHECK bool print_document(struct printer *p, const struct doc *doc, struct err *e);
/* Prints v as one JSON document. */
MUST_CHECK bool print_as_json(struct output *out, struct value *v, struct err *e);
/* Appends v as compact, exact JSON in its own order, cut after about max bytes. For messages. */
void print_short(struct buf *out, const struct value *v, size_t max);
