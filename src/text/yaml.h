/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml.h - YAML as Kubernetes tools read and write it (sigs.k8s.io/yaml).
 *
 * Reading is libyaml's event stream plus Go's rules on top: YAML 1.1 scalars, aliases expanded
 * under Go's ratio rule, merge keys, keys turned into strings, at most 10,000 levels. Errors read
 * as in Go ("yaml: line 3: mapping values are not allowed in this context"). Plain scalars are not
 * copied when they stand in the text as they are: the source must live as long as the tree.
 *
 * The text may be UTF-8 or UTF-16, with or without a byte order mark; yaml_source prepares it.
 */
#pragma once

#include "text/text.h"

/* A source for bytes from outside: UTF-16 becomes UTF-8, a byte order mark is dropped. */
MUST_CHECK bool yaml_source(struct arena *a, str file, str bytes, struct source *out,
                            struct err *e);

/*
 * Reads the first document, as Go's Unmarshal does; what follows is not looked at. An empty text
 * is null. opts may be NULL.
 */
MUST_CHECK bool yaml_read(struct arena *a, const struct source *src,
                          const struct read_options *opts, struct value **out, struct err *e);

/*
 * Reads a stream of documents, which Kubernetes tools split at lines that begin with "---" before
 * they parse: yaml_stream_next gives one document after the other, at the end *out is NULL. A
 * document that fails does not end the stream: the next call goes on behind it. Empty documents
 * (nothing but blanks and comments) are skipped.
 */
struct yaml_stream {
    const struct source *src;
    const struct read_options *opts;
    size_t offset;
};
MUST_CHECK bool yaml_stream_next(struct arena *a, struct yaml_stream *s, struct value **out,
                                 struct err *e);

/*
 * Appends v as sigs.k8s.io/yaml.Marshal does: block style, keys in natural order, lines folded at
 * 80 columns, a final newline. Fails where Go fails ("yaml: control characters are not allowed").
 */
MUST_CHECK bool yaml_write(struct buf *out, const struct value *v, enum number_rule numbers,
                           struct err *e);
/* The order of keys in written YAML: a2 before a10. Not a proper order for all mixtures. */
int yaml_key_compare(str x, str y);
