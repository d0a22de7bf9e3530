/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml.h - YAML as Kubernetes tools read and write it (sigs.k8s.io/yaml).
 *
 * Reading follows Go's YAML library exactly, bugs included: YAML 1.1 scalars, aliases expanded
 * under Go's ratio rule, merge keys, keys turned into strings, at most 10,000 levels. Errors read
 * as in Go ("yaml: line 3: mapping values are not allowed in this context"); err_at also gets the
 * real position. Scalars that appear verbatim in the text are not copied: the source must live as
 * long as the tree.
 *
 * The text may be UTF-8, or UTF-16 with a byte order mark; yaml_source prepares it.
 */
#pragma once

#include "text/text.h"

/*
 * A source for external bytes: UTF-16 becomes UTF-8, a byte order mark is dropped. Invalid bytes
 * are reported by the reader, unless they are UTF-16.
 */
MUST_CHECK bool yaml_source(struct arena *a, str file, str bytes, struct source *out,
                            struct err *e);

/*
 * Reads the first document, as Go's Unmarshal does; what follows is ignored, unless
 * read_options.single says otherwise. An empty text is null.
 * opts may be NULL. A duplicate key is a warning with its position, or an error in Go's words when
 * duplicates are rejected. Integers of any size and decimals stay exact; .inf and .nan fail, since
 * JSON has none.
 */
MUST_CHECK bool yaml_read(struct arena *a, const struct source *src,
                          const struct read_options *opts, struct value **out, struct err *e);

/*
 * Reads the documents of a text one after the other, as Go's Decoder does: the grammar says where
 * one ends. *offset begins as 0 and moves on; at the end *out is NULL. A null document is returned
 * as such. A document also fails when what follows it cannot begin another one; *offset is useless
 * then.
 */
MUST_CHECK bool yaml_read_next(struct arena *a, const struct source *src,
                               const struct read_options *opts, size_t *offset, struct value **out,
                               struct err *e);

/*
 * Reads a stream of documents, which Kubernetes tools split at lines that begin with "---" before
 * they parse: yaml_stream_next returns one document after the other; at the end *out is NULL. A
 * document that fails does not end the stream: the next call goes on after it. Documents that are
 * empty or null are skipped. Line numbers in messages count from the beginning of the document, as
 * in Go; the positions of errors and nodes count in the whole text.
 */
struct yaml_stream {
    const struct source *src;
    const struct read_options *opts;
    size_t offset;
};
MUST_CHECK bool yaml_stream_next(struct arena *a, struct yaml_stream *s, struct value **out,
                                 struct err *e);
/*
 * Whether text contains directives, such as %YAML 1.1, and otherwise only comments: then the line
 * of dashes after it begins a document instead of ending one. Go's tools do not know this; neither
 * does yaml_stream_next with read_options.go.
 */
bool yaml_is_prologue(str text);
/*
 * Whether another document may begin within a text, by any mark of YAML: "...", and line ends that
 * are not "\n". Go's tools do not split there, and read only the first document.
 */
bool yaml_may_go_on(str text);

enum yaml_rest {
    YAML_REST_NONE,     /* nothing but empty documents */
    YAML_REST_DOCUMENT, /* another document, or thousands of empty ones */
    /*
     * Text without a mark in front: lines that are indented less than the first one end the
     * document, and so does the bracket that closes it.
     */
    YAML_REST_LOOSE,
};

/*
 * What follows the first document of a text, which must be valid. *line is where it starts, or
 * where it fails.
 */
enum yaml_rest yaml_rest(str text, uint32_t *line);
/* What messages say about YAML_REST_LOOSE. */
#define YAML_REST_LOOSE_TEXT                                                                       \
    "the document ends here, and the rest would be left out: it is indented less than the first "  \
    "line, or follows a closing bracket"

/* What a message may quote of a document: the text or "***". */
str yaml_quotable(enum quote_rule rule, str document, str text);

/*
 * Appends v as sigs.k8s.io/yaml.Marshal does: block style, keys in natural order, lines folded at
 * 80 columns, a final newline. Fails where Go fails ("yaml: control characters are not allowed"),
 * unless numbers are NUMBERS_PLAIN: then every text is written so that it reads back unchanged.
 */
MUST_CHECK bool yaml_write(struct buf *out, const struct value *v, enum number_rule numbers,
                           struct err *e);
/*
 * Whether yaml_write would succeed for both and write the same. It may return false even so: then
 * compare the texts.
 */
bool yaml_writes_same(const struct value *x, enum number_rule x_numbers, const struct value *y,
                      enum number_rule y_numbers);
/* The tag of a string that yaml_write_pretty writes literally, unquoted. */
#define YAML_PLAIN 1
/*
 * As yaml_write, but as version 3 of Go's library writes it with an indentation of 2, for Helm's
 * toYamlPretty: lists are indented below their key, and lines are not folded. Tags of v count.
 */
MUST_CHECK bool yaml_write_pretty(struct buf *out, const struct value *v, enum number_rule numbers,
                                  struct err *e);
/* The order of keys in written YAML: a2 before a10. Not a consistent order for all mixtures. */
int yaml_key_compare(str x, str y);
/* The order used by yaml_write_pretty. */
int yaml_key_compare_pretty(str x, str y);
