/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.h - what a command is, and the table of them.
 *
 * To add one: write src/cli/cmd/<name>.c with its options, cmd_<name> and one struct command, list
 * it in commands.c, describe it in docs/commands/<name>.md, and add cases to tests/golden/<name>/.
 * Parsing, help and completion are derived from the struct.
 *
 * A command gets a struct call, reads its values and arguments, writes to c->out, and returns false
 * with e filled if it cannot go on. Only code in this folder prints, and only main sets the exit
 * status:
 *
 *   0  success
 *   1  success, and the answer is "different" or "not found": the command set c->status
 *   2  something went wrong, if only in part of the work
 *   3  compare --strict: success, but not everything could be compared
 */
#pragma once

#include "cli/options/options.h"
#include "cli/output.h"

enum exit_status {
    STATUS_FINE = 0,
    STATUS_DIFFERENT = 1,
    STATUS_TROUBLE = 2,
    STATUS_INCOMPLETE = 3,
};

struct command;

/* One run of a command. */
struct call {
    struct arena *arena; /* lives as long as the run */
    const struct command *command;
    const struct options *options;
    const void *values; /* the struct that the options of the command filled */
    const str *args;
    size_t arg_count;
    struct output *out;
    enum exit_status status;
    size_t duplicate_keys; /* how many were found in the input */
};

/* Any number of arguments. */
#define ARGS_ANY SIZE_MAX

struct command {
    const char *name;
    const char *args;     /* the arguments in the usage line: "OLD NEW" */
    const char *brief;    /* one line without a full stop */
    const char *help;     /* paragraphs of at most 80 columns, ending with a newline */
    const char *examples; /* lines, indented by two spaces, ending with a newline */
    const struct option *options;
    size_t option_count;
    size_t values_size; /* of the struct that the options fill */
    bool checks_empty;  /* the command calls options_check_empty itself, if needed */
    /* The command talks to a cluster: the offset of struct kube_values in its options. */
    bool connects;
    size_t kube_offset;
    size_t args_min, args_max;
    enum option_complete complete;                /* what the arguments are */
    const char *const *(*words)(struct arena *a); /* what the first argument can be; or NULL */
    bool (*run)(struct call *c, struct err *e);
};

/* The sources that the program was built from; main sets it first. Empty: unknown. */
struct build_info {
    const char *commit, *date, *model_date;
};
extern struct build_info build_info;

/* All commands in alphabetical order, NULL-terminated. */
extern const struct command *const commands[];

/* NULL if there is none. */
const struct command *command_find(str name);
/* The command with the most similar name, or NULL. */
const struct command *command_suggest(str name);
/* The names of all commands, NULL-terminated. Lives as long as a. */
const char *const *command_names(struct arena *a);

/* Options of every command; a command's own option of the same name takes precedence. */
struct global_values {
    bool help, version;
    int64_t verbose;
    str log_level, log_format;
};
extern const struct option global_options[];
extern const size_t global_option_count;

/* ---- Help. ---- */

/* The overview of all commands. */
void help_overview(struct buf *out);
void help_command(struct buf *out, const struct command *c);
/* The usage line alone. */
void help_usage(struct buf *out, const struct command *c);
/* The options of every command, without those that c overrides. Lives as long as a. */
const struct option *help_globals(struct arena *a, const struct command *c);
/* The same as man pages; see man.c. */
void man_overview(struct buf *out);
void man_command(struct buf *out, const struct command *c);
/*
 * Template functions: all of them as text or Markdown, or the one of this name. Fails if there is
 * none of that name.
 */
MUST_CHECK bool help_functions(struct arena *a, struct buf *out, str name, bool markdown,
                               struct err *e);

/* ---- Messages, on standard error, with control characters escaped. ---- */

/* "plumb: file:line:column: text" */
void message_error(const struct err *e);
/* "plumb: warning: file:line:column: text" */
void message_warning(struct where at, str text);
/* Unchanged lines, below other messages. */
void message_text(str text);
/* An extra line below an error. */
void message_hint(const char *format, ...) FORMAT(1, 2);
/* Prints an error that does not end the run, which will end with STATUS_TROUBLE. */
void call_report(struct call *c, const struct err *e);
