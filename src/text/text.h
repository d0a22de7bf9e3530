/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - text to value and back.
 *
 * The readers (json.h, yaml.h) fill the same tree and take the same options; the writers (json.h,
 * yaml.h, toml.h, xml.h) append to a buf. A reader that fails sets the position: it calls err_at
 * before it returns. All functions may be called from any thread.
 */
#pragma once

#include "value/source.h"

/* What a reader does with a key that an object already has. */
enum duplicate_rule {
    DUPLICATE_LAST_WINS, /* as in Go's plain reads; each one is a warning */
    DUPLICATE_ERROR,     /* as in Go's strict reads; unless go is set, merged members may be
                          * overridden */
};

/* How many duplicate keys callers show one by one; the rest of a run are only counted. */
#define DUPLICATE_KEYS_SHOWN 20

/* A warning. text has no position and no newline; valid during the call. */
typedef void warn_fn(void *ctx, struct where at, str text);

/*
 * Messages quote names and values that YAML takes for something else, such as the alias in
 * "password: *x". In a Secret, or anything else with credentials, that may be the password itself:
 * it is shown as "***".
 */
enum quote_rule {
    QUOTE_UNLESS_SECRET, /* unless the document contains the word Secret or stringData */
    QUOTE_ALWAYS,        /* as Go does */
    QUOTE_NEVER,
};

struct read_options {
    enum duplicate_rule duplicates;
    /*
     * Go's results even where they lose data: in JSON, broken UTF-8 and lone surrogates are read as
     * U+FFFD instead of failing, and numbers beyond float64 fail; !!binary in YAML keeps bytes that
     * are not UTF-8 instead of failing. Also Go's message for keys that are too long. Numbers keep
     * their exact text either way; rounding happens on output, when asked for.
     */
    bool go;
    /* With go: numbers beyond float64 are fine, as where Go reads without converting numbers. */
    bool any_number;
    /* The most nodes a document may have; 0 means TEXT_NODES_MAX. YAML counts keys and ends too. */
    size_t nodes_max;
    /*
     * YAML as go-yaml 3 reads it: only true and false are booleans; y, yes, on, n, no and off are
     * text.
     */
    bool yaml12;
    /* What messages about YAML may quote from it. */
    enum quote_rule quotes;
    warn_fn *warn; /* may be NULL */
    void *warn_ctx;
    /* Set by yaml_read if nothing follows the document, not even an empty one; may be NULL. */
    bool *alone;
    /* With yaml_read: anything but empty documents behind the first one is an error. */
    bool single;
};

/* Limits of all readers. Exceeding one is ERR_LIMIT, with the position. */
#define TEXT_SCALAR_MAX (64 * MIB)        /* bytes of one string, key or number */
#define YAML_HANDLES_MAX 100              /* %TAG directives of one document */
#define YAML_PREFIX_MAX 256               /* bytes of the prefix in one of them */
#define TEXT_MAX ((size_t)UINT32_MAX - 1) /* bytes of one source: offsets have 32 bits */
/*
 * Nodes of one document: two bytes of text can make a node, which takes twice 32 bytes while
 * reading.
 */
#define TEXT_NODES_MAX ((size_t)64 * 1024 * 1024)

/* How writers spell numbers. */
enum number_rule {
    NUMBERS_EXACT, /* as they were read */
    NUMBERS_GO,    /* as Go would after decoding to int64 (where it fits) and float64 */
    NUMBERS_YAML,  /* as Go would after decoding YAML: int64, uint64 or float64 */
    NUMBERS_FLOAT, /* as Go would after decoding every number to float64 */
    NUMBERS_PLAIN, /* exactly, and equal numbers the same: see number_plain */
};
