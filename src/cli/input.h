/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.h - documents from files and from standard input.
 *
 * A name is a file, or "-" for standard input, called <stdin> in messages. A file whose name ends
 * in .json holds JSON values, one after the other. Everything else is a stream of YAML documents,
 * or of JSON values if it starts like one: JSON that is indented with tabs is not valid YAML.
 *
 *     struct input in;
 *     if (!input_open(c, a, name, false, &in, e))
 *         return false;
 *     while (input_next(a, &in, &doc, e) && doc.root) ...
 *
 * One thread at a time.
 */
#pragma once

#include "cli/commands.h"
#include "text/json/json.h"
#include "text/yaml/yaml.h"

struct input {
    struct source source;
    struct read_options options;
    struct yaml_stream stream;
    size_t offset; /* JSON: where the next value starts */
    bool json;
    bool done;
};

/*
 * Reads a file of at most max bytes, or standard input for "-", into a source that lives as long as
 * a.
 */
MUST_CHECK bool input_read(struct arena *a, str name, size_t max, struct source *out,
                           struct err *e);
/*
 * Reads the whole text, which lives as long as a. Unless strict, duplicate keys are counted in c,
 * and the first DUPLICATE_KEYS_SHOWN of the run are printed as warnings.
 */
MUST_CHECK bool input_open(struct call *c, struct arena *a, str name, bool strict,
                           struct input *out, struct err *e);
/*
 * The next document, which lives as long as a and the input; doc->root is NULL at the end. After a
 * failure the next call goes on after the document that failed, if possible.
 */
MUST_CHECK bool input_next(struct arena *a, struct input *in, struct doc *doc, struct err *e);

/*
 * The files named by the arguments of a command, in order. A folder means the .json, .yaml and .yml
 * files below it, in alphabetical order; links to folders are not followed, and those that lead out
 * of it are reported. Without arguments: "-", unless that is a terminal, where nobody expects to
 * type documents. False if there are no files.
 */
MUST_CHECK bool input_files(struct call *c, struct str_list *out, struct err *e);
/* The same for one name. */
MUST_CHECK bool input_add(struct arena *a, str name, struct str_list *out, struct err *e);
/* The same with other suffixes for files of a folder; endings is NULL-terminated. */
MUST_CHECK bool input_add_ending(struct arena *a, str name, const char *const *endings,
                                 struct str_list *out, struct err *e);
/* The path to open for the FILE of an option: "-" is standard input. */
str input_path(str name);

/* -R, --recursive: accepted for scripts, although folders are always read recursively. */
#define INPUT_RECURSIVE(values)                                                                    \
    {                                                                                              \
        "recursive", 'R', OPTION_BOOL, offsetof(values, recursive),                                \
            .hidden = true, .help = "Accepted: folders are always read with those below them"      \
    }

/*
 * Calls fn for each document of each file. Errors in files and documents are reported, and the rest
 * is still processed. Only a failure of fn other than ERR_INVALID, ERR_NOT_FOUND or ERR_LIMIT ends
 * the run. a is emptied after each document.
 */
typedef bool document_fn(void *ctx, struct arena *a, const struct doc *doc, struct err *e);
MUST_CHECK bool input_each(struct call *c, const struct str_list *files, bool strict,
                           document_fn *fn, void *ctx, struct err *e);
