/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - the shape of a file, and decoding by it as Go's libraries decode into structs.
 *
 * Decoding changes the tree: members get the spelling of the schema, numbers and booleans become
 * text where text is wanted, null becomes absence. What is left can be read with value_get alone.
 * For this folder only.
 */
#pragma once

#include "value/value.h"

enum schema_kind {
    SCHEMA_BOOL,
    SCHEMA_INT,
    SCHEMA_LIST,
    SCHEMA_MAP,
    SCHEMA_STRING,
    SCHEMA_STRUCT,
    SCHEMA_TIME, /* RFC 3339; decoded apart */
};

struct schema_field {
    const char *name;
    const struct schema *type;
    /* The Go struct that has the field, when it is an embedded one: numbers do not become text. */
    const char *embedded;
};

struct schema {
    enum schema_kind kind;
    const char *go;                    /* the Go type, as error texts name it */
    const struct schema *item;         /* SCHEMA_LIST, SCHEMA_MAP */
    const struct schema_field *fields; /* SCHEMA_STRUCT; ended by a NULL name */
    bool pointer;                      /* as an element it may not be null */
    /*
     * Decoded by a call of its own: unknown members are ignored, nothing is turned into text, and
     * the first fault ends the decoding of the whole file.
     */
    bool apart;
};

extern const struct schema schema_string, schema_bool, schema_strings;

/* How a tree is decoded. */
enum schema_mode {
    SCHEMA_STRICT, /* unknown members are faults */
    SCHEMA_LOOSE,  /* unknown members are dropped */
    /*
     * Nothing is changed, names are compared exactly, numbers stay numbers. Members are visited in
     * their own order.
     */
    SCHEMA_CHECK,
    SCHEMA_CHECK_SORTED, /* the same in bytewise order */
};

/* Decodes v, in place unless it is only checked. Errors are those of Go's encoding/json. */
MUST_CHECK bool schema_decode(struct arena *a, const struct schema *schema, enum schema_mode mode,
                              struct value *v, struct err *e);

/* Whether text is a time as RFC 3339 has it, in Go's words when it is not. */
MUST_CHECK bool rfc3339_check(struct arena *a, str text, struct err *e);
/* Decodes YAML strictly by a schema, with the words of Go's libraries. *out is NULL for null. */
MUST_CHECK bool strict_read(struct arena *a, str file, str text, const struct schema *schema,
                            struct value **out, struct err *e);
