/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.h - Microsoft's published type files: what ARM accepts and returns.
 *
 * A type file is a JSON array; a type is named by its index and refers to others by it. Reading
 * checks everything that the derivation relies on: that references point into the file and at the
 * right kind, that arrays and maps do not contain themselves, that flags are known. Errors have
 * file, line, the index of the type and the path inside it. Unknown kinds of types and unknown keys
 * are skipped, as the format requires: such a type is ARM_UNKNOWN, which is reported where it is
 * used.
 *
 *     struct type_folder *folder;
 *     if (!type_folder_open(a, STR("types"), &folder, e))
 *         return false;
 *     struct arm_resource r;
 *     if (!type_folder_find(folder, STR("Microsoft.App/jobs"), STR("2024-03-01"), &r, e))
 *         return false;
 *
 * Texts are not copied: a file lives in the arena it was read into. One thread at a time; the
 * result may be read from many.
 */
#pragma once

#include "value/source.h"

/* Limits on what is read. Exceeding one is an error that names it. */
#define ARM_FILE_MAX (256 * MIB)        /* bytes in one type file, unpacked */
#define ARM_TYPES_MAX ((size_t)1 << 20) /* types in one file */
#define ARM_PROPS_MAX 2000              /* properties in one object, elements in one type */
#define ARM_FOLDER_DEPTH 8              /* levels of folders below the given one */

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

/* The scopes in which a resource can be written. */
enum arm_scope {
    ARM_TENANT = 1,
    ARM_MANAGEMENT_GROUP = 2,
    ARM_SUBSCRIPTION = 4,
    ARM_RESOURCE_GROUP = 8,
    ARM_EXTENSION = 16,
};

/* "No type here": for example, an object without additionalProperties. */
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
    str name;          /* an object's or resource's ("Type@version"); the text of a literal */
    str discriminator; /* name of the property that distinguishes the variants */
    str pattern;
    const struct value *min, *max; /* numbers: limits of the value, length or items; or NULL */
    const struct arm_prop *props;  /* an object's; the common ones of a discriminated object */
    size_t prop_count;
    const struct arm_prop *elements; /* a union's (without names) or a discriminated object's */
    size_t element_count;
    uint32_t item;            /* an array's; additionalProperties of an object; or ARM_NO_TYPE */
    uint32_t body;            /* a resource's */
    uint32_t writable_scopes; /* a resource's: enum arm_scope */
    bool holds_resource;      /* an object that is the "properties" of some resource */
};

struct arm_file {
    str name;
    struct arm_type *types;
    size_t count;
    size_t unknown; /* how many types are of an unknown kind */
};

/* A resource and the file it is in. */
struct arm_resource {
    const struct arm_file *file;
    const struct arm_type *type, *body;
};

/* Reads a type file. src and its text must live as long as a. */
MUST_CHECK bool types_read(struct arena *a, const struct source *src, struct arm_file *out,
                           struct err *e);

static inline const struct arm_type *arm_type_at(const struct arm_file *f, uint32_t index)
{
    return &f->types[index];
}
/* The property of an object, or one of the common ones of a discriminated object; or NULL. */
const struct arm_prop *arm_prop_find(const struct arm_type *t, str name);
/* "type 12 (ObjectType Foo)", for messages. */
str arm_type_label(struct arena *a, const struct arm_type *t);
/* "ObjectType", as in files. */
const char *arm_kind_name(enum arm_kind kind);

/*
 * A folder of type files, at any depth: .../PROVIDER/VERSION/types.json or types.json.gz. That is
 * both the stripped layout and the published one, where a provider's version can be spread over
 * several files in different folders. Files are read when something in them is looked up.
 */
struct type_folder;
MUST_CHECK bool type_folder_open(struct arena *a, str path, struct type_folder **out,
                                 struct err *e);
/* An empty folder; add files from memory to it before looking anything up. */
struct type_folder *type_folder_new(struct arena *a);
MUST_CHECK bool type_folder_add(struct type_folder *f, str provider, str version,
                                const struct source *src, struct err *e);
/*
 * The resource of an ARM type in an API version; names are case-insensitive. Fails with
 * ERR_NOT_FOUND when there is none; that error has no position, since the mistake is elsewhere.
 */
MUST_CHECK bool type_folder_find(struct type_folder *f, str arm_type, str api_version,
                                 struct arm_resource *out, struct err *e);
/* How many files have been read. */
size_t type_folder_files(const struct type_folder *f);
