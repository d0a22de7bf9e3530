/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.h - Microsoft's published type files: what ARM accepts and returns.
 *
 * A type file is a JSON array; a type is named by its index and refers to others by it. Reading
 * checks everything that the derivation relies on: that references point into the file and at the
 * right kind, that arrays and maps do not contain themselves, that flags are known. A fault is
 * reported with file, line, the index of the type and the path inside it. Unknown kinds of types
 * and unknown keys are skipped, as the format asks: such a type is ARM_UNKNOWN, and whoever meets
 * one says so.
 *
 *     struct type_folder *folder;
 *     if (!type_folder_open(a, STR("types"), &folder, e))
 *         return false;
 *     struct arm_resource r;
 *     if (!type_folder_find(folder, STR("Microsoft.App/jobs"), STR("2024-03-01"), &r, e))
 *         return false;
 *
 * Texts are not copied: a file lives in the arena it was read into. One thread at a time; what was
 * read may be read from many.
 */
#pragma once

#include "value/source.h"

/* Limits on what is read. Reaching one is an error that names it. */
#define ARM_FILE_MAX (256 * MIB)        /* bytes of one type file, unpacked */
#define ARM_TYPES_MAX ((size_t)1 << 20) /* types of one file */
#define ARM_PROPS_MAX 2000              /* properties of one object, elements of one type */
#define ARM_FOLDER_DEPTH 8              /* folders below the one that was named */

enum arm_kind {
    ARM_UNKNOWN,
    ARM_ANY,
    ARM_ARRAY,
    ARM_BOOL,
    ARM_DISCRIMINATED,
    ARM_FUNCTION,
    ARM_INT,
    ARM_LITERAL,
    ARM_OBJECT,
    ARM_RESOURCE,
    ARM_STRING,
    ARM_UNION,
};

/* Flags of a property. */
enum arm_flag {
    ARM_REQUIRED = 1,
    ARM_READ_ONLY = 2,
    ARM_WRITE_ONLY = 4,
    ARM_DEPLOY_TIME = 8,
    ARM_IDENTIFIER = 16,
    ARM_FLAGS = 31,
};

/* Scopes at which a resource can be written. */
enum arm_scope {
    ARM_TENANT = 1,
    ARM_MANAGEMENT_GROUP = 2,
    ARM_SUBSCRIPTION = 4,
    ARM_RESOURCE_GROUP = 8,
    ARM_EXTENSION = 16,
};

/* "No type here": an object without additionalProperties, say. */
#define ARM_NO_TYPE UINT32_MAX

/* A property of an object, a variant of a discriminated object, or an element of a union. */
struct arm_prop {
    str name;
    uint32_t type;
    uint32_t flags;
    str description; /* empty in stripped files */
};

struct arm_type {
    enum arm_kind kind;
    uint32_t index;
    bool sensitive;
    str name;          /* of objects and resources ("Type@version"); the text of a literal */
    str discriminator; /* name of the property that tells the variants apart */
    str pattern;
    const struct value *min, *max; /* numbers: of the value, of the length, of the items; or NULL */
    const struct arm_prop *props;  /* of an object; the common ones of a discriminated object */
    size_t prop_count;
    const struct arm_prop *elements; /* of a union (no names) or of a discriminated object */
    size_t element_count;
    uint32_t item;            /* of an array; additionalProperties of an object; or ARM_NO_TYPE */
    uint32_t body;            /* of a resource */
    uint32_t writable_scopes; /* of a resource: enum arm_scope */
    bool holds_resource;      /* an object that is the "properties" of some resource */
};

struct arm_file {
    str name;
    struct arm_type *types;
    size_t count;
    size_t unknown; /* how many types are of a kind that is not known here */
};

/* A resource and the file it is in. */
struct arm_resource {
    const struct arm_file *file;
    const struct arm_type *type, *body;
};

/* Reads a type file. src and its text must live as long as a. */
MUST_CHECK bool types_read(struct arena *a, const struct source *src, struct arm_file *out,
                           struct err *e);
/* The text of a type file, unpacked when it is compressed with gzip. */
MUST_CHECK bool types_unpack(struct arena *a, str path, str *out, struct err *e);

static inline const struct arm_type *arm_type_at(const struct arm_file *f, uint32_t index)
{
    return &f->types[index];
}
/* The property of an object, or one of the common ones of a discriminated object; or NULL. */
const struct arm_prop *arm_prop_find(const struct arm_type *t, str name);
/* "type 12 (ObjectType Foo)", for messages. */
str arm_type_label(struct arena *a, const struct arm_type *t);
/* "ObjectType", as files call it. */
const char *arm_kind_name(enum arm_kind kind);

/*
 * A folder of type files, at any depth: .../PROVIDER/VERSION/types.json or types.json.gz. That is
 * both the stripped layout and the published one, where a provider's version can be spread over
 * several files in different folders. Files are read when something in them is asked for.
 */
struct type_folder;
MUST_CHECK bool type_folder_open(struct arena *a, str path, struct type_folder **out,
                                 struct err *e);
/* An empty folder, and a file from memory in it, before anything is found there. */
struct type_folder *type_folder_new(struct arena *a);
MUST_CHECK bool type_folder_add(struct type_folder *f, str provider, str version,
                                const struct source *src, struct err *e);
/*
 * The resource of an ARM type in an API version; names compare without case. Fails with
 * ERR_NOT_FOUND when there is none, and then says nothing about the place: the fault is elsewhere.
 */
MUST_CHECK bool type_folder_find(struct type_folder *f, str arm_type, str api_version,
                                 struct arm_resource *out, struct err *e);
/* How many files were read. */
size_t type_folder_files(const struct type_folder *f);
