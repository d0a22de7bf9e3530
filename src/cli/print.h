/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - documents to standard output, in the syntax that -o asks for.
 *
 * YAML documents are separated by "---" lines; JSON texts stand one after the other, each ended by
 * a newline. One thread at a time.
 */
#pragma once

#include "cli/output.h"
#include "text/text.h"

struct printer {
    struct output *out;
    str format; /* json, json-compact, raw, toml or yaml */
    bool sort;  /* JSON: members by key; YAML and TOML always are */
    enum number_rule numbers;
    size_t count; /* documents printed so far */
};

/*
 * Prints one document. A failure says which document it was. raw prints strings and other scalars
 * as they are, and lists and objects as compact JSON.
 */
MUST_CHECK bool print_document(struct printer *p, const struct doc *doc, struct err *e);
/* Appends v as compact JSON in its own order, exact, cut after about max bytes. For messages. */
void print_short(struct buf *out, const struct value *v, size_t max);
