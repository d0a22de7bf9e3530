/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.h - what a command is, and the table of them.
 *
 * To add one: write src/cli/cmd/<name>.c with its options, cmd_<name> and one struct command, list
 * it in commands.c, describe it in docs/commands/<name>.md, and add cases to tests/golden/<name>/.
 * Parsing, help and completion come from the struct.
 *
 * A command gets a struct call, reads its values and words, writes to c->out and answers false with
 * e filled when it cannot go on. Only what is in this folder prints, and only main decides the exit
 * status:
 *
 *   0  fine
 *   1  fine, and the answer is "different" or "not there": the command set c->status
 *   2  something went wrong, at least in a part of the work
 *   3  compare --strict: fine, and not everything could be compared
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
    size_t duplicate_keys; /* how many were met in the input */
};

/* Words without end. */
#define ARGS_ANY SIZE_MAX

struct command {
    const char *name;
    const char *args;     /* what follows the options in the usage line: "OLD NEW" */
    const char *brief;    /* one line without a final point */
    const char *help;     /* paragraphs of at most 80 columns, ended by a newline */
    const char *examples; /* lines, indented by two blanks, ended by a newline */
    const struct option *options;
    size_t option_count;
    size_t values_size; /* of the struct that the options fill */
    bool checks_empty;  /* the command calls options_check_empty itself, where that applies */
    /* The command talks to a cluster: where the struct kube_values of its options is. */
    bool connects;
    size_t kube_offset;
    size_t args_min, args_max;
    enum option_complete complete;                /* what the words are */
    const char *const *(*words)(struct arena *a); /* what the first word can be; or NULL */
    bool (*run)(struct call *c, struct err *e);
};

/* The program's sources; main sets it before anything else. Empty: unknown. */
struct build_info {
    const char *commit, *date, *model_date;
};
extern struct build_info build_info;

/* All commands in alphabetical order, ended by NULL. */
extern const struct command *const commands[];

/* NULL when there is none. */
const struct command *command_find(str name);
/* The command that is spelled most alike, or NULL. */
const struct command *command_suggest(str name);
/* The names of all commands, ended by NULL. Lives as long as a. */
const char *const *command_names(struct arena *a);

/* Options that every command understands; a command's own options of the same name win. */
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
/* The options of all commands, without those that the command has itself. Lives as long as a. */
const struct option *help_globals(struct arena *a, const struct command *c);
/* The same as pages of the manual; see man.c. */
void man_overview(struct buf *out);
void man_command(struct buf *out, const struct command *c);
/*
 * The functions of templates: all of them, as text or Markdown, or one of them. Fails when there is
 * none of that name.
 */
MUST_CHECK bool help_functions(struct arena *a, struct buf *out, str name, bool markdown,
                               struct err *e);

/* ---- Messages, on standard error, with control characters escaped. ---- */

/* "plumb: file:line:column: text" */
void message_error(const struct err *e);
/* "plumb: warning: file:line:column: text" */
void message_warning(struct where at, str text);
/* Lines as they are, below other messages. */
void message_text(str text);
/* A further line below an error. */
void message_hint(const char *format, ...) FORMAT(1, 2);
/* Prints an error that does not end the run, which therefore ends with STATUS_TROUBLE. */
void call_report(struct call *c, const struct err *e);
