/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect.h - the decisions in which plumb differs from the original.
 *
 * Under the original's name all output is the original's, byte for byte; under plumb's own name, a
 * comparison does better. A dialect is chosen once, where the options are read. Code asks it about
 * a single decision, never which of the two it is.
 *
 * To add a decision: a member here, its value in dialect.c (the original has false for all), a row
 * in docs/differences.md and a golden case for each.
 */
#pragma once

#include <stdbool.h>

struct dialect {
    /* Reading references. */
    bool helm_functions; /* templates can use Helm's functions, too */
    bool confined_links; /* symbolic links out of the reference need permission */
    bool folder_names;   /* a folder may name a reference, and a file may be called STDIN */
    bool
        single_documents; /* what follows a document that stands alone is an error; else left out */
    bool sound_overrides; /* templates listed twice and overrides for unknown ones are errors */

    /* Reading objects. */
    bool exact_numbers;   /* keep all digits; else float64 rounds them and limits their size */
    bool strict_text;     /* bytes that are not UTF-8 are an error; else they become U+FFFD */
    bool whole_yaml;      /* comments and directives before "---" do not make a document */
    bool archives;        /* read archives */
    bool nested_lists;    /* lists inside lists are expanded; else they invalidate the list */
    bool any_version;     /* an apiVersion may have any form; else VERSION or GROUP/VERSION */
    bool steady_files;    /* a file that changes while it is read is an error */
    bool isolated_faults; /* a fault ends one document, item or object; else a file, list or run */
    bool keep_duplicates; /* compare all objects with the same identity; else only the first */

    /* Comparing. */
    bool isolated_candidates; /* a template cannot change what other templates see */
    bool masked_secrets;      /* mask everywhere; else only in differences */
    bool long_names;          /* cut names of files that are named after objects; else an error */

    /* Reporting. */
    bool verdict;        /* report how complete the comparison was, with notes and counts */
    bool fields;         /* report differences as data, with their places */
    bool some_unmatched; /* list the first objects without a template; else only on demand */
    bool own_words;      /* errors say what to do; servers' warnings are passed on, not logged */
};

extern const struct dialect dialect_native, dialect_original;
