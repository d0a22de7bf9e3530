/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.h - schemas, and decoding by them as Go's encoding/json and the libraries on top of it
 * decode into structs, with their error messages.
 *
 * Decoding changes the tree: members get the schema's spelling, numbers and booleans become strings
 * where strings are expected, nulls are removed. The result can be read with value_get alone. May
 * be called from any thread.
 */
#pragma once

#include "value/value.h"

struct source;

enum schema_kind {
    SCHEMA_ANY, /* not decoded */
    SCHEMA_BOOL,
    SCHEMA_INT,
    SCHEMA_LIST,
    SCHEMA_MAP,
    SCHEMA_STRING,
    SCHEMA_STRUCT,
    SCHEMA_TIME, /* RFC 3339; decoded separately */
};

struct schema_field {
    const char *name;
    const struct schema *type;
    /*
     * The embedded Go struct that the field belongs to, if any: numbers do not become text there.
     */
    const char *embedded;
};

struct schema {
    enum schema_kind kind;
    const char *go;                    /* the Go type, as error messages name it */
    const struct schema *item;         /* SCHEMA_LIST, SCHEMA_MAP */
    const struct schema_field *fields; /* SCHEMA_STRUCT; terminated by a NULL name */
    /* SCHEMA_STRING: whether a text is valid; fills e when it is not. */
    bool (*check)(str text, struct err *e);
    bool pointer; /* as an element it may not be null */
    /*
     * Decoded by a separate call: unknown members are ignored, nothing is turned into text, and the
     * first error ends the decoding of the whole file.
     */
    bool apart;
};

extern const struct schema schema_string, schema_bool, schema_strings;

/* How a tree is decoded. */
enum schema_mode {
    SCHEMA_STRICT, /* unknown members are errors */
    SCHEMA_LOOSE,  /* unknown members are dropped */
    /*
     * As encoding/json alone: unknown members are dropped, but numbers do not become text. Members
     * are visited in the order of the text.
     */
    SCHEMA_JSON,
    /*
     * Nothing is changed, names are compared exactly, numbers stay numbers. Members are visited in
     * the order of the text.
     */
    SCHEMA_CHECK,
    SCHEMA_CHECK_SORTED, /* the same, in bytewise order */
};

/* Decodes v, in place unless it is only checked. Errors are those of Go's encoding/json. */
MUST_CHECK bool schema_decode(struct arena *a, const struct schema *schema, enum schema_mode mode,
                              struct value *v, struct err *e);
/*
 * SCHEMA_CHECK of a document that stays unchanged; the error has the position of the first fault in
 * its text.
 */
MUST_CHECK bool schema_check(const struct source *src, const struct schema *schema,
                             const struct value *v, struct err *e);

/* "object", "array", "string", "number", "bool", "null". */
const char *json_kind(const struct value *v);
