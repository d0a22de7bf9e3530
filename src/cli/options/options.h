/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - command line options, by the rules of Go's pflag library.
 *
 * A command describes its options in a table and keeps their values in its own struct:
 *
 *     struct get_values { bool all; str output; };
 *     static const struct option get_options[] = {
 *         {"all", 'a', OPTION_BOOL, offsetof(struct get_values, all), .help = "Show all"},
 *         {"output", 'o', OPTION_STRING, offsetof(struct get_values, output), .value = "yaml",
 *          .help = "Write as `FORMAT`", .choices = formats},
 *     };
 *
 *     struct options o = options_new(a);
 *     options_add(&o, get_options, COUNT(get_options), &values);
 *     if (!options_parse(&o, argc, argv, e))
 *         return false;
 *
 * The rules: --name value, --name=value, -n value, -nvalue, -n=value, joined letters (-abc), a
 * boolean takes a value only after "=", "--" ends the options, options and arguments may be mixed,
 * the last value of a scalar wins, names are never abbreviated. Errors are ERR_USAGE in pflag's
 * words. The command line is not copied: argv must live as long as the values.
 *
 * One thread at a time.
 */
#pragma once

#include "base/base.h"

enum option_type {
    OPTION_BOOL,     /* bool */
    OPTION_COUNT,    /* int64_t: how often it was given; or --name=3 */
    OPTION_DURATION, /* int64_t, nanoseconds: 1h30m, 250ms */
    OPTION_INT,      /* int64_t, including 0x10, 0b1, 0o7, 1_000 */
    OPTION_STRING,   /* str */
    OPTION_STRINGS,  /* struct str_list; a value is split at commas, with CSV quoting */
    OPTION_ARRAY,    /* struct str_list; a value is one element */
};

/* What the shell offers for a value or an argument. */
enum option_complete { COMPLETE_NOTHING, COMPLETE_FILES, COMPLETE_FOLDERS };

struct option_words;

/*
 * One option. Tables are in alphabetical order, which help keeps. Omitted fields have the usual
 * meaning.
 */
struct option {
    const char *name;
    char letter; /* 0: none */
    enum option_type type;
    size_t offset;     /* of the value in the struct passed to options_add */
    const char *value; /* the default as pflag prints it (30s; a,b for lists); NULL: zero */
    const char *help;  /* a `word` in back quotes names the value in the help */
    const char *bare;  /* the value of a bare --name; "true" and "+1" for booleans and counts */
    const char *const *choices; /* NULL-terminated: what completion offers, and what is allowed, */
    const struct option_words *words; /* choices and help instead, from a table elsewhere */
    bool open;                        /* unless this permits other values as well */
    bool hidden;                      /* not in help and completion */
    bool may_be_empty;                /* an empty text is a valid value: see options_check_empty */
    enum option_complete complete;
};

/* Results live as long as the program. */
struct option_words {
    const char *const *(*choices)(void *of);
    const char *(*help)(void *of);
    void *of;
};
const char *const *option_choices(const struct option *o);
const char *option_help(const struct option *o);

/* A table and where its values go. */
struct option_group {
    const struct option *options;
    size_t count;
    void *values;
    bool *given; /* which ones were given */
};

#define OPTION_GROUPS 4

struct options {
    struct arena *arena;
    struct option_group groups[OPTION_GROUPS]; /* earlier groups hide names of later ones */
    size_t group_count;
    bool stop_at_word; /* the first argument ends the options */
    bool pflag;        /* like Go's library: arguments that begin with "-test." are skipped */
    bool own_words;    /* errors do not name Go functions */
    bool kubectl;      /* like kubectl: in addition, "_" in long names means "-" */
    str *words;        /* arguments that are not options, in order */
    size_t word_count;
    size_t words_before_dash; /* STR_NPOS if there was no "--" */
    bool help;   /* options_parse failed because of --help or -h, which is not an option */
    str unknown; /* options_parse failed because of this long name */
    const struct option *emptied; /* the first option with an empty text that must not be empty */
};

struct options options_new(struct arena *a);
/* Adds a table. values is not initialised: see options_defaults. */
void options_add(struct options *o, const struct option *options, size_t count, void *values);
/* Sets all values of a table to their defaults. */
void options_defaults(struct arena *a, const struct option *options, size_t count, void *values);
/* Reads argv, which does not include the name of the command. */
MUST_CHECK bool options_parse(struct options *o, size_t argc, char *const *argv, struct err *e);
/*
 * ERR_USAGE if an option was given an empty text, for example by an unset shell variable: an empty
 * file, address or name would count as not given, and something else would silently be done.
 */
MUST_CHECK bool options_check_empty(const struct options *o, struct err *e);
/* Whether the option was given. */
bool options_given(const struct options *o, str name);
/* The option with the most similar name, or NULL. */
const struct option *options_suggest(const struct options *o, str name);

/*
 * Appends one line per option, descriptions in one column, like pflag's FlagUsages. cols is the
 * width of the page; 0: lines are not wrapped, and values have Go's names.
 */
void options_usage(struct buf *out, const struct option *options, size_t count, size_t cols);
/*
 * The name of the value in help: the word in back quotes, else a Go type ("string") or a word of
 * our own ("TEXT"); empty for booleans.
 */
str option_value_name(const struct option *o, bool go);
/* The most similar word, or NULL. choices is NULL-terminated. */
const char *option_nearest(const char *const *choices, str text);
/* The help without its back quotes. */
str option_help_text(struct arena *a, const struct option *o);
/* The value of a bare --name, or NULL if a value must follow. */
const char *option_bare(const struct option *o);

/*
 * Sets one value at target. first: for the first time, so that lists drop their default. Errors are
 * those of Go's strconv, time and encoding/csv, without the name of the option.
 */
MUST_CHECK bool option_set(struct arena *a, const struct option *o, void *target, str text,
                           bool first, struct err *e);
