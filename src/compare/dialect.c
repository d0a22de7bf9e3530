/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect.c - the two dialects; see dialect.h.
 */
#include "compare/dialect.h"

const struct dialect dialect_original = {0};

const struct dialect dialect_native = {
    .helm_functions = true,
    .confined_links = true,
    .folder_names = true,
    .single_documents = true,
    .sound_overrides = true,
    .exact_numbers = true,
    .strict_text = true,
    .whole_yaml = true,
    .archives = true,
    .nested_lists = true,
    .any_version = true,
    .steady_files = true,
    .isolated_faults = true,
    .keep_duplicates = true,
    .isolated_candidates = true,
    .masked_secrets = true,
    .long_names = true,
    .verdict = true,
    .fields = true,
    .some_unmatched = true,
    .own_words = true,
};
