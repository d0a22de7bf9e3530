/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.h - decodes data files into structs, strictly: every key must be known and every value of
 * the right type, so that nothing in a file is silently ignored. Errors name the file, the line and
 * what is expected there.
 *
 *     static const struct field fields[] = {
 *         {"name", fields_text, offsetof(struct thing, name)},
 *         {"shown", fields_bool, offsetof(struct thing, shown)},
 *         {0},
 *     };
 *     struct fields f = {.arena = a, .source = src, .e = e};
 *     if (!fields_read(&f, root, fields, &thing))
 *         return false;
 *
 * A field that is more than a scalar has a function of its own, which may use ctx. Texts point into
 * the source. Functions may be called from any thread.
 */
#pragma once

#include "value/source.h"
#include "value/value.h"

struct fields {
    struct arena *arena; /* for the result */
    const struct source *source;
    struct err *e;
    void *ctx; /* for the caller's own functions */
};

/* Reads v, a member of an object, into out. */
typedef bool field_fn(struct fields *f, const struct value *v, void *out);

/* One key of an object; a table of them ends with {0}. */
struct field {
    const char *key;
    field_fn *read;
    size_t offset; /* offset of the member to fill in the struct passed to fields_read */
};

/* A text that must be one of a few; a table of them ends with {0}. */
struct field_word {
    const char *name;
    int value;
};

/* Fills the error with the place of v. Always false. */
bool fields_fail(struct fields *f, const struct value *v, const char *format, ...) FORMAT(3, 4);
/* Reads every member of object as its row of the table says; an unknown key is an error. */
MUST_CHECK bool fields_read(struct fields *f, const struct value *object, const struct field *table,
                            void *out);

/* str: not empty. */
MUST_CHECK bool fields_text(struct fields *f, const struct value *v, void *out);
/* bool */
MUST_CHECK bool fields_bool(struct fields *f, const struct value *v, void *out);
/* const struct value *: anything. */
MUST_CHECK bool fields_any(struct fields *f, const struct value *v, void *out);
/* A whole number from 0 to max. */
MUST_CHECK bool fields_number(struct fields *f, const struct value *v, int64_t max, int64_t *out);
/* One of words. */
MUST_CHECK bool fields_word(struct fields *f, const struct value *v, const struct field_word *words,
                            int *out);
