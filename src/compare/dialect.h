/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect.h - where plumb's own answers and the original's part ways.
 *
 * Under the original's name every answer is the original's, to the byte; under plumb's own, a
 * comparison does better. A dialect is chosen once, where the options are read. Code asks it about
 * the decision at hand and never which of the two it is.
 *
 * To add a decision: a member here, its value in dialect.c (the original has false for all), a row
 * in docs/differences.md and a golden case for each.
 */
#pragma once

#include <stdbool.h>

struct dialect {
    /* Reading references. */
    bool helm_functions;  /* templates know Helm's functions too */
    bool confined_links;  /* symbolic links that leave the reference need permission */
    bool folder_names;    /* a reference may be named by its folder, and a file STDIN */
    bool sound_overrides; /* templates listed twice and overrides for unknown ones are errors */

    /* Reading objects. */
    bool exact_numbers;   /* keep all digits; else float64 rounds them and limits their size */
    bool strict_text;     /* bytes that are not UTF-8 are an error; else they become U+FFFD */
    bool whole_yaml;      /* comments and directives before "---" do not make a document */
    bool archives;        /* are read */
    bool nested_lists;    /* items that are lists are objects too; else they void their list */
    bool any_version;     /* an apiVersion may have any form, else VERSION or GROUP/VERSION */
    bool steady_files;    /* a file that changes while it is read is an error */
    bool isolated_faults; /* end one document, item or object; else the file, list or run */
    bool keep_duplicates; /* objects of the same identity are all compared; else the first */

    /* Comparing. */
    bool isolated_candidates; /* a template cannot change what other templates see */
    bool masked_secrets;      /* everywhere, else only in differences */
    bool long_names;          /* are cut where files are named after objects; else an error */

    /* Reporting. */
    bool verdict;        /* how complete the comparison was, with notes and counts */
    bool fields;         /* differences as data, with their places */
    bool some_unmatched; /* the first objects without a template are listed; else only on demand */
    bool own_words;      /* errors say what to do; warnings of servers are passed on, not logged */
};

extern const struct dialect dialect_native, dialect_original;
